"""Rule and RuleList: what all rule learners return. The first rule that covers a row decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, groupby, pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.decimals import number_text
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError
from hedgerow.models.condition import COMPARISONS, Condition, LevelCodes, Mask, Operator, conjunction
from hedgerow.models.lookup import lone_column, lookup
from hedgerow.models.model import About, ClassModel
from hedgerow.models.parts import array_part, codes_part, expect_parts, starts_part, weights_part
from hedgerow.models.words import level_text, name_text

# Nobody reads a longer list, and a hostile file shall not make us build one.
MOST_CONDITIONS = 1_000_000
MOST_WEIGHTS = 5_000_000

OPERATORS = tuple(Operator)
# A stated class that is not the heaviest is made heavier than the heaviest by this factor.
JUST_HEAVIER = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Rule:
    """Conditions that must all hold, and the classes of the training rows they covered.

    Parameters
    ----------
    conditions
        The tests; none for a rule that covers every row.
    weights
        The weight of the covered training rows by class, kept as it prints (see `stored`). All zero for
        a rule that was written by hand or covered nothing.
    decision
        The code of the class; -1 takes the heaviest, of equals the first.
    """

    conditions: tuple[Condition, ...]
    weights: tuple[float, ...]
    decision: int = -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "weights", stored(self.weights))
        if self.decision == -1:
            object.__setattr__(self, "decision", self.weights.index(max(self.weights)))
        if not 0 <= self.decision < len(self.weights):
            raise ModelError(f"a rule decides for class {self.decision}, but there are {len(self.weights)}")

    @property
    def n(self) -> float:
        """The weight of the training rows that the rule covered."""
        return float(_total(self.weights))

    @property
    def errors(self) -> float:
        """The weight of the covered training rows that are of another class."""
        return float(_total(w for code, w in enumerate(self.weights) if code != self.decision))

    @property
    def confidence(self) -> float:
        """The share of the covered training rows that are of the rule's class; 0 if it covered none."""
        return (self.n - self.errors) / self.n if self.n else 0.0

    def support(self, total: float) -> float:
        """Return the share of all training rows, which weigh `total`, that are covered and of the rule's class."""
        if not total >= self.n > -1 or not total:
            raise ModelError(f"a rule that covered {number_text(self.n)} rows cannot have a share of {total}")
        return (self.n - self.errors) / total

    def rows(self, table: Table, rows: Rows, codes: LevelCodes | None = None) -> Rows:
        """Return those of `rows` that the rule covers."""
        for condition in self.conditions:
            rows = rows[condition.covers(table, rows, codes)]
        return rows

    def covers(self, table: Table) -> Mask:
        """Return for every row whether the rule covers it."""
        mask = np.zeros(table.n_rows, dtype=np.bool_)
        mask[self.rows(table, np.arange(table.n_rows))] = True
        return mask

    def text(self, target: Column) -> str:
        """Return the rule as it prints, the class written as the target's level."""
        counts = f" {counts_text(self.weights, self.decision, target.levels)}" if self.n else ""
        return f"{rule_start(self, target)}{counts}"


@dataclass(frozen=True, eq=False)
class RuleList(ClassModel):
    """Rules in order and a default: the first rule that covers a row decides its class.

    The prediction is the rule's distribution of training weight; a rule without any is sure of its class. The
    class that a rule states is always the most probable one: if it is not the heaviest, it counts as just
    heavier than the heaviest, so that nothing is predicted but what the print says.

    Examples
    --------
    >>> schema = Table.of({"Wind": ["weak"], "Play": ["yes"]}, "Play", {"Play": ["no", "yes"]}).schema
    >>> windless = Rule((Condition("Wind", Operator.IS, "weak"),), (2, 6))
    >>> print(RuleList(schema, (windless,), Rule((), (5, 9))))
    if Wind = weak then Play = yes (8/2)
    otherwise Play = yes (14/5)
    """

    rules: tuple[Rule, ...]
    default: Rule
    _codes: LevelCodes = field(init=False, repr=False, compare=False)
    _shares: Numbers = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "rules"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "_codes", LevelCodes(self.schema))
        self._check()
        object.__setattr__(self, "_shares", _shares([*self.rules, self.default]))

    @property
    def size(self) -> int:
        """The number of rules, the default not counted."""
        return len(self.rules)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that conditions test."""
        tested = {condition.column for rule in self.rules for condition in rule.conditions}
        return tuple(name for name in self.schema.names if name in tested)

    def __len__(self) -> int:
        """Return the number of rules, the default not counted."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        """Iterate over the rules in order, the default last."""
        return iter((*self.rules, self.default))

    def __str__(self) -> str:
        target = self.schema.target_column
        return "\n".join(rule.text(target) for rule in self)

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Read a printed or hand-written list; what cannot be read raises with its line number.

        One rule a line; blank lines and lines that begin with # are passed over, keywords may be in any
        case, and the counts in parentheses may be left out.
        """
        from hedgerow.models.parse import read_rules

        rules, default = read_rules(text, schema)
        return cls(schema, rules, default, about=about or About())

    def deciders(self, table: Table) -> Codes:
        """Return the position of the rule that decides each row of an aligned table; the default is last."""
        decider = np.full(table.n_rows, len(self.rules), dtype=np.int32)
        open_rows = np.arange(table.n_rows)
        for column, run in groupby(enumerate(self.rules), key=lambda one: lone_column(one[1].conditions, self.schema)):
            rules = [(number, rule.conditions) for number, rule in run]
            if column is None or len(rules) == 1:
                for number, _ in rules:
                    decider[self.rules[number].rows(table, open_rows, self._codes)] = number
                    open_rows = open_rows[decider[open_rows] == len(self.rules)]
            else:
                find = lookup(column, rules, self.schema, self._codes, len(self.rules))
                decider[open_rows] = find(table, open_rows)
                open_rows = open_rows[decider[open_rows] == len(self.rules)]
        return decider

    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""
        return self._shares[self.deciders(table)]

    def to_table(self) -> Any:
        """Return an Arrow table (pyarrow's), a row a rule, the default last.

        Columns: number, conditions, class, n, errors, support, confidence, lift, length, default (whether it is).
        `.to_pandas()` and `polars.from_arrow` make frames of it.
        """
        from hedgerow.models.rule_table import to_table

        return to_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as flat arrays; the default is the last of `decisions` and `weights`."""
        conditions = list(chain.from_iterable(rule.conditions for rule in self.rules))
        levels = [[self._codes[c.column][level] for level in c.levels] for c in conditions]
        _check_sizes(len(conditions), sum(map(len, levels)), len(self.classes) * (len(self.rules) + 1))
        return {
            "rule_starts": _starts(len(rule.conditions) for rule in self.rules),
            "columns": np.array([self.schema.index(c.column) for c in conditions], dtype=np.int32),
            "operators": np.array([OPERATORS.index(c.operator) for c in conditions], dtype=np.uint8),
            "thresholds": np.array([c.threshold for c in conditions], dtype=np.float64),
            "level_starts": _starts(map(len, levels)),
            "levels": np.array(list(chain.from_iterable(levels)), dtype=np.int32),
            "decisions": np.array([rule.decision for rule in self], dtype=np.int32),
            "weights": np.array([rule.weights for rule in self], dtype=np.float64),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the list from `to_dict`'s arrays, checking every one of them."""
        expect_parts(parts, *_PARTS)
        conditions = _conditions(parts, schema)
        starts = starts_part(parts, "rule_starts", len(conditions)).tolist()
        n_classes = len(schema.target_column.levels)
        weights = weights_part(parts, "weights", len(starts), n_classes)
        _check_sizes(len(conditions), 0, weights.size)
        decisions = codes_part(parts, "decisions", np.int32, len(starts), n_classes).tolist()
        bodies = [tuple(conditions[a:b]) for a, b in pairwise(starts)]
        *rules, default = map(Rule, [*bodies, ()], map(tuple, weights.tolist()), decisions)
        return cls(schema, tuple(rules), default, about=about)

    def _check(self) -> None:
        target = self.schema.target_column
        if target.kind is not Kind.NOMINAL or not target.levels:
            raise ModelError(f"rules predict a class, but the target {target.name!r} has no classes")
        if self.default.conditions:
            raise ModelError(f"the default rule must have no conditions, not {self.default.conditions[0]}")
        for number, rule in enumerate(self, start=1):
            if len(rule.weights) != len(target.levels):
                raise ModelError(f"rule {number} has {len(rule.weights)} weights for {len(target.levels)} classes")
            if not rule.conditions and number <= len(self.rules):
                raise ModelError(f"rule {number} has no conditions; make it the default and end the list")
            for condition in rule.conditions:
                condition.check(self.schema, self._codes)


_PARTS = (
    "rule_starts",
    "columns",
    "operators",
    "thresholds",
    "level_starts",
    "levels",
    "decisions",
    "weights",
)


def stored(weights: Iterable[float]) -> tuple[float, ...]:
    """Return weights as a rule keeps and prints them: whole numbers as they are, fractions to six digits.

    The digits are those of the total, so that all weights of a rule end at the same decimal and their sums
    print exactly. Where rounding lifts the total to the next power of ten, the given weights are rounded once more, to
    a digit less; so storing what is stored already changes nothing.
    """
    given = tuple(float(weight) for weight in weights)
    if not given or not all(weight >= 0 for weight in given) or sum(given) > 1e300:
        raise ModelError(f"the weights of a rule must be finite numbers, none below 0, not {given}")
    kept, digits = given, math.inf
    while any(kept) and not _prints_whole(kept) and (fewer := _digits(kept)) < digits:
        kept, digits = tuple(round(weight, fewer) for weight in given), fewer
    return kept


def rule_start(rule: Rule, target: Column) -> str:
    """Return the rule as it prints, up to its counts."""
    start = f"if {conjunction(rule.conditions)} then" if rule.conditions else "otherwise"
    return f"{start} {name_text(target.name)} = {level_text(target.levels[rule.decision])}"


def counts_text(weights: Sequence[float], decision: int, classes: Sequence[str], always: bool = True) -> str:
    """Return `(n/errors)`, and the weight by class where that does not follow from the two.

    No errors are told only if they `always` are.
    """
    n, right = _total(weights), Decimal(repr(weights[decision]))
    counts = number_text(float(n))
    if always or n != right:
        counts += f"/{number_text(float(n - right))}"
    if len(classes) > 2 and n != right:
        pairs = [(level_text(c), w) for c, w in zip(classes, weights, strict=True) if w]
        counts += ": " + ", ".join(f"{label} {number_text(weight)}" for label, weight in pairs)
    return f"({counts})"


def _digits(weights: Sequence[float]) -> int:
    """Return how many decimals weights have so that their total has six digits; below 1e15 no fewer than none."""
    total = math.fsum(weights)
    digits = 5 - Decimal(total).adjusted()
    return max(digits, 0) if total < 1e15 else digits


def _prints_whole(weights: Sequence[float]) -> bool:
    return math.fsum(weights) < 1e15 and all(weight.is_integer() for weight in weights)


def _total(weights: Iterable[float]) -> Decimal:
    """Add weights as they print: 0.1 and 0.2 make 0.3."""
    return sum((Decimal(repr(weight)) for weight in weights), Decimal(0))


def _shares(rules: Sequence[Rule]) -> Numbers:
    """Return the distribution that each rule predicts; its own class is always the most probable."""
    weights = np.array([rule.weights for rule in rules], dtype=np.float64)
    decisions = np.array([rule.decision for rule in rules])
    every = np.arange(len(rules))
    heaviest = weights.max(axis=1)
    stated = weights.argmax(axis=1) != decisions
    weights[every[stated], decisions[stated]] = heaviest[stated] * JUST_HEAVIER
    none = heaviest == 0
    weights[every[none], decisions[none]] = 1.0
    shares: Numbers = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _starts(sizes: Iterable[int]) -> NDArray[np.int32]:
    return np.cumsum([0, *sizes]).astype(np.int32)


def _conditions(parts: dict[str, Any], schema: Schema) -> list[Condition]:
    """Return the conditions of a file's arrays, each with the value that its operator takes."""
    columns = codes_part(parts, "columns", np.int32, None, len(schema))
    levels = array_part(parts, "levels", np.int32, None).tolist()
    _check_sizes(len(columns), len(levels), 0)
    operators = codes_part(parts, "operators", np.uint8, len(columns), len(OPERATORS)).tolist()
    thresholds = array_part(parts, "thresholds", np.float64, len(columns)).tolist()
    starts = starts_part(parts, "level_starts", len(levels)).tolist()
    if len(starts) != len(columns) + 1:
        raise ModelError(f"its part 'level_starts' has {len(starts)} entries for {len(columns)} conditions")
    runs = [levels[a:b] for a, b in pairwise(starts)]
    each = zip(columns.tolist(), operators, thresholds, runs, strict=True)
    return [_condition(schema.columns[c], OPERATORS[op], number, run) for c, op, number, run in each]


def _condition(column: Column, operator: Operator, threshold: float, codes: Sequence[int]) -> Condition:
    if any(not 0 <= code < len(column.levels) for code in codes):
        raise ModelError(f"a condition tests a level that column {column.name!r} does not have")
    n_levels = {Operator.IS: 1, Operator.IS_NOT: 1, Operator.IN: max(1, len(codes))}.get(operator, 0)
    if len(codes) != n_levels or (threshold != 0 and operator not in COMPARISONS):
        raise ModelError(f"a condition on column {column.name!r} lacks the value that '{operator}' takes")
    if operator in COMPARISONS:
        return Condition(column.name, operator, threshold)
    levels = tuple(column.levels[code] for code in codes)
    if operator is Operator.IN:
        return Condition(column.name, operator, levels)
    return Condition(column.name, operator, levels[0] if levels else None)


def _check_sizes(n_conditions: int, n_levels: int, n_weights: int) -> None:
    if n_conditions > MOST_CONDITIONS or n_levels > MOST_WEIGHTS or n_weights > MOST_WEIGHTS:
        raise ModelError(
            f"a rule list may have {MOST_CONDITIONS:,} conditions and {MOST_WEIGHTS:,} levels and weights; "
            f"this one has {n_conditions:,}, {n_levels:,} and {n_weights:,}"
        )
