"""Pictures of models and tests, for notebooks and files.

Each function returns the picture: a notebook shows it, `.save("picture.svg")` writes it (also .png and .pdf), and with
`ax=` it is drawn into axes of matplotlib, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.errors import UsageError
from hedgerow.evaluate.learner_comparison.comparison import Comparison
from hedgerow.evaluate.learning_curve import Curve
from hedgerow.evaluate.results import Results
from hedgerow.explain.importance import permutation_importance
from hedgerow.explain.partial_dependence import partial_dependence as find_dependence
from hedgerow.layout.numbers import format_count, format_share, format_weight
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.report.comparison.comparison import comparison_report
from hedgerow.report.comparison.comparison_charts import comparison_charts, learning_chart
from hedgerow.report.comparison.curve import curve_report
from hedgerow.report.draw.bars import NamedBar, bar_chart
from hedgerow.report.draw.charts import Series, line_chart
from hedgerow.report.draw.confusion_heatmap import confusion_chart
from hedgerow.report.draw.scale import axis_for, share_axis
from hedgerow.report.draw.svg import GRAY_HUE, Svg, stack_pictures
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.evaluation.curve_charts import curve_chart
from hedgerow.report.evaluation.curves import curves
from hedgerow.report.linear.coefficient_charts import coefficients_svg
from hedgerow.report.regions.regions_svg import regions_svg
from hedgerow.report.trees.tree_svg import tree_svg

__all__ = [
    "calibration",
    "coefficients",
    "comparison",
    "confusion",
    "curve",
    "gains",
    "importance",
    "lift",
    "partial_dependence",
    "precision_recall",
    "predicted",
    "regions",
    "roc",
    "rules",
    "tree",
]

MOST_BARS, MOST_NODES, LONGEST_RULE = 30, 400, 460.0  # bars of a chart; nodes of a tree; pixels of a rule


def tree(model: Any, *, ax: Any = None) -> Svg:
    """Return the picture of a decision tree; of a large one, of its first levels."""
    own = _model(model)
    drawn = own.drawn_tree(MOST_NODES)
    return _shown(tree_svg(own if drawn is None else drawn[0]), ax)


def rules(model: Any, *, ax: Any = None) -> Svg:
    """Return the rules of a model as bars: how many training rows each covers, errors in gray."""
    own = _model(model)
    figures = own.rule_rows()
    labels = own.schema.target_column.levels
    bars = []
    for one in figures[:MOST_BARS]:
        told = one.columns()
        name = f"if {told['conditions']} then {told['class']}" if told["conditions"] else f"otherwise {told['class']}"
        hue = min(labels.index(told["class"]), GRAY_HUE) if told["class"] in labels else GRAY_HUE
        counts = f"{format_weight(told['n'])}/{format_weight(told['errors'])}"
        bars.append(NamedBar(name, told["n"], counts, hue, told["errors"]))
    axis = axis_for("training rows covered (gray: errors)", [bar.value for bar in bars], zero=True)
    more = f", the first {MOST_BARS} of {format_count(len(figures))}" if len(figures) > MOST_BARS else ""
    return _shown(bar_chart(f"Rules for {own.schema.target}{more}", bars, axis, LONGEST_RULE), ax)


def coefficients(model: Any, *, ax: Any = None) -> Svg:
    """Return the coefficients of a linear model with their intervals, largest first."""
    picture = coefficients_svg(_model(model))
    if picture is None:
        raise UsageError(f"a {type(_model(model)).__name__} has no coefficients to draw")
    return _shown(picture, ax)


def roc(results: Results, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the ROC curves of a test, or that of one class."""
    return _curve(results, "roc", label, ax)


def precision_recall(results: Results, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the precision by recall."""
    return _curve(results, "precision-recall", label, ax)


def calibration(results: Results, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the observed frequency of a class by its predicted probability."""
    return _curve(results, "calibration", label, ax)


def lift(results: Results, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the lift: how many times as many rows of a class the most probable rows contain."""
    return _curve(results, "lift", label, ax)


def gains(results: Results, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the share of a class that is found by the share of rows selected, the most probable first."""
    return _curve(results, "gains", label, ax)


def predicted(results: Results, *, ax: Any = None) -> Svg:
    """Return predicted against actual numbers."""
    return _curve(results, "numbers", None, ax)


def confusion(results: Results, *, ax: Any = None) -> Svg:
    """Return the confusion matrix as a heat map."""
    part = evaluation_report(results).get("confusion")
    drawn = part and confusion_chart(part["labels"], part["letters"], part["counts"], part.get("unanswered"))
    if not drawn:
        raise UsageError("there is no confusion matrix to draw: numbers have none, nor do more than 60 classes")
    return _shown(drawn, ax)


def importance(model: Any, data: Any = None, *, ax: Any = None) -> Svg:
    """Return the importance of the columns, largest first.

    Without data it is the decrease of impurity of a tree or forest; with data, the decrease in accuracy when a column
    is shuffled, which works for every classifier. A dict of numbers by column is drawn as it is.
    """
    if isinstance(model, Mapping):
        shares, title = dict(model), "importance"
    elif data is None:
        shares, title = _model(model).importance(), "share of the total decrease of impurity"
    else:
        own = _model(model)
        if not isinstance(own, ClassModel):
            raise UsageError("permutation importance is defined for classifiers; draw a dict of your own numbers")
        shares, title = permutation_importance(own, data), "decrease in accuracy if shuffled"
    largest = sorted(shares, key=lambda name: -shares[name])
    bars = [NamedBar(name, shares[name], f"{shares[name]:.3f}") for name in largest[:MOST_BARS]]
    more = f", the first {MOST_BARS} of {format_count(len(largest))}" if len(largest) > MOST_BARS else ""
    return _shown(bar_chart(f"Importance{more}", bars, axis_for(title, shares.values(), zero=True)), ax)


def partial_dependence(model: Any, data: Any, column: str, label: str | None = None, *, ax: Any = None) -> Svg:
    """Return the mean prediction of a model if a column had each of its values in all rows.

    For a classifier these are the probabilities of all classes (of two, of the second), or that of the class `label`.
    """
    found = find_dependence(_model(model), data, column)
    if label is not None and label not in found.labels:
        raise UsageError(f"{found.target!r} has no class {label!r}; its classes are {', '.join(found.labels)}")
    shown = [label] if label else list(found.labels[1:] if len(found.labels) == 2 else found.labels[:GRAY_HUE])
    title = f"{found.target} by {column}"
    if isinstance(found.values[0], str):
        return _shown(_dependence_bars(found, shown, title), ax)
    x = [float(value) for value in found.values]
    means = [(name, found.means[:, found.labels.index(name)].tolist()) for name in shown]
    lines = [Series(name, x, values, hue=found.labels.index(name)) for name, values in means]
    lines = lines or [Series("", x, found.means[:, 0].tolist())]
    y = share_axis("mean probability") if shown else axis_for(f"mean {found.target}", found.means.ravel().tolist())
    return _shown(line_chart(title, lines, axis_for(column, x), y), ax)


def _dependence_bars(found: Any, shown: list[str], title: str) -> Svg:
    bars = []
    for value, means in zip(found.values, found.means.tolist(), strict=True):
        for name in shown:
            code = found.labels.index(name)
            told = f"{value}: {name}" if len(shown) > 1 else str(value)
            bars.append(NamedBar(told, means[code], format_share(means[code]), code))
        if not shown:
            bars.append(NamedBar(str(value), means[0], f"{means[0]:.4g}"))
    if not shown:
        return bar_chart(
            title, bars[:MOST_BARS], axis_for(f"mean {found.target}", found.means.ravel().tolist(), zero=True)
        )
    only = f" of {shown[0]}" if len(shown) == 1 else ""
    return bar_chart(title, bars[:MOST_BARS], share_axis(f"mean probability{only}"))


def regions(model: Any, data: Any = None, columns: tuple[str, str] | None = None, *, ax: Any = None) -> Svg:
    """Return the decision regions of a classifier over two numeric columns, with the rows as dots."""
    return _shown(regions_svg(_model(model), data, columns or ()), ax)


def curve(found: Curve, *, ax: Any = None) -> Svg:
    """Return a learning curve, or that over a parameter: the test rows with intervals, and the training rows."""
    return _shown(learning_chart(curve_report(found)), ax)


def comparison(found: Comparison, *, ax: Any = None) -> Svg:
    """Return the means of the learners with their intervals, one picture per data set."""
    pictures = comparison_charts(comparison_report(found))
    return _shown(stack_pictures("Comparison", pictures), ax)


def _curve(results: Results, name: str, label: str | None, ax: Any) -> Svg:
    return _shown(curve_chart(curves(results, label), name), ax)


def _model(given: Any) -> Model:
    """Return a model, or that of a fitted learner or of what `hedgerow.fit` returns."""
    own = getattr(given, "model_", getattr(given, "model", given))
    if not isinstance(own, Model):
        raise UsageError(f"a {type(given).__name__} has no model to draw; train or fit it first")
    return own


def _shown(picture: Svg, ax: Any) -> Svg:
    """Return a picture that is also drawn into axes, if there are any."""
    if ax is not None:
        picture.draw(ax)
    return picture
