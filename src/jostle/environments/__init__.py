"""Environments: the bandit problems that policies are simulated on."""

from jostle.environments.base import Environment
from jostle.environments.classification import Classification
from jostle.environments.recommendation.environment import Recommendation
from jostle.environments.synthetic import Synthetic

__all__ = ["Classification", "Environment", "Recommendation", "Synthetic"]
