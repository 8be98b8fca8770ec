"""Descent on Eq. (2) to its end, and Lemma C.1: it finds the least squares of the linearisation."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jostle.models.fitting import Batch, Fit, descend
from jostle.models.networks import PaperNetwork, estimate
from jostle.ntk.kernel import gradient_kernel
from jostle.policies.npr import NPR
from jostle.theory.finding import BLUE, ORANGE, Finding, log_widths
from jostle.theory.initial import slope
from jostle.theory.problem import Problem

WIDTHS = (32, 64, 128, 256, 512)
STEPS = 600
PRACTICE: float = NPR.noise
"""The default perturbation of ``NPR``."""


class Start(NamedTuple):
    """A network at theta_0 on the arms of a problem."""

    network: PaperNetwork
    params: Any
    contexts: jax.Array
    kernel: np.ndarray
    """G'G of its own gradients, in float64."""


def start(problem: Problem, width: int, seed: int = 0) -> Start:
    """A network as Algorithm 1 begins with it."""
    network = PaperNetwork(width, problem.depth)
    contexts = jnp.asarray(problem.contexts, jnp.float32)
    params = network.init(jax.random.key(seed), contexts)
    weights = [np.asarray(w, np.float64) for w in params]
    return Start(
        network, params, contexts, gradient_kernel(weights, problem.contexts, problem.contexts)
    )


def descend_fully(
    begin: Start, counts: np.ndarray, targets: Any, lam: float, steps: int = STEPS
) -> tuple[Any, np.ndarray]:
    """Minimise Eq. (2) with n_i observations of mean ``targets`` an arm.

    Returns the parameters, and the estimates of all arms; ``targets`` may be (draws, K). The step
    is one over the largest curvature at the start, so ``steps`` of some ten times the condition
    number of G'G N + lambda I are enough.
    """
    total = counts.sum()
    root = np.sqrt(counts / total)
    steepest = np.linalg.eigvalsh(begin.kernel * np.outer(root, root))[-1] + lam / total
    step = 1 / (begin.network.width * steepest)
    many = np.atleast_2d(targets)
    params, estimates = _descend(
        begin.network,
        steps,
        begin.params,
        begin.contexts,
        jnp.asarray(counts / total, jnp.float32),
        jnp.asarray(many, jnp.float32),
        lam,
        float(total),
        float(step),
    )
    if np.ndim(targets) == 1:
        params, estimates = jax.tree.map(lambda leaf: leaf[0], (params, estimates))
    return params, np.asarray(estimates, np.float64)


@jax.jit(static_argnums=(0, 1))
def _descend(
    network: PaperNetwork,
    steps: int,
    params: Any,
    contexts: jax.Array,
    weights: jax.Array,
    targets: jax.Array,
    lam: Any,
    total: Any,
    step: Any,
) -> tuple[Any, jax.Array]:
    optimiser = optax.sgd(step)

    def one(target: jax.Array) -> tuple[Any, jax.Array]:
        batch = Batch(contexts, target, weights)
        fitted = descend(
            Fit(params, params, optimiser.init(params)),
            lambda _: batch,
            network=network,
            optimiser=optimiser,
            steps=steps,
            regularisation=lam,
            size=jnp.asarray(total),
        )
        return fitted.params, estimate(network, fitted.params, contexts)

    return jax.lax.map(one, targets)


def linear_solution(
    begin: Start, counts: np.ndarray, targets: np.ndarray, lam: float
) -> tuple[Any, np.ndarray]:
    """A^-1 b / sqrt(m) as a pytree of parameters, and <g_i, A^-1 b> / sqrt(m) of all arms.

    A^-1 b / sqrt(m) is sum_i alpha_i g_i / m with alpha = (G'G + lambda N^-1)^-1 targets: one
    derivative of sum_i alpha_i f(x_i), so that no gradient is written out.
    """
    dual = np.linalg.solve(begin.kernel + np.diag(lam / counts), targets)

    def combined(params: Any) -> jax.Array:
        weights = jnp.asarray(dual / begin.network.width, jnp.float32)
        return weights @ estimate(begin.network, params, begin.contexts)

    return jax.grad(combined)(begin.params), begin.kernel @ dual


def descent(
    problem: Problem, widths: Sequence[int] = WIDTHS, steps: int = 300, seed: int = 0
) -> Finding:
    """|theta - theta_0 - A^-1 b / sqrt(m)|, relative, as the network gets wider.

    One observation of each arm, perturbed as in practice and as Lemma 4.4 asks.
    """
    rng = np.random.default_rng(seed)
    counts = np.ones(problem.arms)
    seen = problem.rewards + problem.noise * rng.normal(size=problem.arms)
    log_det = float(np.linalg.slogdet(np.eye(problem.arms) + problem.kernel / problem.lam)[1])
    scales = {f"sigma = {PRACTICE}": PRACTICE}
    lemma = problem.scale(log_det)
    scales[f"sigma = {lemma:.1f} (Lemma 4.4)"] = lemma
    perturbation = rng.normal(size=problem.arms)
    gaps: dict[str, list[float]] = {name: [] for name in scales}
    values: dict[str, list[float]] = {name: [] for name in scales}
    for width in widths:
        begin = start(problem, width, seed)
        for name, scale in scales.items():
            targets = seen + scale * perturbation
            params, found = descend_fully(begin, counts, targets, problem.lam, steps)
            moved = jax.tree.map(lambda a, b: a - b, params, begin.params)
            wanted, linear = linear_solution(begin, counts, targets, problem.lam)
            apart = jax.tree.map(lambda a, b: a - b, moved, wanted)
            gaps[name].append(_length(apart) / _length(wanted))
            values[name].append(float(np.max(np.abs(found - linear))))
    x = np.asarray(widths, float)
    rates = {name: slope(x, np.asarray(gap)) for name, gap in gaps.items()}

    def draw(axes: Any) -> None:
        for (name, gap), colour in zip(gaps.items(), (BLUE, ORANGE), strict=True):
            axes.loglog(x, gap, "o-", color=colour, label=f"{name}: m^{rates[name]:.2f}")
        axes.set(ylabel="relative distance to A^-1 b")
        log_widths(axes, widths)
        axes.legend(frameon=False)

    practice, theory = gaps
    return Finding(
        name="lemma-c.1",
        title="Lemma C.1: descent finds A^-1 b",
        claim="|theta - theta_0 - A^-1 b / sqrt(m)| vanishes as m grows",
        found=(
            f"relative to A^-1 b it falls like m^{rates[practice]:.2f}, to "
            f"{gaps[practice][-1]:.1%} at m = {widths[-1]}, with the perturbations of practice; "
            f"with those of Lemma 4.4 like m^{rates[theory]:.2f}, to {gaps[theory][-1]:.1%}"
        ),
        holds=max(rates.values()) < -0.1,
        draw=draw,
        numbers={
            "widths": list(widths),
            "relative_distance": gaps,
            "largest_difference_of_estimates": values,
            "exponents": rates,
        },
    )


def _length(tree: Any) -> float:
    return float(np.sqrt(sum(float(np.sum(np.asarray(leaf, np.float64) ** 2)) for leaf in tree)))
