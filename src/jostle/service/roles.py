"""Roles of keys, per app."""

from typing import Literal

Role = Literal["decide", "reward", "read", "admin"]
ROLES: tuple[Role, ...] = ("decide", "reward", "read", "admin")
"""An admin has the other three, too."""
EVERY_APP = "*"
"""In place of an app's name: all of them, and the server itself."""

Grants = dict[str, list[Role]]
"""Roles by the names of apps."""
