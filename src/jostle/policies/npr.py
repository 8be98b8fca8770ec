"""NPR: perturbed rewards whose fit is solved instead of descended, in any unit of the rewards."""

from typing import Any

from jostle.core.arrays import Contexts, Mask, Probabilities, Scores
from jostle.core.backend import apart, normals, split, uniforms
from jostle.core.record import leaf, static
from jostle.core.validation import whole
from jostle.models.features import entries_and_blocks
from jostle.models.forecaster import MEMBERS
from jostle.policies._folded import FoldedNPR, Strengths, folds
from jostle.policies._online import online
from jostle.policies._probabilities import SamplingPolicy
from jostle.policies._stacked import StackedPolicy, StackedState
from jostle.policies.npr_paper import PaperNPR
from jostle.policies.selection import preferring_untried, vote_shares
from jostle.types import Round

MIXED = 4
"""Members that one draw of scores combines."""
POOL_TEMPER, TEMPER = 0.6, 1.0
"""How fast the noise falls with the dimension of contexts, with a fixed pool of them and otherwise.
At 1 / 2 the deviation of a draw would not depend on the dimension, as a posterior's does. Less pays
at any horizon that we played, and much less if contexts change, which explores by itself."""
BOLDNESS = 30.0
"""By how much optimists multiply the prior."""
FARTHER, IN_A_POOL = 60.0, 6.0
"""By how much ``optimism`` is multiplied where contexts are outlying, and in a pool, whose contexts
come back, so that none of them is."""
OPTIMISTS = 0x0B01D
"""Which stream of a decision's key decides whether it is an optimist's."""


class NPR(SamplingPolicy, StackedPolicy):
    """Explore by the response of the fit to perturbed rewards, and to a random prior.

    Least squares is linear in its targets: the fit to perturbed rewards is the fit to the rewards
    plus the fit to the perturbations (the split in the proof of Lemma 4.3 of the paper). The first
    is the mean, see ``StackedPolicy``. The second is solved exactly for ``members`` of an ensemble,
    by a ridge regression on fixed random features phi of the context, without a history:

        N_j = V^-1 sum_s z_js phi_s,   z_js ~ N(0, 1), one per member and observation, for ever
        P_j = lambda V^-1 P_j(0),      P_j(0) ~ N(0, I): what is left of a random prior

        score(x) = mean(x) + | nu sigma phi(x).N + kappa rho phi(x).P |
        nu       = noise / d,   kappa = prior, and 30 times that for optimists

    where N = sum_j w_j N_j and P = sum_j w_j P_j over four members drawn for each decision, with w
    uniform on the unit sphere. Only its size counts: doubt about an arm always speaks for it.
    sigma is the deviation of errors made before learning, rho that of rewards weighted by leverage,
    and d the number of directions in which the contexts chosen of late vary
    (``jostle.models.scales``; with a fixed pool nu = noise / d^0.6). They enter only here, so the
    unit of the rewards does not matter. With probability c / (c + t) a decision is an optimist's,
    where c = optimism for most contexts, and 60 times that for the tenth of them that lie farthest
    from the others (``jostle.models.outlying``): some c log(1 + T / c) + 6 c log(1 + T / 60 c)
    decisions in all, which find rewards far beyond any seen. In a pool, whose contexts come back,
    c is 6 times optimism for all of them.

    ``NPR.online(features=...)`` keeps no history. ``NPR.paper`` is Algorithm 1 of the paper to the
    letter, and ``NPR.descent`` the same with jostle's network and training. How and why NPR differs
    from it is in docs/npr.md.

    Arguments:
        noise: the scale of the perturbations, in units of the errors' deviation.
        prior: kappa, the scale of the prior, in units of the rewards' spread.
        optimism: c, of the probability of an optimist's decision.
        members: M, the size of the ensemble.
        floor: the probability of choosing any of the arms present, uniformly. It is small by
            default; what is logged for evaluation needs more, such as 0.05.
        others: see ``StackedPolicy`` and ``SamplingPolicy``.
    """

    behaviour = 8  # optimists prefer outlying contexts
    paper_form = PaperNPR

    noise: Any = leaf(default=1.0)
    prior: Any = leaf(default=1.0)
    optimism: Any = leaf(default=0.5)
    members: int = static(default=32)
    floor: Any = leaf(default=1e-4, most=1.0, extra=True)

    def check(self) -> None:
        """Reject bad arguments."""
        super().check()
        whole("members", self.members)

    def draws(self, state: StackedState, key: Any, round: Round, shape: tuple[int, ...]) -> Scores:
        """Scores, some of them an optimist's."""
        chance = self._optimism(state, round)
        bold = uniforms(apart(key, OPTIMISTS), shape) < chance
        mean, noise, prior = self._parts(state, key, round, shape)
        xp = mean.__array_namespace__()
        return mean + abs(noise + xp.where(bold, BOLDNESS, 1.0)[..., None] * prior)

    def weigh(self, state: StackedState, key: Any, round: Round) -> tuple[Scores, Probabilities]:
        """The shares of votes, those of optimists counted by their exact probability."""
        mean, noise, prior = self._parts(state, key, round, (self.samples,))
        allowed, chance = self.allowed(state, round), self._optimism(state, round)
        usual = vote_shares(mean + abs(noise + prior), allowed)
        bold = vote_shares(mean + abs(noise + BOLDNESS * prior), allowed)
        return mean, (1 - chance) * usual + chance * bold

    def allowed(self, state: StackedState, round: Round) -> Mask:
        """Arms never pulled while they are swept, else all that are present."""
        return preferring_untried(state.tried, round)

    @property
    def takes_weights(self) -> bool:
        """The regressions and the members weigh observations; the network does not."""
        return True

    @property
    def finds_outlying(self) -> bool:
        """Unless contexts are those of a pool."""
        return self.pool is None

    def folded(self, state: StackedState) -> FoldedNPR | None:
        """What decisions on the host read, computed once; None with blocks or a sweep."""
        if self.takes_blocks or state.tried.flags.shape[0] or not folds(self.network):
            return None
        noise, prior = self._strengths(state)
        usual, outlying = self._chances(state)
        strengths = Strengths(
            noise, prior, BOLDNESS, usual, outlying, self.floor, self.samples, MIXED
        )
        return FoldedNPR(state.forecaster, self.network, state.fit.average, strengths)

    @classmethod
    def online(
        cls, features: int, *, pool: int | None = None, blocks: int | None = None, **settings: Any
    ) -> "NPR":
        """NPR for streams without an end: constant memory and time, without a history.

        The regressions and the members need no history. The network is small, all blocks share
        it, and it is trained on the latest observations only. Where contexts have 16 entries or
        more it takes the place of random features; docs/online.md has the sizes. The state is
        below 1 MB, unless contexts have hundreds of entries. ``settings`` are any others of the
        policy, of its training or of its network, as in ``with_settings``.
        """
        return online(cls, features, pool, blocks, settings)

    @classmethod
    def theory(cls, contexts: Contexts, **settings: Any) -> PaperNPR:
        """Algorithm 1 with the perturbations of Lemma 4.4; see ``PaperNPR.theory``."""
        return PaperNPR.theory(contexts, **settings)

    def _optimism(self, state: StackedState, round: Round) -> Any:
        """The probability that a decision is an optimist's."""
        usual, farther = self._chances(state)
        outlying = state.forecaster.outlying
        if outlying is None:
            return usual
        x, _ = entries_and_blocks(round.contexts)
        return x.__array_namespace__().where(outlying.among(x, round.mask), farther, usual)

    def _chances(self, state: StackedState) -> tuple[Any, Any]:
        """Those of an optimist among most contexts, and among outlying ones."""
        # Half an observation, so that no optimism at all is none before the first one, too.
        seen = state.forecaster.scales.seen + 0.5
        most = self.optimism * (1.0 if self.pool is None else IN_A_POOL)
        outlying = self.optimism * FARTHER
        return most / (most + seen), outlying / (outlying + seen)

    def _parts(
        self, state: StackedState, key: Any, round: Round, shape: tuple[int, ...]
    ) -> tuple[Scores, Scores, Scores]:
        """The mean of each arm, and draws of its noise and prior of shape (*shape, k)."""
        forecaster = state.forecaster
        scales, ridge = forecaster.scales, forecaster.ridge
        _, block = entries_and_blocks(round.contexts)
        phi = forecaster.expand(round.contexts)
        mean = self._estimates(state, round.contexts, phi)
        xp = mean.__array_namespace__()
        which, weights = _combinations(key, self.members, shape)
        responses = _responses(ridge.weights, phi, block, which, self.members)
        noise, prior = (weights[..., None, :] @ part for part in responses)
        nu_sigma, kappa_rho = self._strengths(state)
        known = scales.prior > 0  # until two rewards differ, choose uniformly
        return (
            xp.where(known, mean, 0.0),
            nu_sigma * noise[..., 0, :],
            kappa_rho * prior[..., 0, :],
        )

    def _strengths(self, state: StackedState) -> tuple[Any, Any]:
        """nu sigma and kappa rho: the factors of noise and prior."""
        scales = state.forecaster.scales
        nu = self.noise / scales.dimension ** (TEMPER if self.pool is None else POOL_TEMPER)
        return nu * scales.noise, self.prior * scales.prior


def _combinations(key: Any, members: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Members drawn with replacement, and weights on the unit sphere: (*shape, MIXED) each."""
    member_key, weight_key = split(key)
    uniform = uniforms(member_key, (*shape, MIXED))
    xp = uniform.__array_namespace__()
    which = xp.minimum((uniform * members).astype(xp.int32), members - 1)
    z = normals(weight_key, (*shape, MIXED))
    return which, z / xp.sqrt((z * z).sum(-1, keepdims=True))


def _responses(weights: Any, phi: Any, block: Any, which: Any, members: int) -> tuple[Any, Any]:
    """phi'N_j and phi'P_j for the members j of ``which``: (*which.shape, k) each."""
    xp = phi.__array_namespace__()
    alone = which.ndim == 1  # one draw: only its members are computed
    rows = xp.concatenate([which, members + which]) if alone else xp.arange(2 * members)
    if block is None:
        table = weights[0][MEMBERS + rows] @ phi.T
    else:
        table = (weights[block[:, None], MEMBERS + rows] @ phi[..., None])[..., 0].T
    if alone:
        return table[:MIXED], table[MIXED:]
    return table[which], table[members + which]
