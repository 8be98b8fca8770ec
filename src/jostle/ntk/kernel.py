"""Kernels of a wide network at initialisation: inner products of gradients, g(x)'g(y) / m.

Two ways to the same matrix, for NumPy (float64) and JAX arrays:

- ``tangent_kernel`` is the limit of infinite width, in closed form. Definition B.1 depends only on
  the angle between two contexts and on the product of their norms, because its expectations over
  Gaussians with ReLU are the arc-cosine kernels of Cho and Saul (NIPS 2009).
- ``gradient_kernel`` uses the gradients of one ``PaperNetwork``. The gradient of layer l is an
  outer product a_{l-1} delta_l', so inner products of gradients are products of inner products, and
  the p entries of a gradient are never stored.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from jostle.core.backend import namespace

Vectors = Float[np.ndarray | jax.Array, "*n features"]
"""Contexts, one per row."""
Numbers = Float[np.ndarray | jax.Array, "..."]
"""Any number of angles, norms or kernel values."""
Matrix = Float[np.ndarray | jax.Array, "n_x n_y"]
"""One row per context of x, one column per context of y."""

NEAR = 0.99
"""Above this absolute cosine the arc cosine loses digits, and differences of vectors are used."""
PAIRS = 200_000
"""Nearly parallel pairs that are treated at a time, which bounds the memory of their differences.
"""


def directions(contexts: Vectors) -> tuple[Any, Any]:
    """Split contexts into (unit vectors, norms); a zero context has a zero direction."""
    xp = namespace(contexts)
    lengths = xp.sqrt(xp.sum(contexts**2, axis=-1))
    return contexts / xp.where(lengths > 0, lengths, 1)[..., None], lengths


def angle(u: Vectors, v: Vectors) -> Any:
    """Return the angles between unit vectors, row by row.

    Kahan's formula keeps all digits near 0 and pi, where the arc cosine of u . v loses half.
    """
    xp = namespace(u)
    apart = xp.sqrt(xp.sum((u - v) ** 2, axis=-1))
    along = xp.sqrt(xp.sum((u + v) ** 2, axis=-1))
    return 2 * xp.arctan2(apart, along)


def angles(u: Vectors, v: Vectors) -> Any:
    """Return the angle of every unit vector of ``u`` with every one of ``v``: (n_x, n_y)."""
    if isinstance(u, jax.Array):
        return angle(u[:, None], v[None])  # the compiler never stores the differences
    # One matrix product, and differences of vectors only where the product would lose digits.
    cosines = u @ v.T
    theta = np.arccos(np.clip(cosines, -1, 1))
    first, second = np.nonzero(np.abs(cosines) > NEAR)
    for start in range(0, len(first), PAIRS):
        i, j = first[start : start + PAIRS], second[start : start + PAIRS]
        theta[i, j] = angle(u[i], v[j])
    return theta


def arc_cosine(theta: Numbers) -> tuple[Any, Any]:
    """Return 2 E[relu'(u) relu'(v)] for Gaussians at angle theta, and the angle after the layer.

    The new angle is the arc cosine of 2 E[relu(u) relu(v)] = (sin theta + (pi - theta) cos theta)
    / pi, computed from one minus that, so that small angles keep their digits.
    """
    xp = namespace(theta)
    sine, cosine = xp.sin(theta), xp.cos(theta)
    gap = 2 * xp.sin(theta / 2) ** 2 - (sine - theta * cosine) / math.pi
    return 1 - theta / math.pi, 2 * xp.arcsin(xp.sqrt(xp.clip(gap / 2, 0, 1)))


def tangent_kernel(theta: Numbers, depth: int) -> tuple[Any, Any]:
    """Return (H~, Sigma) of layer ``depth`` in Definition B.1, for unit contexts at these angles.

    For contexts of other norms, multiply both by the product of the norms.
    """
    xp = namespace(theta)
    sigma = xp.cos(theta)
    kernel = sigma
    for _ in range(depth - 1):
        slopes, theta = arc_cosine(theta)
        sigma = xp.cos(theta)
        kernel = kernel * slopes + sigma
    return kernel, sigma


def wide_kernel(x: Vectors, y: Vectors, depth: int) -> Any:
    """Return H~ between contexts, the limit of g(x)'g(y) / m for infinite width: (n_x, n_y)."""
    (u, x_lengths), (v, y_lengths) = directions(x), directions(y)
    kernel, _ = tangent_kernel(angles(u, v), depth)
    return kernel * x_lengths[:, None] * y_lengths[None]


def gradient_kernel(
    weights: Sequence[Matrix], x: Vectors, y: Vectors, *, diagonal_only: bool = False
) -> Any:
    """Return g(x)'g(y) / m between contexts, for one ``PaperNetwork``: (n_x, n_y).

    Arguments:
        weights: W_1 ... W_L, each (inputs, outputs).
        x, y: contexts.
        diagonal_only: leave out the derivatives with respect to the blocks of the hidden layers
            that are initialised to zero, as Definition B.1 does
            (see ``jostle.theory.definition_b_1_tangent_kernel``).
    """
    width = weights[-1].shape[0]
    kernel: Any = 0.0
    for layer, ((a, d), (b, e)) in enumerate(
        zip(_outer_factors(weights, x), _outer_factors(weights, y), strict=True)
    ):
        if not diagonal_only or layer == len(weights) - 1:
            kernel = kernel + (a @ b.T) * (d @ e.T)
            continue
        i, o = a.shape[1] // 2, d.shape[1] // 2
        for ins, outs in ((slice(i), slice(o)), (slice(i, None), slice(o, None))):
            kernel = kernel + (a[:, ins] @ b[:, ins].T) * (d[:, outs] @ e[:, outs].T)
    return kernel / width


def _outer_factors(weights: Sequence[Any], x: Any) -> list[tuple[Any, Any]]:
    """Return (a_{l-1}, delta_l) per layer; the gradient of f(x) by W_l is their outer product."""
    xp = namespace(x)
    *hidden, last = weights
    inputs = [xp.concatenate([x, x], axis=1) * math.sqrt(0.5)]
    for weight in hidden:
        inputs.append(xp.maximum(inputs[-1] @ weight, 0))
    scale = math.sqrt(last.shape[0])
    slope = xp.ones_like(x[:, :1]) * scale  # the derivative by the output of the last layer
    factors = [(inputs[-1], slope)]
    for weight, before, after in zip(
        reversed(weights[1:]), reversed(inputs[:-1]), reversed(inputs[1:]), strict=True
    ):
        slope = (slope @ weight.T) * (after > 0)
        factors.append((before, slope))
    return factors[::-1]
