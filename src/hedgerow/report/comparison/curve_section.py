"""The section on a learning curve or a curve over a parameter: a picture, and one row per point."""

from __future__ import annotations

from typing import cast

from hedgerow.layout.numbers import format_digits, format_fixed, format_seconds, format_short
from hedgerow.report import blocks as b
from hedgerow.report.comparison.comparison_charts import learning_chart, learning_values
from hedgerow.report.figures import draw_for, figure_of, is_known
from hedgerow.report.schema import CurveReport, CurveValues, PlainCurve, PlainSeries, PointReport

CAPTION = (
    "The band is a 95 % interval. A large gap between the lines is a sign of overfitting; if both lines are close "
    "together and poor, more rows will not help."
)


def curve_section(report: CurveReport | PlainCurve) -> b.Section:
    """Return the section on a curve, from a report or from plain values."""
    plain = learning_values(report)
    picture = b.Charts((b.Chart(learning_chart(report), CAPTION),))
    if "points" in report:
        return b.Section("learning", plain["title"], _reported(cast("CurveReport", report), picture))
    return b.Section("learning", plain["title"], (picture, _plain(plain)))


def _reported(report: CurveReport, picture: b.Charts) -> tuple[b.Block, ...]:
    points = report["points"]
    kind = "learning curve" if report["over"] == "rows" else f"curve over {report['over']}"
    lead = b.Lead(f"{report['learner']} for {report['target']}: {kind}, {report['method']}, seed {report['seed']}")
    all_shares = all(0 <= abs(point["test"]["value"]) <= 1 for point in points)
    draw = format_fixed if all_shares else format_digits
    sized = any(is_known(point["size"]) for point in points)
    columns = [b.TableColumn(report["over"], "r"), b.TableColumn(report["title"], "r", "beside")]
    columns += [
        b.TableColumn(one, "r") for one in ("on training rows", *(["model size"] if sized else []), "training time")
    ]

    def row(place: int, point: PointReport) -> b.Row:
        # The mark stands behind its number: the others make room for it.
        mark = ("*" if place == report["best"] else " ") if len(points) > 1 else ""
        test, training = figure_of(point["test"], draw), draw(point["training"], 4, False)
        size = [format_short(point["size"]) if is_known(point["size"]) else ""] if sized else []
        return (point["label"], b.Figure(test.value + mark, test.low, test.high), training, *size, _learned(point))

    rows = tuple(row(place, point) for place, point in enumerate(points))
    table = b.TableBlock(tuple(columns), rows, label=report["title"], most=len(rows), fit="split")
    return (lead, picture, table, *([b.Paragraph((_best(report),))] if len(points) > 1 else []))


def _learned(point: PointReport) -> str:
    return format_seconds(point["seconds"]) if "seconds" in point else ""


def _best(report: CurveReport) -> str:
    text = "* best on the test rows"
    if report["over"] == "rows":
        return text
    return f"{text}, so its estimate is optimistic; `tune` chooses a value without the test rows and tests the choice"


def _plain(plain: CurveValues) -> b.TableBlock:
    columns = (
        b.TableColumn(plain["x_title"], "r"),
        *(b.TableColumn(one["name"], "r", "beside") for one in plain["series"]),
    )
    places = list(plain["names"]) or [format_short(place, 6) for place in plain["x"]]
    rows: list[b.Row] = [
        (place, *(_point(one, number) for one in plain["series"])) for number, place in enumerate(places)
    ]
    return b.TableBlock(columns, tuple(rows), label=plain["y_title"], most=len(rows))


def _point(series: PlainSeries, place: int) -> b.Figure:
    low, high = series.get("low") or (), series.get("high") or ()
    draw = draw_for(series["y"], 1e6)
    if not low or not high or not is_known(low[place]):
        return b.Figure(draw(series["y"][place], 4, False))
    return b.Figure(draw(series["y"][place], 4, False), draw(low[place], 3, False), draw(high[place], 3, False))
