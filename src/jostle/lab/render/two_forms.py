"""The paper's figures in both forms, in words: what was played, what differs and by how much."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jostle.lab.analysis.two_forms import FormDifference, TwoForms, form_differences
from jostle.lab.render.text import DIGITS, count, difference, label, listed, mean_error
from jostle.lab.results.outcome import Outcome

IN_PAPERS, IN_JOSTLES = "In the paper's forms", "In jostle's forms"
BOTH_FORMS = "The two forms compared"
FORMS = (
    "The figures of the paper that compare regret or reward are played in two forms. *The paper's "
    "forms* have its networks, initialisation and training (policies named `.paper`); *jostle's "
    "forms* are the same algorithms with jostle's networks and training."
)
BY_MINIBATCHES = (
    "The paper's networks are fitted here by mini-batches of 64, in 20 steps of plain stochastic "
    "gradient descent per round, because a step of descent on the whole history costs O(t)."
)
OPTIMISERS = {"sgd": "plain gradient descent", "adam": "Adam"}


def overview(figures: Iterable[TwoForms]) -> str:
    """Which results are in the paper's forms, and which of these follow its protocol."""
    figures = list(figures)
    by_protocol = [each for each in figures if each.by_protocol]
    otherwise = [each for each in figures if each.paper is not None and not each.by_protocol]
    absent = [each for each in figures if each.paper is None]
    parts = [FORMS]
    kinds = (
        (
            "In the paper's forms and by its protocol (10,000 rounds, 10 runs, each tuned by the "
            "whole grid on its first 1,000 rounds)",
            by_protocol,
        ),
        ("In the paper's forms, by another protocol (named with each)", otherwise),
    )
    for words, those in kinds:
        if those:
            parts.append(f"{words}: {', '.join(map(_played, those))}.")
    if absent:
        names = ", ".join(each.figure for each in absent)
        parts.append(f"Not played in the paper's forms: {names}.")
    parts.append("Everything else has jostle's networks and training.")
    return " ".join(parts)


def finished_text(outcome: Outcome) -> str:
    """How many runs are finished, if not all are: "Not complete: 10 of 12 runs are finished."."""
    if not outcome.missing():
        return ""
    return (
        f"Not complete: {len(outcome.runs()):,} of {len(outcome.trials()):,} runs are finished, "
        "and the means are over those."
    )


def not_played(name: str, profile: str) -> str:
    """A figure without results, and the command that makes them."""
    command = f"jostle reproduce {name} --profile {profile} --out results"
    return f"Not played. `{command}` plays it."


def differences_text(figure: TwoForms) -> list[str]:
    """What differs between the forms and by how much; empty if one of them was not played."""
    if figure.paper is None or figure.jostle is None:
        return []
    found = form_differences(figure)
    if not found:
        return ["No algorithm has finished runs of the same length in both forms."]
    digits = DIGITS[figure.jostle.experiment.measure]
    several = len(figure.jostle.comparisons) > 1
    parts = []
    for environment, those in found.items():
        if several:
            parts.append(f"On {label(environment)}:")
        parts.append("\n".join(f"- {_difference(each, digits)}" for each in those))
    told = [each for those in found.values() for each in those if not each.same_policy]
    parts.append(" ".join([*_what_differs(told), _tuned(figure.paper, figure.jostle)]))
    return parts


def _played(figure: TwoForms) -> str:
    assert figure.paper is not None
    notes = []
    missing = figure.paper.missing()
    if missing:
        trials = len(figure.paper.trials())
        notes.append(f"{trials - len(missing):,} of {trials:,} runs finished")
    fewer = set(figure.paper.experiment.fewer.values())
    if fewer:
        notes.append(f"with full covariance {count(max(fewer), 'run')}")
    if figure.by_minibatches:
        notes.append("by mini-batches")
    return figure.figure + (f" ({'; '.join(notes)})" if notes else "")


def _difference(each: FormDifference, digits: int) -> str:
    paper, jostle = each.paper, each.jostle
    theirs, ours = (mean_error(row.mean, row.error, digits) for row in (paper, jostle))
    runs = [count(row.runs, "run") for row in (paper, jostle)]
    if each.same_policy:
        text = (
            f"{label(jostle.policy)}, which is the same in both: {theirs} ({runs[0]}) beside the "
            f"paper's forms, {ours} ({runs[1]}) beside jostle's"
        )
    else:
        text = (
            f"{label(jostle.policy)}: {theirs} in the paper's form ({label(paper.policy)}, "
            f"{runs[0]}), {ours} in jostle's ({label(jostle.policy)}, {runs[1]})"
        )
    text += f": {_relative(paper.mean, jostle.mean)}"
    if each.paired is not None:
        seeds = count(each.paired.seeds, "seed")
        text += f"; on the {seeds} that both have, {difference(each.paired, digits)}"
    return text + "."


def _relative(before: float, after: float) -> str:
    """How the second differs from the first: "38% less"."""
    if before <= 0:
        return "no ratio"
    share = round(100 * (after / before - 1))
    return f"{abs(share):,}% {'more' if share > 0 else 'less'}" if share else "the same within 0.5%"


def _what_differs(told: Sequence[FormDifference]) -> list[str]:
    """The settings in which the forms differ, in a sentence for all algorithms that share them."""
    sentences: dict[str, list[str]] = {}
    for each in told:
        pairs = zip(*map(_described, each.settings), strict=True)
        differing = [pair for pair in pairs if pair[0] != pair[1]]
        if differing:
            paper, jostle = (listed(words) for words in zip(*differing, strict=True))
            text = f"the paper's form has {paper}; jostle's has {jostle}."
            names = sentences.setdefault(text, [])
            name = label(each.jostle.policy)
            names += [] if name in names else [name]
    if len(sentences) == 1:
        return [text[0].upper() + text[1:] for text in sentences]
    return [f"Of {listed(names)}, {text}" for text, names in sentences.items()]


def _described(settings: Mapping[str, Any]) -> list[str]:
    """A network and its training, one item for each thing in which forms can differ."""
    papers = settings.get("network") == "PaperNetwork"
    optimiser = settings.get("optimiser", "")
    descent = f"{OPTIMISERS.get(optimiser, optimiser)} of {count(settings.get('steps', 0), 'step')}"
    fitting = settings.get("fitting")
    if fitting == "minibatch" or (fitting == "auto" and settings.get("pool") is None):
        descent += f" on mini-batches of {settings.get('batch')}"
    return [
        "no biases" if papers else "biases",
        "a linear path" if settings.get("linear") and not papers else "no linear path",
        descent,
        "decay" if settings.get("decay") else "no decay",
        "averaging" if settings.get("average") else "no averaging",
    ]


def _tuned(paper: Outcome, jostle: Outcome) -> str:
    theirs, ours = (each.experiment.tuning.method for each in (paper, jostle))
    if theirs == ours:
        return f"Both are tuned by {ours}." if ours != "none" else "Neither is tuned."
    words = [f"tuned by {each}" if each != "none" else "not tuned" for each in (theirs, ours)]
    return f"The paper's forms are {words[0]}, jostle's are {words[1]}."
