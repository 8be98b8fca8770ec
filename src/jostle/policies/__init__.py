"""The policies, one a file."""

from jostle.policies.base import Policy
from jostle.policies.epsilon_greedy import EpsilonGreedy
from jostle.policies.npr import NPR
from jostle.policies.uniform import Uniform

CATALOG: dict[str, type[Policy]] = {
    "npr": NPR,
    "epsilon-greedy": EpsilonGreedy,
    "uniform": Uniform,
}
"""The policies by the names that commands and experiments use."""

__all__ = ["CATALOG", "NPR", "EpsilonGreedy", "Policy", "Uniform"]
