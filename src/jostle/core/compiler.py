"""How simulations are compiled, which decides the last digits of their results."""

import os
from typing import Any

OPTIONS: dict[str, Any] = {
    # Threads would split sums in ways that depend on the number of cores.
    "xla_cpu_multi_thread_eigen": False,
    # More expensive optimisations take a fifth of the compiler's time and gain nothing here.
    "xla_backend_optimization_level": 1,
}
"""Compiler options of every simulation, whichever process plays it."""


def compiler_options() -> dict[str, Any]:
    """``OPTIONS`` without those that the user sets in ``XLA_FLAGS``, which take precedence."""
    chosen = os.environ.get("XLA_FLAGS", "")
    return {name: value for name, value in OPTIONS.items() if f"--{name}" not in chosen}


def as_flags(chosen: str) -> str:
    """``OPTIONS`` as ``XLA_FLAGS`` for another process, then the flags already chosen, which win."""
    options = [f"--{name}={str(value).lower()}" for name, value in OPTIONS.items()]
    return " ".join([*options, chosen]).strip()
