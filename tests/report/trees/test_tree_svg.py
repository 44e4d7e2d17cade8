"""Pictures of trees: valid, complete, nothing overlapping, whatever the names are."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings

import hedgerow
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import NumberTree, Tree
from hedgerow.models.views.tree_view import GRAY, PALETTE
from hedgerow.report.draw.font import fit_text, fold_words, text_width
from hedgerow.report.trees.tree_layout import tidy
from hedgerow.report.trees.tree_svg import LAYOUTS, tree_svg
from tests.models.trees.trees import PLAY, full_tree, number_trees, play_tree, trees

SVG = "{http://www.w3.org/2000/svg}"
ODD = "<b>&\"'>]]> \\N \u202e\x00\ufffe 語 é \n"


def drawn(picture):
    """Return the root element, and the group of each node by number."""
    root = ET.fromstring(picture)
    nodes = {}
    for group in root.iter(f"{SVG}g"):
        if group.get("class") in ("leaf", "test"):
            assert int(group.get("data-node")) not in nodes
            nodes[int(group.get("data-node"))] = group
    return root, nodes


def extents(root):
    """Yield what is written and every box: left, top, right, bottom, in the whole picture."""
    for layer in root.findall(f"{SVG}g"):
        dx, dy = map(float, re.fullmatch(r"translate\((\S+) (\S+)\)", layer.get("transform")).groups())
        for element in layer.iter(f"{SVG}text"):
            size, bold = float(element.get("font-size")), element.get("font-weight") == "bold"
            width = text_width(element.text or "", size, bold)
            x = float(element.get("x")) - (width / 2 if element.get("text-anchor") == "middle" else 0)
            y = float(element.get("y"))
            yield element, (dx + x, dy + y - 0.72 * size, dx + x + width, dy + y + 0.2 * size)


def box_of(group):
    one = group.find(f"{SVG}rect")
    x, y, width, height = (float(one.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def apart(one, other, slack=0.3):
    return (
        one[2] <= other[0] + slack
        or other[2] <= one[0] + slack
        or one[3] <= other[1] + slack
        or other[3] <= one[1] + slack
    )


def check(model, layout):
    picture = tree_svg(model, layout)
    assert picture == tree_svg(model, layout)
    root, nodes = drawn(picture)
    assert sorted(nodes) == list(range(len(model.nodes)))
    wide, high = float(root.get("width")), float(root.get("height"))
    written = list(extents(root))
    for element, (left, top, right, bottom) in written:
        assert left >= -0.3, element.text
        assert top >= -0.3, element.text
        assert right <= wide + 0.3, element.text
        assert bottom <= high + 0.3, element.text
    if len(written) < 120:
        for place, (element, one) in enumerate(written):
            for other_element, other in written[:place]:
                assert apart(one, other), (element.text, other_element.text)
    if layout in ("down", "right"):
        boxes = [box_of(group) for group in nodes.values()]
        for place, one in enumerate(boxes):
            assert all(apart(one, other) for other in boxes[:place])
        for group in nodes.values():
            left, _, right, _ = box_of(group)
            for text in group.findall(f"{SVG}text"):
                width = text_width(text.text or "", float(text.get("font-size")), text.get("font-weight") == "bold")
                assert width <= right - left
    return picture


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("make", [play_tree, full_tree])
def test_every_node_is_drawn_and_nothing_overlaps(make, layout):
    check(make(), layout)


@settings(max_examples=25, deadline=None)
@given(trees())
def test_any_tree_can_be_drawn(tree):
    for layout in LAYOUTS:
        check(tree, layout)


@settings(max_examples=25, deadline=None)
@given(number_trees())
def test_any_regression_tree_can_be_drawn(tree):
    for layout in LAYOUTS:
        check(tree, layout)


def test_a_picture_tells_tests_conditions_counts_and_where_missing_values_go():
    root, nodes = drawn(tree_svg(full_tree()))
    said = [element.text for element in root.iter(f"{SVG}text")]
    for words in ("Decision tree for Play", "Humidity", "Outlook", "≤ 75", "> 75", "≠ Sunny", "(3/1)", "(3.33333/1.1)"):
        assert words in said, said
    assert said.count("or missing") == 2
    assert "3 surrogates" not in said
    assert "2 surrogates" in said
    assert "Added to every leaf: No 1, Yes 0.5" in said
    assert "Costs: No predicted as Yes 5, Yes predicted as No 1" in said
    tooltip = nodes[6].find(f"{SVG}title").text.split("\n")
    assert tooltip == ["Play = No (3.33333/1.1)", "No 2.233, Yes 1.1", *tooltip[2:]]
    assert tooltip[2:] == ["Humidity <= 75", "Outlook = Sunny or missing", "Humidity > 20"]


def test_the_description_is_the_printed_tree():
    root = ET.fromstring(tree_svg(play_tree()))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
    assert str(play_tree()) in description.text


def test_leaves_have_the_color_of_their_class_and_bars_add_up():
    _, nodes = drawn(tree_svg(play_tree(), "down"))
    tree = play_tree()
    for number, group in nodes.items():
        rects = group.findall(f"{SVG}rect")
        if tree.nodes.is_leaf[number]:
            assert rects[1].get("stroke") == PALETTE[tree.decisions[number]]
        bars = [one for one in rects if one.get("height") == "7"]
        assert sum(float(one.get("width")) for one in bars) == pytest.approx(56, abs=1)
        assert len(bars) == np.count_nonzero(tree.weights[number])


def odd_tree():
    names = {ODD: [1.0, 2.0, 3.0], "語" * 80: ["a", ODD, "x" * 300], "Ziel & <Ende>": [ODD, "y", "y"]}
    table = Table.of(names, target="Ziel & <Ende>")
    nodes = Nodes.of([0, 1, -1, -1, -1], [1.5, 0, 0, 0, 0], [1, 3, 0, 0, 0], [0, 0, 3, 3, 3, 3], [0, 1, 1])
    return Tree(table.schema, nodes, np.ones((5, 2)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_name_breaks_out_of_its_place(layout):
    picture = check(odd_tree(), layout)
    assert "<b>" not in picture
    assert "\u202e" not in picture
    assert not re.search("[\x00-\x09\x0b-\x1f]", picture)
    picture.encode()


def test_long_lists_of_levels_are_shortened_and_whole_in_the_tooltip():
    levels = [f"level-{i}" for i in range(40)]
    table = Table.of({"a": levels, "c": ["x", "y"] * 20}, target="c")
    children = [0] * 15 + [1] * 25
    tree = Tree(table.schema, Nodes.of([0, -1, -1], [0] * 3, [1, 0, 0], [0, 40, 40, 40], children), np.ones((3, 2)))
    for layout in LAYOUTS:
        root, _ = drawn(check(tree, layout))
        said = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
        assert "level-0, level-1" in said
        assert re.search(r"\.\.\. \+\d+}", said)
        assert "level-14," not in said
        tooltips = " ".join(element.text for element in root.iter(f"{SVG}title"))
        assert "level-13, level-14}" in tooltips


def test_a_lone_leaf_and_a_tree_without_weights_are_drawn():
    lone = Tree.parse(": Yes (14/5)", PLAY.schema)
    by_hand = Tree.parse("Humidity <= 75: Yes\nHumidity > 75: No", PLAY.schema)
    for layout in LAYOUTS:
        assert "(14/5)" in check(lone, layout)
        assert "(n/e)" not in check(by_hand, layout)


def test_more_classes_than_colors_leave_gray_to_the_lightest():
    labels = [f"class {i}" for i in range(12)]
    table = Table.of({"a": [1.0] * 12, "c": labels}, target="c")
    tree = Tree(table.schema, Nodes.of([-1], [0], [0]), [[float(i + 1) for i in range(12)]])
    picture = check(tree, None)
    assert f'fill="{GRAY}"' in picture
    assert "5 other classes (15)" in picture
    assert all(f'fill="{color}"' in picture for color in PALETTE)


def test_numbers_are_colored_by_depth():
    table = Table.of({"a": [1.0, 2.0], "y": [1.0, 5.5]}, target="y")
    nodes = Nodes.of([0, -1, -1], [1.5, 0, 0], [1, 0, 0])
    tree = NumberTree(table.schema, nodes, [8, 4, 4], [0, 1, 5.5], [0, 0.5, 0.25])
    _, found = drawn(check(tree, "down"))
    depths = [float(found[leaf].findall(f"{SVG}rect")[1].get("fill-opacity")) for leaf in (1, 2)]
    assert depths == [0.07, 0.57]


def chain(n):
    """A tree of n leaves as deep as it can be."""
    table = Table.of({"a": [1.0, 2.0], "c": ["x", "y"]}, target="c")
    columns, first, thresholds = [0], [1], [0.0]
    for i in range(1, n):
        last = i == n - 1
        columns += [-1, -1 if last else 0]
        first += [0, 0 if last else 2 * i + 1]
        thresholds += [0.0, 0.0 if last else float(i)]
    return Tree(table.schema, Nodes.of(columns, thresholds, first), np.ones((2 * n - 1, 2)))


def test_large_trees_become_rows():
    tree = chain(300)
    picture = tree_svg(tree)
    root, nodes = drawn(picture)
    assert len(nodes) == 599
    assert picture == tree_svg(tree, "rows")
    assert float(root.get("width")) < 4000
    heights = sorted(float(group.find(f"{SVG}text").get("y")) for group in nodes.values())
    assert min(np.diff(heights)) == 20


def test_too_many_nodes_other_models_and_unknown_layouts_are_sentences():
    with pytest.raises(UsageError, match="24,001 nodes, too many for a picture"):
        tree_svg(chain(12_001))
    for layout in ("down", "right"):
        with pytest.raises(UsageError, match="4,003 nodes, too many for boxes"):
            tree_svg(chain(2_002), layout)
    table = hedgerow.examples.loan()
    with pytest.raises(UsageError, match="only trees can be drawn, not a model of kind 'rules'"):
        tree_svg(hedgerow.OneR().train(table))
    with pytest.raises(UsageError, match="draw one of its members"):
        tree_svg(hedgerow.Bagging(base="c45", n_estimators=2).train(table))
    with pytest.raises(UsageError, match="its attribute model_ is one"):
        tree_svg(hedgerow.C45().fit(PLAY))
    with pytest.raises(UsageError, match=r"no layout 'up'.*down, right, rows"):
        tree_svg(play_tree(), "up")


def test_a_notebook_shows_the_picture():
    picture = hedgerow.tree_svg(play_tree())
    assert picture._repr_svg_() == str(picture)


def test_the_ids_of_two_pictures_differ():
    ids = [set(re.findall(r' id="([^"]+)"', tree_svg(make()))) for make in (play_tree, full_tree)]
    assert not ids[0] & ids[1]


def test_subtrees_stand_evenly_between_their_neighbors():
    #      0
    #  1   2   3
    # 4 5     6 7
    children = [[1, 2, 3], [4, 5], [], [6, 7], [], [], [], []]
    middles = tidy(children, [10] * 8, gap=2)
    assert middles[2] == pytest.approx(middles[0])
    assert middles[0] == pytest.approx((middles[1] + middles[3]) / 2)
    assert min(middles) == 5
    assert middles[5] - middles[4] == pytest.approx(12)


def test_text_is_measured_shortened_and_folded():
    assert text_width("", 10) == 0
    assert text_width("mm", 10) > text_width("ii", 10)
    assert text_width("é", 10) == text_width("e", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("語", 10) >= 10
    assert text_width("m", 10, bold=True) > text_width("m", 10)
    assert fit_text("short", 10, 500) == "short"
    short = fit_text("a very long name " * 9, 10, 100)
    assert short.endswith("...")
    assert text_width(short, 10) <= 100
    assert fold_words(["one", "two", "three"], 10, 45) == ["one two", "three"]
    assert fold_words([], 10, 45) == [""]
