"""Types of the arrays that the theory computes with: NumPy, float64, axes by name.

``arms`` is the paper's K, the number of arms of a fixed pool.
"""

import numpy as np
from jaxtyping import Float64, Int

Kernel = Float64[np.ndarray, "arms arms"]
"""Inner products g(x_i)'g(x_j) / m between the gradients of the arms."""
Contexts = Float64[np.ndarray, "arms features"]
"""One row per arm."""
PerArm = Float64[np.ndarray, "arms"]
"""One number per arm."""
PerRound = Float64[np.ndarray, "rounds"]
"""One number per round of one run."""
ArmIds = Int[np.ndarray, "rounds"]
"""The id of the arm that was pulled, per round."""
Draws = Float64[np.ndarray, "draws arms"]
"""One row per independent draw, one column per arm."""
Regrets = Float64[np.ndarray, "runs rounds"]
"""Cumulative regret: one row per run."""
Weights = list[np.ndarray]
"""The weight matrices W_1 ... W_L of a ``PaperNetwork``, each (inputs, outputs)."""
