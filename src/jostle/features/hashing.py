"""Signed feature hashing: names and values to 64 bits, and those to buckets with a sign.

The hash is XXH64 (xxhash.com), which is published and the same on every machine and in every
version of Python. A name is hashed with the hash of what it is inside of as the seed, so that
``{"user": {"age": 3}}`` and ``{"user.age": 3}`` differ and no character has to be reserved. Pairs
of features (context and action) are hashed by mixing their hashes, for whole arrays at once.

In a bucket that two features share, each pushes the other's weight by a random sign, which is 0 on
average (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009).
"""

from typing import Any

import numpy as np
import xxhash

CONSTANT = 1
"""The hash of the feature that is always 1: a pair with it stands for the other feature alone."""

_FIRST, _SECOND, _THIRD = (
    np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
"""The constants of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
_ONE, _27, _30, _31, _32 = (np.uint64(number) for number in (1, 27, 30, 31, 32))


def hashed(kind: bytes, text: str, inside: int) -> int:
    """The hash of a name or value of some kind, inside of what has the hash ``inside``.

    Raises a ``UnicodeEncodeError`` for text that is not Unicode (lone surrogates).
    """
    return xxhash.xxh64_intdigest(kind + text.encode(), inside)


def digest(content: bytes) -> str:
    """128 bits of content as text: equal for equal content, and in practice for no other."""
    return xxhash.xxh3_128_hexdigest(content)


def pairs(first: Any, second: Any) -> Any:
    """The hashes of pairs of features, for arrays of 64-bit hashes that broadcast."""
    mixed = first * _FIRST + second  # not symmetric: context and action are different roles
    mixed = (mixed ^ (mixed >> _30)) * _SECOND
    mixed = (mixed ^ (mixed >> _27)) * _THIRD
    return mixed ^ (mixed >> _31)


def buckets(hashes: Any, count: int) -> Any:
    """The bucket of each hash, from 0 to ``count`` - 1: its upper half, scaled."""
    return (((hashes >> _32) * np.uint64(count)) >> _32).astype(np.int64)


def signs(hashes: Any) -> Any:
    """1 or -1 for each hash, by its lowest bit, which does not decide the bucket."""
    return 1.0 - 2.0 * (hashes & _ONE).astype(np.float64)


def random_signs(rows: int, columns: int, salt: int) -> np.ndarray:
    """A fixed (rows, columns) matrix of 1 and -1, by hashing positions."""
    row = np.arange(1, rows + 1, dtype=np.uint64)[:, None]
    column = np.arange(1, columns + 1, dtype=np.uint64)[None, :]
    matrix: np.ndarray = signs(pairs(row + np.uint64(salt << 32), column))
    return matrix
