import numpy as np
import pytest

from hedgerow.data.frames.infer import settle_table
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError


def table():
    return Table.of(
        {
            "name": [f"k{number}" for number in range(12)],
            "person_id": [number * 3 + 1 for number in range(12)],
            "row": list(range(5, 17)),
            "square": [number**2 for number in range(12)],
            "share": [number / 7 for number in range(12)],
            "digit": [str(number % 3) for number in range(12)],
            "play": ["no", "yes"] * 6,
        }
    )


def test_identifiers_of_any_table_are_found():
    schema = settle_table(table(), ReadOptions()).schema
    assert [column.name for column in schema.columns if column.ignored] == ["name", "person_id", "row"]
    assert schema.target == "play"


def test_few_rows_make_no_identifier():
    small = settle_table(table().slice(0, 9), ReadOptions())
    assert not any(column.ignored for column in small.schema.columns)


def test_missing_values_do_not_hide_an_identifier():
    with_gap = table()
    with_gap.numbers(2)[3] = np.nan
    assert not settle_table(with_gap, ReadOptions()).schema["row"].ignored  # no longer consecutive
    with_gap.numbers(1)[3] = np.nan
    assert settle_table(with_gap, ReadOptions()).schema["person_id"].ignored == "identifier: all 11 values differ"


def test_options_decide():
    options = ReadOptions(target="square", keep=("name",), ignore=("share",))
    schema = settle_table(table(), options).schema
    assert schema.target == "square"
    assert not schema["name"].ignored
    assert schema["share"].ignored == "by request"
    assert settle_table(table(), ReadOptions(target="")).schema.target is None


def test_a_target_that_the_file_names_is_kept():
    assert settle_table(table().with_target("digit"), ReadOptions()).schema.target == "digit"


@pytest.mark.parametrize(
    "options", [{"target": "x"}, {"keep": ("x",)}, {"ignore": ("x",)}, {"kinds": {"x": Kind.TEXT}}]
)
def test_unknown_names_raise(options):
    with pytest.raises(DataError, match="there is no column 'x'"):
        settle_table(table(), ReadOptions(**options))


def test_kinds_are_changed_on_request():
    kinds = {"digit": Kind.NUMERIC, "square": Kind.NOMINAL, "name": Kind.TEXT}
    changed = settle_table(table(), ReadOptions(kinds=kinds))
    assert changed["digit"].tolist() == [0, 1, 2] * 4
    assert changed.schema["square"].levels[:3] == ("0", "1", "4")
    assert list(changed["name"])[:2] == ["k0", "k1"]
    back = settle_table(changed, ReadOptions(kinds={"name": Kind.NOMINAL}))
    assert back.schema["name"].levels == table().schema["name"].levels
    with pytest.raises(DataError, match="cannot be numeric: it holds 'no'"):
        settle_table(table(), ReadOptions(kinds={"play": Kind.NUMERIC}))
