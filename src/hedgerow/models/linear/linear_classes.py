"""LinearClasses: a linear function a class, and a link that turns them into probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from hedgerow.data.design import score_buffer
from hedgerow.data.design.design import Design
from hedgerow.data.design.score_buffer import ScoreBuffer
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table, Text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import (
    codes_part,
    expect_parts,
    numbers_part,
    restore_sparse,
    sparsify,
    weights_part,
)
from hedgerow.models.base.coefficient_sets import CoefficientSets, FunctionCoefficients
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.decisions import TIE, decisions, reduce_rows, ties
from hedgerow.models.base.design_parts import design_of, design_parts, number_part
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.base.term_groups import TermGroups
from hedgerow.models.linear.progressive_validation import ProgressiveFigures
from hedgerow.models.linear.text import INTERCEPT, classes_outline, classes_text

SOFTMAX, EACH, MEMBERSHIP = "softmax", "each", "membership"
LINKS = (SOFTMAX, EACH, MEMBERSHIP)
BLOCK = 1 << 13  # rows that are brought to probabilities at a time


def _none() -> Codes:
    return np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class ClassFigures:
    """The fit of a linear model of classes, and the standard errors of its coefficients."""

    weight: float  # of the rows
    log_likelihood: float | None = None
    constant: float | None = None  # log-likelihood of the model of class frequencies only
    errors: Numbers | None = None  # (told, 1 + width): standard errors of intercepts and slopes, 0 where there is none
    converged: bool | None = None  # None: no iteration was needed
    passes: int | None = None  # steps or passes that the solver took

    @property
    def r_squared(self) -> float | None:
        """McFadden's R squared: the share of the constant model's log-likelihood that is gained; None without it."""
        if self.log_likelihood is None or self.constant is None or not self.constant < 0:
            return None
        return 1 - self.log_likelihood / self.constant

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON values and an array."""
        return {name: getattr(self, name) for name in FIGURES}

    @classmethod
    def from_dict(cls, parts: Any, n_functions: int, width: int) -> ClassFigures:
        """Build the statistics from their parts, checking them."""
        expect_parts(parts, *FIGURES)
        weight = number_part(parts, "weight")
        own, constant = (None if parts[n] is None else number_part(parts, n) for n in ("log_likelihood", "constant"))
        converged, passes = parts["converged"], parts["passes"]
        if not (converged is None or type(converged) is bool):
            raise ModelError("its part 'converged' must be true or false")
        if not (passes is None or (type(passes) is int and 0 <= passes < 1 << 63)):
            raise ModelError("its part 'passes' must be a whole number")
        if weight < 0 or (own or 0) > 0 or (constant or 0) > 0:
            raise ModelError("the statistics of a linear model are out of range")
        errors = None if parts["errors"] is None else weights_part(parts, "errors", n_functions, width + 1)
        return cls(weight, own, constant, errors, converged, passes)


FIGURES = ("weight", "log_likelihood", "constant", "errors", "converged", "passes")


@dataclass(frozen=True, eq=False)
class LinearClasses(ClassModel):
    """Linear functions of the positions of a design, one per class, optionally except the base, whose function is 0.

    `link` defines how functions become probabilities: `softmax`, exp(f / temperature) divided by their sum, which with
    two classes and one function is the logistic function; `each`, the logistic of each function, divided by their sum;
    `membership`, each function clipped to [0, 1], divided by their sum.
    The class of the largest function is decided for; a tie goes to the base, if among the best, else to the first.
    """

    design: Design
    told: Codes  # classes that have a function, ascending: all, or all but one
    intercepts: Numbers  # one per class with a function
    slopes: Numbers  # (classes with functions, positions), on the user's scale
    link: str = SOFTMAX
    temperature: float = 1.0
    left_out: Codes = field(default_factory=_none)  # positions that depend on others and have no coefficient
    figures: ClassFigures | ProgressiveFigures | None = None

    kind = "linear_classes"
    decider = "intercept"

    @property
    def size(self) -> int:
        """How many slopes are not zero."""
        return int(np.count_nonzero(self.slopes))

    @property
    def base(self) -> int:
        """The code of the class without a function; -1 if all have one."""
        others = np.setdiff1d(np.arange(len(self.classes)), self.told)
        return int(others[0]) if len(others) else -1

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that have a slope other than zero."""
        return self.design.columns_used(self.slopes)

    @property
    def coefficients(self) -> dict[str, dict[str, float]]:
        """The slopes of every class with a function by the names of their positions; without intercepts."""
        names = self.design.names
        return {
            self.classes[code]: dict(zip(names, own.tolist(), strict=True))
            for code, own in zip(self.told.tolist(), self.slopes, strict=True)
        }

    # -- deciding -------------------------------------------------------------------------------------------

    def functions(self, table: Any) -> Numbers:
        """Return the value of the linear function of every class (columns) for every row; 0 for the base."""
        return self._functions(self.align(table))[0]

    def scores(self, table: Table) -> Numbers:
        """Return the probability of every class."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows have no known value in any column with a slope."""
        out, known = self._functions(table, as_shares=self.link == SOFTMAX)
        if self.link != SOFTMAX:
            for start in range(0, len(out), BLOCK):
                to_shares(out[start : start + BLOCK], self.link)
        silent = None if known is None or not self.slopes.any() else ~known
        return RowScores(out, silent)

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of the largest function; a tie goes to the base, else to the first class."""
        scores = self.scores(table) if scores is None else scores
        codes = decisions(scores)
        best, tied = ties(scores)
        if not len(tied):
            return codes
        values = self._functions(table.take(tied))[0]  # clipping or rounding may have made them equal
        top = reduce_rows(np.maximum, values)[:, None]
        best = best[tied] & (values >= top - TIE * np.maximum(np.abs(top), 1.0))
        codes[tied] = best.argmax(axis=1)
        if self.base >= 0:
            codes[tied[best[:, self.base]]] = self.base
        return codes

    def _functions(self, table: Table, as_shares: bool = False) -> tuple[Numbers, Any]:
        """Return the functions of every row, one column per class, and which rows have a known value."""
        out = np.empty((table.n_rows, len(self.classes)))
        link = score_buffer.SOFTMAX if as_shares else score_buffer.FINITE
        place = ScoreBuffer(out, self.told, self.base, link, self.temperature)
        with np.errstate(over="ignore", invalid="ignore"):
            return out, self.design.score(table, self.intercepts, self.slopes, place)

    # -- why ------------------------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """What the functions are."""
        if self.link == MEMBERSHIP:
            return "membership"
        return "log-odds" if self.temperature == 1 else "score"

    @property
    def term_spaces(self) -> Mapping[str, TermSpace]:
        """The terms of each text column."""
        return self.design.term_spaces

    def coefficient_sets(self) -> CoefficientSets:
        """Return the coefficients of the function of every class; of two that are opposite only the first's."""
        known = None if self.errors is None else self.errors[:, 1:]
        against = f" against {self.classes[self.base]}" if self.base >= 0 else ""
        functions = tuple(
            FunctionCoefficients(
                f"Contributions to the {self.unit} of {self.classes[code]}{against}",
                *(slopes, None if known is None else known[n]),
            )
            for n, (code, slopes) in enumerate(zip(self.told.tolist(), self.slopes, strict=True))
        )
        if len(functions) == 2 and np.array_equal(self.slopes[0], -self.slopes[1]):
            return CoefficientSets(self.design, functions[:1], self.classes[self.told[1]])
        return CoefficientSets(self.design, functions)

    def contributions(self, table: Table) -> Contributions:
        """Return the contribution of each value of the single row to the function of each class.

        Numbers count from their mean, levels from the one that others are measured against, terms from 0.
        """
        from hedgerow.models.linear.contributions import class_contributions

        return class_contributions(self, table)

    def term_groups(self, most: int | None = None) -> TermGroups | None:
        """Return the terms of the largest coefficients of every class, by text; None if there are no texts."""
        from hedgerow.models.linear.contributions import class_term_groups

        return class_term_groups(self, most)

    # -- reading --------------------------------------------------------------------------------------------

    @cached_property
    def errors(self) -> Numbers | None:
        """The standard errors of intercepts and slopes (told, 1 + width); NaN where there is none."""
        if self.figures is None or self.figures.errors is None:
            return None
        return np.where(self.figures.errors > 0, self.figures.errors, np.nan)

    @property
    def all_coefficients(self) -> Numbers:
        """Intercepts and slopes, one line per class with a function."""
        return np.column_stack([self.intercepts, self.slopes])

    def z_and_p(self) -> tuple[Numbers, Numbers] | None:
        """Return z and the two-sided p of every intercept and slope; NaN where there is no standard error."""
        if self.errors is None:
            return None
        from scipy.special import ndtr

        with np.errstate(over="ignore"):
            z = self.all_coefficients / self.errors
        return z, 2 * np.asarray(ndtr(-np.abs(z)))

    def __str__(self) -> str:
        return classes_text(self)

    def outline(self, most_lines: int) -> str:
        """Return the printed form or, if it has more than so many lines, the largest coefficients."""
        return classes_outline(self, most_lines)

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's): one row per class with a function and position, and for the intercept.

        Columns: class, name, column (null for the intercept), coefficient, error, z and p (null where there are none).
        """
        from hedgerow.data.frames.arrow import to_arrow

        columns, owner = self.design.column_of_position
        n_functions, n = len(self.told), self.design.width + 1
        schema = Schema(
            (
                Column("class", Kind.NOMINAL, self.classes),
                Column("name", Kind.TEXT),
                Column("column", Kind.NOMINAL, columns),
                *(Column(name, Kind.NUMERIC) for name in ("coefficient", "error", "z", "p")),
            )
        )
        nothing = np.full((n_functions, n), np.nan)
        tested = self.z_and_p() or (nothing, nothing)
        numbers = (self.all_coefficients, nothing if self.errors is None else self.errors, *tested)
        data: tuple[Any, ...] = (
            np.repeat(self.told, n),
            Text.of([INTERCEPT, *self.design.names] * n_functions),
            np.tile(np.concatenate([[-1], owner]).astype(np.int32), n_functions),
            *(np.asarray(one, dtype=np.float64).ravel() for one in numbers),
        )
        return to_arrow(Table(schema, data, n_functions * n))

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            "design": design_parts(self.design),
            "told": self.told,
            "intercepts": self.intercepts,
            "slopes": sparsify(self.slopes),
            "link": self.link,
            "temperature": float(self.temperature),
            "left_out": self.left_out,
            "figures": None if self.figures is None else self.figures.to_dict(),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(
            parts, "design", "told", "intercepts", "slopes", "link", "temperature", "left_out", "figures"
        )  # fmt: skip
        if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("a linear model of classes needs a nominal target")
        classes, link = len(schema.target_column.levels), parts["link"]
        if not isinstance(link, str) or link not in LINKS:
            raise ModelError(f"its link {link!r} is not one of {', '.join(LINKS)}")
        class_codes = codes_part(parts, "told", np.int32, None, classes)
        least = classes - 1 if link == SOFTMAX else classes
        if (np.diff(class_codes) <= 0).any() or not least <= len(class_codes) <= classes or classes < 1:
            raise ModelError("the classes that have a function must ascend, and at most one class may have none")
        temperature = number_part(parts, "temperature")
        if not temperature > 0 or (link != SOFTMAX and temperature != 1):
            raise ModelError("its temperature must be above 0, and 1 unless its link is softmax")
        design = design_of(parts["design"], schema)
        intercepts = numbers_part(parts, "intercepts", len(class_codes))
        slopes = restore_sparse(parts, "slopes", len(class_codes), design.width)
        left_out = codes_part(parts, "left_out", np.int32, None, max(design.width, 1))
        if (np.diff(left_out) <= 0).any() or len(left_out) > design.width or slopes[:, left_out].any():
            raise ModelError("linearly dependent columns must ascend and have no coefficient")
        figures = parts["figures"]
        if isinstance(figures, dict) and "losses" in figures:
            figures = ProgressiveFigures.from_dict(figures)
        elif figures is not None:
            figures = ClassFigures.from_dict(figures, len(class_codes), design.width)
        return cls(schema, design, class_codes, intercepts, slopes, link, temperature, left_out, figures, about=about)


def to_shares(values: Numbers, link: str, temperature: float = 1.0) -> None:
    """Turn the functions of all classes (columns) into probabilities, in place."""
    if link == EACH:
        _to_logistic(values)
    elif link == MEMBERSHIP:
        _to_membership(values)
    else:
        values -= reduce_rows(np.maximum, values)[:, None]
        values /= temperature
        np.exp(values, out=values)
    values /= reduce_rows(np.add, values)[:, None]


def _to_logistic(values: Numbers) -> None:
    """Convert functions to independent probabilities, in place; where all are 0, the largest share the total."""
    top = reduce_rows(np.maximum, values)
    low = top < -700  # all so small that their sum might be 0: there only the ratios count, which are those of exp
    if low.any():
        values[low] -= top[low, None] + 700
    with np.errstate(over="ignore"):
        np.negative(values, out=values)
        np.exp(values, out=values)
        values += 1
        np.reciprocal(values, out=values)


def _to_membership(values: Numbers) -> None:
    """Clip functions to [0, 1], in place; where none is positive, the classes with the largest value get 1."""
    top = reduce_rows(np.maximum, values)
    lost = np.flatnonzero(top <= 0)
    if len(lost):
        values[lost] = values[lost] >= top[lost, None]
    np.clip(values, 0.0, 1.0, out=values)
