"""Imports point one way: shared parts <- policies, environments <- simulation <- lab <- cli."""

import ast
import subprocess
import sys
from pathlib import Path

import jostle

ROOT = Path(jostle.__file__).parent

# Each layer may import from itself (one file to another) and from the layers before it.
LAYERS = [
    {"checks", "writing", "contexts", "kernels", "drawing"},
    {"records", "types", "datasets", "confidence"},
    {"networks", "memory", "fitting", "gradients", "uncertainty", "linear"},
    {"policies", "environments"},
    {"simulation", "saving", "agent"},
    {"theory"},
    {"lab"},
    {"benchmarks"},
    {"cli"},
]
# Within a layer, these may not know of each other.
STRANGERS = [("policies", "environments"), ("simulation", "agent")]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imports_of(path):
    """The modules of jostle that a file imports, lazily or not, by their names under jostle."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; we write imports in full"
            if node.module == "jostle":
                yield from (alias.name for alias in node.names)
            elif node.module and node.module.startswith("jostle."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("jostle."):
                    yield alias.name.split(".")[1]


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if name not in (
            "__init__",
            "__main__",
        ):  # the front door offers names of every layer, lazily
            yield name, path


def test_imports_point_one_way():
    wrong = []
    for name, path in modules():
        assert name in RANK, f"{path} is in no layer; give it a place in {__file__}"
        for imported in imports_of(path):
            if imported not in RANK:
                assert imported.startswith("__"), f"{path} imports unknown jostle.{imported}"
            elif RANK[imported] > RANK[name]:
                wrong.append(f"{name} ({path.name}) imports {imported}, which is above it")
            elif any({name, imported} == set(pair) for pair in STRANGERS):
                wrong.append(f"{name} ({path.name}) imports {imported}, its neighbour")
    assert not wrong, "\n".join(wrong)


def test_the_check_can_fail(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("def f():\n    from jostle.lab import run\n    import jostle.cli\n")
    assert list(imports_of(path)) == ["lab", "cli"]


def test_the_promised_names_do_not_depend_on_what_was_imported_before():
    """A submodule of the same name would take the place of the function once it is imported."""
    code = "import jostle, jostle.lab.naming, jostle.agent; assert callable(jostle.simulate)"
    subprocess.run([sys.executable, "-c", code], check=True)
    modules = {path.stem for path in ROOT.iterdir()}
    assert modules.isdisjoint(set(jostle.__all__) - {"environments", "lab", "networks", "theory"})
