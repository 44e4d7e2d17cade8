"""Constraints on rule learners: rules to keep, forbidden columns, and directions of numeric conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError, UsageError
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import FileText, choice, column_names, integer, kept_rules_param, mapping
from hedgerow.learn.prepare import usable_schema
from hedgerow.models.base.condition import LevelCodes, nearest, terms_of_conditions
from hedgerow.models.base.model import Model
from hedgerow.models.base.parse import rule_lines
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.term_hits import TermHits
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.text_header import scan_names

AT_MOST, ABOVE = 1, 2  # the bits of `RuleConstraints.directions`
MOST = 2**62  # rules or conditions: none needs more
WAYS = {"up": ABOVE, "down": AT_MOST}


def direction() -> Any:
    """Declare `direction`, for learners that look for thresholds."""
    words = 'numeric columns that rules may test in one direction only: "up" with > and >=, "down" with <= and <'
    return mapping(words, "age=up,size=down")


class RuleLearner(Classifier):
    """Learners of rules, and the constraints that all of them support."""

    keep_rules: Any = kept_rules_param(
        "rules that come first, unchanged; the learner adds rules for the rows that they do not cover"
    )
    forbid: Any = column_names("columns that learned rules must not test")
    default: str | None = choice(
        "majority", "the decision where no rule applies; none: no prediction", "majority", none=True
    )
    max_rules: int | None = integer(
        None, "maximum number of rules to learn, not counting those of keep", low=0, none=True
    )
    max_length: int | None = integer(None, "maximum number of conditions of a learned rule", low=1, none=True)

    def show_work(self, table: Table) -> object:  # noqa: D102
        return super(RuleLearner, self._resolve_parameters(table.schema)).show_work(table)

    show_work.__doc__ = Classifier.show_work.__doc__

    def _train_data(self, data: Table | Source, counted: Any = None) -> Model:
        return super(RuleLearner, self._resolve_parameters(data.schema))._train_data(data, counted)

    def _resolve_parameters(self, schema: Schema) -> Self:
        """Return the learner with the text of a file of rules, and no forbidden columns that are left out anyway.

        So a model tells all that is needed to learn it again from the columns that it knows. What else is asked of such
        a column cannot be had, and is an error that says why.
        """
        self.check_params()
        idle = {column.name: column for column in schema.columns if column.name != schema.target}
        for name in usable_schema(schema, self.accepted_kinds())[0].names:
            idle.pop(name, None)
        tested = columns_of_rules(self.keep_rules) if idle and self.keep_rules is not None else ()
        options = dict.fromkeys(getattr(self, "direction", None) or {}, "direction names")
        for name, what in (dict.fromkeys(tested, "the rules to keep test") | options).items():
            if name in idle:
                raise UsageError(f"{what} {name!r}, but {self._exclusion_reason(idle[name])}")
        forbidden = parse_column_names(self.forbid)
        settled = copy(self)
        if not idle.keys().isdisjoint(forbidden):
            settled.forbid = [name for name in forbidden if name not in idle] or None
        if isinstance(self.keep_rules, PathLike):
            settled.keep_rules = _text(self.keep_rules)
        return settled

    def _exclusion_reason(self, column: Column) -> str:
        """Return why a column is not learned from."""
        if column.ignored:
            remedy = f"; use --keep {quote_for_shell(column.name)} to include it" if column.is_identifier else ""
            return f"{column.exclusion_note}{remedy}"
        return f"it is a column of kind {column.kind}, which {self.name} cannot use"


@dataclass(frozen=True, eq=False)
class RuleConstraints:
    """The constraints of a learner, resolved for one schema.

    Parameters
    ----------
    schema
        The columns that are learned from.
    allowed
        For each predictor whether learned rules may test it.
    directions
        For each predictor which tests learned rules may have, as bits: 1 for `<=`, 2 for `>`, so 3 for any. A nominal
        column has 3.
    kept
        The rules that stand first, without counts, their classes as the schema codes them.
    """

    schema: Schema
    allowed: NDArray[np.bool_]
    directions: NDArray[np.uint8]
    kept_rules: tuple[Rule, ...]

    @classmethod
    def of(cls, learner: Any, schema: Schema) -> RuleConstraints:
        """Return the limits that a learner has by its parameters `keep_rules`, `forbid` and `direction`."""
        places = {schema.columns[position].name: place for place, position in enumerate(schema.predictors)}
        allowed = np.ones(len(places), dtype=np.bool_)
        for name in parse_column_names(getattr(learner, "forbid", None)):
            allowed[_column_position(name, places, "forbid", schema)] = False
        directions = np.full(len(places), AT_MOST | ABOVE, dtype=np.uint8)
        for name, way in (getattr(learner, "direction", None) or {}).items():
            place = _column_position(name, places, "direction", schema)
            directions[place] = _direction_sign(name, way, schema)
        return cls(schema, allowed, directions, align_rules(getattr(learner, "keep_rules", None), schema))

    def first(self, table: Table) -> tuple[tuple[Rule, ...], Rows]:
        """Return the kept rules as executed in order, with the rows that reach each, and the rows they leave."""
        codes, rows, hits = LevelCodes(self.schema), np.arange(table.n_rows), self._hits(table)
        out = []
        for rule in self.kept_rules:
            covered = rule.rows(table, rows, codes, hits)
            out.append(count_rule(rule, table, covered))
            rows = np.setdiff1d(rows, covered, assume_unique=True)
        return tuple(out), rows

    def unordered_kept_rules(self, table: Table) -> list[tuple[Rule, Rows]]:
        """Return the kept rules as executed without order, each with all rows that it covers."""
        codes, every, hits = LevelCodes(self.schema), np.arange(table.n_rows), self._hits(table)
        covered = ((rule, rule.rows(table, every, codes, hits)) for rule in self.kept_rules)
        return [(count_rule(rule, table, rows), rows) for rule, rows in covered]

    def _hits(self, table: Table) -> TermHits:
        """Return the terms of texts that kept rules look for, each text split into words once for all rules."""
        return TermHits(
            table, terms_of_conditions(condition for rule in self.kept_rules for condition in rule.conditions)
        )


def class_codes(table: Table) -> Codes:
    """Return the class of every row."""
    return table.target_codes


def class_weights(table: Table, rows: Rows | slice = slice(None)) -> Numbers:
    """Return the weight of every class, among all rows or some."""
    n_classes = len(table.schema.target_column.levels)
    return np.bincount(class_codes(table)[rows], table.row_weights[rows], n_classes).astype(np.float64)


def count_rule(rule: Rule, table: Table, rows: Rows) -> Rule:
    """Return the rule with the weight by class of the rows that it covers."""
    return Rule(rule.conditions, tuple(class_weights(table, rows).tolist()), rule.decision)


def kernel_limit(limit: int | None) -> int:
    """Return how many rules or conditions there may be, as the kernels take it; none asks for no limit."""
    return MOST if limit is None else min(int(limit), MOST)


def parse_column_names(names: str | Sequence[str] | None) -> list[str]:
    """Return the column names of a list, or of words between commas."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    return list(names or ())


def align_rules(value: Any, schema: Schema) -> tuple[Rule, ...]:
    """Return rules without counts, for tables of this schema; a model's default is dropped.

    `value` is a model with rules, their print, the path of a file that holds it, or None. A text needs no default.
    """
    if value is None:
        return ()
    try:
        model = _parse_rules(_text(value), schema) if isinstance(value, str | PathLike) else value
        model = model.rules() if callable(model.rules) else model  # the rules of a tree
        return tuple(_align_rule(rule, model.schema, schema) for rule in model.rules)
    except ModelError as error:
        file = str(value) if isinstance(value, PathLike) else getattr(value, "file", "")
        where = "" if not file else f"{file}, " if str(error).startswith("line ") else f"{file}: "
        raise UsageError(f"the rules to keep do not match the data: {where}{error}") from None


def columns_of_rules(value: Any) -> list[str]:
    """Return the columns that rules to keep test, be they a model, a text or a file."""
    if not isinstance(value, str | PathLike):
        return list(value.columns_used())
    try:
        return list(scan_names(_text(value)).columns)
    except ModelError:  # is reported when they are actually read
        return []


def _text(source: str | PathLike[str]) -> str:
    return source if isinstance(source, str) else FileText.of(source)


def _parse_rules(text: str, schema: Schema) -> RuleModel:
    """Return the rules of a text, which may end without a default."""
    starts = {line.split(None, 1)[0].lower() for _, line in rule_lines(text)}
    if starts.isdisjoint({"otherwise", "where"}):
        target = schema.target_column
        text += "\n" + Rule((), (0.0,) * len(target.levels)).text(target)
    return parse_model(text, schema)


def _align_rule(rule: Rule, known: Schema, schema: Schema) -> Rule:
    """Return a rule of one schema for another."""
    codes = LevelCodes(schema)
    for condition in rule.conditions:
        condition.check(schema, codes)
    label, classes = known.target_column.levels[rule.code], schema.target_column.levels
    if label not in classes:
        raise ModelError(f"there is no class {label!r}; {nearest(label, classes, 'classes')}")
    return Rule(rule.conditions, (0.0,) * len(classes), classes.index(label))


def _column_position(name: str, places: Mapping[str, int], what: str, schema: Schema) -> int:
    if name in places:
        return places[name]
    if name == schema.target:
        raise UsageError(f"{what} names {name!r}, which is the class to predict")
    raise UsageError(f"{what} names {name!r}, which is not one of the training columns; {nearest(name, places)}")


def _direction_sign(name: str, way: Any, schema: Schema) -> int:
    if way not in WAYS:
        hint = nearest(str(way), WAYS, "words")
        raise UsageError(f"the direction of column {name!r} is {way!r}; {hint}")
    column = schema[name]
    if column.kind is not Kind.NUMERIC:
        raise UsageError(
            f"column {name!r} is {column.kind} and has no direction, since only numbers have one; forbid it instead"
        )
    return WAYS[way]
