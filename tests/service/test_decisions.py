"""Decisions and their rewards, one rule at a time."""

import msgspec
import numpy as np
import pytest
from service_support import SMALL, Bench, make_request

from jostle.service.messages import ActionItem, Answer, Config, EventReward, SchemaConfig
from jostle.service.problems import Conflict, Invalid, NotFound, Used
from jostle.service.replay import replay


def answer(found):
    return msgspec.json.decode(found.body)


def test_the_same_request_has_the_same_answer_byte_for_byte_after_a_restart_too(bench):
    bench.create()
    first = bench.decide("e", context={"a": 1, "b": 2})
    assert first.created
    again = bench.decide("e", context={"b": 2, "a": 1})
    bench.restart()
    later = bench.decide("e", context={"a": 1, "b": 2})
    assert again == later == Answer(first.body, created=False)
    for other in ({"a": 2, "b": 2}, {"a": 1.0, "b": 2}):
        with pytest.raises(Used, match="used for another request"):
            bench.decide("e", context=other)


def test_replay_adds_up_terms_in_the_order_in_which_their_names_came(bench):
    """Large numbers that cancel leave a tiny one or not, depending on the order."""
    bench.create()
    rng = np.random.default_rng(0)
    for event in range(20):
        names = [f"f{place}" for place in rng.permutation(40)]
        values = rng.choice([1e9, -1e9, 1e-17], size=40).tolist()
        features = dict(zip(names, values, strict=True))
        actions = [ActionItem(id=id, features=features) for id in "xy"]
        bench.decide(f"e{event}", actions=actions)
    found = replay(bench.data, "a", verify=True)
    assert (found.decisions, found.errors) == (20, ())


def test_an_answer_states_what_was_decided(bench):
    bench.create()
    found = answer(bench.decide("e", actions=("x", "y", "z"), exclude=["y"]))
    assert found["event_id"] == "e"
    assert {each["id"] for each in found["ranking"]} == {"x", "z"}
    assert found["ranking"][0]["id"] == found["action"]
    assert found["ranking"][0]["probability"] == found["probability"]
    assert sum(each["probability"] for each in found["ranking"]) == pytest.approx(1)
    assert found["mode"] == "online"
    assert found["expires_at"] == bench.clock.now + 10


def test_a_batch_is_answered_in_order_and_its_bad_ones_do_not_fail_the_others(bench):
    bench.create()
    requests = [make_request("a"), make_request("b", exclude=["?"]), make_request("a")]
    first, bad, again = bench.run(bench.service.decide_many("a", requests))
    assert isinstance(bad, Invalid)
    assert bad.path == "exclude[0]"
    assert (first.created, again.created) == (True, False)
    assert first.body == again.body
    rewards = [EventReward(event_id=each, value=1.0, reward_id="r") for each in ("a", "a", "c")]
    found = bench.run(bench.service.reward_many("a", rewards))
    assert found == ["joined", "duplicate", "pending"]


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ({"actions": ("x", "x")}, "actions[1].id"),
        ({"exclude": ["x", "y"]}, "exclude"),
        ({"baseline": "z"}, "baseline"),
        ({"context": {"user": {"age": float("inf")}}}, "context.user.age"),
        (
            {"actions": ("x", ActionItem(id="y", features={"p": float("inf")})), "exclude": ["x"]},
            "actions[1].features.p",
        ),
        ({"actions": (ActionItem(id="x", features={"id": 1}), "y")}, "actions[0].features.id"),
    ],
)
def test_bad_requests_are_refused_with_the_path_of_what_is_wrong(bench, request_, path):
    bench.create()
    with pytest.raises(Invalid) as error:
        bench.decide(**request_)
    assert error.value.path == path
    assert error.value.status == 422


def test_rewards_are_joined_counted_once_and_late(bench):
    bench.create(msgspec.structs.replace(SMALL, aggregation="sum"))
    bench.decide("e")
    states = [bench.reward("e", 2.0, reward_id="r"), bench.reward("e", 2.0, reward_id="r")]
    bench.restart()
    states += [bench.reward("e", 2.0, reward_id="r"), bench.reward("e", 3.0)]
    bench.pass_time(10)
    states.append(bench.reward("e", 9.0))
    assert states == ["joined", "duplicate", "duplicate", "joined", "late"]
    found = bench.service.decision("a", "e")
    assert found["closed"]["reward"] == 5.0
    assert found["closed"]["reason"] == "waited"
    assert [each["state"] for each in found["rewards"]] == ["joined", "joined", "late"]


def test_a_reward_may_come_before_its_decision_and_close_it(bench):
    bench.create()
    assert bench.reward("e", 4.0, final=True) == "pending"
    assert bench.service.decision("a", "e")["state"] == "expected"
    bench.decide("e")
    closed = bench.service.decision("a", "e")["closed"]
    assert (closed["reward"], closed["reason"]) == (4.0, "final")


def test_decisions_without_rewards_get_the_default_reward(bench):
    bench.create()
    bench.decide("e")
    bench.pass_time(9.9)
    assert bench.service.decision("a", "e")["state"] == "open"
    bench.pass_time(0.2)
    closed = bench.service.decision("a", "e")["closed"]
    assert (closed["reward"], closed["reason"]) == (0.0, "default")


def test_deferred_decisions_count_only_once_they_are_activated(bench):
    bench.create()
    for event in ("shown", "hidden"):
        bench.decide(event, defer=True)
    activate = bench.service.activate
    assert bench.run(activate("a", "shown")) == "activated"
    assert bench.run(activate("a", "shown")) == "active"
    bench.reward("hidden", 1.0)
    bench.pass_time(10)
    assert bench.run(activate("a", "shown")) == "late"
    assert bench.service.decision("a", "shown")["closed"]["reward"] == 0.0
    closed = bench.service.decision("a", "hidden")["closed"]
    assert (closed["reason"], closed["reward"]) == ("inactive", None)
    with pytest.raises(NotFound):
        bench.run(activate("a", "nothing"))


def test_the_first_reward_closes_if_learning_is_at_once(bench):
    bench.create(msgspec.structs.replace(SMALL, learn_at_once=True))
    bench.decide("e")
    assert bench.reward("e", 2.0) == "joined"
    assert bench.service.decision("a", "e")["closed"]["reason"] == "rewarded"


def test_too_many_open_decisions_close_the_oldest(bench):
    bench.create(msgspec.structs.replace(SMALL, pending=2))
    for event in ("1", "2", "3"):
        bench.decide(event)
        bench.clock.now += 1
    states = [bench.service.decision("a", event)["state"] for event in ("1", "2", "3")]
    assert states == ["closed", "open", "open"]
    closed = bench.service.decision("a", "1")["closed"]
    assert (closed["reason"], closed["reward"]) == ("evicted", None)


def test_an_apprentice_does_what_the_baseline_does(bench):
    bench.create(msgspec.structs.replace(SMALL, mode="apprentice"))
    with pytest.raises(Invalid, match="baseline is missing"):
        bench.decide("e")
    found = answer(bench.decide("e", baseline="y", baseline_probability=0.5))
    assert (found["action"], found["probability"], found["mode"]) == ("y", 0.5, "apprentice")
    bench.reward("e", 3.0)
    bench.pass_time(10)
    apprentice = bench.service.statistics("a").apprentice
    assert (apprentice.decisions, apprentice.baseline_value) == (1, 3.0)
    bench.learn()
    assert bench.service.statistics("a").learned == 1


def test_log_only_learns_nothing(bench):
    bench.create(msgspec.structs.replace(SMALL, mode="log_only"))
    assert answer(bench.decide("e", baseline="y"))["action"] == "y"
    bench.reward("e")
    bench.pass_time(10)
    bench.learn()
    assert bench.service.statistics("a").learned == 0


def test_rewards_out_of_bounds_are_refused(bench):
    bench.create(msgspec.structs.replace(SMALL, bounds=(0.0, 1.0)))
    bench.decide("e")
    for value in (2.0, float("nan"), float("inf")):
        with pytest.raises(Invalid, match="value must be"):
            bench.reward("e", value)
    assert bench.reward("e", 1.0) == "joined"


def test_an_explanation_states_what_each_feature_contributes(bench):
    bench.create()
    for i in range(20):
        event = str(i)
        bench.decide(event, context={"hot": float(i % 2)}, actions=("x",))
        bench.reward(event, float(i % 2))
    bench.pass_time(10)
    bench.learn()
    found = answer(bench.decide(context={"hot": 1.0, "idle": 0.0}, actions=("x",), explain=True))
    contributions = {each["feature"]: each["contribution"] for each in found["explanation"]}
    assert contributions["context.hot"] > abs(contributions["context.idle"])
    assert bench.service.statistics("a").features[0].feature == "context.hot"


def test_configurations_have_etags_and_bad_ones_are_refused(bench):
    bench.create()
    config, etag = bench.service.config("a")
    assert config == SMALL
    changed = msgspec.structs.replace(SMALL, floor=0.5)
    with pytest.raises(Conflict):
        bench.run(bench.service.put_config("a", changed, '"other"'))
    new = bench.run(bench.service.put_config("a", changed, etag))
    assert new != etag
    assert bench.service.config("a") == (changed, new)
    bench.restart()
    assert bench.service.config("a") == (changed, new)
    for bad, path in (
        (Config(policy="os:system"), "policy"),
        (Config(policy="nonsense"), "policy"),
        (Config(policy="neural-ucb"), "policy"),
        (Config(policy="lin-ts", optimism=1.0), "optimism"),
        (Config(bounds=(1.0, 0.0)), "bounds"),
        (Config(bounds=(1.0, 2.0)), "default_reward"),
        (Config(schema=SchemaConfig(context={"x": 3})), "schema.context.x"),
    ):
        with pytest.raises(Invalid) as error:
            bench.run(bench.service.put_config("a", bad, None))
        assert error.value.path == path


def test_a_new_floor_holds_at_once_and_keeps_what_was_learned(bench):
    bench.create()
    bench.decide("e")
    bench.pass_time(10)
    bench.learn()
    bench.run(bench.service.put_config("a", msgspec.structs.replace(SMALL, floor=1.0), None))
    found = answer(bench.decide())
    assert [each["probability"] for each in found["ranking"]] == [0.5, 0.5]
    assert bench.service.statistics("a").learned == 1


def test_another_policy_begins_again(bench):
    bench.create()
    bench.decide("e")
    bench.pass_time(10)
    bench.learn()
    bench.run(bench.service.put_config("a", msgspec.structs.replace(SMALL, dimensions=16), None))
    assert bench.service.statistics("a").learned == 0
    bench.decide("f")
    bench.pass_time(10)
    bench.learn()
    assert bench.service.statistics("a").learned == 1


def test_a_schema_refuses_what_does_not_fit(bench):
    config = msgspec.convert(
        {
            "policy": "lin-ts",
            "dimensions": 8,
            "schema": {"context": {"age": {"type": "number", "least": 0}}},
        },
        Config,
    )
    bench.create(config)
    with pytest.raises(Invalid) as error:
        bench.decide(context={"age": -1})
    assert error.value.path == "context.age"
    bench.decide(context={"age": 1})


def test_apps_do_not_know_of_each_other(bench):
    bench.create().create(app="b")
    bench.decide("e")
    with pytest.raises(NotFound):
        bench.service.decision("b", "e")
    assert bench.decide("e", app="b").created
    with pytest.raises(NotFound, match="no app 'c'"):
        bench.decide(app="c")
    with pytest.raises(Conflict):
        bench.create()
    assert bench.service.apps() == ["a", "b"]


def test_statistics_are_the_same_after_a_restart(bench):
    bench.create()
    rng = np.random.default_rng(0)
    for i in range(12):
        bench.decide(str(i))
        bench.clock.now += 7
        if rng.random() < 0.5:
            bench.reward(str(i), rng.random())
    bench.pass_time(3)
    before = bench.service.statistics("a", since=1000.0, buckets=10)
    bench.restart()
    after = bench.service.statistics("a", since=1000.0, buckets=10)
    assert before.totals.decisions == 12
    assert before.totals.closed + before.open == 12
    assert sum(each.decisions for each in before.buckets) == 12
    assert len({each.seconds for each in before.buckets}) == 1
    assert (before.totals, before.buckets, before.actions) == (
        after.totals,
        after.buckets,
        after.actions,
    )


def test_two_services_cannot_share_a_folder(bench):
    with pytest.raises(BlockingIOError, match="in use by another service"):
        Bench(bench.data)
