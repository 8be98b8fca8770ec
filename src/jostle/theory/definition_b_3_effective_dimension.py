"""Definition B.3: the effective dimension of a kernel matrix, and of a stream of contexts."""

import math

import numpy as np
from numpy.typing import ArrayLike

from jostle.core.validation import numeric, whole
from jostle.ntk.kernel import wide_kernel
from jostle.theory.array_types import Kernel
from jostle.theory.checked_inputs import checked_kernel, checked_positive

FIRST_CAPACITY = 64
"""Contexts that a ``StreamDimension`` has room for at first; doubled whenever it is full."""


def effective_dimension(kernel: ArrayLike, rounds: int, lam: float) -> float:
    """Return log det(I + T H / lambda) / log(1 + T K / lambda).

    Arguments:
        kernel: H, (K, K), as returned by ``ntk`` or ``limit_kernel``.
        rounds: T.
        lam: lambda > 0.
    """
    matrix = checked_kernel(kernel)
    scale = whole("rounds", rounds) / checked_positive("lam", lam)
    return log_det(matrix, scale) / math.log1p(len(matrix) * scale)


def log_det(kernel: Kernel, scale: float) -> float:
    """Return log det(I + scale * H)."""
    sign, value = np.linalg.slogdet(np.eye(len(kernel)) + scale * kernel)
    if sign <= 0:
        raise ValueError("kernel must be positive semi-definite, but I + T H / lambda is not")
    return float(value)


class StreamDimension:
    """The effective dimension of a stream of contexts, updated with each context.

    After n contexts it is log det(I + H_n / lambda) / log(1 + n / lambda), where H_n is their
    kernel matrix. On a pool of K contexts that appeared T times each this equals Definition B.3.
    Each context adds a row to the Cholesky factor of I + H_n / lambda: O(n^2) time and memory.

    Arguments:
        depth: L of the network whose kernel is used (``limit_kernel``).
        lam: lambda > 0.
    """

    def __init__(self, depth: int = 3, lam: float = 1.0):
        self.depth = whole("depth", depth, least=2)
        self.lam = checked_positive("lam", lam)
        self.seen = 0
        """The number of contexts so far."""
        self.log_det = 0.0
        """log det(I + H_n / lambda)."""
        self._factor = np.zeros((0, 0))
        self._contexts = np.zeros((0, 0))

    @property
    def value(self) -> float:
        """The effective dimension so far; 0 before the first context."""
        return self.log_det / math.log1p(self.seen / self.lam) if self.seen else 0.0

    def add(self, context: ArrayLike) -> float:
        """Add one context, (features,), and return the effective dimension including it."""
        from scipy.linalg import solve_triangular

        x = numeric("context", context).astype(np.float64)
        expected = self._contexts.shape[1:] if self.seen else x.shape[:1]
        if x.shape != expected:
            raise ValueError(f"context must be of shape {expected}, not {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError("context must be finite, but contains infinite values or NaN")
        self._reserve(len(x))
        n = self.seen
        row = wide_kernel(x[None], self._contexts[:n], self.depth)[0] / self.lam
        if n:
            row = solve_triangular(self._factor[:n, :n], row, lower=True)
        own = 1 + wide_kernel(x[None], x[None], self.depth)[0, 0] / self.lam
        # Mathematically at least 1, since I + H_n / lambda is at least I; rounding may go below.
        pivot = max(float(own - row @ row), 1.0)
        self._contexts[n] = x
        self._factor[n, :n], self._factor[n, n] = row, math.sqrt(pivot)
        self.log_det += math.log(pivot)
        self.seen += 1
        return self.value

    def _reserve(self, features: int) -> None:
        if self.seen < len(self._factor):
            return
        size = max(FIRST_CAPACITY, 2 * self.seen)
        factor, contexts = np.zeros((size, size)), np.zeros((size, features))
        if self.seen:
            factor[: self.seen, : self.seen] = self._factor
            contexts[: self.seen] = self._contexts
        self._factor, self._contexts = factor, contexts
