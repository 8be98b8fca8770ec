"""Sessions of the dashboard: who has signed in with which key, in the memory of the server.

A cookie holds a random token and nothing else; only its hash is kept. The key is looked up again
for every request, so a session ends at once when its key is revoked, and roles change with it.
"""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from jostle.service.auth import FULL_ACCESS, Access, Keys

LIFETIME = 12 * 3600.0
"""Seconds after signing in at which a session ends."""
MOST = 1000
"""Sessions at a time; the oldest gives way."""


class Session(NamedTuple):
    """Somebody who has signed in."""

    key: str
    csrf: str
    """Every form that changes something carries it back."""
    ends: float


class Visitor(NamedTuple):
    """Who made a request, and what they may do."""

    session: Session
    access: Access

    def reads(self, app: str) -> bool:
        """Whether they may see an app."""
        return self.access.allows(app, frozenset({"read"}))

    def administers(self, app: str) -> bool:
        """Whether they may change it."""
        return self.access.allows(app, frozenset({"admin"}))

    def sent_by_them(self, csrf: str) -> bool:
        """Whether a form came from a page that was made for them."""
        return hmac.compare_digest(csrf.encode(), self.session.csrf.encode())


class Sessions:
    """The sessions of a server.

    Arguments:
        keys: those of the service; None if it runs without, so that everybody may do everything.
        clock: seconds since any moment.
    """

    def __init__(self, keys: Keys | None, clock: Callable[[], float] = time.monotonic):
        self._keys, self._clock = keys, clock
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()

    @property
    def needs_key(self) -> bool:
        """Whether visitors have to sign in."""
        return self._keys is not None

    def sign_in(self, key: str) -> str | None:
        """The token of a new session; None if there is no such key."""
        if self._access(key) is None:
            return None
        now = self._clock()
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = Session(key, secrets.token_urlsafe(32), now + LIFETIME)
        while len(self._sessions) > MOST or next(iter(self._sessions.values())).ends <= now:
            self._sessions.popitem(last=False)
        return token

    def visitor(self, token: str | None) -> Visitor | None:
        """Who has this token; None if their session is over."""
        session = self._sessions.get(_digest(token)) if token else None
        if token is None or session is None:
            return None
        access = self._access(session.key)
        if access is None or session.ends <= self._clock():
            self.sign_out(token)
            return None
        return Visitor(session, access)

    def sign_out(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(_digest(token), None)

    def _access(self, key: str) -> Access | None:
        return FULL_ACCESS if self._keys is None else self._keys.find(key)


def _digest(token: str) -> bytes:
    """What a token is looked up by: a dictionary compares hashes, so its timing tells nothing."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
