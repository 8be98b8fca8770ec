"""Validation of the arguments that users pass to ``jostle.theory``."""

import numpy as np
from numpy.typing import ArrayLike

from jostle.core.validation import numeric
from jostle.theory.array_types import Contexts, Kernel, PerArm


def checked_contexts(contexts: ArrayLike) -> Contexts:
    """Return contexts as a finite float64 matrix, one row per arm."""
    matrix = numeric("contexts", contexts).astype(np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"contexts must be of shape (K, features), not {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("contexts must be finite, but contain infinite values or NaN")
    return matrix


def checked_kernel(kernel: ArrayLike) -> Kernel:
    """Return a kernel as a finite, symmetric float64 matrix."""
    matrix = numeric("kernel", kernel).astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"kernel must be of shape (K, K), not {matrix.shape}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise ValueError("kernel must be finite and symmetric")
    return matrix


def checked_rewards(rewards: ArrayLike, arms: int) -> PerArm:
    """Return expected rewards as finite float64 numbers, one per arm."""
    vector = numeric("rewards", rewards).astype(np.float64)
    if vector.shape != (arms,):
        raise ValueError(f"rewards must be of shape ({arms},), one per arm, not {vector.shape}")
    if not np.isfinite(vector).all():
        raise ValueError("rewards must be finite, but contain infinite values or NaN")
    return vector


def checked_positive(name: str, value: ArrayLike) -> float:
    """Return a finite number above 0."""
    found = numeric(name, value)
    if found.ndim != 0 or not np.isfinite(found) or found <= 0:
        raise ValueError(f"{name} must be a number above 0, not {value!r}")
    return float(found)
