import json
from pathlib import Path

import optax
import pytest

from jostle import Training
from jostle import factory as naming
from jostle.core import grammar
from jostle.core.description import settings
from jostle.environments import Synthetic
from jostle.models.networks import PaperNetwork
from jostle.policies import NPR
from jostle.policies.catalog import CATALOG
from jostle.types import BanditSpec
from lab.own import First

RESULTS = Path(__file__).parents[1] / "results"


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("npr", "npr", {}),
        (" npr:noise=0.2, steps=10 ", "npr", {"noise": 0.2, "steps": 10}),
        ("h1:pool=None,noise=1e-3", "h1", {"pool": None, "noise": 0.001}),
        ("npr:restart=true,fitting=full", "npr", {"restart": True, "fitting": "full"}),
        ("lab.own:First", "lab.own:First", {}),
        ("lab.own:First:eagerness=2", "lab.own:First", {"eagerness": 2}),
        ("coins:probabilities=(0.6, 0.5)", "coins", {"probabilities": (0.6, 0.5)}),
        ("units:of=(h1:shown=5,pool=9),a=1", "units", {"of": "h1:shown=5,pool=9", "a": 1}),
        ("units:of=(u:of=(h1:pool=9)),a=(h2)", "units", {"of": "u:of=(h1:pool=9)", "a": "h2"}),
    ],
)
def test_text_is_a_name_and_settings(text, name, settings):
    assert grammar.parse(text) == (name, settings)


@pytest.mark.parametrize(
    "text", ["", "noise=2", ":noise=2", "npr:noise=", "npr:a=1,b", "npr:=1", "u:of=h1:a=2"]
)
def test_text_that_is_neither_is_refused(text):
    with pytest.raises(ValueError, match="written"):
        grammar.parse(text)


def test_a_setting_given_twice_is_refused():
    with pytest.raises(ValueError, match="noise is set twice"):
        grammar.parse("npr:noise=1,noise=2")


@pytest.mark.parametrize("text", ["u:of=(h1", "u:of=h1)", "u:of=)h1(", "u:of=((h1)"])
def test_parentheses_must_match(text):
    with pytest.raises(ValueError, match="a parenthesis is missing"):
        grammar.parse(text)


def test_lists_keep_settings_with_their_names():
    texts = ["npr:noise=0.2,steps=10,uniform", "lab.own:First:eagerness=2, npr"]
    assert grammar.split(texts) == [
        "npr:noise=0.2,steps=10",
        "uniform",
        "lab.own:First:eagerness=2",
        "npr",
    ]
    with pytest.raises(ValueError, match="'npr' is named twice"):
        grammar.split(["npr,uniform,npr"])
    assert grammar.split(["a:b=(1,2),c=3,d"]) == ["a:b=(1,2),c=3", "d"]


def test_environments_by_name():
    assert naming.make_environment("h2").function == "h2"
    world = naming.make_environment("h1:pool=none,noise=0.3,features=7")
    assert (world.pool, world.noise, world.features) == (None, 0.3, 7)


def test_every_policy_of_the_catalog_has_a_name():
    world = Synthetic("h1", features=4, pool=6, shown=3)
    names = naming.suitable(world)
    assert {"npr", "epsilon-greedy", "uniform"} <= set(names) <= set(CATALOG)
    for name in names:
        assert naming.make_policy(name, world).features == 4


def test_policies_are_told_about_the_environment_but_not_its_noise():
    world = Synthetic("h1", pool=30, noise=0.77)
    policy = naming.make_policy("npr:steps=3", world)
    assert (policy.features, policy.pool, policy.training.steps) == (50, 30, 3)
    assert policy.noise == NPR(features=50).noise
    assert naming.make_policy("npr", Synthetic("h1", pool=None)).pool is None
    assert naming.make_policy("npr:pool=none", world).pool is None
    same = NPR.for_environment(world, training=Training(steps=3))
    assert same.settings() == policy.settings()
    assert same.spec == BanditSpec(features=50, pool=30)
    assert world.spec == BanditSpec(features=50, pool=30, arms=30)


def test_a_policy_of_ones_own():
    policy = naming.make_policy("lab.own:First:eagerness=2", Synthetic("h1"))
    assert isinstance(policy, First)
    assert policy.eagerness == 2.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nrp", "unknown policy 'nrp'; did you mean 'npr'"),
        ("EPSILON", "did you mean 'epsilon-greedy'"),
        ("npr:nois=1", "policy 'npr': unknown setting of NPR: 'nois'; did you mean 'noise'"),
        ("npr:noise=-1", "policy 'npr': noise must be at least 0"),
        ("npr:noise=loud", "policy 'npr': noise must be numeric"),
        ("npr:steps=2.5", "policy 'npr': steps must be a whole number"),
        ("npr:network=pper", "policy 'npr': unknown network 'pper'; did you mean 'paper'"),
        ("npr:optimiser=sdg", "policy 'npr': unknown optimiser 'sdg'; did you mean 'sgd'"),
        ("npr:network=paper,linear=true", "policy 'npr': unknown setting of NPR: 'linear'"),
        ("npr:pool=7", "pool of the policy is 7, but 100 in this environment"),
        ("nowhere.at.all:Mine", "cannot import 'nowhere.at.all': ModuleNotFoundError"),
        ("lab.own:Frist", "unknown policy in 'lab.own': 'Frist'; did you mean 'First'"),
        ("lab.own:Stranger", "'lab.own:Stranger' is not a jostle Policy"),
        ("lab.own:NeedsUsers", "needs users, which this environment does not provide"),
    ],
)
def test_bad_policies_are_refused_in_words(text, message):
    with pytest.raises(ValueError, match=message):
        naming.make_policy(text, Synthetic("h1"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h3", "unknown environment 'h3'; did you mean 'h"),
        ("h1:pol=3", "did you mean 'pool'"),
        ("h1:pool=3", "shown must be at most pool = 3"),
        ("h1:function=h2", "function"),
        ("lab.own:First", "is not a jostle Environment"),
    ],
)
def test_bad_environments_are_refused_in_words(text, message):
    with pytest.raises(ValueError, match=message):
        naming.make_environment(text)


def test_a_policy_that_needs_arms_does_not_suit_new_arms():
    world = Synthetic("h1", pool=None)
    with pytest.raises(ValueError, match="pooled"):
        naming.make_policy("npr:fitting=pooled", world)


def test_policies_are_described_as_in_published_results():
    """Else committed results would no longer be found: automatic settings are resolved."""
    manifest = json.loads((RESULTS / "fig1a-jostle" / "manifest.json").read_text())
    for name, described in manifest["policies"]["h1"].items():
        assert settings(naming.make_policy(name, naming.make_environment("h1"))) == described


def test_the_size_of_the_network_is_a_setting_too():
    world = Synthetic("h1", features=4, pool=6, shown=3)
    policy = naming.make_policy("neural-ucb:width=16,depth=2,steps=3", world)
    assert (policy.network.width, policy.network.depth, policy.training.steps) == (16, 2, 3)
    with pytest.raises(ValueError, match="width must be at least 1"):
        naming.make_policy("npr:width=0", world)
    with pytest.raises(ValueError, match="unknown setting of NPR: 'widht'; did you mean 'width'"):
        naming.make_policy("npr:widht=3", world)
    with pytest.raises(ValueError, match="policy 'lin-ucb': unknown setting of LinUCB: 'width'"):
        naming.make_policy("lin-ucb:width=3", world)


def test_other_constructors_go_by_a_dot():
    world = Synthetic("h1", features=4, pool=6, shown=3)
    policy = naming.make_policy("npr.paper:width=32,noise=0.5", world)
    assert isinstance(policy.network, PaperNetwork)
    assert (policy.network.width, policy.noise, policy.pool) == (32, 0.5, 6)
    steps = [
        naming.make_policy(name, world).effective_training.steps
        for name in ("falcon", "falcon.descent", "falcon.paper")
    ]
    assert steps == [2, 1000, 1000]
    with pytest.raises(ValueError, match=r"unknown policy 'npr.papre'; did you mean 'npr.paper'"):
        naming.make_policy("npr.papre", world)


def test_words_stand_for_networks_and_optimisers():
    policy = naming.make_policy(
        "npr:optimiser=sgd,network=paper,width=32", naming.make_environment("h1")
    )
    assert (policy.training.optimiser, policy.network) == (optax.sgd, PaperNetwork(32, 3))
