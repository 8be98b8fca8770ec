"""Every stream, set up small, for its tests and for the record of behaviour."""

import numpy as np

from jostle.environments import (
    Arrivals,
    Clicks,
    Coins,
    Delayed,
    Drift,
    Eat,
    Ladder,
    Offers,
    Purchases,
    Units,
    Wheel,
)

from support import EASY

MUSHROOMS = np.random.default_rng(1).normal(size=(20, 3)).round(3)
POISONOUS = np.arange(20) % 2
SMALL = {"arms": 4, "user_features": 3}
STREAMS = {
    "wheel": Wheel(delta=0.5),
    "eat": Eat.from_arrays(MUSHROOMS, POISONOUS),
    "coins": Coins(),
    "noise": Ladder(arms=4, noise=1.0),
    "clicks": Clicks(**SMALL, high=0.5),
    "purchases": Purchases(**SMALL, low=0.1, high=0.5),
    "arrivals": Arrivals(arms=5, user_features=3, shown=4, first=2, every=5, high=0.5),
    "drift": Drift(**SMALL, period=10),
    "drift, gradual": Drift(**SMALL, kind="gradual", period=10),
    "drift, seasons": Drift(**SMALL, kind="seasons", period=10),
    "offers": Offers(shown=3, user_features=2, item_features=2),
}
CASES = {
    **STREAMS,
    "units": Units(EASY, reward_scale=0.01, reward_offset=10.0, context_factor=30.0),
    "delayed": Delayed(STREAMS["clicks"], delay=3, never=0.2),
    "units of blocks": Units(STREAMS["clicks"], reward_scale=2.0, context_factor=0.5),
}
