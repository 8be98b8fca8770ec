"""How names and numbers are written: labels, digits, means with errors, intervals, tables.

The one place that decides it for the terminal, Markdown, HTML and figures alike.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jostle.core.grammar import parse
from jostle.lab.analysis.intervals import PairedDifference
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.experiment import Experiment
from jostle.lab.spec.plan import REGRET, REWARD, Plan

LONGEST_LABEL = 48
UNKNOWN = "-"
"""Stands for a number that is not known."""
SMALLEST = 1e-4
"""Below this, ``significant`` says only that a number is smaller."""

DIGITS = {REGRET: 1, REWARD: 3}
"""Decimal places of what is measured."""
QUANTITY = {REGRET: "regret", REWARD: "normalised reward"}
BEST = {REGRET: "lowest", REWARD: "highest"}
WHICH_IS_BETTER = {
    REGRET: "lower is better",
    REWARD: "higher is better, and 1 is what a random choice earns",
}


# Names.


def labels(names: Iterable[str]) -> dict[str, str]:
    """Readable labels: "npr (restart, width 128)" for ``npr:restart=true,width=128``.

    All labels differ: names whose short labels would be the same stay as they are.
    """
    names = list(names)
    made = {name: _label(name) for name in names}
    used = [*made.values(), *(name for name in names if made[name] != name)]
    return {name: text if used.count(text) == 1 else name for name, text in made.items()}


def label(name: str) -> str:
    """The label of one name by itself."""
    return labels([name])[name]


def panel_labels(outcome: Outcome) -> list[str]:
    """What each panel is called: its environment, and its size where that does not say it.

    Where panels differ in the rounds after which policies are timed, those.
    """
    names = labels(dict.fromkeys(plan.environment for plan in outcome.plans))
    return [_with_size(names[plan.environment], plan) for plan in outcome.plans]


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings in words: "noise 0.1, restart"; a value that is a word stands by itself."""
    return ", ".join(_setting(key, value) for key, value in settings.items())


def change_label(policy: str, policies: Sequence[str]) -> str:
    """What sets ``policy`` apart from the first of ``policies``: "steps 1" for ``npr:steps=1``."""
    head, settings = _parsed(policy)
    if head != _parsed(policies[0])[0] or not settings:
        return labels(policies)[policy]
    words = [
        f"{key.replace('_', ' ')} {value}" if isinstance(value, str) else _setting(key, value)
        for key, value in settings.items()
    ]
    return ", ".join(words)


def size_word(experiment: Experiment) -> str:
    """What grows: the setting that ``{size}`` stands for, if all names agree on it, or rounds."""
    if experiment.timed_after:
        return "rounds"
    found = {
        key.replace("_", " ")
        for name in (*experiment.environments, *experiment.policies)
        for key, value in _parsed(name)[1].items()
        if value == "{size}"
    }
    return found.pop() if len(found) == 1 else "size"


def timed_text(plan: Plan) -> str:
    """When times were taken: "after 2,000 rounds"."""
    return f"after {count(plan.timed_rounds, 'round')}"


# Numbers.


def fixed(value: float | None, digits: int, *, sign: bool = False) -> str:
    """A number to so many decimal places: "1,234.5"; what is too small to show is "<0.1"."""
    if value is None:
        return UNKNOWN
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    if value > 0 and float(text.replace(",", "")) == 0:
        return f"<{10**-digits:.{digits}f}"
    return text


def significant(value: float | None, digits: int = 3) -> str:
    """A number to so many significant digits, never in powers of ten: "0.25", "1,240"."""
    if value is None:
        return UNKNOWN
    if 0 < value < SMALLEST:
        return f"<{SMALLEST:.4f}"
    return f"{float(f'{value:.{digits}g}'):,.10g}"


def axis_number(value: float, _position: object = None) -> str:
    """A number beside an axis; Matplotlib passes the position of its tick too."""
    return f"{value:,.10g}"


def mean_error(mean: float, error: float | None, digits: int) -> str:
    """A mean with its standard error: "38.6 ± 2.3"; a single run has no error."""
    return fixed(mean, digits) + ("" if error is None else f" ± {fixed(error, digits)}")


def interval(low: float, high: float, digits: int, *, sign: bool = False) -> str:
    """An interval: "5.8 to 406.4"."""
    return " to ".join(f"{end:{'+' if sign else ''},.{digits}f}" for end in (low, high))


def difference(paired: PairedDifference, digits: int) -> str:
    """A paired difference with its interval: "+208.4 (5.8 to 406.4)"."""
    return f"{paired.mean:+,.{digits}f} ({interval(paired.low, paired.high, digits)})"


def percent_difference(paired: PairedDifference) -> str:
    """A paired difference in percent: "+25% (+18 to +30)"."""
    return f"{paired.mean:+,.0f}% ({interval(paired.low, paired.high, 0, sign=True)})"


def bytes_text(size: float | None) -> str:
    """An amount of memory: "2 KiB"."""
    if size is None:
        return UNKNOWN
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{significant(size)} {unit}"
        size /= 1024
    return f"{significant(size)} GiB"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number of things: "1 run", "1,200 runs", "2 policies"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Sequence[str]) -> str:
    """Words with commas and an "and": "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def numbers_text(values: Iterable[int]) -> str:
    """Whole numbers in words: "0 to 4" where they follow each other, else "0, 2 and 5"."""
    found = sorted(set(values))
    if len(found) > 2 and found[-1] - found[0] == len(found) - 1:
        return f"{found[0]} to {found[-1]}"
    return listed([str(value) for value in found])


def portable(command: str) -> str:
    """A command without the folders of one machine: an absolute path is shown by its last part."""
    return re.sub(r"(?<=[\s=])/(?:[^\s/]+/)*([^\s/]+)/?", r"\1", command)


def beyond_frame(text: str, final: float) -> str:
    """The label of a curve that leaves the frame at the top, with its last value."""
    return f"{text} ↑ {final:,.0f}"


# Markdown.


def markdown_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    return "\n".join([line(heads), "|---" * len(heads) + "|", *map(line, lines)])


def _label(name: str) -> str:
    head, settings = _parsed(name)
    short = head.rpartition(":")[2]  # of module:Class, the class
    words = settings_text({key: value for key, value in settings.items() if value != "{size}"})
    text = f"{short} ({words})" if words else short
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _parsed(name: str) -> tuple[str, dict[str, Any]]:
    try:
        return parse(name)
    except ValueError:  # not a name that jostle could build, but it can still be shown
        return name, {}


def _setting(key: str, value: Any) -> str:
    word = key.replace("_", " ")
    if isinstance(value, bool):
        return word if value else f"no {word}"
    if value is None:
        return f"no {word}"
    if value == "paper":  # by itself it could be the paper's network, encoding or form
        return f"paper {word}"
    return value if isinstance(value, str) else f"{word} {_value_text(value)}"


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return " and ".join(_value_text(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _with_size(name: str, plan: Plan) -> str:
    if plan.timed_after is not None:
        return f"{name}, timed {timed_text(plan)}"
    if plan.size is None or str(plan.size) in name:
        return name
    return f"{name}, size {plan.size:,}"
