"""The linearised network of Section 4 on a pool of arms: ridge regression in its K x K form."""

import math
from typing import Self

import numpy as np

from jostle.theory.array_types import Draws, Kernel, PerArm


class LinearisedModel:
    """A_t of Eq. (4) restricted to the arms, updated with each pull, in float64.

    Everything that Section 4 needs of the p x p matrix A_t is in the K x K matrix
    W = G'A_t^-1 G = (lambda I + kernel N)^-1 kernel, where N holds the number of pulls of each arm:
    the squared widths are its diagonal, the estimates <g_i, A_t^-1 b> are W @ (sum of rewards of
    each arm), and a pull of arm a subtracts W e_a e_a'W / (1 + W_aa).
    """

    def __init__(self, kernel: Kernel, lam: float):
        self.lam = lam
        self.counts: PerArm = np.zeros(len(kernel))
        """The number of pulls of each arm."""
        self.matrix: Kernel = np.array(kernel, np.float64) / lam
        """W."""
        self.log_det = 0.0
        """log(det A_t / det lambda I)."""

    @classmethod
    def after(cls, kernel: Kernel, lam: float, counts: np.ndarray) -> Self:
        """Return the model after ``counts`` pulls of each arm, by one linear solve."""
        model = cls(kernel, lam)
        system = lam * np.eye(len(kernel)) + kernel * counts
        model.counts = np.array(counts, float)
        model.matrix = np.linalg.solve(system, kernel)
        model.log_det = float(np.linalg.slogdet(system / lam)[1])
        return model

    def pull(self, arm: int) -> None:
        """Add one observation of an arm."""
        column = self.matrix[:, arm].copy()
        self.log_det += math.log1p(column[arm])
        self.matrix -= np.outer(column, column / (1 + column[arm]))
        self.counts[arm] += 1

    @property
    def widths(self) -> PerArm:
        """|g_i / sqrt(m)| in the norm of A_t^-1, per arm."""
        widths: PerArm = np.sqrt(np.maximum(self.matrix.diagonal(), 0))
        return widths

    def estimates(self, sums: PerArm) -> PerArm:
        """Return <g_i, A_t^-1 b> / sqrt(m) per arm, from the sum of the rewards of each arm."""
        estimates: PerArm = self.matrix @ sums
        return estimates

    def responses(self, normals: Draws) -> Draws:
        """Return how perturbations of unit variance move the estimates.

        The perturbations of the n_i observations of arm i sum to sqrt(n_i) times one standard
        normal, so ``normals`` has one column per arm.
        """
        responses: Draws = (normals * np.sqrt(self.counts)) @ self.matrix.T
        return responses
