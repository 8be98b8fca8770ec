"""Results as a page of Markdown: a table and a figure for each experiment, and the claims."""

from collections.abc import Iterable
from pathlib import Path

from jostle.core.atomic import atomic
from jostle.lab.analysis.ablation import as_markdown
from jostle.lab.analysis.claims import HOLDS, UNTRIED
from jostle.lab.analysis.paper_claims import CLAIMS
from jostle.lab.analysis.published_figures import ABOUT, past
from jostle.lab.analysis.ranking import Row, rows
from jostle.lab.analysis.summary_table import glance
from jostle.lab.analysis.tuned_settings import choices
from jostle.lab.render.figures import draw as figures
from jostle.lab.render.headline import headlines
from jostle.lab.render.text import labels
from jostle.lab.results import folder as store
from jostle.lab.results.model import Comparison
from jostle.lab.results.outcome import Outcome
from jostle.lab.spec.extra import EXTRA
from jostle.lab.spec.plan import REGRET


def collect(folder: Path) -> list[Outcome]:
    """The experiments in the folders of ``folder``, by name."""
    if not folder.is_dir():
        raise store.FolderError(f"there is no folder {str(folder)!r}")
    found = [
        store.read(each) for each in sorted(folder.iterdir()) if (each / store.MANIFEST).exists()
    ]
    if not found:
        raise store.FolderError(f"{str(folder)!r} holds no folder of an experiment")
    return found


def save(outcomes: list[Outcome], path: Path, command: str) -> None:
    """Write the page to ``path``, and its figures into ``images/`` beside it."""
    images = path.parent / "images" / path.stem
    images.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, str] = {}
    for outcome in outcomes:
        for picture in figures.save(outcome, images):
            if picture.suffix == ".png":
                name = f"{outcome.experiment.name}.png"
                picture.replace(images / name)
                pictures[outcome.experiment.name] = f"images/{path.stem}/{name}"
            else:
                picture.unlink()
    with atomic(path) as file:
        file.write(render(outcomes, pictures, command).encode())


def render(outcomes: list[Outcome], pictures: dict[str, str], command: str) -> str:
    """The page; ``pictures`` are links to figures by the names of the experiments."""
    parts = [
        "# Results",
        f"Written by `{command}` from the results beside it; not by hand. Mean at the last round "
        "± its standard error over the runs; milliseconds a round are wall time while other runs "
        "went on beside it.",
        *_at_a_glance(outcomes),
        *_past_the_paper(outcomes),
        *_claims(outcomes),
    ]
    for outcome in outcomes:
        parts += _experiment(outcome, pictures.get(outcome.experiment.name))
    return "\n\n".join(parts) + "\n"


def _at_a_glance(outcomes: list[Outcome]) -> list[str]:
    """The paper's figures and the data sets; ablations are many policies of one name."""
    broad = [
        each for each in outcomes if each.experiment.name not in {*EXTRA} - {"practical", "ordinal"}
    ]
    measures = "Regret (mistakes, on data) is better low; reward, of Last.fm and Delicious, high."
    return ["## At a glance", measures, glance(broad)] if broad else []


def _past_the_paper(outcomes: list[Outcome]) -> list[str]:
    table = past(_by_name(outcomes))
    return ["## Past the paper", ABOUT, table] if table else []


def _by_name(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    return {outcome.experiment.name: outcome for outcome in outcomes}


def _claims(outcomes: Iterable[Outcome]) -> list[str]:
    results = _by_name(outcomes)
    lines = ["| claim of the paper | verdict | differences, with 95% intervals |", "|---|---|---|"]
    for claim in CLAIMS:
        verdict, findings = claim.judge(results)
        told = "<br>".join(
            f"{finding.words}: {finding.verdict}" for finding in findings if finding.words
        )
        if verdict == UNTRIED:
            told = "its experiments have not been run"
        elif verdict != HOLDS and claim.remark:
            told += f"<br>{claim.remark}"
        lines.append(f"| {claim.text} | **{verdict}** | {told} |")
    return ["## The paper's claims", "\n".join(lines)]


def _experiment(outcome: Outcome, picture: str | None) -> list[str]:
    experiment = outcome.experiment
    parts = [f"## {experiment.name}: {experiment.title or ', '.join(experiment.environments)}"]
    if picture:
        parts.append(f"![{experiment.title or experiment.name}]({picture})")
    parts += [" ".join(sentences).strip() for sentences in headlines(outcome)]
    if experiment.figure == "changes":
        parts.append(as_markdown(outcome))
    for comparison in outcome.comparisons:
        if comparison.runs:
            parts.append(_table(comparison))
    missing = len(outcome.missing())
    if missing:
        parts.append(f"Not complete: {missing} of {len(outcome.trials())} runs are missing.")
    if outcome.sessions:
        parts.append(_made(outcome))
    return parts


def _table(comparison: Comparison) -> str:
    digits = ",.1f" if comparison.plan.measure == REGRET else ",.3f"
    names = labels(comparison.plan.policies)
    where = labels([comparison.plan.environment])[comparison.plan.environment]
    tuned = {choice.policy: choice for choice in choices(comparison) if choice.candidates}
    heads = [where, comparison.plan.measure, "runs", "ms a round"]
    heads += ["ms choosing", "ms learning"] if comparison.times else []
    heads += ["most chosen"] if tuned else []
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows(comparison):
        cells = [names[row.policy], _mean(row, digits), str(row.runs), _ms(row.round_ms)]
        cells += [_ms(row.choosing_ms), _ms(row.learning_ms)] if comparison.times else []
        cells += [tuned[row.policy].chosen[0][0] if row.policy in tuned else "-"] if tuned else []
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(row: Row, digits: str) -> str:
    error = "" if row.error is None else f" ± {row.error:{digits}}"
    return f"{row.mean:{digits}}{error}"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _made(outcome: Outcome) -> str:
    """The commands that made an experiment, and what it took."""
    commands = dict.fromkeys(session["command"] for session in outcome.sessions)
    seconds = sum(session["seconds"] for session in outcome.sessions)
    told = ", then ".join(f"`{command}`" for command in commands)
    tuning = outcome.experiment.tuning.method
    settings = "defaults" if tuning == "none" else f"tuned by {tuning}"
    taken = sum(session.get("taken", 0) for session in outcome.sessions)
    shared = f"; {taken} runs are those of other experiments" if taken else ""
    return f"Made by {told}; {seconds / 60:.0f} min; {settings}{shared}."
