"""The theory of NPR as code: tangent kernel, effective dimension, regret bound, lemma checks.

The functions below are the paper's quantities, computed in float64 on NumPy arrays. Each statement
of the paper that is computed or tested has a file that begins with its number
(``lemma_4_3_concentration``, ``definition_b_3_effective_dimension``). A ``Problem`` is a bandit
whose expected rewards and kernel are known; each ``lemma_*`` module measures on a problem whether
its lemma holds, and ``study`` measures all of them. docs/theory.md shows the results.

``perturbation_study`` measures how much of the perturbation that the proofs assume is played.

Statements without a file: Lemmas C.2 and C.3 only serve the proof of Lemma 4.3. Assumption B.2 is
checked by ``sweep_eigenvalue``.
"""

from jostle.ntk.confidence import concentration, confidence_radius, perturbation_scale
from jostle.theory.definition_b_1_tangent_kernel import limit_kernel, ntk
from jostle.theory.definition_b_3_effective_dimension import StreamDimension, effective_dimension
from jostle.theory.theorem_4_7_regret_bound import (
    OPTIMISM,
    RegretBound,
    norm_bound,
    optimism_constant,
    regret_bound,
    sweep_eigenvalue,
)

__all__ = [
    "OPTIMISM",
    "RegretBound",
    "StreamDimension",
    "concentration",
    "confidence_radius",
    "effective_dimension",
    "limit_kernel",
    "norm_bound",
    "ntk",
    "optimism_constant",
    "perturbation_scale",
    "regret_bound",
    "sweep_eigenvalue",
]
