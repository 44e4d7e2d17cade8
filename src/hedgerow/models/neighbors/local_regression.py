"""LocalNumbers and LocalClasses: models that keep their rows and fit those around every row that is requested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError, UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.checked_parts import codes_part, expect_parts, numbers_part
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.factor import escape_name, short
from hedgerow.models.base.model import About, ClassModel, Model, NumberModel, RowScores
from hedgerow.models.linear.linear_classes import MEMBERSHIP, to_shares
from hedgerow.models.neighbors.leave_one_out import LeaveOneOut
from hedgerow.models.neighbors.local_fits import LocalFits, LocalRows, NearRows
from hedgerow.models.neighbors.local_text import cell_text, describe_rows, fit_lines, formulas, middle

TOLD = 5  # nearest rows that are listed for a row
MOST_FITS = 3  # contributions that are listed for a row


class LocalModel(Model):
    """What models of numbers and of classes share."""

    rows: LocalRows

    @property
    def size(self) -> int:
        """How many rows are kept, by weight."""
        return max(1, round(self.rows.total))

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that are compared."""
        return tuple(self.schema.names[at] for at in self.rows.used_columns)

    def neighbors(self, table: Any, k: int = TOLD) -> NearRows:
        """Return the nearest rows of every row of a table or frame, and weights relative to that of the nearest."""
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise UsageError(f"k={k!r} is not allowed: it must be a whole number of at least 1")
        return self.rows.nearest_rows(self.rows.prepare_queries(self.align(table)), int(k))

    def local_fits(self, table: Any) -> LocalFits:
        """Return the fits around every row of a table or frame, one a target: values, slopes, and means of the rows."""
        return self.rows.fits(self.rows.prepare_queries(self.align(table)), detailed=True)


@dataclass(frozen=True, eq=False)
class LocalNumbers(LocalModel, NumberModel):
    """The training rows; a new row is predicted by a weighted least squares fit to the rows around it."""

    rows: LocalRows
    tried: LeaveOneOut | None

    kind = "local_numbers"

    def values(self, table: Table) -> Numbers:
        """Return the value of the fit around each row; the mean for rows without any known value."""
        queries = self.rows.prepare_queries(table)
        values: Numbers = self.rows.fits(queries).values[:, 0, 0]
        values[self.rows.find_unknown_rows(queries)] = self.rows.target_means[0]
        return values

    def contributions(self, table: Table) -> Contributions:
        """Return the contributions of the columns of one row to the mean of the rows around it."""
        return _contributions(self.rows, table, str(self.schema.target))

    def row_notes(self, table: Table) -> list[str]:
        """Return the rows nearest to the single row of a table, and their weights."""
        targets = [format_number(value) for value in self.rows.targets[:, 0].tolist()]
        return _row_notes(self.rows, table, targets, [escape_name(str(self.schema.target))])

    def __str__(self) -> str:
        name = escape_name(str(self.schema.target))
        lines = [f"{name}: a local fit around each row", "", *describe_rows(self.rows)]
        return "\n".join([*lines, *_bandwidth_lines(self.tried, self.rows), "", *_example(self.rows, ["coefficient"])])

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        tried = None if self.tried is None else self.tried.to_dict()
        return {"rows": self.rows.to_dict(), "targets": self.rows.targets[:, 0], "tried": tried}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "rows", "targets", "tried")
        if schema.target is None or schema.target_column.kind is not Kind.NUMERIC:
            raise ModelError("local fits of numbers need a numeric target")
        targets = numbers_part(parts, "targets", None)
        if (np.abs(targets) > LARGEST).any():
            raise ModelError("its part 'targets' holds a number that is too large")
        tried = None if parts["tried"] is None else LeaveOneOut.from_dict(parts["tried"], classes=False)
        return cls(schema, LocalRows.from_dict(parts["rows"], schema, targets[:, None]), tried, about=about)


@dataclass(frozen=True, eq=False)
class LocalClasses(LocalModel, ClassModel):
    """The training rows; for a new row one fit per class to the rows around it gives its membership."""

    rows: LocalRows
    labels: Codes
    tried: LeaveOneOut | None

    kind = "local_classes"

    @cached_property
    def prior(self) -> Numbers:
        """The weight of each class."""
        return self.rows.target_means * self.rows.total

    def scores(self, table: Table) -> Numbers:
        """Return the memberships, clipped and normalized."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and the rows without any known value: these get the class frequencies."""
        queries = self.rows.prepare_queries(table)
        shares = normalize_memberships(self.rows.fits(queries).values[:, 0])
        silent = self.rows.find_unknown_rows(queries)
        shares[silent] = self.rows.target_means
        return RowScores(shares, silent)

    def contributions(self, table: Table) -> Contributions:
        """Return the contributions of the columns of one row to the class frequencies among the rows around it."""
        return _contributions(self.rows, table, "membership")

    def row_notes(self, table: Table) -> list[str]:
        """Return the rows nearest to the single row of a table, and their weights."""
        targets = [self.classes[code] for code in self.labels.tolist()]
        return _row_notes(self.rows, table, targets, [escape_name(one) for one in self.classes])

    def __str__(self) -> str:
        name, classes = escape_name(str(self.schema.target)), [escape_name(one) for one in self.classes]
        lines = [f"{name}: one local fit per class around each row, clipped to [0, 1] and normalized to sum to 1", ""]
        counts = [(one, format_number(short(weight))) for one, weight in zip(classes, self.prior.tolist(), strict=True)]
        lines += [*describe_rows(self.rows), "", "classes", *("  " + line for line in align_numbers(counts))]
        return "\n".join([*lines, *_bandwidth_lines(self.tried, self.rows), "", *_example(self.rows, classes)])

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        tried = None if self.tried is None else self.tried.to_dict()
        return {"rows": self.rows.to_dict(), "labels": self.labels, "tried": tried}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "rows", "labels", "tried")
        if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("local fits of classes need a nominal target")
        n_classes = len(schema.target_column.levels)
        labels = codes_part(parts, "labels", np.int32, None, n_classes)
        if not len(labels):
            raise ModelError("it has no rows")
        tried = None if parts["tried"] is None else LeaveOneOut.from_dict(parts["tried"], classes=True)
        rows = LocalRows.from_dict(parts["rows"], schema, memberships(labels, n_classes))
        return cls(schema, rows, labels, tried, about=about)


def memberships(labels: Codes, n_classes: int) -> Numbers:
    """Return 1 for the class of each row, 0 for the others."""
    values = np.zeros((len(labels), n_classes))
    values[np.arange(len(labels)), labels] = 1.0
    return values


def normalize_memberships(values: Numbers) -> Numbers:
    """Return memberships clipped to 0 to 1 and divided by their sum, as MembershipRegression has them (M179)."""
    numbers = values.copy()
    to_shares(numbers, MEMBERSHIP)
    return numbers


def _bandwidth_lines(tried: LeaveOneOut | None, rows: LocalRows) -> list[str]:
    return [] if tried is None else ["", *tried.lines("bandwidth", rows.how.bandwidth, rows.total)]


def _example(rows: LocalRows, titles: list[str]) -> list[str]:
    """Return the fit in the middle of the rows."""
    table = middle(rows)
    fits = rows.fits(rows.prepare_queries(table), detailed=True)
    what = "mean" if rows.how.degree == 0 else "fit"
    where = [name for name, there in (("the means", rows.numbers), ("the most frequent levels", rows.levels)) if there]
    head = f"for example, the {what} at {' and '.join(where)}" if where else f"the {what}, the same for all rows"
    return [head, *("  " + line for line in fit_lines(rows, table, titles, fits.values[0, 0], fits.slopes[0]))]


def _contributions(rows: LocalRows, table: Table, unit: str) -> Contributions:
    """Return the mean of the rows around the single row of a table, and the contribution of each of its columns."""
    fits = rows.fits(rows.prepare_queries(table), detailed=True)
    parts = [Contribution("mean of the nearby rows", fits.target_means[0], starts=True)]
    apart = np.clip(rows.matrix(table)[0], -LARGEST, LARGEST) - fits.place_means[0]
    spans = zip(rows.fitted_design.used_blocks, rows.fitted_design.starts, strict=False)
    for (at, part), start in spans:
        own = slice(start, start + part.width)
        with np.errstate(over="ignore", invalid="ignore"):
            added = np.nan_to_num(fits.slopes[0][:, own] @ apart[own])
        parts.append(Contribution(cell_text(rows, table, at), added, rows.design.schema.names[at]))
    return Contributions(unit, tuple(parts))


def _row_notes(rows: LocalRows, table: Table, targets: list[str], titles: list[str]) -> list[str]:
    """Return the fits around the only row of a table, if they are few, and the nearest rows."""
    near = rows.nearest_rows(rows.prepare_queries(table), TOLD)
    fits = rows.fits(rows.prepare_queries(table), detailed=True)
    notes = []
    if rows.how.degree and len(titles) <= MOST_FITS:
        told_fits = formulas(rows, table, titles, fits.values[0, 0], fits.slopes[0])
        notes.append("the local fit for this row is " + "; ".join(told_fits))
    items = (
        f"row {row + 1} ({targets[row]}) at distance {distance:.4g}, weight {weight:.4g}"
        for row, distance, weight in zip(*(one[0].tolist() for one in near), strict=True)
    )
    return [*notes, "the nearest are training " + "; ".join(items)]
