"""From a rule to a policy, safely: python examples/migrate_from_a_rule.py

A shop shows one of five offers by a rule, and one at random to a tenth of its visitors. Its log
teaches a policy, which then watches the rule as an apprentice, and takes over.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import jostle

OFFERS = ["coupon", "gift", "shipping", "bundle", "nothing"]
DEVICES, EXPLORED = ["phone", "tablet", "desktop"], 0.1


def visitor(rng):
    """The context of a visitor."""
    age, visits = float(rng.normal(40, 12)), int(rng.poisson(4))
    return {"device": str(rng.choice(DEVICES)), "visits": visits, "age": age}


def rates(context):
    """The probability that each offer is accepted: what nobody knows."""
    bold, often = context["device"] == "phone", min(context["visits"], 8) / 8
    young = 1 / (1 + np.exp((context["age"] - 40) / 8))
    rates = [0.1 + 0.3 * young, 0.05 + 0.3 * often, 0.15 + 0.1 * bold, 0.3 - 0.25 * young, 0.05]
    return np.array(rates)


def rule(context, rng):
    """The offer that the shop shows today, and the probability with which it does."""
    usual = 0 if context["visits"] < 3 else 2
    shown = int(rng.integers(5)) if rng.random() < EXPLORED else usual
    return shown, EXPLORED / 5 + (1 - EXPLORED) * (shown == usual)


def play(decider, visitors, seed):
    """The expected reward of each decision; an apprentice's are those of the rule."""
    rng, earned, reference = np.random.default_rng(seed), [], {}
    for _ in range(visitors):
        context = visitor(rng)
        shown, probability = rule(context, rng)
        if decider.mode == "apprentice":
            reference = {"baseline": OFFERS[shown], "baseline_probability": probability}
        decision = decider.decide(context, OFFERS, **reference)
        decider.reward(decision.id, float(rng.random() < rates(context)[decision.index]))
        earned.append(rates(context)[decision.index])
    return np.array(earned)


def main(logged=3000, visitors=1000, policy="lin-ucb:exploration=0.1", picture=None, seed=0):
    """Return the mean reward of the rule, of a cold start and of a warm start."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(logged):
        context = visitor(rng)
        shown, _ = rule(context, rng)
        accepted = float(rng.random() < rates(context)[shown])
        rows.append({**context, "offer": OFFERS[shown], "reward": accepted})
    apprentice = jostle.Decider(policy, mode="apprentice")
    jostle.warm_start(apprentice, pl.DataFrame(rows), action="offer", progress=False)
    by_rule = play(apprentice, visitors, seed + 1)
    print(apprentice.apprenticeship)
    warm = play(jostle.Decider(apprentice.agent, apprentice.encoder), visitors, seed + 2)
    cold = play(jostle.Decider(policy), visitors, seed + 2)
    if picture is not None:
        figure, axes = plt.subplots(figsize=(7, 3.5))
        for name, row in {"rule": by_rule, "cold start": cold, "warm start": warm}.items():
            axes.plot(np.cumsum(row) / np.arange(1, visitors + 1), label=name)
        axes.set(xlabel="visitors", ylabel="accepted offers per visitor, so far")
        axes.legend()
        figure.savefig(picture, dpi=120, bbox_inches="tight")
        plt.close(figure)
    return np.array([by_rule.mean(), cold.mean(), warm.mean()])


if __name__ == "__main__":
    by_rule, cold, warm = main(picture="migrate-from-a-rule.png")
    print(f"accepted per visitor: rule {by_rule:.3f}, cold start {cold:.3f}, warm start {warm:.3f}")
