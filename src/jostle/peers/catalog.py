"""``make_player``: policies and peers by name."""

import dataclasses

from jostle.core.grammar import parse
from jostle.core.validation import lookup, unknown
from jostle.environments import Environment
from jostle.factory import make_policy
from jostle.peers.base import Peer
from jostle.peers.vowpal import RND, Bag, Cover, Epsilon, SquareCB
from jostle.policies import Policy

PEERS: dict[str, type[Peer]] = {
    "vw.squarecb": SquareCB,
    "vw.bag": Bag,
    "vw.cover": Cover,
    "vw.rnd": RND,
    "vw.epsilon": Epsilon,
}
"""The peers by the names that commands and experiments use."""


def make_player(text: str, environment: Environment) -> Policy | Peer:
    """The policy that ``text`` names, built for ``environment``, or the peer.

    Examples: ``"npr:noise=0.2"``, ``"vw.squarecb"``, ``"vw.bag:bag=10"``.
    """
    name, settings = parse(text)
    if not name.startswith("vw."):
        return make_policy(text, environment)
    kind = lookup("peer", name, PEERS)
    fields = [each.name for each in dataclasses.fields(kind) if each.init]
    for key in settings:
        if key not in fields:
            raise ValueError(unknown(f"setting of peer {name!r}:", key, fields))
    try:
        peer: Peer = kind(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(f"peer {name!r}: {error}") from None
    return peer
