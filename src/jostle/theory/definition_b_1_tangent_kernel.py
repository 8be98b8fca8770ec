"""Definition B.1: the neural tangent kernel of a set of contexts, in closed form."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from jostle.core.validation import whole
from jostle.ntk.kernel import angles, directions, tangent_kernel
from jostle.theory.array_types import Kernel
from jostle.theory.checked_inputs import checked_contexts

BLOCK = 1024
"""Rows and columns of the kernel that are computed at a time, which bounds temporary memory."""


def ntk(contexts: ArrayLike, depth: int = 3) -> Kernel:
    """Return H of Definition B.1: (H~ + Sigma) / 2 of layer ``depth``, of shape (K, K).

    g'g / m of a wide network converges to H if the gradient leaves out the blocks of
    W_1 ... W_{L-1} that Algorithm 1 initialises to zero. With the gradient of all weights the limit
    is H~: see ``limit_kernel``. The result is exact to rounding for parallel, opposite and zero
    contexts too.

    Arguments:
        contexts: (K, features), of any norm.
        depth: L, the number of weight matrices.
    """
    return _blockwise(contexts, depth, lambda kernel, sigma: (kernel + sigma) / 2)


def limit_kernel(contexts: ArrayLike, depth: int = 3) -> Kernel:
    """Return H~ of layer ``depth``: the limit of G'G with the gradient of all weights, 2 H - Sigma.

    Arguments:
        contexts: (K, features), of any norm.
        depth: L, the number of weight matrices.
    """
    return _blockwise(contexts, depth, lambda kernel, sigma: kernel)


def _blockwise(
    contexts: ArrayLike, depth: int, combine: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Kernel:
    """Compute the upper blocks and mirror them, so that little memory is used beside the result."""
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
