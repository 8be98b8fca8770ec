"""The vectors of a recommendation set's items and users, computed once and kept."""

import numpy as np

from jostle.core.validation import whole
from jostle.datasets import paths as store
from jostle.datasets.cache import cached, fingerprint
from jostle.datasets.hetrec import HetRec
from jostle.datasets.item_features import item_features
from jostle.datasets.user_features import user_features

_LAYOUT = 1  # raise it when the computation changes, so that old vectors are not read


def item_vectors(data: HetRec, components: int = 25, seed: int = 0) -> np.ndarray:
    """One row an item of ``data``: see ``item_features``."""
    settings = f"{data.name}_{whole('components', components)}_{whole('seed', seed, least=0)}"
    return cached(
        f"items_{settings}",
        _key(data, settings),
        lambda: {
            "vectors": item_features(
                data.item_tags, len(data.items), components=components, seed=seed
            )
        },
    )["vectors"]


def user_vectors(data: HetRec, dimensions: int = 50, seed: int = 0) -> np.ndarray:
    """One row a user of ``data``: see ``user_features``."""
    settings = f"{data.name}_{whole('dimensions', dimensions)}_{whole('seed', seed, least=0)}"
    return cached(
        f"users_{settings}",
        _key(data, settings),
        lambda: {
            "vectors": user_features(
                data.friends, len(data.users), dimensions=dimensions, seed=seed
            )
        },
    )["vectors"]


def _key(data: HetRec, settings: str) -> str:
    return fingerprint(store.locate(data.name, *data.files), data.files, settings, _LAYOUT)
