"""The effective dimension of a kernel matrix, and of a stream of contexts (Definition B.3)."""

import math
from typing import Any

import numpy as np

from jostle.core.validation import numeric, whole
from jostle.ntk.kernel import wide_kernel


def effective_dimension(kernel: Any, rounds: int, lam: float) -> float:
    """log det(I + T H / lambda) / log(1 + T K / lambda), in float64.

    Arguments:
        kernel: H, (K, K), as ``ntk`` or ``limit_kernel`` gives it.
        rounds: T.
        lam: lambda > 0.
    """
    matrix = checked_kernel(kernel)
    scale = whole("rounds", rounds) / checked_positive("lam", lam)
    return log_det(matrix, scale) / math.log1p(len(matrix) * scale)


def log_det(kernel: np.ndarray, scale: float) -> float:
    """log det(I + scale * H)."""
    sign, value = np.linalg.slogdet(np.eye(len(kernel)) + scale * kernel)
    if sign <= 0:
        raise ValueError("kernel must be positive semi-definite, and I + T H / lambda is not")
    return float(value)


class StreamDimension:
    """The effective dimension of a stream of contexts, as it comes.

    After n contexts it is log det(I + H_n / lambda) / log(1 + n / lambda), H_n their kernel matrix.
    On a pool of K contexts that came T times each this is Definition B.3 to the letter. One more
    context is one more row of the Cholesky factor of I + H_n / lambda: O(n^2) time and memory.

    Arguments:
        depth: L of the network whose kernel it is (the limit of G'G with all weights).
        lam: lambda > 0.
    """

    def __init__(self, depth: int = 3, lam: float = 1.0):
        self.depth = whole("depth", depth, least=2)
        self.lam = checked_positive("lam", lam)
        self.seen = 0
        """How many contexts have come."""
        self.log_det = 0.0
        """log det(I + H_n / lambda)."""
        self._factor = np.zeros((0, 0))
        self._contexts = np.zeros((0, 0))

    @property
    def value(self) -> float:
        """The effective dimension so far; 0 before any context."""
        return self.log_det / math.log1p(self.seen / self.lam) if self.seen else 0.0

    def add(self, context: Any) -> float:
        """Take one context, (features,), and return the effective dimension with it."""
        from scipy.linalg import solve_triangular

        x = numeric("context", context).astype(np.float64)
        wanted = self._contexts.shape[1:] if self.seen else x.shape[:1]
        if x.shape != wanted or not np.isfinite(x).all():
            raise ValueError(f"context must be {wanted} finite numbers, not of shape {x.shape}")
        self._make_room(len(x))
        n = self.seen
        row = wide_kernel(x[None], self._contexts[:n], self.depth)[0] / self.lam
        if n:
            row = solve_triangular(self._factor[:n, :n], row, lower=True)
        own = 1 + wide_kernel(x[None], x[None], self.depth)[0, 0] / self.lam
        # Never below 1 but for rounding: what is new in a context only adds.
        pivot = max(own - row @ row, 1.0)
        self._contexts[n] = x
        self._factor[n, :n], self._factor[n, n] = row, math.sqrt(pivot)
        self.log_det += math.log(pivot)
        self.seen += 1
        return self.value

    def _make_room(self, features: int) -> None:
        if self.seen < len(self._factor):
            return
        size = max(64, 2 * self.seen)
        factor, contexts = np.zeros((size, size)), np.zeros((size, features))
        if self.seen:
            factor[: self.seen, : self.seen] = self._factor
            contexts[: self.seen] = self._contexts
        self._factor, self._contexts = factor, contexts


def checked_kernel(kernel: Any) -> np.ndarray:
    """A finite symmetric matrix in float64."""
    matrix = numeric("kernel", kernel).astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"kernel must be of shape (K, K), not {matrix.shape}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise ValueError("kernel must be finite and symmetric")
    return matrix


def checked_positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    if not np.ndim(value) == 0 or not np.isfinite(numeric(name, value)) or value <= 0:
        raise ValueError(f"{name} must be a number above 0, not {value!r}")
    return float(value)
