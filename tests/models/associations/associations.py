"""Item sets and association rules for tests: those of the weather, and any that Hypothesis can think of."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from hedgerow.data.formats.basket import basket_table
from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, SparseNumbers, Table
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.associations.set_arrays import pack_sets
from hedgerow.models.base.model import About
from tests.textbook import WEATHER

NAMES = ["Outlook", "Temperature", "Humidity", "Windy", "Play"]
WORDS = st.text(st.sampled_from(list('ab {},"=<>#:\\\n\t1.é🌦\u00a0\u2028')), max_size=4) | st.sampled_from(
    [" => ", "=>", "{a}", "# x", "a, b", "1e5", "no rules", "1<x<=2", " a", "a  b", "if", "a of b", "-1", "a:b", "true"]
)


def weather_table():
    rows = [line.split()[1:] for line in WEATHER.strip().splitlines()]
    return Table.of({name: [row[i] for row in rows] for i, name in enumerate(NAMES)}, "Play")


def count(baskets, codes):
    """The weight of the rows that hold all of some items, one by one."""
    weights = np.ones(len(baskets)) if baskets.weights is None else baskets.weights
    found = sum(w for row, w in zip(baskets, weights.tolist(), strict=True) if set(codes) <= set(row.tolist()))
    return float(found) if baskets.weights is not None else int(found)


def sets_by_hand(table, least=2):
    """All frequent sets, by trying each one."""
    items = Items.of(table.schema)
    baskets = items.baskets(table)
    found = []
    for size in range(1, len(table.schema) + 1):
        found += [
            (codes, n) for codes in combinations(range(len(items)), size) if (n := count(baskets, codes)) >= least
        ]
    offsets, flat = pack_sets(items, [codes for codes, _ in found])
    counts = np.array([n for _, n in found], dtype=np.int64 if baskets.weights is None else np.float64)
    return ItemSets.of(items, offsets, flat, counts, baskets.total, bound=least, about=About("Hand", rows=len(table)))


def rules_of(items, baskets, pairs, about=None):
    """Rules with these sides (codes), counted on baskets."""
    pool = list(dict.fromkeys(tuple(sorted(side)) for pair in pairs for side in pair))
    place = {side: number for number, side in enumerate(pool)}
    offsets, codes = pack_sets(items, pool)
    left, right = (np.array([place[tuple(sorted(pair[i]))] for pair in pairs], dtype=np.int32) for i in (0, 1))
    dtype = np.int64 if baskets.weights is None else np.float64
    counts = np.array([count(baskets, {*a, *b}) for a, b in pairs], dtype=dtype)
    set_counts = np.array([count(baskets, side) if side else baskets.total for side in pool], dtype=dtype)
    return AssociationRules.of(items, offsets, codes, left, right, counts, set_counts, baskets.total, about=about)


def weather_rules(*sides):
    table = weather_table()
    items = Items.of(table.schema)
    pairs = [tuple([items.code(name) for name in side] for side in pair) for pair in sides]
    return rules_of(items, items.baskets(table), pairs, About("Hand", {"by": "hand"}, 14, 14.0, ("a note",)))


@st.composite
def item_tables(draw):
    """Tables of all the kinds of columns that make items, with odd names, missing values and perhaps weights."""
    n_rows = draw(st.integers(0, 6))
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n_rows, max_size=n_rows))
    weights = None if weights is None else np.array(weights)
    names = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    if draw(st.booleans()):
        words = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
        return basket_table(words, *draw(bag_rows(n_rows, len(words)))).with_weights(weights)
    columns, data = [], []
    for name in names:
        kind = draw(st.sampled_from(["nominal", "numeric", "presence", "sparse", "bag", "truth"]))
        if kind in ("nominal", "truth"):
            levels = ("false", "true") if kind == "truth" else tuple(draw(st.lists(WORDS, max_size=3, unique=True)))
            codes = draw(st.lists(st.integers(-1, len(levels) - 1), min_size=n_rows, max_size=n_rows))
            columns.append(Column(name, Kind.NOMINAL, levels))
            data.append(np.array(codes, dtype=np.int32))
        elif kind == "bag":
            words = tuple(draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)))
            offsets, codes = draw(bag_rows(n_rows, len(words)))
            inner = Schema((Column("item", Kind.NOMINAL, words),))
            columns.append(Column(name, Kind.BAG, inner=inner))
            data.append(Bags(Table(inner, (codes,), len(codes)), offsets))
        else:
            values = [0.0, 1.0, np.nan] if kind == "presence" else [0.0, -1.5, 1e-7, 2.0, 1e22, np.nan]
            numbers = np.array(draw(st.lists(st.sampled_from(values), min_size=n_rows, max_size=n_rows)))
            columns.append(Column(name, Kind.NUMERIC))
            rows = np.flatnonzero(numbers != 0)
            data.append(SparseNumbers(rows, numbers[rows], n_rows) if kind == "sparse" else numbers.astype(np.float64))
    return Table(Schema(tuple(columns)), tuple(data), n_rows, weights)


@st.composite
def bag_rows(draw, n_rows, n_words):
    bags = [draw(st.lists(st.integers(-1, n_words - 1), max_size=4)) for _ in range(n_rows)]
    offsets = np.cumsum([0, *map(len, bags)]).astype(np.int64)
    return offsets, np.array([code for bag in bags for code in bag], dtype=np.int32)


@st.composite
def association_rules(draw):
    """Rules over any items, counted on a table, and that table."""
    table = draw(item_tables())
    items = Items.from_table(table, draw(st.lists(WORDS, max_size=2, unique=True)))
    baskets = items.baskets(table)
    groups = items.groups.tolist()

    def fits(codes):
        columns = [groups[code] for code in codes if groups[code] >= 0]
        return len(set(codes)) == len(codes) and len(set(columns)) == len(columns)

    pairs = []
    for _ in range(draw(st.integers(0, 6)) if len(items) else 0):
        codes = draw(st.lists(st.integers(0, len(items) - 1), min_size=1, max_size=4))
        at = draw(st.integers(0, len(codes) - 1))
        if fits(codes):
            pairs.append((codes[:at], codes[at:]))
    made = rules_of(items, baskets, pairs)
    return made.take(made.counts > 0) if draw(st.booleans()) else made, table
