from jostle.lab.analysis.tuned_settings import tuned_policies
from lab.examples import comparison, tune


def test_choices_are_counted_and_so_are_their_rounds():
    chosen = {"npr": [{"noise": 0.1}, {}, {"noise": 0.1}]}
    made = tune(comparison({"npr": [1, 2, 3], "uniform": [9, 9, None]}), chosen, candidates=5)
    npr, uniform = tuned_policies(made)
    assert npr.chosen == [({"noise": 0.1}, 2), ({}, 1)]
    assert npr.candidates == 5
    # Three seeds, five candidates, 20 rounds each; then the best of 5 plays 80 more.
    assert npr.tuning_rounds == 3 * 5 * 20
    assert npr.all_rounds == 3 * (5 * 20 + 80)
    assert uniform[2:] == (0, 0, 0, 200)


def test_candidates_that_stopped_early_cost_less():
    made = tune(comparison({"npr": [1]}), {"npr": [{}]})
    run = made.runs[0]
    first, second, third = (each._replace(rounds=5) for each in run.candidates)
    made.runs = [run._replace(candidates=(first._replace(rounds=20), second, third))]
    (tuned,) = tuned_policies(made)
    assert (tuned.tuning_rounds, tuned.all_rounds) == (30, 110)
