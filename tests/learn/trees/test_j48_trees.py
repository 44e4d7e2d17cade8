"""C4.5 grows the very trees that J48, the most used C4.5, grows on the textbook sets."""

import re
import warnings

import pytest

from hedgerow import C45, read
from hedgerow.data.read import open_source
from tests import textbook
from tests.learn.trees import j48_prints as j48

# A line of a printed tree: its depth, its condition and, at a leaf, the class and the weight and errors.
LINE = re.compile(r"((?:\|   )*)(.*?)(?:: (\S+) \(([^/:]+)(?:/([^:]+))?(?:: .*)?\))?")
UNPRUNED = {"prune": "none"}


def lines(text):
    """Return the tree as lists that can be compared: structure, and weights as numbers."""
    found = []
    for line in text.strip().split("\n"):
        if not line or line.startswith("Leaves:"):
            found.append((0, line, None, 0.0, 0.0))
            continue
        bars, condition, said, weight, errors = LINE.fullmatch(line).groups()
        found.append((len(bars) // 4, condition, said, float(weight or 0), float(errors or 0)))
    return found


def assert_same_tree(model, expected):
    ours, theirs = lines(str(model)), lines(expected)
    assert [line[:3] for line in ours] == [line[:3] for line in theirs]
    for our, their in zip(ours, theirs, strict=True):
        # J48 rounds to two decimals.
        assert our[3:] == pytest.approx(their[3:], abs=0.00501), f"at {our[1]}"


def read_all(path):
    """Return the table with every column in use: J48 leaves no identifier out."""
    names = [column.name for column in open_source(path).schema.columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(path, keep=names)


def found(shared_data, name):
    ending = ".arff.gz" if name == "segment" else ".arff"
    return read_all(shared_data(f"uci/{name}{ending}"))


def test_the_normaliser_reads_all_kinds_of_lines():
    text = 'a = "x: y"\n|   b <= 1.5: yes (5/2: no 2, yes 3)\n|   b > 1.5: no (0)\na = z: no (3.25)'
    assert lines(text) == [
        (0, 'a = "x: y"', None, 0, 0),
        (1, "b <= 1.5", "yes", 5, 2),
        (1, "b > 1.5", "no", 0, 0),
        (0, "a = z", "no", 3.25, 0),
    ]
    assert lines(": yes (14/5)") == [(0, "", "yes", 14, 5)]


@pytest.mark.parametrize("params", [{}, UNPRUNED], ids=["pruned", "unpruned"])
@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (textbook.weather, j48.WEATHER),
        (textbook.weather_numeric, j48.WEATHER_NUMERIC),
        (textbook.contact_lenses, j48.CONTACT_LENSES),
    ],
    ids=["weather", "weather_numeric", "contact_lenses"],
)
def test_small_tables_give_the_tree_of_j48(table, expected, params):
    """Nothing is pruned from these, so both trees are the same (weather: G14)."""
    assert_same_tree(C45(**params).train(table()), expected)


@pytest.mark.parametrize(
    ("name", "params", "expected"),
    [
        ("labor", {}, j48.LABOR),
        ("labor", UNPRUNED, j48.LABOR_UNPRUNED),
        ("iris", {}, j48.IRIS),
        ("iris", UNPRUNED, j48.IRIS),
        ("vote", {}, j48.VOTE),
        ("vote", UNPRUNED, j48.VOTE_UNPRUNED),
        ("credit-g", {}, j48.CREDIT_G),
    ],
)
def test_public_sets_give_the_tree_of_j48(shared_data, name, params, expected):
    assert_same_tree(C45(**params).train(found(shared_data, name)), expected)


@pytest.mark.parametrize("name", j48.SIZES)
def test_trees_are_as_large_as_those_of_j48(shared_data, name):
    table = found(shared_data, name)
    sizes = [re.search(r"Leaves: (\d+), size of the tree: (\d+)", str(C45(**p).train(table))) for p in ({}, UNPRUNED)]
    assert tuple(int(number) for size in sizes for number in size.groups()) == j48.SIZES[name]
