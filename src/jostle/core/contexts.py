"""Contexts as vectors or, in the disjoint model, as blocks without their zeros.

In the disjoint model every arm has weights of its own: the context of arm i is x in block i and
zero elsewhere. A K-class bandit with d features has contexts of K d entries, of which d are not
zero (Li et al. 2010, and Section 5.2 of the paper). ``Blocks`` keeps just those d entries and the
number of the block, so that neither memory nor arithmetic is spent on the zeros; ``dense`` fills
them in. Functions here take either form, as NumPy or JAX arrays.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np


class Blocks(NamedTuple):
    """Contexts of the disjoint model."""

    x: Any  # (..., d)
    block: Any  # (...) int32


FEW_BLOCKS = 8
"""Up to this many blocks, a compiled gradient step is faster with one product that includes the
zeros than with a gather of the weights of each context. In NumPy the gather is always faster."""


def count(contexts: Any) -> int:
    """The number of contexts."""
    return int((contexts.block if isinstance(contexts, Blocks) else contexts).shape[0])


def take(contexts: Any, index: Any) -> Any:
    """The context, or contexts, at ``index``."""
    if isinstance(contexts, Blocks):
        return Blocks(contexts.x[index], contexts.block[index])
    return contexts[index]


def dense(contexts: Any, features: int) -> Any:
    """Contexts as vectors of ``features`` entries, with their zeros."""
    if not isinstance(contexts, Blocks):
        return contexts
    x, block = contexts
    blocks = features // x.shape[-1]
    place = block[..., None] == x.__array_namespace__().arange(blocks)
    return (place[..., None] * x[..., None, :]).reshape(*block.shape, features)


def product(contexts: Any, weight: Any) -> Any:
    """contexts @ weight, for (n, features) contexts and (features, m) weights."""
    if not isinstance(contexts, Blocks):
        return contexts @ weight
    features, m = weight.shape
    d = contexts.x.shape[-1]
    if features // d <= FEW_BLOCKS and not isinstance(weight, np.ndarray):
        return dense(contexts, features) @ weight
    own = weight.reshape(features // d, d, m)[contexts.block]  # (n, d, m)
    return (contexts.x[:, None, :] @ own)[:, 0]


def empty(features: int, blocks: int | None) -> Any:
    """An array of no contexts yet, of ``features`` entries; ``Blocks`` if ``blocks`` is given."""
    if blocks is None:
        return jnp.zeros((0, features))
    return Blocks(jnp.zeros((0, features // blocks)), jnp.zeros(0, jnp.int32))
