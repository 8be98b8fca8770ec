"""The Markdown page of one experiment, or of a figure in both forms."""

from collections.abc import Mapping

from jostle.lab.analysis.tuned_settings import tuned_policies
from jostle.lab.analysis.two_forms import TwoForms
from jostle.lab.render import two_forms
from jostle.lab.render.cell_table import CellTable
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.ranking_table import MARKDOWN, caption, ranking_table
from jostle.lab.render.significance import METHOD
from jostle.lab.render.text import (
    UNKNOWN,
    count,
    label,
    listed,
    markdown_table,
    numbers_text,
    portable,
)
from jostle.lab.render.tuning import diverged_share, most_chosen
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.paper import JOSTLE

Links = Mapping[str, str]
"""The figures' paths by the names of the experiments."""


def experiment_page(outcome: Outcome, links: Links) -> list[str]:
    """The page of an experiment that stands by itself."""
    experiment = outcome.experiment
    title = experiment.title or ", ".join(experiment.environments)
    return [f"# {experiment.name}: {title}", *contents(outcome, links), *_reading([outcome])]


def figure_page(figure: TwoForms, links: Links) -> list[str]:
    """The page of a figure: the paper's forms, then jostle's, then what differs."""
    parts = [f"# {figure.figure}: {figure.title}", f"## {two_forms.IN_PAPERS}"]
    if figure.by_minibatches:
        parts.append(two_forms.BY_MINIBATCHES)
    parts += (
        [two_forms.not_played(figure.figure, "paper")]
        if figure.paper is None
        else contents(figure.paper, links)
    )
    parts.append(f"## {two_forms.IN_JOSTLES}")
    parts += (
        [two_forms.not_played(figure.figure + JOSTLE, "standard")]
        if figure.jostle is None
        else contents(figure.jostle, links)
    )
    differences = two_forms.differences_text(figure)
    if differences:
        parts += [f"## {two_forms.BOTH_FORMS}", *differences]
    return [*parts, *_reading([each for each in (figure.paper, figure.jostle) if each])]


def contents(outcome: Outcome, links: Links) -> list[str]:
    """What an experiment showed: how it was played, figure, headlines, tables, provenance."""
    experiment, kind = outcome.experiment, renderer_of(outcome)
    parts = [_protocol(outcome)]
    if experiment.name in links:
        parts.append(f"![{experiment.title or experiment.name}]({links[experiment.name]})")
    parts += _headlines([headline.text for headline in kind.headlines(outcome)])
    if kind.table is not None:
        parts.append(_cell_table(kind.table(outcome)))
    if kind.markdown is not None:
        parts.append(kind.markdown(outcome))
    if kind.panel_tables:
        parts += [_table(comparison) for comparison in outcome.comparisons if comparison.runs]
    parts.append(two_forms.finished_text(outcome))
    if outcome.sessions:
        parts.append(_provenance(outcome))
    return [part for part in parts if part]


def _headlines(sentences: list[str]) -> list[str]:
    """One headline as it is, several as a list."""
    return sentences if len(sentences) < 2 else ["\n".join(f"- {each}" for each in sentences)]


def _protocol(outcome: Outcome) -> str:
    """Rounds, seeds, tuning and finished runs; empty if nothing was played."""
    experiment = outcome.experiment
    if not outcome.trials():
        return ""
    rounds = sorted({plan.rounds for plan in outcome.plans})
    tuning = experiment.tuning.method
    return (
        f"{listed([f'{each:,}' for each in rounds])} rounds, "
        f"seed{'s' if len(experiment.seeds) > 1 else ''} {numbers_text(experiment.seeds)}, "
        f"{'every policy as named, nothing tuned' if tuning == 'none' else f'tuned by {tuning}'}."
    )


def _reading(outcomes: list[Outcome]) -> list[str]:
    """How to read the tables of these experiments; empty if there are none."""
    tables = [
        ranking_table(comparison, MARKDOWN)
        for outcome in outcomes
        if renderer_of(outcome).panel_tables
        for comparison in outcome.comparisons
        if comparison.runs
    ]
    if not tables:
        return []
    explained = caption(key for table in tables for key in table.keys)
    return ["## How to read this page", explained, METHOD]


def _cell_table(table: CellTable) -> str:
    text = markdown_table(table.titles, [[cell.text for cell in line] for line in table.lines])
    return f"{text}\n\n{table.note}" if table.note else text


def _table(comparison: Comparison) -> str:
    table = ranking_table(comparison, MARKDOWN)
    tuned = {each.policy: each for each in tuned_policies(comparison) if each.candidates}
    heads = [label(comparison.plan.environment), *(column.title for column in table.columns[1:])]
    lines = [[column.text(row) for column in table.columns] for row in table.rows]
    if tuned:
        heads.append("most chosen")
        for line, row in zip(lines, table.rows, strict=True):
            line.append(most_chosen(tuned[row.policy]) if row.policy in tuned else UNKNOWN)
    if any(each.diverged for each in tuned.values()):
        heads.append("diverged candidates")
        for line, row in zip(lines, table.rows, strict=True):
            line.append(diverged_share(tuned[row.policy]) if row.policy in tuned else UNKNOWN)
    return markdown_table(heads, lines)


def _provenance(outcome: Outcome) -> str:
    """The commands that made the results, and what they took."""
    commands = dict.fromkeys(portable(session["command"]) for session in outcome.sessions)
    minutes = sum(session["seconds"] for session in outcome.sessions) / 60
    method = outcome.experiment.tuning.method
    parts = [
        "Made by " + ", then ".join(f"`{command}`" for command in commands),
        f"{minutes:.0f} min",
        "default settings" if method == "none" else f"tuned by {method}",
    ]
    reused = sum(session.get("taken", 0) for session in outcome.sessions)
    if reused:
        parts.append(f"{count(reused, 'run')} reused from other experiments")
    return "; ".join(parts) + "."
