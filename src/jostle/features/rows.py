"""Rows of data frames as records, without importing pandas or Polars."""

from collections.abc import Mapping
from typing import Any


def as_record(value: Any) -> Any:
    """A row of a frame as a mapping; anything else as it is.

    Rows are what ``iterrows`` and ``itertuples`` of pandas give; those of Polars' ``iter_rows(
    named=True)`` are mappings already. In pandas NaN means missing, so it becomes None.
    """
    if type(value) is dict or isinstance(value, str | Mapping):
        return value
    if hasattr(value, "_asdict"):  # a named tuple
        return _without_missing(value._asdict())
    if hasattr(value, "to_dict") and hasattr(value, "index"):  # a pandas Series
        return _without_missing(value.to_dict())
    return value


def as_records(value: Any) -> list[Any]:
    """A frame, or another sequence, as a list of its rows as records."""
    if hasattr(value, "to_dicts"):  # Polars
        rows: list[Any] = value.to_dicts()
        return rows
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # pandas
        return [_without_missing(row) for row in value.to_dict("records")]
    if isinstance(value, Mapping | str | bytes) or not hasattr(value, "__iter__"):
        raise TypeError(
            f"actions must be a list of actions, or a data frame, not a {type(value).__name__}"
        )
    return [as_record(each) for each in value]


def _without_missing(row: dict[Any, Any]) -> dict[Any, Any]:
    return {name: None if _missing(value) else value for name, value in row.items()}


def _missing(value: Any) -> bool:
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
