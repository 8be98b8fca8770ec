"""The initial weights of Algorithm 1, in float64, for studies over widths."""

import math

import numpy as np


def initial_weights(
    rng: np.random.Generator, width: int, depth: int, features: int
) -> list[np.ndarray]:
    """W_1 ... W_L as ``PaperNetwork`` draws them: (W, 0; 0, W) of N(0, 4/m), then (w, -w)."""
    half, weights = width // 2, []
    for fan in [features] + [half] * (depth - 2):
        block = rng.normal(size=(fan, half)) * math.sqrt(4 / width)
        zeros = np.zeros_like(block)
        weights.append(np.block([[block, zeros], [zeros, block]]))
    last = rng.normal(size=(half, 1)) * math.sqrt(2 / width)
    return [*weights, np.concatenate([last, -last])]


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """The exponent a of the power law y = c x^a that fits best, in logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
