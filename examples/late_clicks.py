"""Adverts whose clicks come late, if at all: python examples/late_clicks.py

Every second a visitor sees one of six adverts. Who clicks does so after a minute on average. A
decision stays open for five minutes; what was not clicked by then counts as 0.
"""

import heapq

import matplotlib.pyplot as plt
import numpy as np

import jostle

ADVERTS = ["shoes", "books", "games", "flights", "wine", "tools"]
DEVICES = ["phone", "tablet", "desktop"]
DELAY, WAIT = 60.0, 300.0


def click_rates(seed):
    """The probability of a click, for each device by day and by night, and each advert."""
    logits = np.random.default_rng(seed).normal(-2.5, 1.0, (len(DEVICES), 2, len(ADVERTS)))
    return 1 / (1 + np.exp(-logits))


def main(visitors=6000, policy="lin-ucb", picture=None, seed=0):
    """Return the mean click rate of the last third: ours, uniform's, and the best possible."""
    rng, rates = np.random.default_rng(seed + 1), click_rates(seed)
    now, on_their_way, expected = 0.0, [], np.zeros((3, visitors))
    decider = jostle.Decider(policy, wait=WAIT, default_reward=0.0, clock=lambda: now)
    for visitor in range(visitors):
        now = float(visitor)
        while on_their_way and on_their_way[0][0] <= now:
            _, decision_id = heapq.heappop(on_their_way)
            decider.reward(decision_id, 1.0, reward_id="click")
        device, hour = int(rng.integers(3)), int(rng.integers(24))
        here = rates[device, int(8 <= hour < 20)]
        context = {"device": DEVICES[device], "daytime": "day" if 8 <= hour < 20 else "night"}
        decision = decider.decide(context, ADVERTS)
        if rng.random() < here[decision.index]:
            heapq.heappush(on_their_way, (now + rng.exponential(DELAY), decision.id))
        expected[:, visitor] = here[decision.index], here.mean(), here.max()
    if picture is not None:
        draw(expected, picture)
    print(dict(decider.counts))
    return expected[:, -visitors // 3 :].mean(axis=1)


def draw(expected, picture):
    """The click rate over time, as a moving average."""
    window = max(expected.shape[1] // 20, 1)
    figure, axes = plt.subplots(figsize=(7, 3.5))
    names = ["Decider, clicks a minute late", "random adverts", "the best advert for each visitor"]
    for name, row in zip(names, expected, strict=True):
        axes.plot(np.convolve(row, np.ones(window) / window, "valid"), label=name)
    axes.set(xlabel="visitors", ylabel="clicks per visitor", ylim=(0, None))
    axes.legend()
    figure.savefig(picture, dpi=120, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    ours, uniform, best = main(picture="late-clicks.png")
    print(f"clicks per visitor, last third: {ours:.3f} (random {uniform:.3f}, best {best:.3f})")
