"""How the raw text of each classification set is laid out: files, columns, classes."""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Schema:
    """The layout of a classification set.

    Attributes:
        files: read one after the other, in this order.
        columns: the names of a line's values, in order.
        label: the column that holds the class.
        classes: the classes by name.
        labels: maps what the files write to the index of a class.
        categories: columns of categories.
        indicators: columns of 0 and 1; all columns that are neither are numbers.
        separator: what separates the values of a line; white space around values is ignored.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    label: str
    classes: tuple[str, ...]
    labels: Mapping[str, int] = field(repr=False)
    categories: frozenset[str] = frozenset()
    indicators: frozenset[str] = frozenset()
    separator: str = ","

    @property
    def features(self) -> tuple[str, ...]:
        """The columns without the label."""
        return tuple(name for name in self.columns if name != self.label)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _labels(*written: str) -> Mapping[str, int]:
    return MappingProxyType({text: index for index, text in enumerate(written)})


_ADULT = _words(
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
)
_MUSHROOM = _words(
    "class cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size "
    "gill-color stalk-shape stalk-root stalk-surface-above-ring stalk-surface-below-ring "
    "stalk-color-above-ring stalk-color-below-ring veil-type veil-color ring-number ring-type "
    "spore-print-color population habitat"
)
_LETTER = _words(
    "letter x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy "
    "y-ege yegvx"
)
_MAGIC = _words("fLength fWidth fSize fConc fConc1 fAsym fM3Long fM3Trans fAlpha fDist class")
_TERRAIN = _words(
    "Elevation Aspect Slope Horizontal_Distance_To_Hydrology Vertical_Distance_To_Hydrology "
    "Horizontal_Distance_To_Roadways Hillshade_9am Hillshade_Noon Hillshade_3pm "
    "Horizontal_Distance_To_Fire_Points"
)
_PLACES = [f"Wilderness_Area{i}" for i in range(1, 5)] + [f"Soil_Type{i}" for i in range(1, 41)]

SCHEMAS: Mapping[str, Schema] = MappingProxyType(
    {
        "adult": Schema(
            files=("adult.data", "adult.test"),
            columns=_ADULT,
            label="income",
            classes=("<=50K", ">50K"),
            # The test file ends its labels with a full stop.
            labels=MappingProxyType({"<=50K": 0, "<=50K.": 0, ">50K": 1, ">50K.": 1}),
            categories=frozenset(
                _words(
                    "workclass education marital-status occupation relationship race sex "
                    "native-country"
                )
            ),
        ),
        "mushroom": Schema(
            files=("agaricus-lepiota.data",),
            columns=_MUSHROOM,
            label="class",
            classes=("edible", "poisonous"),
            labels=_labels("e", "p"),
            categories=frozenset(_MUSHROOM[1:]),
        ),
        "shuttle": Schema(
            files=("shuttle.trn", "shuttle.tst"),
            columns=("time", *(f"a{i}" for i in range(2, 10)), "class"),
            label="class",
            classes=(
                "Rad Flow",
                "Fpv Close",
                "Fpv Open",
                "High",
                "Bypass",
                "Bpv Close",
                "Bpv Open",
            ),
            labels=_labels(*"1234567"),
            separator=" ",
        ),
        "letter": Schema(
            files=("letter-recognition.data",),
            columns=_LETTER,
            label="letter",
            classes=tuple(string.ascii_uppercase),
            labels=_labels(*string.ascii_uppercase),
        ),
        "covertype": Schema(
            files=("covtype.data",),
            columns=(*_TERRAIN, *_PLACES, "Cover_Type"),
            label="Cover_Type",
            classes=(
                "Spruce/Fir",
                "Lodgepole Pine",
                "Ponderosa Pine",
                "Cottonwood/Willow",
                "Aspen",
                "Douglas-fir",
                "Krummholz",
            ),
            labels=_labels(*"1234567"),
            indicators=frozenset(_PLACES),
        ),
        "magic": Schema(
            files=("magic04.data",),
            columns=_MAGIC,
            label="class",
            classes=("gamma", "hadron"),
            labels=_labels("g", "h"),
        ),
    }
)
