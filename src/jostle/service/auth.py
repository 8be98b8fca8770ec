"""Keys of the service, and what each may do: roles per app.

A key is 256 random bits, so nobody can guess it, and a fast hash with a salt hides it as well as a
slow one would: slow hashes are for passwords that people choose. The file holds salts and hashes.
"""

import fcntl
import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from jostle.core.atomic import atomic
from jostle.core.validation import unknown
from jostle.service.diagnostics import logger
from jostle.service.roles import EVERY_APP, ROLES, Grants

KEY_FILE = "keys.json"
"""In the folder of the data."""
PREFIX = "jostle"
RELOADED = 1.0
"""Seconds after which a change of the file by another process is noticed."""
_DUMMY = (b"", b"\0" * 32)
_NAME = re.compile(r"[\x20-\x7e]{0,100}")


class Access:
    """What the holder of a key may do."""

    __slots__ = ("_apps", "_everywhere", "key")

    def __init__(self, key: str, grants: Mapping[str, Sequence[str]]):
        self.key = key
        self._apps = {
            app: frozenset(ROLES if "admin" in roles else roles) for app, roles in grants.items()
        }
        self._everywhere = self._apps.get(EVERY_APP, frozenset())

    def allows(self, app: str, roles: frozenset[str]) -> bool:
        """Whether one of the roles is held for the app."""
        return not roles.isdisjoint(self._everywhere) or not roles.isdisjoint(
            self._apps.get(app, ())
        )

    def allows_giving(self, grants: Mapping[str, Sequence[str]]) -> bool:
        """Whether the holder administers every app that is named in the grants."""
        return all(self.allows(app, frozenset({"admin"})) for app in grants)

    def roles(self, app: str) -> list[str]:
        """The roles that are held for the app, in the order of ``ROLES``."""
        held = self._everywhere | self._apps.get(app, frozenset())
        return [role for role in ROLES if role in held]


FULL_ACCESS = Access("", {EVERY_APP: ROLES})


class StoredKey(msgspec.Struct, frozen=True):
    """A line of the file of keys."""

    id: str
    name: str
    grants: Grants
    created: float
    salt: str
    hash: str


class KeyFile(msgspec.Struct, frozen=True):
    """The file of keys."""

    keys: list[StoredKey] = []
    format: Literal["jostle-keys"] = "jostle-keys"
    version: Literal[1] = 1


class Keys:
    """The keys in a file, which several processes may change while a server reads it.

    Arguments:
        path: of the file; it is created with the first key.
    """

    def __init__(self, path: Path):
        self.path = path
        self._read_at = -1.0
        self._stamp: object = None
        self._stored: dict[str, StoredKey] = {}
        self._known: dict[str, tuple[bytes, bytes, Access]] = {}

    def find(self, token: str) -> Access | None:
        """What the key allows; None if there is no such key."""
        self._reload_now_and_then()
        prefix, _, rest = token.partition("_")
        id, _, secret = rest.partition("_")
        salt, expected, access = self._known.get(id, (*_DUMMY, None))
        same = hmac.compare_digest(_hash(salt, secret), expected)
        return access if same and prefix == PREFIX else None

    def all(self) -> list[StoredKey]:
        """The keys, oldest first."""
        self._reload()
        return list(self._stored.values())

    def create(self, grants: Mapping[str, Sequence[str]], name: str = "") -> tuple[str, str]:
        """A new key: its id, and the key itself, which is shown this once and never stored."""
        grants = check_grants(grants)
        if not _NAME.fullmatch(name):
            raise ValueError(f"name must be up to 100 printable ASCII characters, not {name!r:.60}")
        id, secret, salt = secrets.token_hex(4), secrets.token_urlsafe(32), os.urandom(16)
        stored = StoredKey(
            id, name, grants, round(time.time(), 3), salt.hex(), _hash(salt, secret).hex()
        )
        with self._changing() as keys:
            keys[id] = stored
        return id, f"{PREFIX}_{id}_{secret}"

    def revoke(self, id: str) -> bool:
        """Forget a key at once; False if there is none of that id."""
        with self._changing() as keys:
            return keys.pop(id, None) is not None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, StoredKey]]:
        """The keys, to be changed while no other process changes them, and then written."""
        lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._reload()
            keys = dict(self._stored)
            yield keys
            content = msgspec.json.encode(KeyFile(list(keys.values())))
            with atomic(self.path) as file:
                file.write(msgspec.json.format(content) + b"\n")
            os.chmod(self.path, 0o600)
            self._reload()
        finally:
            os.close(lock)

    def _reload_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._read_at > RELOADED:
            try:
                self._reload()
            except (OSError, ValueError) as error:
                # The keys that were read before stay valid: a typing error must not lock all out.
                logger.error("keys_unreadable", error=str(error))

    def _reload(self) -> None:
        self._read_at = time.monotonic()
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._stamp, self._stored, self._known = None, {}, {}
            return
        stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
        if stamp == self._stamp:
            return
        try:
            keys = msgspec.json.decode(self.path.read_bytes(), type=KeyFile).keys
        except msgspec.DecodeError as error:
            raise ValueError(f"{self.path} is not a file of keys: {error}") from None
        self._stored = {key.id: key for key in keys}
        self._known = {
            key.id: (bytes.fromhex(key.salt), bytes.fromhex(key.hash), Access(key.id, key.grants))
            for key in keys
        }
        self._stamp = stamp


def check_grants(grants: Mapping[str, Sequence[str]]) -> Grants:
    """Roles per app, each once and in the order of ``ROLES``, or an error."""
    if not grants:
        raise ValueError("grants must name an app, or '*' for all of them")
    for app, roles in grants.items():
        if not roles:
            raise ValueError(f"grants of {app!r:.60} must have a role of " + ", ".join(ROLES))
        for role in roles:
            if role not in ROLES:
                raise ValueError(unknown("role", role, ROLES))
    return {app: [role for role in ROLES if role in roles] for app, roles in grants.items()}


def _hash(salt: bytes, secret: str) -> bytes:
    return hashlib.blake2b(secret.encode(errors="replace"), digest_size=32, salt=salt).digest()
