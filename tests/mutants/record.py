"""What became of each mutant, one line of JSON each, so that a run can be stopped and continued."""

import hashlib
import json
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path

KILLED, RECORDED, TIMEOUT, SURVIVED = "killed", "killed by record", "timed out", "survived"


@dataclass(frozen=True)
class Trial:
    """A mutant, the text it was made of, and how it ended."""

    file: str
    operator: str
    occurrence: int
    line: int
    text: str
    """A hash of the file, so that a mutant of another text is not taken for this one."""
    outcome: str
    seconds: float
    by: str
    diff: list[str]

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What makes it this mutant."""
        return self.file, self.operator, self.occurrence, self.text


def digest(code: str) -> str:
    """A short hash of a file's text."""
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def load(path: Path) -> list[Trial]:
    """The trials of a file, the last of each mutant."""
    if not path.exists():
        return []
    trials = [Trial(**json.loads(line)) for line in path.read_text().splitlines()]
    return list({trial.key: trial for trial in trials}.values())


def append(path: Path, trial: Trial) -> None:
    """Add one trial."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(trial)) + "\n")


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.959964
    middle = (hits + z * z / 2) / (of + z * z)
    half = z / (of + z * z) * sqrt(hits * (of - hits) / of + z * z / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
