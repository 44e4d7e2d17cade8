"""What a notebook shows of each object: HTML that is small, self-contained and escaped; and short `repr`s."""

import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import hedgerow
from hedgerow import examples
from tests.evaluate.toys import straight

MOST_BYTES = 60_000
EMPTY = {"br", "rect", "path", "circle", "line", "polygon", "ellipse", "image", "use"}


def sets():
    return hedgerow.mine(examples.groceries(), min_count=3)


LOAN, WEATHER = examples.loan(), examples.weather()
MAKERS = {
    "table": lambda: LOAN,
    "learner": lambda: hedgerow.Bagging(base=hedgerow.C45(min_leaf=3)),
    "fitted": lambda: hedgerow.C45().fit(WEATHER),
    "tree": lambda: hedgerow.C45().train(LOAN),
    "number tree": lambda: hedgerow.CARTRegressor().train(straight()),
    "rules": lambda: hedgerow.Ripper().train(LOAN),
    "cards": lambda: hedgerow.rule_cards(hedgerow.Ripper().train(LOAN), LOAN),
    "naive bayes": lambda: hedgerow.NaiveBayes().train(WEATHER),
    "coefficients": lambda: hedgerow.Logistic().train(WEATHER),
    "forest": lambda: hedgerow.RandomForest(n_estimators=3).train(WEATHER),
    "results": lambda: hedgerow.cross_validate(hedgerow.C45(), LOAN, folds=3),
    "numbers": lambda: hedgerow.cross_validate(hedgerow.LinearRegression(), straight(), folds=3),
    "comparison": lambda: hedgerow.compare(["majority", "c45"], LOAN, runs=1, folds=3),
    "curve": lambda: hedgerow.learning_curve(hedgerow.C45(), LOAN, sizes=[0.5, 1.0], folds=3),
    "sets": sets,
    "associations": lambda: hedgerow.association_rules(sets(), 0.9),
    "clusters": lambda: hedgerow.KMeans(n_clusters=2).train(WEATHER),
}


@cache
def shown(name):
    """Return an object that a notebook shows."""
    return MAKERS[name]()


class Balance(HTMLParser):
    """Check that every element is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, _attrs):
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, _attrs):
        pass

    def handle_endtag(self, tag):
        if tag not in EMPTY:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", MAKERS)
def test_displays_are_small_and_self_contained(name):
    markup = shown(name)._repr_html_()
    assert len(markup.encode()) < MOST_BYTES
    assert not re.search(r'<script|<link|https?://(?!www\.w3\.org)|\sid="|javascript:', markup)
    parser = Balance()
    parser.feed(markup)
    assert not parser.open


@pytest.mark.parametrize("name", MAKERS)
def test_what_python_echoes_is_short(name):
    assert len(repr(shown(name))) < 300


def test_long_parameters_are_shortened_but_not_learners():
    assert repr(hedgerow.NaiveBayes(stop_words=["word"] * 500)).endswith("…)")
    assert repr(hedgerow.Bagging(base=hedgerow.C45(min_leaf=3))) == "Bagging(base=C45(min_leaf=3))"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("table", ["15 rows, 6 columns, target Class", "nominal, 3 levels", "not used", "young"]),
        ("learner", ["Bagging", "not fitted", "<dt>min_leaf</dt><dd>3</dd>"]),
        ("fitted", ["C45", ">fitted<", "<svg", "Outlook"]),
        ("tree", ["<svg", "Tree as text"]),
        ("number tree", ["<svg"]),
        ("rules", ["<table", "otherwise", "confidence"]),
        ("cards", ["<table", "precision"]),
        ("coefficients", ["<svg", "coefficient"]),
        ("results", ["accuracy", "Confusion matrix", "ROC", "95 %"]),
        ("numbers", ["mean abs. error", "<svg"]),
        ("comparison", ["majority", "c45", "difference"]),
        ("curve", ["<svg"]),
        ("sets", ["{milk}", "support"]),
        ("associations", ["confidence", "=&gt;"]),
        ("clusters", ["<pre", "card"]),
    ],
)
def test_displays_show_what_matters(name, parts):
    markup = shown(name)._repr_html_()
    assert [part for part in parts if part not in markup] == []


def test_names_are_escaped():
    nasty = "<b>&\"'</b><script>alert(1)</script>"
    table = hedgerow.Table.of({nasty: [nasty, "b"] * 10, "y": ["u", nasty] * 10}, "y")
    for one in (table, hedgerow.C45().train(table), hedgerow.Ripper().train(table)):
        assert "<script" not in one._repr_html_()
        assert "<b>&" not in one._repr_html_()


def test_a_table_shows_missing_values_and_many_columns():
    columns = {f"c{number}": [1.0, np.nan, 3.0] for number in range(40)}
    markup = hedgerow.Table.of(columns)._repr_html_()
    assert "1 missing" in markup
    assert "10 more columns are not shown" in markup
    assert "3 rows, 40 columns" in markup


def test_large_models_are_cut():
    random = np.random.default_rng(1)
    data = {f"x{n}": random.normal(size=2000) for n in range(5)}
    table = hedgerow.Table.of({**data, "y": random.choice(["a", "b"], 2000).tolist()}, "y")
    model = hedgerow.C45(prune="none").train(table)
    assert len(model._repr_html_()) < MOST_BYTES
    assert len(repr(model)) < 300


def test_results_and_comparisons_are_printed_with_their_figures():
    assert "accuracy" in str(shown("results"))
    assert "Confusion matrix" in str(shown("results"))
    assert str(shown("results")) == hedgerow.render(hedgerow.evaluation_report(shown("results"))).rstrip("\n")
    assert "significantly better" in str(shown("comparison"))
    assert "training" in str(shown("curve"))


def test_results_and_comparisons_are_tables():
    pytest.importorskip("pandas")
    rows = shown("results").to_pandas()
    assert list(rows) == ["row", "run", "fold", "actual", "predicted", "P(No)", "P(Yes)", "weight"]
    assert (rows["actual"] == rows["predicted"]).mean() == hedgerow.measures.accuracy(shown("results"))
    assert list(shown("numbers").to_pandas()) == ["row", "run", "fold", "actual", "predicted", "weight"]
    cells = shown("comparison").to_pandas()
    assert cells["learner"].tolist() == ["majority", "c45"]
    assert cells["low"].le(cells["mean"]).all()
    for name in ("tree", "rules", "cards", "coefficients", "sets", "associations", "curve", "table"):
        made = shown(name)
        assert len(made.to_pandas()) == made.to_arrow().num_rows > 0


def test_a_model_without_rules_or_coefficients_is_no_table():
    with pytest.raises(hedgerow.ModelError, match="no rules, coefficients or terms"):
        shown("forest").to_arrow()


def test_measures_and_importances_are_tables():
    found = hedgerow.measure_table(shown("results"))
    assert found["accuracy"].value == hedgerow.measures.accuracy(shown("results"))
    assert found.to_arrow().column_names == ["measure", "title", "value", "low", "high", "standard_error"]
    assert next(iter(hedgerow.measure_table(shown("numbers")))) == "mae"
    shares = hedgerow.impurity_importance(shown("tree"))
    assert shares.to_arrow()["importance"].to_pylist() == sorted(shares.values(), reverse=True)
    assert shares == dict(shares)


def test_a_description_prints_and_shows_itself():
    report = hedgerow.describe(LOAN)
    assert str(report).startswith("15 rows, 6 columns")
    assert "hedgerow-view" in report._repr_html_()
    assert report["rows"] == 15


def test_other_objects_echo_shortly():
    clusters = shown("clusters")
    tuning = hedgerow.tune(hedgerow.C45(), {"min_leaf": [1, 2]}).choose(LOAN)
    for one in (LOAN.schema, LOAN.schema["Age"], hedgerow.evaluate_clusters(clusters, WEATHER), tuning):
        assert len(repr(one)) < 100
    assert tuning.to_arrow()["min_leaf"].to_pylist() == ["1", "2"]
