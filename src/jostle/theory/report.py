"""A theory study written as a text page, figures, and numbers in JSON."""

import json
import math
import textwrap
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jostle.core.atomic import atomic
from jostle.core.plotting import INK, STYLE, write
from jostle.theory import perturbation_report
from jostle.theory.perturbation_study import PerturbationStudy, numbers_of
from jostle.theory.plotting import BLUE, GREEN, GREY, ORANGE, PURPLE, RED
from jostle.theory.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE, NUMBERS, FIGURE = "theory.txt", "theory.json", "theory.png"
PERTURBATION = "perturbation.png"
COLUMNS = 3
"""Panels per row of the figure."""
LINE = 100
"""The longest line of the page, in characters."""
COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, PURPLE)


class Panel(NamedTuple):
    """One plot of the figure."""

    name: str
    title: str
    draw: "Callable[[Axes], None]"


def page(study: Study, title: str) -> str:
    """Return the study as text."""
    problem, bound = study.problem, study.bound
    lines = [
        f"The theory of NPR on {title}: K = {problem.arms} arms, T = {study.rounds:,} rounds",
        f"lambda = {problem.lam:g}, delta = {problem.delta:g}, depth L = {problem.depth}, "
        f"noise R = {problem.noise:g}; seed 0 unless runs are counted",
        "",
        "The bound (Theorem 4.7)",
        f"  effective dimension d           {bound.dimension:12.1f}   of K = {problem.arms}"
        f" ({study.dimension_printed:.1f} with the H of Definition B.1)",
        f"  S, bound on sqrt(2 h'H^-1 h)    {problem.bound:12.2f}",
        f"  lambda_K(A)                     {problem.eigenvalue:12.2f}",
        f"  alpha_T, at most                {bound.radius:12.2f}",
        f"  sigma of Lemma 4.4, at most     {bound.scale:12.2f}",
        f"  Gamma                           {bound.gamma:12,.0f}",
        f"  bound on the regret             {bound.total:12,.0f}",
        f"  as printed in the paper (+ 2)   {bound.printed:12,.0f}",
        *_wrapped("The bound is ", looseness(study), indent="  "),
        "",
        "The regret (mean ± standard error)",
    ]
    for name, runs in study.regrets.items():
        finals = runs[:, -1]
        error = finals.std(ddof=1) / math.sqrt(len(finals)) if len(finals) > 1 else 0.0
        counted = f"{len(finals)} run{'s' * (len(finals) > 1)}"
        lines.append(f"  {name:<31} {finals.mean():12.1f}   ± {error:.1f}, {counted}")
    lines += ["", "The lemmas"]
    for check in study.checks:
        lines.append(f"  [{check.verdict}] {check.title}")
        lines += _wrapped("claim   ", check.claim) + _wrapped("found   ", check.found)
        lines += _wrapped("decided ", f"by {check.evidence}")
    lines += ["", *perturbation_report.section(study.perturbation)]
    return "\n".join(lines) + "\n"


def perturbation_page(study: PerturbationStudy, title: str) -> str:
    """Return a study of the perturbation alone as text."""
    return "\n".join([f"NPR on {title}", "", *perturbation_report.section(study)]) + "\n"


def looseness(study: Study) -> str:
    """Compare the bound with the regret of NPR and with the largest regret that is possible."""
    measured = next(iter(study.regrets.values()))[:, -1].mean()
    largest = study.rounds * float(np.ptp(study.problem.rewards))
    return (
        f"{study.bound.total / measured:,.0f} times the regret of NPR and "
        f"{study.bound.total / largest:,.0f} times the largest regret possible."
    )


def save(study: Study, title: str, folder: Path) -> list[Path]:
    """Write figures, panels, page and numbers to ``folder``; return their paths, figure first."""
    from matplotlib.figure import Figure

    panels = [Panel("regret", "Regret, and the bound", lambda axes: _draw_regret(study, axes))]
    panels += [Panel(check.name, check.title, check.draw) for check in study.checks]
    paths = []
    with _style():
        rows = math.ceil(len(panels) / COLUMNS)
        figure = Figure(figsize=(4.4 * COLUMNS, 3.3 * rows), layout="constrained")
        for place, panel in enumerate(panels, start=1):
            _draw_panel(figure.add_subplot(rows, COLUMNS, place), panel)
        paths.append(write(figure, folder / FIGURE, dpi=80))
        for panel in panels:
            single = Figure(figsize=(5, 3.6))  # one panel needs no layout: ``write`` crops it
            _draw_panel(single.add_subplot(), panel)
            paths.append(write(single, folder / f"{panel.name}.png", dpi=110))
    paths.append(_write_perturbation(study.perturbation, folder))
    return paths + _write_texts(folder, page(study, title), _numbers(study))


def save_perturbation(study: PerturbationStudy, title: str, folder: Path) -> list[Path]:
    """Write the figure, page and numbers of a study of the perturbation alone."""
    content = {"format": "jostle-theory", "perturbation": numbers_of(study)}
    figure = _write_perturbation(study, folder)
    return [figure, *_write_texts(folder, perturbation_page(study, title), content)]


def _write_perturbation(study: PerturbationStudy, folder: Path) -> Path:
    from matplotlib.figure import Figure

    with _style():
        figure = Figure(figsize=(9, 4.4), layout="constrained")
        perturbation_report.draw(study, figure)
        return write(figure, folder / PERTURBATION, dpi=110)


def _write_texts(folder: Path, text: str, content: dict[str, Any]) -> list[Path]:
    """Write the page and the numbers; JSON has no infinity and no NaN, so they become null."""
    numbers = json.dumps(_finite(content), indent=2, default=float, allow_nan=False) + "\n"
    for name, written in ((PAGE, text), (NUMBERS, numbers)):
        with atomic(folder / name) as file:
            file.write(written.encode())
    return [folder / PAGE, folder / NUMBERS]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return None
    return value


def _style() -> AbstractContextManager[None]:
    from matplotlib import rc_context

    style: Any = {
        **STYLE,
        "font.size": 9,
        "legend.fontsize": 8,
        "text.parse_math": True,  # the powers of ten of logarithmic axes are formulas
        "axes.grid": True,
        "axes.grid.axis": "y",
    }
    return rc_context(style)


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    panel.draw(axes)
    axes.set_title(panel.title, loc="left", parse_math=False, color=INK, fontsize=10)


def _draw_regret(study: Study, axes: "Axes") -> None:
    t = np.arange(1, study.rounds + 1)
    for (name, runs), colour in zip(study.regrets.items(), COLOURS, strict=False):
        axes.loglog(t, runs.mean(axis=0), color=colour, linewidth=1.5, label=name)
    axes.plot([study.rounds], [study.bound.total], "v", color=INK, label="Theorem 4.7")
    axes.set(xlabel="round", ylabel="regret", ylim=(1, None))
    axes.legend(frameon=False)


def _numbers(study: Study) -> dict[str, Any]:
    problem = study.problem
    return {
        "format": "jostle-theory",
        "arms": problem.arms,
        "rounds": study.rounds,
        "width": study.width,
        "depth": problem.depth,
        "lambda": problem.lam,
        "delta": problem.delta,
        "reward_noise": problem.noise,
        "S": problem.bound,
        "lambda_K": problem.eigenvalue,
        "bound": study.bound._asdict(),
        "dimension_with_definition_b1": study.dimension_printed,
        "final_regrets": {name: runs[:, -1].tolist() for name, runs in study.regrets.items()},
        "findings": {
            check.name: {
                "claim": check.claim,
                "found": check.found,
                "verdict": check.verdict,
                **check.numbers,
            }
            for check in study.checks
        },
        "perturbation": numbers_of(study.perturbation),
    }


def _wrapped(label: str, text: str, indent: str = "    ") -> list[str]:
    """``text`` behind a label, in lines of at most ``LINE`` characters."""
    first = indent + label
    return textwrap.wrap(text, LINE, initial_indent=first, subsequent_indent=" " * len(first))
