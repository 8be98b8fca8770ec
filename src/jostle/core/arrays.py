"""Names for arrays by what they hold and their shape, for type annotations.

Shapes are written as jaxtyping does: ``k`` is the number of arms shown, ``n`` a number of contexts,
``features`` the length of a context. Nothing is checked when the program runs. Arrays may be
NumPy's or JAX's unless a function says otherwise.
"""

from typing import Any

from jaxtyping import Array, Bool, Float, Int

AnyArray = Any
"""A NumPy or a JAX array. Their union would reject most arithmetic between the two."""

Contexts = Float[AnyArray, "n features"]
Scores = Float[AnyArray, "k"]
Probabilities = Float[AnyArray, "k"]
Mask = Bool[AnyArray, "k"]
Index = Int[AnyArray, ""]
Key = Any
"""A JAX key, or a NumPy generator on the host."""

Vector = Float[Array, "n"]
Matrix = Float[Array, "rows columns"]
"""JAX arrays only, as ``Vector``."""
