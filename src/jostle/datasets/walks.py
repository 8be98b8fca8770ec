"""Random walks on a graph, biased as node2vec's are (Grover and Leskovec, KDD 2016)."""

import numpy as np

from jostle.core.validation import number, whole


class Graph:
    """An undirected graph of nodes 0 ... nodes - 1, as sorted neighbour lists end to end."""

    def __init__(self, edges: np.ndarray, nodes: int):
        both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
        both = both[both[:, 0] != both[:, 1]]
        self.nodes = nodes
        self.codes: np.ndarray = np.unique(both[:, 0] * nodes + both[:, 1])
        """from * nodes + to of every edge in either direction, ascending."""
        self.neighbours: np.ndarray = self.codes % nodes
        self.degrees: np.ndarray = np.bincount(self.codes // nodes, minlength=nodes)
        self.starts: np.ndarray = np.cumsum(self.degrees) - self.degrees

    def adjacent(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Which of the pairs are edges."""
        code = first * self.nodes + second
        place = np.searchsorted(self.codes, code).clip(max=len(self.codes) - 1)
        return self.codes[place] == code

    def random_neighbours(self, nodes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """One neighbour of each node, all of its neighbours equally likely."""
        return self.neighbours[self.starts[nodes] + generator.integers(self.degrees[nodes])]


def walks(
    graph: Graph, *, each: int = 10, length: int = 80, p: float = 1.0, q: float = 1.0, seed: int = 0
) -> np.ndarray:
    """``each`` walks of ``length`` nodes from every node that has neighbours, one a row, shuffled.

    A walk that came from node t goes on from v to a neighbour x with weight 1/p if x = t, 1 if x
    is a neighbour of t, else 1/q. All walks take a step at once: each proposes a neighbour
    uniformly and takes it with probability weight / largest weight, else proposes again. This is
    exact, and needs no table of the weights of pairs of edges.
    """
    whole("each", each)
    whole("length", length)
    number("p", p, least=1e-6)
    number("q", q, least=1e-6)
    generator = np.random.default_rng(seed)
    starts = np.repeat(np.flatnonzero(graph.degrees), each)
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
            taken = generator.random(len(waiting)) * largest < weight
            path[waiting[taken], step] = proposed[taken]
            waiting = waiting[~taken]
    return path
