import pytest

from jostle.lab.compare import compare
from jostle.lab.plan import Advanced, Plan, Run, Timed, gather
from jostle.lab.workers import WorkerError
from lab.examples import same

WORLD = "h1:features=4,pool=6,shown=3"


def test_the_numbers_do_not_depend_on_the_number_of_jobs():
    plan = Plan(WORLD, ("npr:steps=2", "lab.own:First"), 40, (0, 1, 2))
    events = list(compare(plan, jobs=1))
    alone, together = gather(plan, events), gather(plan, compare(plan, jobs=2))
    assert alone.missing() == together.missing() == []
    assert same(alone, together)
    finals = [run.regret for run in alone.of("npr:steps=2")]
    assert len(set(finals)) == 3  # seeds differ

    last = {event.trial: event.rounds for event in events if isinstance(event, Advanced)}
    assert last == dict.fromkeys(plan.trials(), 40)
    assert [isinstance(event, Run) for event in events].count(True) == 6
    assert [event.policy for event in events[-2:] if isinstance(event, Timed)] == list(
        plan.policies
    )
    assert all(0 < times.choosing < 1000 for times in together.times.values())


def test_an_error_in_a_policy_names_it_and_keeps_the_traceback():
    with pytest.raises(WorkerError, match=r"broken on purpose.*lab.own:Broken, seed 0") as caught:
        list(compare(Plan(WORLD, ("lab.own:Broken",), 10, (0,))))
    assert "own.py" in caught.value.details


def test_a_dead_worker_is_an_error_and_not_a_hang():
    message = "ended by signal SIGKILL while playing lab.own:Dying, seed 0"
    with pytest.raises(WorkerError, match=message):
        list(compare(Plan(WORLD, ("lab.own:Dying",), 10, (0, 1)), jobs=2))
