import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from scipy import sparse

from hedgerow.data.formats.basket import basket_table
from hedgerow.data.frames.arrow import table_from_sparse
from hedgerow.data.frames.objects import table_from
from hedgerow.data.items.baskets import Baskets
from hedgerow.data.items.column_to_items import ColumnToItems
from hedgerow.data.items.items import Items
from hedgerow.data.read import read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table, Text
from hedgerow.errors import DataError, DataWarning
from tests.models.associations.associations import item_tables, weather_table
from tests.models.rules.rule_lists import MANY


def shown(items, table):
    return [items.text(row) for row in items.baskets(table)]


def test_levels_are_items_in_the_order_of_columns_and_levels():
    table = Table.of({"b": ["y", None, "x"], "a": ["y", "z", None]}, levels={"b": ["x", "y"]}, target="b")
    items = Items.of(table.schema)
    assert items.names == ("b=x", "b=y", "a=y", "a=z")
    assert items.columns == ("b", "b", "a", "a")
    assert items.groups.tolist() == [0, 0, 1, 1]
    assert shown(items, table) == ["{b=y, a=y}", "{a=z}", "{b=x}"]
    assert items.of_column("a").tolist() == [2, 3]


def test_a_row_without_values_is_an_empty_basket():
    table = Table.of({"a": ["x", None], "b": [None, None]})
    found = Items.of(table.schema).baskets(table)
    assert found.offsets.tolist() == [0, 1, 1]
    assert (found.total, found.counts.tolist()) == (2, [1, 0])


def test_rows_of_weight_0_do_not_count():
    table = Table.of({"a": ["x", "x", "y"]}, weights=[0, 2.5, 1])
    found = Items.of(table.schema).baskets(table)
    assert (found.total, found.counts.tolist()) == (3.5, [2.5, 1])


def test_sparse_columns_and_columns_of_0_and_1_are_items_by_their_name():
    matrix = sparse.csr_matrix([[0, 2.5, 1], [0, 0, -1], [0, 0, 0]])
    table = table_from_sparse(matrix, ["x y", "b", "a=1"])
    items = Items.from_table(table)
    assert items.names == ("x y", "b", '"a=1"')
    assert items.labels == ("x y", "b", "a=1")
    assert items.groups.tolist() == [-1] * 3
    assert shown(items, table) == ['{b, "a=1"}', '{"a=1"}', "{}"]
    dense = Table.of({"p": [1, 0, None], "q": [1.0, 1.0, 1.0]})
    assert shown(Items.from_table(dense), dense) == ["{p, q}", "{q}", "{q}"]


def test_a_missing_value_of_a_sparse_column_is_no_item():
    table = table_from_sparse(sparse.csr_matrix([[np.nan, 1.0]]))
    assert shown(Items.of(table.schema), table) == ["{x1}"]


def test_a_sparse_column_can_be_cut():
    table = table_from_sparse(sparse.csr_matrix([[0.0], [3.0]]), ["x"])
    assert shown(Items.of(table.schema, {"x": np.array([1.0])}), table) == ["{x<=1}", "{x>1}"]


def test_of_an_all_boolean_frame_only_true_is_an_item():
    frame = pa.table({"tea": [True, False, None], "rum": [False, True, True]})
    table = table_from(frame)
    assert shown(Items.from_table(table), table) == ["{tea}", "{rum}", "{rum}"]
    mixed = table_from(pa.table({"tea": [True, False], "place": ["here", "there"]}))
    assert shown(Items.from_table(mixed), mixed) == ["{tea=true, place=here}", "{tea=false, place=there}"]


def test_other_numbers_are_cut_and_that_is_noted():
    table = Table.of({"age": [1, 2, 3, 4, 5, 6, None], "sex": ["f", "m", "f", "m", "f", "m", "f"]})
    items = Items.from_table(table)
    assert items.names[:3] == ("age<=2.5", "2.5<age<=4.5", "age>4.5")
    assert items.notes == ("column 'age' is discretized into 3 intervals: age<=2.5, 2.5<age<=4.5, age>4.5",)
    assert shown(items, table)[3:] == ["{2.5<age<=4.5, sex=m}", "{age>4.5, sex=f}", "{age>4.5, sex=m}", "{sex=f}"]
    assert len(Items.from_table(table, bins=2, method="width").of_column("age")) == 2


def test_what_makes_no_items_is_left_out_with_a_note():
    schema = Schema(
        (
            Column("note", Kind.TEXT),
            Column("nr", Kind.NUMERIC, ignored="identifier"),
            Column("same", Kind.NUMERIC),
            Column("bag", Kind.BAG, inner=Schema((Column("x", Kind.NUMERIC),))),
            Column("a", Kind.NOMINAL, ("x",)),
        )
    )
    items = Items.of(schema, {"same": np.empty(0)})
    assert items.names == ("a=x",)
    assert items.notes == (
        "column 'note' is text, from which no items are made; it is left out",
        "column 'nr' is not used in training (identifier)",
        "column 'same' is not informative: it cannot be divided into intervals; it is left out",
        "column 'bag' is a bag of more than words, from which no items are made; it is left out",
    )
    inner = schema["bag"].inner
    bags = Bags(Table(inner, (np.empty(0),), 0), np.zeros(2, dtype=np.int64))
    row = Table(schema, (Text.of(["hi"]), np.ones(1), np.ones(1), bags, np.zeros(1, dtype=np.int32)), 1)
    assert shown(items, row) == ["{a=x}"]
    one = Table.of({"c": [5.0, 5.0]})
    assert len(Items.from_table(one)) == 0
    assert shown(Items.from_table(one), one) == ["{}", "{}"]


def test_absent_words_are_no_items():
    table = Table.of({"milk": ["yes", "no"], "beer": ["no", "yes"]})
    items = Items.of(table.schema, absent=["no", "never"])
    assert items.names == ("milk=yes", "beer=yes")
    assert shown(items, table) == ["{milk=yes}", "{beer=yes}"]
    baskets = basket_table(["a", "none", "b"], np.array([0, 2, 3]), np.array([1, 2, 0], dtype=np.int32))
    assert shown(Items.of(baskets.schema, absent=["none"]), baskets) == ["{b}", "{a}"]


def test_words_of_baskets_ascend_and_occur_once():
    table = basket_table(["tea", "a, b", "rum"], np.array([0, 4, 4, 6]), np.array([2, 0, 2, 1, 1, 1], dtype=np.int32))
    items = Items.of(table.schema)
    found = items.baskets(table)
    assert items.names == ("tea", '"a, b"', "rum")
    assert items.columns == ("", "", "")
    assert found.codes.tolist() == [0, 1, 2, 1]
    assert found.offsets.tolist() == [0, 3, 3, 4]
    assert shown(items, table) == ['{tea, "a, b", rum}', "{}", '{"a, b"}']


def test_a_bag_beside_other_columns_names_its_words():
    bag = table_from(pa.table({"who": ["x", "y"], "got": [["tea", "rum", "tea"], []]}))
    items = Items.of(bag.schema)
    assert items.names == ("who=x", "who=y", "got:tea", "got:rum")
    assert items.groups.tolist() == [0, 0, -1, -1]
    assert shown(items, bag) == ["{who=x, got:tea, got:rum}", "{who=y}"]
    alone = table_from(pa.table({"got": [["tea", "rum"], ["tea"]]}))
    assert Items.of(alone.schema).names == ("tea", "rum")


def test_an_empty_table_has_items_but_no_rows():
    table = Table.of({"a": []}, levels={"a": ["x"]})
    found = Items.of(table.schema).baskets(table)
    assert (len(found), found.total, found.counts.tolist()) == (0, 0, [0])
    nothing = Table(Schema(()), (), 3)
    assert len(Items.of(nothing.schema).baskets(nothing)) == 3


def test_columns_are_matched_by_name_and_levels_by_value():
    items = Items.of(weather_table().schema)
    other = Table.of({"Play": ["Yes", "Perhaps"], "Outlook": ["Rainy", "Sunny"], "more": ["x", "y"]})
    assert shown(items, other) == ["{Outlook=Rainy, Play=Yes}", "{Outlook=Sunny}"]
    numbers = Items.of(Table.of({"n": ["1", "2"]}).schema)
    assert shown(numbers, Table.of({"n": [2, 3, None]})) == ["{n=2}", "{}", "{}"]


def test_without_common_columns_items_are_matched_by_name():
    baskets = Items.of(basket_table(["tea", "rum"], np.array([0]), np.empty(0, dtype=np.int32)).schema)
    assert shown(baskets, Table.of({"rum": [1, 0], "tea": [1, 1], "ale": [1, 1]})) == ["{tea, rum}", "{tea}"]
    with pytest.raises(DataError, match="no item that the model knows, such as tea; their columns are 'ale'"):
        baskets.baskets(Table.of({"ale": [1]}))


def test_items_are_found_by_name_with_and_without_quotes():
    table = basket_table(["a, b", "tea"], np.array([0]), np.empty(0, dtype=np.int32))
    items = Items.of(table.schema)
    assert items.code('"a, b"') == items.code("a, b") == 0
    assert "tea" in items
    assert "rum" not in items
    with pytest.raises(DataError, match=r"there is no item 'teas'; did you mean 'tea'\?"):
        items.code("teas")
    assert items.baskets_from_names([["tea", "a, b", "rum"], []]).codes.tolist() == [0, 1]


def test_names_that_would_be_the_same_without_quotes_keep_them():
    items = Items.of(Schema((Column("a", Kind.NOMINAL, ("b",)), Column("a=b", Kind.NUMERIC))))
    assert items.names == items.labels == ("a=b", '"a=b"')


def test_items_that_cannot_be_are_refused():
    schema = Schema((Column("a", Kind.NUMERIC),))
    for ways, cuts in [
        ((), (None,)),
        ((ColumnToItems.LEVELS,), (None,)),
        ((ColumnToItems.CUTS,), (None,)),
        ((ColumnToItems.PRESENCE,), (np.array([1.0]),)),
        ((ColumnToItems.CUTS,), (np.array([2.0, 1.0]),)),
        ((ColumnToItems.CUTS,), (np.array([np.inf]),)),
        ((ColumnToItems.CUTS,), (np.empty(0),)),
    ]:
        with pytest.raises(DataError):
            Items(schema, ways, cuts)
    bag = Column("b", Kind.BAG, inner=Schema((Column("i", Kind.NOMINAL, ("x",)),)))
    with pytest.raises(DataError, match="only one bag"):
        Items(Schema((bag, schema.columns[0])), (ColumnToItems.WORDS, ColumnToItems.PRESENCE), (None, None))
    with pytest.raises(DataError, match="but not of words"):
        Items(Schema((Column("b", Kind.BAG, inner=schema),)), (ColumnToItems.WORDS,), (None,))
    with pytest.raises(DataError, match="2 weights are given for 1 rows"):
        Baskets(np.array([0, 0]), np.empty(0, dtype=np.int32), 1, np.ones(2))


def test_baskets_can_be_picked():
    table = weather_table()
    found = Items.of(table.schema).baskets(table)
    some = found.take(np.array([3, 0]))
    assert [row.tolist() for row in some] == [found[3].tolist(), found[0].tolist()]


def test_sparse_arff_and_identifiers_from_files(tmp_path):
    path = tmp_path / "t.arff"
    names = "".join(f"@attribute w{i} numeric\n" for i in range(60))
    path.write_text(f"@relation t\n{names}@data\n{{0 1, 59 2}}\n{{}}\n{{3 1}}\n")
    table = read(path, target="")
    assert shown(Items.from_table(table), table) == ["{w0, w59}", "{}", "{w3}"]
    path = tmp_path / "t.csv"
    path.write_text("id,a\n" + "".join(f"{i},x\n" for i in range(20)))
    with pytest.warns(DataWarning):
        table = read(path)
    items = Items.from_table(table)
    assert items.names == ("a=x",)
    assert "identifier" in items.notes[0]


@MANY
@given(item_tables())
def test_rows_hold_the_items_that_their_values_make(table):
    items = Items.from_table(table)
    found = items.baskets(table)
    assert len(set(items.names)) == len(items.names) == len(items.columns) == len(items)
    assert len(set(items.labels)) == len(items)
    assert [items.code(name) for name in items.names] == list(range(len(items)))
    assert found.offsets[0] == 0
    assert found.n_rows == table.n_rows
    for row in found:
        assert (np.diff(row) > 0).all()
    pieces = [items.baskets(piece) for piece in table.batches(2)]
    assert [row.tolist() for piece in pieces for row in piece] == [row.tolist() for row in found]
    view = items.baskets(table.view(np.arange(table.n_rows)[::-1]))
    assert [row.tolist() for row in view][::-1] == [row.tolist() for row in found]
    copy = Table(Schema(table.schema.columns), table.data, table.n_rows)  # matched by name, not known
    assert [row.tolist() for row in items.baskets(copy)] == [row.tolist() for row in found]


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_pieces_make_no_difference(monkeypatch, chunk):
    chance = np.random.default_rng(chunk)
    sizes = chance.integers(0, 9, 40)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    codes = chance.integers(-1, 7, offsets[-1]).astype(np.int32)
    wanted = [sorted({*codes[a:b].tolist()} - {-1}) for a, b in itertools.pairwise(offsets)]
    table = weather_table()
    plain = Items.of(table.schema).baskets(table)
    monkeypatch.setattr("hedgerow.data.items.baskets._CHUNK", chunk)
    assert [row.tolist() for row in Baskets.of(offsets, codes, 7)] == wanted
    pieces = Items.of(table.schema).baskets(table)
    assert np.array_equal(pieces.codes, plain.codes)
    assert np.array_equal(pieces.offsets, plain.offsets)
    more = plain.with_pairs(np.array([0, 0]), np.array([12, 0], dtype=np.int32), 13)
    assert more[0].tolist() == sorted({*plain[0].tolist(), 0, 12})
