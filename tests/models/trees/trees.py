"""Trees for tests: some by hand, and any that Hypothesis can think of."""

import numpy as np
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import NumberTree, Tree
from tests.models.rules.rule_lists import numbers, schemas, weights

PLAY = Table.of(
    {
        "Outlook": ["Sunny", "Sunny", "Overcast", "Rainy", None],
        "Humidity": [70.0, 90.0, 80.0, None, None],
        "Windy": ["no", "yes", "no", "yes", "yes"],
        "Play": ["Yes", "No", "Yes", "Yes", "No"],
    },
    target="Play",
    levels={"Outlook": ["Sunny", "Overcast", "Rainy"], "Play": ["No", "Yes"]},
)

PRINTED = """\
Outlook = Sunny
|   Humidity <= 75: Yes (2)
|   Humidity > 75: No (3)
Outlook = Overcast: Yes (4)
Outlook = Rainy
|   Windy = no: Yes (3)
|   Windy = yes: No (2)

Leaves: 5, size of the tree: 8"""

EVERYTHING = """\
?   Outlook in {Sunny, Rainy} as Humidity <= 75
?   Outlook = Overcast as Humidity > 75
?   Windy = yes as Humidity > 75
Humidity <= 75
|   Outlook != Sunny: No (3/1)
|   Outlook = Sunny or missing
|   |   Humidity <= 20: Yes (0)
|   |   Humidity > 20: No (3.33333/1.1)
Humidity > 75 or missing: No (6/4)

Leaves: 4, size of the tree: 7
Added to every leaf: No 1, Yes 0.5
Costs: No predicted as Yes 5, Yes predicted as No 1"""


def play_tree():
    return Tree.parse(PRINTED, PLAY.schema)


def full_tree():
    return Tree.parse(EVERYTHING, PLAY.schema)


@st.composite
def nodes(draw, schema, most=4):
    """Any tests of the columns of a schema."""
    usable = [
        position
        for position, column in enumerate(schema.columns)
        if column.name != schema.target and (column.kind is Kind.NUMERIC or len(column.levels) > 1)
    ]
    columns, thresholds, first, levels, missing, surrogates = [], [], [], [], [], []
    n, inner = 1, 0
    while len(columns) < n:
        if not usable or inner == most or not draw(st.booleans()):
            columns.append(-1), thresholds.append(0.0), first.append(0), levels.append([]), missing.append(-1)
            surrogates.append([])
            continue
        inner += 1
        position = draw(st.sampled_from(usable))
        children = _children(draw, schema.columns[position])
        count = max(children) + 1 if children else 2
        columns.append(position)
        thresholds.append(0.0 if children else draw(numbers))
        first.append(n)
        levels.append(children)
        missing.append(draw(st.integers(-1, count - 1)))
        others = [p for p in usable if p != position] if count == 2 else []
        surrogates.append(draw(st.lists(st.sampled_from(others), unique=True)) if others else [])
        n += count
    tests = [_surrogate(draw, schema.columns[position]) for run in surrogates for position in run]
    return Nodes.of(
        columns,
        thresholds,
        first,
        np.cumsum([0, *map(len, levels)]),
        [child for run in levels for child in run],
        missing,
        np.cumsum([0, *map(len, surrogates)]),
        [position for run in surrogates for position in run],
        [test[0] for test in tests],
        [test[1] for test in tests],
        np.cumsum([0, *(len(test[2]) for test in tests)]),
        [child for test in tests for child in test[2]],
    )


def _children(draw, column):
    """The child of each level: one each, or groups."""
    n = len(column.levels)
    if column.kind is Kind.NUMERIC or draw(st.booleans()):
        return [] if column.kind is Kind.NUMERIC else list(range(n))
    count = draw(st.integers(2, n))
    rest = draw(st.lists(st.integers(0, count - 1), min_size=n - count, max_size=n - count))
    return list(draw(st.permutations([*range(count), *rest])))


def _surrogate(draw, column):
    if column.kind is Kind.NUMERIC:
        return draw(numbers), draw(st.integers(0, 1)), []
    n = len(column.levels)
    said = draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n).filter(lambda run: max(run) >= 0))
    return 0.0, 0, said


@st.composite
def trees(draw, amounts=weights, costs=True):
    schema = draw(schemas())
    k = len(schema.target_column.levels)
    tests = draw(nodes(schema))
    n = len(tests)
    by_class = draw(st.lists(st.lists(amounts, min_size=k, max_size=k), min_size=n, max_size=n))
    decisions = draw(st.none() | st.lists(st.integers(-1, k - 1), min_size=n, max_size=n))
    added = draw(st.none() | st.lists(st.floats(0, 9), min_size=k, max_size=k))
    matrix = None
    if costs and draw(st.booleans()):
        matrix = np.array(draw(st.lists(st.floats(0, 99), min_size=k * k, max_size=k * k))).reshape(k, k)
        np.fill_diagonal(matrix, 0)
    return Tree(schema, tests, by_class, decisions, added, matrix)


@st.composite
def number_trees(draw):
    known = draw(schemas())
    schema = Schema((*known.columns, Column("the number", Kind.NUMERIC)), "the number")
    tests = draw(nodes(schema))
    n = len(tests)
    values = st.floats(-1e100, 1e100)
    spreads = st.one_of(st.floats(0, 1e100), st.floats(0, 10), st.just(0.0))
    lists = [draw(st.lists(of, min_size=n, max_size=n)) for of in (weights, values, spreads)]
    return NumberTree(schema, tests, *lists)
