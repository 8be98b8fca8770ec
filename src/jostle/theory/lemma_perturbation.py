"""Lemmas 4.3 and 4.4: what fresh perturbations do to the estimates at one moment of a run."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jostle.ntk.confidence import concentration
from jostle.theory.bounds import OPTIMISM
from jostle.theory.descent import Start, descend_fully
from jostle.theory.finding import BLUE, GREEN, GREY, ORANGE, Finding
from jostle.theory.lemma_radius import used_radius
from jostle.theory.linearised import Linearised
from jostle.theory.watched_run import Journey


class Moment(NamedTuple):
    """A run after ``t`` rounds, and fresh perturbations of all it has seen."""

    t: int
    within: bool
    """Whether E_t1 holds."""
    centre: np.ndarray
    """(K,): the estimates without perturbation."""
    widths: np.ndarray
    """(K,)."""
    scale: float
    """sigma."""
    estimates: np.ndarray
    """(draws, K): the estimates with perturbations."""


def moments(
    journey: Journey, stops: Sequence[int], draws: int, scale: float | None = None, seed: int = 0
) -> list[Moment]:
    """The linearised algorithm at ``stops``, perturbed by ``scale`` or by Lemma 4.4's sigma."""
    rng, problem = np.random.default_rng(seed), journey.problem
    used, found = used_radius(journey), []
    for t in stops:
        counts, sums = journey.tallies(t)
        model = Linearised.after(problem.kernel, problem.lam, counts)
        sigma = problem.scale(model.log_det) if scale is None else scale
        centre = model.estimates(sums)
        moved = sigma * model.responses(rng.normal(size=(draws, problem.arms)))
        within = t >= len(used) or used[t] <= 1
        found.append(Moment(t, bool(within), centre, model.widths, sigma, centre + moved))
    return found


def network_moment(journey: Journey, begin: Start, draws: int, seed: int = 0) -> Moment:
    """A network at the end of a run, fitted anew to each of many perturbed histories.

    Descent goes from theta_0 to the minimum of Eq. (2); widths are of the network's own gradients.
    """
    rng, problem, t = np.random.default_rng(seed), journey.problem, len(journey.arms)
    counts, sums = journey.tallies(t)
    model = Linearised.after(begin.kernel, problem.lam, counts)
    sigma = problem.scale(model.log_det)
    noise = rng.normal(size=(draws, problem.arms)) / np.sqrt(counts)
    _, estimates = descend_fully(begin, counts, sums / counts + sigma * noise, problem.lam)
    centre, widths = model.estimates(sums), model.widths
    radius = problem.radius(model.log_det)
    within = np.all(np.abs(centre - problem.rewards) <= radius * widths)
    return Moment(t, bool(within), centre, widths, sigma, estimates)


def concentrated(moment: Moment) -> tuple[float, float]:
    """How often E_t2 held with epsilon(m) = 0, and the least epsilon with which it always had."""
    beta = concentration(moment.scale, t=moment.t, arms=len(moment.widths))
    excess = np.abs(moment.estimates - moment.centre) - beta * moment.widths
    worst = excess.max(axis=1)
    return float(np.mean(worst <= 0)), float(max(worst.max(), 0.0))


def perturbation(linear: Sequence[Moment], network: Moment, width: int) -> Finding:
    """How often E_t2 holds: for the linearised algorithm, and for a network."""
    held = [concentrated(m)[0] for m in linear]
    mine, epsilon = concentrated(network)
    promised = [1 - 1 / m.t**2 for m in linear]
    tails = [np.abs(m.estimates - m.centre).max(axis=0) / (m.scale * m.widths) for m in linear]
    draws = len(linear[0].estimates)

    def draw(axes: Any) -> None:
        t = [m.t for m in linear]
        beta = [concentration(1.0, t=m.t, arms=len(m.widths)) for m in linear]
        axes.plot(t, beta, "--", color=GREY, label="allowed: beta_t / sigma")
        axes.plot(t, [x.max() for x in tails], "o-", color=BLUE, label="linearised, largest")
        mine = np.abs(network.estimates - network.centre) / (network.scale * network.widths)
        axes.plot([network.t], [mine.max()], "D", color=ORANGE, label=f"network, m = {width}")
        axes.set(ylabel="deviation / (sigma width)", xlabel="round", ylim=(0, None))
        axes.legend(frameon=False)

    return Finding(
        name="lemma-4.3",
        title="Lemma 4.3: perturbed estimates stay within beta_t",
        claim="E_t2 holds with probability 1 - 1/t^2, up to epsilon(m) for the network",
        found=(
            f"linearised: in {min(held):.2%} of {draws:,} fresh perturbations of {len(linear)} "
            f"histories at the least (promised {min(promised):.2%}); network of m = {width}: in "
            f"{mine:.0%} of {len(network.estimates)} with epsilon = 0, in all with {epsilon:.2f}"
        ),
        holds=all(h >= p - 5 / draws for h, p in zip(held, promised, strict=True)),
        draw=draw,
        numbers={
            "rounds": [m.t for m in linear],
            "held": held,
            "promised": promised,
            "network_held": mine,
            "network_epsilon": epsilon,
            "network_draws": len(network.estimates),
        },
    )


def optimism(
    journey: Journey,
    linear: Sequence[Moment],
    practice: Sequence[Moment],
    network: Moment,
    width: int,
) -> Finding:
    """How often a perturbed estimate is above the truth, for the arm where that is rarest."""
    h = journey.problem.rewards

    def rarest(moment: Moment) -> float:
        return float(np.min(np.mean(moment.estimates >= h, axis=0)))

    kept = [m for m in linear if m.within]
    least = {"lemma": [rarest(m) for m in kept], "practice": [rarest(m) for m in practice]}
    mine = rarest(network)

    def draw(axes: Any) -> None:
        axes.plot([m.t for m in kept], least["lemma"], "o-", color=BLUE, label="sigma of Lemma 4.4")
        label = f"sigma = {practice[0].scale:g}"
        axes.plot([m.t for m in practice], least["practice"], "s-", color=GREEN, label=label)
        axes.plot([network.t], [mine], "D", color=ORANGE, label=f"network, m = {width}")
        axes.axhline(OPTIMISM, color=GREY, linestyle="--")
        axes.text(kept[0].t, OPTIMISM, "promised", color=GREY, va="bottom")
        axes.set(ylabel="P(optimism), rarest arm", xlabel="round", ylim=(0, 0.6))
        axes.legend(frameon=False)

    return Finding(
        name="lemma-4.4",
        title="Lemma 4.4: optimism",
        claim=f"P(estimate >= h) is at least 1/(4 e sqrt(pi)) = {OPTIMISM:.4f} for every arm",
        found=(
            f"at least {min(least['lemma']):.3f} with the lemma's sigma of {kept[0].scale:.1f} to "
            f"{kept[-1].scale:.1f}, and {mine:.3f} for a network of m = {width}; with sigma = "
            f"{practice[0].scale:g}, NPR's default, {min(least['practice']):.3f}"
        ),
        holds=bool(kept) and min(least["lemma"]) >= OPTIMISM,
        draw=draw,
        numbers={
            "rounds": [m.t for m in kept],
            "least_probability": least["lemma"],
            "scale": [m.scale for m in kept],
            "least_probability_in_practice": least["practice"],
            "network_least_probability": mine,
            "promised": OPTIMISM,
        },
    )
