"""Recommendation bandits: find the item that the user likes among those shown."""

from jostle.environments.recommendation.environment import Recommendation

__all__ = ["Recommendation"]
