"""Off-policy evaluation: what another policy would have earned, with intervals to trust.

``evaluate(log, target)`` estimates the value of one target, ``compare`` several with their
differences, and ``select`` chooses among candidates and prepares an agent. Logs are described in
``jostle.logs``.
"""

from jostle.evaluation.bounds import INTERVALS
from jostle.evaluation.estimators import NAMES as ESTIMATORS
from jostle.evaluation.network_model import RewardNetwork
from jostle.evaluation.offline import compare, evaluate
from jostle.evaluation.results import Comparison, Difference, Estimate
from jostle.evaluation.selection import Selection, select, warm_started
from jostle.evaluation.targets import Frozen, Learning
from jostle.logs import BadLogError, Log, LogFile, LogWriter, read, scan, write

__all__ = [
    "ESTIMATORS",
    "INTERVALS",
    "BadLogError",
    "Comparison",
    "Difference",
    "Estimate",
    "Frozen",
    "Learning",
    "Log",
    "LogFile",
    "LogWriter",
    "RewardNetwork",
    "Selection",
    "compare",
    "evaluate",
    "read",
    "scan",
    "select",
    "warm_started",
    "write",
]
