"""``jostle data`` with a small catalogue and a local mirror, and with the real data."""

import contextlib
import gzip
import hashlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jostle.cli import app
from jostle.datasets import catalog
from jostle.datasets.acquire import download
from jostle.datasets.catalog.entry import File, HetRecSet, TableSet

CATALOG = catalog.CATALOG
DOCS = Path(__file__).parents[2] / "docs" / "data.md"
ROWS, TAGS = b"1,2,a\n3,4,b\n", b"id\ttag\n1\t2\n"


def sha(content):
    return hashlib.sha256(content).hexdigest()


COMMON = {"citation": "Nobody (1999). Nothing.", "licence": "none; really", "page": "http://a.b/c"}
TOY = TableSet(
    name="toy",
    title="Toy set",
    url="http://a.b/static/toy+set.zip",
    folder="toy",
    files=(
        File("toy.data", 2, sha(ROWS)),
        File("toy.test", 2, sha(ROWS + b"0")),
        File("toy.names", 1, sha(b"hello\n"), role="optional"),
    ),
    rows=2_000,
    features=2,
    classes=3,
    **COMMON,
)
FEW = TableSet(
    name="few",
    title="Few rows",
    url="http://a.b/static/few.zip",
    folder="few",
    files=(File("few.data", 2, sha(ROWS)),),
    rows=2,
    features=2,
    classes=2,
    **COMMON,
)
CLUB = HetRecSet(
    name="club",
    title="Club",
    url="http://a.b/static/club.zip",
    folder="club-2k",
    files=(
        File("likes.dat", 2, header="id\ttag", text=True, stand_ins=("some_likes.tsv",)),
        File("some_likes.tsv", 2, sha(TAGS), role="partial", origin="github some/body"),
    ),
    users=7,
    items=8_000,
    **COMMON,
)
MEMBERS = {
    "toy+set.zip": {"toy.data": ROWS, "toy.test": ROWS + b"0", "toy.names": b"hello\n"},
    "few.zip": {"few.data": ROWS},
    "club.zip": {"likes.dat": TAGS},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A data folder of one's own, a catalogue of three small sets, one attempt to download."""
    folder = tmp_path / "data"
    monkeypatch.setenv("JOSTLE_DATA", str(folder))
    monkeypatch.setenv("JOSTLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(catalog, "CATALOG", {entry.name: entry for entry in (TOY, FEW, CLUB)})
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    return folder


class Mirror:
    """A web server of a folder, and what it was asked for."""

    def __init__(self, place):
        self.asked = []
        self.released = threading.Event()
        self.released.set()
        self.waiting = threading.Event()  # half an answer was sent
        self.says_length = True
        self._place = place
        for name, members in MEMBERS.items():
            self.put(name, members)

    def put(self, name, members):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        place = self._place / "static" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(buffer.getvalue())

    def remove(self, name):
        (self._place / "static" / name).unlink()

    def handler(mirror):  # noqa: N805 (the handler is the one that is called self)
        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                mirror.asked.append(self.path)
                super().do_GET()

            def send_header(self, keyword, value):
                if mirror.says_length or keyword != "Content-Length":
                    super().send_header(keyword, value)

            def copyfile(self, source, outputfile):
                content = source.read()
                outputfile.write(content[:50])
                outputfile.flush()
                mirror.waiting.set()
                mirror.released.wait(20)
                with contextlib.suppress(ConnectionError):  # the other side was interrupted
                    outputfile.write(content[50:])

            def log_message(self, *_):
                pass

        return partial(Handler, directory=str(mirror._place))


@pytest.fixture
def mirror(tmp_path):
    mirror = Mirror(tmp_path / "mirror")
    server = ThreadingHTTPServer(("127.0.0.1", 0), mirror.handler())
    server.daemon_threads = False  # so that closing waits for them
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    mirror.base = f"http://127.0.0.1:{server.server_address[1]}"
    yield mirror
    mirror.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


def call(*arguments, **environment):
    result = CliRunner().invoke(app, ["data", *map(str, arguments)], env=environment)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def put(folder, **files):
    for name, content in files.items():
        place = folder / name.replace("__", "/").replace("_dot_", ".")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def line_with(text, output):
    (line,) = [line for line in output.splitlines() if text in line]
    return line


def test_list_tells_what_there_is_and_what_is_here(folder):
    put(folder, toy__toy_dot_data=ROWS)
    put(folder, few__few_dot_data_dot_gz=b"anything: it is not read")
    put(folder, **{"club-2k__some_likes_dot_tsv": TAGS})
    result = call("list")
    assert result.exit_code == 0
    assert line_with("toy ", result.stdout).split() == [
        *("toy", "Toy", "set", "2,000", "2", "3", "none", "incomplete"),
    ]
    assert line_with("few ", result.stdout).split()[-1] == "present"
    assert line_with("club ", result.stdout).split() == [
        *("club", "Club", "7", "8,000", "none", "partial"),
    ]
    assert f"{folder} ($JOSTLE_DATA)" in result.stdout
    assert "Nobody" not in result.stdout


def test_list_of_nothing_and_the_default_folder(folder, monkeypatch, tmp_path):
    monkeypatch.delenv("JOSTLE_DATA")
    result = call("list")
    assert result.stdout.count("absent") == 3
    assert f"{tmp_path / 'cache' / 'data'} (set JOSTLE_DATA to use another)" in (result.stdout)


def test_list_long_cites():
    text = call("list", "--long").stdout
    assert text.count("Nobody (1999). Nothing.") == 3
    for wanted in (TOY.page, TOY.url, "none; really", "github some/body"):
        assert wanted in text


def test_fetch_downloads_then_skips_then_downloads_again(mirror, folder):
    first = call("fetch", "toy", "few", "--base", mirror.base)
    assert first.exit_code == 0, first.output
    assert f"toy: fetching from {mirror.base} ..." in first.stdout
    assert f"toy: fetched into {folder / 'toy'}" in first.stdout
    assert sorted(place.name for place in folder.rglob("*.*")) == [
        *("few.data", "toy.data", "toy.names", "toy.test"),
    ]
    assert call("verify", "toy", "few").exit_code == 0

    second = call("fetch", "toy", "--base", mirror.base)
    assert second.exit_code == 0
    assert second.stdout == f"toy: already in {folder / 'toy'} (use --force to download it again)\n"
    assert len(mirror.asked) == 2

    put(folder, toy__toy_dot_names=b"other\n")
    assert "but these optional files are wrong: toy.names" in call("fetch", "toy").stdout
    third = call("fetch", "--force", "toy", "--base", mirror.base)
    assert third.exit_code == 0
    assert len(mirror.asked) == 3
    assert call("verify", "toy").exit_code == 0


def test_fetch_all_goes_on_after_failures(mirror, folder):
    mirror.remove("toy+set.zip")
    mirror.put("few.zip", {"few.data": b"not these\n"})
    result = call("fetch", "all", "--base", mirror.base)
    assert result.exit_code == 1
    errors = result.stderr.splitlines()
    assert len(errors) == 3
    assert errors[0].startswith("toy: cannot download")
    assert "404" in errors[0]
    assert errors[1].startswith("few: http")
    assert "does not contain the published few.data" in errors[1]
    assert errors[2] == "2 of 3 sets failed: toy, few"
    assert [place.name for place in folder.iterdir()] == ["club-2k"]


def test_an_unreachable_publisher_is_one_line(folder):
    result = call("fetch", "few", "--base", "http://127.0.0.1:1")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "few: cannot download http://127.0.0.1:1/static/few.zip" in result.stderr
    assert not folder.exists()


def test_a_data_folder_that_cannot_be_one_is_one_line(folder, mirror):
    folder.write_text("a file, not a folder")
    result = call("fetch", "few", "--base", mirror.base)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert str(folder) in result.stderr


@pytest.mark.parametrize("says_length", [True, False])
def test_a_terminal_sees_a_bar(mirror, says_length):
    mirror.says_length = says_length
    result = call("fetch", "toy", "--base", mirror.base, FORCE_COLOR="1")
    assert result.exit_code == 0, result.output
    assert ("checking toy" in result.stdout.split("fetching toy")[-1]) == says_length
    assert "\x1b[" in result.stdout
    assert "bytes" in result.stdout
    assert says_length or "?" in result.stdout
    assert "checking toy" in call("verify", "toy", FORCE_COLOR="1").stdout


def test_verify_has_a_row_for_each_file(folder):
    put(folder, toy__toy_dot_data_dot_gz=gzip.compress(ROWS), toy__toy_dot_test=ROWS)
    put(folder, **{"club-2k__likes_dot_dat": TAGS.replace(b"\n", b"\r\n")})
    result = call("verify")
    assert result.exit_code == 1
    words = {
        line.split()[-2 if line.split()[-1] in ("checksum", "optional", "required") else -1]
        for line in result.stdout.splitlines()
        if "toy." in line
    }
    assert words == {"ok", "wrong", "missing"}
    assert "unverified" in line_with(" likes.dat", result.stdout)
    assert line_with("ok:", result.stdout) == "ok: club"
    errors = result.stderr.splitlines()
    assert len(errors) == 2
    assert (
        f"{folder / 'toy' / 'toy.test'} is wrong: the sha256 of its content is {sha(ROWS)}"
        in (errors[0])
    )
    assert "jostle data fetch toy --force" in errors[0]
    assert errors[1] == (
        f"few: not installed (looked in {folder / 'few'}); to download it: jostle data fetch few; "
        "if it is elsewhere: set JOSTLE_DATA"
    )


def test_verify_says_partial_and_passes(folder):
    put(folder, **{"club-2k__some_likes_dot_tsv": TAGS})
    result = call("verify", "club")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "some_likes.tsv instead of likes.dat" in line_with("partial: club", result.stdout)
    assert "ok:" not in result.stdout
    put(folder, **{"club-2k__some_likes_dot_tsv": b"cut"})
    result = call("verify", "club")
    assert result.exit_code == 1
    assert "club: missing likes.dat" in result.stderr
    assert "get it from github some/body" in result.stderr


def test_verify_a_damaged_file_and_one_that_lacks(folder):
    put(folder, toy__toy_dot_data_dot_gz=gzip.compress(ROWS)[:-9])
    result = call("verify", "toy")
    assert result.exit_code == 1
    assert "toy: missing toy.test" in result.stderr
    assert "toy.data.gz is wrong: it cannot be read" in result.stderr


def test_path_prints_a_path_and_nothing_else(folder, monkeypatch, tmp_path):
    assert call("path").output == f"{folder}\n"
    assert call("path", "club").output == f"{folder / 'club-2k'}\n"
    assert not folder.exists()
    monkeypatch.chdir(tmp_path)
    assert call("path", JOSTLE_DATA="here").output == f"{tmp_path / 'here'}\n"


@pytest.mark.parametrize("command", ["fetch", "verify", "path"])
def test_unknown_names_get_the_nearest(command, folder):
    result = call(command, "toi")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "unknown data set 'toi'; did you mean 'toy'?\n"


@pytest.mark.parametrize("base", ["localhost", "ftp://a.b", "http://", "http://[1"])
def test_a_bad_mirror_is_refused_before_anything_else(base, folder):
    result = call("fetch", "toy", "--base", base)
    assert result.exit_code == 2
    assert result.stderr.startswith("--base must be an address such as")
    assert not folder.exists()


def test_a_missing_extra_is_one_line(folder, monkeypatch):
    monkeypatch.delenv("JOSTLE_DATA")
    monkeypatch.delenv("JOSTLE_CACHE")
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    result = call("path")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "pip install 'jostle[data]'" in result.stderr


def test_fetch_without_a_name_is_an_error():
    assert call("fetch").exit_code == 2


@pytest.mark.parametrize("command", [[], ["list"], ["fetch"], ["verify"], ["path"]])
def test_help_teaches(command):
    text = call(*command, "--help").output
    assert "Examples" in text
    assert "jostle data" in text
    if command != ["list"] and command != ["verify"]:
        assert "JOSTLE_DATA" in text


def test_the_command_imports_nothing_heavy():
    code = "import sys, jostle.cli.data; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="SIGINT to another process is POSIX")
def test_ctrl_c_leaves_nothing(mirror, folder):
    """A real Ctrl-C in the middle of a download, in a process of its own, of a real set."""
    mirror.put("public/59/letter+recognition.zip", {"x": b"y" * 500})
    mirror.released.clear()
    process = subprocess.Popen(
        [sys.executable, "-m", "jostle", "data", "fetch", "letter", "--base", mirror.base],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert mirror.waiting.wait(120)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        mirror.released.set()
    assert process.returncode == 130
    assert errors == "Interrupted while fetching letter; no partial files are left.\n"
    assert output == f"letter: fetching from {mirror.base} ...\n"
    assert not folder.exists()


def documented(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCS.read_text("utf-8"), flags=re.DOTALL)


def commands():
    lines = "".join(documented("sh")).splitlines()
    return [line.partition("#")[0].strip() for line in lines if "jostle data" in line]


@pytest.mark.parametrize("line", commands())
def test_commands_of_the_page_run(line, mirror, folder, monkeypatch):
    """With the small sets under the names that the page uses."""
    monkeypatch.setattr(catalog, "CATALOG", {**catalog.CATALOG, "mushroom": FEW, "lastfm": CLUB})
    if "verify" in line:
        call("fetch", "all", "--base", mirror.base)
    words = shlex.split(re.sub(r"^JOSTLE_DATA=\S+ ", "", line))
    assert words[:2] == ["jostle", "data"]
    if words[2] == "fetch" and "--base" not in words:
        words += ["--base", mirror.base]
    words = [mirror.base if word.startswith("http://") else word for word in words]
    result = call(*words[2:])
    assert result.exit_code == 0, result.output


@pytest.fixture
def real(real_data, monkeypatch):
    """The real catalogue and data."""
    monkeypatch.setattr(catalog, "CATALOG", CATALOG)


def test_the_real_data_pass(real):
    listed = call("list")
    assert listed.stdout.count("present") + listed.stdout.count("partial") == 8
    result = call("verify")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert "ok: adult, mushroom, shuttle, letter, covertype, magic, lastfm" in result.stdout
    if "partial" in line_with("delicious ", listed.stdout):
        assert "partial: delicious: usable, but not the published set" in result.stdout


@pytest.mark.parametrize("index", range(len(documented("python"))))
def test_snippets_of_the_page_print_what_they_show(index, real, capsys):
    code = documented("python")[index]
    exec(compile(code, str(DOCS), "exec"), {})
    shown = re.findall(r"# (.*)", code)
    assert capsys.readouterr().out.split() == " ".join(shown).split()
