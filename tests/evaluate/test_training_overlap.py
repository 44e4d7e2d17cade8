"""Rows that a model was trained on are recognized, and new rows never are, even where rows repeat."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow import Majority, Mean, OneR, Table, cross_validate, evaluation_report, examples
from hedgerow.data.read import read
from hedgerow.evaluate.results import MIXED, SEPARATE, TRAINING
from hedgerow.evaluate.training_overlap import TrainingOverlap
from tests.evaluate.toys import blobs

ALL = "About 100 % of these rows were trained on: these figures are not evidence."
HALF = "About 50 % of these rows were trained on: these figures are not evidence."


def rows_of(n, levels, seed=1):
    """Return a table of random rows; the fewer levels, the more of them are equal."""
    random = np.random.default_rng(seed)
    columns = {name: [f"v{code}" for code in random.integers(levels, size=n)] for name in "abc"}
    return Table.of({**columns, "y": [f"c{code}" for code in random.integers(2, size=n)]}, "y")


def level_column(table):
    """Return the column `n` of a table as levels."""
    other = Table.of({"n": ["1", "2", "2", "3"] * (len(table) // 4)})
    return other.schema["n"], other["n"]


def overlap(train, test):
    return hedgerow.test(Majority().train(train), test).overlap


@given(st.integers(1, 60), st.sampled_from([1, 2, 5, 50]), st.randoms(use_true_random=False))
def test_the_same_rows_in_any_order_are_recognized(n, levels, random):
    table = rows_of(n, levels)
    order = list(range(n))
    random.shuffle(order)
    found = overlap(table, table.take(np.array(order)))
    assert (found.is_same, found.is_trained, found.trained_share, found.headline) == (True, True, 1.0, ALL)
    assert (found.rows, found.equal, found.notes) == (n, n, ())


@given(st.integers(2, 400), st.sampled_from([1, 2, 3, 5, 10, 100]), st.integers(0, 10**6), st.floats(0.1, 0.9))
def test_a_part_that_was_held_out_is_not(n, levels, seed, share):
    table, cut = rows_of(n, levels, seed), max(1, min(n - 1, round(share * n)))
    found = overlap(table.slice(0, cut), table.slice(cut, n))
    assert found.is_same or not found.is_trained


@given(st.integers(80, 400), st.integers(0, 10**6))
def test_half_the_rows_are_recognized_where_rows_seldom_repeat(n, seed):
    table, half = rows_of(2 * n, 1000, seed), n // 2
    found = overlap(table.slice(0, n), table.slice(half, half + n))
    assert found.is_trained
    assert found.trained_share == pytest.approx(0.5, abs=0.02)


def test_methods_and_reports_tell_it():
    table = blobs(2, 50)
    model = OneR().train(table.slice(0, 60))
    for rows, method, headline in (
        (range(60), TRAINING, ALL),
        (range(40), TRAINING, ALL),
        (range(30, 90), MIXED, HALF),
    ):
        results = hedgerow.test(model, table.take(np.array(rows)))
        assert (results.method, results.overlap.headline) == (method, headline)
        report = evaluation_report(results)
        assert report["trained_on"]["headline"] == headline
        assert report["trained_on"]["rows"] == len(rows)
        assert hedgerow.render(report).split("\n")[1] == headline
    results = hedgerow.test(model, table.slice(60, 100))
    report = evaluation_report(results)
    assert (results.method, report["trained_on"]["headline"]) == (SEPARATE, "")
    assert "trained on:" not in hedgerow.render(report)
    assert evaluation_report(cross_validate(OneR(), table))["trained_on"] is None


def test_equal_rows_that_coincidence_explains_are_a_note():
    table = rows_of(600, 3)
    found = overlap(table.slice(0, 400), table.slice(400, 600))
    assert (found.equal_share, found.repeated, found.headline) == (1.0, 1.0, "")
    assert found.notes == (
        "100 % of these rows are equal to training rows (of the training rows themselves, 100 % are equal to others)",
    )
    one = overlap(blobs(2, 20), blobs(2, 20).slice(3, 4))
    assert one.notes == ("100 % of these rows are equal to training rows",)
    assert hedgerow.test(Majority().train(table.slice(0, 400)), table.slice(400, 600)).notes == found.notes


def test_another_class_is_another_row():
    table = rows_of(200, 1000)
    codes = 1 - table.target_codes
    other = table.with_column(table.schema.target_column, codes.astype(np.int32))
    assert overlap(table, other).equal == 0
    labels = replace(table.schema.target_column, levels=("c7", "c8"))
    assert overlap(table, table.with_column(labels, table.target_codes)).equal == 0


def test_neither_columns_nor_levels_nor_kinds_need_be_in_their_place():
    table = Table.of({"n": [1, 2, 2, 3] * 9, "x": [0.1 * place for place in range(36)], "y": ["a", "b", "c"] * 12}, "y")
    model = Majority().train(table)
    words = {"y": ["a", "b", "c"] * 12, "x": [repr(0.1 * place) for place in range(36)], "n": ["1", "2", "2", "3"] * 9}
    assert hedgerow.test(model, Table.of({**words, "more": [1] * 36}, "y", {"y": ("c", "a", "b")})).overlap.is_same
    by_level = Majority().train(table.with_column(*level_column(table)))
    assert hedgerow.test(by_level, table).overlap.is_same


def test_numbers_texts_and_bags():
    numbers = Table.of({"x": [1.5, None, 3, 3], "y": [1, 2, 3, 4]}, "y")
    assert hedgerow.test(Mean().train(numbers), numbers.take(np.array([3, 1, 0, 2]))).overlap.is_same
    assert hedgerow.test(Mean().train(numbers), Table.of({"x": [1.5, 3.0], "y": [2, 1]}, "y")).overlap.equal == 0
    rows = {"id": ["a", "a", "b", "b", "c"], "x": [1, 2, 5, 4, 3], "y": ["u", "u", "v", "v", "u"]}
    bags = hedgerow.bags(Table.of(rows, "y"), "id")
    model = hedgerow.BagVote(base=Majority()).train(bags)
    assert hedgerow.test(model, bags.take(np.array([2, 0, 1]))).overlap.is_same
    assert hedgerow.test(model, bags.take(np.array([2, 0]))).overlap.equal == 2


def test_weights_that_are_whole_are_numbers_of_rows():
    distinct = Table.of({"x": ["a", "b", "c", "d"], "y": ["u", "u", "v", "v"]}, "y", weights=[30, 20, 10, 40])
    rows = distinct.take(np.repeat(np.arange(4), [6, 3, 2, 8])).with_weights(None)
    found = overlap(distinct, rows)
    assert (found.repeated, found.equal_share, found.is_trained) == (1.0, 1.0, False)
    assert overlap(distinct, distinct.take(np.repeat(np.arange(4), [30, 20, 10, 40])).with_weights(None)).is_same


def test_rows_without_a_class_or_without_a_sketch_are_not_compared():
    table = blobs(2, 10)
    model = OneR().train(table)
    unknown = model.replace_about(replace(model.about, sketch=None))
    results = hedgerow.test(unknown, table)
    assert (results.overlap, results.method) == (None, SEPARATE)
    codes = table.target_codes.copy()
    codes[::2] = -1
    assert hedgerow.test(model, table.with_column(table.schema.target_column, codes)).overlap.rows == 10


def test_a_large_table_is_sampled():
    random = np.random.default_rng(1)
    table = Table.of({"x": random.random(60_000), "y": random.integers(2, size=60_000).astype(str).tolist()}, "y")
    model = Majority().train(table.slice(0, 40_000))
    found = hedgerow.test(model, table.slice(20_000, 60_000)).overlap
    assert 3000 < found.rows < 5200
    assert found.trained_share == pytest.approx(0.5, abs=0.03)
    assert hedgerow.test(model, table.slice(40_000, 60_000)).overlap.equal == 0
    assert hedgerow.test(model, table.slice(0, 40_000)).overlap.is_same
    few = [hedgerow.test(model, table.slice(row, row + 1)).overlap for row in range(40)]
    assert None in few


def test_the_likelihoods_decide():
    assert TrainingOverlap(12, 12, 0.0, 15, False).is_trained
    assert not TrainingOverlap(2, 2, 0.0, 15, False).is_trained
    assert not TrainingOverlap(100, 6, 0.03, 100, False).is_trained
    assert not TrainingOverlap(10**6, 40_000, 0.0, 10**6, False).is_trained  # sure, but less than 5 %
    assert TrainingOverlap(10**6, 60_000, 0.0, 10**6, False).is_trained
    assert not TrainingOverlap(10**6, 999_000, 0.98, 10**6, False).is_trained


@pytest.mark.parametrize(
    "name", ["uci/iris.arff", "uci/vote.arff", "uci/breast-w.arff", "textbook/titanic.tab", "text/sms_spam.tsv.gz"]
)
def test_public_data(name, shared_data):
    table = read(shared_data(name))
    table = table.with_target("column1" if "sms" in name else table.schema.target)
    order = np.random.default_rng(1).permutation(len(table))
    cut = 2 * len(table) // 3
    assert not overlap(table.take(order[:cut]), table.take(order[cut:])).is_trained
    assert overlap(table.take(order[:cut]), table.take(np.sort(order[:cut]))).headline == ALL


def test_examples_in_the_documentation_are_recognized():
    for table in (examples.loan(), examples.weather()):
        assert hedgerow.test(OneR().train(table), table).overlap.is_same
