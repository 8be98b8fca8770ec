"""What late rewards cost: python examples/cost_of_delay.py

Regret on clicks whose rewards arrive after 0, 10, 100 or 1,000 rounds on average (geometrically
distributed). The arms, the noise and the seeds are the same for all delays.
"""

import matplotlib.pyplot as plt
import numpy as np

import jostle

DELAYS = (0, 10, 100, 1000)
POLICIES = ("lin-ucb", "lin-ts", "npr")


def main(rounds=5000, seeds=(100, 101, 102), policies=POLICIES, delays=DELAYS, picture=None):
    """Return the final regret by policy: an array of seeds by delays."""
    regret = {name: np.zeros((len(seeds), len(delays))) for name in (*policies, "uniform")}
    for column, delay in enumerate(delays):
        environment = jostle.make_environment(f"delayed:of=clicks,delay={delay}")
        for name, table in regret.items():
            policy = jostle.make_policy(name, environment)
            for row, seed in enumerate(seeds):
                result = jostle.simulate(policy, environment, rounds=rounds, seed=seed)
                table[row, column] = result.regret[-1]
    if picture is not None:
        draw(regret, delays, rounds, picture)
    return regret


def draw(regret, delays, rounds, picture):
    """Regret against the delay; the bars are standard errors over seeds."""
    figure, axes = plt.subplots(figsize=(7, 3.5))
    place = np.arange(len(delays))
    for number, (name, table) in enumerate(regret.items()):
        errors = table.std(axis=0, ddof=1) / np.sqrt(len(table)) if len(table) > 1 else None
        style = "--" if name == "uniform" else "-o"
        shift = 0.04 * (number - 1)
        axes.errorbar(place + shift, table.mean(axis=0), errors, fmt=style, capsize=3, label=name)
    axes.set_xticks(place, [f"{delay:,}" for delay in delays])
    axes.set(
        xlabel="mean delay of rewards, in rounds",
        ylabel=f"regret on clicks after {rounds:,} rounds",
        ylim=(0, None),
    )
    axes.legend()
    figure.savefig(picture, dpi=120, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    found = main(picture="cost-of-delay.png")
    for name, table in found.items():
        print(name, *(f"{mean:.0f}" for mean in table.mean(axis=0)))
