"""How simulations and agents are compiled, which decides the last digits of their results."""

import functools
import os
from collections.abc import Callable
from typing import Any

OPTIONS: dict[str, Any] = {
    # Threads would split sums in ways that depend on the number of cores.
    "xla_cpu_multi_thread_eigen": False,
    # More expensive optimisations take a fifth of the compiler's time and gain nothing here.
    "xla_backend_optimization_level": 1,
}
"""Compiler options of every simulation and agent, in whichever process it is."""


def compiled(**settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``jax.jit(**settings)`` with ``OPTIONS``; flags that the user sets in ``XLA_FLAGS`` win.

    Inside another compiled function, whose options then hold, it is an ordinary call.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        import jax

        chosen = os.environ.get("XLA_FLAGS", "")
        options = {name: value for name, value in OPTIONS.items() if f"--{name}" not in chosen}
        alone = jax.jit(function, **settings, compiler_options=options)

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            traced = isinstance(jax.numpy.zeros(()), jax.core.Tracer)
            return function(*args) if traced else alone(*args)

        return call

    return decorate


def as_flags(chosen: str) -> str:
    """``OPTIONS`` as ``XLA_FLAGS`` for another process; flags already chosen come last and win."""
    options = [f"--{name}={str(value).lower()}" for name, value in OPTIONS.items()]
    return " ".join([*options, chosen]).strip()
