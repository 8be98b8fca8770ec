"""One HTML page of a comparison that needs nothing but itself."""

import base64
import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from jostle.lab.figures import curves
from jostle.lab.headline import headline
from jostle.lab.plan import Comparison, thinned
from jostle.lab.results import Facts
from jostle.lab.table import NOTE, as_html, rows
from jostle.writing import atomic


def save(comparison: Comparison, facts: Facts, picture: Path, path: Path) -> None:
    """Write the page; ``picture`` is a PNG for browsers without scripts."""
    page = render(comparison, facts, picture.read_bytes())
    with atomic(path) as file:
        file.write(page.encode())


def render(comparison: Comparison, facts: Facts, picture: bytes) -> str:
    """The page. Whatever comes from outside is escaped here."""
    plan = comparison.plan
    sentence, certainty = headline(comparison)
    parts = {
        "title": escape(f"{plan.environment} · jostle"),
        "kind": escape(
            f"{len(plan.policies)} policies · {plan.environment} · {plan.rounds:,} rounds · "
            f"{len(plan.seeds)} seed{'s' * (len(plan.seeds) > 1)}"
        ),
        "headline": escape(sentence),
        "certainty": escape(certainty),
        "warning": _warning(comparison),
        "picture": base64.b64encode(picture).decode(),
        "caption": escape(
            "Mean cumulative regret; the bands are ± one standard error. Touch or hover to read "
            "values, press a name to hide its line."
        ),
        "table": as_html(rows(comparison)),
        "note": escape(NOTE),
        "settings": _settings(plan.environment, facts),
        "command": escape(facts.command),
        "facts": _definitions(_made(facts)),
        "data": _data(comparison),
    }
    template = files("jostle.lab").joinpath("report_template.html").read_text("utf-8")
    # In one pass, so that nothing inserted is ever taken for a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _data(comparison: Comparison) -> str:
    """The curves as JSON that cannot end the script element it stands in."""
    content = {
        "rounds": thinned(comparison.plan.rounds).tolist(),
        "sorted": "mean regret",
        "curves": [
            {
                "name": curve.policy,
                "runs": len(comparison.of(curve.policy)),
                "mean": [round(value, 3) for value in curve.mean.tolist()],
                "error": [round(value, 3) for value in curve.error.tolist()],
                "colour": curve.stroke.colour,
                "dash": curve.stroke.dash,
            }
            for curve in reversed(curves(comparison))
        ],
    }
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _warning(comparison: Comparison) -> str:
    missing = comparison.missing()
    if not missing:
        return ""
    done, all_trials = len(comparison.runs), len(comparison.plan.trials())
    return (
        f'<p class="warning">Stopped early: {done} of {all_trials} runs were finished, and the '
        f"means are over those. Missing: {escape(missing_text(comparison))}.</p>"
    )


def missing_text(comparison: Comparison) -> str:
    """The trials that were not finished, in words."""
    seeds: dict[str, list[str]] = {}
    for trial in comparison.missing():
        seeds.setdefault(trial.policy, []).append(str(trial.seed))
    return "; ".join(
        f"{policy} (seed{'s' * (len(those) > 1)} {', '.join(those)})"
        for policy, those in seeds.items()
    )


def _settings(environment: str, facts: Facts) -> str:
    blocks = [(f"{environment} (environment)", facts.environment), *facts.policies.items()]
    return "\n".join(
        f"<details><summary>{escape(name)}</summary><dl>{_definitions(settings)}</dl></details>"
        for name, settings in blocks
    )


def _made(facts: Facts) -> dict[str, Any]:
    return {
        "started": facts.started,
        "took": f"{facts.seconds:.0f} s in {facts.jobs} process{'es' * (facts.jobs > 1)}",
        "machine": f"{facts.machine['platform']}, {facts.machine['cores']} cores",
        "versions": ", ".join(f"{name} {value}" for name, value in facts.versions.items()),
    }


def _definitions(items: dict[str, Any]) -> str:
    return "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in items.items()
    )
