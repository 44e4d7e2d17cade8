from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hedgerow import _kernels
from hedgerow.data.items.baskets import Baskets
from hedgerow.data.items.items import Items
from hedgerow.data.read import open_source
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError
from hedgerow.models.associations.association_rules import AssociationRules
from tests.models.associations.associations import association_rules, weather_rules, weather_table
from tests.models.rules.rule_lists import MANY
from tests.reference.recommend import rule_hits

SHOP = AssociationRules.parse(
    """
    {bread, butter} => {jam} (3 of 4, 5 of 9)
    {bread} => {butter, milk} (2 of 5, 2 of 9)
    {beer} => {"crisps, salted"}
    {} => {milk} (6 of 9, 6 of 9)
    """
)


def test_the_first_rule_speaks_for_an_item():
    found = SHOP.recommend([["bread"], ["bread", "butter"], ["milk"], [], ["beer", "unheard of"]])
    assert found.items == [["butter", "milk"], ["jam", "milk"], [], ["milk"], ["crisps, salted", "milk"]]
    assert [[each.rule for each in row] for row in found] == [[1, 1], [0, 1], [], [3], [2, 3]]
    assert found[1][0].text == "{bread, butter} => {jam}"
    assert (found[1][0].confidence, found[-1][0].item) == (0.75, "crisps, salted")
    assert np.isnan(found[4][0].confidence)
    assert (len(found), found.sizes.tolist()) == (5, [2, 2, 0, 1, 2])
    assert repr(found) == "<Recommendations: 7 items for 5 rows>"
    with pytest.raises(IndexError):
        found[5]


def test_recommendations_print_one_row_a_line():
    found = SHOP.recommend([["bread"], ["milk"], ["beer"]])
    assert str(found) == '1: butter (40 %), milk (40 %)\n2: nothing\n3: "crisps, salted", milk (66.7 %)'
    assert found.text(1) == "1: butter (40 %), milk (40 %)\n… and 2 more"
    assert str(SHOP.recommend([])) == "no rows"


def test_at_most_n_items_a_row():
    assert SHOP.recommend(["bread"], 1).items == [["butter"]]
    assert SHOP.recommend(["bread"], n=np.int64(5)).items == [["butter", "milk"]]
    for n in (0, -1, 1.5, "2", True):
        with pytest.raises(UsageError, match="n must be a whole number of 1 or more"):
            SHOP.recommend(["bread"], n)


def test_a_row_is_recommended_no_second_value_of_a_column():
    """A row that has a value of Play needs no other; one that has none needs but one."""
    rules = weather_rules((["Outlook=Sunny"], ["Play=No"]), (["Outlook=Sunny"], ["Play=Yes", "Windy=True"]))
    table = Table.of({"Outlook": ["Sunny"] * 4, "Play": ["Yes", None, "Perhaps", "No"]})
    assert rules.recommend(table).items == [["Windy=True"], ["Play=No", "Windy=True"], ["Windy=True"], ["Windy=True"]]
    numbers = Table.of({"Outlook": ["Sunny", "Sunny"], "Play": [1.0, None]})
    assert rules.recommend(numbers).items == [["Windy=True"], ["Play=No", "Windy=True"]]


def test_rules_without_the_target_recommend_it():
    rules = weather_rules((["Outlook=Overcast"], ["Play=Yes"]), (["Humidity=High"], ["Play=No"]))
    rows = weather_table().select(["Outlook", "Humidity"])
    assert rules.recommend(rows).items[:3] == [["Play=No"], ["Play=No"], ["Play=Yes"]]
    with pytest.raises(DataError, match="no item that the model knows"):
        rules.recommend(Table.of({"x": [1]}))


def test_all_that_holds_rows_is_taken(tmp_path):
    pandas = pytest.importorskip("pandas")
    wanted = [["butter", "milk"], ["crisps, salted", "milk"]]
    frame = pandas.DataFrame({"bread": [True, False], "beer": [False, True]})
    path = tmp_path / "b.dat"
    path.write_text("bread\nbeer\n")
    items = SHOP.items
    given_rows = [
        [["bread"], ["beer"]],
        [{"bread"}, ("beer",)],
        frame,
        frame.astype(int),
        Table.of({"bread": [1, 0], "beer": [0, 1]}),
        path,
        str(path),
        open_source(path),
        items.baskets_from_names([["bread"], ["beer"]]),
    ]
    for rows in given_rows:
        assert SHOP.recommend(rows).items == wanted
    matrix = AssociationRules.parse("{x0} => {x1}").recommend(sparse.csr_matrix([[1, 0], [0, 1]]))
    assert matrix.items == [["x1"], []]
    with pytest.raises(UsageError, match="the baskets have 2 items"):
        SHOP.recommend(Baskets(np.array([0]), np.empty(0, dtype=np.int32), 2))
    with pytest.raises(DataError):
        SHOP.recommend({"bread": 1})


def test_arrow_has_one_line_an_item():
    table = SHOP.recommend([["bread"], [], ["beer"]], 1).to_arrow()
    assert table.column_names == [
        "row", "item", "rule", "antecedent", "consequent", "confidence", "lift", "support", "count",
    ]  # fmt: skip
    assert table["row"].to_pylist() == [0, 1, 2]
    assert table["item"].to_pylist() == ["butter", "milk", "crisps, salted"]
    assert table["antecedent"].to_pylist() == [["bread"], [], ["beer"]]
    assert table["rule"].to_pylist() == [1, 3, 2]
    assert SHOP.recommend([]).to_arrow().num_rows == 0


def test_no_rules_recommend_nothing():
    assert SHOP.take(np.zeros(4, dtype=bool)).recommend([["bread"]]).items == [[]]


@MANY
@given(association_rules(), st.integers(1, 3))
def test_recommendations_are_those_of_the_plain_twin(made, most):
    rules, table = made
    baskets = rules.items.baskets(table)
    found = rules.recommend(table, most)
    wanted = rule_hits(
        [row.tolist() for row in baskets], list(rules.iterate_sides()), rules.items.groups.tolist(), most
    )
    told = [
        list(zip(found.codes[a:b].tolist(), found.speakers[a:b].tolist(), strict=True))
        for a, b in pairwise(found.offsets.tolist())
    ]
    assert told == wanted


def test_threads_make_no_difference():
    chance = np.random.default_rng(1)
    n_items, n_rows = 60, 5000
    sizes = chance.integers(0, 15, n_rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    baskets = Baskets.of(offsets, chance.integers(0, n_items, offsets[-1]).astype(np.int32), n_items)
    sets = [chance.choice(n_items, chance.integers(0, 4), replace=False) for _ in range(300)]
    set_offsets = np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64)
    set_codes = np.concatenate([np.sort(one) for one in sets]).astype(np.int32)
    left, right = (chance.integers(0, 300, 500).astype(np.int32) for _ in range(2))
    groups = np.where(np.arange(n_items) < 20, np.arange(n_items) // 4, -1).astype(np.int32)
    parts = (baskets.offsets, baskets.codes, set_offsets, set_codes, left, right, groups, 5)
    one, three = _kernels.recommend_items(*parts, 1), _kernels.recommend_items(*parts, 3)
    assert all(np.array_equal(a, b) for a, b in zip(one, three, strict=True))
    rules = [(sets[a].tolist(), sets[b].tolist()) for a, b in zip(left, right, strict=True)]
    some = [row.tolist() for row in baskets.take(np.arange(200))]
    wanted = rule_hits(some, rules, groups.tolist(), 5)
    pairs = list(zip(one[1].tolist(), one[2].tolist(), strict=True))
    assert [pairs[a:b] for a, b in pairwise(one[0][:201].tolist())] == wanted


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": np.array([0, 3])},
        {"offsets": np.array([1, 0])},
        {"offsets": np.empty(0, dtype=np.int64)},
        {"codes": np.array([2], dtype=np.int32)},
        {"codes": np.array([-1], dtype=np.int32)},
        {"set_codes": np.array([5], dtype=np.int32)},
        {"left": np.array([1], dtype=np.int32)},
        {"right": np.array([-1], dtype=np.int32)},
        {"right": np.empty(0, dtype=np.int32)},
    ],
)
def test_the_kernel_checks_what_it_is_given(change):
    right = {
        "offsets": np.array([0, 1]),
        "codes": np.array([0], dtype=np.int32),
        "set_offsets": np.array([0, 1]),
        "set_codes": np.array([1], dtype=np.int32),
        "left": np.array([0], dtype=np.int32),
        "right": np.array([0], dtype=np.int32),
        "group": np.array([-1, -1], dtype=np.int32),
    }
    _kernels.recommend_items(**right, most=1, threads=1)
    with pytest.raises(ValueError, match=r".+"):
        _kernels.recommend_items(**right | change, most=1, threads=1)
    with pytest.raises(TypeError):
        _kernels.recommend_items(**right | {"codes": np.array([0])}, most=1, threads=1)


def test_items_and_labels_of_one_table_serve_another():
    items = Items.of(weather_table().schema)
    assert items.unknown_levels(weather_table())[0].tolist() == []
    rows, columns = items.unknown_levels(Table.of({"Windy": ["False", "Maybe", None]}))
    assert (rows.tolist(), columns.tolist()) == ([1], [3])
