"""Category utility: the worked examples, missing values, weights, and a reference implementation by fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import DataError, Table
from hedgerow.models.clusters.category_utility import category_utility
from tests import textbook


def weather():
    table = textbook.weather()
    return table.with_target(None).select(table.schema.names[:4]), table.target_codes


def test_partitions_of_the_weather_data():
    """G105."""
    table, play = weather()
    by_column = [category_utility(table, table.codes(at)) for at in range(4)]
    assert by_column == pytest.approx([247 / 980, 565 / 1764, 31 / 98, 299 / 1176], abs=1e-12)
    assert category_utility(table, play) == pytest.approx(493 / 4410, abs=1e-12)


def test_one_cluster_and_all_rows_apart():
    """G105 and X20: the numerator of all apart is the number of columns minus the double sum."""
    table, _ = weather()
    assert category_utility(table, np.zeros(14, dtype=int)) == pytest.approx(0, abs=1e-15)
    assert category_utility(table, np.arange(14)) == pytest.approx((4 - 83 / 49) / 14, abs=1e-12)


def test_numbers_with_both_divisors():
    """G107."""
    table, clusters = Table.of({"x": [1, 2, 3, 11, 12, 13]}), [0, 0, 0, 1, 1, 1]
    how = {"acuity": 0.01, "scale": "none"}
    assert category_utility(table, clusters, **how) == pytest.approx(0.144906, abs=5e-7)
    assert category_utility(table, clusters, divisor="n-1", **how) == pytest.approx(0.115632, abs=5e-7)


def test_acuity_is_the_least_deviation():
    table = Table.of({"x": [1, 2, 3, 11, 12, 13]})
    one = category_utility(table, [0, 0, 0, 1, 1, 1], scale="none")  # 1, above the 0.816 of the clusters
    assert one == pytest.approx((1 - 1 / np.std([1, 2, 3, 11, 12, 13])) * 0.28209479 / 2)


def plain(columns, clusters, weights):
    """By definition, in fractions: columns count by the share of the rows where they are known."""
    total, names = sum(weights), sorted(set(clusters))
    gain = Fraction(0)
    for values in columns:
        known = [row for row, value in enumerate(values) if value is not None]

        def squares(rows, values=values):
            weight = sum(weights[row] for row in rows)
            of = {v: sum(weights[row] for row in rows if values[row] == v) for v in {values[row] for row in rows}}
            return sum(Fraction(n) ** 2 for n in of.values()) / weight if weight else Fraction(0)

        gain += sum(squares([row for row in known if clusters[row] == name]) for name in names) - squares(known)
    return float(gain / (len(names) * total))


@given(st.data())
def test_levels_as_by_definition(data):
    n = data.draw(st.integers(1, 15))
    columns = data.draw(
        st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n), min_size=1, max_size=3)
    )
    clusters = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    named = {f"c{at}": column for at, column in enumerate(columns)}
    table = Table.of(named, levels=dict.fromkeys(named, "abc"), weights=weights)
    assert category_utility(table, clusters) == pytest.approx(plain(columns, clusters, weights), abs=1e-12)


def test_weights_are_repeated_rows():
    table = Table.of({"x": [1.0, 4, 2, 9], "c": ["a", "b", "a", "b"]}, weights=[1, 2, 1, 3])
    rows = np.array([0, 1, 1, 2, 3, 3, 3])
    clusters = np.array([0, 1, 0, 1])
    assert category_utility(table, clusters) == pytest.approx(
        category_utility(table.with_weights(None).take(rows), clusters[rows])
    )


def test_very_many_cells_are_counted_the_same(monkeypatch):
    table, play = weather()
    usual = category_utility(table, play)
    monkeypatch.setattr("hedgerow.models.clusters.category_utility.MOST_CELLS", 0)
    assert category_utility(table, play) == pytest.approx(usual)


def test_rows_without_a_cluster_are_left_out():
    table, play = weather()
    some = np.where(np.arange(14) < 10, play, -1)
    assert category_utility(table, some) == pytest.approx(category_utility(table.take(np.arange(10)), play[:10]))
    assert category_utility(table, np.full(14, -1)) == 0


def test_wrong_clusters_are_told():
    table, _ = weather()
    with pytest.raises(DataError, match="14 whole numbers"):
        category_utility(table, [0, 1])
    with pytest.raises(DataError, match="14 whole numbers"):
        category_utility(table, np.zeros(14))
