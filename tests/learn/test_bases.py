"""What the bases give to any learner: tables, frames, arrays, sparse matrices and files come in through one door."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import is_clusterer
from sklearn.exceptions import DataConversionWarning

from hedgerow import (
    Clusterer,
    DataError,
    DataWarning,
    Discretize,
    Mean,
    NaiveBayes,
    OneR,
    Regressor,
    Schema,
    UsageError,
    examples,
    open_source,
    read,
    write,
)
from hedgerow.data.table.schema import Column, Kind
from hedgerow.learn.params import integer
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.constant import Constant
from hedgerow.models.rules.rule_list import Rule, RuleList


class Halves(Clusterer):
    """A toy: rows below and above the mean of the first column."""

    def learn(self, table):
        name = table.schema.names[0]
        middle = float(np.nanmean(table[name]))
        target = Column("cluster", Kind.NOMINAL, levels=("low", "high"))
        schema = Schema((*table.schema.columns, target), "cluster")
        low = Rule((Condition(name, Operator.AT_MOST, middle),), (1.0, 0.0))
        return RuleList(schema, (low,), Rule((), (0.0, 1.0)))


class Quantile(Regressor):
    """A toy with a parameter: some percentile of the target."""

    percent: int = integer(50, "which percentile", low=0, high=100)

    def learn(self, table):
        target = table[table.schema.target]
        return Constant(table.schema, float(np.percentile(target, self.percent)))


def test_a_clusterer_finds_labels_and_predicts_new_rows():
    X = np.array([[1.0], [2.0], [10.0], [11.0]])
    found = Halves().fit(X)
    assert found.labels_.tolist() == [0, 0, 1, 1]
    assert found.predict([[0.0], [99.0]]).tolist() == [0, 1]
    assert Halves().fit_predict(pd.DataFrame(X, columns=["a"])).tolist() == [0, 0, 1, 1]
    assert is_clusterer(Halves())


def test_a_regressor_learns_and_scores():
    X, y = np.zeros((5, 1)), np.array([1.0, 2.0, 3.0, 4.0, 100.0])
    assert Quantile().fit(X, y).predict(X).tolist() == [3] * 5
    assert Mean().fit(X, y).score(X, y) == pytest.approx(0)
    assert Quantile(percent=75).get_params() == {"percent": 75}
    with pytest.raises(DataError, match="holds words"):
        Mean().fit(X, ["a"] * 5)


def frame(rows=30):
    random = np.random.default_rng(0)
    shade = random.choice(["red", "blue"], rows)
    return pd.DataFrame(
        {
            "shade": shade,
            "size": random.normal(size=rows).round(2),
            "big": random.random(rows) < 0.5,
            "y": shade == "red",
        }
    ).astype({"y": str})


@pytest.mark.parametrize(
    "convert", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_any_frame_gives_the_same_model(convert):
    whole = frame()
    expected = OneR().fit(whole, "y")
    found = OneR().fit(convert(whole), "y")
    assert str(found.model_) == str(expected.model_)
    assert (found.predict(convert(whole)) == expected.predict(whole)).all()
    assert list(found.feature_names_in_) == ["shade", "size", "big"]


def test_frames_are_matched_by_name_not_by_order():
    whole = frame()
    X, y = whole.drop(columns="y"), whole["y"]
    learner = NaiveBayes().fit(X, y)
    assert (learner.predict_proba(X[["big", "size", "shade"]]) == learner.predict_proba(X)).all()
    with pytest.warns(DataWarning, match="there is no column 'size'"):
        learner.predict(X.drop(columns="size"))


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("labels", [[0, 1], [True, False], ["no", "yes"], [1.0, 2.0]], ids=str)
def test_scores_compare_the_users_own_labels(labels):
    X = pd.DataFrame({"x": [1.0, 2.0, 10.0, 11.0]})
    whole = X.assign(y=[labels[0], labels[0], labels[1], labels[1]])
    learner = NaiveBayes().fit(whole, "y")
    assert list(learner.predict(whole)) == list(whole["y"])
    assert learner.score(whole) == learner.score(whole, "y") == learner.score(X, whole["y"]) == 1
    table = read(whole, keep=["x"])
    assert NaiveBayes().fit(table).score(table) == 1


def test_predictions_warn_of_what_the_model_does_not_know():
    X, y = frame()[["shade", "size"]], frame()["y"]
    learner = NaiveBayes().fit(X, y)
    with pytest.warns(DataWarning, match="'more'"):
        learner.predict(X.assign(more=1))
    with pytest.warns(DataWarning, match="'violet' not seen in training"):
        learner.predict(X.assign(shade="violet"))


def test_a_model_predicts_frames_directly():
    whole = frame()
    learner = NaiveBayes().fit(whole, "y")
    assert (learner.model_.predict(whole) == learner.predict(whole)).all()


def test_mixed_object_columns_are_words():
    X = pd.DataFrame({"x": [1, "a", None, 2.5, True, "a"]})
    model = NaiveBayes().fit(X, list("ppqqpq")).model_
    assert model.schema["x"].levels == ("1", "a", "2.5", "True")


def dated(rows=20):
    day = [f"2024-01-{1 + i % 20:02d}" for i in range(rows)]
    truth = [i % 3 == 0 for i in range(rows)]
    return pd.DataFrame({"day": day, "flag": truth, "y": [i < rows / 2 for i in range(rows)]})


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_dates_and_truth_values_mean_the_same_everywhere(tmp_path, ending):
    words, path = dated(), tmp_path / f"t.{ending}"
    stamps = words.assign(day=pd.to_datetime(words.day))
    for saved in (words, stamps):
        if ending == "csv":
            saved.to_csv(path, index=False)
        elif ending == "parquet":
            saved.to_parquet(path)
        else:
            saved.to_json(path, orient="records", lines=True, date_format="iso")
        for whole in (words, stamps):
            learner = NaiveBayes().fit(whole, "y")
            table = read(path, schema=learner.model_.schema)
            assert not np.isnan(table["day"]).any()
            assert np.array_equal(learner.model_.distribution(table), learner.predict_proba(whole))
            assert learner.score(words) == learner.score(stamps)
            assert (table["y"] >= 0).all()


def test_a_column_vector_is_scored_like_an_array():
    whole = frame()
    learner = NaiveBayes().fit(whole[["shade"]], whole["y"])
    with pytest.warns(DataConversionWarning):
        assert learner.score(whole[["shade"]], whole[["y"]]) == learner.score(whole[["shade"]], whole["y"])


def test_object_arrays_may_hold_dates_and_pandas_missing_values():
    X = np.array([[1, pd.Timestamp("2024-01-01")], [pd.NA, pd.NaT], [3, dt.date(2024, 1, 3)]], dtype=object)
    model = NaiveBayes().fit(X, ["a", "b", "a"]).model_
    assert [column.kind for column in model.schema.columns[:2]] == [Kind.NUMERIC, Kind.NUMERIC]
    assert model.schema["x1"].date


def test_rows_without_a_value_of_a_named_target_are_left_out():
    whole = frame().assign(y=["a", None, "b"] * 10)
    with pytest.warns(DataWarning, match="10 of 30 rows are left out"):
        learner = NaiveBayes().fit(whole, "y")
    assert learner.model_.about.rows == 20


def test_sources_take_the_name_of_their_target(tmp_path):
    path = tmp_path / "w.csv"
    write(examples.weather(), path)
    assert NaiveBayes().fit(open_source(path), "Outlook").model_.schema.target == "Outlook"
    with pytest.raises(UsageError, match="contains its own target"):
        NaiveBayes().fit(open_source(path), sample_weight=np.ones(14))


def test_intervals_and_levels_keep_their_numbers():
    whole = pd.DataFrame({"c": list("xyxy"), "n": [1.0, 2.0, 3.0, 4.0]})
    cut = Discretize(method="width", bins=2).fit(whole)
    assert cut.transform(whole).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert cut.transform(whole[::-1]).tolist() == cut.transform(whole)[::-1].tolist()
    assert np.isnan(cut.transform(whole.assign(c="zz"))[:, 0]).all()
    named = Discretize(method="width", bins=2).fit(whole.assign(t=[0, 0, 1, 1]), "t")
    assert named.transform(whole).tolist() == cut.transform(whole).tolist()


def test_odd_frames_are_told_in_a_sentence():
    for strange, words in (
        (pd.Series([1.0, 2.0]), "to_frame"),
        (pl.LazyFrame({"a": [1.0, 2.0]}), "collect"),
        ({"a": [1.0, 2.0]}, "data frame"),
    ):
        with pytest.raises(DataError, match=words):
            NaiveBayes().fit(strange, ["p", "q"])
    twice = pd.DataFrame(np.zeros((3, 2)), columns=["a", "a"])
    with pytest.raises(DataError, match="'a' occurs twice"):
        NaiveBayes().fit(twice, ["p", "q", "p"])
    with pytest.raises(DataError, match="not a number"):
        NaiveBayes().fit([[1.0], [2.0]], ["p", "q"], sample_weight=["a", "b"])


def test_categories_keep_their_order_and_unused_levels():
    whole = frame().assign(grade=pd.Categorical(["b", "a"] * 15, categories=["c", "b", "a"], ordered=True))
    model = NaiveBayes().fit(whole.drop(columns="y"), whole["y"]).model_
    assert model.schema["grade"].levels == ("c", "b", "a")
    assert model.schema["grade"].ordered


def test_identifiers_in_frames_are_left_out_with_a_warning():
    whole = frame().assign(name=[f"n{i}" for i in range(30)])
    with pytest.warns(DataWarning, match="'name' is not used in training"):
        learner = NaiveBayes().fit(whole[["name", "shade", "y"]], "y")
    assert "name" not in learner.model_.schema


def test_sparse_matrices_equal_dense_ones():
    dense = np.random.default_rng(0).poisson(0.3, (40, 6)).astype(float)
    y = (dense[:, 0] > 0).astype(int)
    for learner in (NaiveBayes(), OneR()):
        expected = learner.fit(dense, y).predict_proba(dense)
        assert np.array_equal(learner.fit(sp.csr_matrix(dense), y).predict_proba(sp.csc_matrix(dense)), expected)


def test_paths_and_sources_bring_their_target(tmp_path):
    path = tmp_path / "loan.csv"
    path.write_text(examples.loan_csv())
    with pytest.warns(DataWarning, match="'ID'"):
        by_path = NaiveBayes().fit(path)
    with pytest.warns(DataWarning, match="'ID'"):
        by_source = NaiveBayes().fit(open_source(path))
    assert str(by_path.model_) == str(by_source.model_) == str(NaiveBayes().train(examples.loan()))
    assert by_source.score(examples.loan()) > 0.9


def test_a_table_with_missing_target_needs_y():
    with pytest.raises(DataError, match="requires y"):
        NaiveBayes().fit(frame().drop(columns="y"))
