"""node2vec embeddings of the nodes of a graph (Grover and Leskovec, KDD 2016).

Section 5.3 of the paper: "we created user features by running node2vec on the user relation
graph". node2vec is word2vec with random walks for sentences. The walks are drawn here, all of them
at once; the skip-gram model is gensim's. The number and length of the walks, the window and
p = q = 1 are the defaults of the node2vec paper, since ours states only the dimension.
"""

import numpy as np

from jostle.core.optional import require
from jostle.core.validation import number, whole


def node2vec(
    edges: np.ndarray,
    nodes: int,
    *,
    dimensions: int = 50,
    walks_per_node: int = 10,
    length: int = 80,
    window: int = 10,
    epochs: int = 1,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 0,
) -> np.ndarray:
    """Embed the nodes of an undirected graph.

    The same seed gives the same vectors in every process: gensim runs with one worker, because
    several would race, and nothing depends on the hashes of strings.

    Arguments:
        edges: one (node, node) pair per row.
        nodes: the number of nodes.
        dimensions: the length of a vector.
        walks_per_node, length, p, q: see ``random_walks``.
        window, epochs: of the skip-gram model.
        seed: of the walks and of the skip-gram model.

    Returns:
        One row per node, (nodes, dimensions) float32. A node without neighbours is on no walk, and
        its row is zero.
    """
    for name, value in (("dimensions", dimensions), ("window", window), ("epochs", epochs)):
        whole(name, value)
    if not len(edges):
        raise ValueError("edges must hold at least one edge, but is empty")
    graph = Graph(edges, nodes)
    walks = random_walks(graph, walks_per_node=walks_per_node, length=length, p=p, q=q, seed=seed)
    words = np.array([str(node) for node in range(nodes)], dtype=object)
    model = require("gensim.models.word2vec", extra="data").Word2Vec(
        words[walks].tolist(),
        vector_size=dimensions,
        window=window,
        epochs=epochs,
        sg=1,
        min_count=1,
        workers=1,
        seed=seed,
    )
    vectors = np.zeros((nodes, dimensions), np.float32)
    vectors[np.array(model.wv.index_to_key, dtype=np.int64)] = model.wv.vectors
    return vectors


class Graph:
    """An undirected graph of nodes 0 ... nodes - 1, as sorted neighbour lists end to end."""

    def __init__(self, edges: np.ndarray, nodes: int):
        both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
        both = both[both[:, 0] != both[:, 1]]
        self.nodes = nodes
        self.codes: np.ndarray = np.unique(both[:, 0] * nodes + both[:, 1])
        """from * nodes + to for every edge in both directions, ascending."""
        self.neighbours: np.ndarray = self.codes % nodes
        self.degrees: np.ndarray = np.bincount(self.codes // nodes, minlength=nodes)
        self.starts: np.ndarray = np.cumsum(self.degrees) - self.degrees

    def adjacent(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether each pair of nodes is an edge."""
        code = first * self.nodes + second
        place = np.searchsorted(self.codes, code).clip(max=len(self.codes) - 1)
        found: np.ndarray = self.codes[place] == code
        return found

    def random_neighbours(self, nodes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One neighbour of each node, drawn uniformly."""
        offsets = generator.integers(self.degrees[nodes])
        drawn: np.ndarray = self.neighbours[self.starts[nodes] + offsets]
        return drawn


def random_walks(
    graph: Graph,
    *,
    walks_per_node: int = 10,
    length: int = 80,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 0,
) -> np.ndarray:
    """Draw second-order random walks from every node that has neighbours, in random order.

    A walk that came to node v from node t continues to a neighbour x of v with a weight of 1/p if
    x = t, of 1 if x is a neighbour of t, and of 1/q otherwise. All walks take each step together by
    rejection sampling: every walk proposes a neighbour uniformly, accepts it with probability
    weight / largest weight, and proposes again if it did not. This is exact and needs no table of
    transition weights for pairs of edges.

    Returns:
        One walk per row, (walks, length) int64.
    """
    whole("walks_per_node", walks_per_node)
    whole("length", length)
    number("p", p, least=1e-6)
    number("q", q, least=1e-6)
    generator = np.random.default_rng(seed)
    starts = np.repeat(np.flatnonzero(graph.degrees), walks_per_node)
    path = np.empty((len(starts), length), np.int64)
    path[:, 0] = generator.permutation(starts)
    if length > 1:
        path[:, 1] = graph.random_neighbours(path[:, 0], generator)
    back, out = 1 / p, 1 / q
    largest = max(back, 1.0, out)
    for step in range(2, length):
        waiting = np.arange(len(path))
        while waiting.size:
            before, here = path[waiting, step - 2], path[waiting, step - 1]
            proposed = graph.random_neighbours(here, generator)
            weight = np.where(graph.adjacent(before, proposed), 1.0, out)
            weight[proposed == before] = back
            accepted = generator.random(len(waiting)) * largest < weight
            path[waiting[accepted], step] = proposed[accepted]
            waiting = waiting[~accepted]
    return path
