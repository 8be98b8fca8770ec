"""Agents on disk: one ``.npz`` file of plain arrays and a JSON header, never a pickle.

The header describes the policy by the names and arguments of jostle's and Optax's own parts. A
policy with parts of the user's own (a network, an optimiser, a policy class) is saved too, but
cannot be rebuilt from its description: whoever loads it passes the policy along.
"""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax

from jostle import policies
from jostle.core.atomic import atomic
from jostle.core.description import CUSTOM
from jostle.core.description import describe as describe
from jostle.models import networks
from jostle.models.training import Training
from jostle.policies.base import Policy

FORMAT = "jostle-agent"
VERSION = 1


def rebuild(description: Any, where: str = "policy") -> Any:
    """The policy, or part of one, that ``core.description.describe`` described."""
    if isinstance(description, list):
        return tuple(rebuild(each, where) for each in description)
    if not isinstance(description, dict):
        return description
    if "array" in description:
        return np.asarray(description["array"], np.float32)
    if "optax" in description:
        return getattr(optax, description["optax"])
    if "class" in description:
        cls = _part_class(description["class"])
        if cls is None:
            raise ValueError(
                f"{where} is a {description['class']}, which this jostle does not have"
            )
        settings = description["settings"].items()
        return cls(**{name: rebuild(value, f"{where}.{name}") for name, value in settings})
    raise ValueError(
        f"{where} was of the user's own making ({description.get(CUSTOM)}) and is not in the file; "
        "pass the whole policy: Agent.load(path, policy=...)"
    )


def _part_class(name: str) -> type | None:
    if name == Training.__name__:
        return Training
    return getattr(policies, name, None) or getattr(networks, name, None)


def write(path: str | os.PathLike[str], header: dict[str, Any], state: Any) -> None:
    """Write the file whole or not at all."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(state)]
    text = json.dumps({"format": FORMAT, "version": VERSION, **header})
    arrays = {f"leaf{i}": leaf for i, leaf in enumerate(leaves)}
    with atomic(Path(path)) as file:
        np.savez(file, allow_pickle=False, header=np.frombuffer(text.encode(), np.uint8), **arrays)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the leaves of the state, or a ``ValueError`` that says what is wrong."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            header = json.loads(bytes(file["header"]))
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise ValueError("its header is not one of ours")
            if header.get("version") != VERSION:
                raise ValueError(f"it is of version {header.get('version')}; we read {VERSION}")
            leaves = [file[f"leaf{i}"] for i in range(len(file.files) - 1)]
    except FileNotFoundError:
        raise
    except (ValueError, KeyError, EOFError, OSError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{os.fspath(path)} is not a whole file of a saved agent: {error}"
        ) from error
    return header, leaves


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
