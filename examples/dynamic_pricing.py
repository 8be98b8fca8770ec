"""Prices from a grid, learned from who buys: python examples/dynamic_pricing.py

Each customer is offered one of eight prices and buys or does not; the reward is the price paid.
Students look at the price more than others do, and on weekends everybody is more willing.
"""

import matplotlib.pyplot as plt
import numpy as np

import jostle

PRICES = [6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0]
WORTH = {"student": 8.0, "regular": 13.0, "business": 19.0}
"""What half of the customers of each kind would pay on a weekday."""


def chance(segment, weekend, price):
    """The probability that a customer buys at this price."""
    return 1 / (1 + np.exp((np.asarray(price) - WORTH[segment] - 2 * weekend) / 1.5))


def main(customers=5000, policy="lin-ucb:exploration=2", picture=None, seed=0):
    """Return the expected revenue per customer, last third: ours, one price for all, the best."""
    rng, prices = np.random.default_rng(seed), np.array(PRICES)
    # The price is the name of an action, not a feature: revenue is not linear in it.
    actions = [f"{price:g}" for price in PRICES]
    decider = jostle.Decider(policy, seed=seed)
    revenue, offered = np.zeros((customers, len(PRICES))), np.zeros(customers, int)
    for customer in range(customers):
        segment, weekend = str(rng.choice(list(WORTH))), bool(rng.random() < 2 / 7)
        context = {"segment": segment, "weekend": weekend, "visits": int(rng.poisson(3))}
        decision = decider.decide(context, actions)
        buys = rng.random() < chance(segment, weekend, PRICES[decision.index])
        decider.reward(decision.id, PRICES[decision.index] * buys)
        revenue[customer] = prices * chance(segment, weekend, prices)
        offered[customer] = decision.index
    if picture is not None:
        draw(revenue, offered, picture)
    last = slice(-customers // 3, None)
    ours = revenue[np.arange(customers), offered][last].mean()
    return np.array([ours, revenue[last].mean(axis=0).max(), revenue[last].max(axis=1).mean()])


def draw(revenue, offered, picture):
    """Revenue per customer over time, as a moving average."""
    customers = len(offered)
    window = max(customers // 20, 1)
    best_single = revenue.mean(axis=0).argmax()
    figure, axes = plt.subplots(figsize=(7, 3.5))
    for name, row in {
        "Decider": revenue[np.arange(customers), offered],
        f"the best single price ({PRICES[best_single]:g})": revenue[:, best_single],
        "the best price for each customer": revenue.max(axis=1),
    }.items():
        axes.plot(np.convolve(row, np.ones(window) / window, "valid"), label=name)
    axes.set(xlabel="customers", ylabel="expected revenue per customer")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=9)
    figure.savefig(picture, dpi=120, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    ours, single, best = main(picture="dynamic-pricing.png")
    print(f"revenue per customer: {ours:.2f} (best single price {single:.2f}, best {best:.2f})")
