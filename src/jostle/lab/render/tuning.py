"""What was tuned, how, and what it cost, in words: it is part of the result."""

from jostle.lab.analysis.tuned_settings import TunedPolicy, tuned_policies
from jostle.lab.render.text import count, label, settings_text
from jostle.lab.results.outcome import Outcome

AS_NAMED = "as named"
NOTHING_TO_TUNE = "nothing to tune: its name fixes it, or the grid has no setting of it"

METHODS = {
    "grid": "the candidate with the least regret after the first {rounds:,} rounds played on; one "
    "that could no longer win was stopped before, which changes nothing but the time",
    "halving": "all candidates began; most were dropped after an eighth, a quarter and a half of "
    "the first {rounds:,} rounds, and the best of the rest at their end played on",
}
CAVEAT = (
    "Candidates were compared by their regret on the first rounds of the very stream that is "
    "reported: the chosen one played on from there, so its first rounds are part of its result and "
    "were also what it was picked by. The more candidates a policy has, the more this flatters it."
)


def cost_text(outcome: Outcome) -> str | None:
    """How tuning was done and how many rounds it took; None if nothing was tuned."""
    tuning = outcome.experiment.tuning
    if tuning.method not in METHODS or not outcome.runs():
        return None
    tuned = [each for panel in outcome.comparisons for each in tuned_policies(panel)]
    spent, played = sum(each.tuning_rounds for each in tuned), sum(e.all_rounds for e in tuned)
    return (
        f"{tuning.method.capitalize()}: {METHODS[tuning.method].format(rounds=tuning.rounds)}. "
        f"Candidates played {spent:,} rounds while they were compared, "
        f"{spent / max(played, 1):.0%} of {played:,} rounds in all "
        "(rounds that were played again to save memory are not counted)." + _diverged_text(tuned)
    )


def _diverged_text(tuned: list[TunedPolicy]) -> str:
    """How many candidates diverged: they took part, and chose at random from then on."""
    found = [each for each in tuned if each.diverged]
    if not found:
        return ""
    names = ", ".join(f"{diverged_share(each)} of {label(each.policy)}" for each in found)
    return (
        f" Diverged, so that they chose at random: {names} (means over seeds; parameters that are "
        "not finite when the candidate stops)."
    )


def chosen_text(tuned: TunedPolicy) -> str:
    """What the seeds chose: "noise 0.1 (2 seeds); as named (1 seed)"."""
    if not tuned.candidates:
        return NOTHING_TO_TUNE
    if len(tuned.chosen) == 1:
        return most_chosen(tuned)
    return "; ".join(
        f"{settings_text(settings) or AS_NAMED} ({count(seeds, 'seed')})"
        for settings, seeds in tuned.chosen
    )


def most_chosen(tuned: TunedPolicy) -> str:
    """The settings that most seeds chose."""
    return settings_text(tuned.chosen[0][0]) or AS_NAMED


def diverged_share(tuned: TunedPolicy) -> str:
    """How many of the candidates diverged, as a mean over seeds: "52 of 100"."""
    return f"{tuned.diverged:.0f} of {tuned.candidates:,}"
