"""The paper's claims, each with the tests on our own results that decide it.

Every claim is judged twice: with the policies in the paper's forms, and in jostle's. Claims about
time, and tests at fixed strengths of exploration, are played with jostle's forms only.
"""

from collections.abc import Callable

from jostle.lab.analysis.claim_tests import Behind, NotBehind, Test, Times, Where
from jostle.lab.analysis.claims import Claim
from jostle.lab.analysis.paper_forms import JOSTLE_FORMS, PAPER_FORMS, Forms
from jostle.lab.spec.extra import AT_STRENGTHS
from jostle.lab.spec.paper import CHEAP, DIAGONAL, FULL, LINEAR, WIDE, sized

H1, H2 = "fig1a", "fig1b"
ADULT, MUSHROOM, SHUTTLE = "fig2a", "fig2b", "fig2c"
MAGIC, LETTER, COVERTYPE = "fig6a", "fig6b", "fig6c"
TIME, NARROW, WIDEST = Where("fig1c"), Where("fig1e", 0), Where("fig1e", 3)
H1_UNTUNED, H2_UNTUNED, MUSHROOM_UNTUNED, SHUTTLE_UNTUNED = (
    Where("covariance", panel) for panel in range(4)
)
NPR, GREEDY, FALCON = CHEAP
COVARIANCES = tuple(zip(DIAGONAL, FULL, strict=True))
WIDE_NPR, _, WIDE_FALCON, *WIDE_DIAGONAL = WIDE

FIXED_ARMS = (
    "The 100 arms have 50 features each and are the same in all rounds, so a linear function fits "
    "much of any rewards they have. Compare `fresh`, where the arms are new in each round."
)
SWEEP = (
    "On h1 and h2 NPR pulls each of the 100 arms once before anything else (Algorithm 1). "
    "NeuralUCB and NeuralTS do not, and tend to settle on a mediocre arm that they met early. "
    "Compare `sweep`, where each policy plays with and without this sweep."
)
SHORT_TUNING = (
    "Tuning compares candidates on the first 125 to 1,000 rounds, in which those that explore are "
    "behind: what it chooses explores too little for 10,000 rounds, and differs from run to run. "
    "Compare `covariance`, where the strength of exploration is fixed rather than tuned."
)
FEW_FITS = (
    "FALCON+ fits its network once per epoch, and its first epochs have few observations each; NPR "
    "fits all observations after each round."
)
EARLY_TUNING = (
    "Much of the spread comes from tuning: it decides by the first 1,000 rounds, which favour "
    "larger steps than 10,000 rounds do, and decides differently from run to run. Compare "
    "`ordinal`, where nothing is tuned."
)
ONE_PASS = (
    "Choosing takes NPR one forward pass. Its cost grows too when it is measured in a compiled "
    "loop, without the overhead of calls that hides the growth elsewhere; NPR remains by far the "
    "cheapest at every size."
)


def _claim(
    text: str,
    tests: Callable[[Forms], tuple[Test, ...]] = lambda _: (),
    remark: str = "",
    *,
    jostle_only: tuple[Test, ...] = (),
) -> Claim:
    by_forms = {
        PAPER_FORMS: tests(Forms(paper=True)),
        JOSTLE_FORMS: (*tests(Forms(paper=False)), *jostle_only),
    }
    return Claim(text, by_forms, remark)


def _wide(policy: str, width: int) -> str:
    """The policy's name in the experiments over widths."""
    return sized((policy,), str(width))[0]


CLAIMS = (
    _claim(
        "Linear methods fail on h1 and h2",
        lambda forms: tuple(
            forms.behind(figure, linear, NPR, 1.5) for figure in (H1, H2) for linear in LINEAR
        ),
        FIXED_ARMS,
    ),
    _claim(
        "NPR is comparable to NeuralUCB and NeuralTS with full covariance on h1 and h2",
        lambda forms: tuple(
            forms.not_behind(figure, NPR, full) for figure in (H1, H2) for full in FULL
        ),
        f"{SWEEP} {SHORT_TUNING}",
        jostle_only=tuple(
            NotBehind(where, NPR, AT_STRENGTHS[full])
            for where in (H1_UNTUNED, H2_UNTUNED)
            for full in FULL
        ),
    ),
    _claim(
        "The diagonal approximation costs much on h1, h2 and mushroom",
        lambda forms: tuple(
            forms.behind(figure, diagonal, full)
            for figure in (H1, H2, MUSHROOM)
            for diagonal, full in COVARIANCES
        ),
        SHORT_TUNING,
        jostle_only=tuple(
            Behind(where, AT_STRENGTHS[diagonal], AT_STRENGTHS[full])
            for where in (H1_UNTUNED, H2_UNTUNED, MUSHROOM_UNTUNED)
            for diagonal, full in COVARIANCES
        ),
    ),
    _claim(
        "The diagonal approximation costs little on shuttle",
        lambda forms: tuple(
            forms.not_behind(SHUTTLE, diagonal, full, 1.25) for diagonal, full in COVARIANCES
        ),
        jostle_only=tuple(
            NotBehind(SHUTTLE_UNTUNED, AT_STRENGTHS[diagonal], AT_STRENGTHS[full], 1.25)
            for diagonal, full in COVARIANCES
        ),
    ),
    _claim(
        "Updating takes all neural methods about the same time",
        remark="All methods fit the network in the same way, but a full covariance has to be "
        "updated as well, which reads a gradient for every observation so far.",
        jostle_only=tuple(
            Times((TIME, policy), (TIME, NPR), "learning", 0.5, 2.0)
            for policy in (*FULL, *DIAGONAL)
        ),
    ),
    _claim(
        "Choosing is more expensive for NeuralUCB and NeuralTS than for NPR",
        jostle_only=tuple(
            Times((TIME, policy), (TIME, NPR), "choosing", least=2.0)
            for policy in (*FULL, *DIAGONAL)
        ),
    ),
    _claim(
        "With more arms, choosing becomes more expensive for NeuralUCB and NeuralTS, but not for "
        "NPR",
        remark=ONE_PASS,
        jostle_only=(
            *(
                Times(
                    (Where("fig1d", 2), policy), (Where("fig1d", 0), policy), "choosing", least=3.0
                )
                for policy in (*FULL, *DIAGONAL)
            ),
            Times((Where("fig1d", 2), NPR), (Where("fig1d", 0), NPR), "choosing", most=3.0),
        ),
    ),
    _claim(
        "With wider networks, choosing becomes more expensive for NeuralUCB and NeuralTS, but not "
        "for NPR",
        remark=ONE_PASS,
        jostle_only=(
            *(
                Times(
                    (WIDEST, _wide(policy, 256)), (NARROW, _wide(policy, 32)), "choosing", least=3.0
                )
                for policy in (*FULL, *DIAGONAL)
            ),
            Times((WIDEST, _wide(NPR, 256)), (NARROW, _wide(NPR, 32)), "choosing", most=3.0),
        ),
    ),
    _claim(
        "Neural methods help much on mushroom and shuttle",
        lambda forms: tuple(
            forms.behind(figure, linear, NPR, 1.5)
            for figure in (MUSHROOM, SHUTTLE)
            for linear in LINEAR
        ),
    ),
    _claim(
        "Neural methods help little on adult",
        lambda forms: tuple(forms.not_behind(ADULT, linear, NPR, 1.25) for linear in LINEAR),
    ),
    _claim(
        "NPR is better than or comparable to the best neural baseline on all six data sets",
        lambda forms: tuple(
            forms.not_behind(figure, NPR, policy)
            for figure in (ADULT, MUSHROOM, SHUTTLE, MAGIC, LETTER, COVERTYPE)
            for policy in (*(FULL if figure not in (LETTER, COVERTYPE) else ()), *DIAGONAL)
        ),
        EARLY_TUNING,
    ),
    _claim(
        "NPR leads on Last.fm",
        lambda forms: tuple(
            forms.behind("fig3a", policy, WIDE_NPR, 1.0) for policy in (*WIDE_DIAGONAL, "hlin-ucb")
        ),
    ),
    _claim(
        "FALCON+ starts well with networks 128 wide",
        lambda forms: tuple(
            forms.not_behind(figure, WIDE_FALCON, WIDE_NPR, at=0.05)
            for figure in ("fig4a", "fig4b")
        ),
        FEW_FITS,
    ),
    _claim(
        "FALCON+ ends worse than NPR with networks 128 wide",
        lambda forms: tuple(
            forms.behind(figure, WIDE_FALCON, WIDE_NPR) for figure in ("fig4a", "fig4b")
        ),
    ),
    _claim(
        "FALCON+ has a high variance with networks 128 wide",
        lambda forms: tuple(
            forms.varies(figure, WIDE_FALCON, WIDE_NPR) for figure in ("fig4a", "fig4b")
        ),
    ),
    _claim(
        "FALCON+ is worse when all 100 arms are shown than when 20 are",
        lambda forms: tuple(
            forms.worse_with_all_shown(figure, WIDE_FALCON) for figure in ("fig5a", "fig5b")
        ),
    ),
    _claim(
        "All neural methods are sublinear with networks 128 wide",
        lambda forms: tuple(
            forms.sublinear(figure, policy)
            for figure in ("fig4a", "fig4b")
            for policy in (WIDE_NPR, *WIDE_DIAGONAL)
        ),
    ),
)
"""Sections 5 and A of the paper, in the paper's order."""
