"""Items as vectors: TF-IDF of their tags, reduced to the first principal components.

Section 5.3: "we used all the tags associated with each item to create its TF-IDF feature vector.
Then PCA was applied", as Cesa-Bianchi et al. (2013) did before. An item is a document, its tags
are the words, and how often a tag was given is how often the word occurs.
"""

import numpy as np

from jostle.core.validation import whole
from jostle.datasets.extra import need


def item_features(
    item_tags: np.ndarray, items: int, *, components: int = 25, seed: int = 0
) -> np.ndarray:
    """One row an item, (items, components) float32, from rows of (item, tag, weight).

    The components are those of the items that have tags. An item without any gets zeros, which is
    where the average tagged item lies: nothing is known of it. (Were it counted as a document
    without words, a third of Last.fm would pull the mean, and lie together far from all others.)

    ``seed`` only starts the iteration that finds the components.
    """
    whole("components", components)
    tagged, rows = np.unique(item_tags[:, 0], return_inverse=True)
    tags, columns = np.unique(item_tags[:, 1], return_inverse=True)
    if components >= min(len(tagged), len(tags)):
        raise ValueError(
            f"components must be less than the {len(tagged)} items with tags and than their "
            f"{len(tags)} tags, not {components}"
        )
    counts = need("scipy.sparse").csr_array(
        (item_tags[:, 2].astype(np.float64), (rows, columns)), shape=(len(tagged), len(tags))
    )
    weighted = need("sklearn.feature_extraction.text").TfidfTransformer().fit_transform(counts)
    # The one solver that takes sparse rows as they are: centred and dense, Delicious is 29 GB.
    analysis = need("sklearn.decomposition").PCA(components, svd_solver="arpack", random_state=seed)
    features = np.zeros((items, components), np.float32)
    features[tagged] = analysis.fit_transform(weighted)
    return features
