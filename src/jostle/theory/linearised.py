"""The least squares of Section 4 on a pool, from the K x K kernel alone."""

import math

import numpy as np


class Linearised:
    """A_t of Eq. (4) as the arms see it, updated pull by pull in float64.

    Everything Section 4 asks of the p x p matrix A_t is in the K x K matrix
    W = G'A_t^-1 G = (lambda I + kernel N)^-1 kernel, N being the pulls of each arm: the squared
    widths are its diagonal, the estimates <g_i, A_t^-1 b> are W @ (sum of rewards of each arm), and
    a pull of arm a takes W e_a e_a'W / (1 + W_aa) away.
    """

    def __init__(self, kernel: np.ndarray, lam: float):
        self.lam = lam
        self.counts = np.zeros(len(kernel))
        """Pulls of each arm."""
        self.matrix = np.array(kernel, np.float64) / lam
        """W."""
        self.log_det = 0.0
        """log(det A_t / det lambda I)."""

    @classmethod
    def after(cls, kernel: np.ndarray, lam: float, counts: np.ndarray) -> "Linearised":
        """After these many pulls of each arm, solved at once."""
        made = cls(kernel, lam)
        system = lam * np.eye(len(kernel)) + kernel * counts
        made.counts = np.array(counts, float)
        made.matrix = np.linalg.solve(system, kernel)
        made.log_det = float(np.linalg.slogdet(system / lam)[1])
        return made

    def pull(self, arm: int) -> None:
        """One more observation of an arm."""
        column = self.matrix[:, arm].copy()
        self.log_det += math.log1p(column[arm])
        self.matrix -= np.outer(column, column / (1 + column[arm]))
        self.counts[arm] += 1

    @property
    def widths(self) -> np.ndarray:
        """|g_i / sqrt(m)| in the norm of A_t^-1, of each arm."""
        return np.sqrt(np.maximum(self.matrix.diagonal(), 0))

    def estimates(self, sums: np.ndarray) -> np.ndarray:
        """<g_i, A_t^-1 b> / sqrt(m) of each arm, for the sum of the rewards of each arm."""
        return self.matrix @ sums

    def responses(self, draws: np.ndarray) -> np.ndarray:
        """How perturbations of unit variance move the estimates, from standard normals (n, K).

        The perturbations of the n_i observations of arm i add up to sqrt(n_i) times one normal.
        """
        return (draws * np.sqrt(self.counts)) @ self.matrix.T
