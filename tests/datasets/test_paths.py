import sys
from pathlib import Path

import pytest

from jostle.core.optional import MissingExtraError
from jostle.datasets import MissingDataError, paths
from jostle.datasets.catalog.entry import TableSet


def test_the_setting_says_where_data_lie(folders: Path, toy: TableSet) -> None:
    assert paths.path("toy") == folders / "data" / toy.folder


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG folders are those of Linux")
def test_without_settings_data_lie_in_the_users_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JOSTLE_DATA")
    monkeypatch.delenv("JOSTLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert paths.path("lastfm") == tmp_path / "jostle" / "data" / "hetrec2011-lastfm-2k"


@pytest.mark.usefixtures("toy")
def test_absent_data_are_answered_with_place_command_and_setting(folders: Path) -> None:
    with pytest.raises(MissingDataError) as caught:
        paths.locate("toy", "toy.data", "notes.txt")
    text = str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)
    assert "toy.data, notes.txt" in text
    assert str(folders / "data" / "toy-folder") in text
    assert "jostle data fetch toy" in text
    assert "set JOSTLE_DATA to the folder that contains toy-folder/" in text


@pytest.mark.usefixtures("toy")
def test_files_that_no_archive_holds_are_not_promised_by_fetch() -> None:
    with pytest.raises(MissingDataError, match="github somebody/else") as caught:
        paths.locate("toy", "extra.tsv")
    assert "jostle data fetch" not in str(caught.value)


def test_without_platformdirs_the_default_folder_asks_for_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert paths.data_folder() == tmp_path / "data"
    monkeypatch.delenv("JOSTLE_DATA")
    monkeypatch.delenv("JOSTLE_CACHE")
    with pytest.raises(MissingExtraError, match=r"platformdirs is not .*'jostle\[data\]'"):
        paths.data_folder()
