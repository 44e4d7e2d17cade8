"""Writing VW's text format: what was read comes back, and other tables become features."""

import numpy as np
import pytest

from hedgerow import Table, read
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.data.write import write
from hedgerow.errors import DataError, DataWarning
from tests.cli.run import run

LINES = """\
1 'first |house price:.23 sqft:.25 2006
-1 2 'second |house price:.18 größer |other x:-2e3
1 1 0.5 | plain |house a
1 |
'unlabelled |other only
"""


@pytest.mark.filterwarnings("ignore:.*is not used in training")
def test_what_was_read_is_written_as_it_was(tmp_path):
    (tmp_path / "a.vw").write_text(LINES, encoding="utf-8")
    table = read(tmp_path / "a.vw")
    write(table, tmp_path / "b.vw")
    again = read(tmp_path / "b.vw")
    assert again.schema == table.schema
    assert np.array_equal(again.weights, table.weights)
    for position, column in enumerate(table.schema.columns):
        if column.kind is Kind.TEXT:
            assert list(map(str, again.texts(position))) == list(map(str, table.texts(position)))
        elif column.kind is Kind.NOMINAL:
            assert again.codes(position).tolist() == table.codes(position).tolist()
        else:
            assert np.array_equal(again.numbers(position), table.numbers(position))
    write(again, tmp_path / "c.vw.gz")
    write(read(tmp_path / "c.vw.gz"), tmp_path / "d.vw")
    assert (tmp_path / "d.vw").read_bytes() == (tmp_path / "b.vw").read_bytes()


def test_other_tables_become_features(tmp_path):
    table = Table.of({"my age": [1.5, None], "sky": ["sun | rain", None], "y": [2.5, None]}, "y", weights=[2.0, 1.0])
    table = table.with_column(Column("note", Kind.TEXT), Text.of(["a:b |c", None]))
    with pytest.warns(DataWarning, match="become _ in names and levels, such as 'my age'"):
        write(table, tmp_path / "a.vw")
    assert (tmp_path / "a.vw").read_text() == "2.5 2 | my_age:1.5 sky=sun_rain |note a b c\n|\n"


def test_names_that_would_be_one_are_refused(tmp_path):
    with pytest.raises(DataError, match="two columns would be called 'my_age'"):
        write(Table.of({"my age": [1.5], "my_age": [2.0], "y": [2.5]}, "y"), tmp_path / "a.vw")


def test_convert_writes_vw(tmp_path):
    (tmp_path / "a.csv").write_text("age,play\n3,yes\n4,no\n")
    assert run("convert", str(tmp_path / "a.csv"), str(tmp_path / "a.vw"), "--target", "play").status == 0
    assert (tmp_path / "a.vw").read_text() == "yes | age:3\nno | age:4\n"


def test_what_cannot_be_a_label_is_told(tmp_path):
    with pytest.raises(DataError, match="the class 'not now' cannot be a label"):
        write(Table.of({"x": [1.0], "y": ["not now"]}, "y"), tmp_path / "a.vw")
    assert not (tmp_path / "a.vw").exists()
