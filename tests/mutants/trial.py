"""One mutant against the tests of its file, in a copy of the repository."""

import compileall
import importlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import NoReturn

import pytest

KEPT = ("src", "tests", "examples", "docs", "pyproject.toml", "README.md", "Makefile")
WARM = [
    "jax",
    "jax.numpy",
    "optax",
    "jaxtyping",
    "numpy",
    "scipy.stats",
    "pandas",
    "polars",
    "apsw",
]
WALL_SECONDS = 1800
"""For what waits for ever without working. What works for ever is stopped by its processor time,
which does not depend on what else the machine does."""


def copy_repository(root: Path, tree: Path) -> None:
    """A fresh copy in ``tree``; its compiled modules are checked by hash, not by time and size,
    which a mutant written within a second may share with the original."""
    shutil.rmtree(tree, ignore_errors=True)
    for name in KEPT:
        source, target = root / name, tree / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "_build", "images")
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    compileall.compile_dir(
        tree / "src", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH
    )


@contextmanager
def mutated(path: Path, code: str) -> Iterator[None]:
    """The file with other text, while in here."""
    original = path.read_text()
    path.write_text(code)
    try:
        yield
    finally:
        path.write_text(original)


def warm_up() -> None:
    """Import what tests import and no mutant changes, once; `run_tests` then only forks."""
    for name in WARM:
        importlib.import_module(name)


def run_tests(tree: Path, arguments: list[str], seconds: float) -> tuple[str, float, str]:
    """``passed``, ``failed`` or ``timeout``, the processor seconds used, and the failing test."""
    output = tree.parent / f"{tree.name}.txt"
    child = os.fork()
    if child == 0:
        _pytest(tree, arguments, int(seconds), output)
    waited = time.monotonic() + WALL_SECONDS
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > waited:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timeout", seconds, ""
        time.sleep(0.2)
    used, code = usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return "timeout", used, ""
    if code == 0:
        return "passed", used, ""
    said = output.read_text(errors="replace")
    if code in (1, 2) or code < 0:  # 2: could not even be imported; below 0: a crash
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return "failed", used, failed[0] if failed else said[-300:]
    raise RuntimeError(f"pytest ended with {code}:\n{said[-2000:]}")


def _pytest(tree: Path, arguments: list[str], seconds: int, output: Path) -> NoReturn:
    """Become a process that runs pytest in the copy."""
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
        target = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, 1)
        os.dup2(target, 2)
        os.chdir(tree)
        os.environ["PYTHONPATH"] = str(tree / "src")
        tests = str(tree / "tests")
        sys.path[:] = [str(tree / "src"), tests, *(p for p in sys.path if p and "tests" not in p)]
        options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
        # Packages with plug-ins for pytest, such as jaxtyping, are here before it: nothing is lost.
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = int(pytest.main([*options, "-m", "not study", *arguments]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
