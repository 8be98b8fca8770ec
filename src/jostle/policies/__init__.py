"""Policies: everything that chooses arms and learns from rewards, one file per policy."""

from jostle.policies.base import Policy
from jostle.policies.epsilon_greedy import EpsilonGreedy
from jostle.policies.falcon import Falcon
from jostle.policies.hlin_ucb import HLinUCB
from jostle.policies.lin_fpl import LinFPL
from jostle.policies.lin_ts import LinTS
from jostle.policies.lin_ucb import LinUCB
from jostle.policies.neural_linear import NeuralLinear
from jostle.policies.neural_ts import NeuralTS
from jostle.policies.neural_ucb import NeuralUCB
from jostle.policies.npr import NPR
from jostle.policies.ntk_perturbed import NTKPerturbed
from jostle.policies.ucb1 import UCB1
from jostle.policies.uniform import Uniform

__all__ = [
    "NPR",
    "UCB1",
    "EpsilonGreedy",
    "Falcon",
    "HLinUCB",
    "LinFPL",
    "LinTS",
    "LinUCB",
    "NTKPerturbed",
    "NeuralLinear",
    "NeuralTS",
    "NeuralUCB",
    "Policy",
    "Uniform",
]
