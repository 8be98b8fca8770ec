"""Fixed random features of a context: itself, a constant, and a hidden layer at initialisation.

    phi(x) = [u / sqrt(d), 1, relu(W u + b) / sqrt(F)],   u = x / scale

with W ~ N(0, 2 / d) and b ~ N(0, 1 / 4), drawn once and never trained: the hidden layer of a random
network. A ridge regression on them is the regression with the network's kernel at initialisation,
in F dimensions. ``scale`` is a deviation of the entries of contexts, so that their unit does not
matter. Contexts with more than ``LONGEST`` entries are first projected onto that many directions.
Functions take NumPy or JAX arrays.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jostle.core.contexts import Blocks

LONGEST = 256
"""Entries of a context that enter as they are; longer ones are projected onto so many."""
LARGEST_TABLE = 2**24
"""Numbers (64 MiB) that the matrices of all blocks may have together: beyond that there are fewer
random features, and then shorter projections."""


class FeatureShape(NamedTuple):
    """The sizes of a feature map."""

    entries: int
    """d, of a context (of one block, in the disjoint model)."""
    direct: int
    """Entries of u: d, or fewer if contexts are projected."""
    hidden: int
    """F, random features."""
    blocks: int
    """Blocks of the disjoint model, with responses of their own; 1 in the shared model."""

    @property
    def linear(self) -> int:
        """Entries of [u, 1], which come first."""
        return self.direct + 1

    @property
    def size(self) -> int:
        """p, entries of phi."""
        return self.direct + 1 + self.hidden


def feature_shape(entries: int, blocks: int, hidden: int) -> FeatureShape:
    """The sizes for contexts of ``entries`` numbers, so that ``LARGEST_TABLE`` is kept."""
    most = max(2, math.isqrt(LARGEST_TABLE // blocks))
    direct = min(entries, LONGEST, most - 1)
    return FeatureShape(entries, direct, min(hidden, most - direct - 1), blocks)


class RandomFeatures(NamedTuple):
    """A feature map: what was drawn for it."""

    projection: Any  # (entries, direct), or None if contexts enter as they are
    weight: Any  # (direct, hidden)
    bias: Any  # (hidden,)

    @classmethod
    def draw(cls, key: jax.Array, shape: FeatureShape) -> "RandomFeatures":
        """A new map of this shape."""
        project_key, weight_key, bias_key = jax.random.split(key, 3)
        entries, direct, hidden, _ = shape
        projection = None
        if direct < entries:
            signs = jax.random.rademacher(project_key, (entries, direct), jnp.float32)
            projection = signs / math.sqrt(direct)
        weight = jax.random.normal(weight_key, (direct, hidden)) * math.sqrt(2 / direct)
        return cls(projection, weight, jax.random.normal(bias_key, (hidden,)) / 2)

    def linear(self, x: Any, scale: Any) -> Any:
        """[u / sqrt(d), 1] of (..., entries) contexts."""
        return self._linear(self._direct(x, scale))

    def expand(self, x: Any, scale: Any) -> Any:
        """phi of (..., entries) contexts."""
        u = self._direct(x, scale)
        xp = u.__array_namespace__()
        hidden = xp.maximum(u @ self.weight + self.bias, 0) / max(1, self.bias.shape[0]) ** 0.5
        return xp.concatenate([self._linear(u), hidden], axis=-1)

    def _direct(self, x: Any, scale: Any) -> Any:
        u = x / scale
        return u if self.projection is None else u @ self.projection

    def _linear(self, u: Any) -> Any:
        xp = u.__array_namespace__()
        ones = xp.ones((*u.shape[:-1], 1), u.dtype)
        return xp.concatenate([u * (1 / u.shape[-1] ** 0.5), ones], axis=-1)


def entries_and_blocks(contexts: Any) -> tuple[Any, Any]:
    """The entries of contexts and their blocks; no blocks (None) in the shared model."""
    return contexts if isinstance(contexts, Blocks) else (contexts, None)


def scaled(contexts: Any, scale: Any) -> Any:
    """Contexts in units of ``scale``."""
    if isinstance(contexts, Blocks):
        return Blocks(contexts.x / scale, contexts.block)
    return contexts / scale
