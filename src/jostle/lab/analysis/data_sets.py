"""The environments of an experiment in numbers: their settings, and what the catalogue says."""

from collections.abc import Iterable
from typing import NamedTuple

from jostle.datasets import catalog
from jostle.datasets.catalog.entry import HetRecSet, TableSet
from jostle.lab.results.outcome import Outcome

PAPER_INPUTS = {
    "adult": "2 x 15",
    "mushroom": "2 x 23",
    "shuttle": "7 x 9",
    "magic": "2 x 12",
    "letter": "16 x 26",
    "covertype": "54 x 7",
}
"""The "input dimension" in the paper's appendix; docs/data.md says where it differs and why."""

PARTIAL = "(partial)"
"""How a recommendation environment describes a catalogue made from partial files."""


class EnvironmentFacts(NamedTuple):
    """One environment; what does not apply to it is None."""

    environment: str
    settings: dict[str, str]
    """Those that the other fields do not say."""
    title: str | None = None
    rows: int | None = None
    features: int | None = None
    classes: int | None = None
    users: int | None = None
    items: int | None = None
    paper_input: str | None = None


def caveat(outcome: Outcome, environment: str) -> str:
    """What a reader of results on this environment has to know; usually nothing."""
    settings = outcome.manifest.environments.get(environment, {})
    entry = catalog.CATALOG.get(settings.get("name", environment.partition(":")[0]))
    partial = PARTIAL in str(settings.get("catalogue", ""))
    return entry.partial_caveat if entry is not None and partial else ""


def caveats(outcomes: Iterable[Outcome]) -> list[str]:
    """Those of all panels, each once."""
    found = (caveat(each, plan.environment) for each in outcomes for plan in each.plans)
    return [text for text in dict.fromkeys(found) if text]


def environment_facts(outcome: Outcome) -> list[EnvironmentFacts]:
    """One for each environment, in the order of the experiment."""
    found = []
    for text, settings in outcome.manifest.environments.items():
        entry = catalog.CATALOG.get(settings.get("name", text.partition(":")[0]))
        facts = EnvironmentFacts(text, settings)
        if isinstance(entry, TableSet):
            facts = facts._replace(
                title=entry.title,
                rows=entry.rows,
                features=entry.features,
                classes=entry.classes,
                paper_input=PAPER_INPUTS.get(entry.name),
            )
        elif isinstance(entry, HetRecSet):
            facts = facts._replace(title=entry.title, users=entry.users, items=entry.items)
        said = {"name"} | {name for name, value in facts._asdict().items() if value is not None}
        others = {name: value for name, value in settings.items() if name not in said}
        found.append(facts._replace(settings=others))
    return found
