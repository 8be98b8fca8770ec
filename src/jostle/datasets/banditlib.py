"""What the paper's group published beside HetRec: event pools, user vectors, user clusters.

The files are those of github yilingjia/BanditLib (MIT licence). Their users are numbered from 1 in
the order of the published user ids, so number ``k`` is index ``k - 1`` of ``HetRec.users``.
"""

import io
from dataclasses import dataclass

import numpy as np

from jostle.datasets import hetrec
from jostle.datasets import paths as store
from jostle.datasets.acquire import verify as integrity
from jostle.datasets.hetrec import HetRec

EVENTS = "banditlib_events_select100_part2.tsv"
VECTORS = "banditlib_user_emd_25.txt"
CLUSTERS = "banditlib_user_clusters_200.txt"
USERS = "banditlib_user_id_map.tsv"

_POOL = 25
_BARE = bytes.maketrans(b"[],", b"   ")


@dataclass(frozen=True, eq=False)
class BanditLib:
    """Events: ``users[i]`` meets the items ``pools[i]``, **the first of which is the positive**.

    All are indices into the ``HetRec`` they were read with. ``vectors`` has a row per user;
    ``known`` is false, and the row zero, for users without friends, whom the group's embedding of
    the friendship graph left out. ``clusters`` are those of the graph cut in 200.
    """

    users: np.ndarray
    times: np.ndarray  # milliseconds since 1970
    pools: np.ndarray
    vectors: np.ndarray
    known: np.ndarray
    clusters: np.ndarray


def read(data: HetRec) -> BanditLib:
    """Read the group's files that belong to ``data``."""
    files = (EVENTS, VECTORS, CLUSTERS, USERS)
    events, vectors, clusters, users = integrity.require(data.name, *files)
    if not np.array_equal(hetrec.integers(users, 2)[:, 1], data.users):
        raise integrity.WrongDataError(
            f"{users} does not list the {len(data.users)} users of {data.name!r} in order"
        )
    with store.open_bytes(events) as stream:
        text = stream.read().partition(b"\n")[2].translate(_BARE)
    rows = np.loadtxt(io.BytesIO(text), dtype=np.int64, ndmin=2)
    items = rows[:, 2 : 2 + _POOL]
    if not np.isin(items, data.items).all():
        raise integrity.WrongDataError(f"{events} has items that {data.name!r} has not")
    with store.open_bytes(vectors) as stream:
        known, table = _vectors(stream.read().decode("ascii"))
    with store.open_bytes(clusters) as stream:
        groups = np.loadtxt(stream, dtype=np.int32)
    return BanditLib(
        users=(rows[:, 0] - 1).astype(np.int32),
        times=rows[:, 1],
        pools=np.searchsorted(data.items, items).astype(np.int32),
        vectors=table,
        known=known,
        clusters=groups,
    )


def _vectors(text: str) -> tuple[np.ndarray, np.ndarray]:
    """A row per line; an empty line is a user without a vector, not to be skipped."""
    rows = [line.split() for line in text.splitlines()]
    known = np.array([bool(row) for row in rows])
    table = np.zeros((len(rows), max(map(len, rows))), np.float32)
    table[known] = np.array([row for row in rows if row], dtype=np.float32)
    return known, table
