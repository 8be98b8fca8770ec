"""Kernels of a wide network at its start: inner products of its gradients, g(x)'g(y) / m.

Two ways to the same matrix, on NumPy (in float64) or JAX arrays:

- ``tangent_kernel``: the limit of infinite width, in closed form. Everything in Definition B.1 is a
  function of the angle between two contexts and of the product of their lengths, because the
  expectations over Gaussians with ReLU are Cho and Saul's arc-cosine kernels (NIPS 2009).
- ``gradient_kernel``: the gradients of one ``PaperNetwork``. The gradient of layer l is an outer
  product a_{l-1} delta_l', so its inner products are products of inner products, and the
  p numbers of a gradient are never written out.
"""

import math
from typing import Any

import jax
import numpy as np

from jostle.core.backend import namespace

NEAR = 0.99
"""Beyond this cosine the arc cosine loses digits, and the angle is taken from the vectors."""
PAIRS = 200_000  # near pairs at a time, so that their differences stay small in memory


def directions(contexts: Any) -> tuple[Any, Any]:
    """Contexts as (unit vectors, lengths); a context of zeros keeps its zeros."""
    xp = namespace(contexts)
    lengths = xp.sqrt(xp.sum(contexts**2, axis=-1))
    return contexts / xp.where(lengths > 0, lengths, 1)[..., None], lengths


def angle(u: Any, v: Any) -> Any:
    """The angle between unit vectors (along the last axis), also where they are nearly parallel.

    Kahan's formula: the arc cosine of u . v loses half the digits near 0 and pi, this loses none.
    """
    xp = namespace(u)
    apart = xp.sqrt(xp.sum((u - v) ** 2, axis=-1))
    along = xp.sqrt(xp.sum((u + v) ** 2, axis=-1))
    return 2 * xp.arctan2(apart, along)


def angles(u: Any, v: Any) -> Any:
    """The angle of every unit vector of ``u`` with every one of ``v``."""
    if isinstance(u, jax.Array):
        return angle(u[:, None], v[None])  # compiled, the differences are never stored
    # By one product, and by differences only where that would lose digits.
    cosines = u @ v.T
    theta = np.arccos(np.clip(cosines, -1, 1))
    first, second = np.nonzero(np.abs(cosines) > NEAR)
    for start in range(0, len(first), PAIRS):
        i, j = first[start : start + PAIRS], second[start : start + PAIRS]
        theta[i, j] = angle(u[i], v[j])
    return theta


def arc_cosine(theta: Any) -> tuple[Any, Any]:
    """2 E[relu'(u) relu'(v)] of two Gaussians at this angle, and the angle after the layer.

    That is the arc cosine of 2 E[relu(u) relu(v)] = (sin theta + (pi - theta) cos theta) / pi, here
    taken from 1 minus it, so that nothing is lost where theta is small.
    """
    xp = namespace(theta)
    sine, cosine = xp.sin(theta), xp.cos(theta)
    gap = 2 * xp.sin(theta / 2) ** 2 - (sine - theta * cosine) / math.pi
    return 1 - theta / math.pi, 2 * xp.arcsin(xp.sqrt(xp.clip(gap / 2, 0, 1)))


def tangent_kernel(theta: Any, depth: int) -> tuple[Any, Any]:
    """(H~, Sigma) of layer ``depth`` in Definition B.1, for unit contexts at angles ``theta``.

    For other contexts both are multiplied by the product of the lengths.
    """
    xp = namespace(theta)
    sigma = xp.cos(theta)
    kernel = sigma
    for _ in range(depth - 1):
        slopes, theta = arc_cosine(theta)
        sigma = xp.cos(theta)
        kernel = kernel * slopes + sigma
    return kernel, sigma


def wide_kernel(x: Any, y: Any, depth: int) -> Any:
    """H~ between every context of ``x`` and every one of ``y``: g(x)'g(y) / m as m grows."""
    (u, long_u), (v, long_v) = directions(x), directions(y)
    kernel, _ = tangent_kernel(angles(u, v), depth)
    return kernel * long_u[:, None] * long_v[None]


def gradient_kernel(weights: list[Any], x: Any, y: Any, *, diagonal_only: bool = False) -> Any:
    """g(x)'g(y) / m between contexts, for the weights W_1 ... W_L of a ``PaperNetwork``.

    ``diagonal_only`` leaves out the derivatives by the blocks of the hidden layers that start at
    zero, which is what Definition B.1 counts (see ``jostle.theory.tangent``).
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


def _outer_factors(weights: list[Any], x: Any) -> list[tuple[Any, Any]]:
    """(a_{l-1}, delta_l) of each layer: the derivative of f(x) by W_l is their outer product."""
    xp = namespace(x)
    *hidden, last = weights
    inputs = [xp.concatenate([x, x], axis=1) * math.sqrt(0.5)]
    for weight in hidden:
        inputs.append(xp.maximum(inputs[-1] @ weight, 0))
    scale = math.sqrt(last.shape[0])
    slope = xp.ones_like(x[:, :1]) * scale  # by the output of the last layer
    factors = [(inputs[-1], slope)]
    for weight, before, after in zip(
        reversed(weights[1:]), reversed(inputs[:-1]), reversed(inputs[1:]), strict=True
    ):
        slope = (slope @ weight.T) * (after > 0)
        factors.append((before, slope))
    return factors[::-1]
