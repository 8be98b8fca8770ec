"""Users as vectors: node2vec of the graph of their friendships.

Section 5.3: "we created user features by running node2vec on the user relation graph". node2vec
(Grover and Leskovec, KDD 2016) is word2vec with walks for sentences: the walks are ours, the
skip-gram is gensim's. The number and length of walks, the window and p = q = 1 are the defaults of
that paper, since ours gives none but the dimension.
"""

import numpy as np

from jostle.core.validation import whole
from jostle.datasets.extra import need
from jostle.datasets.walks import Graph, walks


def user_features(
    friends: np.ndarray,
    users: int,
    *,
    dimensions: int = 50,
    each: int = 10,
    length: int = 80,
    window: int = 10,
    epochs: int = 1,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 0,
) -> np.ndarray:
    """One row a user, (users, dimensions) float32, from rows of (user, user).

    A user without friends gets zeros, as no walk comes by. The same seed gives the same vectors
    in every process: one worker, since several race, and nothing hangs on the hashes of strings.
    """
    for name, value in (("dimensions", dimensions), ("window", window), ("epochs", epochs)):
        whole(name, value)
    if not len(friends):
        raise ValueError("friends must hold at least one friendship, but is empty")
    graph = Graph(friends, users)
    words = np.array([str(user) for user in range(users)], dtype=object)
    sentences = words[walks(graph, each=each, length=length, p=p, q=q, seed=seed)].tolist()
    vectors = (
        need("gensim.models.word2vec")
        .Word2Vec(
            sentences,
            vector_size=dimensions,
            window=window,
            epochs=epochs,
            sg=1,
            min_count=1,
            workers=1,
            seed=seed,
        )
        .wv
    )
    features = np.zeros((users, dimensions), np.float32)
    features[np.array(vectors.index_to_key, dtype=np.int64)] = vectors.vectors
    return features
