"""Settings of ``jostle serve``: flags, environment variables and a file; and quotas and routes."""

import pytest

from jostle.service.settings import Settings, SettingsError, is_local, load


def test_flags_go_before_variables_before_the_file(tmp_path):
    path = tmp_path / "serve.toml"
    path.write_text('port = 1\nhost = "localhost"\napp = "file"\n[core]\nqueue = 5\ngroup = 6\n')
    environment = {
        "JOSTLE_SERVE_PORT": "2",
        "JOSTLE_SERVE_APP": "variable",
        "JOSTLE_SERVE_CORE_QUEUE": "7",
        "JOSTLE_SERVE_LOG_LEVEL": "",  # as good as absent
        "OTHER": "x",
    }
    found = load({"port": 3, "data": None}, environment, path)
    assert (found.port, found.app, found.host) == (3, "variable", "localhost")
    assert (found.core.queue, found.core.group) == (7, 6)
    assert found.data == Settings().data
    assert load({}, {"JOSTLE_SERVE_CONFIG": str(path)}).app == "file"


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"JOSTLE_SERVE_PORT": "many"}, "JOSTLE_SERVE_PORT: Expected `int`.*not 'many'"),
        ({"JOSTLE_SERVE_PORT": "70000"}, "JOSTLE_SERVE_PORT: Expected `int` <= 65535"),
        ({"JOSTLE_SERVE_PROT": "1"}, "JOSTLE_SERVE_PROT: unknown setting.*'port'"),
        ({"JOSTLE_SERVE_CORE_QUEUES": "1"}, "JOSTLE_SERVE_CORE_QUEUES: unknown setting.*'queue'"),
        ({"JOSTLE_SERVE_CORE": "1"}, "JOSTLE_SERVE_CORE: unknown setting"),
    ],
)
def test_bad_variables_are_named(environment, message):
    with pytest.raises(SettingsError, match=message):
        load({}, environment)


@pytest.mark.parametrize("text", ["port = 'x'", "prot = 1", "port =", "[core]\nqueue = 'x'"])
def test_bad_files_are_named(tmp_path, text):
    path = tmp_path / "serve.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=r"serve\.toml: "):
        load({}, {}, path)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])
def test_without_keys_other_machines_are_not_served(host):
    with pytest.raises(SettingsError, match="keys are turned off"):
        load({"host": host, "keys": False}, {})
    assert load({"host": host}, {}).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_what_is_local(host):
    assert is_local(host)
    assert not load({"host": host, "keys": False}, {}).keys
