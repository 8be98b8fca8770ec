"""One HTML page of an experiment that needs nothing but itself."""

from html import escape
from pathlib import Path

from jostle.core.atomic import atomic
from jostle.lab.analysis import tuned_settings as tuned
from jostle.lab.render.figures import draw as figures
from jostle.lab.render.headline import headlines
from jostle.lab.render.html import sections
from jostle.lab.render.html.index_page import index
from jostle.lab.render.html.page import fill, page, piece
from jostle.lab.results.outcome import Outcome

__all__ = ["index", "missing_text", "render", "save"]

REPORT = "report.html"


def save(outcome: Outcome, folder: Path) -> list[Path]:
    """Write the page and the figures it shows; the paths, the page first."""
    pictures = figures.save(outcome, folder)
    written = render(outcome, pictures[0].read_bytes() if pictures else None)
    path = folder / REPORT
    with atomic(path) as file:
        file.write(written.encode())
    return [path, *pictures]


def render(outcome: Outcome, picture: bytes | None) -> str:
    """The page; ``picture`` is a PNG of the figure. Whatever comes from outside is escaped."""
    experiment = outcome.experiment
    chosen = tuned.section(outcome)
    return page(
        escape(experiment.title or experiment.name),
        escape(_kind(outcome)),
        fill(
            "report.html",
            results=sections.results(outcome, picture),
            tests=sections.tests(outcome),
            tuned=f"<h2>What was tuned, on what, and what it cost</h2>\n{chosen}" if chosen else "",
            settings=sections.settings(outcome),
            made=sections.made(outcome),
        ),
        summary="\n".join([sections.measured(outcome), _headlines(outcome), _warning(outcome)]),
        scripts=fill(
            "scripts.html",
            data=sections.data(outcome),
            chart=piece("chart.js"),
            table=piece("table.js"),
        ),
    )


def _headlines(outcome: Outcome) -> str:
    told = "".join(
        f"<li>{escape(sentence)}<span>{escape(certainty)}</span></li>"
        for sentence, certainty in headlines(outcome)
    )
    return f'<ul class="headlines">{told}</ul>'


def missing_text(outcome: Outcome) -> str:
    """The trials that were not finished, in words."""
    panels = []
    for comparison in outcome.comparisons:
        missing, plan = comparison.missing(), comparison.plan
        seeds: dict[str, list[str]] = {}
        for trial in missing:
            seeds.setdefault(trial.policy, []).append(str(trial.seed))
        told = "; ".join(
            f"{policy} (seed{'s' * (len(those) > 1)} {', '.join(those)})"
            for policy, those in seeds.items()
        )
        if missing and len(missing) == len(plan.trials()):
            told = "all"
        if told:
            where = f"{plan.environment}: " if len(outcome.comparisons) > 1 else ""
            panels.append(where + told)
    return ". ".join(panels)


def _warning(outcome: Outcome) -> str:
    if not outcome.missing():
        return ""
    done, wanted = len(outcome.runs()), len(outcome.trials())
    return (
        f'<p class="warning">Not complete: {done} of {wanted} runs were finished, and the means '
        f"are over those. Missing: {escape(missing_text(outcome))}.</p>"
    )


def _kind(outcome: Outcome) -> str:
    """What kind of experiment it is, in a line."""
    experiment, plans = outcome.experiment, outcome.plans
    worlds = list(dict.fromkeys(plan.environment for plan in plans))
    parts = [experiment.name] if experiment.title else []
    if plans:
        policies = max(len(plan.policies) for plan in plans)
        parts.append(f"{policies} polic{'ies' if policies > 1 else 'y'}")
        parts.append(worlds[0] if len(worlds) == 1 else f"{len(worlds)} environments")
        rounds = sorted({plan.rounds for plan in plans})
        parts.append(" to ".join(f"{each:,}" for each in dict.fromkeys((rounds[0], rounds[-1]))))
        parts[-1] += " rounds"
        seeds = len(experiment.seeds)
        parts.append(f"{seeds} seed{'s' * (seeds > 1)}")
    return " · ".join(parts)
