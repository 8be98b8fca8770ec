"""``Settings`` of ``jostle serve``: from flags, environment variables and a TOML file.

A flag goes before a variable, a variable before the file, the file before the default.
``JOSTLE_SERVE_PORT`` is ``port``, ``JOSTLE_SERVE_CORE_QUEUE`` is ``queue`` of the table ``[core]``.
"""

import ipaddress
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from jostle.core.validation import unknown
from jostle.service.service_settings import ServiceSettings

PREFIX = "JOSTLE_SERVE_"
CORE = "core"
MEGABYTE = 2**20

T = TypeVar("T", bound=msgspec.Struct)
Bytes = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where and how to serve."""

    data: str = "jostle-data"
    """Folder of everything the service keeps."""
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8080
    """0 for any that is free."""
    keys: bool = True
    """Whether requests need keys. Without, the server only listens on this machine."""
    app: str = "default"
    """The app that is made when there is none."""
    largest_request: Bytes = MEGABYTE
    """Bytes of a body, except of those below."""
    largest_batch: Bytes = 16 * MEGABYTE
    largest_model: Bytes = 256 * MEGABYTE
    in_flight: Annotated[int, msgspec.Meta(ge=1)] = 4096
    """Requests that may be under way at once; more are answered with 503."""
    patience: Seconds = 0.5
    """How long requests that came together may wait for their turn; the rest is answered with
    503."""
    body_seconds: Seconds = 30.0
    """How long the body of a request may take to come."""
    stop_seconds: Seconds = 30.0
    """How long requests under way are waited for when the server stops."""
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    core: ServiceSettings = ServiceSettings()


class SettingsError(ValueError):
    """A setting is unknown or has a bad value."""


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str], path: Path | None = None
) -> Settings:
    """The settings that flags, environment variables and a file give together.

    Arguments:
        flags: by name; None is as good as absent.
        environment: such as ``os.environ``.
        path: of a TOML file; by default that of ``JOSTLE_SERVE_CONFIG``, if it is set.
    """
    if path is None and environment.get(f"{PREFIX}CONFIG"):
        path = Path(environment[f"{PREFIX}CONFIG"])
    settings = Settings() if path is None else _from_file(path)
    for name, text in sorted(environment.items()):
        if name.startswith(PREFIX) and name != f"{PREFIX}CONFIG" and text:
            settings = _with_variable(settings, name, text)
    given = {name: value for name, value in flags.items() if value is not None}
    for name, value in given.items():
        settings = _replace(settings, name, value, f"--{name.replace('_', '-')}", strict=True)
    if not settings.keys and not is_local(settings.host):
        raise SettingsError(
            f"host {settings.host!r} can be reached from other machines, and keys are turned off: "
            "turn them on, or listen on 127.0.0.1"
        )
    return settings


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server that listens on ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _from_file(path: Path) -> Settings:
    try:
        content = tomllib.loads(path.read_text())
        return msgspec.convert(content, Settings)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None


def _with_variable(settings: Settings, variable: str, text: str) -> Settings:
    name = variable.removeprefix(PREFIX).lower()
    if name.startswith(f"{CORE}_"):
        inner = name.removeprefix(f"{CORE}_")
        core = _replace(settings.core, inner, text, variable, strict=False)
        return msgspec.structs.replace(settings, core=core)
    return _replace(settings, name, text, variable, strict=False)


def _replace(settings: T, name: str, value: Any, source: str, *, strict: bool) -> T:
    """The settings with another value of one, which ``source`` gave."""
    if name not in settings.__struct_fields__ or name == CORE:
        fields = [field for field in settings.__struct_fields__ if field != CORE]
        raise SettingsError(f"{source}: {unknown('setting', name, fields)}")
    try:
        parsed = msgspec.convert({name: value}, type(settings), strict=strict)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"{source}: {str(error).partition(' - at')[0]}, not {value!r}"
        ) from None
    return msgspec.structs.replace(settings, **{name: getattr(parsed, name)})
