"""Preparation of tables for training, with the guarantees that every learner relies on."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.bags import TELLS_BAGS
from hedgerow.data.design.design_counts import check_size
from hedgerow.data.rows.hashing import hash_rows
from hedgerow.data.rows.row_sketch import RowSketch, RowSketcher
from hedgerow.data.table.level_codes import number_levels
from hedgerow.data.table.schema import Column, Kind, Schema, listing, missing_target_notes
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Bags, Numbers, Rows, Table
from hedgerow.errors import DataError
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.learn.row_weights import WeightSums, counting_rows, weight_unit
from hedgerow.learn.training_sketch import row_counts

MOST_NUMBER_CLASSES = 20
FEW_ROWS = 6  # without information
HEAVIEST = 1e30  # maximum weight of a row: squares of sums of weighted numbers do not overflow
LIGHTEST = 1e-30  # share of the heaviest row: less weight changes no digit of any sum


@dataclass(frozen=True)
class PreparedTable:
    """A table without ignored columns and unusable rows, with notes on what was left out."""

    table: Table
    notes: tuple[str, ...]


def ready(table: Table, takes: Container[Kind], classes: bool | None) -> PreparedTable:
    """Return the part of a table that a learner uses.

    Parameters
    ----------
    takes
        The kinds of columns that the learner can use; others are left out and noted.
    classes
        Whether the target must be nominal (True) or numeric (False); None when there is no target.
    """
    notes: list[str] = []
    if classes is not None:
        table, note = set_target_kind(table, classes)
        notes += note
    schema, note = usable_schema(table.schema, takes)
    notes += note
    if schema is not table.schema:
        table = table.select(schema.names)
    if Kind.BAG in takes:
        table, note = usable_instances(table, takes)
        notes += note
    table, note = usable_rows(table)
    notes += note
    if classes is False:
        numbers = table.target_numbers
        check_size(float(numbers.min()), float(numbers.max()), table.schema.target_column.name)
    if classes:
        codes = table.target_codes
        notes += single_class_notes(table.schema, np.bincount(codes, minlength=len(table.schema.target_column.levels)))
    return PreparedTable(table, tuple(notes))


def ready_batch(table: Table, takes: Container[Kind], classes: bool, *, first: bool = False) -> PreparedTable:
    """Return the part of more rows that `partial_fit` uses; their weights are unchanged.

    The first rows must contain something to learn from; later ones need not.
    """
    table, _ = set_target_kind(table, classes)
    schema, notes = usable_schema(table.schema, takes)
    table, _ = usable_rows(table.select(schema.names).with_schema(schema), batch=True, first=first)
    return PreparedTable(table, tuple(notes))


def set_target_kind(table: Table, classes: bool) -> tuple[Table, list[str]]:
    """Return the table with a target of the right kind: a few distinct whole numbers may be classes."""
    column = table.schema.target_column
    wanted = Kind.NOMINAL if classes else Kind.NUMERIC
    if column.kind is wanted:
        return table, []
    if classes and column.kind is Kind.NUMERIC:
        values = table.numbers(table.schema.index(column.name))
        if table.n_rows and np.isnan(values).all():
            raise missing_target_error(column.name)
        if may_be_classes(values):
            codes, levels = number_levels(values)
            column = replace(column, kind=Kind.NOMINAL, levels=levels)
            return table.with_column(column, codes), [numbers_as_classes_note(column)]
    raise wrong_target(column, wanted)


def set_source_target_kind(source: Source, classes: bool) -> tuple[Source, list[str]]:
    """Return the source with a target of the right kind, by the same rule."""
    column = source.schema.target_column
    wanted = Kind.NOMINAL if classes else Kind.NUMERIC
    if column.kind is wanted:
        return source, []
    if classes and column.kind is Kind.NUMERIC:
        schema = source.reopen(kinds={**source.options.kinds, column.name: Kind.NOMINAL}).schema
        levels = sorted(schema.target_column.levels, key=float)
        if not levels:
            raise missing_target_error(column.name)
        if may_be_classes(np.array([float(level) for level in levels])):
            column = replace(schema.target_column, levels=tuple(levels))
            declared = schema.with_columns({column.name: column})
            return source.reopen(schema=declared, kinds={}), [numbers_as_classes_note(column)]
    raise wrong_target(column, wanted)


def numbers_as_classes_note(column: Column) -> str:
    """Return the note on numbers that were treated as classes."""
    return f"the target {column.name!r} holds {len(column.levels)} different whole numbers: they are treated as classes"


def missing_target_error(name: str | None) -> DataError:
    """Return the error for a target without any value."""
    return DataError(f"the target {name!r} is missing in every row: nothing to learn from")


def wrong_target(column: Column, wanted: Kind) -> DataError:
    """Return the error for a target of the wrong kind."""
    name = column.name
    if column.kind is Kind.NUMERIC:
        return DataError(
            f"the target {name!r} is numeric with many or fractional values: use a regressor, or treat the values as "
            f"classes with --nominal {quote_for_shell(name)} (in Python, kinds={{{name!r}: 'nominal'}})"
        )
    if column.kind is Kind.NOMINAL:
        return DataError(f"the target {name!r} is nominal, but this learner predicts numbers: use a classifier")
    return DataError(
        f"the target {name!r} is {column.kind}, which cannot be predicted: name a {wanted} column as target"
    )


def may_be_classes(values: Numbers) -> bool:
    """Return whether numbers may be classes: they are whole, with few distinct values."""
    distinct = np.unique(values[~np.isnan(values)])
    return 0 < len(distinct) <= MOST_NUMBER_CLASSES and bool((distinct == np.floor(distinct)).all())


def are_classes(values: Numbers) -> bool:
    """Return whether numbers may be classes, and most rows share theirs with others."""
    known = values[~np.isnan(values)]
    return may_be_classes(values) and (len(known) < FEW_ROWS or 2 * len(np.unique(known)) <= len(known))


def usable_schema(schema: Schema, takes: Container[Kind]) -> tuple[Schema, list[str]]:
    """Return the schema without the columns that are ignored or of a kind that the learner cannot take."""
    strange = [schema.columns[i].name for i in schema.predictors if schema.columns[i].kind not in takes]
    notes = [f"left out, since this learner cannot use columns of their kind: {listing(strange)}"] if strange else []
    ignored = [c for c in schema.columns if c.ignored not in ("", TELLS_BAGS) and c.name != schema.target]
    notes += [column.exclusion_note for column in ignored]
    kept = [
        position
        for position, column in enumerate(schema.columns)
        if column.name == schema.target or not (column.ignored or column.kind not in takes)
    ]
    return (schema if len(kept) == len(schema) else schema.select(kept)), notes


def check_usable(
    schema: Schema, takes: Container[Kind], learner: str, classes: bool | None, table: Table | None = None
) -> None:
    """Raise if texts or bags are all there is to learn from, but for constant columns, and a learner cannot use them.

    Without the table, only nominal columns are known to be constant.
    """
    unusable = [i for i in schema.predictors if schema.columns[i].kind in (Kind.TEXT, Kind.BAG)]
    if not unusable or any(schema.columns[i].kind in takes for i in unusable):
        return
    if any(i not in unusable and not _is_constant(schema.columns[i], table) for i in schema.predictors):
        return
    from hedgerow.learn.registry import learners_using

    kind = Kind.TEXT if any(schema.columns[i].kind is Kind.TEXT for i in unusable) else Kind.BAG
    names = [schema.columns[i].name for i in unusable]
    columns = f"column{'s' * (len(names) > 1)} {listing(names)}"
    what = "texts" if kind is Kind.TEXT else "bags"
    others = "and there is nothing else to learn from"
    if len(unusable) < len(schema.predictors):
        others = "and all other columns are constant"
    raise DataError(
        f"{learner} cannot use {what}, {others} ({columns}); use a learner that can: "
        f"{', '.join(one.name for one in learners_using(kind) if one.target_is_classes is classes)}, or an ensemble "
        "whose base is one of them"
    )


def _is_constant(column: Column, table: Table | None) -> bool:
    """Return whether a column has at most one value, missing values left out."""
    if column.kind is Kind.NOMINAL:
        return len(column.levels) <= 1
    if table is None or column.kind is not Kind.NUMERIC or column.name not in table.schema.names:
        return False
    values = table.numbers(table.schema.index(column.name))
    known = values[~np.isnan(values)]
    return not len(known) or bool(known.min() == known.max())


def usable_instances(table: Table, takes: Container[Kind]) -> tuple[Table, list[str]]:
    """Return the table with the instances of its bags prepared in the same way; bags inside bags are never used."""
    notes: list[str] = []
    for column in table.schema.columns:
        if column.inner is None:
            continue
        inner, parts = usable_schema(column.inner, [kind for kind in Kind if kind in takes and kind is not Kind.BAG])
        notes += parts
        if inner is not column.inner:
            bags = table[column.name]
            assert isinstance(bags, Bags)
            stored_bags = Bags(bags.table.select(inner.names), bags.offsets)
            table = table.with_column(replace(column, inner=inner), stored_bags)
    return table, notes


def usable_rows(table: Table, *, batch: bool = False, first: bool = False) -> tuple[Table, list[str]]:
    """Return the rows that have a target and a weight, with weights that count rows.

    The weights of a batch are unchanged, since their unit depends on all rows; unless it is the first, it may have
    no rows.
    """
    has_value, has_weight = has_target(table), _has_weight(table, batch)
    keep = has_value & has_weight
    if (first or not batch) and not keep.any():
        raise nothing_usable(table.schema.target, table.n_rows, has_value.any(), has_weight.any())
    notes = missing_target_notes(table.schema.target, int(np.count_nonzero(~has_value)), table.n_rows)
    table = table if keep.all() else table.take(keep)
    return (table if batch else counting_rows(table, weight_unit(table))), notes


def scale_row_weights(table: Table, rows: Rows) -> Table:
    """Return a table with weights that count rows; some of the rows, those with a target, decide on the unit."""
    if table.weights is None:
        return table
    _has_weight(table, batch=True)  # raises an error for an invalid weight
    return counting_rows(table, weight_unit(table, rows))


def nothing_usable(target: str | None, rows: int, has_value: object, has_weight: object) -> DataError:
    """Return the error for data without a row to learn from: none at all, without a target, or without a weight."""
    if not rows:
        return DataError("the table has no rows to learn from")
    if not has_value:
        return missing_target_error(target)
    if not has_weight:
        return DataError("all row weights are zero: nothing to learn from")
    return DataError(
        f"every row with a value of the target {target!r} has weight 0: nothing to learn from; give such rows a "
        "positive weight, or fill in the target of the others"
    )


def has_target(table: Table) -> NDArray[np.bool_]:
    """Return which rows have a value of the target."""
    if table.schema.target is None:
        return np.ones(table.n_rows, dtype=np.bool_)
    target = table.target
    if not isinstance(target, np.ndarray):
        raise wrong_target(table.schema.target_column, Kind.NOMINAL)
    present: NDArray[np.bool_] = target >= 0 if target.dtype == np.int32 else ~np.isnan(target)
    return present


def _has_weight(table: Table, batch: bool) -> NDArray[np.bool_]:
    """Return which rows have a weight that is not negligible; an invalid weight is an error."""
    if table.weights is None:
        return np.ones(table.n_rows, dtype=np.bool_)
    weights = table.weights
    sound = (weights >= 0) & (weights <= HEAVIEST)
    if not sound.all():
        row = int(np.argmin(sound))
        limit = f", at most {HEAVIEST:g}" if HEAVIEST < weights[row] < np.inf else ""
        raise DataError(f"the weight of row {row} is {weights[row]:g}; weights must be numbers of at least 0{limit}")
    least = 0.0 if batch else LIGHTEST * weights.max(initial=0.0)  # of a batch, the heaviest row may be in another
    positive: NDArray[np.bool_] = weights > least
    return positive


def single_class_notes(schema: Schema, rows: NDArray[np.int64]) -> list[str]:
    """Return a note if all rows are of one class, of which `rows` says how many each has."""
    if np.count_nonzero(rows) != 1:
        return []
    only = schema.target_column.levels[int(rows.argmax())]
    return [f"all rows have the same class, {only!r}: the model can only predict that class"]


class StreamSummary:
    """One pass over a stream: its usable rows, and notes on them at the end."""

    def __init__(self, schema: Schema, *, sketches: bool = False) -> None:
        self.schema = schema
        self._sketcher = RowSketcher() if sketches else None
        self.unit: float | None = None  # the weight of one row, after a pass has found weights that are not counts
        self.start()

    def start(self) -> None:
        """Begin a pass."""
        self._sketching = self._sketcher is not None and not len(self._sketcher.hashes)  # in the first pass only
        self.rows = self.seen = self.without_target = self.with_weight = 0
        self.weight = 0.0
        self.sums = WeightSums()
        self.classes = np.zeros(len(self.schema.target_column.levels) if self.schema.target else 0, dtype=np.int64)

    def usable(self, batch: Table) -> Table:
        """Return the usable rows of a batch."""
        batch = batch.select(self.schema.names).with_schema(self.schema)
        table, _ = usable_rows(batch, batch=True)
        self.sums += WeightSums.of(table.row_weights)
        if self._sketcher is not None and self._sketching:
            self._sketcher.add(hash_rows(table), row_counts(table) if self.unit is None else None)
        table = counting_rows(table, self.unit)
        self.rows += table.n_rows
        self.seen += batch.n_rows
        self.without_target += int(np.count_nonzero(~has_target(batch)))
        self.with_weight += int(np.count_nonzero(batch.row_weights))
        self.weight += table.total_weight
        if len(self.classes):
            codes = table.codes(self.schema.index(self.schema.target_column.name))
            self.classes += np.bincount(codes, minlength=len(self.classes))
        return table

    def finds_unit(self) -> bool:
        """Return whether this pass was the first to find that weights are not counts, and must be repeated."""
        if self.unit is not None or self.sums.whole:
            return False
        self.unit = self.sums.unit
        if self._sketcher is not None:  # so far, weights were taken as numbers of rows
            self._sketcher = RowSketcher()
        return True

    def sketch(self) -> RowSketch | None:
        """Return the sketch of the usable rows, if one was requested."""
        return None if self._sketcher is None else self._sketcher.sketch()

    def check(self, name: str) -> None:
        """Raise an error if no row of the stream, called `name`, was usable."""
        if not self.rows:
            has_value = self.seen > self.without_target
            raise DataError(f"{name}: {nothing_usable(self.schema.target, self.seen, has_value, self.with_weight)}")

    def notes(self) -> list[str]:
        """Return notes."""
        notes = missing_target_notes(self.schema.target, self.without_target, self.seen)
        return notes + (single_class_notes(self.schema, self.classes) if len(self.classes) else [])
