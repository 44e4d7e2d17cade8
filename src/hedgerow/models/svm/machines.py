"""Machines: support vector machines, one for two classes, one a class against the rest, or one a pair of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import array_part, expect_parts
from hedgerow.models.base.coefficient_sets import CoefficientSets, FunctionCoefficients
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.decisions import TIE, decisions, reduce_rows, ties
from hedgerow.models.base.design_parts import design_of, design_parts
from hedgerow.models.base.model import About, ClassModel, RowScores, are_equal_parts
from hedgerow.models.base.reason import ComparedClasses, NoReason, Reason, sum_reason
from hedgerow.models.base.term_groups import TermGroups
from hedgerow.models.linear.calibrator import Temperature
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.coupling import couple_probabilities
from hedgerow.models.many.decoding import best, put_winner_first
from hedgerow.models.svm.function_arrays import (
    Chances,
    Functions,
    chances_parts,
    functions_parts,
    read_functions,
    read_probability_functions,
)
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.given_kernels import CallableKernel
from hedgerow.models.svm.multiclass import NONE, ONE, PAIRS, REST, chance_scores, class_scores, detect_multiclass_form
from hedgerow.models.svm.solution_quality import MachineFigures

REST_NAME = "the rest"
PARTS = ("design", "codes", "functions", "rows", "chances", "figures")


@dataclass(frozen=True, eq=False)
class Machines(ClassModel):
    """Support vector machines: a code assigns classes to the sides of each, a function gives the decision value.

    Of two classes the one with code +1 is decided for if f >= 0 (M205); of classes against the rest the one with the
    largest f; of pairs the one with the most votes, where ties go to the largest sum of squeezed decision values. What
    is then still equal goes to the first class. The margins decide, whatever the probabilities are made of.
    """

    design: Design
    codes: CodeMatrix  # (machines, classes)
    functions: Functions
    rows: Rows  # learned from, by class; int64
    chances: Chances = None  # Temperature of the scores, or a calibrator a machine; None: softmax, not fitted
    figures: MachineFigures | None = None

    kind = "machines"
    has_members: ClassVar[bool] = True
    overruling: ClassVar[str] = "margins"
    decider = "intercept"

    def __eq__(self, other: object) -> bool:
        """Return whether another model has the same schema and parts."""
        if not isinstance(other, Machines):
            return NotImplemented
        same = self.schema == other.schema and self.decides_by == other.decides_by
        return same and are_equal_parts(self._parts(), other._parts())

    __hash__ = ClassModel.__hash__

    @cached_property
    def form(self) -> str:
        """How the machines share out the classes: none, one, rest or pairs."""
        return detect_multiclass_form(self.codes)

    def __len__(self) -> int:
        return len(self.functions)

    @property
    def is_linear(self) -> bool:
        """Whether the machines have a slope a position."""
        return isinstance(self.functions, LinearFunctions)

    @property
    def size(self) -> int:
        """How many support vectors there are, or slopes that are not zero."""
        return self.functions.size

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that have a slope other than zero, or that the kernel sees."""
        functions = self.functions
        if isinstance(functions, LinearFunctions):
            return self.design.columns_used(functions.slopes)
        seen = np.ones(self.design.width) if functions.frame is None else functions.frame.factors
        return self.design.columns_used(seen if functions.size else np.zeros(self.design.width))

    @property
    def term_spaces(self) -> Mapping[str, TermSpace]:
        """The terms of each text column."""
        return self.design.term_spaces

    # -- deciding -------------------------------------------------------------------------------------------

    def values(self, table: Any) -> Numbers:
        """Return the decision value f of every machine (lines) and row (columns)."""
        return self.functions.values(self.design, self.align(table))[0]

    def decision_values(self, table: Any) -> Numbers:
        """Return scikit-learn's decision function: f of the only machine, or the score of every class."""
        values = self.values(table)
        return values[0] if self.form == ONE else class_scores(self.codes, values)

    def margins(self, table: Table) -> Numbers | None:
        """Return f of every row of an aligned table if the only two classes have one machine, >= 0 for the second."""
        if self.form != ONE or len(self.classes) != 2:
            return None
        return np.asarray(self.functions.values(self.design, table)[0][0])

    def scores(self, table: Table) -> Numbers:
        """Return the probability of every class."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows have no known value: the functions decide there as well."""
        if self.form == NONE:
            out = np.zeros((table.n_rows, len(self.classes)))
            out[:, self._only_class] = 1.0
            return RowScores(out)
        values, known = self.functions.values(self.design, table)
        return RowScores(self.shares(values), None if known is None else ~known)

    def shares(self, values: Numbers) -> Numbers:
        """Return the probability of every class (columns), given f of every machine (lines)."""
        if self.chances is None:
            return Temperature()(class_scores(self.codes, values))
        if isinstance(self.chances, Temperature):
            out = self.chances(chance_scores(self.codes, values))
            return put_winner_first(out, self._decide_by_margin(values)) if self.form == PAIRS else out
        seen = self.codes.used
        own = np.stack([one(line) for one, line in zip(self.chances, values, strict=True)])
        out = np.zeros((values.shape[1], len(self.classes)))
        if self.form == ONE:
            out[:, seen] = np.stack([1 - own[0], own[0]], axis=1)
        elif self.form == PAIRS:
            out[:, seen] = couple_probabilities(own, len(seen))
        else:
            out[:, seen] = own.T
            nothing = ~(out.sum(axis=1) > 0)  # all exclude their class: the margins decide
            if nothing.any():
                out[nothing] = Temperature()(class_scores(self.codes, values[:, nothing]))
            out /= reduce_rows(np.add, out)[:, None]
        return out

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class that the margins decide for; probabilities that are known save work where they agree."""
        if self.form == NONE:
            return np.full(table.n_rows, self._only_class, dtype=np.int32)
        if scores is None or isinstance(self.chances, tuple):
            return self._decide_by_margin(self.functions.values(self.design, table)[0])
        codes = decisions(scores)
        _, tied = ties(scores)
        if len(tied):
            codes[tied] = self._decide_by_margin(self.functions.values(self.design, table.take(tied))[0])
        return codes

    def _decide_by_margin(self, values: Numbers) -> Codes:
        if self.form == ONE:
            first, second = self.codes.used
            codes: Codes = np.where(values[0] >= -TIE, second, first).astype(np.int32)
            return codes
        return best(class_scores(self.codes, values))

    @property
    def _only_class(self) -> int:
        """The class of a model that has seen no other."""
        return int(self.codes.used[0])

    # -- reading --------------------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """What the functions are."""
        return "decision values"

    def side_names(self, number: int) -> tuple[str, str]:
        """Return whom a machine speaks for where f >= 0, and against: the name of a class, or `the rest`."""
        line = self.codes.entries[number]
        return self.classes[line.argmax()], REST_NAME if self.form == REST else self.classes[line.argmin()]

    def coefficient_sets(self) -> CoefficientSets | None:
        """Return the coefficients of linear machines; None of kernel machines."""
        from hedgerow.models.svm.text import machine_name

        if self.form == NONE or not isinstance(self.functions, LinearFunctions):
            return None
        functions = tuple(
            FunctionCoefficients(f"Evidence for {machine_name(self, n)}", slopes)
            for n, slopes in enumerate(self.functions.slopes)
        )
        return CoefficientSets(self.design, functions, value_name="machines")

    def contributions(self, table: Table) -> Contributions:
        """Return the terms of the decision value of the single row; see models/svm/contributions.py."""
        from hedgerow.models.svm.contributions import machine_contributions

        return machine_contributions(self, table)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the terms of the function that separates the two classes; for kernels the support vectors."""
        from hedgerow.models.svm.contributions import machine_contributions
        from hedgerow.models.svm.reason import SupportReason
        from hedgerow.models.svm.support import explain_by_support

        try:
            if self.form != NONE and isinstance(self.functions, KernelFunctions):
                return SupportReason(self, explain_by_support(self, table, classes.winner, classes.against))
            contributions = machine_contributions(self, table, classes.winner, classes.against)
        except ModelError as error:
            return NoReason(str(error))
        return sum_reason(contributions, classes, self.term_spaces, table)

    def row_notes(self, table: Table) -> list[str]:
        """Return how the pairs vote on the only row."""
        from hedgerow.models.svm.contributions import vote_notes

        return vote_notes(self, table)

    def term_groups(self, most: int | None = None) -> TermGroups | None:
        """Return the terms of the largest slopes of every class, by text; None without texts, or of kernels."""
        from hedgerow.models.svm.contributions import machine_term_groups

        return machine_term_groups(self, most)

    def member(self, number: int) -> str:
        """Return one machine's print: all its coefficients, or its heaviest support vectors; numbered from 0."""
        from hedgerow.models.svm.member_text import member_text

        return member_text(self, number)

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's): coefficients of linear machines, or support vectors of kernel machines."""
        from hedgerow.models.svm.to_table import machine_table

        return machine_table(self)

    def __str__(self) -> str:
        from hedgerow.models.svm.text import machines_text

        return machines_text(self)

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts; a kernel that is a Python function has none."""
        if isinstance(self.functions, KernelFunctions) and isinstance(self.functions.kernel, CallableKernel):
            self.functions.kernel.to_dict()  # which raises
        return self._parts()

    def _parts(self) -> dict[str, Any]:
        return {
            "design": design_parts(self.design),
            "codes": self.codes.to_dict(),
            "functions": functions_parts(self.functions),
            "rows": self.rows,
            "chances": chances_parts(self.chances),
            "figures": None if self.figures is None else self.figures.to_dict(),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, *PARTS)
        if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("support vector machines need a nominal target")
        classes = len(schema.target_column.levels)
        codes = CodeMatrix.from_dict(parts["codes"], classes)
        detect_multiclass_form(codes)
        machines, rows = len(codes), array_part(parts, "rows", np.int64, classes)
        if (rows < 0).any() or not np.array_equal(np.flatnonzero(rows), codes.used):
            raise ModelError("its machines must be for exactly the classes that had rows")
        design = design_of(parts["design"], schema)
        functions = read_functions(parts["functions"], design, machines, classes)
        chances = read_probability_functions(parts["chances"], machines)
        figures = None if parts["figures"] is None else MachineFigures.from_dict(parts["figures"], machines)
        return cls(schema, design, codes, functions, rows, chances, figures, about=about)
