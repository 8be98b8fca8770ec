from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.headline import best_policy
from jostle.lab.spec.plan import REWARD
from lab.examples import comparison, growth, growth_with_rounds, outcome, statistics


def headlines(made):
    return renderer_of(made).headlines(made)


def test_the_headline_is_certain_only_when_the_seeds_are():
    sentence, certainty, _ = best_policy(comparison({"a": [10, 11, 12], "b": [20, 22, 23]}))
    assert sentence == (
        "a has the lowest regret: 11.0 ± 0.6 after 100 rounds of h1, 49% below the 21.7 of b."
    )
    # The differences are 10, 11 and 11, and Student's quantile for two degrees of freedom 4.303.
    assert certainty == (
        "The lead is beyond the noise of 3 seeds: 10.7 (95% interval 9.2 to 12.1)."
    )
    noisy = comparison({"a": [10, 30, 20], "b": [31, 11, 30]})
    assert "within the noise of 3 seeds: +4.0" in best_policy(noisy).certainty
    assert "Fewer than three" in best_policy(comparison({"a": [10], "b": [31]})).certainty
    alone = best_policy(comparison({"a": [10]}))
    assert alone.text == "a has a mean regret of 10.0 after 100 rounds of h1."
    assert best_policy(comparison({"a": [None]})).text == "No run on h1 is finished."
    ties = best_policy(comparison({"a": [0, 0, 0], "b": [0, 0, 0]}))
    assert ties.certainty.startswith("The lead is within")


def test_the_headline_of_rewards_praises_the_highest():
    made = comparison({"low": [50, 51, 52], "high": [80, 82, 81]}, measure=REWARD)
    sentence, certainty, _ = best_policy(made)
    assert sentence == (
        "high has the highest normalised reward: 1.620 ± 0.012 after 100 rounds of h1, "
        "59% above the 1.020 of low."
    )
    assert "beyond the noise of 3 seeds: 0.600" in certainty


def test_the_headline_of_a_front_says_whether_the_first_is_worth_its_time():
    made = comparison({"a": [10, 11, 12], "b": [5, 6, 7], "c": [20, 30, 40], "d": [9, 12, 12]})
    times = {"a": 1.0, "b": 2.0, "c": 0.5, "d": 0.1}
    made.runs = [run._replace(round_ms=times[run.trial.policy]) for run in made.runs]
    ((sentence, certainty, _),) = headlines(outcome(made, figure="front"))
    assert sentence == "a has a mean regret of 11.0 ± 0.6 at 1 ms per round of h1."
    assert certainty == (
        "Beyond the noise of the seeds, nothing is better in less time, and b is better in more "
        "time."
    )
    made.runs = [run._replace(round_ms=1 / run.round_ms) for run in made.runs]
    ((_, certainty, _),) = headlines(outcome(made, figure="front"))
    assert "seeds, b is better in less time, and nothing is better in more time" in certainty
    few = comparison({"a": [10], "b": [31]})
    assert "Fewer than three" in headlines(outcome(few, figure="front"))[0].certainty
    nothing = outcome(comparison({"a": [None]}), figure="front")
    assert headlines(nothing)[0].sentence.startswith("No run")


def test_the_headline_of_an_ablation_lists_what_is_beyond_the_noise():
    finals = {"npr": [10, 11, 12], "npr:steps=1": [5, 5, 6], "npr:batch=2,width=8": [20, 22, 24]}
    ((sentence, *_),) = headlines(outcome(comparison(finals), figure="changes"))
    assert sentence == (
        "Of 2 changes to npr on h1, better beyond the noise of the seeds: steps 1. "
        "Worse: batch 2, width 8."
    )


def test_headlines_of_times():
    fast_and_slow = comparison({"a": [1], "b": [1]}, times={"a": (0.5, 1.5), "b": (0.1, 0.4)})
    ((sentence, *_),) = headlines(outcome(fast_and_slow, figure="bars"))
    assert sentence == ("b takes 0.5 ms per round of h1 after 100 rounds; a 2 ms, 4 times as long.")
    ((sentence, *_),) = headlines(outcome(comparison({"a": [1]}), figure="bars"))
    assert sentence == "Nothing was timed on h1."
    ((sentence, *_),) = headlines(growth(sizes=(10, 100)))
    # From 0.01 + 0.1 to 0.1 + 10 ms, and from 0.01 + 0.2 to 0.1 + 20 ms.
    assert sentence.startswith("From width 10 to 100 on h1, after 100 rounds, the time")
    assert sentence.endswith("a factor of: npr 91.8, lin-ucb 95.7.")
    ((sentence, note, _),) = headlines(growth_with_rounds())
    # From 1.1 to 1.1 ms, and from 100 + 1 to 1,000 + 10 ms.
    assert sentence == (
        "From 100 to 1,000 rounds of h1, the time of a round grows by a factor of: npr 1, "
        "neural-ts (full) 10. Times of the slowest over the fastest: 91.8 after 100 rounds "
        "(neural-ts (full) against npr), 918 after 1,000 rounds (neural-ts (full) against npr)."
    )
    assert note.startswith("Only 100 rounds were played")
    assert headlines(statistics()) == [("4 environments; nothing was played.", "", "")]


def test_a_headline_carries_the_caveat_of_its_data():
    made = outcome(comparison({"npr": [4, 4, 5]}, environment="delicious:shown=3"))
    settings = {"name": "delicious", "catalogue": "3 users, 9 items, 7 liked (partial)"}
    made.manifest.environments["delicious:shown=3"].update(settings)
    (headline,) = headlines(made)
    assert headline.notes.startswith("Delicious is played on partial data")
    assert headline.text == f"{headline.sentence} {headline.notes}"
