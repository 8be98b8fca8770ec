"""Lemma 4.3: perturbed estimates stay within beta_t widths of the unperturbed ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.ntk.confidence import concentration
from jostle.theory.lemma_check import LemmaCheck
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


def check_concentration(
    linearised: Sequence[PerturbedEstimates], network: PerturbedEstimates, width: int
) -> LemmaCheck:
    """Measure how often E_t2 holds for the linearised algorithm and for a network."""
    held = [concentrated(perturbed)[0] for perturbed in linearised]
    network_held, epsilon = concentrated(network)
    promised = [1 - 1 / perturbed.t**2 for perturbed in linearised]
    draws = len(linearised[0].estimates)

    def largest_deviation(perturbed: PerturbedEstimates) -> float:
        # Narrow networks may have no gradient at all on some arm, and so a width of zero.
        live = perturbed.widths > 0
        deviations = np.abs(perturbed.estimates - perturbed.centre)[:, live]
        return float(np.max(deviations / (perturbed.scale * perturbed.widths[live])))

    def draw(axes: "Axes") -> None:
        t = [perturbed.t for perturbed in linearised]
        beta = [concentration(1.0, t=p.t, arms=len(p.widths)) for p in linearised]
        tails = [largest_deviation(perturbed) for perturbed in linearised]
        axes.plot(t, beta, "--", color=GREY, label="allowed: beta_t / sigma")
        axes.plot(t, tails, "o-", color=BLUE, label="linearised, largest")
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
            f"{width}: in {network_held:.0%} of {len(network.estimates)} with epsilon = 0, in all "
            f"with epsilon = {epsilon:.2f}"
        ),
        holds=all(h >= p - 5 / draws for h, p in zip(held, promised, strict=True)),
        draw=draw,
        numbers={
            "rounds": [perturbed.t for perturbed in linearised],
            "held": held,
            "promised": promised,
            "network_held": network_held,
            "network_epsilon": epsilon,
            "network_draws": len(network.estimates),
        },
    )
