"""The six classification sets of the UCI Machine Learning Repository.

The checksums are those of the files that UCI publishes.
"""

from jostle.datasets.catalog.entry import File, TableSet

_UCI = "https://archive.ics.uci.edu"


def _uci(number: int, slug: str) -> tuple[str, str]:
    return f"{_UCI}/dataset/{number}/{slug}", f"{_UCI}/static/public/{number}/{slug}.zip"


def _table(
    name: str,
    title: str,
    citation: str,
    where: tuple[str, str],
    size: tuple[int, int, int],
    *files: File,
) -> TableSet:
    page, url = where
    rows, features, classes = size
    return TableSet(
        name=name,
        title=title,
        citation=f"{citation} UCI Machine Learning Repository.",
        licence="CC BY 4.0",
        page=page,
        url=url,
        folder=name,
        files=files,
        rows=rows,
        features=features,
        classes=classes,
    )


def _doc(name: str, lines: int, sha256: str) -> File:
    return File(name, lines, sha256, role="optional", text=True)


ADULT = _table(
    "adult",
    "Adult (Census Income)",
    "B. Becker, R. Kohavi (1996). Adult. doi:10.24432/C5XW20.",
    _uci(2, "adult"),
    (48_842, 14, 2),
    File("adult.data", 32_562, "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
    File("adult.test", 16_283, "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    _doc("adult.names", 110, "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a"),
)

MUSHROOM = _table(
    "mushroom",
    "Mushroom",
    "J. Schlimmer (1987). Mushroom. doi:10.24432/C5959T.",
    _uci(73, "mushroom"),
    (8_124, 22, 2),
    File(
        "agaricus-lepiota.data",
        8_124,
        "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
    ),
)

SHUTTLE = _table(
    "shuttle",
    "Statlog (Shuttle)",
    "NASA, J. Catlett. Statlog (Shuttle). doi:10.24432/C5WS31.",
    _uci(148, "statlog+shuttle"),
    (58_000, 9, 7),
    File("shuttle.trn", 43_500, "87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a"),
    File("shuttle.tst", 14_500, "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661"),
    _doc("shuttle.doc", 41, "c46e3f4481b514df9311046cb64a4a1adefd13663ccad375e27c404e3d829a37"),
)

LETTER = _table(
    "letter",
    "Letter Recognition",
    "D. Slate (1991). Letter Recognition. doi:10.24432/C5ZP40.",
    _uci(59, "letter+recognition"),
    (20_000, 16, 26),
    File(
        "letter-recognition.data",
        20_000,
        "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
    ),
)

COVERTYPE = _table(
    "covertype",
    "Covertype",
    "J. Blackard (1998). Covertype. doi:10.24432/C50K5N. Copyright Jock A. Blackard and Colorado "
    "State University.",
    _uci(31, "covertype"),
    (581_012, 54, 7),
    File(
        "covtype.data",
        581_012,
        "0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
    ),
)

MAGIC = _table(
    "magic",
    "MAGIC Gamma Telescope",
    "R. Bock (2004). MAGIC Gamma Telescope. doi:10.24432/C52C8B.",
    _uci(159, "magic+gamma+telescope"),
    (19_020, 10, 2),
    File(
        "magic04.data", 19_020, "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a"
    ),
    _doc("magic04.names", 111, "6b74a329008ea6d062d0c0acf34f0a4aa0e7ce7d1aaeebce4ae5995c06a7abc2"),
)
