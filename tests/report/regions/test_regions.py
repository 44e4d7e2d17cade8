"""Decision regions: what is drawn is what the model decides."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, KNN, SVM, Logistic, NaiveBayes, Table
from hedgerow.data.design.design import Design
from hedgerow.errors import DataError, UsageError
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.machines import Machines
from hedgerow.report.draw.contours import contour, rectangles
from hedgerow.report.draw.svg import GRAY_HUE
from hedgerow.report.regions.regions import MOST_POINTS, regions
from hedgerow.report.regions.regions_svg import regions_svg

SVG = "{http://www.w3.org/2000/svg}"


def mixed(n=80, classes=3, seed=1):
    """A table with three numeric columns, a nominal one, missing values everywhere, and odd names."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(3, n))
    codes = (np.digitize(x + y, np.linspace(-1, 1, classes - 1)) if classes > 1 else np.zeros(n)).astype(int)
    rows = np.arange(n)
    columns = {
        'läng <&> "e"': np.where(rows % 11 == 0, np.nan, x),
        "y": np.where(rows % 13 == 5, np.nan, y),
        "z": np.where(rows % 7 == 0, np.nan, z + 40),
        "shade": [None if i % 9 == 0 else ("dark", "light", "light")[i % 3] for i in range(n)],
        "class": [None if i % 19 == 3 else f"<{c}>" for i, c in enumerate(codes)],
    }
    return Table.of(columns, target="class")


def two_machines(linear=False):
    """Return the machine f = x + y - 1 as M205 has it, linear or as a kernel machine of two vectors."""
    table = Table.of(
        {"x": [0.0, 1.0, 0.0, 2.0, 1.0], "y": [0.0, 1.0, -1.0, 2.0, 0.0], "class": ["n", "p", "n", "p", "p"]},
        target="class",
    )
    design, codes, rows = Design.learn(table), CodeMatrix.pairs(2), np.array([2, 3])
    if linear:
        functions = LinearFunctions(np.array([-1.0]), np.array([[1.0, 1.0]]))
    else:
        matrix, alphas = design.matrix(table), [(np.array([0, 1]), np.array([-1.0, 1.0]))]
        kernel, labels = KernelFunction("linear"), table.target_codes
        functions = KernelFunctions.of(kernel, DesignScaling.plain(2), matrix, labels, alphas, np.array([-1.0]))
    return Machines(table.schema, design, codes, functions, rows), table


def parsed(picture):
    return ET.fromstring(picture)


def words(picture):
    return [one.text for one in parsed(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("learner", [NaiveBayes(), C45(), KNN(), Logistic()], ids=lambda one: one.name)
def test_every_cell_is_what_the_model_decides_there(learner):
    table = mixed()
    model = learner.train(table)
    names = (model.schema.names[2], "y")
    found = regions(model, table, names, (40, 30))
    x = found.x.low + (np.arange(40) + 0.5) / 40 * (found.x.high - found.x.low)
    y = found.y.high - (np.arange(30) + 0.5) / 30 * (found.y.high - found.y.low)
    across, up = np.meshgrid(x, y)
    first = model.schema.names[0]
    held = dict(found.held)
    columns = {
        first: np.full(1200, float(held.get(first, 0))),
        "y": up.ravel(),
        "z": across.ravel(),
        "shade": ["light"] * 1200,
    }
    told = model.decide(Table.of(columns, levels={"shade": model.schema["shade"].levels}))
    assert (found.codes.ravel() == told).mean() > 0.98  # cells that all around them decide alike are not looked at
    assert held.get("shade", "light") == "light"


def test_other_columns_are_held_at_mean_and_mode_and_the_caption_says_so():
    table = mixed()
    model = NaiveBayes().train(table)
    first = table.schema.names[0]
    picture = regions_svg(model, table, [first, "y"])
    mean = float(f"{np.nanmean(table.numbers(2)):.6g}")
    said = " ".join(words(picture))
    assert f"Other columns are fixed at their mean or most frequent value: z = {mean:g}, shade = light." in said
    assert "rows lack one of the two numbers and cannot be drawn." in said
    assert "unknown class" in said


def test_pictures_are_sound_and_say_the_classes():
    table = mixed()
    picture = regions_svg(C45().train(table), table)
    assert {"<0>", "<1>", "<2>"} <= set(words(picture))
    root = parsed(picture)
    assert len(root.findall(f".//{SVG}circle")) > 60
    assert picture == regions_svg(C45().train(table), table)
    assert "of the area" in root.find(f"{SVG}desc").text


def test_of_many_classes_the_heaviest_have_a_color():
    table = mixed(300, classes=12)
    found = regions_svg(KNN().train(table), table)
    assert "other classes" in words(found)
    assert f'class="mark{GRAY_HUE}"' in found


@pytest.mark.parametrize("linear", [False, True])
def test_margins_and_support_vectors_of_a_machine(linear):
    """f = x + y - 1: the rows (0, 0) and (1, 1) stand at f = -1 and 1; (1, 0) at f = 0 is inside the margin."""
    model, table = two_machines(linear)
    found = regions(model, table, cells=(200, 200))
    assert found.codes[0, -1] == 1
    assert found.codes[-1, 0] == 0
    support = [[0, 0], [1, 0], [1, 1]] if linear else [[0, 0], [1, 1]]
    assert found.support.tolist() == support
    (field,) = found.fields
    for level in (-1, 0, 1):
        for line in contour(field.values, level):
            columns, rows = np.array(line).T * 4 / 200
            x = found.x.low + columns * (found.x.high - found.x.low)
            y = found.y.high - rows * (found.y.high - found.y.low)
            assert np.allclose(x + y - 1, level)
    picture = regions_svg(model, table)
    assert {"f = 0", "f = -1 and f = 1", "support vectors"} <= set(words(picture))
    rings = [one for one in parsed(picture).iter(f"{SVG}circle") if one.get("fill") == "none"]
    assert len(rings) == 1 + len(support)


def test_a_kernel_machine_is_drawn_without_data():
    model, _ = two_machines()
    found = regions(model, cells=(40, 40))
    assert found.points is None
    assert (found.x.low, found.x.high) == pytest.approx((-0.05, 1.05))
    linear, _ = two_machines(linear=True)
    assert regions(linear).support is None
    assert regions(Logistic().train(mixed())).held == (("z", "missing"), ("shade", "missing"))
    said = words(regions_svg(Logistic().train(mixed())))
    assert "Other columns are missing: z, shade." in said
    with pytest.raises(UsageError, match="does not store the range of its columns; add data to the command"):
        regions(C45().train(mixed()))


def test_pairs_have_lines_where_their_classes_are_the_best():
    rng = np.random.default_rng(0)
    table = Table.of({"x": rng.normal(size=9), "y": rng.normal(size=9), "class": list("abcabcabc")}, target="class")
    slopes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])
    functions = LinearFunctions(np.zeros(3), slopes)
    model = Machines(table.schema, Design.learn(table), CodeMatrix.pairs(3), functions, np.array([3, 3, 3]))
    found = regions(model, table, cells=(80, 80))
    assert {field.name for field in found.fields} == {"a and b", "a and c", "b and c"}
    assert all(np.isnan(field.values).any() for field in found.fields)
    assert "The lines of a pair of classes are drawn only where these are the two best classes." in words(
        regions_svg(model, table)
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_machines_against_the_rest_have_rings_of_their_own_class(kernel):
    """Of three classes in a line, all rows are support vectors of the middle one's linear machine."""
    rng = np.random.default_rng(3)
    codes = np.arange(60) % 3
    columns = {"x": codes * 4 + rng.normal(size=60) / 2, "y": rng.normal(size=60) / 2, "class": list("abc" * 20)}
    table = Table.of(columns, target="class")
    model = SVM(kernel=kernel, classes="rest", probabilities="none", random_state=1).train(table)
    found = regions(model, table, cells=(40, 40))
    assert found.fields == ()
    assert found.notes == ("rings mark the support vectors of the machine for their own class against the rest",)
    values, own = model.values(table), table.target_codes
    near = np.flatnonzero(values[own, np.arange(60)] <= 1 + 1e-3)
    places = np.column_stack([table.numbers(0), table.numbers(1)])
    assert np.array_equal(found.support, np.unique(places[near], axis=0))
    assert 0 < len(found.support) < 60


def test_many_rows_are_drawn_in_part():
    rng = np.random.default_rng(0)
    n = MOST_POINTS + 500
    table = Table.of({"x": rng.normal(size=n), "y": rng.normal(size=n), "class": ["a", "b"] * (n // 2)}, target="class")
    found = regions(NaiveBayes().train(table), table, cells=(8, 8))
    assert len(found.points.x) == MOST_POINTS
    assert found.notes == ("2,000 of 2,500 rows are shown",)


@pytest.mark.parametrize(
    "x", [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1e300, -1e300, 1.0, 2.0], [1e-300, 2e-300, 0.0, 1e-300]]
)
def test_odd_numbers_have_pictures(x):
    table = Table.of({"x": x, "y": [1.0, None, 3.0, 4.0], "class": ["a", "b", "a", "b"]}, target="class")
    parsed(regions_svg(C45().train(table), table, ["x", "y"]))


def test_one_class_one_row_and_no_class():
    table = Table.of({"x": [1.0], "y": [2.0], "class": ["a"]}, target="class")
    model = NaiveBayes().train(table)
    assert (regions(model, table).codes == 0).all()
    new = Table.of({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    assert regions(model, new).points.codes.tolist() == [-1, -1]


def test_what_cannot_be_drawn_is_said():
    table = mixed()
    first = table.schema.names[0]
    model = NaiveBayes().train(table)
    for columns, said in [
        (["y"], "over two columns, not over 'y'"),
        (["y", "y"], "over two columns"),
        (["y", "zz"], "has no column 'zz'"),
        (["y", "shade"], "is nominal, but regions are drawn over numeric columns"),
        (["y", "class"], "is the target"),
    ]:
        with pytest.raises(UsageError, match=said):
            regions(model, table, columns)
    with pytest.raises(UsageError, match="the model has only 'y'"):
        regions(NaiveBayes().train(table.select(["y", "shade", "class"])), table)
    with pytest.raises(UsageError, match="the model has none"):
        regions(NaiveBayes().train(hedgerow.examples.loan()), hedgerow.examples.loan())
    with pytest.raises(UsageError, match="does not predict classes"):
        regions(hedgerow.LinearRegression().train(table.select([first, "z", "y"]).with_target("y")), table)
    empty = Table.of({**{name: [None, None] for name in (first, "y", "z")}, "shade": ["dark", "light"]})
    with pytest.raises(DataError, match="has no number"):
        regions(model, empty)


# -- shapes ---------------------------------------------------------------------------------------------------


def test_rectangles_cover_every_cell_once():
    rng = np.random.default_rng(0)
    codes = np.kron(rng.integers(-1, 3, (6, 5)), np.ones((3, 2))).astype(np.int32)
    seen = np.full(codes.shape, -9)
    for code, boxes in rectangles(codes).items():
        for left, top, width, height in boxes:
            assert (seen[top : top + height, left : left + width] == -9).all()
            seen[top : top + height, left : left + width] = code
    assert (seen == codes).all()


def test_a_contour_of_a_circle_is_one_closed_line():
    y, x = np.mgrid[-10:11, -10:11].astype(float)
    (line,) = contour(np.hypot(x, y), 6.3)
    assert line[0] == line[-1]
    assert np.allclose(np.hypot(*(np.array(line).T - 10)), 6.3, atol=0.06)


def test_contours_of_saddles_levels_at_nodes_and_missing_corners():
    y, x = np.mgrid[-5:6, -5:6].astype(float)
    assert len(contour((x + 0.5) * (y + 0.5), 0.1)) == 2
    assert len(contour(np.array([[1.0, -1], [-1, 1]]), 0.5)) == 2
    (line,) = contour(x, 0.0)  # through nodes
    assert {point[0] for point in line} == {5.0}
    assert contour(np.full((4, 4), np.nan), 0.0) == []
    assert contour(np.ones((4, 4)), 0.0) == []
    broken = x.copy()
    broken[5, 5] = np.nan
    assert len(contour(broken, 0.5)) == 2
