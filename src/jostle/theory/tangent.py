"""The neural tangent kernel of a set of contexts, in closed form (Definition B.1)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jostle.core.validation import numeric, whole
from jostle.ntk.kernel import angles, directions, tangent_kernel

BLOCK = 1024  # rows and columns at a time


def ntk(contexts: Any, depth: int = 3) -> np.ndarray:
    """H of Definition B.1: (H~ + Sigma) / 2 of layer ``depth``, (K, K), in float64.

    This is what g'g / m of a wide network converges to if its gradient leaves out the blocks of
    W_1 ... W_{L-1} that Algorithm 1 starts at zero. With all weights the limit is H~: see
    ``limit_kernel``. Parallel and opposite contexts, and zeros, lose no digits.

    Arguments:
        contexts: (K, features), of any lengths.
        depth: L, the number of weight matrices.
    """
    return _by_blocks(contexts, depth, lambda kernel, sigma: (kernel + sigma) / 2)


def limit_kernel(contexts: Any, depth: int = 3) -> np.ndarray:
    """H~ of layer ``depth``, the limit of G'G with the gradient of all weights: 2 H - Sigma."""
    return _by_blocks(contexts, depth, lambda kernel, sigma: kernel)


def checked_contexts(contexts: Any) -> np.ndarray:
    """Contexts as a finite float64 matrix."""
    matrix = numeric("contexts", contexts).astype(np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"contexts must be of shape (K, features), not {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("contexts must be finite, but hold infinities or what is not a number")
    return matrix


def _by_blocks(
    contexts: Any, depth: int, combine: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """The matrix by blocks of rows and columns, the upper ones mirrored: little beside itself."""
    whole("depth", depth, least=2)
    units, lengths = directions(checked_contexts(contexts))
    k = len(units)
    matrix = np.empty((k, k))
    for i in range(0, k, BLOCK):
        rows = slice(i, i + BLOCK)
        for j in range(i, k, BLOCK):
            columns = slice(j, j + BLOCK)
            block = combine(*tangent_kernel(angles(units[rows], units[columns]), depth))
            block *= lengths[rows, None] * lengths[None, columns]
            if i == j:
                block = (block + block.T) / 2
            matrix[rows, columns] = block
            matrix[columns, rows] = block.T
    return matrix
