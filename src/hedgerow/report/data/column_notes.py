"""Notes on columns and on the target: what cannot contribute, and targets that are hard or pointless to predict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from hedgerow.data.table.schema import Kind, listing
from hedgerow.data.table.table import Bags, Numbers, SparseNumbers, Table, Text
from hedgerow.layout.numbers import format_count, format_share
from hedgerow.report.data.suspects import suspicions
from hedgerow.report.schema import ClassReport

UNUSED_ROWS = "rows without a target are not used in training"
NEARLY_ALL_MISSING = 0.95
MOST_SPARSE = 3  # columns that are told of one by one
TINY_CLASS = 10
UNBALANCED = 0.8
MANY_CLASSES = 50  # from here on rows per class are counted
FEW_ROWS = 2.0  # rows per class, on average, below which a target looks like an identifier
MOST_VALUES, FEWEST_SEEN = 2_000_000, 500  # values that are searched for leaks, and rows of very wide tables
MANY_ROWS = 100  # below, everything about classes is uncertain, and of a single class the model tells
LEAST_ROWS = 20  # with fewer, values that all differ are no wonder


class ColumnFacts(NamedTuple):
    """What notes need to know of a column."""

    name: str
    role: str  # "target", "predictor" or "ignored"
    missing: int
    is_constant: bool


def training_notes(table: Table, classes: Sequence[ClassReport]) -> list[str]:
    """Return what a person should know before trusting a model of a table."""
    facts = [_facts(table, position) for position in range(len(table.schema))]
    present = [one for one in classes if one["rows"]]
    told = target_notes(facts, classes if len(present) > 1 and len(table) >= MANY_ROWS else [])
    most_rows = max(FEWEST_SEEN, MOST_VALUES // max(len(table.schema), 1))
    return [*column_notes(facts, len(table)), *suspicions(table, most_rows), *told, *_odd_target(table)]


def _facts(table: Table, position: int) -> ColumnFacts:
    column, values = table.schema.columns[position], table.values(position)
    role = "target" if column.name == table.schema.target else "ignored" if column.ignored else "predictor"
    if isinstance(values, Text):
        return ColumnFacts(column.name, role, int(values.missing.sum()), False)
    if isinstance(values, Bags):
        return ColumnFacts(column.name, role, 0, False)
    if isinstance(values, SparseNumbers):
        some = values.values
        absent, known = int(np.isnan(some).sum()), some[~np.isnan(some)]
        full = len(known) + absent == len(values)
        same = not known.any() if not full else not len(known) or bool((known == known[0]).all())
        return ColumnFacts(column.name, role, absent, same)
    present = values[values >= 0] if column.kind is Kind.NOMINAL else values[~np.isnan(values)]
    constant = not len(present) or bool((present == present[0]).all())
    return ColumnFacts(column.name, role, len(values) - len(present), constant)


def column_notes(facts: Iterable[ColumnFacts], n_rows: int) -> list[str]:
    """Return notes on columns that are empty, nearly empty or constant."""
    used = [one for one in facts if one.role == "predictor"]
    share = {one.name: one.missing / max(n_rows, 1) for one in used}
    empty = [one.name for one in used if one.missing == n_rows]
    sparse = [one.name for one in used if share[one.name] >= NEARLY_ALL_MISSING and one.missing < n_rows]
    constant = [one.name for one in used if one.is_constant and share[one.name] < NEARLY_ALL_MISSING]
    notes = []
    if empty:
        notes.append(f"{_columns(empty)} only missing values")
    if constant:
        notes.append(f"{_columns(constant)} the same value in every row and cannot contribute to predictions")
    if len(sparse) > MOST_SPARSE:
        least = format_share(min(share[name] for name in sparse))
        return [*notes, f"columns {listing(sparse)} are missing in {least} of the rows or more"]
    return notes + [f"column {name!r} is missing in {format_share(share[name])} of the rows" for name in sparse]


def _columns(names: list[str]) -> str:
    return f"column {names[0]!r} has" if len(names) == 1 else f"columns {listing(names)} have"


def target_notes(facts: Iterable[ColumnFacts], classes: Sequence[ClassReport]) -> list[str]:
    """Return notes on a target that is sometimes missing, and on classes that are rare or alone."""
    notes = [
        f"the target {one.name!r} is missing in {_n_rows(one.missing)}; {UNUSED_ROWS}"
        for one in facts
        if one.role == "target" and one.missing
    ]
    present = [one for one in classes if one["rows"]]
    tiny = [one["label"] for one in present if one["rows"] < TINY_CLASS]
    largest = max(present, key=lambda one: float(one["share"]), default=None)
    if classes and len(present) < 2:
        notes.append("the target has a single class, so there is nothing to predict")
    elif largest is not None and largest["share"] >= UNBALANCED:
        notes.append(
            f"{format_share(largest['share'])} of the rows are {largest['label']!r}: always predicting this class has "
            "the same accuracy, so consider recall and AUC as well"
        )
    if tiny and len(present) > 1:
        one, has, its = ("class", "has", "its") if len(tiny) == 1 else ("classes", "have", "their")
        notes.append(f"{one} {listing(tiny)} {has} fewer than {TINY_CLASS} rows: {its} metrics are uncertain")
    return notes


def _n_rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def _odd_target(table: Table) -> list[str]:
    """Return notes on a target that looks like an identifier, or has very many classes."""
    target = table.schema.target_column
    values = table.values(table.schema.index(target.name))
    if not isinstance(values, np.ndarray):
        return []
    other = "name the column to predict with --target"
    if target.kind is Kind.NOMINAL:
        rows, n_classes = int((values >= 0).sum()), len(np.unique(values[values >= 0]))
        mean, has = rows / max(n_classes, 1), f"the target {target.name!r} has {format_count(n_classes)} classes"
        if rows >= LEAST_ROWS and mean < FEW_ROWS:
            return [f"{has} in {format_count(rows)} rows and looks like an identifier; {other}"]
        if n_classes >= MANY_CLASSES:
            return [f"{has}, {format_count(round(mean))} rows of each on average; if another column is meant, {other}"]
        return []
    present = table.numbers(table.schema.index(target.name))
    present = present[~np.isnan(present)]
    if len(present) >= LEAST_ROWS and target.date is None and _counts_rows(present):
        return [f"the target {target.name!r} numbers the rows and looks like an identifier; {other}"]
    return []


def _counts_rows(values: Numbers) -> bool:
    """Whether the values are consecutive whole numbers in any order."""
    span = float(values.max() - values.min())
    if span != len(values) - 1 or not (values == np.floor(values)).all():
        return False
    return len(np.unique(values)) == len(values)
