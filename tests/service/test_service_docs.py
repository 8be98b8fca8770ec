"""The pages about the service: what they show runs, against a real server."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from jostle.service.api import OPERATIONS
from jostle.service.messages import Config
from jostle.service.settings import Settings

from served_process import ServedProcess

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = ("service.md", "service-personalizer.md", "service-operations.md")
DEFAULT = "http://127.0.0.1:8080"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    served = ServedProcess(tmp_path_factory.mktemp("served"))
    command = served.folder / "jostle"  # of this checkout, whatever is installed
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jostle "$@"\n')
    command.chmod(0o755)
    yield served
    served.stop()


@pytest.mark.study
@pytest.mark.parametrize("page", PAGES)
def test_commands_and_programs_run_as_pasted(server, page):
    environment = {
        **server.environment,
        "JOSTLE_KEY": server.key,
        "PATH": f"{server.folder}:{os.environ['PATH']}",
    }
    said = {}
    for language, interpreter in (("bash", ["bash", "-euc"]), ("python", [sys.executable, "-c"])):
        said[language] = ""
        for block in blocks(page, language):
            done = subprocess.run(
                [*interpreter, block.replace(DEFAULT, server.address)],
                cwd=server.folder, env=environment, capture_output=True, text=True, timeout=120,
                check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert '"type":"urn:jostle:problem' not in done.stdout
            said[language] += done.stdout
            for expected in re.findall(r"print\(.*\)  # (\w+)$", block, re.MULTILINE):
                assert expected in done.stdout
    if page == "service.md":
        assert '"state":"joined"' in said["bash"]
        assert '"wait":300.0' in said["bash"]
    if page == "service-operations.md":
        assert (server.folder / "backups" / "monday" / "log.sqlite").exists()
        assert "decide, reward" in said["bash"]


def test_the_settings_of_the_guide_are_settings():
    (content,) = blocks("service-operations.md", "toml")
    settings = msgspec.convert(tomllib.loads(content), Settings)
    assert settings.core.snapshots == 20


def test_the_table_of_settings_has_all_of_them_with_their_defaults():
    text = (DOCS / "service.md").read_text()
    table = dict(re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", text, re.MULTILINE))
    rows = {name: value for names, value in table.items() for name in re.findall(r"`(\w+)`", names)}
    default = msgspec.to_builtins(Config())
    assert set(default) <= set(rows)
    for name in ("policy", "floor", "mode", "wait", "default_reward", "aggregation", "seed"):
        told = json.loads(rows[name].strip("` ").replace("'", '"'))
        assert told == default[name]


def test_every_operation_is_in_the_guide():
    text = (DOCS / "service.md").read_text()
    for operation in OPERATIONS:
        path = (
            operation.path.removeprefix("/v1/apps/{app}").replace("{event_id}", "{id}").strip("/")
        )
        if operation.tag == "keys" or path == "v1/apps":
            continue
        assert path in text, operation.path


def test_every_metric_of_the_alerts_exists():
    from jostle.service.metrics import Metrics

    from dashboard_support import FakeService

    metrics = Metrics()
    metrics.watch(FakeService())
    metrics.observe("decide", "shop", 201, 0.001)
    known = set(re.findall(r"^(jostle_\w+)", metrics.text().decode(), re.MULTILINE))
    text = (DOCS / "service-operations.md").read_text()
    named = set(re.findall(r"\bjostle_\w+", text.split("## Metrics")[1]))
    assert len(named) >= 9
    assert named <= known
