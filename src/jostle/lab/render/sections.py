"""The section of one experiment, or of a figure in both forms, on the Markdown page."""

from collections.abc import Mapping

from jostle.lab.analysis.tuned_settings import tuned_policies
from jostle.lab.analysis.two_forms import TwoForms
from jostle.lab.render import two_forms
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.ranking_table import MARKDOWN, ranking_table
from jostle.lab.render.text import UNKNOWN, count, label, markdown_table
from jostle.lab.render.tuning import diverged_share, most_chosen
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.paper import JOSTLE

Links = Mapping[str, str]
"""The figures' paths by the names of the experiments."""


def experiment_section(outcome: Outcome, links: Links) -> list[str]:
    """The section of an experiment that stands by itself."""
    experiment = outcome.experiment
    title = experiment.title or ", ".join(experiment.environments)
    return [f"## {experiment.name}: {title}", *_contents(outcome, links)]


def figure_section(figure: TwoForms, links: Links) -> list[str]:
    """The section of a figure: the paper's forms, then jostle's, then what differs."""
    parts = [f"## {figure.figure}: {figure.title}", f"### {two_forms.IN_PAPERS}"]
    if figure.by_minibatches:
        parts.append(two_forms.BY_MINIBATCHES)
    parts += (
        [two_forms.not_played(figure.figure, "paper")]
        if figure.paper is None
        else _contents(figure.paper, links)
    )
    parts.append(f"### {two_forms.IN_JOSTLES}")
    parts += (
        [two_forms.not_played(figure.figure + JOSTLE, "standard")]
        if figure.jostle is None
        else _contents(figure.jostle, links)
    )
    return [*parts, *two_forms.differences_text(figure)]


def _contents(outcome: Outcome, links: Links) -> list[str]:
    experiment, kind = outcome.experiment, renderer_of(outcome)
    parts = []
    if experiment.name in links:
        parts.append(f"![{experiment.title or experiment.name}]({links[experiment.name]})")
    parts += [headline.text for headline in kind.headlines(outcome)]
    if kind.markdown is not None:
        parts.append(kind.markdown(outcome))
    if kind.panel_tables:
        parts += [_table(comparison) for comparison in outcome.comparisons if comparison.runs]
    parts.append(two_forms.finished_text(outcome))
    if outcome.sessions:
        parts.append(_provenance(outcome))
    return [part for part in parts if part]


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
    commands = dict.fromkeys(session["command"] for session in outcome.sessions)
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
