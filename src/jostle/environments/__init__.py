"""Environments: the bandit problems that policies are simulated on."""

from jostle.environments.base import Environment
from jostle.environments.classification import Classification
from jostle.environments.delayed import Delayed
from jostle.environments.field.arrivals import Arrivals
from jostle.environments.field.clicks import Clicks
from jostle.environments.field.drift import Drift
from jostle.environments.field.eat import Eat
from jostle.environments.field.featureless import Coins, Ladder
from jostle.environments.field.offers import Offers
from jostle.environments.field.purchases import Purchases
from jostle.environments.field.wheel import Wheel
from jostle.environments.recommendation.environment import Recommendation
from jostle.environments.synthetic import Synthetic
from jostle.environments.units import Units

__all__ = [
    "Arrivals",
    "Classification",
    "Clicks",
    "Coins",
    "Delayed",
    "Drift",
    "Eat",
    "Environment",
    "Ladder",
    "Offers",
    "Purchases",
    "Recommendation",
    "Synthetic",
    "Units",
    "Wheel",
]
