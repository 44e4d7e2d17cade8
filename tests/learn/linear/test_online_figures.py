"""The results stored in an online model: progressive validation, shared slots, sorted rows; model files."""

import numpy as np
import pytest

from hedgerow import OnlineLinear, OnlineLinearRegressor, Table
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.errors import ModelError
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.learn.linear.online.to_model import shared
from hedgerow.models.base.checked_parts import restore_sparse, sparsify
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.linear.progressive_validation import ProgressiveFigures
from tests.learn.linear.test_online_linear import mixed_table, numbers_table


def test_the_print_has_progressive_validation():
    model = OnlineLinear(passes=1).train(mixed_table(300))
    wrong = OnlineLinear(passes=1).fit(mixed_table(300)).progress_[-1].overall
    assert abs(model.figures.wrong - wrong) < 0.1
    assert f"{model.figures.wrong:.4g} of 300 rows incorrect, each predicted before training on it" in str(model)
    assert "passes" not in str(model)
    assert loads(dumps(model), "it").figures == model.figures
    numbers = OnlineLinearRegressor(passes=2).train(numbers_table(100))
    assert "progressive validation: mean squared loss" in str(numbers)
    assert "over 100 rows, each predicted before training on it (passes: 2)" in str(numbers)
    assert numbers.figures.wrong is None
    assert loads(dumps(numbers), "it").figures == numbers.figures


def test_only_the_first_pass_validates():
    table = mixed_table(300)
    once, often = (OnlineLinear(passes=passes).train(table).figures for passes in (1, 10))
    assert (once.rows, once.wrong, once.loss) == (often.rows, often.wrong, often.loss)
    assert (once.learned, often.learned) == (300, 3000)


def test_figures_go_on_with_partial_fit_and_weights():
    table = mixed_table(200)
    learner = OnlineLinear()
    learner.partial_fit(table.slice(0, 100))
    learner.partial_fit(table.slice(100, 200).with_weights(np.full(100, 2.0)))
    figures = learner.model_.figures
    assert (figures.rows, figures.weight, figures.learned) == (200, 300.0, 200)
    assert "of 200 rows of weight 300 incorrect" in str(learner.model_)
    empty = OnlineState(table.schema).model()
    assert str(empty).endswith("no rows were processed")


def test_figures_that_are_not_possible_are_refused():
    good = ProgressiveFigures(3, 3.0, 0.5, 1.0, "logistic", 6).to_dict()
    assert ProgressiveFigures.from_dict(good).passes == 2
    for change in ({"rows": -1}, {"rows": 7}, {"rows": True}, {"wrong": 1.5}, {"loss": -1.0}, {"losses": "x"},
                   {"losses": 3}, {"weight": "a"}, {"learned": 1 << 63}, {"more": 1}):  # fmt: skip
        with pytest.raises(ModelError):
            ProgressiveFigures.from_dict({**good, **change})


# -- files ----------------------------------------------------------------------------------------------------


def test_files_keep_only_what_is_not_zero():
    table = mixed_table(300, 20)
    model = OnlineLinear().train(table)
    data = dumps(model)
    assert model.slopes.size > 20 << 18
    assert len(data) < 100_000
    again = loads(data, "it")
    assert np.array_equal(again.slopes, model.slopes)
    assert dumps(again) == data
    assert str(again) == str(model)
    one = OnlineLinearRegressor().train(_texts(["a b", "c", "a"], [1.0, 2.0, 3.0]))
    assert np.array_equal(loads(dumps(one), "it").slopes, one.slopes)


def test_thin_numbers_are_checked():
    numbers = np.zeros((3, 1000))
    numbers[1, 7], numbers[2, 999] = 2.5, -1.0
    thin = sparsify(numbers)
    assert thin["at"].tolist() == [1007, 2999]
    assert np.array_equal(restore_sparse({"it": thin}, "it", 3, 1000), numbers)
    assert sparsify(np.ones(2000)).shape == (2000,)
    assert sparsify(np.zeros(10)).shape == (10,)
    at, values = thin["at"], thin["values"]
    bad = [
        {"at": at[::-1].copy(), "values": values},
        {"at": at, "values": values[:1]},
        {"at": at + 3000, "values": values},
        {"at": at - 3000, "values": values},
        {"at": np.array([7, 7]), "values": values},
        {"at": at, "values": np.array([0.0, 1.0])},
        {"at": at, "values": np.array([np.nan, 1.0])},
        {"at": at.astype(np.int32), "values": values},
        {"at": at},
        {"at": at, "values": values, "more": 1},
        {"at": [1], "values": values},
    ]
    for parts in bad:
        with pytest.raises(ModelError):
            restore_sparse({"it": parts}, "it", 3, 1000)
    with pytest.raises(ModelError, match="more than"):
        restore_sparse({"it": thin}, "it", 1 << 20, 1 << 20)  # nothing so large is made


def test_empty_slots_are_not_counted_in_print():
    model = OnlineLinear().train(mixed_table(300, 2))
    assert "smaller" not in str(model)  # 8 words, 20 are shown
    assert "#" in str(model)
    words = [f"w{i}" for i in range(50)]
    table = _texts([" ".join(words[i : i + 5]) for i in range(46)] * 2, ["a", "b"] * 46)
    assert "... and 30 smaller coefficients of note" in str(OnlineLinear().train(table))


def _texts(texts, target):
    table = Table.of({"y": target}, "y")
    return table.with_column(Column("note", Kind.TEXT), Text.of(texts))


# -- notes ----------------------------------------------------------------------------------------------------


def test_terms_that_share_a_slot_are_told():
    words = [f"w{i}" for i in range(40)]
    table = _texts(words, ["a", "b"] * 20)  # a word a row: signed ones of a row may cancel
    model = OnlineLinear(bits=4).train(table)
    (note,) = model.about.notes
    assert "35 of 40 names share one of the 2^4 slots" in note
    assert "'note__w" in note
    state = OnlineState(table.schema, bits=4)
    state.learn(table)
    assert shared(state) == (35, 40)
    assert OnlineLinear(bits=None).train(table).about.notes == ()
    assert OnlineLinear().train(table).about.notes == ()


def test_rows_that_are_sorted_by_class_are_told():
    table = mixed_table(600)
    order = np.argsort(table.codes(table.schema.index("group")), kind="stable")
    state = OnlineState(table.schema)
    for block in table.take(order).batches(100):
        state.learn(block)
    (note,) = state.model().about.notes
    assert "the rows seem to be sorted by class: in 600 rows it changes 2 times, but about 400 times" in note
    again = OnlineState.from_dict(state.to_dict())
    assert again.model().about.notes == state.model().about.notes
    fair = OnlineState(table.schema)
    fair.learn(table)
    assert fair.model().about.notes == ()
    assert OnlineLinear().train(table.take(order)).about.notes == ()  # tables are shuffled
    assert "sorted" in OnlineLinear(shuffle=False).train(table.take(order)).about.notes[0]
    few = OnlineState(table.schema)
    few.learn(table.take(order[190:230]))
    assert few.model().about.notes == ()  # too few to tell
