"""``jostle serve`` and ``jostle keys``."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest
from typer.testing import CliRunner

from jostle.cli import app
from jostle.service.auth import Keys

runner = CliRunner()


def test_keys_are_made_listed_and_revoked(tmp_path):
    data = ["--data", str(tmp_path)]
    made = runner.invoke(app, ["keys", "create", "decide", "reward", "--app", "shop", *data])
    assert made.exit_code == 0
    key = made.stdout.split()[0]
    keys = Keys(tmp_path / "keys.json")
    assert keys.find(key).roles("shop") == ["decide", "reward"]
    listed = runner.invoke(app, ["keys", "list", *data])
    id = key.split("_")[1]
    assert listed.stdout.split() == [id, "shop:", "decide,", "reward"]
    assert runner.invoke(app, ["keys", "revoke", id, *data]).exit_code == 0
    again = runner.invoke(app, ["keys", "revoke", id, *data])
    assert again.exit_code == 2
    assert "there is no key" in again.stderr
    assert Keys(tmp_path / "keys.json").find(key) is None


def test_bad_keys_are_one_line(tmp_path):
    bad = runner.invoke(app, ["keys", "create", "owner", "--data", str(tmp_path)])
    assert bad.exit_code == 2
    assert "unknown role 'owner'" in bad.stderr
    missing = runner.invoke(app, ["keys", "list", "--data", str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "there is no folder" in missing.stderr


def test_bad_settings_are_one_line(tmp_path, monkeypatch):
    refused = runner.invoke(app, ["serve", "--host", "0.0.0.0", "--no-keys"])
    assert refused.exit_code == 2
    assert "keys are turned off" in refused.stderr
    monkeypatch.setenv("JOSTLE_SERVE_PORT", "x")
    refused = runner.invoke(app, ["serve", "--data", str(tmp_path / "data")])
    assert refused.exit_code == 2
    assert refused.stderr.startswith("JOSTLE_SERVE_PORT: Expected `int`")
    assert not (tmp_path / "data").exists()


def test_an_occupied_port_is_one_line(tmp_path):
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        occupied.listen()
        port = occupied.getsockname()[1]
        data = tmp_path / "data"
        refused = runner.invoke(app, ["serve", "--port", str(port), "--data", str(data)])
    assert refused.exit_code == 1
    assert f"cannot listen on 127.0.0.1:{port}" in refused.stderr
    assert not data.exists()


class Serving:
    """``jostle serve`` in a process of its own."""

    def __init__(self, folder, *flags, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jostle", "serve", "--port", "0", *flags],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **environment},
        )  # fmt: skip
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith("  curl"):
                break
        else:
            pytest.fail(self.process.stderr.read())
        self.url = re.search(r"http://[^,]*", self.lines[0])[0]

    @property
    def command(self):
        return shlex.split(self.lines[-1])

    def stop(self, sign):
        self.process.send_signal(sign)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.mark.study
def test_it_starts_prints_a_key_once_decides_and_stops(tmp_path):
    first = Serving(tmp_path)
    keys = [line.split()[-1] for line in first.lines if "Admin key" in line]
    assert len(keys) == 1
    curl = first.command
    assert keys[0] in " ".join(curl)
    assert (tmp_path / "jostle-data").stat().st_mode & 0o077 == 0
    try:
        answer = subprocess.run(curl, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("curl is not installed")
    assert '"event_id"' in answer
    id = re.search('"event_id":"(.*?)"', answer)[1]
    assert first.stop(signal.SIGTERM) == (0, "")
    second = Serving(tmp_path)  # the folder has keys by now
    assert not any("Admin key" in line for line in second.lines)
    assert "Bearer KEY" in second.lines[-1]
    headers = {"authorization": f"Bearer {keys[0]}"}
    found = httpx.get(f"{second.url}/v1/apps/default/decisions/{id}", headers=headers)
    assert found.json()["event_id"] == id
    code, errors = second.stop(signal.SIGINT)
    assert (code, errors) == (0, "")


@pytest.mark.study
def test_requests_under_way_are_finished_before_it_stops(tmp_path):
    serving = Serving(tmp_path, "--no-keys", JOSTLE_SERVE_APP="shop", JOSTLE_SERVE_LOG_LEVEL="info")
    with socket.create_connection(serving.url.removeprefix("http://").split(":")) as slow:
        head = "POST /v1/apps/shop/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 28\r\n"
        slow.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        time.sleep(0.3)
        serving.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        slow.sendall(b'{"actions": [{"id": "one"}]}')
        answer = slow.recv(10_000)
    assert answer.startswith(b"HTTP/1.1 201")
    _, errors = serving.process.communicate(timeout=60)
    assert serving.process.returncode == 0
    lines = [line for line in errors.splitlines() if line]
    assert all(line.startswith("{") for line in lines)  # JSON, line by line
    assert any('"event":"stopped"' in line for line in lines)
