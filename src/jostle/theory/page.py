"""A study as a page to read, a figure, and numbers."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from jostle.core.atomic import atomic
from jostle.core.plotting import INK, STYLE, write
from jostle.theory.finding import BLUE, GREEN, GREY, ORANGE, PURPLE, RED
from jostle.theory.study import Study

PAGE, NUMBERS, FIGURE = "theory.txt", "theory.json", "theory.png"
COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, PURPLE)


def page(study: Study, title: str) -> str:
    """The study in words and numbers, in lines of at most 100 characters."""
    problem, bound = study.problem, study.bound
    lines = [
        f"The theory of NPR on {title}: K = {problem.arms} arms, T = {study.rounds:,} rounds",
        f"lambda = {problem.lam:g}, delta = {problem.delta:g}, depth L = {problem.depth}, "
        f"noise R = {problem.noise:g}; numbers of the first problem where not of all",
        "",
        "The bound (Theorem 4.7)",
        f"  effective dimension d           {bound.dimension:12.1f}   of K = {problem.arms}"
        f" ({study.dimension_printed:.1f} with the H of Definition B.1)",
        f"  S, bound on sqrt(2 h'H^-1 h)    {problem.bound:12.2f}",
        f"  lambda_K(A)                     {problem.eigenvalue:12.2f}",
        f"  alpha_T, at most                {bound.radius:12.2f}",
        f"  sigma of Lemma 4.4, at most     {bound.scale:12.2f}",
        f"  Gamma                           {bound.gamma:12,.0f}",
        f"  bound on the regret             {bound.total:12,.0f}   {looseness(study)}",
        f"  the same as printed (+ 2)       {bound.printed:12,.0f}",
        "",
        "The regret",
    ]
    for name, runs in study.regrets.items():
        finals = runs[:, -1]
        error = finals.std(ddof=1) / math.sqrt(len(finals)) if len(finals) > 1 else 0.0
        runs_told = f"{len(finals)} run{'s' * (len(finals) > 1)}"
        lines.append(f"  {name:<31} {finals.mean():12.1f}   ± {error:.1f}, {runs_told}")
    lines += ["", "The lemmas"]
    for finding in study.findings:
        lines.append(f"  [{finding.verdict}] {finding.title}")
        lines += _wrapped("says", finding.claim) + _wrapped("found", finding.found)
    return "\n".join(lines) + "\n"


def looseness(study: Study) -> str:
    """The bound beside what regret can be at most, and beside what NPR had."""
    measured = next(iter(study.regrets.values()))[:, -1].mean()
    most = study.rounds * float(np.ptp(study.problem.rewards))
    return (
        f"{study.bound.total / measured:,.0f} times NPR's, "
        f"{study.bound.total / most:,.0f} times the worst possible"
    )


def save(study: Study, title: str, folder: Path) -> list[Path]:
    """Write page, figure, the panels of the figure and the numbers; the figure comes first."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    drawings = [("regret", "Regret, and the bound", lambda axes: _draw_regret(study, axes))]
    drawings += [(f.name, f.title, f.draw) for f in study.findings]
    paths = []
    # Logarithmic axes write their powers as formulas.
    small: Any = {"font.size": 9, "legend.fontsize": 8, "text.parse_math": True}
    grid: Any = {"axes.grid": True, "axes.grid.axis": "y"}
    with rc_context({**STYLE, **small, **grid}):
        columns = 3
        rows = math.ceil(len(drawings) / columns)
        figure = Figure(figsize=(4.4 * columns, 3.3 * rows), layout="constrained")
        for place, drawing in enumerate(drawings, start=1):
            _panel(figure.add_subplot(rows, columns, place), drawing)
        paths.append(write(figure, folder / FIGURE, dpi=80))
        for drawing in drawings:
            single = Figure(figsize=(5, 3.6), layout="constrained")
            _panel(single.add_subplot(), drawing)
            paths.append(write(single, folder / f"{drawing[0]}.png", dpi=110))
    for name, text in ((PAGE, page(study, title)), (NUMBERS, _numbers(study))):
        with atomic(folder / name) as file:
            file.write(text.encode())
        paths.append(folder / name)
    return paths


def _panel(axes: Any, drawing: tuple[str, str, Any]) -> None:
    _, title, draw = drawing
    draw(axes)
    axes.set_title(title, loc="left", parse_math=False, color=INK, fontsize=10)


def _draw_regret(study: Study, axes: Any) -> None:
    t = np.arange(1, study.rounds + 1)
    for (name, runs), colour in zip(study.regrets.items(), COLOURS, strict=False):
        axes.loglog(t, runs.mean(axis=0), color=colour, linewidth=1.5, label=name)
    axes.plot([study.rounds], [study.bound.total], "v", color=INK, label="Theorem 4.7")
    axes.set(xlabel="round", ylabel="regret", ylim=(1, None))
    axes.legend(frameon=False)


def _numbers(study: Study) -> str:
    problem = study.problem
    content = {
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
            f.name: {"claim": f.claim, "found": f.found, "verdict": f.verdict, **f.numbers}
            for f in study.findings
        },
    }
    return json.dumps(content, indent=2, default=float) + "\n"


def _wrapped(label: str, text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 100, initial_indent=f"    {label:<6}", subsequent_indent=" " * 10)
