"""A backup that is taken while the service runs is a service's folder itself."""

import subprocess
import sys

import pytest
from service_support import Bench

from jostle.service.auth import Keys
from jostle.service.backup import back_up
from jostle.service.problems import NotFound
from jostle.service.replay import replay


def test_a_backup_has_everything_that_was_acknowledged(bench, tmp_path):
    Keys(bench.data / "keys.json").create({"*": ["read"]})
    bench.create()
    for number in range(30):
        bench.decide(f"e{number}")
        bench.reward(f"e{number}", number / 30)
    bench.pass_time(20.0)
    bench.learn()
    first = bench.decide("later").body
    target = tmp_path / "deep" / "copy"
    size = back_up(bench.data, target)
    assert size == sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    bench.decide("after the backup")
    assert replay(target, "a").sha256 == replay(bench.data, "a").sha256
    assert {path.name for path in target.iterdir()} == {"apps", "keys.json", "log.sqlite"}
    assert (target / "keys.json").stat().st_mode & 0o777 == 0o600
    restored = Bench(target)
    restored.clock.now = bench.clock.now
    try:
        # There is no learner yet, but it decides with what the newest version had learned.
        assert restored.service.statistics("a").learned == 30
        assert restored.decide("later").body == first
        assert restored.service.statistics("a").totals.closed == 30
        assert [each.version for each in restored.service.models("a")] == [
            each.version for each in bench.service.models("a")
        ]
        with pytest.raises(NotFound):
            restored.service.decision("a", "after the backup")
    finally:
        restored.close()


def test_nothing_is_overwritten_and_nothing_is_copied_from_nowhere(bench, tmp_path):
    bench.create()
    occupied = tmp_path / "occupied"
    occupied.mkdir()
    (occupied / "file").touch()
    with pytest.raises(FileExistsError, match="must be new or an empty folder"):
        back_up(bench.data, occupied)
    with pytest.raises(FileNotFoundError, match="expected the folder of a service"):
        back_up(tmp_path / "nowhere", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.study
def test_the_command_says_what_is_wrong_in_one_line(tmp_path):
    command = [sys.executable, "-m", "jostle", "backup", "copy", "--data", "nowhere"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "does not exist" in done.stderr
    assert "Traceback" not in done.stderr
