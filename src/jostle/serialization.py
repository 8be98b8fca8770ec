"""Files of agents, views and deciders: one ``.npz`` of plain arrays and a JSON header, no pickle.

The header describes the policy by the names and arguments of jostle's and Optax's own parts. A
policy with parts of the user's own (a network, an optimiser, a policy class) can be saved, but not
rebuilt from its description: pass the policy to ``Agent.load``.
"""

import inspect
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import jax
import numpy as np
import optax

from jostle.core.atomic import atomic
from jostle.core.description import CUSTOM
from jostle.core.description import describe as describe
from jostle.models.networks import MLP, Heads, NoNetwork, PaperNetwork
from jostle.models.training import Training
from jostle.policies.base import Policy
from jostle.policies.catalog import CATALOG, PAPER_FORMS

VERSIONS = {"agent": 2, "decider": 2, "view": 1, "model": 1}
"""What a file may hold, and the version of its format that this jostle writes and reads."""


def rebuild(description: Any, where: str = "policy") -> Any:
    """The policy, or part of one, that ``core.description.describe`` described."""
    if isinstance(description, list):
        return tuple(rebuild(each, where) for each in description)
    if not isinstance(description, dict):
        return description
    if "array" in description:
        return np.asarray(description["array"], np.float32)
    if "optax" in description:
        return _optimiser(description["optax"], where)
    if "class" in description:
        cls = _part_class(description["class"])
        if cls is None:
            raise ValueError(
                f"{where} is a {description['class']}, which this jostle does not have"
            )
        settings = description["settings"].items()
        return cls(**{name: rebuild(value, f"{where}.{name}") for name, value in settings})
    raise ValueError(
        f"{where} is not a part of jostle ({description.get(CUSTOM)}), so it cannot be rebuilt "
        "from a description; save the agent and pass its policy: Agent.load(path, policy=...)"
    )


def _optimiser(name: str, where: str) -> Any:
    """A function of Optax, and nothing else, by the name that a file has for it."""
    found = getattr(optax, name, None) if name in optax.__all__ else None
    if not inspect.isfunction(found):
        raise ValueError(f"{where} is optax.{name}, which this version of Optax does not have")
    return found


def _part_class(name: str) -> type | None:
    """A class of jostle that a file may name: a policy, a network, or how one is trained."""
    classes = (*CATALOG.values(), *PAPER_FORMS, MLP, Heads, NoNetwork, PaperNetwork, Training)
    return {cls.__name__: cls for cls in classes}.get(name)


def write(
    path: str | os.PathLike[str], header: dict[str, Any], state: Any, kind: str = "agent"
) -> None:
    """Write a file whole or not at all."""
    with atomic(Path(path)) as file:
        write_file(file, header, state, kind)


def write_file(file: BinaryIO, header: dict[str, Any], state: Any, kind: str = "agent") -> None:
    """Write a header and a state to an open file."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(state)]
    for leaf in leaves:
        # Not by savez(allow_pickle=False): before NumPy 2.2 that was the name of one more array.
        if leaf.dtype.hasobject:
            raise ValueError(f"the state must hold numbers to be saved, not {leaf!r}")
    text = json.dumps({"format": f"jostle-{kind}", "version": VERSIONS[kind], **header})
    arrays = {f"leaf{i}": leaf for i, leaf in enumerate(leaves)}
    arrays["header"] = np.frombuffer(text.encode(), np.uint8)
    np.savez(file, **arrays)  # type: ignore[arg-type]


def read(
    path: str | os.PathLike[str], kind: str = "agent"
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the leaves of the state, or a ``ValueError`` that says what is wrong."""
    with open(path, "rb") as file:
        return read_file(file, os.fspath(path), kind)


def read_header(path: str | os.PathLike[str], kind: str = "agent") -> dict[str, Any]:
    """The header alone, or a ``ValueError`` that says what is wrong."""
    with open(path, "rb") as file, _opened(file, os.fspath(path), kind) as (header, _):
        return header


def read_file(
    file: BinaryIO, name: str, kind: str = "agent"
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the leaves from an open file, which errors call ``name``."""
    with _opened(file, name, kind) as (header, content):
        return header, [content[f"leaf{i}"] for i in range(len(content.files) - 1)]


@contextmanager
def _opened(file: BinaryIO, name: str, kind: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """The header, checked, and the content of a file; whatever is wrong is a ``ValueError``."""
    try:
        if not zipfile.is_zipfile(file):
            raise ValueError("not an .npz file, or one that was cut off")
        file.seek(0)
        with np.load(file, allow_pickle=False) as content:
            header = json.loads(bytes(content["header"]))
            if not isinstance(header, dict) or header.get("format") != f"jostle-{kind}":
                raise ValueError(f"not a jostle {kind} file (unknown header)")
            if header.get("version") != VERSIONS[kind]:
                raise ValueError(
                    f"written in version {header.get('version')} of the format, and this jostle "
                    f"reads version {VERSIONS[kind]}; load it with the jostle that wrote it, and "
                    f"let a new {kind} learn from the same observations"
                )
            yield header, content
    except (ValueError, KeyError, EOFError, OSError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{name} is not a complete {kind} file: {error}") from error


def restore(policy: Policy, like: Any, leaves: list[np.ndarray]) -> Any:
    """The leaves in the structure of ``like``, whose shapes they must have."""
    wanted, structure = jax.tree.flatten(like)
    found = [(leaf.shape, str(leaf.dtype)) for leaf in leaves]
    if found != [(leaf.shape, str(leaf.dtype)) for leaf in wanted]:
        raise ValueError(
            f"policy does not fit the saved state: a {type(policy).__name__} with these settings "
            f"has a state of {len(wanted)} arrays of other shapes than the {len(found)} saved ones"
        )
    return jax.tree.unflatten(structure, [jax.numpy.asarray(leaf) for leaf in leaves])
