"""Explanations of support vector machines: by column and term, or by support vectors that are shown as rows."""

import json

import numpy as np
import pytest

from hedgerow import Table
from hedgerow.explain.decision import explain_rows
from hedgerow.layout.cell_width import count_cells
from hedgerow.models.base.reason import NoReason, SumReason
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.reason import SupportReason
from hedgerow.models.svm.support import explain_by_support
from hedgerow.models.svm.support_rows import row_cells
from hedgerow.report.explanations.decision_article import decision_article
from hedgerow.report.explanations.explanation import explanations
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text import article_lines
from tests.models.svm.machine_models import ALL, PYTHON, RBF, TWO, by_hand, points, rows, some
from tests.models.svm.test_machines import numbers, one_number, table_of

KERNELS = [
    name for name in ALL if "rbf" in name or "poly" in name or "sigmoid" in name or name in ("given", "pairs platt")
]


def difference(model, decision, values):
    """What sets the two classes of a decision apart, from the values of the machines."""
    decided, against = decision.sides.winner, decision.sides.against
    if model.form == "rest":
        return values[decided] - values[against]
    lines = model.codes.entries
    number = int(np.flatnonzero((lines[:, decided] != 0) & (lines[:, against] != 0))[0])
    return lines[number, decided] * values[number]


@pytest.mark.parametrize("name", list(ALL))
def test_what_adds_is_what_sets_the_classes_apart(name):
    model, table = ALL[name], table_of(name)
    values = model.values(table)
    for decision in explain_rows(model, table, range(8)):
        wanted = difference(model, decision, values[:, decision.number - 1])
        total = decision.reason.to_dict()["total"]
        assert total == pytest.approx(wanted, abs=1e-9)
        assert isinstance(decision.reason, SupportReason if name in KERNELS else SumReason)


@pytest.mark.parametrize("name", KERNELS)
def test_pulls_and_the_intercept_add_up(name):
    model, table = ALL[name], table_of(name)
    for row in range(6):
        one = model.align(table.slice(row, row + 1))
        decided = int(model.decide_rows(one)[0])
        against = next(code for code in model.codes.used if code != decided)
        found = explain_by_support(model, one, decided, against)
        assert found.start + sum(found.both) == pytest.approx(found.total)
        adds = [abs(pull.adds) for pull in found.strongest]
        assert adds == sorted(adds, reverse=True)
        assert sum(pull.adds > 0 for pull in found.strongest) <= 5
        near = [pull.kernel if pull.distance is None else -pull.distance for pull in found.nearest]
        assert near == sorted(near, reverse=True)
        grounds = model.contributions(one)
        assert np.isfinite(grounds.scores).all()


def test_grounds_of_the_only_row_sum_to_what_decides():
    for name in ("one", "rest", "one rbf", "rest rbf"):
        model, table = ALL[name], table_of(name)
        for row in range(5):
            one = model.align(table.slice(row, row + 1))
            values, scores = model.values(one)[:, 0], model.contributions(one).scores
            best = np.sort(scores)[::-1]
            if model.form == "one":
                assert abs(best[0] - best[1]) == pytest.approx(abs(values[0]))
            elif name == "rest":
                assert np.allclose(scores, values)
            else:
                order = np.sort(values)[::-1]
                assert scores.max() == pytest.approx(order[0] - order[1])


def test_a_row_is_its_own_nearest_support_vector():
    """G94: of the corners of XOR each is a support vector, and pulls 9/8 to its own class."""
    table = points([(1, 1), (1, -1), (-1, 1), (-1, -1)], [-1, 1, 1, -1])
    model = by_hand(table, [1 / 8] * 4, 0, KernelFunction("poly", theta=1.0, degree=2))
    told = explain_rows(model, table, [1])[0].to_dict()["why"]
    first = told["strongest"][0]
    assert first == {"row": 2, "class": "+", "adds": 9 / 8, "kernel": 9.0, "distance": 0.0, "values": ["1", "-1"]}
    assert told["nearest"][0] == first
    assert told["nearest"][1]["distance"] == 2.0
    assert told["total"] == pytest.approx(1.0)
    assert told["sides"] == {"for": {"vectors": 2, "adds": 1.25}, "against": {"vectors": 2, "adds": -0.25}}
    assert told["columns"] == ["x1", "x2"]


def test_the_text_shows_support_vectors_as_rows():
    table = points([(1, 1), (1, -1), (-1, 1), (-1, -1)], [-1, 1, 1, -1])
    model = by_hand(table, [1 / 8] * 4, 0, KernelFunction("poly", theta=1.0, degree=2))
    text = """
Row 2: c = + rather than -; correct
  P(+) = 0.881, P(-) = 0.119

  4 support vectors contribute to + (+) or to - (-), by alpha times K:
    2 for +                 +1.2500
    2 for -                 -0.2500
    intercept               +0.0000
    total (decision value)  +1.0000

  The support vectors with the largest contributions, by their row in the training data:
         row  class  contribution  K  distance  x1  x2
    this row                                     1  -1
           2  +           +1.1250  9         0   1  -1
           3  +           +0.1250  1     2.828  -1   1
           1  -           -0.1250  1         2   1   1
           4  -           -0.1250  1         2  -1  -1

  The nearest support vectors, by distance on the scaled columns:
         row  class  contribution  K  distance  x1  x2
    this row                                     1  -1
           2  +           +1.1250  9         0   1  -1
           1  -           -0.1250  1         2   1   1
           4  -           -0.1250  1         2  -1  -1
           3  +           +0.1250  1     2.828  -1   1
""".strip()
    assert str(explanations(model, table, [1])[0]) == text


@pytest.mark.parametrize("name", [*ALL, "python"])
@pytest.mark.parametrize("columns", [60, 100])
def test_lines_fit_and_values_are_json(name, columns):
    model = ALL.get(name, PYTHON)
    table = TWO if name == "python" else table_of(name)
    for decision in explain_rows(model, table, range(3)):
        told = decision.to_dict()
        assert json.loads(json.dumps(told)) == told
        assert all(count_cells(line) <= columns for line in article_lines(decision_article(told), Terminal(columns)))


@pytest.mark.parametrize("name", ["one rbf", "texts rbf", "given"])
def test_pages_show_the_same(name):
    page = explanations(ALL[name], table_of(name), [2])[0]._repr_html_()
    assert "support vectors contribute to" in page
    assert "The nearest support vectors" in page
    assert ("this row" in page) == (name != "given")


def test_hostile_names_do_not_reach_the_page():
    table = Table.of({"<b>x": np.arange(12.0), "c": ["<i>a", "b&"] * 6}, "c")
    page = explanations(some("rest", RBF, table), table, [2])[0]._repr_html_()
    assert "<b>x" not in page
    assert "<i>a" not in page


def test_levels_missing_values_and_terms_are_read_back():
    model, table = ALL["texts rbf"], rows(texts=True)
    matrix = model.design.matrix(model.align(table))
    cells = [row_cells(model.design, matrix[[row]]) for row in range(10)]
    assert cells[0][:2] == ["missing", "missing"]
    assert cells[1][1] == "rain"
    assert cells[0][3] in ("good day", "day good")
    assert cells[2][3] == ""
    assert float(cells[5][0]) == pytest.approx(table.numbers(0)[5], rel=1e-5)


def test_whole_numbers_and_dates_are_told_in_full():
    from hedgerow.data.design.blocks import NumberBlock
    from hedgerow.data.design.design import Design
    from hedgerow.data.table.schema import Column, Kind, Schema

    schema = Schema((Column("n", Kind.NUMERIC), Column("d", Kind.NUMERIC, date="yyyy-MM-dd")), None)
    design = Design(schema, (NumberBlock(0.0, 1.0), NumberBlock(0.0, 1.0)))
    assert row_cells(design, np.array([12345678.0, 0.0])) == ["12345678", "1970-01-01"]
    assert row_cells(design, np.array([1 / 3, 86400.0])) == ["0.333333", "1970-01-02"]
    assert row_cells(design, np.array([1e300, 86400.0]))[0] == "1e+300"


def test_many_columns_show_those_that_differ():
    chance = np.random.default_rng(2)
    data = {f"c{i}": chance.normal(size=40) * (10 if i == 70 else 1) for i in range(80)}
    table = Table.of({**data, "c": [("a", "b")[i % 2] for i in range(40)]}, "c")
    model = some("rest", RBF, table)
    told = explain_rows(model, table, [0])[0].to_dict()
    assert len(told["why"]["columns"]) == 50
    assert told["why"]["more_columns"] == 30
    text = "\n".join(article_lines(decision_article(told), Terminal()))
    assert "columns with smaller differences not shown)" in text


def test_votes_of_pairs_are_told():
    decision = explain_rows(ALL["pairs rbf"], rows(), [0])[0]
    assert decision.notes[-1].startswith("votes of 3 pairs: ")
    assert explain_rows(ALL["rest"], rows(), [0])[0].notes == ()
    many = Table.of({"x": np.arange(48.0), "c": [f"c{i % 8}" for i in range(48)]}, "c")
    note = explain_rows(some("pairs", RBF, many), many, [0])[0].notes[-1]
    assert note.startswith("votes of 28 pairs: ")
    assert note.endswith(" and 3 more classes")


def test_the_margins_decide_and_not_the_probabilities():
    from hedgerow.models.linear.calibrator import Sigmoid

    model = one_number([0.1], [0.0], (Sigmoid(-1.0, 3.0),))
    decision = explain_rows(model, numbers([0.0]))[0]
    assert decision.decision == "b"
    assert "a is more probable, but the margins decide for b" in decision.notes


def test_one_class_has_nothing_to_tell():
    decision = explain_rows(one_number([1.0], [0.0], k=2, used=[1]), numbers([0.0]))[0]
    assert isinstance(decision.reason, NoReason)
    assert decision.decision == "b"


def test_a_class_without_rows_cannot_be_set_against():
    model = one_number([0.0], [1.0], k=3, used=[0, 1])
    decision = explain_rows(model, numbers([1.0]), against="c")[0]
    assert decision.reason.to_dict()["told"] == "no machine separates these two classes"


def test_words_that_speak_are_marked():
    decision = explain_rows(ALL["texts"], rows(texts=True), [0])[0]
    assert decision.texts[0].column == "note"
    assert decision.texts[0].amounts.any()
    kernel = explain_rows(ALL["texts rbf"], rows(texts=True), [0])[0]
    assert kernel.texts[0].column == "note"
