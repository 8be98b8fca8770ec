"""Lemma 4.4: with enough noise a perturbed estimate exceeds the expected reward often enough."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jostle.theory.array_types import PerArm
from jostle.theory.lemma_check import Evidence, LemmaCheck, Verdict
from jostle.theory.perturbed_estimates import PerturbedEstimates
from jostle.theory.plotting import BLUE, GREEN, GREY, ORANGE
from jostle.theory.theorem_4_7_regret_bound import OPTIMISM

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_optimism(
    rewards: PerArm,
    by_lemma: Sequence[PerturbedEstimates],
    by_default: Sequence[PerturbedEstimates],
    network: PerturbedEstimates,
    width: int,
) -> LemmaCheck:
    """Measure the probability of optimism of the arm for which it is smallest.

    Arguments:
        rewards: h, the expected reward of each arm.
        by_lemma: the linearised algorithm, perturbed with the sigma of Lemma 4.4.
        by_default: the same, perturbed with the default noise of ``NPR.descent``.
        network: a network, perturbed with the sigma of Lemma 4.4 and fitted to convergence.
        width: m of that network.
    """

    def least_probability(perturbed: PerturbedEstimates) -> float:
        return float(np.min(np.mean(perturbed.estimates >= rewards, axis=0)))

    kept = [perturbed for perturbed in by_lemma if perturbed.within_radius]
    with_lemma = [least_probability(perturbed) for perturbed in kept]
    with_default = [least_probability(perturbed) for perturbed in by_default]
    of_network = least_probability(network)
    least, draws = min(with_lemma, default=float("nan")), len(by_lemma[0].estimates)
    evidence = Evidence(
        "least probability of optimism",
        least,
        float(np.sqrt(least * (1 - least) / draws)),
        OPTIMISM,
        at_least=True,
        form=".3f",
    )

    def draw(axes: "Axes") -> None:
        axes.plot([p.t for p in kept], with_lemma, "o-", color=BLUE, label="sigma of Lemma 4.4")
        label = f"sigma = {by_default[0].scale:g}"
        axes.plot([p.t for p in by_default], with_default, "s-", color=GREEN, label=label)
        axes.plot([network.t], [of_network], "D", color=ORANGE, label=f"network, m = {width}")
        axes.axhline(OPTIMISM, color=GREY, linestyle="--")
        axes.text(by_default[0].t, OPTIMISM, "promised", color=GREY, va="bottom")
        axes.set(ylabel="P(optimism), rarest arm", xlabel="round", ylim=(0, 0.6))
        axes.legend(frameon=False)

    by_lemma_found = "E_t1, which the lemma assumes, held in none of the rounds"
    if kept:
        by_lemma_found = (
            f"at least {min(with_lemma):.3f} with the lemma's sigma of {kept[0].scale:.1f} to "
            f"{kept[-1].scale:.1f}"
        )
    return LemmaCheck(
        name="lemma-4.4",
        title="Lemma 4.4: optimism",
        claim=f"P(estimate >= h) is at least 1/(4 e sqrt(pi)) = {OPTIMISM:.4f} for every arm",
        found=(
            f"{by_lemma_found}, and {of_network:.3f} for a network of m = {width} that is fitted "
            f"to convergence; linearised with sigma = {by_default[0].scale:g}, the default of "
            f"NPR.descent, {min(with_default):.3f} (it plays a part of it: see the perturbation)"
        ),
        outcome=evidence.verdict if kept else Verdict.UNCLEAR,
        evidence=evidence,
        draw=draw,
        numbers={
            "rounds": [perturbed.t for perturbed in kept],
            "least_probability": with_lemma,
            "scale": [perturbed.scale for perturbed in kept],
            "least_probability_in_practice": with_default,
            "network_least_probability": of_network,
            "promised": OPTIMISM,
        },
    )
