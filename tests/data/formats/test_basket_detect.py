"""Basket files with the extension of a table: recognized by lines of different lengths, not by errors in a table."""

import gzip

import pytest

import hedgerow
from hedgerow.data.formats.basket_detect import basket_delimiter
from hedgerow.errors import DataError

BASKETS = "bread,milk\nbread,butter,jam\nmilk\n"


def found(tmp_path, text, name="shop.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return basket_delimiter(path)


@pytest.mark.parametrize(("mark", "name"), [(",", "a.csv"), (";", "a.txt"), ("\t", "a.tsv"), ("|", "a")])
def test_lines_of_different_lengths_are_baskets(tmp_path, mark, name):
    assert found(tmp_path, BASKETS.replace(",", mark), name) == mark


def test_mostly_single_items_are_baskets_too(tmp_path):
    assert found(tmp_path, "milk\n" * 30 + "milk,bread\n") == ","


def test_quotes_hold_the_delimiter(tmp_path):
    assert found(tmp_path, '"salt, sea",milk\n"bread"\n"a,b",c,d\n') == ","
    assert found(tmp_path, '"a,b",c\nd,"e,f"\n') is None


def test_numbers_parted_by_blanks(tmp_path):
    assert found(tmp_path, "1 5 9\n2 3\n4\n", "t.txt") == " "
    assert found(tmp_path, "1 5 9\n2 3 4\n", "t.txt") == " "  # they ascend
    assert found(tmp_path, "9 5 1\n2 3 4\n", "t.txt") is None
    assert found(tmp_path, "to be or not\nto be\n", "t.txt") is None  # a text


@pytest.mark.parametrize(
    "text",
    ["", "a\n", "a,b\n1,2\n3,4\n", "a,b\n" + "1,2\n" * 20 + "1\n", "one\ntwo\n", '"never closed,a\nb\n'],
)
def test_tables_stay_tables(tmp_path, text):
    assert found(tmp_path, text) is None


def test_other_formats_speak_for_themselves(tmp_path):
    for name in ("shop.arff", "shop.dat", "shop.jsonl", "shop.parquet"):
        assert found(tmp_path, BASKETS, name) is None
    assert basket_delimiter("-") is None


def test_packed_and_in_other_encodings(tmp_path):
    path = tmp_path / "shop.csv.gz"
    path.write_bytes(gzip.compress(BASKETS.encode()))
    assert basket_delimiter(path) == ","
    (tmp_path / "l.csv").write_bytes("müsli,milk\nmüsli\n".encode("latin-1"))
    assert basket_delimiter(tmp_path / "l.csv", "latin-1") == ","
    with pytest.raises(DataError, match="there is no file"):
        basket_delimiter(tmp_path / "absent.csv")


def test_a_path_is_mined_as_what_it_is(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(BASKETS.replace(",", ";"))
    assert dict(hedgerow.mine(path, min_count=2)) == {("bread",): 2, ("milk",): 2}
    path.write_text("x,y\na,b\na,c\n")
    assert dict(hedgerow.mine(str(path), min_count=2)) == {("x=a",): 2}


def test_delimiters_inside_quotes_do_not_part_items(tmp_path) -> None:
    path = tmp_path / "quoted.dat"
    path.write_text('"a, b" "c""d" {x}\n"a, b" e\n', encoding="utf-8")
    assert hedgerow.mine(path, min_count=2).to_arrow()["items"].to_pylist() == [["a, b"]]
