"""Explanations of linear models and of models of numbers: parts add up to what is predicted."""

import numpy as np
import pytest

from hedgerow import CARTRegressor, LinearRegression, Mean, MembershipRegression, Table, UsageError, explanations
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.report.explanations.explanation import explanations_report
from hedgerow.report.whole.html import to_html


def homes():
    table = Table.of(
        {
            "rooms": [2.0, 3.0, 4.0, None, 5.0, 2.0, 3.0, 5.0],
            "place": ["city", "town", "city", "land", "town", None, "land", "city"],
            "price": [210.0, 190.0, 420.0, 170.0, 290.0, 150.0, 140.0, 510.0],
        },
        "price",
    )
    notes = ["quiet garden", "noisy street", "garden", None, "street", "quiet", "noisy", "garden view"]
    return table.with_column(Column("note", Kind.TEXT), Text.of(notes))


def classes():
    table = homes()
    return table.with_column(Column("price", Kind.NOMINAL, ("low", "high")), (table["price"] > 200).astype(np.int32))


def test_parts_add_up_to_the_number():
    table = homes()
    model = LinearRegression(alpha=1).train(table)
    for row, one in enumerate(explanations(model, table)):
        assert one.value == pytest.approx(float(model.predict(table)[row]))
        assert one.reason.total == pytest.approx(one.value, abs=1e-9)
        assert one.classes == ()
        assert one.decision == f"{one.value:.6g}"


def test_numbers_count_from_their_mean():
    table = homes()
    model = LinearRegression(alpha=1).train(table)
    (one,) = explanations(model, table, [2])
    told = one.to_dict()
    rooms = next(part for part in told["why"]["grounds"] if part["column"] == "rooms")
    assert rooms["name"] == "rooms = 4"
    assert rooms["adds"] == pytest.approx(model.slopes[0] * (4 - np.nanmean(table["rooms"])), abs=1e-4)
    assert [part["name"] for part in told["why"]["prior"]] == ["intercept, at the means"]
    assert told["value"] == one.value


def test_the_text_says_what_raises_and_what_lowers():
    table = homes()
    (one,) = explanations(LinearRegression(alpha=1).train(table), table, [0])
    text = str(one)
    assert text.startswith("Row 1: price = ")
    assert "; the actual value is 210 (predicted " in text
    assert "Contributions to price:" in text
    assert "supports a higher price" in text
    assert "P(" not in text
    assert "a higher price" in one._repr_html_()


def test_trees_of_numbers_tell_their_way():
    table = homes()
    (one,) = explanations(CARTRegressor(min_samples_leaf=1, max_depth=2).train(table), table, [2])
    told = one.to_dict()["why"]
    assert told["way"] == "path"
    assert "Leaf: price = " in str(one)


def test_memberships_by_trees_tell_the_way_of_the_decision():
    table = classes()
    model = MembershipRegression(base=CARTRegressor(max_depth=2, prune="none", min_samples_leaf=1)).train(table)
    one = explanations(model, table, [2])[0]
    assert f"Leaf: membership of {one.decision} = " in str(one)
    other = explanations(MembershipRegression(base="mean").train(table), table, [2])[0]
    assert "cannot split" in str(other)


def test_the_mean_cannot_tell():
    table = homes()
    (one,) = explanations(Mean().train(table), table, [0])
    assert "cannot split its prediction into contributions" in str(one)


def test_there_is_no_class_to_set_a_number_against():
    table = homes()
    with pytest.raises(UsageError, match="no class 'x' to compare with"):
        explanations(LinearRegression(alpha=1).train(table), table, against="x")


def test_memberships_add_up_and_mark_words():
    table = classes()
    model = MembershipRegression(base=LinearRegression(alpha=1)).train(table)
    for row, one in enumerate(explanations(model, table)):
        values = model.functions(table)[row]
        assert one.reason.total == pytest.approx(values.max() - values.min(), abs=1e-9)
    first = explanations(model, table, [0])[0]
    assert "in membership:" in str(first)
    assert "garden" in str(first)


def test_a_page_and_json_of_numbers():
    table = homes()
    model = LinearRegression(alpha=1).train(table)
    report = explanations_report(model, explanations(model, table, [0, 3]))
    page = to_html(report)
    assert "2 predictions of price by linear_regression" in page
    assert "too high" in page or "too low" in page
    assert "rooms missing" in page


def test_amounts_have_six_digits_of_the_largest():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1e-7, 2.1e-7, 3e-7, 3.9e-7]}, "y")
    assert "+0.0000\n" not in str(explanations(LinearRegression().train(table), table, [0])[0])
    big = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1e20, 2.1e20, 3e20, 3.9e20]}, "y")
    assert "e+20" in str(explanations(LinearRegression().train(big), big, [0])[0])


def test_a_sentence_is_explained_too():
    table = homes().select(["note", "price"])
    model = LinearRegression(alpha=1).train(table)
    assert "garden" in str(explanations(model, ["a quiet garden"])[0])
