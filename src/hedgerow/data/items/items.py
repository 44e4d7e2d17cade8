"""Items: the contents of the rows of a table for the search for item sets.

An item is a level of a nominal column (`Outlook=Sunny`), an interval of a numeric one (`77.5<Humidity<=82.5`), a
column whose value is not zero or is true (`bread`), or a word of a basket (`whole milk`). Items are in the order of
the columns, those of a column in the order of its levels; words of baskets in the order of their first appearance. A
missing value is no item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.design.class_counts import ValueCounts, value_counts
from hedgerow.data.design.discretize import Discretizer, interval_codes
from hedgerow.data.items.baskets import Baskets, from_columns, from_pairs, starts_from_sizes
from hedgerow.data.items.column_to_items import (
    KINDS,
    OF_WORDS,
    ColumnToItems,
    all_levels,
    choose_item_form,
    describe_item_form,
    is_truth,
    levels_of,
    word_column,
)
from hedgerow.data.items.names import bag_item, format_bare_item, interval_items, level_item
from hedgerow.data.table.schema import Kind, Schema, listing
from hedgerow.data.table.table import (
    Bags,
    Codes,
    Numbers,
    Rows,
    SparseNumbers,
    StoredValues,
    Table,
    Text,
    gather_values,
)
from hedgerow.errors import DataError

BINS = 3  # intervals of a numeric column
_MOST_COMPARED = 20_000  # names, when one is not found


class _Layout(NamedTuple):
    """The items of one column: the code of its first one, and of every level, interval or word (last: missing)."""

    start: int
    stop: int
    codes: Codes


@dataclass(frozen=True, eq=False)
class Items:
    """Which items there are.

    Parameters
    ----------
    schema
        The columns they come from.
    ways
        How each column makes items.
    cuts
        The cut points of each column that is cut.
    absent
        Levels and words that are no items, such as `no`.

    Examples
    --------
    >>> table = Table.of({"Outlook": ["Sunny", "Rainy"], "Play": ["No", "Yes"]})
    >>> Items.of(table.schema).names
    ('Outlook=Sunny', 'Outlook=Rainy', 'Play=No', 'Play=Yes')
    """

    schema: Schema
    ways: tuple[ColumnToItems, ...]
    cuts: tuple[Numbers | None, ...]
    absent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.schema) == len(self.ways) == len(self.cuts):
            raise DataError("items need an encoding, and cut points or None, for each column")
        for column, way, cuts in zip(self.schema.columns, self.ways, self.cuts, strict=True):
            if way is not ColumnToItems.NONE and column.kind is not KINDS[way]:
                raise DataError(f"column {column.name!r} is {column.kind} and cannot be turned into items by {way}")
            if (way is ColumnToItems.CUTS) != (cuts is not None):
                raise DataError(f"column {column.name!r} needs cut points if it is discretized, and only then")
            if cuts is not None and not (len(cuts) and np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()):
                raise DataError(f"the cut points of column {column.name!r} must be finite and ascending")
            if way in OF_WORDS and word_column(column) is None:
                raise DataError(f"column {column.name!r} is a bag, but not of words")
        if ColumnToItems.WORDS in self.ways and sum(way is not ColumnToItems.NONE for way in self.ways) > 1:
            raise DataError("only one bag can have items without the name of its column")

    @classmethod
    def of(cls, schema: Schema, cuts: Mapping[str, Numbers] | None = None, absent: Sequence[str] = ()) -> Items:
        """Return the items of columns; a target is a column like the others.

        Numeric columns in `cuts` are cut (left out if there are no cut points); others are items where their value is
        not zero. If all columns are of true and false (or zero and not), only true makes an item, by the column's name.
        """
        cuts = cuts or {}
        used = [column for column in schema.columns if not column.ignored]
        yes_only = all(is_truth(c) or (c.kind is Kind.NUMERIC and c.name not in cuts) for c in used)
        ways = tuple(choose_item_form(column, cuts, yes_only) for column in schema.columns)
        if [way for way in ways if way is not ColumnToItems.NONE] == [ColumnToItems.BAG]:
            ways = tuple(ColumnToItems.WORDS if way is ColumnToItems.BAG else way for way in ways)
        points = tuple(
            np.asarray(cuts[column.name], dtype=np.float64) + 0.0 if way is ColumnToItems.CUTS else None
            for column, way in zip(schema.columns, ways, strict=True)
        )
        return cls(schema.with_target(None), ways, points, tuple(absent))

    @classmethod
    def from_table(cls, table: Table, absent: Sequence[str] = (), method: str = "frequency", bins: int = BINS) -> Items:
        """Return the items of a table: numeric columns that are neither sparse nor all 0 and 1 are cut."""
        how = Discretizer(method, bins)
        cuts: dict[str, Numbers] = {}
        for position, column in enumerate(table.schema.columns):
            if (
                column.kind is not Kind.NUMERIC
                or column.ignored
                or isinstance(gather_values(table.data[position]), SparseNumbers)
            ):
                continue
            values = table.numbers(position)
            if not is_presence(values):
                cuts[column.name] = how.cuts(_value_counts(values, table.weights))
        return cls.of(table.schema, cuts, absent)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Items: {len(self)} of {len(self.schema)} columns>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Items):
            return NotImplemented
        same = (self.schema, self.ways, self.absent) == (other.schema, other.ways, other.absent)
        return same and all(map(_same_cuts, self.cuts, other.cuts))

    def __hash__(self) -> int:
        return hash((self.schema.names, self.ways))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The items as they print, words quoted where they need be."""
        return tuple(name for names in self._names for name in names)

    @cached_property
    def bare_names(self) -> tuple[str, ...]:
        """The names, of the words of the only bag without that of its column where nothing else has that name."""
        bags = [position for position, way in enumerate(self.ways) if way is ColumnToItems.BAG]
        if len(bags) != 1:
            return self.names
        bare_names = list(self._names)
        words = [format_bare_item(word) for word in self._values[bags[0]]]
        bare_names[bags[0]] = [
            word if word not in self._codes else name for word, name in zip(words, bare_names[bags[0]], strict=True)
        ]
        return tuple(name for names in bare_names for name in names)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The items without quotes, for data and not for text; as they print where two would be the same."""
        seen = Counter(self._raw)
        names = tuple(raw if seen[raw] == 1 else name for raw, name in zip(self._raw, self.names, strict=True))
        return names if len(set(names)) == len(names) else self.names

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column of each item; empty for the words of a basket, which has but one."""
        return tuple(
            "" if way is ColumnToItems.WORDS else column.name
            for column, way, names in zip(self.schema.columns, self.ways, self._names, strict=True)
            for _ in names
        )

    @cached_property
    def groups(self) -> Codes:
        """For each item the number of its column if a row can contain only one of the column's items, else -1."""
        single = (ColumnToItems.LEVELS, ColumnToItems.CUTS)
        return np.array(
            [
                number if way in single else -1
                for number, (way, names) in enumerate(zip(self.ways, self._names, strict=True))
                for _ in names
            ],
            dtype=np.int32,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes, a sentence each: columns that are left out, and why, or cut, and where."""
        return tuple(
            note
            for column, way, names in zip(self.schema.columns, self.ways, self._names, strict=True)
            if (note := describe_item_form(column, way, names))
        )

    def code(self, name: str) -> int:
        """Return the code of an item by its name, as it prints or without quotes; an unknown one raises."""
        found = self._codes.get(name, self._raw_codes.get(name))
        if found is None:
            near = get_close_matches(name, self.names[:_MOST_COMPARED], n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the items are {listing(self.names)}"
            raise DataError(f"there is no item {name!r}; {hint}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._codes or name in self._raw_codes

    def of_column(self, column: str) -> Codes:
        """Return the codes of the items that a column makes."""
        layout = self._layouts[self.schema.index(column)]
        return np.arange(layout.start, layout.stop, dtype=np.int32)

    def text(self, codes: Iterable[int]) -> str:
        """Return items as they print: `{Outlook=Sunny, Play=No}`."""
        names = self.names
        return "{" + ", ".join([names[code] for code in codes]) + "}"

    def baskets(self, table: Table) -> Baskets:
        """Return the rows of a table, or of a batch, as sets of these items.

        Columns are matched by name and levels by value; columns that the table lacks give no items. If it has none of
        the columns, as when baskets meet a table of zeros and ones, items are matched by their names.
        """
        if not self._fits(table):
            if not any(name in table.schema for name in self._used_columns):
                return self._match_bags_by_name(table)
            positions = [i for i, name in enumerate(self.schema.names) if self.ways[i] is not ColumnToItems.NONE]
            positions = [i for i in positions if self.schema.columns[i].name in table.schema]
            table = align(table, self.schema.select(positions)).table
        else:
            positions = [i for i, way in enumerate(self.ways) if way is not ColumnToItems.NONE]
            table = table if len(positions) == len(self.ways) else table.select(self.schema.names[i] for i in positions)
        return Baskets(*self._layout_columns(table, positions), len(self), table.weights)

    def unknown_levels(self, table: Table) -> tuple[Rows, Codes]:
        """Return rows and columns (by position) where a table has a level that is neither an item nor absent.

        Such rows hold no item of the column, though its value is known.
        """
        rows, columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        if self._fits(table):
            return rows[0], columns[0]
        for position, (column, way) in enumerate(zip(self.schema.columns, self.ways, strict=True)):
            if way is not ColumnToItems.LEVELS or column.name not in table.schema:
                continue
            one = table.select([column.name]).with_target(None)
            if one.schema.columns[0].levels == column.levels and one.schema.columns[0].kind is Kind.NOMINAL:
                continue
            unknown = align(one, Schema((column,))).table.codes(0) < 0
            positions = np.flatnonzero(unknown & _has_value(one, self.absent))
            rows.append(positions)
            columns.append(np.full(len(positions), position, dtype=np.int32))
        return np.concatenate(rows), np.concatenate(columns)

    def baskets_from_names(self, rows: Iterable[Iterable[str]]) -> Baskets:
        """Return rows given by their items, without quotes or as printed; unknown ones are skipped."""
        known = {**self._codes, **self._raw_codes}
        found = [[known.get(name, -1) for name in row] for row in rows]
        sizes = np.array([len(row) for row in found], dtype=np.int64)
        codes = np.array([code for row in found for code in row], dtype=np.int32)
        return Baskets.of(starts_from_sizes(sizes), codes, len(self))

    def _fits(self, table: Table) -> bool:
        """Return whether a table has exactly these columns, so that nothing need be matched."""
        return table.schema.columns == self.schema.columns

    def _match_bags_by_name(self, table: Table) -> Baskets:
        other = Items.of(table.schema, absent=self.absent)
        names = other.names
        if ColumnToItems.WORDS in self.ways:  # baskets of another table, where their column had no other beside it
            pairs = zip(names, other.bare_names, strict=True)
            names = tuple(name if name in self._codes else bare for name, bare in pairs)
        new = np.array([*(self._codes.get(name, -1) for name in names), -1], dtype=np.int32)
        if len(self) and (new < 0).all():
            raise DataError(
                f"the data contain no item that the model knows, such as {self.names[0]}; their columns are "
                f"{listing(table.schema.names)}"
            )
        baskets = other.baskets(table)
        return Baskets.of(baskets.offsets, new[baskets.codes], len(self), table.weights)

    def _layout_columns(self, table: Table, positions: Sequence[int]) -> tuple[Rows, Codes]:
        """Return the offsets and codes of an aligned table whose columns are those at `positions`."""
        made = [
            self._column_codes(i, values) for i, values in zip(positions, map(gather_values, table.data), strict=True)
        ]
        if not made or not table.n_rows or not len(self):
            return np.zeros(table.n_rows + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
        if all(isinstance(each, np.ndarray) for each in made):
            return from_columns([each for each in made if isinstance(each, np.ndarray)], table.n_rows)
        if len(made) == 1 and isinstance(made[0], _Words):
            baskets = Baskets.of(made[0].offsets, made[0].codes, len(self))
            return baskets.offsets, baskets.codes
        pairs = [_pairs(each) for each in made]
        rows = np.concatenate([rows for rows, _ in pairs])
        return from_pairs(rows, np.concatenate([codes for _, codes in pairs]), table.n_rows, len(self))

    def _column_codes(self, position: int, values: StoredValues) -> Codes | _Words | tuple[Rows, Codes]:
        """Return a column as one item code a row (-1: none), as words of bags, or as pairs of rows and codes."""
        way, layout, cuts = self.ways[position], self._layouts[position], self.cuts[position]
        if isinstance(values, Bags):
            codes = values.table.codes(0)
            return _Words(values.offsets, layout.codes[codes])
        if isinstance(values, SparseNumbers):
            if way is ColumnToItems.PRESENCE:
                rows = values.rows[_is_there(values.values)]
                return rows, np.full(len(rows), layout.start, dtype=np.int32)
            values = values.dense()
        assert isinstance(values, np.ndarray)
        if way is ColumnToItems.PRESENCE:
            return np.where(_is_there(values), np.int32(layout.start), np.int32(-1))
        if cuts is not None:
            values = interval_codes(values.astype(np.float64, copy=False), cuts)
        result_codes: Codes = layout.codes[values.astype(np.int32, copy=False)]
        return result_codes

    @cached_property
    def _used_columns(self) -> tuple[str, ...]:
        return tuple(
            name for name, way in zip(self.schema.names, self.ways, strict=True) if way is not ColumnToItems.NONE
        )

    @cached_property
    def _values(self) -> tuple[tuple[str, ...], ...]:
        """The levels or words of every column that are items."""
        absent = set(self.absent)
        return tuple(
            tuple(level for level in levels_of(column, way) if level not in absent)
            for column, way in zip(self.schema.columns, self.ways, strict=True)
        )

    @cached_property
    def _names(self) -> tuple[list[str], ...]:
        names_by_column: list[list[str]] = []
        for column, way, cuts, values in zip(self.schema.columns, self.ways, self.cuts, self._values, strict=True):
            match way:
                case ColumnToItems.LEVELS:
                    names_by_column.append([level_item(column.name, level) for level in values])
                case ColumnToItems.WORDS:
                    names_by_column.append([format_bare_item(word) for word in values])
                case ColumnToItems.BAG:
                    names_by_column.append([bag_item(column.name, word) for word in values])
                case ColumnToItems.TRUE:
                    names_by_column.append([format_bare_item(column.name)] * len(values))
                case ColumnToItems.PRESENCE:
                    names_by_column.append([format_bare_item(column.name)])
                case ColumnToItems.CUTS:
                    names_by_column.append(interval_items(column.name, np.empty(0) if cuts is None else cuts))
                case _:
                    names_by_column.append([])
        return tuple(names_by_column)

    @cached_property
    def _layouts(self) -> tuple[_Layout, ...]:
        starts = np.cumsum([0, *map(len, self._names)]).tolist()
        out = []
        for column, way, values, (start, stop) in zip(
            self.schema.columns, self.ways, self._values, pairwise(starts), strict=True
        ):
            if way in (ColumnToItems.LEVELS, ColumnToItems.TRUE, *OF_WORDS):
                place = {value: start + number for number, value in enumerate(values)}
                codes = [place.get(level, -1) for level in all_levels(column)]
            else:
                codes = list(range(start, stop))
            out.append(_Layout(start, stop, np.array([*codes, -1], dtype=np.int32)))
        return tuple(out)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.names)}

    @cached_property
    def _raw(self) -> tuple[str, ...]:
        """The items without quotes; some may be the same."""
        raw: list[str] = []
        for column, way, values, names in zip(self.schema.columns, self.ways, self._values, self._names, strict=True):
            match way:
                case ColumnToItems.LEVELS:
                    raw += [f"{column.name}={level}" for level in values]
                case ColumnToItems.BAG:
                    raw += [f"{column.name}:{word}" for word in values]
                case ColumnToItems.WORDS:
                    raw += values
                case ColumnToItems.PRESENCE | ColumnToItems.TRUE:
                    raw += [column.name] * len(names)
                case _:
                    raw += names
        return tuple(raw)

    @cached_property
    def _raw_codes(self) -> dict[str, int]:
        """The codes by names without quotes, the first of equal ones."""
        return {name: code for code, name in reversed(list(enumerate(self._raw)))}


class _Words(NamedTuple):
    """The words of bags as items."""

    offsets: Rows
    codes: Codes


def is_presence(values: Numbers) -> bool:
    """Return whether a numeric column contains only 0, 1 and missing values."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def _has_value(table: Table, absent: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which rows of a table of one column have a value that is not absent."""
    values = table.values(0)
    if isinstance(values, Text):
        return ~values.missing
    assert isinstance(values, np.ndarray)
    if table.schema.columns[0].kind is Kind.NUMERIC:
        return ~np.isnan(values)
    is_value = np.array([*(level not in absent for level in table.schema.columns[0].levels), False])
    present: NDArray[np.bool_] = is_value[values.astype(np.int32, copy=False)]
    return present


def _is_there(values: NDArray[Any]) -> NDArray[np.bool_]:
    there: NDArray[np.bool_] = (values != 0) & ~np.isnan(values)
    return there


def _same_cuts(one: Numbers | None, other: Numbers | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _value_counts(values: Numbers, weights: Numbers | None) -> ValueCounts:
    """Return the different values and their weights; rows of weight 0 do not count."""
    if weights is not None:
        values, weights = values[weights > 0], weights[weights > 0]
    return value_counts(values, np.zeros(len(values), dtype=np.int32), weights, 1)


def _pairs(codes: Codes | _Words | tuple[Rows, Codes]) -> tuple[Rows, Codes]:
    if isinstance(codes, np.ndarray):
        rows = np.flatnonzero(codes >= 0)
        return rows, codes[rows]
    if not isinstance(codes, _Words):
        return codes
    rows = np.repeat(np.arange(len(codes.offsets) - 1), np.diff(codes.offsets))
    there = codes.codes >= 0
    return rows[there], codes.codes[there]
