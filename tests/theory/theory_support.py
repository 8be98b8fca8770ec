"""Shared by the tests of the theory: the gradients of a network, by finite differences."""

import numpy as np

from jostle.models.networks import PaperNetwork, estimate


def gradients(weights, contexts, step=1e-6):
    """g(x; theta_0) / sqrt(m), (K, p), of a ``PaperNetwork`` with these weights.

    Central differences in float64: away from the kinks of ReLU the output is linear in any single
    weight, so they are exact to rounding.
    """
    network = PaperNetwork(weights[-1].shape[0], len(weights))
    params = [np.array(w, np.float64) for w in weights]
    rows = []
    for weight in params:
        for index in np.ndindex(weight.shape):
            kept, ends = weight[index], []
            for sign in (1, -1):
                weight[index] = kept + sign * step
                ends.append(estimate(network, params, np.asarray(contexts, np.float64)))
            weight[index] = kept
            rows.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(rows, axis=1) / np.sqrt(network.width)
