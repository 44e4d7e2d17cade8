"""Bags of rows by an identifier: from tables, frames, arrays and files, and new rows for a model of bags."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.data.bags.align import align
from hedgerow.data.bags.bags import bags
from hedgerow.data.bags.lists import parse_bags
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import DataError, DataWarning, UsageError

FLAT = Table.of(
    {
        "key": ["b", "a", "b", "c", "a"],
        "x": [1, 2, None, 4, 5],
        "color": ["red", None, "blue", "red", "red"],
        "door": ["shut", "open", "shut", "open", "open"],
    },
    target="door",
)


def inside(table, name="instances"):
    """Return the numbers in each bag."""
    return [bag["x"].tolist() for bag in table[name]]


# -- making bags --------------------------------------------------------------------------------------------------


def test_bags_stand_in_the_order_of_their_first_row_and_keep_the_order_of_their_rows():
    table = bags(FLAT, by="key")
    assert table.schema.names == ("key", "instances", "door")
    assert table.schema["instances"].by == "key"
    assert table.schema["instances"].inner.names == ("x", "color")
    assert table.schema["key"].ignored
    np.testing.assert_array_equal(inside(table)[0], [1, np.nan])
    assert inside(table)[1:] == [[2, 5], [4]]
    assert table.target_codes.tolist() == [0, 1, 1]
    assert table.schema.target == "door"


@pytest.mark.parametrize("kind", ["numbers", "texts", "fractions"])
def test_any_kind_of_identifier(kind):
    ids = {"numbers": [7, 3, 7, 12, 3], "fractions": [0.5, 0.25, 0.5, 8, 0.25]}.get(kind)
    if ids is None:
        values = Text.of(["ü b", "a", "ü b", "茶", "a"])
        flat = FLAT.with_column(Column("key", Kind.TEXT), values)
    else:
        flat = FLAT.with_column(Column("key", Kind.NUMERIC), np.array(ids, dtype=float))
    assert [len(bag) for bag in bags(flat, by="key")["instances"]] == [2, 2, 1]


def test_a_row_may_lack_the_class_that_others_of_its_bag_have():
    lacking = FLAT.with_column(FLAT.schema["door"], np.array([-1, -1, 0, -1, 1], dtype=np.int32))
    assert bags(lacking, by="key").target_codes.tolist() == [0, 1, -1]


def test_columns_beside_the_bags():
    flat = FLAT.with_column(Column("size", Kind.NUMERIC), np.array([3.0, 1, 3, np.nan, 1]))
    table = bags(flat, by="key", beside=["size"])
    assert table.schema.names == ("key", "size", "instances", "door")
    np.testing.assert_array_equal(table["size"], [3, 1, np.nan])
    with pytest.raises(DataError, match=r"rows of bag 'b' disagree on 'color': 'red' and 'blue' \(row 3\)"):
        bags(flat, by="key", beside=["color"])


def test_weights_are_those_of_the_bags():
    assert bags(FLAT.with_weights(np.array([2.0, 1, 2, 5, 1])), by="key").weights.tolist() == [2, 1, 5]
    with pytest.raises(DataError, match="row 3 and bag 'b' have different weights"):
        bags(FLAT.with_weights(np.array([2.0, 1, 3, 5, 1])), by="key")


def test_one_row_is_enough_for_the_positive_class():
    mixed = FLAT.with_column(FLAT.schema["door"], np.array([0, 0, 1, 0, 0], dtype=np.int32))
    with pytest.raises(DataError, match=r"bag 'b' disagree on 'door': 'shut' and 'open' .*positive="):
        bags(mixed, by="key")
    assert bags(mixed, by="key", positive="open").target_codes.tolist() == [1, 0, 0]
    with pytest.raises(UsageError, match=r"no class 'opn' .* the classes are 'shut', 'open'"):
        bags(mixed, by="key", positive="opn")


def test_a_third_class_must_still_agree():
    flat = Table.of({"key": [1, 1, 2, 2], "x": [1, 2, 3, 4], "c": ["a", "b", "p", "a"]}, target="c")
    with pytest.raises(DataError, match="bag '1' disagree on 'c': 'a' and 'b'"):
        bags(flat, by="key", positive="p")


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda: bags(FLAT, by="kay"), DataError, "no column 'kay' to identify the bags; the columns are 'key'"),
        (lambda: bags(FLAT, by="door"), UsageError, "'door' is the target"),
        (lambda: bags(FLAT, by="key", beside=["key"]), UsageError, "so it is always kept beside them"),
        (lambda: bags(FLAT, by="key", beside=["size"]), DataError, "no column 'size'"),
        (
            lambda: bags(FLAT, by="color"),
            DataError,
            r"column 'color', row 2: the value is missing; every row must name",
        ),
        (lambda: bags(bags(FLAT, by="key"), by="instances"), DataError, "which is not an identifier of bags"),
    ],
)
def test_what_makes_no_bags_is_a_sentence(call, error, told):
    with pytest.raises(error, match=told):
        call()


def test_names_that_are_taken():
    flat = Table.of({"instances": [1, 1, 2], "x": [1, 2, 3], "c": ["a", "a", "b"]}, target="c")
    table = bags(flat, by="instances")
    assert table.schema.names == ("instances", "instances_", "c")


def test_no_rows_make_no_bags():
    assert bags(FLAT.slice(0, 0), by="key").n_rows == 0


# -- frames, lists and files --------------------------------------------------------------------------------------

COLUMNS = {"key": ["b", "a", "b"], "x": [1.0, 2.0, 3.0], "door": ["shut", "open", "shut"]}


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=type)
def test_frames(frame):
    table = bags(frame, by="key", target="door")
    assert inside(table) == [[1, 3], [2]]
    with pytest.warns(DataWarning, match="3 rows are grouped into 2 bags of 1 to 2 by 'key'"):
        read = hedgerow.read(frame, target="door", bag="key")
    assert inside(read) == [[1, 3], [2]]


def test_columns_of_lists_are_bags_already():
    frame = pa.table({"parts": [[{"x": 1.0}, {"x": 2.0}], [], None, [{"x": 5.0}]], "c": ["a", "b", "b", "a"]})
    with pytest.warns(
        DataWarning, match="2 bags hold no instances and contribute nothing|all rows have the same class"
    ):
        model = hedgerow.BagVote().fit(frame, "c").model_
    assert model.schema["parts"].kind is Kind.BAG
    assert model.predict(frame).tolist() == ["a", "a", "a", "a"]


def test_lists_of_arrays():
    random = np.random.default_rng(0)
    X = [random.normal(2 * (i % 2), 0.3, (i % 4 + 1, 3)) for i in range(20)]
    y = np.arange(20) % 2
    for learner in (hedgerow.BagVote(), hedgerow.BagSummary()):
        fitted = learner.fit(X, y)
        assert (fitted.predict(X) == y).all()
        assert fitted.model_.schema["instances"].inner.names == ("x0", "x1", "x2")
        assert (fitted.model_.predict(X) == y.astype(str)).all()
        assert fitted.predict([None, *X[1:]]).shape == (20,)
    cube = np.stack([random.normal(2 * (i % 2), 0.3, (2, 3)) for i in range(8)])
    assert (hedgerow.BagVote(total="instances").fit(cube, y[:8]).predict(cube) == y[:8]).all()
    with pytest.raises(DataError, match="between 3 and 4 columns"):
        fitted.predict([X[0], np.zeros((2, 4))])
    with pytest.raises(DataError, match="no bag holds an instance"):
        fitted.fit([np.zeros((0, 3)), None], [0, 1])
    assert parse_bags([[1, 2], [3, 4]]) is None
    assert parse_bags(np.zeros((3, 2))) is None


@pytest.fixture
def flat_file(tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text("key,x,color,door\nb,1,red,shut\na,2,,open\nb,,blue,shut\nc,4,red,open\na,5,red,open\n")
    return path


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_files(flat_file):
    table = hedgerow.read(flat_file, bag="key")
    assert inside(table)[1:] == [[2, 5], [4]]
    source = hedgerow.open_source(flat_file, bag="key")
    assert source.schema == table.schema
    assert [batch.n_rows for batch in source.batches(2)] == [2, 1]
    with pytest.raises(DataError, match="no column 'kay' to identify the bags"):
        hedgerow.read(flat_file, bag="kay")
    with pytest.raises(UsageError, match="also name bag="):
        hedgerow.read(flat_file, positive="open")
    assert hedgerow.read(flat_file, bag="key", positive="open").n_rows == 3


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("suffix", ["arff", "parquet", "feather"])
def test_bags_are_written_and_read_back(flat_file, tmp_path, suffix):
    table = hedgerow.read(flat_file, bag="key")
    hedgerow.write(table, tmp_path / f"bags.{suffix}")
    again = hedgerow.read(tmp_path / f"bags.{suffix}", target="door")
    np.testing.assert_array_equal(inside(again)[0], inside(table)[0])
    assert inside(again)[1:] == inside(table)[1:]


# -- new rows for a model -----------------------------------------------------------------------------------------


def test_flat_rows_are_put_into_bags_by_the_column_that_told_them():
    schema = bags(FLAT, by="key").select(["instances", "door"]).schema
    aligned = align(FLAT, schema)
    assert [len(bag) for bag in aligned.table["instances"]] == [2, 2, 1]
    assert aligned.table.target_codes.tolist() == [0, 1, 1]
    without = align(FLAT.with_target(None).select(["key", "x", "color"]), schema)
    assert without.table.n_rows == 3
    with pytest.raises(DataError, match="lack the column 'key', which names the bag of each row"):
        align(FLAT.select(["x", "color", "door"]), schema)
    with pytest.raises(DataError, match="needs: 'color'"):
        align(FLAT.select(["key", "x", "door"]), schema)


def test_bags_of_another_name_are_taken():
    table = bags(FLAT, by="key").select(["instances", "door"])
    other = {"instances": Column("parts", Kind.BAG, inner=table.schema["instances"].inner)}
    renamed = table.with_schema(table.schema.with_columns(other))
    assert [len(bag) for bag in align(renamed, table.schema).table["instances"]] == [2, 2, 1]


def test_unseen_levels_inside_bags_are_missing_and_told():
    table = bags(FLAT, by="key")
    strange = FLAT.with_column(Column("color", Kind.NOMINAL, ("violet", "red")), np.array([0, 1, 0, 1, -1], np.int32))
    aligned = align(bags(strange, by="key"), table.schema)
    assert aligned.unseen == {"color": ("violet",)}
    assert aligned.table["instances"][0]["color"].tolist() == [-1, -1]


def test_the_schema_keeps_what_told_the_bags():
    schema = bags(FLAT, by="key").schema
    assert Schema.from_dict(schema.to_dict()) == schema
    with pytest.raises(DataError, match="only bags are made of rows"):
        Column.from_dict({"name": "x", "kind": "numeric", "by": "key"})
    with pytest.raises(DataError, match="only bags are made of rows"):
        Column.from_dict({**schema["instances"].to_dict(), "by": 3})
