"""Recommendation bandits: which of the items shown is the one that the user likes?"""

from jostle.environments.recommendation.environment import Recommendation

__all__ = ["Recommendation"]
