"""hedgerow.plot: pictures that notebooks show, that are saved, and that are drawn into axes of matplotlib."""

import re

import numpy as np
import pytest

import hedgerow
from hedgerow import examples, plot
from tests.evaluate.toys import straight

LOAN, WEATHER = examples.loan(), examples.weather()


def results():
    return hedgerow.cross_validate(hedgerow.NaiveBayes(), WEATHER, folds=5)


DRAWN = {
    "tree": lambda ax=None: plot.tree(hedgerow.C45().train(LOAN), ax=ax),
    "tree of numbers": lambda ax=None: plot.tree(hedgerow.CARTRegressor().train(straight()), ax=ax),
    "rules": lambda ax=None: plot.rules(hedgerow.Ripper().fit(WEATHER), ax=ax),
    "rules of a tree": lambda ax=None: plot.rules(hedgerow.C45().train(LOAN), ax=ax),
    "coefficients": lambda ax=None: plot.coefficients(hedgerow.Logistic().train(WEATHER), ax=ax),
    "roc": lambda ax=None: plot.roc(results(), ax=ax),
    "precision": lambda ax=None: plot.precision_recall(results(), "Yes", ax=ax),
    "calibration": lambda ax=None: plot.calibration(results(), ax=ax),
    "lift": lambda ax=None: plot.lift(results(), ax=ax),
    "gains": lambda ax=None: plot.gains(results(), ax=ax),
    "confusion": lambda ax=None: plot.confusion(results(), ax=ax),
    "predicted": lambda ax=None: plot.predicted(
        hedgerow.cross_validate(hedgerow.LinearRegression(), straight(), folds=3), ax=ax
    ),
    "importance": lambda ax=None: plot.importance(hedgerow.C45().train(LOAN), ax=ax),
    "shuffled": lambda ax=None: plot.importance(hedgerow.NaiveBayes().train(LOAN), LOAN, ax=ax),
    "own numbers": lambda ax=None: plot.importance({"a": 0.5, "b": -0.1}, ax=ax),
    "numbers": lambda ax=None: plot.partial_dependence(
        hedgerow.NaiveBayes().train(WEATHER), WEATHER, "Temperature", ax=ax
    ),
    "levels": lambda ax=None: plot.partial_dependence(hedgerow.NaiveBayes().train(WEATHER), WEATHER, "Outlook", ax=ax),
    "mean": lambda ax=None: plot.partial_dependence(
        hedgerow.LinearRegression().train(straight()), straight(), "area", ax=ax
    ),
    "regions": lambda ax=None: plot.regions(
        hedgerow.NaiveBayes().train(WEATHER), WEATHER, ("Temperature", "Humidity"), ax=ax
    ),
    "curve": lambda ax=None: plot.curve(
        hedgerow.learning_curve(hedgerow.C45(), LOAN, sizes=[0.5, 1.0], folds=3), ax=ax
    ),
    "comparison": lambda ax=None: plot.comparison(
        hedgerow.compare(["majority", "c45"], {"a": LOAN, "b": WEATHER}, runs=1, folds=3), ax=ax
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_show_and_save_themselves(name, tmp_path):
    picture = DRAWN[name]()
    assert picture.startswith("<svg")
    markup = picture._repr_html_()
    assert "<svg" in markup
    assert not re.search(r'\sid="|<script', markup)
    assert len(repr(picture)) < 100
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text("utf-8") == picture


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_drawn_into_axes(name):
    figures = pytest.importorskip("matplotlib.figure")
    axes = figures.Figure().add_subplot()
    picture = DRAWN[name](axes)
    words = re.findall(r"<text [^>]*>([^<]*)</text>", picture)
    assert len(axes.texts) == len(words)
    assert len(axes.patches) >= picture.count("<circle ") + picture.count("<rect ")


def test_pictures_become_png_and_pdf(tmp_path):
    if hedgerow.tree_svg(hedgerow.C45().train(LOAN)) and plot_converter() is None:
        pytest.skip("nothing converts SVG here")
    picture = DRAWN["tree"]()
    for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        picture.save(tmp_path / f"tree{ending}")
        assert (tmp_path / f"tree{ending}").read_bytes().startswith(start)
    with pytest.raises(hedgerow.UsageError, match=r"must end in \.svg, \.png or \.pdf"):
        picture.save(tmp_path / "tree.jpg")


def plot_converter():
    from hedgerow.report.draw.picture_files import converter

    return converter()


def test_what_cannot_be_drawn_is_a_sentence():
    with pytest.raises(hedgerow.UsageError, match="no model to draw"):
        plot.tree("a tree")
    with pytest.raises(hedgerow.UsageError, match="no coefficients to draw"):
        plot.coefficients(hedgerow.C45().train(LOAN))
    with pytest.raises(hedgerow.UsageError, match="has no class 'maybe'"):
        plot.partial_dependence(hedgerow.C45().train(LOAN), LOAN, "Age", "maybe")
    with pytest.raises(hedgerow.UsageError, match="no confusion matrix"):
        plot.confusion(hedgerow.cross_validate(hedgerow.Mean(), straight(), folds=3))


def test_partial_dependence_is_the_mean_prediction():
    model = hedgerow.NaiveBayes().train(WEATHER)
    found = hedgerow.partial_dependence(model, WEATHER, "Outlook")
    column = model.schema["Outlook"]
    for code, level in enumerate(column.levels):
        changed = WEATHER.with_column(column, np.full(len(WEATHER), code, np.int32))
        assert found.values[code] == level
        assert found.means[code] == pytest.approx(model.distribution(changed).mean(axis=0))
    assert found.means.sum(axis=1) == pytest.approx(1)
    assert found.to_arrow().column_names == ["Outlook", "P(No)", "P(Yes)"]
    assert len(repr(found)) < 100


def test_partial_dependence_needs_a_column_of_the_model():
    model = hedgerow.NaiveBayes().train(WEATHER)
    with pytest.raises(hedgerow.UsageError, match="is not one of the columns that the model predicts from"):
        hedgerow.partial_dependence(model, WEATHER, "Play")
    with pytest.raises(hedgerow.DataError, match="no column"):
        hedgerow.partial_dependence(model, WEATHER, "Wind speed")
