"""Model: a small frozen value that predicts exactly what it prints."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.bags.lists import parse_bags_for_schema
from hedgerow.data.frames.objects import table_from, table_of_records
from hedgerow.data.frames.text_lists import parse_texts, text_table
from hedgerow.data.rows.row_sketch import RowSketch
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import DataWarning, ModelError, UsageError
from hedgerow.layout.shown import ArrowTable, NotebookDisplay
from hedgerow.layout.wrapping import cut_lines
from hedgerow.models.base.coefficient_sets import CoefficientSets
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.decisions import DecisionRule, decision_rule, decisions, parse_decision_rule
from hedgerow.models.base.reason import ComparedClasses, NoReason, Reason, sum_reason
from hedgerow.models.base.rule_figures import LEARNERS, RuleCoverage, RuleFigures
from hedgerow.models.base.term_groups import TermGroups
from hedgerow.models.base.unknown_rows import data_faults

FILES = "hedgerow.models.files.model_file"  # imports every kind of model, so it is only named here


@dataclass(frozen=True)
class About:
    """How a model came about: which learner, with which parameters, from how many rows.

    The sketch of the training rows tells which share of other rows is among them (`evaluate/training_overlap.py`).
    """

    learner: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    weight: float = 0.0
    notes: tuple[str, ...] = ()
    sketch: RowSketch | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        values = {
            "learner": self.learner,
            "parameters": dict(self.parameters),
            "rows": self.rows,
            "weight": self.weight,
            "notes": list(self.notes),
        }
        return values if self.sketch is None else {**values, "sketch": self.sketch.to_dict()}


@dataclass(frozen=True, eq=False)
class Model(ArrowTable, NotebookDisplay, ABC):
    """The result of a learner. It stores the schema of the training data, but no rows and no learner.

    `to_dict` returns the model's own parts as JSON values and NumPy arrays; `from_dict` rebuilds the
    model and raises `ModelError` for anything unexpected. Schema and `about` are stored separately.
    """

    schema: Schema
    about: About = field(default_factory=About, kw_only=True, compare=False)

    kind: ClassVar[str]
    has_members: ClassVar[bool] = False  # whether it consists of several models, which `member` prints
    display_name: ClassVar[str] = "a model"  # its description, in sentences
    lists_rules: ClassVar[bool] = False  # whether its own print is a list or a set of rules
    rule_order: ClassVar[str] = ""  # how its rules are read: "list", "set", "vote" or "paths"; empty: it has none
    overruling: ClassVar[str] = "misclassification costs"  # what may override the most probable class
    decider: ClassVar[str] = "prior"  # what decides on rows without any known value

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:  # a data class would otherwise write one with all arrays
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        about = self.about
        target = f" for {self.schema.target!r}" if self.schema.target else ""
        rows = f", {about.rows} row{'' if about.rows == 1 else 's'}" if about.rows else ""
        size = "" if self.size is None else f", size {self.size}"
        return f"<{type(self).__name__}: {about.learner or self.kind}{target}{rows}{size}>"

    @abstractmethod
    def __str__(self) -> str:
        """Return the model in readable form."""

    def outline(self, most_lines: int) -> str:
        """Return the printed form or, if it has more than so many lines, its most important part.

        The last line then says what is left out. Unless a model knows better, it is the beginning.
        """
        return cut_lines(str(self), most_lines)

    def __eq__(self, other: object) -> bool:
        """Return whether another model has the same schema and parts; how they were trained does not matter."""
        if type(self) is not type(other) or not isinstance(other, Model):
            return NotImplemented
        return self.schema == other.schema and are_equal_parts(self.to_dict(), other.to_dict())

    def __hash__(self) -> int:
        return hash((self.kind, self.schema.names))

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts: JSON values, with NumPy arrays as leaves."""

    @classmethod
    @abstractmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from `to_dict`'s parts, checking every one of them."""

    @property
    def size(self) -> int | None:
        """The size of the model in its own units, such as its number of rules; None if not meaningful."""
        return None

    def columns_used(self) -> tuple[str, ...] | None:
        """Return the columns that the model uses, in the schema's order; None if unknown."""
        return None

    def importance(self) -> dict[str, float]:
        """Return the importance of each predictor, as shares that sum to 1; `UsageError` if there is none."""
        raise UsageError(f"impurity importance is defined for trees; a model of kind {self.kind!r} has none")

    def by_predictor(self, shares: Numbers) -> dict[str, float]:
        """Return numbers, one per predictor in the order of the schema, by the names of the columns."""
        names = (self.schema.names[position] for position in self.schema.predictors)
        return dict(zip(names, shares.tolist(), strict=True))

    def contributions(self, table: Table) -> Contributions:  # noqa: ARG002
        """Return the parts that add up to the scores of the classes, or to the number, on the only row of a table.

        The table must be aligned. A model whose scores are not such a sum raises `ModelError`.
        """
        raise ModelError(
            f"a model of kind {self.kind!r} cannot split its decision into contributions of the parts of a row"
        )

    def to_arrow(self) -> Any:
        """Return the rules, coefficients or terms as an Arrow table, one per row, or raise `ModelError`."""
        raise ModelError(f"a model of kind {self.kind!r} has no rules, coefficients or terms to list in a table")

    def coefficient_sets(self) -> CoefficientSets | None:
        """Return the coefficients of all linear functions of the model; None if it has none."""
        return None

    @property
    def term_spaces(self) -> Mapping[str, TermSpace]:
        """The weighted terms of the model, by text column; contributions refer to terms by their ids."""
        return {}

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the reason for deciding for one class and against another, for the only row of a table.

        The table must be aligned; with `contrast`, trees and rules also give the rule or leaf that is closest to the
        other class. Unless a model has its own kind of reason, it is the sum of its contributions or, if it has none, a
        `NoReason` that says so.
        """
        try:
            contributions = self.contributions(table)
        except ModelError as error:
            return NoReason(str(error))
        return sum_reason(contributions, classes, self.term_spaces, table)

    def term_groups(self, most: int | None = None) -> TermGroups | None:  # noqa: ARG002
        """Return the most indicative terms of each class, with a maximum per group; None if the model has no terms."""
        return None

    def drawn_tree(self, most_nodes: int) -> tuple[Model, str] | None:  # noqa: ARG002
        """Return the tree to draw for the model, and a note on omitted parts; None if it is not a tree.

        Of a tree of more than so many nodes that is its first levels.
        """
        return None

    def neighbor_rows(self, table: Table) -> dict[str, Any] | None:  # noqa: ARG002
        """Return the training rows nearest to the only row of an aligned table; None if the model keeps none."""
        return None

    def member(self, number: int) -> str:
        """Return the print of a member, numbered from 0; a model that `has_members` consists of several."""
        raise ModelError(f"a model of kind {self.kind!r} has no members, so it has no member {number}")

    def member_model(self, number: int) -> Model:  # noqa: ARG002
        """Return a member as a separate model; the model itself if its members are not models."""
        return self

    def rule_rows(self) -> tuple[RuleFigures, ...]:
        """Return the rules in the model's order, the default last, with their statistics on the training rows.

        A model without rules (`rule_order` is empty) raises `UsageError` with the reason.
        """
        raise UsageError(self.no_rules())

    def no_rules(self) -> str:
        """Return the error message for a model without rules: the reason, and what to do."""
        return f"a model of kind {self.kind!r} has no rules; {LEARNERS}"

    def as_rules(self) -> Any:
        """Return the model as one of rules (a `RuleModel`): itself, or the paths of a tree; else as `rule_rows`."""
        raise UsageError(self.no_rules())

    def rule_coverage(self, table: Table) -> RuleCoverage:  # noqa: ARG002
        """Return which rows of an aligned table each rule covers, in the order of `rule_rows`; else as these."""
        raise UsageError(self.no_rules())

    def deciding_rules(self, table: Table) -> Codes:  # noqa: ARG002
        """Return the position of the first rule that covers each row of an aligned table; for ordered rules only."""
        raise ModelError(f"a model of kind {self.kind!r} has no ordered rules of which one decides")

    def row_notes(self, table: Table) -> list[str]:  # noqa: ARG002
        """Return further notes on the single row of an aligned table, as sentences."""
        return []

    def align(self, table: Any) -> Table:
        """Return a table's (or a frame's) columns in the model's order, levels matched by value.

        Columns that the model does not use may be absent. An absent column that it uses and a value that is not a
        number are taken as missing, with a `DataWarning`.
        """
        given = self._to_table(table)
        if given.schema is self.schema:
            return given
        faults = data_faults(self)
        aligned = align(given, self.schema, faults).table
        for note in () if faults is None else faults.notes:
            warnings.warn(note, DataWarning, stacklevel=3)
        return aligned

    def _to_table(self, table: Any) -> Table:
        """Return user input as a table; a list of strings is the text column of a model that has no other.

        So is a list of arrays its column of bags. A dict of columns, a dict of values, and a list of dicts are rows.
        """
        predictors = [self.schema.columns[position] for position in self.schema.predictors]
        if len(predictors) == 1 and predictors[0].kind is Kind.TEXT:
            text = parse_texts(table, expected=True)
            if text is not None:
                return text_table(text, predictors[0].name)
        records = table_of_records(table)
        if records is not None:
            return records
        bags = parse_bags_for_schema(self.schema, table)
        return table_from(table) if bags is None else bags

    def replace_about(self, about: About) -> Self:
        """Return the same model with different training information."""
        other = copy(self)  # not `replace`, which would check all parts once more
        object.__setattr__(other, "about", about)
        return other

    def save(self, path: str | Path, *, sketch: bool = True) -> None:
        """Write the model to a file that `hedgerow.load` reads and that cannot run code.

        Without `sketch`, the sketch of the training rows is left out: tests of the loaded model then do not tell
        whether it was trained on the same rows, and nobody can check whether a row was among them.
        """
        import_module(FILES).save(self if sketch else self.replace_about(replace(self.about, sketch=None)), path)


@dataclass(frozen=True, eq=False)
class RowScores:
    """The distribution of every row, and which rows have no known value: there the prior decides."""

    distribution: Numbers
    is_unknown: NDArray[np.bool_] | None = None  # None: the model does not report it


def print_decision(text: Callable[..., str]) -> Callable[..., str]:
    """Return a `__str__` or `outline` that also tells by which thresholds or costs a model decides."""

    @wraps(text)
    def with_decision(model: ClassModel, *given: Any) -> str:
        printed, rule = text(model, *given), model.decides_by
        return printed if rule is None or printed.endswith(rule.sentence) else f"{printed}\n{rule.sentence}"

    return with_decision


@dataclass(frozen=True, eq=False)
class ClassModel(Model):
    """A model that predicts a class.

    Parameters
    ----------
    decides_by
        The thresholds or costs that decide; None if the class is that of `own_decisions`, mostly the most probable one.
        The probabilities do not depend on it.
    """

    decides_by: DecisionRule | None = field(default=None, kw_only=True)

    outline = print_decision(Model.outline)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("__str__", "outline"):
            if name in cls.__dict__:
                setattr(cls, name, print_decision(cls.__dict__[name]))

    def __eq__(self, other: object) -> bool:
        """Return whether another model has the same schema, parts and decisions; training does not matter."""
        same = super().__eq__(other)
        return same and self.decides_by == other.decides_by if isinstance(other, ClassModel) else same

    __hash__ = Model.__hash__

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels, in the order of the distribution's columns."""
        return self.schema.target_column.levels

    @property
    def abstains(self) -> bool:
        """Whether the model may leave rows without a prediction."""
        return False

    @abstractmethod
    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows have no known value, if the model reports it."""
        return RowScores(self.scores(table))

    def margins(self, table: Table) -> Numbers | None:  # noqa: ARG002
        """Return how far each row of an aligned table is on the side of the second of two classes, below 0 the first's.

        None if the model has no such numbers, but only probabilities; margins need not lie between -1 and 1.
        """
        return None

    def distribution(self, table: Any) -> Numbers:
        """Return the probability of every class (columns) for every row of a table or frame; each row sums to 1."""
        return self.scores(self.align(table))

    def decide(self, table: Any) -> Codes:
        """Return the code of the predicted class of every row: the most probable, unless thresholds or costs decide.

        Ties go to the first class. A model that may leave rows without a prediction gives -1 for them.
        """
        return self.decide_rows(self.align(table))

    def decide_rows(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the same for an aligned table, whose scores may be given."""
        if self.decides_by is None:
            return self.own_decisions(table, scores)
        scores = self.scores(table) if scores is None else scores
        codes = self.decides_by.decide(scores)
        if self.abstains:
            codes[self.own_decisions(table, scores) < 0] = -1
        return codes

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the codes without thresholds and costs; a kind of model may decide otherwise than by its scores."""
        return decisions(self.scores(table) if scores is None else scores)

    @property
    def decision_rule(self) -> DecisionRule | None:
        """The thresholds or costs that decide, whether added to the model or its own; None if none do."""
        return self.decides_by

    @property
    def says_most_probable(self) -> bool:
        """Whether the predicted class is always the most probable one, of which the first."""
        return self.decides_by is None and type(self).own_decisions is ClassModel.own_decisions

    def with_thresholds(self, thresholds: Mapping[str, float] | None) -> Self:
        """Return the same model, but a class is predicted if its probability is at least its threshold.

        With `{"yes": 0.2}` that is yes from a probability of 0.2 on, otherwise the most probable of the other classes.
        Of several classes that reach their thresholds, the one with the largest ratio of probability to threshold wins.
        None removes thresholds and costs. The probabilities stay as they are.
        """
        return self.decided_by(decision_rule(self.classes, thresholds))

    def with_costs(self, costs: Any) -> Self:
        """Return the same model, but the class of least expected cost is predicted; the probabilities stay as they are.

        `{"yes:no": 5}` means that predicting a yes as no costs 5; other mistakes cost 1. A square matrix by actual and
        predicted class is allowed, too. None removes costs and thresholds.
        """
        return self.decided_by(decision_rule(self.classes, costs=costs))

    def decided_by(self, rule: DecisionRule | None) -> Self:
        """Return the same model with another rule of decision; None removes it."""
        other = copy(self)  # not `replace`, which would check all parts once more
        object.__setattr__(other, "decides_by", rule)
        return other

    def predict(self, table: Any) -> NDArray[Any]:
        """Return the predicted label of every row, None for a row without a prediction; see `decide`."""
        return np.array([*self.classes, None], dtype=object)[self.decide(table)]


@dataclass(frozen=True, eq=False)
class NumberModel(Model):
    """A model that predicts a number."""

    @abstractmethod
    def values(self, table: Table) -> Numbers:
        """Return the numbers for a table that is aligned already."""

    def contributions(self, table: Table) -> Contributions:  # noqa: ARG002
        """Return the terms whose sum is the prediction for the single row of an aligned table."""
        raise ModelError(
            f"a model of kind {self.kind!r} cannot split its prediction into contributions of the parts of a row"
        )

    def predict(self, table: Any) -> NDArray[Any]:
        """Return the predicted number of every row."""
        return self.values(self.align(table))


@dataclass(frozen=True, eq=False)
class TableModel(Model):
    """A model that turns a table into another."""

    @abstractmethod
    def transform(self, table: Table) -> Table:
        """Return the transformed table; columns that the model does not know are unchanged."""


def with_parsed_decisions(model: Model, data: Any) -> ClassModel:
    """Return a model that decides by the thresholds or costs of a model file, checking every part of them."""
    if not isinstance(model, ClassModel):
        raise ModelError(f"a model of kind {model.kind!r} has no classes to decide for")
    return model.decided_by(parse_decision_rule(data, model.classes))


def are_equal_parts(one: Any, other: Any) -> bool:
    """Return whether two models' parts are equal, arrays element by element."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(are_equal_parts(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(are_equal_parts, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)
