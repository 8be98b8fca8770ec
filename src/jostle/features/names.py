"""``NameTable``: which names met which bucket, for explanations; bounded in size."""

import numpy as np

from jostle.features.hashing import CONSTANT, buckets


class NameTable:
    """The names of features by their hashes, up to a number of them."""

    def __init__(self, size: int):
        self.size = size
        self.left_out = 0
        """Names that came when the table was full."""
        self._names: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._names)

    def add(self, labels: list[tuple[int, str]]) -> None:
        """Record names, while there is room for them."""
        for hash, name in labels:
            if hash in self._names:
                continue
            if len(self._names) < self.size:
                self._names[hash] = name
            else:
                self.left_out += 1

    def name(self, hash: int) -> str:
        """The name of a feature, or its hash in hexadecimal if there was no room for it."""
        if hash == CONSTANT:
            return "constant"
        return self._names.get(hash) or f"#{hash:016x}"

    def in_bucket(self, bucket: int, count: int) -> list[str]:
        """The names whose features are in one of ``count`` buckets."""
        hashes = np.fromiter(self._names, np.uint64, len(self._names))
        names = list(self._names.values())
        return [names[i] for i in np.flatnonzero(buckets(hashes, count) == bucket)]

    def as_data(self) -> list[list[int | str]]:
        """For a file."""
        return [[hash, name] for hash, name in self._names.items()]

    def load(self, data: list[list[int | str]]) -> None:
        """Take what ``as_data`` returned."""
        self._names = {int(hash): str(name) for hash, name in data}
