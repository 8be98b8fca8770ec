"""What policies are tried on."""

from jostle.environments.base import Environment
from jostle.environments.recommendation import Recommendation
from jostle.environments.synthetic import Synthetic

__all__ = ["Environment", "Recommendation", "Synthetic"]
