"""The files that the paper's authors published beside HetRec: events, user vectors, clusters.

They come from github yilingjia/BanditLib (MIT licence). Users are numbered there from 1 in the
order of their published ids: number ``k`` is index ``k - 1`` of ``HetRec.users``.
"""

from dataclasses import dataclass

import numpy as np

from jostle.core.optional import require
from jostle.datasets import paths
from jostle.datasets.acquire import verify
from jostle.datasets.acquire.verify import WrongDataError
from jostle.datasets.delimited import read_delimited, read_integers
from jostle.datasets.hetrec import HetRec

EVENTS = "banditlib_events_select100_part2.tsv"
VECTORS = "banditlib_user_emd_25.txt"
CLUSTERS = "banditlib_user_clusters_200.txt"
USERS = "banditlib_user_id_map.tsv"

_POOL = 25


@dataclass(frozen=True, eq=False)
class AuthorsEvents:
    """Events, each of a user and a pool of items, and what the authors computed for the users.

    Users and items are indices into the ``HetRec`` that the events were read with.

    Attributes:
        users: (events,) int32.
        times: (events,) milliseconds since 1970.
        pools: (events, 25) int32; **the first item of a pool is the positive one**.
        vectors: (users, dimensions) float32, the authors' embedding of the friendship graph.
        embedded: (users,) false for users without friends, who have no vector and a row of zeros.
        clusters: (users,) the friendship graph cut into 200.
    """

    users: np.ndarray
    times: np.ndarray
    pools: np.ndarray
    vectors: np.ndarray
    embedded: np.ndarray
    clusters: np.ndarray


def read(data: HetRec) -> AuthorsEvents:
    """Read the authors' files that belong to ``data``."""
    files = (EVENTS, VECTORS, CLUSTERS, USERS)
    events, vectors, clusters, users = verify.require(data.name, *files)
    if not np.array_equal(read_integers(users, 2)[:, 1], data.users):
        raise WrongDataError(
            f"{users} does not list the {len(data.users)} users of {data.name!r} in order"
        )
    require("polars", extra="data")
    import polars as pl

    frame = read_delimited(events, separator="\t").with_columns(
        pl.col("arm_pool").str.json_decode(pl.List(pl.Int64)).list.to_array(_POOL)
    )
    items = frame["arm_pool"].to_numpy()
    if not np.isin(items, data.items).all():
        raise WrongDataError(f"{events} has items that are not in {data.name!r}")
    with paths.open_bytes(vectors) as stream:
        embedded, table = _vectors(stream.read().decode("ascii"))
    with paths.open_bytes(clusters) as stream:
        groups = np.loadtxt(stream, dtype=np.int32)
    return AuthorsEvents(
        users=(frame["userid"].to_numpy() - 1).astype(np.int32),
        times=frame["timestamp"].to_numpy(),
        pools=np.searchsorted(data.items, items).astype(np.int32),
        vectors=table,
        embedded=embedded,
        clusters=groups,
    )


def _vectors(text: str) -> tuple[np.ndarray, np.ndarray]:
    """One vector per line; an empty line is a user without one.

    Parsed by hand, since readers of delimited text skip empty lines or take them for an error.
    """
    rows = [line.split() for line in text.splitlines()]
    embedded = np.array([bool(row) for row in rows])
    table = np.zeros((len(rows), max(map(len, rows))), np.float32)
    table[embedded] = np.array([row for row in rows if row], dtype=np.float32)
    return embedded, table
