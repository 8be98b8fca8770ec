"""The policies, one a file."""

from jostle.policies.base import Policy
from jostle.policies.epsilon_greedy import EpsilonGreedy
from jostle.policies.npr import NPR
from jostle.policies.uniform import Uniform

__all__ = ["NPR", "EpsilonGreedy", "Policy", "Uniform"]
