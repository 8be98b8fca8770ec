"""Jinja templates of the dashboard; whatever they are given is escaped."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from jostle.service.dashboard import text

MEDIA = {"style.css": "text/css", "dashboard.js": "text/javascript"}


def render(template: str, **context: Any) -> str:
    """A page from one of the files in ``templates/``."""
    return _environment().get_template(template).render(**context)


@cache
def static(name: str) -> bytes:
    """A style sheet or script of ours."""
    return files(__package__).joinpath("static", name).read_bytes()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    for filter in (text.count, text.percent, text.number, text.moment, text.duration, text.size):
        environment.filters[f"as_{filter.__name__}"] = filter
    return environment
