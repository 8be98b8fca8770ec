"""The sections of a report, each as HTML."""

import base64
import json
from collections.abc import Iterable
from html import escape
from typing import Any

from jostle.lab.analysis import intervals as significance
from jostle.lab.analysis import ranking as table
from jostle.lab.analysis.curves import FAR, curves, frame
from jostle.lab.render.html import data_table, markup
from jostle.lab.render.text import labels
from jostle.lab.results.model import Comparison, thinned
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.plan import MEASURES, REGRET

CAPTION = (
    "Lines are means over the runs, bands ± one standard error. Touch or hover to read values, "
    "press a name to hide its line."
)
BETTER = {REGRET: "lower is better"}


def measured(outcome: Outcome) -> str:
    """What was measured, in a line."""
    experiment = outcome.experiment
    if experiment.figure == "statistics":
        return ""
    if experiment.figure in ("curves", "front", "changes"):
        better = BETTER.get(experiment.measure, "higher is better, and 1 is what chance brings")
        told = f"Measured: {MEASURES[experiment.measure]}; {better}."
    else:
        told = "Measured: the time that choosing an arm and learning from its reward take."
    return markup.paragraph(told, "lead")


def results(outcome: Outcome, picture: bytes | None) -> str:
    """For each panel its chart and its table; one picture for all where there is no chart."""
    if outcome.experiment.figure == "statistics":
        return f"<h2>Environments</h2>\n{data_table.section(outcome)}"
    shown = "" if picture is None else _image(outcome, picture)
    if outcome.experiment.figure == "curves":
        parts = [f"<noscript>{shown}</noscript>"] if shown else []
    else:
        parts = [f"<figure>{shown}</figure>"] if shown else []
    for name, comparison in _panels(outcome):
        parts.append(f"<section><h2>{escape(name)}</h2>")
        if not comparison.runs:
            parts.append(markup.paragraph("No run is finished."))
        else:
            if _has_chart(outcome, comparison):
                parts.append(_chart())
            parts.append(table.as_html(comparison))
        parts.append("</section>")
    parts.append(markup.paragraph(table.NOTE, "note"))
    return "\n".join(parts)


def tests(outcome: Outcome) -> str:
    """Which differences to the best are beyond the noise of the seeds, and how that was tested."""
    told = []
    for name, comparison in _panels(outcome):
        ranked = comparison.policies()
        if len(ranked) > 1:
            told.append(f"<h3>{escape(name)}</h3>" if len(outcome.comparisons) > 1 else "")
            told.append(markup.bullets(_verdicts(comparison, ranked[0])))
    if not told:
        return ""
    heading = "<h2>What is beyond the noise</h2>"
    return "\n".join([heading, *filter(None, told), markup.paragraph(significance.METHOD, "note")])


def _verdicts(comparison: Comparison, best: str) -> Iterable[str]:
    names = labels(comparison.plan.policies)
    digits = ",.1f" if comparison.plan.measure == REGRET else ",.3f"
    tested = {
        policy: gap for policy, gap in significance.gaps(comparison).items() if gap is not None
    }
    clear = [names[policy] for policy, gap in tested.items() if gap.clear]
    level = [
        f"{names[policy]} ({gap.mean:+{digits}}, {gap.low:{digits}} to {gap.high:{digits}})"
        for policy, gap in tested.items()
        if not gap.clear
    ]
    others = [policy for policy in comparison.policies() if policy != best]
    few = [names[policy] for policy in others if policy not in tested]
    if len(clear) == len(others) > 1:
        yield f"All {len(clear)} others are behind {names[best]} beyond the noise of the seeds."
    elif clear:
        yield f"Behind {names[best]} beyond the noise of the seeds: {'; '.join(clear)}."
    if level:
        yield f"Not told apart from {names[best]} by these seeds: {'; '.join(level)}."
    if few:
        yield f"Too few shared seeds with {names[best]} to test: {'; '.join(few)}."


def settings(outcome: Outcome) -> str:
    """Every setting of every environment, and of every policy there."""
    manifest = outcome.manifest
    blocks = []
    for environment, known in manifest.environments.items():
        inner = [
            markup.details(policy, markup.definitions(those))
            for policy, those in manifest.policies.get(environment, {}).items()
        ]
        content = markup.definitions(known) + "\n".join(inner)
        blocks.append(markup.details(environment, content))
    return "\n".join(blocks)


def made(outcome: Outcome) -> str:
    """The sessions in which it was worked on: command, engine, time, machine, versions."""
    if not outcome.sessions:
        return markup.paragraph("Nothing is known of how it was made.")
    parts = []
    for session in outcome.sessions:
        parts.append(f"<pre>{escape(str(session.get('command', '')))}</pre>")
        parts.append(markup.definitions(_session(session)))
    return "\n".join(parts)


def _session(session: dict[str, Any]) -> dict[str, Any]:
    jobs, machine = session.get("jobs", 1), session.get("machine", {})
    versions = session.get("versions", {})
    others = session.get("taken", 0)
    taken = f"; {others:,} were taken from other experiments" if others else ""
    return {
        "started": session.get("started", "?"),
        "took": f"{session.get('seconds', 0):,.0f} s for {session.get('trials', 0):,} runs" + taken,
        "engine": f"{session.get('engine', '?')}, {jobs} process{'es' * (jobs != 1)}",
        "machine": f"{machine.get('platform', '?')}, {machine.get('cores', '?')} cores",
        "versions": ", ".join(f"{name} {value}" for name, value in versions.items()),
    }


def data(outcome: Outcome) -> str:
    """The curves of all charts as JSON that cannot end the script element it stands in."""
    content = [
        _chart_data(name, comparison)
        for name, comparison in _panels(outcome)
        if _has_chart(outcome, comparison)
    ]
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _chart_data(name: str, comparison: Comparison) -> dict[str, Any]:
    regret = comparison.plan.measure == REGRET
    digits = 1 if regret else 3
    drawn = curves(comparison)
    part = frame(comparison, drawn)
    return {
        "name": name,
        "measure": MEASURES[comparison.plan.measure],
        "chance": None if regret else 1,
        "digits": digits,
        "far": FAR,
        "begin": part.begin,
        "settled": part.settled,
        "rounds": thinned(comparison.plan.rounds).tolist(),
        "curves": [
            {
                "name": curve.label,
                "runs": curve.runs,
                "mean": [round(value, digits + 2) for value in curve.mean.tolist()],
                "error": [round(value, digits + 2) for value in curve.error.tolist()],
                "colour": curve.stroke.colour,
                "dash": curve.stroke.dash,
            }
            for curve in drawn
        ],
    }


def _has_chart(outcome: Outcome, comparison: Comparison) -> bool:
    return outcome.experiment.figure == "curves" and bool(comparison.runs)


def _chart() -> str:
    return (
        '<figure class="chart"><div class="plot"></div>'
        '<div class="legend" role="group" aria-label="Show or hide a policy"></div>'
        f'<figcaption class="note">{escape(CAPTION)}</figcaption></figure>'
    )


def _image(outcome: Outcome, picture: bytes) -> str:
    text = escape(f"The figure of {outcome.experiment.title or outcome.experiment.name}")
    return f'<img alt="{text}" src="data:image/png;base64,{base64.b64encode(picture).decode()}">'


def _panels(outcome: Outcome) -> list[tuple[str, Comparison]]:
    """The panels with what they are called."""
    names = labels(outcome.manifest.environments)
    panels = []
    for comparison in outcome.comparisons:
        plan = comparison.plan
        name = names.get(plan.environment, plan.environment)
        shown = plan.size is None or str(plan.size) in name
        panels.append((name if shown else f"{name}, size {plan.size:,}", comparison))
    return panels
