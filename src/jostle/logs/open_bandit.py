"""Logs in the CSV form of the Open Bandit Dataset (Saito et al., 2021).

Each row shows one item in one position of a page. The context is the position and the four
categories of the user, each as indicators. ``propensity_score`` is the probability of the item in
its position.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jostle.core.optional import require

COLUMNS = {"item_id": "action", "click": "reward", "propensity_score": "probability"}
POSITION, TIME = "position", "timestamp"


def recognises(path: Path) -> bool:
    """Whether the first line of a CSV file has the columns of the data set."""
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    return set(COLUMNS) <= set(names)


def facts(path: Path) -> dict[str, Any]:
    """The number of items, and that the log is not known to be adaptive or not."""
    largest = -1
    for batch in _batches(path, ["item_id"]):
        largest = max(largest, int(batch["item_id"].max()))
    return {"shown": largest + 1, "arm_total": largest + 1}


def chunks(path: Path, rows: int) -> Iterator[dict[str, Any]]:
    """The columns of ``rows`` rows at a time."""
    names = [name for name in _names(path) if name.startswith("user_feature")]
    categories = _categories(path, [POSITION, *names])
    wanted = [*COLUMNS, TIME, POSITION, *names]
    for batch in _batches(path, wanted):
        for start in range(0, len(batch["item_id"]), rows):
            part = {name: values[start : start + rows] for name, values in batch.items()}
            indicators = [
                part[name][:, None] == known[None, :] for name, known in categories.items()
            ]
            yield {
                **{ours: part[theirs] for theirs, ours in COLUMNS.items()},
                "time": part[TIME],
                "context": np.concatenate(indicators, axis=1).astype(np.float32),
            }


def _names(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().split(",")


def _categories(path: Path, names: list[str]) -> dict[str, np.ndarray]:
    """The values of each categorical column, in order."""
    found: dict[str, set[Any]] = {name: set() for name in names}
    for batch in _batches(path, names):
        for name in names:
            found[name].update(np.unique(batch[name]).tolist())
    return {name: np.array(sorted(values)) for name, values in found.items()}


def _batches(path: Path, columns: list[str]) -> Iterator[dict[str, np.ndarray]]:
    csv = require("pyarrow.csv", extra="evaluation")
    options = csv.ConvertOptions(include_columns=columns)
    with csv.open_csv(path, convert_options=options) as reader:
        for batch in reader:
            yield {name: _array(batch.column(name)) for name in columns}


def _array(column: Any) -> np.ndarray:
    array: np.ndarray = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind == "M":
        return array.astype("datetime64[us]").astype(np.float64) / 1e6
    return array.astype(str) if array.dtype == object else array
