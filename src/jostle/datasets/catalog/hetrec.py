"""The two recommendation sets, HetRec 2011 of GroupLens, with files that others derived.

Two kinds of files are not in the publisher's archives. The ``banditlib_*`` files are the event
pools and user embeddings of the paper's authors (github yilingjia/BanditLib, MIT licence). The
*partial* files of Delicious are what public copies have kept of three original files; they are used
when the originals are missing. We know no checksum of those three originals, which are therefore
verified by number of lines and header.
"""

from jostle.datasets.catalog.entry import File, HetRecSet, Role

_GROUPLENS = "https://files.grouplens.org/datasets/hetrec2011"
_LICENCE = "non-commercial use; see the readme.txt of the set"
_CITATION = (
    "I. Cantador, P. Brusilovsky, T. Kuflik. 2nd Workshop on Information Heterogeneity and Fusion "
    "in Recommender Systems (HetRec 2011). RecSys 2011."
)


def _doc(name: str, lines: int, sha256: str) -> File:
    return File(name, lines, sha256, role="optional", text=True)


def _dat(name: str, lines: int, sha256: str, role: Role = "required") -> File:
    return File(name, lines, sha256, role=role, text=True)


def _banditlib(name: str, lines: int, sha256: str) -> File:
    origin = "github yilingjia/BanditLib"
    return File(f"banditlib_{name}", lines, sha256, role="optional", origin=origin)


def _partial(name: str, lines: int, sha256: str, origin: str) -> File:
    return File(name, lines, sha256, role="partial", origin=origin)


LASTFM = HetRecSet(
    name="lastfm",
    title="HetRec 2011 Last.fm 2K",
    citation=_CITATION,
    licence=_LICENCE,
    page="https://grouplens.org/datasets/hetrec-2011/",
    url=f"{_GROUPLENS}/hetrec2011-lastfm-2k.zip",
    folder="hetrec2011-lastfm-2k",
    users=1_892,
    items=17_632,
    files=(
        _dat(
            "artists.dat",
            17_633,
            "c173881362c6b28551368fecb3c0be5a6a30a6cd859e1f5775413dfe46d48648",
        ),
        _dat(
            "tags.dat", 11_947, "c815d7216101fd0ba9b9c59fa2a011998d2fd076e0064d281ec4153d95ae8095"
        ),
        _dat(
            "user_artists.dat",
            92_835,
            "254272fa721c3935e8be286d28c051b206844307128698ab4eaa41d483379416",
        ),
        _dat(
            "user_friends.dat",
            25_435,
            "0360883a3557776e04fdebda851f2e5dd23e796cad7059b968acdebd528d13fa",
        ),
        _dat(
            "user_taggedartists.dat",
            186_480,
            "c4a9ffae9ab47a9f9b2f0678ab1f7e5c1db4ca818837d8cddd1f5699c5bbf048",
        ),
        File(
            "user_taggedartists-timestamps.dat",
            186_480,
            header="userID\tartistID\ttagID\ttimestamp",
            role="optional",
            text=True,
        ),
        _doc("readme.txt", 164, "44c38757b3a24e68e844ac60c97ba7fd8e0f691cf1b00e9cf6bd8854df0dd64a"),
        _banditlib(
            "events_select100_part2.tsv",
            18_821,
            "1993c32b05780c8ed9f1fc0eeb0545a628eaf50a2a54861a2baea8e39e4dcbfa",
        ),
        _banditlib(
            "user_clusters_200.txt",
            1_892,
            "f652ce81ab8c0e5bd602f3293c12fed15b686b9e67c6fc59db4b1df3642181cf",
        ),
        _banditlib(
            "user_emd_25.txt",
            1_892,
            "e180491415f0037e8c2bf4bcab229f6926acd04ed8eb1917c71399b358be68ee",
        ),
        _banditlib(
            "user_id_map.tsv",
            1_893,
            "2b6e9902476c546a61a206603c84976e37713dcdd6e240666ced2a55aa2c5ed1",
        ),
    ),
)

DELICIOUS = HetRecSet(
    name="delicious",
    title="HetRec 2011 Delicious 2K",
    partial_caveat="Delicious is played on partial data (docs/data.md): do not compare its figures "
    "with results on the published set.",
    citation=_CITATION,
    licence=_LICENCE,
    page="https://grouplens.org/datasets/hetrec-2011/",
    url=f"{_GROUPLENS}/hetrec2011-delicious-2k.zip",
    folder="hetrec2011-delicious-2k",
    users=1_867,
    items=69_226,
    files=(
        _dat(
            "tags.dat", 53_389, "9604c1b543cf2ba6edf829077ecbc52660d8e74c10aa050c8345a86179d21b0c"
        ),
        _dat(
            "user_contacts.dat",
            15_329,
            "81857b353c26f374137f21b8a8a62e434b8c5046c4899a77cf714077d68a12fa",
        ),
        File(
            "bookmarks.dat",
            69_227,
            header="id\tmd5\ttitle\turl\tmd5Principal\turlPrincipal",
            text=True,
            stand_ins=("bookmarks_id_title.csv",),
        ),
        File(
            "bookmark_tags.dat",
            487_132,
            header="bookmarkID\ttagID\ttagWeight",
            text=True,
            stand_ins=("bookmark_tags_noweight.tsv",),
        ),
        File(
            "user_taggedbookmarks.dat",
            437_594,
            header="userID\tbookmarkID\ttagID\tday\tmonth\tyear\thour\tminute\tsecond",
            text=True,
            stand_ins=("user_taggedbookmarks_partial.tsv", "user_bookmarks_partial.tsv"),
        ),
        _partial(
            "bookmarks_id_title.csv",
            69_227,
            "1d66f9572fca7092a4d9d2ebb52ccf3d3d2764ae8c31def8a4c2614ae084c2cb",
            "github AntiInsect/REPRODUCE-A-Gang-of-Bandits",
        ),
        _partial(
            "bookmark_tags_noweight.tsv",
            487_132,
            "e607db6b05970f1eca994991bc03c92b1333c670269377a09181c3773235829f",
            "github shenwzh3/bdcmf",
        ),
        _partial(
            "user_taggedbookmarks_partial.tsv",
            271_418,
            "abbd84adb1c514d38d011103abaee3ff87d7da58b1f53fc7e12dd108911357f6",
            "github critical88/BoxGNN",
        ),
        _partial(
            "user_bookmarks_partial.tsv",
            97_662,
            "1febb447bfa9669f991b4891f8f9ff976f0b46b4b376e3dabb180eed82b9d673",
            "github critical88/BoxGNN and yilingjia/BanditLib",
        ),
        _dat(
            "user_contacts-timestamps.dat",
            15_329,
            "67bb2d462bd794a331f501d7d480fc02eef196548f51a5a23a28e2e50736968c",
            "optional",
        ),
        File(
            "user_taggedbookmarks-timestamps.dat",
            437_594,
            header="userID\tbookmarkID\ttagID\ttimestamp",
            role="optional",
            text=True,
        ),
        _doc("readme.txt", 182, "29aef5ed305d5db8158973074598b69bc0d129823c98ee04e57161880f2a2f33"),
        _banditlib(
            "events_select100_part2.tsv",
            19_290,
            "d7ab263c4f910ab365bc26131f60f006b2212ab615183cc73a747e9ea5f8814c",
        ),
        _banditlib(
            "user_clusters_200.txt",
            1_867,
            "4a07e5fa958e60c5dc8fd1ce48f894545f4d4446c3e3a91481ee98d1dfe6e7d5",
        ),
        _banditlib(
            "user_emd_25.txt",
            1_867,
            "826c46622c40e2504d769a6ef8781a1aa0c953e4a92b7ba6a7ab125b87fab760",
        ),
        _banditlib(
            "user_id_map.tsv",
            1_868,
            "07d911e520c8082c578f69a94b588c107e2450a4c1e2ca70f05ae9d4904bf765",
        ),
    ),
)
