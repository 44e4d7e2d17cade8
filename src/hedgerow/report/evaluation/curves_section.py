"""The part on curves of the section on a test: pictures, gains and lift."""

from __future__ import annotations

from hedgerow.layout.numbers import format_fixed, format_share, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.draw.error_histogram import errors_chart
from hedgerow.report.evaluation import curve_charts as charts
from hedgerow.report.schema import ClassCurves, CurvesPart

CAPTIONS = {
    "roc": "The true positive rate by the false positive rate, for every threshold. The dashed line is random "
    "ranking; the area under the curve is the probability that a row of the class is ranked above a row of "
    "another class.",
    "precision-recall": "The precision by the recall, for every threshold.",
    "gains": "The share of the class that is found if the most probable rows are selected first. Dashed: random "
    "selection.",
    "lift": "How many times as many rows of the class the first rows contain, compared with random selection.",
    "calibration": "The observed frequency of the class by predicted probability (vertical lines: 95 % intervals; "
    "large dots: many rows). On the dashed line the probabilities are perfectly calibrated.",
    "coverage": "The accuracy of the remaining rows if the least confident predictions are omitted.",
}
GAINS = {"first 10%": 0, "first 20%": 1, "first half": 4}  # which parts of the rows the table of gains tells


def curves_blocks(curves: CurvesPart, n_classes: int) -> list[b.Block]:
    """Return the curves of a test."""
    if "numbers" in curves:
        dots = "On the dashed line predictions equal the actual values. At most 1,000 rows are shown."
        spread = "Predicted minus actual; positive errors are predictions that are too high. The mean is the bias."
        pictures = b.Chart(charts.numbers_chart(curves), dots), b.Chart(errors_chart(curves["errors"]), spread)
        return [b.Charts(pictures, "Predictions")]
    if not curves["classes"]:
        return []
    drawn = tuple(
        b.Chart(draw(curves), CAPTIONS[name])
        for name, draw in charts.CHARTS.items()
        if name in CAPTIONS and (name != "coverage" or curves["coverage"])
    )
    lifts = tuple(_lift(one) for one in curves["classes"])
    return [
        b.Charts(drawn, _title(curves, n_classes)),
        _gains(curves),
        b.Details("Lift by tenths of the rows", lifts),
    ]


def _title(curves: CurvesPart, n_classes: int) -> str:
    shown = len(curves["classes"])
    if shown == 1:
        return f"Curves of {curves['classes'][0]['label']}"
    return f"Curves of the {shown} largest of {n_classes} classes" if shown < n_classes else "Curves"


def _gains(curves: CurvesPart) -> b.TableBlock:
    rows = tuple(
        (one["label"], *(format_share(one["lift"][part]["found"]) if one["lift"] else "?" for part in GAINS.values()))
        for one in curves["classes"]
    )
    columns = (b.TableColumn("class", longest=30), *(b.TableColumn(f"found in the {part}", "r") for part in GAINS))
    return b.TableBlock(columns, rows, title="Gains, most probable rows first", fit="split")


def _lift(one: ClassCurves) -> b.TableBlock:
    n = len(one["lift"])
    rows = tuple(
        (
            f"{100 * (place - 1) // n}–{100 * place // n}%",
            format_weight(round(part["positives"], 1)),
            format_share(part["rate"]),
            format_fixed(part["lift"], 2),
            format_share(part["found"]),
            format_fixed(part["cumulative_lift"], 2),
        )
        for place, part in enumerate(one["lift"], 1)
    )
    titles = ("share found in this part", "rate", "lift", "cumulative share found", "cumulative lift")
    columns = (b.TableColumn("rows selected"), *(b.TableColumn(title, "r") for title in titles))
    return b.TableBlock(columns, rows, label=f"Lift of {one['label']}, most probable rows first")
