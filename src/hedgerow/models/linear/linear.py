"""Linear: a number as intercept plus coefficients times values, printed and predicted with the same coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hedgerow.data.design.design import Design, clip_large_numbers
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table, Text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_number_columns
from hedgerow.models.base.checked_parts import codes_part, expect_parts, restore_sparse, sparsify, weights_part
from hedgerow.models.base.coefficient_sets import CoefficientSets, FunctionCoefficients
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.date_coefficients import coefficient_text, date_notes, day_units, name_positions
from hedgerow.models.base.design_parts import design_of, design_parts, number_part
from hedgerow.models.base.model import About, NumberModel
from hedgerow.models.linear.absolute_fit import AbsoluteFigures
from hedgerow.models.linear.progressive_validation import ProgressiveFigures
from hedgerow.models.linear.text import (
    INTERCEPT,
    SUM,
    choose_printed_positions,
    describe_base_levels,
    error_text,
    if_missing,
    p_text,
    quote_name,
    standardize_slopes,
    t_text,
)


@dataclass(frozen=True, eq=False)
class LinearFit:
    """The fit of a linear model, and the standard errors of its coefficients."""

    weight: float  # of the rows
    freedom: float  # weight less the number of coefficients
    r_squared: (
        float | None
    )  # None: the target has one value; without intercept a share of the squares, not of the variance
    deviation: float | None  # of the errors; None without degrees of freedom
    errors: Numbers | None  # standard errors of the intercept and the slopes, 0 where there is none
    intercept: bool = True

    @property
    def adjusted(self) -> float | None:
        """R squared, adjusted for the number of coefficients."""
        if self.r_squared is None or not self.freedom > 0 or not self.weight > 1:
            return None
        return 1 - (1 - self.r_squared) * (self.weight - self.intercept) / self.freedom

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON values and an array."""
        names = ("weight", "freedom", "r_squared", "deviation", "errors")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(cls, parts: Any, width: int, intercept: bool = True) -> LinearFit:
        """Build the statistics from their parts, checking them."""
        expect_parts(parts, "weight", "freedom", "r_squared", "deviation", "errors")
        weight, freedom = number_part(parts, "weight"), number_part(parts, "freedom")
        fit, deviation = (None if parts[n] is None else number_part(parts, n) for n in ("r_squared", "deviation"))
        if weight < 0 or freedom < 0 or (fit or 0) > 1 or (deviation or 0) < 0:
            raise ModelError("the statistics of a linear model are out of range")
        errors = None if parts["errors"] is None else weights_part(parts, "errors", width + 1)
        return cls(weight, freedom, fit, deviation, errors, intercept)


@dataclass(frozen=True, eq=False)
class Linear(NumberModel):
    """Intercept plus the sum of slope times value over all positions of a design."""

    design: Design
    intercept: float
    slopes: Numbers  # one per position, on the user's scale
    left_out: Codes  # positions that depend on others and have no coefficient
    figures: LinearFit | AbsoluteFigures | ProgressiveFigures | None = None
    has_intercept: bool = True  # False: it is 0, and not printed

    kind = "linear"

    @property
    def size(self) -> int:
        """How many slopes are not zero."""
        return int(np.count_nonzero(self.slopes))

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that have a slope other than zero."""
        return self.design.columns_used(self.slopes)

    @property
    def coefficients(self) -> dict[str, float]:
        """The slope of every position by its name; without the intercept."""
        return dict(zip(self.design.names, self.slopes.tolist(), strict=True))

    def values(self, table: Table) -> Numbers:
        """Return intercept plus slopes times values; infinite numbers count as the largest that can be squared."""
        with np.errstate(over="ignore", invalid="ignore"):
            out = self.design.values(table, self.intercept, self.slopes)
            if np.isfinite(out.sum()):
                return out
            lost = np.flatnonzero(~np.isfinite(out))
            out[lost] = self.design.values(clip_large_numbers(table.take(lost)), self.intercept, self.slopes)
            return np.nan_to_num(out, copy=False, nan=self.intercept)

    def coefficient_sets(self) -> CoefficientSets:
        """Return the coefficients of the only function, with 95 % intervals by Student's t where these are known."""
        errors = None if self.figures is None else self.figures.errors
        known = None if errors is None else np.where(errors[1:] > 0, errors[1:], np.nan)
        title = f"Contributions to {self.schema.target}"
        return CoefficientSets(self.design, (FunctionCoefficients(title, self.slopes, known, self._reach),))

    @property
    def _reach(self) -> float:
        """Half of a 95 % interval, in standard errors."""
        if not isinstance(self.figures, LinearFit) or not self.figures.freedom > 0:
            return math.nan
        from scipy.special import stdtrit

        return float(stdtrit(self.figures.freedom, 0.975))

    def contributions(self, table: Table) -> Contributions:
        """Return the contributions of a single row: numbers from the mean, levels from the first, terms from 0."""
        from hedgerow.models.linear.contributions import number_contributions

        return number_contributions(self, table)

    @property
    def term_spaces(self) -> Mapping[str, TermSpace]:
        """The terms of each text column."""
        return self.design.term_spaces

    def t_and_p(self) -> tuple[Numbers, Numbers] | None:
        """Return t and the two-sided p of the intercept and every slope; NaN where there is no standard error."""
        if not isinstance(self.figures, LinearFit) or self.figures.errors is None:
            return None
        from scipy.special import stdtr

        errors = self.figures.errors
        all_ = np.concatenate([[self.intercept], self.slopes])
        with np.errstate(over="ignore"):
            t = np.divide(all_, errors, out=np.full(len(all_), np.nan), where=errors > 0)
        return t, 2 * np.asarray(stdtr(self.figures.freedom, -np.abs(t)))

    def __str__(self) -> str:
        lines = [f"{quote_name(str(self.schema.target))} = {SUM}", "", *self._table()]
        return "\n".join([*lines, "", *describe_base_levels(self.design), *self._dates(), *self._fit()]).rstrip()

    def outline(self, most_lines: int) -> str:
        """Return the printed form or, if it has more than so many lines, the largest coefficients."""
        whole = str(self)
        if whole.count("\n") < most_lines:
            return whole
        fit = self._fit()
        lines = [f"{quote_name(str(self.schema.target))} = {SUM}", "", *self._table(max(most_lines - 6 - len(fit), 3))]
        return "\n".join([*lines, "", *fit]).rstrip()

    def _table(self, most: int | None = None) -> list[str]:
        """Return the lines of coefficients, in columns."""
        sizes = np.abs(standardize_slopes(self.design, self.slopes))
        places, more = choose_printed_positions(self.design, sizes, most)
        names = [INTERCEPT, *(quote_name(name) for name in name_positions(self.design, places))][
            not self.has_intercept :
        ]
        rows = [0, *(place + 1 for place in places)][not self.has_intercept :]
        units = np.concatenate([[1.0], day_units(self.design)])[rows]
        head, body = ["", "coefficient"], [names, self._coefficients(rows, units)]
        tested, errors = self.t_and_p(), None if self.figures is None else self.figures.errors
        if tested is not None and errors is not None and (errors > 0).any():
            head += ["std. error", "t", "p"]
            body += [[error_text(error) for error in (errors[rows] * units).tolist()]]
            body += [[t_text(t) for t in tested[0][rows].tolist()]]
            body += [[p_text(p) for p in tested[1][rows].tolist()]]
        missing = if_missing(self.design, places, (self.slopes != 0).tolist())
        if any(missing):
            head.append("if missing")
            body.append(["", *missing][not self.has_intercept :])
        return align_number_columns(head, body) + more

    def _coefficients(self, rows: list[int], units: Numbers) -> list[str]:
        left = {int(place) + 1 for place in self.left_out}
        values = np.concatenate([[self.intercept], self.slopes])
        return [
            "(depends)" if row in left else coefficient_text(float(values[row]), unit)
            for row, unit in zip(rows, units.tolist(), strict=True)
        ]

    def _dates(self) -> list[str]:
        return date_notes(self.design, self.slopes)

    def _fit(self) -> list[str]:
        figures = self.figures
        if figures is None:
            return []
        if isinstance(figures, AbsoluteFigures | ProgressiveFigures):
            return figures.lines()
        parts = []
        if figures.r_squared is not None:
            adjusted = figures.adjusted
            about_zero = "" if self.has_intercept else " about 0"
            parts.append(
                f"R²{about_zero} {figures.r_squared:.6g}" + ("" if adjusted is None else f" (adjusted {adjusted:.6g})")
            )
        if figures.deviation is not None:
            parts.append(f"standard deviation of the residuals {figures.deviation:.6g}")
            freedom = format_number(float(f"{figures.freedom:.6g}"))
            parts.append(f"{freedom} {'degree' if freedom == '1' else 'degrees'} of freedom")
        return [", ".join(parts)] if parts else []

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's): one row for the intercept, if there is one, and for every position.

        Columns: name, column (null for the intercept), coefficient, error, t and p (null where there are none).
        """
        from hedgerow.data.frames.arrow import to_arrow

        columns, owner = self.design.column_of_position
        errors = None if self.figures is None else self.figures.errors
        tested, nothing = self.t_and_p(), np.full(self.design.width + 1, np.nan)
        schema = Schema(
            (
                Column("name", Kind.TEXT),
                Column("column", Kind.NOMINAL, columns),
                *(Column(name, Kind.NUMERIC) for name in ("coefficient", "error", "t", "p")),
            )
        )
        data = (
            Text.of([INTERCEPT, *self.design.names]),
            np.concatenate([[-1], owner]).astype(np.int32),
            np.concatenate([[self.intercept], self.slopes]),
            nothing if errors is None else np.where(errors > 0, errors, np.nan),
            *((nothing, nothing) if tested is None else tested),
        )
        table = Table(schema, data, self.design.width + 1)
        return to_arrow(table if self.has_intercept else table.slice(1, table.n_rows))

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            "design": design_parts(self.design),
            "intercept": self.intercept,
            "slopes": sparsify(self.slopes),
            "left_out": self.left_out,
            "figures": None if self.figures is None else self.figures.to_dict(),
            **({} if self.has_intercept else {"has_intercept": False}),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "design", "intercept", "slopes", "left_out", "figures", may_have=("has_intercept",))
        if schema.target is None or schema.target_column.kind is not Kind.NUMERIC:
            raise ModelError("a linear model needs a numeric target")
        design = design_of(parts["design"], schema)
        slopes = restore_sparse(parts, "slopes", design.width)
        left_out = codes_part(parts, "left_out", np.int32, None, max(design.width, 1))
        if (np.diff(left_out) <= 0).any() or len(left_out) > design.width or slopes[left_out].any():
            raise ModelError("linearly dependent columns must ascend and have no coefficient")
        has_intercept, intercept = parts.get("has_intercept", True), number_part(parts, "intercept")
        if type(has_intercept) is not bool or (intercept and not has_intercept):
            raise ModelError("its part 'has_intercept' must be true, or false with an intercept of 0")
        figures = None
        if parts["figures"] is not None:
            figures = _read_figures(parts["figures"], design.width, has_intercept)
        return cls(schema, design, intercept, slopes, left_out, figures, has_intercept, about=about)


def _read_figures(parts: Any, width: int, intercept: bool) -> LinearFit | AbsoluteFigures | ProgressiveFigures:
    """Build statistics of any kind."""
    if isinstance(parts, dict) and "quantile" in parts:
        return AbsoluteFigures.from_dict(parts)
    if isinstance(parts, dict) and "losses" in parts:
        return ProgressiveFigures.from_dict(parts)
    return LinearFit.from_dict(parts, width, intercept)
