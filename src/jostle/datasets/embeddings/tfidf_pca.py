"""Vectors of items: the principal components of the TF-IDF weights of their tags.

Section 5.3 of the paper: "we used all the tags associated with each item to create its TF-IDF
feature vector. Then PCA was applied", following Cesa-Bianchi et al. (2013). An item is a document,
its tags are the words, and the number of times a tag was given is the count of the word.
"""

import numpy as np

from jostle.core.optional import require
from jostle.core.validation import whole


def tfidf_pca(
    item_tags: np.ndarray, items: int, *, components: int = 25, seed: int = 0
) -> np.ndarray:
    """Reduce the TF-IDF weights of the items' tags to their first principal components.

    The components are fitted on the items that have tags. An item without tags gets zeros, the mean
    of the tagged items, because nothing is known about it. (As documents without words, a third of
    Last.fm would shift the mean and form a cluster far from all other items.)

    Arguments:
        item_tags: one (item, tag, weight) triple per row.
        items: the number of items.
        components: the number of principal components.
        seed: starts the iteration that finds the components.

    Returns:
        One row per item, (items, components) float32.
    """
    whole("components", components)
    tagged, rows = np.unique(item_tags[:, 0], return_inverse=True)
    tags, columns = np.unique(item_tags[:, 1], return_inverse=True)
    if components >= min(len(tagged), len(tags)):
        raise ValueError(
            f"components must be less than the number of items with tags, {len(tagged)}, and of "
            f"their tags, {len(tags)}, but is {components}"
        )
    counts = require("scipy.sparse", extra="data").csr_array(
        (item_tags[:, 2].astype(np.float64), (rows, columns)), shape=(len(tagged), len(tags))
    )
    text = require("sklearn.feature_extraction.text", extra="data")
    decomposition = require("sklearn.decomposition", extra="data")
    weights = text.TfidfTransformer().fit_transform(counts)
    # The one solver that accepts sparse rows as they are: centred and dense, Delicious is 29 GB.
    pca = decomposition.PCA(components, svd_solver="arpack", random_state=seed)
    vectors = np.zeros((items, components), np.float32)
    vectors[tagged] = pca.fit_transform(weights)
    return vectors
