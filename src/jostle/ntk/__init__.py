"""The neural tangent kernel and the confidence radius of Section 4, as policies need them.

``kernel`` computes inner products of gradients, ``confidence`` the radius of Lemma 4.2 and the
perturbation scale of Lemma 4.4. Both work on NumPy and on JAX arrays. What only the study of the
theory needs is in ``jostle.theory``.
"""
