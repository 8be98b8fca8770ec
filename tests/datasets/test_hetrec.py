import gzip

import pytest

from jostle.datasets import MissingDataError, authors_events, hetrec, paths
from jostle.datasets.acquire import verify
from jostle.datasets.acquire.verify import WrongDataError

LASTFM = {
    "artists.dat": "id\tname\turl\tpictureURL\n5\tB\u00e9la\tu\tp\n3\tX\tu\tp\n",
    "tags.dat": "tagID\ttagValue\n1\tmetal\n2\trock\n",
    "user_artists.dat": "userID\tartistID\tweight\n20\t3\t10\n10\t5\t1\n10\t3\t7\n",
    "user_friends.dat": "userID\tfriendID\n10\t20\n20\t10\n",
    "user_taggedartists.dat": "userID\tartistID\ttagID\tday\tmonth\tyear\n"
    "10\t5\t2\t1\t1\t2009\n20\t5\t2\t1\t1\t2009\n20\t9\t1\t1\t1\t2009\n",
}
DELICIOUS = {
    "tags.dat": "id\tvalue\n1\ta\n2\tb\n",
    "user_contacts.dat": "userID\tcontactID\tdate_day\n10\t30\t1\n30\t10\t1\n",
    "bookmarks.dat": "id\tmd5\ttitle\turl\tmd5Principal\turlPrincipal\n"
    "7\tm\tT\tu\tm\tu\n4\tm\tT\tu\tm\tu\n",
    "bookmark_tags.dat": "bookmarkID\ttagID\ttagWeight\n7\t1\t276\n4\t2\t3\n",
    "user_taggedbookmarks.dat": "userID\tbookmarkID\ttagID\tday\n"
    "10\t7\t1\t8\n10\t7\t2\t8\n20\t4\t2\t8\n",
    "bookmarks_id_title.csv": 'id,title\r\n7,"T, quoted"\r\n4,T\r\n',
    "bookmark_tags_noweight.tsv": "bookmarkID\ttagID\n7\t1\n4\t2\n",
    "user_taggedbookmarks_partial.tsv": "userID\tbookmarkID\ttagID\n10\t7\t1\n",
    "user_bookmarks_partial.tsv": "userID\tbookmarkID\tsource\n10\t7\tA\n20\t4\tE\n",
}
ORIGINALS = {"bookmarks.dat", "bookmark_tags.dat", "user_taggedbookmarks.dat"}


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files here are made up, so their checksums are not compared."""
    monkeypatch.setattr(verify, "require", paths.locate)


def put(name: str, files: dict[str, str], ends: str = "\n") -> None:
    folder = paths.path(name)
    folder.mkdir(parents=True)
    for file, text in files.items():
        content = text.replace("\n", ends).encode("iso-8859-1")
        (folder / f"{file}.gz").write_bytes(gzip.compress(content))


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lastfm_by_hand(ends: str) -> None:
    put("lastfm", LASTFM, ends)
    data = hetrec.read("lastfm")
    assert (data.source, data.feedback) == ("original", "listened")
    assert data.users.tolist() == [10, 20]
    assert data.items.tolist() == [3, 5, 9]
    assert data.tags.tolist() == [1, 2]
    assert data.positives.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert data.taggings.tolist() == [[0, 1, 1], [1, 1, 1], [1, 2, 0]]
    assert data.item_tags.tolist() == [[1, 1, 2], [2, 0, 1]]
    assert data.friends.tolist() == [[0, 1], [1, 0]]
    tagged = hetrec.read("lastfm", positives="tagged")
    assert tagged.positives.tolist() == [[0, 1], [1, 1], [1, 2]]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_delicious_originals_go_before_partial_files(ends: str) -> None:
    put("delicious", DELICIOUS, ends)
    data = hetrec.read("delicious")
    assert data.source == "original"
    assert ORIGINALS.issubset(data.files)
    assert data.users.tolist() == [10, 20, 30]
    assert data.items.tolist() == [4, 7]
    assert data.positives.tolist() == [[0, 1], [1, 0]]
    assert data.taggings.tolist() == [[0, 1, 0], [0, 1, 1], [1, 0, 1]]
    assert data.item_tags.tolist() == [[1, 0, 276], [0, 1, 3]]
    assert data.friends.tolist() == [[0, 2], [2, 0]]


def test_delicious_partial_files_are_used_and_said() -> None:
    put("delicious", {name: text for name, text in DELICIOUS.items() if name not in ORIGINALS})
    data = hetrec.read("delicious")
    assert data.source == "partial"
    assert ORIGINALS.isdisjoint(data.files)
    assert data.positives.tolist() == [[0, 1], [1, 0]]
    assert data.taggings.tolist() == [[0, 1, 0]]
    assert data.item_tags.tolist() == [[1, 0, 1], [0, 1, 1]]


def test_with_neither_the_originals_are_asked_for() -> None:
    absent = {*ORIGINALS, "user_bookmarks_partial.tsv"}
    put("delicious", {name: text for name, text in DELICIOUS.items() if name not in absent})
    with pytest.raises(MissingDataError, match=r"missing: user_taggedbookmarks\.dat \(plain"):
        hetrec.read("delicious")


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="unknown recommendation data set 'lastfn'"):
        hetrec.read("lastfn")
    with pytest.raises(ValueError, match="unknown positives of delicious 'listened'"):
        hetrec.read("delicious", positives="listened")


def pool(*first: int) -> str:
    return "[" + ", ".join(map(str, (first * 25)[:25])) + "]"


AUTHORS = {
    authors_events.EVENTS: f"userid\ttimestamp\tarm_pool\n2\t99\t{pool(9, 3)}\n1\t98\t{pool(5)}\n",
    authors_events.VECTORS: "0.5 -1.0\n\n",
    authors_events.CLUSTERS: "7\n8\n",
    authors_events.USERS: "mappedID\tuserID\n1\t10\n2\t20\n",
}


def test_the_groups_files_are_turned_to_our_indices() -> None:
    put("lastfm", LASTFM | AUTHORS)
    found = authors_events.read(hetrec.read("lastfm"))
    assert found.users.tolist() == [1, 0]
    assert found.times.tolist() == [99, 98]
    assert found.pools.shape == (2, 25)
    assert found.pools[0, :3].tolist() == [2, 0, 2]
    assert found.embedded.tolist() == [True, False]
    assert found.vectors.tolist() == [[0.5, -1.0], [0.0, 0.0]]
    assert found.clusters.tolist() == [7, 8]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (authors_events.USERS, "mappedID\tuserID\n1\t20\n2\t10\n", "does not list the 2 users"),
        (
            authors_events.EVENTS,
            f"userid\ttimestamp\tarm_pool\n2\t99\t{pool(4)}\n",
            "has items that",
        ),
    ],
)
def test_files_of_another_set_are_refused(file: str, text: str, message: str) -> None:
    put("lastfm", LASTFM | AUTHORS | {file: text})
    with pytest.raises(WrongDataError, match=message):
        authors_events.read(hetrec.read("lastfm"))


def test_absent_group_files_say_where_they_come_from() -> None:
    put("lastfm", LASTFM)
    with pytest.raises(MissingDataError, match="from github yilingjia/BanditLib"):
        authors_events.read(hetrec.read("lastfm"))
