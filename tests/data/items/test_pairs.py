import numpy as np
import pytest

from hedgerow.data.items.items import Items
from hedgerow.data.items.pairs import pairs_to_baskets
from hedgerow.data.read import read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import DataError, UsageError


def shown(table):
    items = Items.of(table.schema)
    return [items.text(row) for row in items.baskets(table)]


def test_rows_of_one_id_make_a_basket_in_the_order_of_first_appearance():
    table = Table.of({"bill": [7, 2, 7, 2, 7], "article": ["tea", "rum", "milk", "tea", "tea"], "n": [1, 1, 1, 1, 9]})
    made = pairs_to_baskets(table, "bill", "article")
    assert shown(made) == ["{tea, milk}", "{tea, rum}"]
    assert made.schema.names == ("items",)


def test_ids_and_items_may_be_words_texts_or_numbers():
    words = Table.of({"id": ["b", "a", "b"], "item": [3.5, 10, 3]})
    assert shown(pairs_to_baskets(words, "id", "item")) == ["{3, 3.5}", "{10}"]
    texts = Table(
        Schema((Column("id", Kind.TEXT), Column("item", Kind.TEXT))), (Text.of("yxy"), Text.of(["p q", "r", None])), 3
    )
    assert shown(pairs_to_baskets(texts, "id", "item")) == ["{p q}", "{r}"]


def test_a_basket_without_items_is_kept():
    assert shown(pairs_to_baskets(Table.of({"id": [1, 2], "item": ["x", None]}), "id", "item")) == ["{x}", "{}"]
    assert shown(pairs_to_baskets(Table.of({"id": [], "item": []}), "id", "item")) == []


def test_weights_are_those_of_the_baskets():
    table = Table.of({"id": [1, 2, 1], "item": ["x", "y", "z"]}, weights=[2, 1, 2])
    assert pairs_to_baskets(table, "id", "item").weights.tolist() == [2, 1]
    with pytest.raises(DataError, match="row 3 has a different weight from its basket"):
        pairs_to_baskets(table.with_weights(np.array([2.0, 1, 1])), "id", "item")


def test_bad_pairs_are_told():
    table = Table.of({"id": [1, None], "item": ["x", "y"]})
    with pytest.raises(DataError, match="column 'id', row 2: the id is missing"):
        pairs_to_baskets(table, "id", "item")
    with pytest.raises(DataError, match=r"no column 'items'; did you mean 'item'\?"):
        pairs_to_baskets(table, "id", "items")
    with pytest.raises(UsageError, match="both the id of the basket and the item"):
        pairs_to_baskets(table, "id", "id")
    bag = pairs_to_baskets(Table.of({"id": [1], "item": ["x"]}), "id", "item")
    with pytest.raises(DataError, match="is a bag"):
        pairs_to_baskets(bag.with_column(Column("id", Kind.NUMERIC), np.ones(1)), "id", "items")


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_pairs_from_a_file(tmp_path):
    path = tmp_path / "sold.csv"
    path.write_text("bill,article\n" + "".join(f"{i // 2},{'tea' if i % 2 else 'rum, dark'!r}\n" for i in range(40)))
    path.write_text(path.read_text().replace("'", '"'))
    assert shown(pairs_to_baskets(read(path, target=""), "bill", "article")) == ['{"rum, dark", tea}'] * 20
