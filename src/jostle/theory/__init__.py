"""The theory of NPR as code: the kernel, the bound, and the paper's lemmas put to the test.

``ntk``, ``effective_dimension``, ``confidence_radius``, ``perturbation_scale``, ``concentration``
and ``regret_bound`` are the paper's quantities, in float64 and on NumPy arrays; ``Problem`` is a
bandit of which everything is known, and the modules ``lemma_*``, ``kernel_rate``, ``descent`` and
``shape`` are experiments on one. docs/theory.md shows what they find.
"""

from jostle.ntk.confidence import concentration, confidence_radius, perturbation_scale
from jostle.theory.bounds import (
    OPTIMISM,
    RegretBound,
    norm_bound,
    optimism_constant,
    regret_bound,
    sweep_eigenvalue,
)
from jostle.theory.dimension import StreamDimension, effective_dimension
from jostle.theory.tangent import limit_kernel, ntk

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
