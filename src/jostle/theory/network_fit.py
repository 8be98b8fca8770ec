"""Gradient descent on Eq. (2) until it converges, and the solution A^-1 b of its linearisation."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jostle.models.fitting import Batch, Fit, descend
from jostle.models.networks import PaperNetwork, estimate
from jostle.ntk.kernel import gradient_kernel
from jostle.theory.array_types import Draws, Kernel, PerArm, Weights
from jostle.theory.problem import Problem

PATIENCE = 12
"""Gradient steps until convergence, in units of the root of the condition number."""

Parameters = list[jax.Array]
"""The weights of a ``PaperNetwork`` as its ``apply`` takes them."""


class InitialNetwork(NamedTuple):
    """A network at its initial parameters theta_0, and the arms of a problem."""

    network: PaperNetwork
    params: Parameters
    contexts: jax.Array
    kernel: Kernel
    """G'G of the network's own gradients."""


def initial_network(problem: Problem, width: int, seed: int = 0) -> InitialNetwork:
    """Draw a network as Algorithm 1 initialises it."""
    network = PaperNetwork(width, problem.depth)
    contexts = jnp.asarray(np.asarray(problem.contexts, np.float32))
    params = _draw(network, jax.random.key(seed), contexts)
    weights = [np.asarray(w, np.float64) for w in params]
    kernel = gradient_kernel(weights, problem.contexts, problem.contexts)
    return InitialNetwork(network, params, contexts, kernel)


@jax.jit(static_argnums=0)
def _draw(network: PaperNetwork, key: jax.Array, contexts: jax.Array) -> Parameters:
    return network.init(key, contexts)


def fit_to_convergence(
    initial: InitialNetwork,
    counts: PerArm,
    targets: Draws,
    lam: float,
    steps: int | None = None,
    keep_weights: bool = True,
) -> tuple[list[Weights], Draws]:
    """Minimise Eq. (2) for each row of ``targets``, by descent from theta_0.

    A history has ``counts[i]`` observations of arm i, of mean ``targets[:, i]``. The step size is
    one over the largest curvature c at theta_0, and the momentum is Nesterov's for the condition
    number c / (least curvature): the error shrinks by a factor e in about twice the root of that
    number, so ``PATIENCE`` roots leave less than a hundredth of it. Plain descent has the same
    minimum and would need as many steps as the number itself, which is in the thousands.

    Arguments:
        initial: the network at theta_0.
        counts: the number of observations of each arm, at least 1.
        targets: the mean reward of each arm, perturbed or not; one row per fit.
        lam: lambda of Eq. (2).
        steps: the number of gradient steps; by default enough to converge.
        keep_weights: whether to return the fitted weights too.

    Returns:
        The weights fitted to each row (none without ``keep_weights``), and the estimates of all
        arms, (draws, arms).
    """
    total = counts.sum()
    root = np.sqrt(counts / total)
    curvatures = np.linalg.eigvalsh(initial.kernel * np.outer(root, root)) + lam / total
    step_size = 1 / (initial.network.width * curvatures[-1])
    # A narrow network may leave a curvature at rounding error; lambda bounds it from below.
    condition = np.sqrt(curvatures[-1] / max(curvatures[0], lam / total))
    momentum = (condition - 1) / (condition + 1)
    if steps is None:
        steps = math.ceil(PATIENCE * condition)
    shares = jnp.asarray(np.asarray(counts / total, np.float32))
    weights, estimates = [], []
    for target in np.asarray(targets, np.float32):
        batch = Batch(initial.contexts, jnp.asarray(target), shares)
        params, found = _fit(
            initial.network,
            initial.params,
            batch,
            lam,
            float(total),
            float(step_size),
            float(momentum),
            steps,
        )
        if keep_weights:
            weights.append([np.asarray(leaf, np.float64) for leaf in params])
        estimates.append(np.asarray(found, np.float64))
    return weights, np.stack(estimates)


@jax.jit(static_argnums=0)
def _fit(
    network: PaperNetwork,
    params: Parameters,
    batch: Batch,
    lam: Any,
    total: Any,
    step_size: Any,
    momentum: Any,
    steps: Any,
) -> tuple[Parameters, jax.Array]:
    optimiser = optax.sgd(step_size, momentum, nesterov=True)
    fitted = descend(
        Fit(params, params, optimiser.init(params)),
        lambda _: batch,
        network=network,
        optimiser=optimiser,
        steps=steps,
        regularisation=lam,
        size=jnp.asarray(total),
    )
    return fitted.params, estimate(network, fitted.params, batch.contexts)


def linear_solution(
    initial: InitialNetwork, counts: PerArm, targets: PerArm, lam: float
) -> tuple[Weights, PerArm]:
    """Return A^-1 b / sqrt(m) as weights, and <g_i, A^-1 b> / sqrt(m) per arm.

    A^-1 b / sqrt(m) is sum_i alpha_i g_i / m with alpha = (G'G + lambda N^-1)^-1 targets: the
    gradient of sum_i alpha_i f(x_i) / m, so that no single gradient g_i has to be stored.
    """
    dual = np.linalg.solve(initial.kernel + np.diag(lam / counts), targets)
    scaled = np.asarray(dual / initial.network.width, np.float32)
    solution = _combined_gradient(initial.network, initial.params, initial.contexts, scaled)
    return [np.asarray(leaf, np.float64) for leaf in solution], initial.kernel @ dual


@jax.jit(static_argnums=0)
def _combined_gradient(
    network: PaperNetwork, params: Parameters, contexts: jax.Array, weights: Any
) -> Parameters:
    """The gradient of sum_i weights_i f(x_i; theta)."""

    def combined(params: Parameters) -> jax.Array:
        return jnp.dot(weights, estimate(network, params, contexts))

    gradient: Parameters = jax.grad(combined)(params)
    return gradient
