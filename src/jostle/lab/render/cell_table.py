"""A table as plain data: titles and cells, each with its text and what it is sorted by."""

from collections.abc import Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """The text of a cell, and the value it is sorted by (None comes last)."""

    text: str
    value: str | float | None = None


class CellTable(NamedTuple):
    """Titles and lines of cells; the first cell of a line names it."""

    titles: Sequence[str]
    lines: Sequence[Sequence[Cell]]
    sorted_by: str | None = None
    """The column by which the lines are sorted already, if any."""
    note: str = ""

    @property
    def wordy(self) -> list[bool]:
        """Which columns hold words rather than numbers."""
        return [
            any(isinstance(line[place].value, str) for line in self.lines)
            for place in range(len(self.titles))
        ]
