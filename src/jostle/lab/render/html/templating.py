"""Jinja templates of the pages; whatever they are given is escaped."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, **context: Any) -> str:
    """A page from one of the files in ``templates/``."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals["include_raw"] = _include_raw
    return environment


@cache
def _include_raw(path: str) -> "Markup":
    """A script or style sheet of ours, which stands in the page as it is."""
    from markupsafe import Markup

    return Markup(files(__package__).joinpath(path).read_text("utf-8"))
