"""The agent of a decider: a policy for the rows of its encoder."""

from typing import Any

from jostle.agent import Agent
from jostle.factory import make_policy
from jostle.features.encoder import Encoder
from jostle.policies.base import UNKNOWN_ARMS
from jostle.types import BanditSpec


def agent_for(policy: Any, encoder: Encoder, seed: int) -> Agent:
    """The agent that decides on the encoder's rows."""
    if not isinstance(encoder, Encoder):
        raise TypeError(f"encoder must be a jostle.features.Encoder, not {encoder!r:.40}")
    if isinstance(policy, str):
        policy = make_policy(policy, BanditSpec(features=encoder.features, arms=UNKNOWN_ARMS))
    agent = policy if isinstance(policy, Agent) else Agent(policy, seed)
    spec = agent.policy.spec
    if spec.pool is not None or spec.blocks is not None:
        raise ValueError(
            "policy must be made without pool= and blocks=: the encoder gives every arm features "
            "of its own"
        )
    if spec.features != encoder.features:
        raise ValueError(
            f"policy must have features={encoder.features}, as many as the encoder gives, not "
            f"{spec.features}"
        )
    return agent
