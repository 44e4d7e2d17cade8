"""Pictures that the verbs write: `--plot FILE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.data.table.schema import listing
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.model import Model
from hedgerow.report.draw.picture_files import (
    CONVERTED,
    INSTALL,
    convert_picture,
    converter,
    svg_to_format,
    write_plot,
)

__all__ = [
    "CHART_OPTION",
    "PLOT_OPTION",
    "check_curve",
    "check_folder",
    "check_plot",
    "check_target",
    "convert_picture",
    "converter",
    "curve_options",
    "draw_curve",
    "draw_model",
    "draw_results",
    "picture_title",
    "svg_to_format",
    "write_plot",
]

if TYPE_CHECKING:
    from hedgerow.evaluate.results import Results
    from hedgerow.report.schema import ConfusionPart, CurvesPart, EvaluationReport

PLOT_OPTION = click.option(
    "--plot",
    metavar="FILE",
    help="Draw the tree, or the coefficients, to this file: .svg, .dot (Graphviz), .png or .pdf.",
)
CURVES = ("roc", "precision-recall", "gains", "lift", "calibration", "coverage", "numbers", "confusion")
ENDINGS = (".svg", ".dot", ".gv", *sorted(CONVERTED))
CHART_OPTION = click.option("--plot", metavar="FILE", help="Draw the result to this file: .svg, .png or .pdf.")


def curve_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that draw one curve of a test."""
    for option in (
        click.option(
            "--label",
            metavar="CLASS",
            help="The class of the curves (default: the rarer of two classes, otherwise all).",
        ),
        click.option(
            "--curve",
            type=click.Choice(CURVES),
            metavar="KIND",
            help=f"Which curve to draw: {', '.join(CURVES)} (default: roc, and numbers for a numeric target).",
        ),
        click.option("--plot", metavar="FILE", help="Draw one curve to this file: .svg, .png or .pdf."),
    ):
        command = option(command)
    return command


def check_curve(plot: str | None, curve: str | None, label: str | None) -> None:
    """Raise an error before any work is done if a curve but no file to draw it to was given."""
    if plot is None and (curve is not None or label is not None):
        option = "--curve" if curve is not None else "--label"
        raise UsageError(f"{option} specifies what to draw; also name the file, as in --plot roc.svg")
    check_plot(plot, curves=True)


def check_target(target: str, labels: Sequence[str], curve: str | None, label: str | None) -> None:
    """Raise an error early if predictions of a target with these classes have no such curve or class."""
    from hedgerow.report.draw.confusion_heatmap import MOST_CLASSES

    if label is not None and label not in labels:
        others = f"its classes are {listing(labels)}" if labels else "it is a number"
        raise UsageError(f"--label {label}: {target!r} has no such class; {others}")
    kind, one = ("classes", "roc") if labels else ("numbers", "numbers")
    if curve is not None and (curve == "numbers") != (not labels):
        raise UsageError(f"there is no curve {curve!r} for predicted {kind}; {one!r} is one")
    if curve == "confusion" and len(labels) > MOST_CLASSES:
        raise UsageError(f"{len(labels)} classes are too many for a picture of the confusion matrix")


def check_plot(path: str | None, curves: bool = False, option: str = "--plot") -> None:
    """Raise an error before any work is done if no picture could be written to the file that an option names."""
    if path is None:
        return
    ending, what = Path(path).suffix.lower(), "a curve" if option == "--plot" else "regions"
    if curves and ending not in (".svg", *CONVERTED):
        raise UsageError(f"{option} {path}: the name of a picture of {what} must end in .svg, .png or .pdf")
    if ending not in ENDINGS:
        raise UsageError(f"{option} {path}: the name of a picture must end in .svg, .dot, .gv, .png or .pdf")
    check_folder(path)
    if ending in CONVERTED and converter() is None:
        raise UsageError(f"{option} {path}: to write {ending} files, {INSTALL}")


def check_folder(path: str | None) -> None:
    """Raise an error before any work is done if a file cannot be written because its folder does not exist."""
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ModelError(f"{path} cannot be written: No such file or directory")


def draw_model(model: Model, path: str) -> bytes:
    """Return the picture of a tree, or of coefficients, in the format given by the file's name."""
    from hedgerow.export.dot import dot
    from hedgerow.models.svm.machines import Machines
    from hedgerow.report.linear.coefficient_charts import coefficients_svg
    from hedgerow.report.trees.tree_svg import tree_svg

    ending = Path(path).suffix.lower()
    picture = coefficients_svg(model)
    if picture is None and isinstance(model, Machines):
        raise UsageError(
            f"--plot {path}: kernel machines have no coefficients to draw; `hedgerow plot` draws their decision "
            "regions over two columns"
        )
    if ending in (".dot", ".gv") and picture is None:
        return dot(model).encode()
    if ending in (".dot", ".gv"):
        raise UsageError(f"--plot {path}: coefficients are drawn as .svg, .png or .pdf; .dot is for trees")
    return convert_picture(tree_svg(model) if picture is None else picture, path)


def picture_title(model: Model) -> str:
    """Return what a picture of the model shows."""
    return "coefficients" if model.kind.startswith(("linear", "machines")) else "tree"


def draw_curve(curves: CurvesPart, confusion: ConfusionPart | None, name: str | None, path: str) -> bytes:
    """Return the picture of one curve in the format given by the file's name."""
    from hedgerow.report.draw.confusion_heatmap import confusion_chart
    from hedgerow.report.evaluation.curve_charts import curve_chart

    name = name or ("numbers" if "numbers" in curves else "roc")
    if name == "confusion":
        picture = None
        if confusion is not None:
            labels, letters, counts = confusion["labels"], confusion["letters"], confusion["counts"]
            picture = confusion_chart(labels, letters, counts, confusion.get("unanswered"))
        if picture is None:
            raise UsageError("there is no confusion matrix to draw: numbers have none, nor do more than 60 classes")
    else:
        picture = curve_chart(curves, name)
    return convert_picture(picture, path)


def draw_results(results: Results, report: EvaluationReport, name: str | None, label: str | None, path: str) -> bytes:
    """Return the picture of one curve of a test, whose report has its confusion matrix."""
    from hedgerow.report.evaluation.curves import curves

    return draw_curve(curves(results, label), report.get("confusion"), name, path)
