"""The section and the figure of a theory report on what the perturbation really does."""

import math
from typing import TYPE_CHECKING

import numpy as np

from jostle.theory.perturbation_study import Form, PerturbationStudy
from jostle.theory.plotting import BLUE, GREEN, GREY, ORANGE, PURPLE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = 38
"""Characters for the name of a form; longer names get a line of their own."""
STYLES = ((GREY, "--"), (BLUE, "-"), (ORANGE, "-"), (RED, "-"), (GREEN, "-"), (PURPLE, "-"))


def section(study: PerturbationStudy) -> list[str]:
    """Return the lines of the section."""
    groups, (reference, *_) = study.groups, study.forms
    lines = [
        "What the perturbation really does",
        f"  A history of {study.frozen_at:,} rounds stands still while each form plays "
        f"{study.probed:,} more rounds with fresh",
        "  perturbations. The table has the standard deviation of its scores over these rounds as "
        "a share",
        f"  of that of networks that minimise Eq. (2) to convergence (nu = {study.noise:g}, "
        f"{study.draws} fits), by the number of",
        "  pulls of an arm; the correlation of scores from one round to the next, for arms of the "
        "first",
        f"  column; and the regret after {study.rounds:,} rounds ({study.seeds} runs, the same "
        "problems for all).",
        "",
        _row("pulls of the arm", [group.label for group in groups], "correl.", "regret"),
        _row("arms", [str(group.arms) for group in groups], "", ""),
        _row("deviation of the converged fit", [f"{m.deviation:.4f}" for m in reference.movements]),
    ]
    for form in study.forms:
        if len(form.name) >= NAME:
            lines.append(f"  {form.name}")
        lines.append(_form_row(form))
    return lines


def _form_row(form: Form) -> str:
    name = form.name if len(form.name) < NAME else ""
    if form.diverged:
        return _row(name, ["diverges"] + [""] * (len(form.shares) - 1))
    shares = [f"{share:.0%}" for share in form.shares]
    return _row(name, shares, f"{form.movements[0].correlation:.2f}", _regret(form))


def _row(name: str, cells: list[str], correlation: str = "", regret: str = "") -> str:
    return (
        f"  {name:<{NAME}}{''.join(f'{cell:>9}' for cell in cells)} {correlation:>7}"
        f"{regret:>15}".rstrip()
    )


def _regret(form: Form) -> str:
    if form.regrets is None:
        return "not played"
    error = _standard_error(form.regrets)
    return f"{form.regrets.mean():.1f}" + (f" ± {error:.1f}" if error else "")


def _standard_error(regrets: np.ndarray) -> float:
    return float(regrets.std(ddof=1) / math.sqrt(len(regrets))) if len(regrets) > 1 else 0.0


def draw(study: PerturbationStudy, figure: "Figure") -> None:
    """Draw the shares by number of pulls, and the regret against the share."""
    shares: Axes = figure.add_subplot(1, 2, 1)
    regrets: Axes = figure.add_subplot(1, 2, 2)
    places = np.arange(len(study.groups))
    for i, form in enumerate(study.forms):
        colour, line = STYLES[i % len(STYLES)]
        if form.diverged:
            shares.plot([], [], color=colour, label=f"{form.name} (diverges)")
            continue
        shares.plot(places, form.shares, f"o{line}", color=colour, label=form.name)
        if form.regrets is not None:
            regrets.errorbar(
                form.shares[0], form.regrets.mean(), _standard_error(form.regrets),
                fmt="o", color=colour,
            )  # fmt: skip
    labels = [f"{group.label}\n({group.arms} arms)" for group in study.groups]
    shares.set_xticks(places, labels)
    shares.set(xlabel="pulls of the arm", ylabel="share of the converged fit's deviation")
    shares.set_ylim(0, None)
    regrets.set(
        xlabel=f"share, arms with {study.groups[0].label} pull(s)",
        ylabel=f"regret after {study.rounds:,} rounds",
        ylim=(0, None),
    )
    regrets.set_xlim(0, None)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
