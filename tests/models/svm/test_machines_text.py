"""Machines in print and as tables: what is printed is what is executed."""

import re

import numpy as np
import pytest

from hedgerow import ModelError, Table
from hedgerow.layout.cell_width import count_cells
from hedgerow.models.linear.calibrator import Sigmoid, Temperature
from hedgerow.models.svm.functions import LinearFunctions
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.machines import Machines
from tests.models.svm.machine_models import ALL, PYTHON, RBF, TWO, by_hand, figures, points, rows, some

THREE = points([(1, 0), (0, 1), (0, 0)], [1, 1, -1])


def linear(table, b, slopes, told, **more):
    kernel = by_hand(table, [1, 1, 1], 0)
    functions = LinearFunctions(np.array([b], dtype=float), np.array([slopes], dtype=float))
    return Machines(table.schema, kernel.design, kernel.codes, functions, kernel.rows, figures=told, **more)


def test_hard_margin_prints_its_weights():
    """G93: w = (2, 2), b = -1, three free vectors, margin 0.707107, primal = dual = 4."""
    told = figures(cost=np.inf, bounded=0, margin=np.sqrt(0.5), primal=4.0, dual=4.0, violation=0.0)
    text = """
A support vector machine, linear, hard margin
f = the sum of coefficient times value
+ if f >= 0, else -
log-odds of + = 2 f; this is not fitted, and not a probability

             coefficient  if missing
(intercept)           -1
x1                     2    0.333333
x2                     2    0.333333

machine      rows  vectors  margin  primal  dual  gap  worst KKT
+ against -     3        3  0.7071       4     4    0          0
""".strip()
    assert str(linear(THREE, -1, [2, 2], told)) == text


def test_soft_margin_prints_its_vectors():
    """G94: C = 1, alphas (0.5, 0.5, 1), primal = dual = 1.75; margin 2 / ||w|| = 2.828427."""
    told = figures(free=2, bounded=1, margin=np.sqrt(8), violation=0.0)
    text = """
A support vector machine, with a kernel, C = 1
K(x, z) = <x.z>
f = b + the sum of alpha y K(vector, row) over its support vectors
+ if f >= 0, else -
log-odds of + = 2 f; this is not fitted, and not a probability

machine      rows  vectors  free  at C  margin  primal  dual  gap  worst KKT    b
+ against -     3        3     2     1   2.828    1.75  1.75    0          0  0.5

support vectors of  rows  vectors   share
-                      1        1  100.0%
+                      2        2  100.0%
all                    3        3  100.0%
""".strip()
    assert str(by_hand(THREE, [0.5, 0.5, 1], 0.5, figures=told)) == text


@pytest.mark.parametrize("name", [*ALL, "python"])
def test_every_print_has_lines_that_can_be_read(name):
    model = ALL.get(name, PYTHON)
    lines = str(model).split("\n")
    assert all(line == line.rstrip() for line in lines)
    assert lines[-1]
    assert max(map(count_cells, lines)) <= 120
    assert "\n\n\n" not in str(model)


def test_classes_against_the_rest_stand_side_by_side():
    text = str(ALL["rest"])
    assert "f of each class against the rest = the sum of coefficient times value" in text
    assert "P(class) = exp(f / 0.7), normalized to sum to 1" in text
    head = next(line for line in text.split("\n") if "if missing" in line)
    assert head.split() == ["no", "yes", "maybe", "if", "missing"]
    assert "no against the rest" in text


def test_pairs_have_two_lines_of_heads():
    lines = str(ALL["pairs"]).split("\n")
    at = next(i for i, line in enumerate(lines) if "if missing" in line)
    assert lines[at].split() == ["yes", "maybe", "maybe", "if", "missing"]
    assert lines[at + 1].split() == ["against", "no", "against", "no", "against", "yes"]


def test_wide_signs_keep_columns_aligned():
    lines = str(ALL["one"]).split("\n")
    head = next(i for i, line in enumerate(lines) if "coefficient  if missing" in line)
    body = lines[head + 1 : lines.index("", head)]
    assert any(line.startswith("größe 茶") for line in body)
    cells = [re.match(r".+?\s(-?[\d.]+)(?=\s|$)", line) for line in body]
    assert {count_cells(cell.group()) for cell in cells} == {count_cells(lines[head].removesuffix("  if missing"))}


def printed_coefficients(text):
    """The numbers of the printed table: names to a number a machine."""
    block = next(block for block in text.split("\n\n") if "(intercept)" in block)
    lines = block.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("(intercept)"))
    found, n = {}, None
    for line in lines[start:]:
        name, *cells = [cell for cell in line.split("  ") if cell.strip()]
        if not cells:
            break
        n = n or len(cells)
        found[name.strip()] = [float(cell) for cell in cells[:n]]
    return found


@pytest.mark.parametrize("name", ["one", "rest", "pairs"])
def test_predictions_follow_from_the_print(name):
    """What is printed is what is executed: values recomputed from the text are the model's own."""
    model = ALL[name]
    table = TWO if name == "one" else rows()
    told = printed_coefficients(str(model))
    values = np.array(told.pop("(intercept)"))[:, None] + np.zeros(table.n_rows)
    matrix = dict(zip(model.design.names, model.design.matrix(model.align(table)).T, strict=True))
    assert set(told) == set(matrix)
    for place, slopes in told.items():
        values = values + np.array(slopes)[:, None] * matrix[place]
    assert np.allclose(values, model.values(table), atol=1e-9)


@pytest.mark.parametrize("name", ["one", "rest", "pairs", "texts"])
def test_predictions_follow_from_the_table_of_coefficients(name):
    model = ALL[name]
    data = rows(texts=True) if name == "texts" else TWO if name == "one" else rows()
    matrix = model.design.matrix(model.align(data))
    matrix = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    wide = np.column_stack([np.ones(len(matrix)), matrix])
    told = np.array(model.to_arrow().column("coefficient").to_pylist()).reshape(len(model), -1)
    assert np.allclose(told @ wide.T, model.values(data))
    one = model.to_arrow().slice(1, 1).to_pylist()[0]
    assert set(one) == {"class", "against", "name", "column", "coefficient"}
    assert one["column"] == "age"
    assert (one["against"] is None) == (name in ("rest", "texts"))


@pytest.mark.parametrize("name", ["one rbf", "rest rbf", "pairs rbf"])
def test_values_follow_from_the_table_of_support_vectors(name):
    model = ALL[name]
    data = TWO if name == "one rbf" else rows()
    seen = model.functions.frame.apply(model.design.matrix(model.align(data)))
    kernel = model.functions.kernel.matrix(seen, seen)
    values, machine = np.zeros((len(model), data.n_rows)), -1
    for line in model.to_arrow().to_pylist():
        if line["row"] is None:
            machine += 1
            values[machine] += line["coefficient"]
        else:
            values[machine] += line["coefficient"] * kernel[:, int(line["row"]) - 1]
            assert line["row_class"] == data.schema.target_column.levels[data.codes(3)[int(line["row"]) - 1]]
    assert np.allclose(values, model.values(data))


def test_many_machines_are_folded():
    labels = tuple(f"class {i}" for i in range(12))
    table = Table.of({"x": np.arange(60.0), "y": np.arange(60.0) % 7, "c": [labels[i % 12] for i in range(60)]}, "c")
    text = str(some("pairs", table=table))
    assert "66 support vector machines, linear" in text
    assert "... and 46 more machines; print(model.member(20)), and to_arrow() lists all" in text
    assert "... and 46 more machines; to print one: print(model.member(20)), or hedgerow show FILE --member" in text
    assert "class 1 against class 0: intercept" in text
    rest = str(some("rest", table=table))
    assert "class 11 against the rest: intercept" in rest
    kernel = str(some("pairs", RBF, table))
    assert "... and 46 more machines" in kernel


def test_many_columns_are_folded():
    data = {f"x{i}": np.arange(30.0) + i for i in range(150)}
    table = Table.of({**data, "c": [("a", "b")[i % 2] for i in range(30)]}, "c")
    text = str(some("rest", table=table))
    assert "... and 50 more; to_arrow() lists all" in text


def test_many_terms_are_told_by_class():
    from hedgerow.data.table.schema import Column, Kind
    from hedgerow.data.table.table import Text

    words = [f"w{i} w{(i * 7) % 90} 茶{i}" for i in range(90)]
    table = Table.of({"c": [("ham", "spam", "eggs")[i % 3] for i in range(90)]}, "c")
    table = table.with_column(Column("note", Kind.TEXT), Text.of(words))
    rest = some("rest", table=table)
    lines = str(rest).split("\n")
    assert "Most informative terms of note for each class:" in lines
    assert sum(line.startswith(("  ham   for ", "  spam  for ", "  eggs  for ")) for line in lines) == 3
    assert sum(line.strip().startswith("against  ") for line in lines) == 3
    assert "by the sum of their coefficients over the pairs of a class:" in str(some("pairs", table=table))
    groups = rest.term_groups(4)
    assert [group.label for group in groups.groups] == ["ham", "spam", "eggs"]
    names = rest.design.names
    for number, group in enumerate(groups.groups):
        best = np.argsort(-rest.functions.slopes[number], kind="stable")[:4]
        assert [f"note__{term.name}" for term in group.terms] == [names[place] for place in best]
    assert some("rest", RBF, table).term_groups() is None
    assert ALL["rest"].term_groups() is None


def test_two_classes_have_terms_of_their_own():
    model = some("rest", table=rows(texts=True, classes=("no", "yes")))
    first, second = model.term_groups().groups
    assert {term.name for term in first.terms}.isdisjoint(term.name for term in second.terms)
    assert (first.label, second.label) == ("no", "yes")
    assert first.rows == 30


def test_what_is_unusual_is_said():
    told = figures(settled=False, iterations=1000, primal=np.inf, dual=np.nan, margin=np.inf, power=2)
    text = str(linear(THREE, -1, [2, 2], told))
    assert "+ against -: NOT converged to its tolerance after 1,000 steps" in text
    assert "squared slacks" in text
    assert "infinite" in text
    assert " -  " in text
    told = figures(scale="deviation")
    assert "The margin is measured in columns divided by their standard deviations" in str(
        linear(THREE, -1, [2, 2], told)
    )


def test_a_crowd_of_support_vectors_is_told():
    n = 40
    table = points([(i, i % 5) for i in range(n)], [(-1) ** i for i in range(n)])
    narrow = KernelFunction("rbf", gamma=900.0)
    text = str(by_hand(table, [0.9] * n, 0, narrow, figures=figures(free=40, bounded=0)))
    assert "Nearly all rows are support vectors: the kernel is so narrow" in text
    assert "try a larger sigma, which is a smaller gamma" in text
    text = str(by_hand(table, [1.0] * n, 0, narrow, figures=figures(free=0, bounded=40)))
    assert "most of them at the bound C: the margin is wide and soft; try a larger C" in text
    few = str(by_hand(table, [1.0] * 10 + [0.0] * 30, 0, narrow, figures=figures()))
    assert "Nearly all" not in few


def test_kernels_tell_their_numbers():
    assert "K(x, z) = exp(-0.3 |x - z|^2) (sigma 1.291)" in str(ALL["one rbf"])
    assert "K(x, z) = (<x.z> + 1)^2" in str(ALL["rest poly"])
    assert "K(x, z) = tanh(0.1 <x.z> - 1)" in str(ALL["pairs sigmoid"])
    assert "K(x, z) = values given with the data" in str(ALL["given"])
    assert "K(x, z) = the kernel function own_kernel(x, z)" in str(PYTHON)


def test_probabilities_tell_where_they_come_from():
    assert "log-odds of yes = f / 0.75" in str(ALL["one"])
    one = str(ALL["one rbf"])
    assert "P(yes) = 1 / (1 + exp(-1.5 f + 0.25)), which is 1/2 at f = 0.1667; the prediction uses the sign of f" in one
    assert "coupled (Wu, Lin and Weng 2004); the prediction uses f, not P" in str(ALL["pairs platt"])
    assert "a non-decreasing function of f of each machine, normalized to sum to 1" in str(ALL["rest rbf"])
    assert "this is not fitted, and not a probability" in str(ALL["pairs"])
    useless = some("rest", table=TWO, chances=(Sigmoid(0.0, 0.5),))
    assert "P(yes) = 1 / (1 + exp(0 f + 0.5)); the prediction uses the sign of f, not P" in str(useless)
    assert "log-odds of yes = f / 0.25" in str(some("rest", table=TWO, chances=Temperature(0.5)))


def test_names_that_would_be_unclear_are_quoted():
    table = Table.of({" x\n": np.arange(6.0), "c": ["a", " b"] * 3}, "c")
    text = str(some("rest", table=table))
    assert '" b" if f >= 0, else a' in text
    assert '" x\\n"' in text


@pytest.mark.parametrize("name", list(ALL))
def test_every_machine_prints_for_itself(name):
    model = ALL[name]
    for number in range(len(model)):
        lines = model.member(number).split("\n")
        one, other = model.side_names(number)
        assert lines[0] == f"Machine {number} of {len(model)}: {one} against {other}"
        assert max(map(count_cells, lines)) <= 120
    for number in (-1, len(model)):
        with pytest.raises(ModelError, match=f"no machine {number}; the machines are numbered 0 to"):
            model.member(number)


def test_a_linear_machine_tells_all_its_coefficients():
    told = printed_coefficients(ALL["pairs"].member(1))
    assert [values[0] for values in told.values()] == [
        ALL["pairs"].functions.intercepts[1],
        *ALL["pairs"].functions.slopes[1],
    ]


def test_a_kernel_machine_tells_its_heaviest_vectors():
    model = ALL["pairs rbf"]
    lines = model.member(2).split("\n")
    assert lines[2].split() == ["class", "row", "alpha", "y", "age", "sky", "größe", "茶"]
    places, coefs = model.functions.machine(2)
    first = places[np.abs(coefs).argmax()]
    assert lines[3].split()[1] == str(model.functions.rows[first] + 1)
    many = points([(i, i % 3) for i in range(40)], [(-1) ** i for i in range(40)])
    text = by_hand(many, [0.5] * 40, 0, RBF).member(0)
    assert "... and 20 more support vectors; to_arrow() lists all" in text


def test_wide_rows_of_vectors_are_cut():
    data = {f"a very long name of column {i} 茶茶": np.arange(30.0) * (i + 1) for i in range(9)}
    table = Table.of({**data, "c": [("a", "b")[i % 2] for i in range(30)]}, "c")
    text = some("rest", RBF, table).member(0)
    assert "columns are not shown" in text
    assert max(map(count_cells, text.split("\n"))) <= 100
