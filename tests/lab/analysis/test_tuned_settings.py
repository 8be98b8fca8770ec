from jostle.lab.analysis import tuned_settings as tuned
from lab.examples import comparison, outcome, tune


def test_choices_are_counted_and_their_cost_is_told():
    chosen = {"npr": [{"noise": 0.1}, {}, {"noise": 0.1}]}
    made = tune(comparison({"npr": [1, 2, 3], "uniform": [9, 9, None]}), chosen, candidates=5)
    npr, uniform = tuned.choices(made)
    assert npr.chosen == [("noise 0.1", 2), ("as named", 1)]
    assert npr.candidates == 5
    # Three seeds, five candidates, 20 rounds each; then the best of 5 plays 80 more.
    assert npr.spent == 3 * 5 * 20
    assert npr.played == 3 * (5 * 20 + 80)
    assert (uniform.candidates, uniform.spent, uniform.played) == (0, 0, 200)
    page = tuned.section(outcome(made, tuning={"method": "grid", "rounds": 20}))
    assert "noise 0.1 (2 seeds); as named (1 seed)" in page
    assert "300 rounds while they were compared, 41% of the 740 rounds in all" in page
    assert "on the first rounds of the very stream that is reported" in page
    assert "nothing to tune" in page


def test_candidates_that_stopped_early_cost_less():
    made = tune(comparison({"npr": [1]}), {"npr": [{}]})
    run = made.runs[0]
    first, second, third = (each._replace(rounds=5) for each in run.candidates)
    made.runs = [run._replace(candidates=(first._replace(rounds=20), second, third))]
    (choice,) = tuned.choices(made)
    assert (choice.spent, choice.played) == (30, 110)


def test_nothing_is_said_when_nothing_was_tuned():
    assert tuned.section(outcome(comparison({"npr": [1]}))) == ""
