"""Transformers give frames with levels and intervals by name, where `set_output` asks for frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow import Discretize, RuleFeatures, TextTerms, examples
from hedgerow.data.table.schema import Kind

FRAME = pd.DataFrame(
    {"age": [20.0, 30, 40, 50, None, 60], "sky": ["sun", "rain", None, "sun", "rain", "rain"]}, index=list("uvwxyz")
)
PLAY = ["no", "no", "yes", "yes", "yes", "yes"]
SKY = ["sun", "rain", None, "sun", "rain", "rain"]


def values(column):
    return [None if value is None or value != value else value for value in column.to_list()]


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_intervals_and_levels_come_by_name(form):
    learner = Discretize(method="width", bins=2).set_output(transform=form)
    made = learner.fit_transform(FRAME if form == "pandas" else pl.from_pandas(FRAME), PLAY)
    assert values(made["age"]) == ["<=40", "<=40", "<=40", ">40", None, ">40"]
    assert values(made["sky"]) == SKY
    if form == "pandas":
        assert made.index.tolist() == list("uvwxyz")
        assert made["age"].cat.categories.tolist() == ["<=40", ">40"]
        assert made["age"].cat.ordered
        assert not made["sky"].cat.ordered
    else:
        assert made["age"].dtype == pl.Enum(["<=40", ">40"])
        assert made["sky"].dtype == pl.Enum(["sun", "rain"])


def test_arrays_hold_the_numbers_of_intervals_and_levels():
    made = Discretize(method="width", bins=2).fit(FRAME, PLAY).transform(FRAME)
    assert np.array_equal(made, [[0, 0], [0, 1], [0, np.nan], [1, 0], [np.nan, 1], [1, 1]], equal_nan=True)


def test_a_frame_and_a_table_have_the_same_intervals():
    table = examples.weather()
    learner = Discretize(method="frequency", bins=3).fit(table)
    cut = learner.transform(table)
    frame = pd.DataFrame.from_arrow(table.select([n for n in table.schema.names if n != table.schema.target]))
    made = learner.set_output(transform="pandas").transform(frame)
    for name in made.columns:
        assert cut.schema[name].kind is Kind.NOMINAL
        assert made[name].cat.codes.tolist() == cut[name].tolist()
        assert made[name].cat.categories.tolist() == list(cut.schema[name].levels)


@pytest.mark.filterwarnings("ignore:no column holds text")
@pytest.mark.parametrize("form", ["pandas", "polars"])
@pytest.mark.parametrize("learner", [RuleFeatures(keep_columns=True, max_rules=3), TextTerms()], ids=repr)
def test_other_transformers_keep_levels_by_name(learner, form):
    frame = FRAME if form == "pandas" else pl.from_pandas(FRAME)
    made = learner.set_output(transform=form).fit(frame, PLAY).transform(frame)
    assert values(made["age"]) == values(FRAME["age"])
    assert values(made["sky"]) == SKY


def test_a_level_that_fit_did_not_see_is_missing():
    learner = Discretize(method="width", bins=2).set_output(transform="pandas").fit(FRAME, PLAY)
    new = pd.DataFrame({"age": [0.0, 99.0], "sky": ["fog", "rain"]})
    made = learner.transform(new)
    assert values(made["age"]) == ["<=40", ">40"]
    assert values(made["sky"]) == [None, "rain"]
