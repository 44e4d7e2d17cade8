"""RuleFeatures: rule conditions as columns, alone or added, from mined or given rules, in pipelines."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from hedgerow import C45, CBA, DataError, Discretize, NaiveBayes, Prism, RuleFeatures, Table, UsageError, examples
from hedgerow.models.files.model_file import dumps, loads
from tests import textbook

GIVEN = "if Age = old then Class = Yes\nif Has_Job = true and Own_House = false then Class = Yes\n"


def loan_a():
    """Return the loans without their number, which nobody learns from."""
    table = textbook.loan_a()
    return table.select([name for name in table.schema.names if name != "ID"])


def frame():
    table = examples.loan()
    names = [name for name in table.schema.names if name not in ("ID", "Class")]
    columns = {name: np.array(table.schema[name].levels)[table[name]] for name in names}
    return pd.DataFrame(columns), np.array(["No", "Yes"])[table["Class"]]


def test_columns_are_one_where_a_rule_covers():
    table = loan_a()
    learner = RuleFeatures(rules=GIVEN).fit(table)
    made = learner.transform(table)
    assert made.schema.names == ("Age = old", "Has_Job = true and Own_House = false", "Class")
    assert made["Age = old"].tolist() == [0.0] * 10 + [1.0] * 5
    assert np.flatnonzero(made["Has_Job = true and Own_House = false"]).tolist() == [2, 12, 13]
    assert made.schema.target == "Class"


def test_mined_rules_are_the_best_by_precedence_and_none_says_what_another_says():
    learner = RuleFeatures(max_rules=3, min_support=2 / 15, min_confidence=0.8).fit(loan_a())
    names = ["Own_House = true", "Has_Job = false and Own_House = false", "Has_Job = true"]
    assert learner.get_feature_names_out().tolist() == names
    assert [rule.n for rule in learner.model_.rules] == [6, 6, 5]
    everything = RuleFeatures(max_rules=None, min_confidence=0.3).fit(loan_a())
    names = everything.get_feature_names_out().tolist()
    assert len(set(names)) == len(names) < len(everything.model_.rules)  # rules of two classes on the same conditions


def test_added_columns_stand_behind_the_own():
    table = loan_a()
    learner = RuleFeatures(rules=GIVEN, keep_columns=True).fit(table)
    assert learner.transform(table).schema.names == (
        *(name for name in table.schema.names if name != "Class"),
        "Age = old",
        "Has_Job = true and Own_House = false",
        "Class",
    )
    X, y = frame()
    added = RuleFeatures(rules=GIVEN.replace("Class", "target"), keep_columns=True).fit(X, y)
    assert added.transform(X).shape == (15, 6)
    assert added.get_feature_names_out().tolist()[:4] == list(X.columns)


def test_arrays_frames_and_sparse_matrices():
    X, y = frame()
    learner = RuleFeatures(max_rules=5).fit(X, y)
    made = learner.transform(X)
    assert made.shape == (15, 5)
    assert set(np.unique(made)) == {0.0, 1.0}
    sparse = RuleFeatures(max_rules=5, sparse=True).fit(X, y).transform(X)
    assert issparse(sparse)
    assert np.array_equal(sparse.toarray(), made)
    both = RuleFeatures(max_rules=5, sparse=True, keep_columns=True).fit(X, y).transform(X)
    assert np.array_equal(both.toarray()[:, 4:], made)


def test_pipelines():
    X, y = frame()
    scores = cross_val_score(make_pipeline(RuleFeatures(min_support=0.1), LogisticRegression()), X, y, cv=3)
    assert scores.mean() > 0.8
    rules = CBA().train(loan_a())
    table = loan_a()
    made = RuleFeatures(rules=rules).fit(table).transform(table)
    assert (NaiveBayes().train(made).decide(made) == made.codes(made.schema.index("Class"))).mean() > 0.9
    several = Prism().train(table)
    assert len(RuleFeatures(rules=several).fit(table).get_feature_names_out()) == len(several.rules)


def test_missing_values_and_unseen_levels_are_covered_by_no_rule():
    table = Table.of({"a": ["x", "x", "y", None], "b": [1.0, 2.0, 3.0, np.nan], "c": ["+", "+", "-", "-"]}, "c")
    learner = RuleFeatures().fit(table)
    rows = Table.of({"a": [None, "z"], "b": [np.nan, np.nan]}, levels={"a": ["z"]})
    made = learner.transform(rows)
    assert all(not made[name].any() for name in made.schema.names)


def test_names_do_not_clash():
    table = Table.of({"a": ["x", "x", "y"], "a = x": ["u", "v", "v"], "c": ["+", "+", "-"]}, "c")
    learner = RuleFeatures(keep_columns=True).fit(table)
    names = learner.transform(table).schema.names
    assert len(set(names)) == len(names)
    assert "a = x'" in names


def test_no_rules_make_no_columns_and_bad_input_is_told():
    table = loan_a()
    learner = RuleFeatures(max_rules=0).fit(table)
    assert learner.transform(table).schema.names == ("Class",)
    X, y = frame()
    assert RuleFeatures(max_rules=0).fit(X, y).transform(X).shape == (15, 0)
    assert RuleFeatures(max_rules=0, sparse=True).fit(X, y).transform(X).shape == (15, 0)
    with pytest.raises(DataError, match="requires y to be passed"):
        RuleFeatures().fit(X)
    with pytest.raises(UsageError, match="there is no column 'Agee'"):
        RuleFeatures(rules="if Agee = old then Class = Yes").fit(table)
    with pytest.raises(DataError, match="missing in every row"):
        RuleFeatures().fit(Table.of({"a": ["x"], "c": [None]}, "c", {"c": ["+"]}))


def test_the_model_prints_its_rules_and_saves():
    model = RuleFeatures(max_rules=2).fit(loan_a()).model_
    assert str(model).startswith("If Own_House = true then Class = Yes (6/0)")
    assert loads(dumps(model)) == model


def test_frames_come_out_where_set_output_asks():
    X, y = frame()
    X.index = [f"row {i}" for i in range(len(X))]
    plain = RuleFeatures(max_rules=5).fit(X, y)
    made = clone(RuleFeatures(max_rules=5).set_output(transform="pandas")).fit_transform(X, y)
    assert isinstance(made, pd.DataFrame)
    assert list(made.columns) == plain.get_feature_names_out().tolist()
    assert list(made.index) == list(X.index)
    assert np.array_equal(made.to_numpy(), plain.transform(X))
    other = RuleFeatures(max_rules=5, keep_columns=True).set_output(transform="polars").fit(X, y).transform(X)
    assert isinstance(other, pl.DataFrame)
    assert other.columns[:4] == list(X.columns)
    steps = make_pipeline(RuleFeatures(max_rules=5), LogisticRegression()).set_output(transform="pandas").fit(X, y)
    assert list(steps[-1].feature_names_in_) == list(made.columns)
    with config_context(transform_output="pandas"):
        assert isinstance(plain.transform(X), pd.DataFrame)
        assert isinstance(Discretize(method="width").fit(weather_frame()).transform(weather_frame()), pd.DataFrame)
    assert isinstance(plain.set_output().transform(X), np.ndarray)
    table = loan_a()
    assert isinstance(RuleFeatures().set_output(transform="pandas").fit(table).transform(table), Table)
    with pytest.raises(DataError, match="sparse"):
        RuleFeatures(sparse=True).set_output(transform="pandas").fit(X, y).transform(X)
    with pytest.raises(UsageError, match="not 'arrow'"):
        plain.set_output(transform="arrow")


def weather_frame():
    return pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0]})


def test_weights_count_and_trees_give_rules():
    X, y = frame()
    weights = np.arange(15) % 3
    weighted = RuleFeatures().fit(X, y, sample_weight=weights)
    repeated = RuleFeatures().fit(X.loc[np.repeat(np.arange(15), weights)], np.repeat(y, weights))
    assert str(weighted.model_) == str(repeated.model_)
    steps = make_pipeline(RuleFeatures(), LogisticRegression()).fit(X, y, rulefeatures__sample_weight=weights)
    assert steps[0].get_feature_names_out().tolist() == weighted.get_feature_names_out().tolist()
    table = loan_a()
    tree = C45().train(table)
    assert RuleFeatures(rules=tree).fit(table).get_feature_names_out().tolist() == [
        " and ".join(map(str, rule.conditions)) for rule in tree.rules().rules
    ]
    kept = CBA(keep_rules=tree).train(table)
    assert [rule.conditions for rule in kept.rules[: len(tree.rules().rules)]] == [
        rule.conditions for rule in tree.rules().rules
    ]
