"""``CATALOG``: all policies by the names that commands and experiments use."""

from jostle.policies._stacked import StackedPolicy
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

CATALOG: dict[str, type[Policy]] = {
    "npr": NPR,
    "neural-ucb": NeuralUCB,
    "neural-ts": NeuralTS,
    "neural-linear": NeuralLinear,
    "falcon": Falcon,
    "lin-ucb": LinUCB,
    "lin-ts": LinTS,
    "lin-fpl": LinFPL,
    "hlin-ucb": HLinUCB,
    "ucb1": UCB1,
    "epsilon-greedy": EpsilonGreedy,
    "uniform": Uniform,
    "ntk-perturbed": NTKPerturbed,
}
"""The policies by the names that commands and experiments use."""

INSTRUMENTS = frozenset({"ntk-perturbed"})
"""Policies that only serve to study the theory: compared if they are named, not by default."""

PAPER_FORMS = tuple(each.paper_form for each in CATALOG.values() if issubclass(each, StackedPolicy))
"""Policies of papers that have no name of their own: those of ``npr.paper`` and ``npr.descent``."""
