"""The report of an experiment: one HTML file with its charts, tables, tests and settings."""

import base64
from pathlib import Path
from typing import Any

from jostle.core.atomic import atomic
from jostle.lab.analysis.tuned_settings import TunedPolicy, tuned_policies
from jostle.lab.render import tuning
from jostle.lab.render.cell_table import Cell, CellTable
from jostle.lab.render.figure_kinds import renderer_of
from jostle.lab.render.figures import draw as figures
from jostle.lab.render.html import templating
from jostle.lab.render.html.chart import chart_data
from jostle.lab.render.html.index_page import index
from jostle.lab.render.ranking_table import PAGE, RankingTable, caption, ranking_table
from jostle.lab.render.significance import METHOD, verdicts
from jostle.lab.render.text import UNKNOWN, count, labels, panel_labels
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome

__all__ = ["index", "missing_text", "render", "save"]

REPORT = "report.html"


def save(outcome: Outcome, folder: Path) -> list[Path]:
    """Write the report and the figures into ``folder``; the paths, the report's first."""
    pictures = figures.save(outcome, folder)
    page = render(outcome, pictures[0].read_bytes() if pictures else None)
    path = folder / REPORT
    with atomic(path) as file:
        file.write(page.encode())
    return [path, *pictures]


def render(outcome: Outcome, picture: bytes | None) -> str:
    """The page; ``picture`` is the figure as PNG."""
    experiment, manifest, kind = outcome.experiment, outcome.manifest, renderer_of(outcome)
    title = experiment.title or experiment.name
    names = panel_labels(outcome)
    named = list(zip(names, outcome.comparisons, strict=True))
    tables = [ranking_table(comparison, PAGE) for comparison in outcome.comparisons]
    charted = [
        (name, comparison) for name, comparison in named if kind.interactive and comparison.runs
    ]
    return templating.render(
        "report.html",
        title=title,
        kind=_description(outcome),
        measured=kind.measured(outcome),
        headlines=kind.headlines(outcome),
        warning=_warning(outcome),
        image=base64.b64encode(picture).decode() if picture is not None else None,
        image_description=f"Figure: {title}",
        interactive=kind.interactive,
        environment_table=kind.table(outcome) if kind.table else None,
        panels=[
            {
                "name": name,
                "chart": (name, comparison) in charted,
                "table": _cells(table) if table.rows else None,
            }
            for (name, comparison), table in zip(named, tables, strict=True)
        ],
        caption=caption(key for table in tables for key in table.keys),
        verdicts=[
            (name, sentences)
            for name, comparison in named
            if (sentences := list(verdicts(comparison)))
        ],
        method=METHOD,
        tuning_cost=tuning.cost_text(outcome),
        tuning_caveat=tuning.CAVEAT,
        tuning_tables=[(name, _tuned_table(comparison)) for name, comparison in named],
        environments=manifest.environments,
        policies=manifest.policies,
        sessions=[
            {"command": session.get("command", ""), "facts": _session_facts(session)}
            for session in outcome.sessions
        ],
        charts=[chart_data(name, comparison) for name, comparison in charted],
    )


def missing_text(outcome: Outcome) -> str:
    """The trials that are not finished, in words; empty if there are none."""
    panels = []
    for comparison in outcome.comparisons:
        missing, plan = comparison.missing(), comparison.plan
        if not missing:
            continue
        seeds: dict[str, list[str]] = {}
        for trial in missing:
            seeds.setdefault(trial.policy, []).append(str(trial.seed))
        text = "; ".join(
            f"{policy} (seed{'s' * (len(those) > 1)} {', '.join(those)})"
            for policy, those in seeds.items()
        )
        if len(missing) == len(plan.trials()):
            text = "all"
        panels.append(text if len(outcome.comparisons) == 1 else f"{plan.environment}: {text}")
    return ". ".join(panels)


def _warning(outcome: Outcome) -> str:
    if not outcome.missing():
        return ""
    done, planned = len(outcome.runs()), len(outcome.trials())
    return (
        f"Not complete: {done:,} of {planned:,} runs are finished, and the means are over those. "
        f"Missing: {missing_text(outcome)}."
    )


def _description(outcome: Outcome) -> str:
    """The size of the experiment in a line: "3 policies · h1 · 2,000 rounds · 5 seeds"."""
    experiment, plans = outcome.experiment, outcome.plans
    parts = [experiment.name] if experiment.title else []
    if plans:
        parts.append(count(max(len(plan.policies) for plan in plans), "policy", "policies"))
        environments = list(dict.fromkeys(plan.environment for plan in plans))
        several = count(len(environments), "environment")
        parts.append(environments[0] if len(environments) == 1 else several)
        rounds = sorted({plan.rounds for plan in plans})
        ends = dict.fromkeys((rounds[0], rounds[-1]))
        parts.append(" to ".join(f"{each:,}" for each in ends) + " rounds")
        parts.append(count(len(experiment.seeds), "seed"))
    return " · ".join(parts)


def _cells(table: RankingTable) -> CellTable:
    return CellTable(
        [column.title for column in table.columns],
        [
            [Cell(column.text(row), column.value(row)) for column in table.columns]
            for row in table.rows
        ],
        sorted_by=next(column.title for column in table.columns if column.key == "rank"),
    )


def _tuned_table(comparison: Comparison) -> CellTable:
    names = labels(comparison.plan.policies)
    return CellTable(
        ["policy", "chosen", "candidates", "diverged", "rounds of tuning", "share of all"],
        [_tuned_line(names[each.policy], each) for each in tuned_policies(comparison)],
    )


def _tuned_line(name: str, tuned: TunedPolicy) -> list[Cell]:
    chosen, share = tuning.chosen_text(tuned), tuned.tuning_rounds / tuned.all_rounds
    diverged = f"{tuned.diverged:.0f}" if tuned.candidates else UNKNOWN
    return [
        Cell(name, tuned.policy),
        Cell(chosen, chosen),
        Cell(f"{tuned.candidates:,}" if tuned.candidates else UNKNOWN, tuned.candidates),
        Cell(diverged, tuned.diverged),
        Cell(f"{tuned.tuning_rounds:,}", tuned.tuning_rounds),
        Cell(f"{share:.0%}", share),
    ]


def _session_facts(session: dict[str, Any]) -> dict[str, str]:
    """When, where and with what an experiment was worked on; older records lack some of it."""
    machine, versions = session.get("machine", {}), session.get("versions", {})
    took = f"{session.get('seconds', 0):,.0f} s for {count(session.get('trials', 0), 'run')}"
    if reused := session.get("taken", 0):
        took += f"; {reused:,} were reused from other experiments"
    return {
        "started": str(session.get("started", "unknown")),
        "took": took,
        "engine": f"{session.get('engine', 'unknown')}, "
        + count(session.get("jobs", 1), "process", "processes"),
        "machine": f"{machine.get('platform', 'unknown')}, {machine.get('cores', '?')} cores",
        "versions": ", ".join(f"{name} {value}" for name, value in versions.items()),
    }
