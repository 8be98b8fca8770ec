"""Names as people read them: of ``npr:restart=true,width=128``, "npr (restart, width 128)"."""

from collections.abc import Iterable, Mapping
from typing import Any

from jostle.core.grammar import parse

LONGEST = 40


def labels(names: Iterable[str]) -> dict[str, str]:
    """A label for each name, no two the same: where short ones would be, the names stay whole."""
    names = list(names)
    made = {name: _label(name) for name in names}
    told = [*made.values(), *(name for name in names if made[name] != name)]
    return {name: label if told.count(label) == 1 else name for name, label in made.items()}


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings in words; a value that is a word speaks for itself."""
    return ", ".join(_setting(key, value) for key, value in settings.items())


def sized_by(templates: Iterable[str]) -> str:
    """What ``{size}`` is the size of, if all names agree on it."""
    found = {
        key.replace("_", " ")
        for template in templates
        for key, value in _parsed(template)[1].items()
        if value == "{size}"
    }
    return found.pop() if len(found) == 1 else "size"


def _label(name: str) -> str:
    head, settings = _parsed(name)
    short = head.rpartition(":")[2]  # of module:Class, the class
    told = settings_text({key: value for key, value in settings.items() if value != "{size}"})
    label = f"{short} ({told})" if told else short
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"


def _parsed(name: str) -> tuple[str, dict[str, Any]]:
    try:
        return parse(name)
    except ValueError:  # not a name of ours, but it can still be shown
        return name, {}


def _setting(key: str, value: Any) -> str:
    word = key.replace("_", " ")
    if isinstance(value, bool):
        return word if value else f"no {word}"
    if value is None:
        return f"no {word}"
    return value if isinstance(value, str) else f"{word} {value:g}"
