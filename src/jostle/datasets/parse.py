"""Raw text to typed tables: one general reader, and a fast one for lines of whole numbers."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from jostle.datasets import paths as store
from jostle.datasets.schemas import Schema
from jostle.datasets.table import MISSING, Column, Table

_BLOCK = 1 << 23  # bytes of text in memory at once


def parse(schema: Schema, places: Sequence[Path]) -> Table:
    """Read the stored files, in the order of the schema's ``files``, into one table."""
    read = _whole_numbers if schema.whole else _mixed
    return read(schema, places)


def _mixed(schema: Schema, places: Sequence[Path]) -> Table:
    rows = [row for place in places for row in _lines(schema, place)]
    texts = dict(zip(schema.columns, zip(*rows, strict=True), strict=True))
    numeric, codes, columns = [], [], []
    for name in schema.features:
        if name in schema.categories:
            found, categories = _encode(texts[name], schema.missing)
            codes.append(found)
            columns.append(Column(name, categories))
        else:
            numeric.append(np.array(texts[name], dtype=np.float32))
            columns.append(Column(name))
    labels = [schema.labels[text] for text in texts[schema.label]]
    return Table(
        columns=tuple(columns),
        numeric=np.stack(numeric, axis=1) if numeric else np.empty((len(rows), 0), np.float32),
        codes=np.stack(codes, axis=1) if codes else np.empty((len(rows), 0), np.int8),
        labels=np.array(labels, dtype=np.int32),
        classes=schema.classes,
    )


def _lines(schema: Schema, place: Path) -> Iterator[list[str]]:
    with store.open_bytes(place) as stream, io.TextIOWrapper(stream, encoding="ascii") as text:
        for number, line in enumerate(text, start=1):
            line = line.strip()
            if not line or line.startswith(schema.comment):
                continue
            row = [value.strip() for value in line.split(schema.separator)]
            if len(row) != len(schema.columns):
                raise ValueError(
                    f"{place}, line {number}: found {len(row)} values, wanted {len(schema.columns)}"
                )
            if row[schema.columns.index(schema.label)] not in schema.labels:
                raise ValueError(f"{place}, line {number}: no class of the set in {line[:80]!r}")
            yield row


def _encode(texts: Sequence[str], missing: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes in alphabetical order of the categories that occur."""
    categories = tuple(sorted(set(texts) - {missing}))
    index = {text: code for code, text in enumerate(categories)} | {missing: MISSING}
    return np.array([index[text] for text in texts], dtype=np.int16), categories


def _whole_numbers(schema: Schema, places: Sequence[Path]) -> Table:
    """Blocks of lines at a time, so that memory is that of the result and one block."""
    features = schema.features
    flags = [name in schema.indicators for name in features]
    numeric_at = [schema.columns.index(n) for n, f in zip(features, flags, strict=True) if not f]
    codes_at = [schema.columns.index(n) for n, f in zip(features, flags, strict=True) if f]
    label_at = schema.columns.index(schema.label)
    numeric, codes, labels = [], [], []
    for place in places:
        for block in _blocks(place):
            values = np.loadtxt(
                io.BytesIO(block), dtype=np.int32, delimiter=schema.separator, ndmin=2
            )
            if values.shape[1] != len(schema.columns):
                raise ValueError(
                    f"{place}: found {values.shape[1]} values in a line, "
                    f"wanted {len(schema.columns)}"
                )
            label = values[:, label_at] - int(next(iter(schema.labels)))
            if label.min() < 0 or label.max() >= len(schema.classes):
                raise ValueError(f"{place}: a class outside {list(schema.labels)}")
            numeric.append(values[:, numeric_at].astype(np.float32))
            codes.append(values[:, codes_at].astype(np.int8))
            labels.append(label.astype(np.int32))
    kinds = [("0", "1") if flag else None for flag in flags]
    return Table(
        columns=tuple(Column(name, kind) for name, kind in zip(features, kinds, strict=True)),
        numeric=np.concatenate(numeric),
        codes=np.concatenate(codes),
        labels=np.concatenate(labels),
        classes=schema.classes,
    )


def _blocks(place: Path) -> Iterator[bytes]:
    """The content in blocks that end at a line end."""
    rest = b""
    with store.open_bytes(place) as stream:
        while chunk := stream.read(_BLOCK):
            cut = chunk.rfind(b"\n") + 1
            if cut:
                yield rest + chunk[:cut]
                rest = chunk[cut:]
            else:
                rest += chunk
    if rest.strip():
        yield rest
