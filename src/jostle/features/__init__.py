"""Features: from records of an application to the contexts that policies take."""

from jostle.features.encoder import Encoder
from jostle.features.schema import Boolean, Category, Number, Schema

__all__ = ["Boolean", "Category", "Encoder", "Number", "Schema"]
