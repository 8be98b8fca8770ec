"""Lemma 4.3: perturbed estimates stay within beta_t widths of the unperturbed ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.ntk.confidence import concentration
from jostle.theory.lemma_check import STANDARD_ERRORS, Evidence, LemmaCheck, Verdict
from jostle.theory.perturbed_estimates import PerturbedEstimates
from jostle.theory.plotting import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def concentrated(perturbed: PerturbedEstimates) -> tuple[float, float]:
    """Return the share of draws with E_t2 for epsilon(m) = 0, and the least epsilon for all draws.

    E_t2 is that every arm's perturbed estimate is within epsilon(m) + beta_t widths of its centre.
    """
    beta = concentration(perturbed.scale, t=perturbed.t, arms=len(perturbed.widths))
    excess = np.abs(perturbed.estimates - perturbed.centre) - beta * perturbed.widths
    worst = excess.max(axis=1)
    return float(np.mean(worst <= 0)), float(max(worst.max(), 0.0))


def tail_bound(perturbed: PerturbedEstimates, standard_errors: float = 0.0) -> float:
    """Bound P(not E_t2) by the Gaussian tails of all arms, with deviations measured from the draws.

    A probability of 1 / t^2 is far too small to be counted in a few thousand draws. The estimates
    of the linearised algorithm are Gaussian, so their deviations decide. ``standard_errors`` makes
    the deviations larger by so many of their own standard errors.
    """
    from scipy.special import erfc

    deviations = perturbed.estimates.std(axis=0, ddof=1)
    deviations = deviations * (1 + standard_errors / np.sqrt(2 * len(perturbed.estimates)))
    beta = concentration(perturbed.scale, t=perturbed.t, arms=len(perturbed.widths))
    moving = deviations > 0
    ratio = beta * perturbed.widths[moving] / deviations[moving]
    return float(np.sum(erfc(ratio / np.sqrt(2))))


def _judge(linearised: Sequence[PerturbedEstimates], held: Sequence[float]) -> Verdict:
    """Fails by counting (at the level of 1 in 10,000 per history), holds by the tails."""
    from scipy.special import bdtrc

    for perturbed, share in zip(linearised, held, strict=True):
        draws = len(perturbed.estimates)
        failures = round((1 - share) * draws)
        if failures and bdtrc(failures - 1, draws, perturbed.t**-2.0) < 1e-4:
            return Verdict.FAILS
    largest = [tail_bound(perturbed, STANDARD_ERRORS) * perturbed.t**2 for perturbed in linearised]
    return Verdict.HOLDS if max(largest) <= 1 else Verdict.UNCLEAR


def check_concentration(
    linearised: Sequence[PerturbedEstimates], network: PerturbedEstimates, width: int
) -> LemmaCheck:
    """Measure how often E_t2 holds for the linearised algorithm and for a converged network."""
    held = [concentrated(perturbed)[0] for perturbed in linearised]
    network_held, epsilon = concentrated(network)
    promised = [1 - 1 / perturbed.t**2 for perturbed in linearised]
    draws = len(linearised[0].estimates)
    tails = [tail_bound(perturbed) for perturbed in linearised]
    nearest = int(np.argmax([tail * p.t**2 for tail, p in zip(tails, linearised, strict=True)]))
    upper = tail_bound(linearised[nearest], STANDARD_ERRORS)
    evidence = Evidence(
        f"bound on P(not E_t2) from measured deviations, t = {linearised[nearest].t}",
        tails[nearest],
        (upper - tails[nearest]) / STANDARD_ERRORS,
        linearised[nearest].t ** -2.0,
        form=".1e",
    )

    def largest_deviation(perturbed: PerturbedEstimates) -> float:
        # Narrow networks may have no gradient at all on some arm, and so a width of zero.
        live = perturbed.widths > 0
        deviations = np.abs(perturbed.estimates - perturbed.centre)[:, live]
        return float(np.max(deviations / (perturbed.scale * perturbed.widths[live])))

    def draw(axes: "Axes") -> None:
        t = [perturbed.t for perturbed in linearised]
        beta = [concentration(1.0, t=p.t, arms=len(p.widths)) for p in linearised]
        largest = [largest_deviation(perturbed) for perturbed in linearised]
        axes.plot(t, beta, "--", color=GREY, label="allowed: beta_t / sigma")
        axes.plot(t, largest, "o-", color=BLUE, label="linearised, largest")
        label = f"network, m = {width}"
        axes.plot([network.t], [largest_deviation(network)], "D", color=ORANGE, label=label)
        axes.set(ylabel="deviation / (sigma width)", xlabel="round", ylim=(0, None))
        axes.legend(frameon=False)

    return LemmaCheck(
        name="lemma-4.3",
        title="Lemma 4.3: perturbed estimates stay within beta_t",
        claim="E_t2 holds with probability 1 - 1/t^2, up to epsilon(m) for the network",
        found=(
            f"linearised: it held in at least {min(held):.2%} of {draws:,} perturbations of each "
            f"of {len(linearised)} histories (promised {min(promised):.2%}); network of m = "
            f"{width}, fitted to convergence: in {network_held:.0%} of {len(network.estimates)} "
            f"with epsilon = 0, in all with epsilon = {epsilon:.2f}"
        ),
        outcome=_judge(linearised, held),
        evidence=evidence,
        draw=draw,
        numbers={
            "rounds": [perturbed.t for perturbed in linearised],
            "held": held,
            "tail_bound": tails,
            "promised": promised,
            "network_held": network_held,
            "network_epsilon": epsilon,
            "network_draws": len(network.estimates),
        },
    )
