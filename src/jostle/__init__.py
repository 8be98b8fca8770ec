"""Neural contextual bandits that explore by perturbing the rewards they learn from."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from jostle import environments, evaluation, features, lab, theory
    from jostle.agent import Agent
    from jostle.client.asynchronous import AsyncClient
    from jostle.client.local import LocalClient
    from jostle.client.synchronous import Client
    from jostle.decisions.decider import Decider
    from jostle.decisions.log_learning import warm_start
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
    "AsyncClient",
    "Client",
    "Decider",
    "EpsilonGreedy",
    "Falcon",
    "HLinUCB",
    "LinFPL",
    "LinTS",
    "LinUCB",
    "LocalClient",
    "NTKPerturbed",
    "NeuralLinear",
    "NeuralTS",
    "NeuralUCB",
    "Policy",
    "Training",
    "Uniform",
    "environments",
    "evaluation",
    "features",
    "lab",
    "make_environment",
    "make_policy",
    "networks",
    "simulate",
    "theory",
    "warm_start",
]

# Names are imported when first used, so that `import jostle` costs nothing.
_HOMES = {
    "Agent": "jostle.agent",
    "AsyncClient": "jostle.client.asynchronous",
    "Client": "jostle.client.synchronous",
    "Decider": "jostle.decisions.decider",
    "LocalClient": "jostle.client.local",
    "Training": "jostle.models.training",
    "environments": "jostle.environments",
    "evaluation": "jostle.evaluation",
    "features": "jostle.features",
    "lab": "jostle.lab",
    "make_environment": "jostle.factory",
    "make_policy": "jostle.factory",
    "networks": "jostle.models.networks",
    "simulate": "jostle.simulation",
    "theory": "jostle.theory",
    "warm_start": "jostle.decisions.log_learning",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'jostle' has no attribute {name!r}")
    place = _HOMES.get(name, "jostle.policies")
    if place.startswith("jostle.client."):
        from jostle.core.optional import require

        home = require(place, extra="serve")
    else:
        home = importlib.import_module(place)
    value = home if home.__name__.endswith(f".{name}") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
