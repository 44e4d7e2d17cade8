"""Table: a schema plus one array a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.plain_values import check_encodable, check_name, to_numbers
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.errors import DataError
from hedgerow.layout.shown import ArrowTable, NotebookDisplay

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Text:
    """A text column: the concatenated UTF-8 bytes of all rows.

    Row i is `data[offsets[i]:offsets[i + 1]]`; `missing[i]` tells an absent text from an empty one.
    """

    data: NDArray[np.uint8]
    offsets: Rows
    missing: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.missing)

    def __getitem__(self, row: int) -> str | None:
        if self.missing[row]:
            return None
        return bytes(self.data[self.offsets[row] : self.offsets[row + 1]]).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str | None]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Rows) -> Text:
        """Return the text of some rows."""
        data, offsets = _kernels.gather_bytes(self.data, self.offsets, rows)
        return Text(data, offsets, self.missing[rows])

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Text:
        """Build a text column from strings; None is missing."""
        return cls(*_kernels.pack_texts(list(values)))


@dataclass(frozen=True, eq=False)
class Bags:
    """A bag column: the rows of all bags in one table; bag i holds its rows offsets[i] to offsets[i + 1]."""

    table: Table
    offsets: Rows

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Table:
        return self.table.slice(int(self.offsets[row]), int(self.offsets[row + 1]))

    def __iter__(self) -> Iterator[Table]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: Rows) -> Bags:
        """Return some of the bags."""
        starts, sizes = self.offsets[rows], np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        inside = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1], dtype=np.int64)
        return Bags(self.table.take(inside), offsets)


@dataclass(frozen=True, eq=False)
class SparseNumbers:
    """A numeric column stored sparsely: `values` at the ascending `rows`, zero elsewhere."""

    rows: Rows
    values: Numbers
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def dense(self) -> Numbers:
        """Return the column as an ordinary array."""
        out = np.zeros(self.n_rows)
        out[self.rows] = self.values
        return out

    def take(self, rows: Rows) -> SparseNumbers:
        """Return some rows of the column."""
        where = np.full(self.n_rows, -1, dtype=np.int64)
        where[self.rows] = np.arange(len(self.rows))
        hits = where[rows]
        present = np.flatnonzero(hits >= 0)
        return SparseNumbers(present, self.values[hits[present]], len(rows))


Values = Numbers | Codes | Text | Bags | SparseNumbers


@dataclass(frozen=True, eq=False)
class RowSelection:
    """Some rows of a column of another table, gathered at each access."""

    values: Values
    rows: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def gather(self) -> Values:
        """Return the values of the rows."""
        return _copy_rows(self.values, self.rows)

    def take(self, rows: Rows) -> Values:
        """Return the values of some of the rows."""
        return _copy_rows(self.values, self.rows[rows])


StoredValues = Values | RowSelection


@dataclass(frozen=True, eq=False)
class Table(ArrowTable, NotebookDisplay):
    """A schema plus one contiguous array per column, and optional row weights.

    Numeric columns are float64 with NaN for missing (or `SparseNumbers`), nominal columns int32 codes into the
    column's levels with -1 for missing, text columns `Text`, bag columns `Bags`. In a view of some rows they
    are `RowSelection`, which `values`, `numbers` and `codes` convert to arrays.

    `counts_rows` means that a weight of 1 is one row even if the weights are not whole: learners set it once they
    have scaled the weights (`learn/row_weights.py`), so that nested learners do not scale them again.
    """

    schema: Schema
    data: tuple[StoredValues, ...]
    n_rows: int
    weights: Numbers | None = None
    counts_rows: bool = False

    def __post_init__(self) -> None:
        if len(self.data) != len(self.schema):
            raise DataError(f"{len(self.schema)} columns are named, but {len(self.data)} are given")
        for column, values in zip(self.schema.columns, self.data, strict=True):
            if len(values) != self.n_rows:
                raise DataError(f"column {column.name!r} has {len(values)} rows instead of {self.n_rows}")
        if self.weights is not None and self.weights.shape != (self.n_rows,):
            raise DataError(f"{len(self.weights)} weights are given for {self.n_rows} rows")

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        target = f", target {self.schema.target!r}" if self.schema.target else ""
        return f"<Table: {self.n_rows} rows, {len(self.schema)} columns{target}>"

    def __getitem__(self, name: str) -> Values:
        """Return the values of the column called `name`, numeric ones always as a dense array."""
        return self.values(self.schema.index(name))

    def values(self, position: int) -> Values:
        """Return the values of the column at `position`, numeric ones always as a dense array."""
        values = gather_values(self.data[position])
        return values.dense() if isinstance(values, SparseNumbers) else values

    def numbers(self, position: int) -> Numbers:
        """Return a numeric column's values; NaN is missing."""
        values = self.values(position)
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        return cast("Numbers", values)

    def codes(self, position: int) -> Codes:
        """Return a nominal column's codes; -1 is missing."""
        values = self.values(position)
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.int32
        return cast("Codes", values)

    def texts(self, position: int) -> Text:
        """Return a text column's values."""
        values = gather_values(self.data[position])
        assert isinstance(values, Text)
        return values

    @property
    def target(self) -> Values:
        """The target's values."""
        return self[self.schema.target_column.name]

    @property
    def target_numbers(self) -> Numbers:
        """The values of a numeric target; NaN is missing."""
        return self.numbers(self.schema.index(self.schema.target_column.name))

    @property
    def target_codes(self) -> Codes:
        """The codes of a nominal target; -1 is missing."""
        return self.codes(self.schema.index(self.schema.target_column.name))

    @property
    def row_weights(self) -> Numbers:
        """The weight of every row; 1 if none was given."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def total_weight(self) -> float:
        """The total weight of all rows; their number if no weights were given."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    def take(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Table:
        """Return some rows, by position or by mask, in the given order."""
        rows = _positions(rows)
        data = tuple(_copy_rows(values, rows) for values in self.data)
        return replace(self, data=data, n_rows=len(rows), weights=None if self.weights is None else self.weights[rows])

    def view(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Table:
        """Return a view of some rows; a column is gathered each time it is accessed.

        The parts of a cross-validation are views that share one table. If columns are accessed repeatedly,
        `take` is faster.
        """
        rows = _positions(rows)
        known: dict[int, Rows] = {}  # the columns of a view mostly share their rows, and so will those of a view of it

        def picked(values: StoredValues) -> RowSelection:
            if not isinstance(values, RowSelection):
                return RowSelection(values, rows)
            key = id(values.rows)
            if key not in known:
                known[key] = values.rows[rows]
            return RowSelection(values.values, known[key])

        data = tuple(map(picked, self.data))
        return replace(self, data=data, n_rows=len(rows), weights=None if self.weights is None else self.weights[rows])

    def slice(self, start: int, stop: int) -> Table:
        """Return the rows from `start` to `stop` without copying numeric and nominal columns."""
        stop = min(stop, self.n_rows)
        rows = np.arange(start, stop, dtype=np.int64)

        def sliced(values: StoredValues) -> StoredValues:
            if isinstance(values, RowSelection):
                return RowSelection(values.values, values.rows[start:stop])
            return values[start:stop] if isinstance(values, np.ndarray) else values.take(rows)

        data = tuple(map(sliced, self.data))
        weights = None if self.weights is None else self.weights[start:stop]
        return replace(self, data=data, n_rows=len(rows), weights=weights)

    def select(self, names: Iterable[str]) -> Table:
        """Return some columns, in the given order."""
        positions = [self.schema.index(name) for name in names]
        data = tuple(self.data[position] for position in positions)
        return replace(self, schema=self.schema.select(positions), data=data)

    def with_target(self, target: str | None) -> Table:
        """Return the same table with another target."""
        return self.with_schema(self.schema.with_target(target))

    def with_schema(self, schema: Schema) -> Table:
        """Return the same values under a schema with the same kinds and levels."""
        return replace(self, schema=schema)

    def with_weights(self, weights: Numbers | None) -> Table:
        """Return the same rows with other weights."""
        return replace(self, weights=weights)

    def with_column(self, column: Column, values: StoredValues) -> Table:
        """Return the table with a column added at the end, or replaced if the name is taken."""
        if column.name in self.schema:
            position = self.schema.index(column.name)
            data = (*self.data[:position], values, *self.data[position + 1 :])
            return replace(self, schema=self.schema.with_columns({column.name: column}), data=data)
        schema = Schema((*self.schema.columns, column), self.schema.target)
        return replace(self, schema=schema, data=(*self.data, values))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the table to anything that takes Arrow: `pandas.DataFrame.from_arrow`, `polars.from_arrow`, DuckDB."""
        from hedgerow.data.table.to_arrow import arrow_stream

        return arrow_stream(self, requested_schema)

    def to_arrow(self) -> Any:
        """Return the table as one of pyarrow."""
        from hedgerow.data.table.to_arrow import to_arrow

        return to_arrow(self)

    def batches(self, rows: int) -> Iterator[Table]:
        """Yield the table in slices of at most `rows` rows."""
        for start in range(0, self.n_rows, rows):
            yield self.slice(start, start + rows)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any] | NDArray[Any]],
        target: str | None = None,
        levels: Mapping[str, Sequence[str]] | None = None,
        weights: Sequence[float] | None = None,
    ) -> Table:
        """Build a small table: numbers give a numeric column, words a nominal one, and None is missing.

        Levels are in the order of their first appearance unless `levels` gives them.

        Examples
        --------
        >>> Table.of({"outlook": ["sunny", "rainy"], "play": ["no", "yes"]}, target="play")
        <Table: 2 rows, 2 columns, target 'play'>
        """
        result_columns: list[Column] = []
        data: list[Values] = []
        for name, values in columns.items():
            if not isinstance(name, str):
                raise DataError(f"the column name {name!r} is not a string; name columns with strings")
            check_name(name)
            declared = (levels or {}).get(name)
            if declared is None and all(value is None or not isinstance(value, str) for value in values):
                result_columns.append(Column(name, Kind.NUMERIC))
                data.append(to_numbers(values, f"column {name!r}"))
            else:
                check_encodable(values, f"column {name!r}")
                words = [None if value is None else str(value) for value in values]
                order = tuple(declared or dict.fromkeys(word for word in words if word is not None))
                code = {level: number for number, level in enumerate(order)}
                strange = next((word for word in words if word is not None and word not in code), None)
                if strange is not None:
                    raise DataError(
                        f"column {name!r} holds {strange!r}, which is not one of its levels {listing(order)}"
                    )
                result_columns.append(Column(name, Kind.NOMINAL, levels=order))
                data.append(np.array([-1 if w is None else code[w] for w in words], dtype=np.int32))
        n_rows = len(data[0]) if data else 0
        given = None if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(Schema(tuple(result_columns), target), tuple(data), n_rows, given)


def gather_values(values: StoredValues) -> Values:
    """Return the values of a column, those of a view gathered."""
    return values.gather() if isinstance(values, RowSelection) else values


def _copy_rows(values: StoredValues, rows: Rows) -> Values:
    """Return a copy of some rows of a column."""
    return cast("Numbers", values[rows]) if isinstance(values, np.ndarray) else values.take(rows)


def _positions(rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Rows:
    """Return rows by position that are given so or by a mask."""
    return np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64, copy=False)


def concatenate(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables of one schema, one after another."""
    first = tables[0]
    if len(tables) == 1:
        return first
    data = tuple(
        _concatenate_values([gather_values(table.data[i]) for table in tables]) for i in range(len(first.schema))
    )
    weighted = any(table.weights is not None for table in tables)
    weights = np.concatenate([table.row_weights for table in tables]) if weighted else None
    counts_rows = all(table.counts_rows for table in tables)
    return Table(first.schema, data, sum(table.n_rows for table in tables), weights, counts_rows)


def _concatenate_values(parts: Sequence[Values]) -> Values:
    first = parts[0]
    if isinstance(first, Text):
        texts = [part for part in parts if isinstance(part, Text)]
        return Text(
            np.concatenate([text.data for text in texts]),
            _concatenate_offsets([text.offsets for text in texts]),
            np.concatenate([text.missing for text in texts]),
        )
    if isinstance(first, Bags):
        bags = [part for part in parts if isinstance(part, Bags)]
        return Bags(concatenate([bag.table for bag in bags]), _concatenate_offsets([bag.offsets for bag in bags]))
    if all(isinstance(part, SparseNumbers) for part in parts):
        sparse = [part for part in parts if isinstance(part, SparseNumbers)]
        starts = np.cumsum([0, *(len(part) for part in sparse)])
        return SparseNumbers(
            np.concatenate([part.rows + start for part, start in zip(sparse, starts, strict=False)]),
            np.concatenate([part.values for part in sparse]),
            int(starts[-1]),
        )
    arrays = [part.dense() if isinstance(part, SparseNumbers) else part for part in parts]
    joined: Numbers | Codes = np.concatenate([array for array in arrays if isinstance(array, np.ndarray)])
    return joined


def _concatenate_offsets(parts: Sequence[Rows]) -> Rows:
    starts = np.cumsum([0, *(int(part[-1]) for part in parts)])
    pieces = [part[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return np.concatenate([*pieces, starts[-1:]]).astype(np.int64)
