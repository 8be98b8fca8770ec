"""Neural contextual bandits that explore by perturbing the rewards they learn from."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from jostle import environments, evaluation, lab, theory
    from jostle.agent import Agent
    from jostle.factory import make_environment, make_policy
    from jostle.models import networks
    from jostle.models.training import Training
    from jostle.policies import (
        NPR,
        UCB1,
        EpsilonGreedy,
        Falcon,
        HLinUCB,
        LinFPL,
        LinTS,
        LinUCB,
        NeuralLinear,
        NeuralTS,
        NeuralUCB,
        NTKPerturbed,
        Policy,
        Uniform,
    )
    from jostle.simulation import simulate

__all__ = [
    "NPR",
    "UCB1",
    "Agent",
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
    "Training",
    "Uniform",
    "environments",
    "evaluation",
    "lab",
    "make_environment",
    "make_policy",
    "networks",
    "simulate",
    "theory",
]

# Names are imported when first used, so that `import jostle` costs nothing.
_HOMES = {
    "Agent": "jostle.agent",
    "Training": "jostle.models.training",
    "environments": "jostle.environments",
    "evaluation": "jostle.evaluation",
    "lab": "jostle.lab",
    "make_environment": "jostle.factory",
    "make_policy": "jostle.factory",
    "networks": "jostle.models.networks",
    "simulate": "jostle.simulation",
    "theory": "jostle.theory",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'jostle' has no attribute {name!r}")
    home = importlib.import_module(_HOMES.get(name, "jostle.policies"))
    value = home if home.__name__.endswith(f".{name}") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
