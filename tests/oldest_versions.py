"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

python tests/oldest_versions.py > constraints.txt && pip install -c constraints.txt '.[dev]'
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[.*\])?\s*>=\s*(?P<oldest>[\w.]+)")


def oldest(project=PROJECT):
    """The oldest version of each package that an application or a test needs, by name."""
    content = tomllib.loads(project.read_text())["project"]
    extras = content["optional-dependencies"]
    needed = [*content["dependencies"], *(each for names in extras.values() for each in names)]
    found = {}
    for text in needed:
        if not text.startswith("jostle["):
            match = REQUIREMENT.match(text)
            assert match, f"{text!r} has no oldest version; write name>=version"
            known = found.setdefault(match["name"], match["oldest"])
            assert known == match["oldest"], f"{match['name']} has two oldest versions"
    return found


if __name__ == "__main__":
    for name, version in sorted(oldest().items()):
        print(f"{name}=={version}")
