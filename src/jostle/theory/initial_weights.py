"""The initial weights of Algorithm 1, drawn by NumPy in float64."""

import math

import numpy as np

from jostle.theory.array_types import Weights


def initial_weights(rng: np.random.Generator, width: int, depth: int, features: int) -> Weights:
    """Draw W_1 ... W_L with the distribution of ``PaperNetwork.init``.

    Hidden layers are (W, 0; 0, W) with entries of N(0, 4/m), the output layer is (w, -w) with
    entries of N(0, 2/m). Studies over many widths draw here: in float64, and without compiling a
    program per width, which ``PaperNetwork.init`` would.
    """
    half, weights = width // 2, []
    for fan in [features] + [half] * (depth - 2):
        block = rng.normal(size=(fan, half)) * math.sqrt(4 / width)
        zeros = np.zeros_like(block)
        weights.append(np.block([[block, zeros], [zeros, block]]))
    last = rng.normal(size=(half, 1)) * math.sqrt(2 / width)
    return [*weights, np.concatenate([last, -last])]
