"""NumPy or JAX: array namespaces and random numbers for code that runs on either.

Decisions run on the host with NumPy arrays and a NumPy generator as their key; simulations are
compiled with JAX arrays and JAX keys.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def namespace(array: Any) -> Any:
    """``jax.numpy`` for JAX's arrays, NumPy for all else."""
    return jnp if isinstance(array, jax.Array) else np


def uniforms(key: Any, shape: tuple[int, ...]) -> Any:
    """Uniform numbers in [0, 1) from a JAX key, or from a NumPy generator on the host."""
    if isinstance(key, np.random.Generator):
        return key.random(shape, dtype=np.float32)
    return jax.random.uniform(key, shape)


def split(key: Any) -> tuple[Any, Any]:
    """Two independent sources of randomness from one."""
    if isinstance(key, np.random.Generator):
        return key, key
    first, second = jax.random.split(key)
    return first, second


def apart(key: Any, number: int) -> Any:
    """A source of randomness that leaves what is drawn from ``key`` itself as it is."""
    return key if isinstance(key, np.random.Generator) else jax.random.fold_in(key, number)


def normals(key: Any, shape: tuple[int, ...]) -> Any:
    """Standard normal numbers from a JAX key, or from a NumPy generator on the host."""
    if isinstance(key, np.random.Generator):
        return key.standard_normal(shape, dtype=np.float32)
    return jax.random.normal(key, shape)
