from jostle.lab.running.schedule import Schedule
from jostle.lab.spec.plan import Plan


def schedule(policies, seeds):
    return Schedule(Plan("h1", tuple(policies), 10, tuple(range(seeds))).trials())


def test_a_lone_worker_plays_seed_by_seed():
    one = schedule("ab", 2)
    played = [one.next(0) for _ in range(4)]
    assert [(t.policy, t.seed) for t in played] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert one.next(0) is None


def test_workers_stay_with_what_they_have_compiled():
    two = schedule("ab", 3)
    assert [two.next(w).policy for w in (0, 1, 0, 0, 1)] == ["a", "b", "a", "a", "b"]


def test_an_idle_worker_helps_but_leaves_the_last_trial():
    two = schedule("a", 4)
    assert two.next(0).seed == 0
    assert two.next(1).seed == 1
    assert two.next(0).seed == 2
    three = schedule("a", 2)
    assert three.next(0).seed == 0
    assert three.next(1) is None
    assert three.next(0).seed == 1
    assert len(three) == 0


def test_the_trial_of_a_lost_worker_is_played_by_whoever_is_free():
    two = schedule("ab", 1)
    lost = two.next(0)
    two.next(1)
    two.put_back(lost, 0)
    assert two.next(1) == lost


def test_a_dropped_program_is_played_no_more():
    two = schedule("ab", 2)
    two.drop(("h1", "a"))
    assert [two.next(0).policy for _ in range(2)] == ["b", "b"]
    assert len(two) == 0


def test_what_comes_last_is_played_last_though_nobody_has_compiled_it():
    dear = Plan("h1", ("c",), 10, (0,)).trials()
    two = Schedule([*Plan("h1", ("a", "b"), 10, (0, 1)).trials(), *dear])
    assert [two.next(w).policy for w in (0, 1, 0, 1, 0)] == ["a", "b", "a", "b", "c"]
