"""Peers meet the arms and the noise that ``simulate`` shows to policies."""

import jax
import numpy as np
import pytest

from jostle import Uniform, simulate
from jostle.core.contexts import Blocks
from jostle.environments import Classification
from jostle.peers import stream
from jostle.peers.vowpal_text import Layout

from field_cases import CASES, STREAMS
from support import EASY

ROUNDS, SEED = 25, 7


def whole(environment, rounds=ROUNDS):
    """All chunks as one."""
    pieces = list(stream.chunks(environment, rounds=rounds, seed=SEED))
    return jax.tree.map(lambda *rows: np.concatenate(rows), *pieces)


@pytest.mark.parametrize("name", ["clicks", "arrivals", "eat", "offers", "units"])
def test_every_arm_pays_what_a_simulation_pays(name, monkeypatch):
    monkeypatch.setattr(stream, "SIZE", 10)  # so that there are several chunks, the last one cut
    environment = CASES[name]
    result = simulate(Uniform(environment.features), environment, rounds=ROUNDS, seed=SEED)
    chunk = whole(environment)
    taken = np.arange(ROUNDS), result.actions
    assert np.all(chunk.round.mask[taken])
    np.testing.assert_allclose(chunk.rewards[taken], result.rewards, rtol=1e-5)
    np.testing.assert_allclose(
        np.cumsum(chunk.regrets[taken], dtype=np.float64), result.regret, rtol=1e-4, atol=1e-6
    )


def test_full_information_is_refused():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    environment = Classification.from_arrays(rows, np.arange(30) % 3, full_information=True)
    with pytest.raises(ValueError, match="reveals more than the reward"):
        whole(environment)


def lines_of(environment):
    chunk = whole(environment, rounds=3)
    layout = Layout.of(chunk)
    present = np.flatnonzero(chunk.round.mask[0])
    contexts = jax.tree.map(lambda rows: rows[0][present], chunk.round.contexts)
    return layout, layout.lines(contexts, chunk.round.arms[0][present]), contexts


def test_in_the_disjoint_model_a_user_is_shared_and_an_action_is_its_id():
    layout, lines, contexts = lines_of(STREAMS["arrivals"])
    assert isinstance(contexts, Blocks)
    values = " ".join(f"f{i}:{value:.7g}" for i, value in enumerate(contexts.x[0]))
    assert lines == [f"shared |s {values}", "|a id0 ", "|a id1 "]
    assert layout.interactions == "-q sa"
    labelled = layout.labelled(lines, 1, 0.5, 0.25)
    assert labelled == [*lines[:2], "0:-0.5:0.25 |a id1 "]


def test_features_that_differ_between_arms_belong_to_the_actions():
    layout, lines, contexts = lines_of(STREAMS["offers"])
    np.testing.assert_array_equal(layout.shared, [0, 1])
    np.testing.assert_array_equal(layout.own, [2, 3])
    assert layout.interactions == "-q sa -q aa"
    assert lines[1] == f"|a f2:{contexts[0, 2]:.7g} f3:{contexts[0, 3]:.7g}"
    alone, lines, _ = lines_of(EASY)
    assert alone.interactions == "-q aa"
    assert len(lines) == 4
    assert lines[0].startswith("|a id")
    assert alone.labelled(lines, 0, 1.0, 0.5)[0] == f"0:-1:0.5 {lines[0]}"
