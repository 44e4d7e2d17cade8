"""Texts of every format without a newline at their end, with other line ends, and with a byte order mark."""

import pytest

from hedgerow import open_source
from hedgerow.data.table.table import concatenate
from tests.data.tables import assert_same

TEXTS = {
    "t.csv": "a,b,c\n1,x,yes\n2,y,no\n3,x,no\n",
    "t.tsv": "a\tb\tc\n1\tx\tyes\n2\ty\tno\n3\tx\tno\n",
    "t.txt": "the first document of this file\nthe second one is here too\nand a third one follows now\n",
    "t.arff": "@relation t\n@attribute a numeric\n@attribute c {yes,no}\n@data\n1,yes\n2,no\n3,no\n",
    "sparse.arff": "@relation t\n@attribute a numeric\n@attribute c {yes,no}\n@data\n{0 1}\n{1 no}\n{0 3,1 no}\n",
    "t.data": "1,x,yes\n2,y,no\n3,x,no\n",
    "dots.data": "1,x,yes.\n2,y,no.\n3,x,no.\n",
    "t.svm": "1 1:0.5 2:3\n-1 2:1\n1 1:2\n",
    "t.vw": "1 |a x:2 y\n-1 |a z\n1 |a y:0.5\n",
    "t.jsonl": '{"a": 1, "c": "yes"}\n{"a": 2, "c": "no"}\n{"a": 3, "c": "no"}\n',
    "t.basket": "milk,bread\nbread\nmilk,eggs,bread\n",
    "t.mbox": "From a@b Thu Jan  1 00:00:00 2026\nSubject: one\n\nhello there\n\n"
    "From a@b Thu Jan  1 00:00:00 2026\nSubject: two\n\ngood bye\n",
}
NAMES = "yes, no.\na: continuous.\nb: x, y.\n"
VARIANTS = {
    "no newline at the end": lambda text: text.removesuffix("\n").encode(),
    "blank lines at the end": lambda text: (text + "\n\n").encode(),
    "carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "carriage returns, none at the end": lambda text: text.removesuffix("\n").replace("\n", "\r\n").encode(),
    "old Macintosh": lambda text: text.replace("\n", "\r").encode(),
    "byte order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
}


def write(folder, name, as_bytes):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(as_bytes(TEXTS[name]))
    if name.endswith(".data"):
        path.with_suffix(".names").write_bytes(as_bytes(NAMES))
    return path


def read_twice(path):
    """Return the rows, read at once and in batches."""
    return open_source(path).read(), concatenate(list(open_source(path).batches(2)))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", TEXTS)
def test_line_ends_and_marks_change_no_row(name, variant, tmp_path):
    if name == "t.txt" and variant == "blank lines at the end":
        pytest.skip("a blank line is an empty document")
    if name == "t.mbox" and variant not in ("carriage returns", "byte order mark"):
        pytest.skip("mailboxes are bytes, whose lines end in line feeds; the last of them belongs to the last message")
    expected, in_batches = read_twice(write(tmp_path / "plain", name, str.encode))
    assert_same(expected, in_batches)
    whole, in_batches = read_twice(write(tmp_path / "other", name, VARIANTS[variant]))
    assert_same(whole, expected)
    assert_same(in_batches, expected)
