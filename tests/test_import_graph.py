"""Imports point one way, between rooms and inside them, those made inside functions included."""

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import jostle

ROOT = Path(jostle.__file__).parent

# Each room may import from the rooms before it, and inside itself without cycles.
ROOMS = [
    {"core"},
    {"types", "datasets", "features"},
    {"logs"},
    {"models", "ntk"},
    {"policies", "environments"},
    {"simulation", "serialization", "arm_slots", "underway", "agent_input", "deciding"},
    {"agent", "factory"},
    {"decisions"},
    {"evaluation"},
    {"service"},
    {"client"},
    {"peers"},
    {"theory"},
    {"lab"},
    {"benchmarks"},
    {"cli"},
]
MODULES = {"environments", "evaluation", "features", "lab", "networks", "theory"}
"""Promised names that are modules."""
LAB = [{"spec"}, {"results"}, {"running", "analysis"}, {"render"}, {"notebook"}]
"""The sub-rooms of the laboratory, likewise."""
STRANGERS = [
    ("policies", "environments"),
    ("features", "datasets"),
    ("agent", "factory"),
    ("running", "analysis"),
]
"""Rooms on the same floor that may not know of each other."""


def module_of(path, root=ROOT):
    """The name of a file's module: ``jostle.lab.spec.plan``, a package by its ``__init__``."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(("jostle", *(part for part in parts if part != "__init__")))


def imports_of(path, known):
    """The modules of jostle that a file imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; we write imports in full"
            if node.module and node.module.split(".")[0] == "jostle":
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield whole if whole in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("jostle."))


def graph():
    """Every module and what it imports; the front doors offer names of every room, lazily."""
    files = {module_of(path): path for path in sorted(ROOT.rglob("*.py"))}
    doors = {"jostle", "jostle.__main__", "jostle.lab"}
    return {
        module: {name for name in imports_of(path, files) if name not in doors} - {module}
        for module, path in files.items()
        if module not in doors
    }


def violations(edges, rooms, depth):
    """Imports that point up, or to a neighbour, by the part of the name at ``depth``."""
    rank = {name: floor for floor, names in enumerate(rooms) for name in names}
    for module, imported in edges:
        here, there = module.split(".")[depth], imported.split(".")[depth]
        assert here in rank, f"{module} is in no room; give it a place in {__file__}"
        assert there in rank, f"{module} imports {imported}, which is in no room"
        if rank[there] > rank[here] or any({here, there} == set(pair) for pair in STRANGERS):
            yield f"{module} imports {imported}"


def test_rooms_import_from_the_rooms_below_them():
    edges = [(module, name) for module, names in graph().items() for name in names]
    assert not list(violations(edges, ROOMS, 1))


def test_rooms_of_the_laboratory_import_from_the_rooms_below_them():
    inside = [
        (module, name)
        for module, names in graph().items()
        for name in names
        if module.startswith("jostle.lab.") and name.startswith("jostle.lab.")
    ]
    assert not list(violations(inside, LAB, 2))


def test_no_modules_import_each_other_in_a_circle():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " -> ".join(error.args[1]))


def test_the_drawing_in_contributing_is_of_this_code():
    import draw_import_graph as drawing

    hint = "run: python tests/draw_import_graph.py"
    page = drawing.PAGE.read_text()
    assert drawing.written(page) == page, hint
    assert drawing.PICTURE.read_text() == drawing.picture(), hint
    table = set(re.findall(r"`(\w+)/?`", page.split("| room |")[1].split("\n\n")[0]))
    assert drawing.room_imports().keys() <= table


def test_rooms_that_are_drawn_reach_what_they_import():
    import draw_import_graph as drawing

    rooms = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert drawing.direct(rooms) == {"a": ["b"], "b": ["c"], "c": []}
    assert drawing.floors(rooms) == [["c"], ["b"], ["a"]]


def test_the_checks_can_fail(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("def f():\n    from jostle.lab import spec\n    import jostle.cli\n")
    found = list(imports_of(path, {"jostle.lab.spec"}))
    assert found == ["jostle.lab.spec", "jostle.cli"]
    upward = [("jostle.core.record", "jostle.lab.spec"), ("jostle.policies.npr", "jostle.types")]
    assert len(list(violations(upward, ROOMS, 1))) == 1


def test_the_promised_names_do_not_depend_on_what_was_imported_before():
    """A submodule of the same name would take the place of the function once it is imported."""
    code = (
        "import jostle, jostle.factory, jostle.agent, jostle.lab.running.runner\n"
        "assert callable(jostle.simulate) and callable(jostle.lab.run)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    modules = {path.stem for path in ROOT.iterdir()}
    assert modules.isdisjoint(set(jostle.__all__) - MODULES)
