import gzip
from pathlib import Path

import numpy as np
import pytest

from jostle.datasets.uci import parse
from jostle.datasets.uci_schemas import SCHEMAS, Schema

ADULT_TRAIN = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male,"
    " 2174, 0, 40, United-States, <=50K\n"
    "50, ?, 83311, Masters, 14, Divorced, ?, Husband, White, Female, 0, 5, 13, Cuba, >50K\n"
    "\n"
)
ADULT_TEST = (
    "|1x3 Cross validator\n"
    "25, Private, 226802, Bachelors, 7, Divorced, Sales, Own-child, Black, Male, 0, 0, 40, Cuba,"
    " >50K.\n\n"
)


def write(tmp_path: Path, schema: Schema, *texts: str, packed: bool = False) -> list[Path]:
    places = []
    for name, text in zip(schema.files, texts, strict=True):
        place = tmp_path / (f"{name}.gz" if packed else name)
        place.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        places.append(place)
    return places


def test_adult_joins_its_two_files(tmp_path: Path) -> None:
    schema = SCHEMAS["adult"]
    table = parse(schema, write(tmp_path, schema, ADULT_TRAIN, ADULT_TEST))
    assert (table.rows, table.features) == (3, 14)
    assert table.labels.tolist() == [0, 1, 1]
    assert table.classes == ("<=50K", ">50K")
    assert table.numeric.dtype == np.float32
    assert table.numeric[:, 0].tolist() == [39, 50, 25]
    assert table.numeric[1].tolist() == [50, 83311, 14, 0, 5, 13]
    workclass = table.columns[1]
    assert workclass.name == "workclass"
    assert workclass.categories == ("Private", "State-gov")
    assert table.codes[:, 0].tolist() == [1, -1, 0]


@pytest.mark.parametrize("packed", [False, True])
def test_shuttle_is_read_alike_plain_and_gzipped(tmp_path: Path, packed: bool) -> None:
    schema = SCHEMAS["shuttle"]
    first = "50 21 77 0 28 0 27 48 22 2\n55 0 92 0 0 26 36 92 56 4\n"
    second = "55 0 81 0 -6 11 25 88 64 7"  # no line end
    table = parse(schema, write(tmp_path, schema, first, second, packed=packed))
    assert table.numeric.shape == (3, 9)
    assert table.numeric[2].tolist() == [55, 0, 81, 0, -6, 11, 25, 88, 64]
    assert table.labels.tolist() == [1, 3, 6]
    assert table.codes.shape == (3, 0)


def test_covertype_keeps_its_indicators_apart(tmp_path: Path) -> None:
    schema = SCHEMAS["covertype"]
    places = [0] * 44
    places[1] = places[43] = 1
    row = [2596, 51, 3, 258, -6, 510, 221, 232, 148, 6279, *places, 5]
    table = parse(schema, write(tmp_path, schema, ",".join(map(str, row)) + "\n"))
    assert table.numeric[0].tolist() == row[:10]
    assert table.codes[0].tolist() == places
    assert table.labels.tolist() == [4]
    assert all(column.indicator for column in table.columns[10:])
    assert table.columns[11].name == "Wilderness_Area2"
    assert table.columns[53].name == "Soil_Type40"


def test_letter_and_magic_and_mushroom_lines(tmp_path: Path) -> None:
    letter = SCHEMAS["letter"]
    table = parse(letter, write(tmp_path, letter, "T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8\n"))
    assert table.classes[table.labels[0]] == "T"
    assert table.numeric[0, :3].tolist() == [2, 8, 3]
    magic = SCHEMAS["magic"]
    text = "28.7967,16.0021,2.6449,0.3918,0.1982,27.7004,22.011,-8.2027,40.092,81.8828,h\n"
    table = parse(magic, write(tmp_path, magic, text))
    assert table.classes[table.labels[0]] == "hadron"
    assert table.numeric[0, 7] == np.float32(-8.2027)
    mushroom = SCHEMAS["mushroom"]
    text = "p,x,s,n,t,p,f,c,n,k,e,?,s,s,w,w,p,w,o,p,k,s,u\n"
    table = parse(mushroom, write(tmp_path, mushroom, text))
    assert table.classes[table.labels[0]] == "poisonous"
    assert table.codes[0].tolist() == [0] * 10 + [-1] + [0] * 11


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("letter", "T,2,8\n", r"letter-recognition\.data: "),
        ("letter", "T" + ",2" * 16 + "\nT" + ",2" * 17 + "\n", r"letter-recognition\.data: "),
        ("letter", "T" + ",2" * 16 + "\nT,2,8\n", r"row 1 has no value for 'width'"),
        ("letter", "T" + ",2" * 15 + ",x\n", r"could not parse `x`"),
        ("magic", "1,2,3,4,5,6,7,8,9,10,x\n", r"row 0 has the class 'x', expected one of g, h"),
        ("covertype", ",".join(["1"] * 54 + ["8"]), r"row 0 has the class '8', expected one of 1,"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    schema = SCHEMAS[name]
    with pytest.raises(ValueError, match=message):
        parse(schema, write(tmp_path, schema, text))
