"""``LocalClient``: the service in this process."""

import threading

import pytest

import jostle
from jostle.client.errors import ServiceError
from jostle.service.service_settings import ServiceSettings

CORE = ServiceSettings(learner=False)


def test_decisions_in_process_are_kept(tmp_path):
    with jostle.LocalClient(tmp_path / "data", "shop", core=CORE) as client:
        decision = client.decide({"hour": 9}, ["a", "b"], event_id="e")
        assert client.reward("e", 1.0, reward_id="r") == "joined"
        found = client.decide_many([{"actions": ["a"]}, {"actions": ["a", "a"]}])
        assert found[0].action == "a"
        assert found[1].path == "actions[1].id"
        config, tag = client.config()
        assert client.put_config({"wait": 60.0, "policy": "uniform"}, tag)[0].wait == 60.0
        with pytest.raises(ServiceError) as caught:
            client.put_config(config, tag)
        assert caught.value.status == 412
        with pytest.raises(ServiceError, match=r"422 .*\(query.buckets\)"):
            client.statistics(buckets=0)
        key = client.create_key({"shop": ["decide"]})
        assert client.keys()[0].id == key.id
        assert client.health().apps == 1
    with pytest.raises(RuntimeError, match="closed"):
        client.apps()
    client.close()  # twice does no harm
    with jostle.LocalClient(tmp_path / "data", "shop", core=CORE) as client:
        assert client.decide({"hour": 9}, ["a", "b"], event_id="e") == decision
        assert client.reward("e", 1.0, reward_id="r") == "duplicate"
        assert client.config()[0].wait == 60.0


def test_any_number_of_threads_may_ask(tmp_path):
    with jostle.LocalClient(tmp_path / "data", core=CORE) as client:
        client.put_config({"policy": "uniform"})
        found = []

        def ask():
            found.extend(client.decide({}, ["a", "b"]).event_id for _ in range(20))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(found)) == 80
        assert client.statistics().totals.decisions == 80


def test_a_folder_serves_one_at_a_time(tmp_path):
    with jostle.LocalClient(tmp_path / "data", core=CORE):
        with pytest.raises((OSError, RuntimeError, ValueError)) as caught:
            jostle.LocalClient(tmp_path / "data", core=CORE)
        assert str(caught.value)
