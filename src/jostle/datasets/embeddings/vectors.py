"""The vectors of a recommendation set's items and users, computed once and then cached on disk."""

import numpy as np

from jostle.core.validation import whole
from jostle.datasets import paths
from jostle.datasets.cache import cached, fingerprint
from jostle.datasets.embeddings.node2vec import node2vec
from jostle.datasets.embeddings.tfidf_pca import tfidf_pca
from jostle.datasets.hetrec import HetRec

_VERSION = 1  # increase it when the computation changes, so that old vectors are not read


def item_vectors(data: HetRec, components: int = 25, seed: int = 0) -> np.ndarray:
    """One row per item of ``data``, from its tags: see ``tfidf_pca``."""
    settings = f"{data.name}_{whole('components', components)}_{whole('seed', seed, least=0)}"
    return cached(
        f"items_{settings}",
        _key(data, settings),
        lambda: {
            "vectors": tfidf_pca(data.item_tags, len(data.items), components=components, seed=seed)
        },
    )["vectors"]


def user_vectors(data: HetRec, dimensions: int = 50, seed: int = 0) -> np.ndarray:
    """One row per user of ``data``, from the friendship graph: see ``node2vec``."""
    settings = f"{data.name}_{whole('dimensions', dimensions)}_{whole('seed', seed, least=0)}"
    return cached(
        f"users_{settings}",
        _key(data, settings),
        lambda: {
            "vectors": node2vec(data.friends, len(data.users), dimensions=dimensions, seed=seed)
        },
    )["vectors"]


def _key(data: HetRec, settings: str) -> str:
    return fingerprint(paths.locate(data.name, *data.files), data.files, settings, _VERSION)
