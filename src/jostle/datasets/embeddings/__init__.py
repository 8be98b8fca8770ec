"""Vectors of the items and users of a recommendation set."""

from jostle.datasets.embeddings.vectors import item_vectors, user_vectors

__all__ = ["item_vectors", "user_vectors"]
