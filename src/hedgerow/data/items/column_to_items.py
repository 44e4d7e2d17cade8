"""The ways in which columns make items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from hedgerow.data.table.level_codes import TRUTH
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers


class ColumnToItems(StrEnum):
    """How a column is converted to items. Model files contain these words."""

    LEVELS = "levels"  # each level is one
    TRUE = "true"  # only the level true is one
    PRESENCE = "presence"  # a number that is not zero
    CUTS = "cuts"  # each interval
    WORDS = "words"  # the words of a bag, which alone makes items
    BAG = "bag"  # the words of a bag beside other columns, named by it
    NONE = "none"


KINDS = {
    ColumnToItems.LEVELS: Kind.NOMINAL,
    ColumnToItems.TRUE: Kind.NOMINAL,
    ColumnToItems.PRESENCE: Kind.NUMERIC,
    ColumnToItems.CUTS: Kind.NUMERIC,
    ColumnToItems.WORDS: Kind.BAG,
    ColumnToItems.BAG: Kind.BAG,
}
OF_WORDS = (ColumnToItems.WORDS, ColumnToItems.BAG)


def choose_item_form(column: Column, cuts: Mapping[str, Numbers], yes_only: bool) -> ColumnToItems:
    """Return how a column makes items; with `yes_only` a nominal one only where it is true."""
    if column.ignored or column.kind is Kind.TEXT:
        return ColumnToItems.NONE
    if column.kind is Kind.BAG:
        return ColumnToItems.NONE if word_column(column) is None else ColumnToItems.BAG
    if column.kind is Kind.NOMINAL:
        return ColumnToItems.TRUE if yes_only else ColumnToItems.LEVELS
    if column.name not in cuts:
        return ColumnToItems.PRESENCE
    return ColumnToItems.CUTS if len(cuts[column.name]) else ColumnToItems.NONE


def describe_item_form(column: Column, way: ColumnToItems, names: Sequence[str]) -> str:
    """Return notes of a column and its items, if anything."""
    if way is ColumnToItems.CUTS:
        return f"column {column.name!r} is discretized into {len(names)} intervals: {', '.join(names)}"
    if way is not ColumnToItems.NONE:
        return ""
    if column.ignored:
        return column.exclusion_note
    why = {
        Kind.TEXT: "is text, from which no items are made",
        Kind.BAG: "is a bag of more than words, from which no items are made",
    }.get(column.kind, "is not informative: it cannot be divided into intervals")
    return f"column {column.name!r} {why}; it is left out"


def is_truth(column: Column) -> bool:
    """Return whether a column contains only true and false."""
    return column.kind is Kind.NOMINAL and bool(column.levels) and {level.lower() for level in column.levels} <= TRUTH


def word_column(column: Column) -> Column | None:
    """Return the one nominal column inside a bag of words; None if it is another bag."""
    inner = column.inner
    if inner is None or len(inner) != 1 or inner.columns[0].kind is not Kind.NOMINAL:
        return None
    return inner.columns[0]


def all_levels(column: Column) -> tuple[str, ...]:
    """Return the levels of a column, or the words of a bag."""
    inner = word_column(column)
    return column.levels if inner is None else inner.levels


def levels_of(column: Column, way: ColumnToItems) -> tuple[str, ...]:
    """Return the levels of a column that may be items."""
    if way is ColumnToItems.TRUE:
        return tuple(level for level in column.levels if level.lower() == "true")[:1]
    return all_levels(column) if way in (ColumnToItems.LEVELS, *OF_WORDS) else ()
