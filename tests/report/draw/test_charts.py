"""Charts: valid pictures of plain values, whatever these are."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import UsageError
from hedgerow.report.comparison.comparison_charts import learning_chart
from hedgerow.report.data.histograms import column_picture
from hedgerow.report.draw.charts import Series, line_chart
from hedgerow.report.draw.confusion_heatmap import confusion_chart
from hedgerow.report.draw.dots import Dot, dots_chart
from hedgerow.report.draw.error_histogram import errors_chart
from hedgerow.report.draw.scale import Axis, axis_for, log_ticks, number, percent, share_axis, ticks
from hedgerow.report.draw.svg import HUES, ROLES, inline
from hedgerow.report.evaluation import curve_charts

SVG = "{http://www.w3.org/2000/svg}"


def confusion_drawn(confusion):
    return confusion_chart(*(confusion.get(name) for name in ("labels", "letters", "counts", "unanswered")))


ODD = "<b>&\"'>]]> \\N \u202e\x00\ud800\ufffe 語 é \n"


def words_of(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


def lines_of(picture):
    return [path.get("d") for path in ET.fromstring(picture).iter(f"{SVG}path") if "line" in path.get("class", "")]


def luminance(color):
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("side", [1, 2])
def test_words_and_lines_stand_out_from_the_paper(side):
    """WCAG 2.2: 4.5 to 1 for words, 3 to 1 for what must be seen of a picture."""
    paper = ROLES["paper"][side]
    for role in ("ink", "soft"):
        assert contrast(ROLES[role][side], paper) >= 4.5
    for pair in HUES:
        assert contrast(pair[side - 1], paper) >= 3


def test_ticks_are_round_and_inside():
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert ticks(-3, 7) == [-2, 0, 2, 4, 6]
    assert ticks(0, 0.3) == [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
    assert log_ticks(10, 1000) == [10, 30, 100, 300, 1000]
    assert log_ticks(1, 1e12)[0] == 1


@given(st.lists(st.floats(-1e300, 1e300), max_size=5), st.booleans())
def test_an_axis_holds_all_its_values(values, zero):
    axis = axis_for("x", values, zero=zero)
    assert axis.low < axis.high
    for value in values:
        assert -1e-6 <= axis.place(value) <= 1 + 1e-6 or abs(value) > 1e299
    found = axis.ticks()
    assert 1 <= len(found) <= 12
    assert all(isinstance(axis.label(value), str) for value in found)


def test_values_that_are_not_there_make_no_axis():
    assert (axis_for("x", [math.nan, math.inf]).low, axis_for("x", []).high) == (0.0, 1.0)
    assert axis_for("x", [5.0]).low < 5 < axis_for("x", [5.0]).high
    assert axis_for("x", [0.0, -1.0], log=True).low > 0
    assert axis_for("rows", [10, 1000], log=True).place(100) == pytest.approx(0.5)


def test_numbers_read_well():
    assert [number(value) for value in (0, 0.25, 1500, 18424, 250000, 3.2e6, 7e9, -1200)] == [
        *("0", "0.25", "1,500", "18,424", "250,000", "3.2M", "7G", "-1,200")
    ]
    assert percent(0.125) == "12.5%"


def test_a_line_goes_through_its_points():
    picture = line_chart("T", [Series("a", [0, 0.5, 1], [0, 1, 1])], share_axis("x"), share_axis("y"))
    shape = next(shape for shape in lines_of(picture) if shape.count("L") == 2)
    points = [tuple(map(float, pair.split())) for pair in re.split("[ML]", shape)[1:]]
    (x0, bottom), (x1, top), (x2, level) = points
    assert x1 == pytest.approx((x0 + x2) / 2)
    assert top == level < bottom
    assert {"T", "a", "x", "y", "0%", "100%"} <= set(words_of(picture))


def test_a_line_is_broken_where_a_value_is_missing():
    picture = line_chart("T", [Series("a", [0, 1, 2, 3], [0, math.nan, 1, 1])], axis_for("x", [0, 3]), share_axis("y"))
    assert any(shape.count("M") == 2 for shape in lines_of(picture))


def test_arrays_are_taken_as_well_as_lists():
    x = np.linspace(0, 1, 5)
    lists = Series("a", x.tolist(), x.tolist(), (x / 2).tolist(), x.tolist())
    arrays = Series("a", x, x, x / 2, x)
    drawn = [line_chart("T", [one], share_axis("x"), share_axis("y")) for one in (lists, arrays)]
    assert drawn[0] == drawn[1]
    assert 'fill-opacity="0.16"' in drawn[0]


def test_nothing_to_draw_is_said():
    picture = line_chart("T", [Series("a", [], [])], axis_for("x", []), share_axis("y"))
    assert "nothing to draw" in words_of(picture)


def test_odd_calls_are_sentences():
    with pytest.raises(UsageError, match="3 points, but 2 values"):
        Series("a", [1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match="no line style 'wavy'"):
        Series("a", [1], [1], look="wavy")
    with pytest.raises(UsageError, match="no curve 'roc' of predicted numbers"):
        curve_charts.curve_chart({"classes": [], "coverage": None, "numbers": {}, "errors": {}}, "roc")
    with pytest.raises(UsageError, match="no curve 'what'; the curves are roc"):
        curve_charts.curve_chart({"classes": []}, "what")


@pytest.mark.parametrize(
    "picture",
    [
        line_chart(ODD, [Series(ODD, [0, 1], [1, 0], notes=[ODD, ""], look="dots")], Axis(ODD), Axis(ODD)),
        dots_chart(ODD, [Dot(ODD, 0.5, 0.1, 0.9, ODD), Dot("b", math.nan)], base=ODD),
        errors_chart({"low": -1.0, "high": 1.0, "counts": [1.0, 0.0, 2.5]}, ODD),
        confusion_drawn({"labels": [ODD, "b"], "letters": ["a", "b"], "counts": [[1.0, 2.0], [0.0, 0.0]]}),
        learning_chart({"x": [1, 10, 100], "series": [{"name": ODD, "y": [0.1, 0.2, 0.3]}]}),
    ],
    ids=["lines", "dots", "errors", "confusion", "learning"],
)
def test_no_name_breaks_a_picture(picture):
    root = ET.fromstring(picture)
    assert root.find(f"{SVG}title") is not None
    assert "\u202e" not in picture
    assert "<b>" not in picture
    ET.fromstring(f'<p xmlns:x="y">{inline(picture)}</p>')
    assert "<style>" not in inline(picture)


def test_the_heat_map_has_every_count_and_the_share_as_a_tooltip():
    picture = confusion_drawn({"labels": ["yes", "no"], "letters": ["a", "b"], "counts": [[3.0, 1.0], [0.0, 9.5]]})
    assert {"3", "1", "9.5", "yes", "no"} <= set(words_of(picture))
    assert "yes, predicted no: 1 (25.0% of the class)" in picture
    assert "0 as" not in picture


@pytest.mark.parametrize("n", [1, 12, 26, 60])
def test_heat_maps_of_many_classes_stay_inside(n):
    labels = [f"class number {code}" for code in range(n)]
    letters = [str(code) for code in range(n)]
    root = ET.fromstring(confusion_drawn({"labels": labels, "letters": letters, "counts": np.eye(n).tolist()}))
    right = max(float(one.get("x")) + float(one.get("width")) for one in root.iter(f"{SVG}rect"))
    assert right <= float(root.get("width"))


def test_too_many_classes_have_no_heat_map():
    assert confusion_drawn({"labels": ["c"] * 61, "letters": [""] * 61, "counts": []}) is None
    assert confusion_drawn({"labels": [], "letters": [], "counts": []}) is None


def test_columns_have_small_pictures_by_class():
    histogram = {"low": 0.0, "high": 2.0, "counts": [3, 5], "by_class": [[1, 2], [5, 0]]}
    column = {"kind": "numeric", "name": ODD, "min": 0, "max": 2, "histogram": histogram}
    picture = column_picture(column)
    ET.fromstring(picture)
    assert picture.count('class="mark0"') == 2
    assert picture.count('class="mark1"') == 1
    assert column_picture({**column, "histogram": None}) == ""
    levels = [{"level": ODD, "rows": 3, "share": 0.75, "by_class": [2, 0]}, {"level": "b", "rows": 0, "share": 0.0}]
    nominal = column_picture({"kind": "nominal", "name": "n", "levels": levels, "others": 7, "n_levels": 12})
    ET.fromstring(nominal)
    assert "10 more levels, 7 rows" in nominal
    assert nominal.count('class="mark7"') == 1  # a row without a class
    assert column_picture({"kind": "text", "name": "t"}) == ""
