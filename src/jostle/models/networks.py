"""Networks that estimate rewards: pairs of ``init(key, x)`` and ``apply(params, x)``.

Any object with these two methods is a network, for example a Flax (linen) module. ``x`` is an array
of contexts, (n, features); ``apply`` returns n estimates, of shape (n,) or (n, 1). ``MLP`` and
``PaperNetwork`` run on NumPy as well as on JAX arrays, which makes single decisions fast.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp

from jostle.core.arrays import Contexts, Scores
from jostle.core.contexts import Blocks, count, product
from jostle.core.validation import whole


@runtime_checkable
class Network(Protocol):
    """The methods that a policy needs of a network."""

    def init(self, key: jax.Array, x: Any) -> Any:
        """Initial parameters for contexts shaped like ``x``."""
        ...

    def apply(self, params: Any, x: Any) -> Any:
        """Estimated rewards of the contexts ``x``."""
        ...


@runtime_checkable
class HasWidth(Protocol):
    """A network that states its width."""

    width: int


def estimate(network: Network, params: Any, contexts: Contexts) -> Scores:
    """f(x; theta) for every context x, as a vector."""
    return network.apply(params, contexts).reshape(count(contexts))


def on_host(network: Network) -> bool:
    """Whether ``apply`` computes in NumPy when it is given NumPy arrays."""
    return isinstance(network, MLP | PaperNetwork | Heads | NoNetwork)


def width_of(network: Network) -> int:
    """m, by which Eq. (2) scales its regularisation; 1 for networks that do not state it."""
    return network.width if isinstance(network, HasWidth) else 1


def _relu(x: Any) -> Any:
    return x.__array_namespace__().maximum(x, 0)


@dataclass(frozen=True)
class MLP:
    """A plain ReLU network with biases, initialised for practice (He et al. 2015).

    ``depth`` counts weight matrices, as the paper's L does. The output layer starts at zero, so
    that the first estimates are 0 for every context and unlucky weights rule out no arm. With
    ``linear`` there is a linear path beside the network, f(x) = net(x) + w . x, zero at first: it
    learns the linear part from few observations and leaves the rest to the network.
    """

    width: int = 64
    depth: int = 3
    linear: bool = True

    def __post_init__(self) -> None:
        whole("width", self.width)
        whole("depth", self.depth, least=2)

    def init(self, key: jax.Array, x: Any) -> list[Any]:
        """Gaussian weights of variance 2 / fan-in; zero biases, output layer and linear path."""
        sizes = [x.shape[-1]] + [self.width] * (self.depth - 1)
        keys = jax.random.split(key, self.depth)
        hidden = [
            (jax.random.normal(k, (a, b)) * math.sqrt(2 / a), jnp.zeros(b))
            for k, a, b in zip(keys, sizes[:-1], sizes[1:], strict=False)
        ]
        output = (jnp.zeros((self.width, 1)), jnp.zeros(1))
        path = [jnp.zeros((x.shape[-1], 1))] if self.linear else []
        return [*hidden, output, *path]

    def apply(self, params: Any, x: Any) -> Any:
        """(n, features) -> (n, 1)."""
        last, offset = params[self.depth - 1]
        out = self.hidden(params, x) @ last + offset
        return out + product(x, params[-1]) if self.linear else out

    def hidden(self, params: Any, x: Any) -> Any:
        """The last hidden layer, (n, features) -> (n, width)."""
        h = x
        for weight, bias in params[: self.depth - 1]:
            h = _relu(product(h, weight) + bias)
        return h

    def by_features(self, params: Any) -> tuple[list[Any], list[Any]]:
        """The weights that multiply features (along their last axis but one), and all others."""
        (first, bias), *rest = params[: self.depth]
        path = params[self.depth :]
        return [first, *path], [bias, *rest]


@dataclass(frozen=True)
class PaperNetwork:
    """The network of Section 3, f(x; theta) = sqrt(m) W_L relu(W_{L-1} ... relu(W_1 x)), no biases.

    Initialised as in Algorithm 1: W_l = (W, 0; 0, W) with entries of N(0, 4/m), and
    W_L = (w, -w) with entries of N(0, 2/m). Contexts are doubled, x -> [x, x] / sqrt(2)
    (Assumption B.2), so the two halves of each layer start equal and f(x; theta_0) = 0. The output
    is summed half by half, so that this zero is exact in compiled code too.
    """

    width: int = 64
    depth: int = 3

    def __post_init__(self) -> None:
        whole("width", self.width, least=2)
        whole("depth", self.depth, least=2)
        if self.width % 2:
            raise ValueError(
                f"width must be even for the symmetric initialisation, not {self.width}"
            )

    def init(self, key: jax.Array, x: Any) -> list[jax.Array]:
        """The weights W_1 ... W_L, each of shape (inputs, outputs)."""
        half = self.width // 2
        keys = jax.random.split(key, self.depth)
        fans = [x.shape[-1]] + [half] * (self.depth - 2)

        def symmetric(k: jax.Array, fan: int) -> jax.Array:
            block = jax.random.normal(k, (fan, half)) * math.sqrt(4 / self.width)
            return jnp.block([[block, jnp.zeros_like(block)], [jnp.zeros_like(block), block]])

        last = jax.random.normal(keys[-1], (half, 1)) * math.sqrt(2 / self.width)
        hidden = [symmetric(k, fan) for k, fan in zip(keys, fans, strict=False)]
        return [*hidden, jnp.concatenate([last, -last])]

    def apply(self, params: Any, x: Any) -> Any:
        """(n, features) -> (n, 1)."""
        last, half = params[-1], self.width // 2
        h = self.hidden(params, x)
        return math.sqrt(self.width) * (h[:, :half] @ last[:half] + h[:, half:] @ last[half:])

    def factors(self, params: Any, x: Any) -> list[tuple[Any, Any]]:
        """The gradient of each layer's weights at each x is the outer product of these two rows."""
        first, *hidden, last = params
        h = jnp.concatenate([x, x], axis=1) * math.sqrt(0.5)
        inputs, slopes = [h], []
        for weight in (first, *hidden):
            before = h @ weight
            h = _relu(before)
            inputs.append(h)
            slopes.append((before > 0) + 0.5 * (before == 0))  # as JAX has it at 0
        errors = [jnp.full((len(x), 1), math.sqrt(self.width))]
        for weight, slope in zip((last, *hidden[::-1]), slopes[::-1], strict=True):
            errors.insert(0, slope * (errors[0] @ weight.T))
        return list(zip(inputs, errors, strict=True))

    def hidden(self, params: Any, x: Any) -> Any:
        """The last hidden layer, (n, features) -> (n, width)."""
        first, *hidden = params[:-1]
        features = first.shape[0] // 2
        # [x, x] W_1 = x (upper half of W_1 + lower half), which takes half the work.
        h = _relu(product(x, (first[:features] + first[features:]) * math.sqrt(0.5)))
        for weight in hidden:
            h = _relu(h @ weight)
        return h


@dataclass(frozen=True)
class Heads:
    """A ReLU network that all blocks share, with an output layer for each: small and fast.

    Its size hardly grows with the number of blocks, as that of ``MLP`` does, and what it learns of
    a context from one arm serves all others. Initialised as ``MLP`` is: the first estimates are 0.

    Arguments:
        blocks: of the disjoint model; 1 in the shared one.
        width: of the hidden layers.
        depth: weight matrices, the output layer included.
    """

    blocks: int = 1
    width: int = 64
    depth: int = 2

    def __post_init__(self) -> None:
        whole("blocks", self.blocks)
        whole("width", self.width)
        whole("depth", self.depth, least=2)

    def init(self, key: jax.Array, x: Any) -> list[Any]:
        """Gaussian weights of variance 2 / fan-in; zero biases and output layers."""
        sizes = [x.shape[-1] // self.blocks] + [self.width] * (self.depth - 1)
        keys = jax.random.split(key, self.depth - 1)
        hidden = [
            (jax.random.normal(k, (a, b)) * math.sqrt(2 / a), jnp.zeros(b))
            for k, a, b in zip(keys, sizes[:-1], sizes[1:], strict=True)
        ]
        return [*hidden, (jnp.zeros((self.width, self.blocks)), jnp.zeros(self.blocks))]

    def apply(self, params: Any, x: Any) -> Any:
        """(n, features), or the same as ``Blocks`` -> (n,)."""
        *hidden, (heads, offsets) = params
        h, block = x if isinstance(x, Blocks) else (x, None)
        for weight, bias in hidden:
            h = _relu(h @ weight + bias)
        out = h @ heads + offsets
        if block is None:
            return out[:, 0]
        # A product with indicators: its gradient is a product too, where an index would scatter.
        own = block[:, None] == out.__array_namespace__().arange(self.blocks)
        return (out * own).sum(-1)


@dataclass(frozen=True)
class NoNetwork:
    """No network: no parameters, and estimates of 0. Policies then need no history either."""

    def init(self, key: jax.Array, x: Any) -> list[Any]:
        """No parameters."""
        return []

    def apply(self, params: Any, x: Any) -> Any:
        """(n, features) -> (n,), all of them 0."""
        entries = x.x if isinstance(x, Blocks) else x
        return entries.__array_namespace__().zeros(entries.shape[0], entries.dtype)
