"""``Level``: counts over time by buckets of one length, of which all but the latest are packed."""

import math
from collections.abc import Iterator, Mapping

import msgspec

from jostle.service.messages import Bucket

UNPACKED = 2
"""The latest buckets, which are counted in. A packed one takes a third of the memory: an app
begins one every ten seconds, and keeps thousands."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Bucket).decode


class Level:
    """The buckets of one length.

    Arguments:
        seconds: the length of a bucket.
        most: how many are kept, the latest ones.
    """

    def __init__(self, seconds: float, most: int):
        self.seconds, self._most = seconds, most
        self._latest: dict[int, Bucket] = {}
        self._packed: dict[int, bytes] = {}

    @property
    def span(self) -> float:
        """Seconds that all buckets cover together."""
        return self.seconds * self._most

    def at(self, time: float) -> Bucket:
        """The bucket of a moment, to count in."""
        place = math.floor(time / self.seconds)
        bucket = self._latest.get(place)
        return self._begin(place) if bucket is None else bucket

    def between(self, first: int, end: int) -> Iterator[tuple[int, Bucket]]:
        """The buckets whose places are from ``first`` to before ``end``, and their places."""
        for place, packed in self._packed.items():
            if first <= place < end:
                yield place, _unpack(packed)
        for place, bucket in self._latest.items():
            if first <= place < end:
                yield place, bucket

    def as_data(self) -> dict[int, msgspec.Raw]:
        """All buckets, packed, by their places."""
        latest = {place: _pack(bucket) for place, bucket in self._latest.items()}
        return {place: msgspec.Raw(each) for place, each in {**self._packed, **latest}.items()}

    def load(self, packed: Mapping[int, msgspec.Raw]) -> None:
        """Hold what ``as_data`` returned."""
        # Copies: what was decoded refers to the whole message.
        self._packed, self._latest = {place: bytes(each) for place, each in packed.items()}, {}

    def _begin(self, place: int) -> Bucket:
        """The bucket at a place that is not among the latest."""
        packed = self._packed.pop(place, None)
        bucket = Bucket(place * self.seconds, self.seconds) if packed is None else _unpack(packed)
        self._latest[place] = bucket
        while len(self._latest) > UNPACKED:
            oldest = min(self._latest)
            if oldest == place:  # counted in for once: a clock that went back
                oldest = min(each for each in self._latest if each != place)
            self._packed[oldest] = _pack(self._latest.pop(oldest))
        while len(self._packed) + len(self._latest) > self._most:
            del self._packed[min(self._packed)]
        return bucket
