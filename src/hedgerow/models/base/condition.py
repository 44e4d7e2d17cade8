"""Condition: one test of one column, the atom of every rule and tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.table import Rows, Table, Text
from hedgerow.data.text.terms import words_in
from hedgerow.errors import ModelError
from hedgerow.layout.names import format_level, format_name
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import quote_text
from hedgerow.models.base.term_hits import TermHits

Mask = NDArray[np.bool_]


class Operator(StrEnum):
    """How a condition tests a value. Model files hold positions in this list: append, never reorder."""

    IS = "="
    IS_NOT = "!="
    IN = "in"
    AT_MOST = "<="
    BELOW = "<"
    ABOVE = ">"
    AT_LEAST = ">="
    MISSING = "is missing"
    CONTAINS = "contains"


COMPARISONS = {
    Operator.AT_MOST: np.less_equal,
    Operator.BELOW: np.less,
    Operator.ABOVE: np.greater,
    Operator.AT_LEAST: np.greater_equal,
}
LOWER = {Operator.ABOVE: "<", Operator.AT_LEAST: "<="}  # as an interval writes them, number first
UPPER = {Operator.BELOW: "<", Operator.AT_MOST: "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column. A missing value fails every test but `is missing`.

    Parameters
    ----------
    column
        The column's name.
    operator
        How its value is tested.
    value
        A level, several levels (`in`), a number (comparisons), a word (`contains`, kept in lower case), or None (`is
        missing`).

    Examples
    --------
    >>> print(Condition("Outlook", Operator.IS, "Sunny"))
    Outlook = Sunny
    >>> print(Condition("Credit", Operator.IN, ("good", "very good")))
    Credit in {good, "very good"}
    >>> print(Condition("message", Operator.CONTAINS, "FREE"))
    message contains "free"
    """

    column: str
    operator: Operator
    value: str | float | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", Operator(self.operator))
        object.__setattr__(self, "value", _convert_value(self))

    def __str__(self) -> str:
        name = format_name(self.column)
        if self.operator is Operator.MISSING:
            return f"{name} is missing"
        if self.operator is Operator.CONTAINS:
            return f"{name} contains {quote_text(self.term)}"
        if self.operator is Operator.IN:
            return f"{name} in {{{', '.join(format_level(level) for level in self.levels)}}}"
        value = format_number(self.threshold) if self.operator in COMPARISONS else format_level(self.levels[0])
        return f"{name} {self.operator} {value}"

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels the test names; none for numbers, words of a text and `is missing`."""
        if isinstance(self.value, tuple):
            return self.value
        return (self.value,) if isinstance(self.value, str) and self.operator is not Operator.CONTAINS else ()

    @property
    def term(self) -> str:
        """The word that a text must contain; empty for the other tests."""
        return self.value if isinstance(self.value, str) and self.operator is Operator.CONTAINS else ""

    @property
    def threshold(self) -> float:
        """The number that a comparison compares with; 0 for the other tests."""
        return self.value if isinstance(self.value, float) else 0.0

    def covers(
        self,
        table: Table,
        rows: Rows | None = None,
        codes: LevelCodes | None = None,
        hits: TermHits | None = None,
    ) -> Mask:
        """Return for every row, or every one of `rows`, whether it passes the test.

        Of many conditions, `codes` finds levels and `hits` the terms of this very table without a search for each.
        """
        position = table.schema.index(self.column)
        column = table.schema.columns[position]
        self.check_kind(column)
        picked = slice(None) if rows is None else rows
        if column.kind is Kind.NOMINAL:
            known = LevelCodes(table.schema) if codes is None else codes
            return self.hits(known[self.column])[table.codes(position)[picked]]
        values = table.values(position)
        if isinstance(values, Text):
            return self._text_covers(table, values, rows, hits)
        numbers = table.numbers(position)[picked]
        if self.operator is Operator.MISSING:
            return np.isnan(numbers)
        passed: Mask = COMPARISONS[self.operator](numbers, self.threshold)
        return passed

    def _text_covers(self, table: Table, text: Text, rows: Rows | None, hits: TermHits | None) -> Mask:
        if self.operator is Operator.MISSING:
            return text.missing if rows is None else text.missing[rows]
        term_hits = hits or TermHits(table, {self.column: (self.term,)})
        return term_hits.mask(self.column, self.term, rows)

    def hits(self, codes: Mapping[str, int]) -> Mask:
        """Return which codes of a nominal column pass; the last entry, or -1, is the missing value."""
        named = [codes[level] for level in self.levels if level in codes]
        hits = np.zeros(len(codes) + 1, dtype=np.bool_)
        hits[named] = True
        if self.operator is Operator.IS_NOT:
            hits = ~hits
        hits[-1] = self.operator is Operator.MISSING
        return hits

    def check(self, schema: Schema, codes: LevelCodes) -> None:
        """Raise an error unless the condition can be tested on tables of this schema."""
        if self.column not in schema:
            raise ModelError(f"there is no column {self.column!r}; {nearest(self.column, schema.names)}")
        if self.column == schema.target:
            raise ModelError(f"a condition tests {self.column!r}, which is the class to predict")
        self.check_kind(schema[self.column])
        for level in self.levels:
            if level not in codes[self.column]:
                hint = nearest(level, codes[self.column], "levels")
                raise ModelError(f"column {self.column!r} has no level {level!r}; {hint}", absent=(self.column, level))

    def check_kind(self, column: Column) -> None:
        """Raise an error unless columns of this kind can be tested so."""
        operators = OPERATORS_OF[column.kind]
        if self.operator in operators:
            return
        if not operators:
            raise ModelError(f"column {column.name!r} is a {column.kind}, which rules cannot test")
        raise ModelError(
            f"column {column.name!r} is {column.kind} and cannot be tested with '{self.operator}'; use "
            f"{listing(map(str, operators))}"
        )


OPERATORS_OF: dict[Kind, tuple[Operator, ...]] = {
    Kind.NUMERIC: (*COMPARISONS, Operator.MISSING),
    Kind.NOMINAL: (Operator.IS, Operator.IS_NOT, Operator.IN, Operator.MISSING),
    Kind.TEXT: (Operator.CONTAINS, Operator.MISSING),
    Kind.BAG: (),
}


class LevelCodes(dict[str, dict[str, int]]):
    """The code of every level by column name, computed for a column on first use."""

    def __init__(self, schema: Schema) -> None:
        super().__init__()
        self._schema = schema

    def __missing__(self, name: str) -> dict[str, int]:
        codes = self[name] = self._schema.level_codes(name)
        return codes


def terms_of_conditions(conditions: Iterable[Condition]) -> dict[str, tuple[str, ...]]:
    """Return the terms that conditions look for, by column, each once."""
    found: dict[str, dict[str, None]] = {}
    for condition in conditions:
        if condition.operator is Operator.CONTAINS:
            found.setdefault(condition.column, {})[condition.term] = None
    return {column: tuple(terms) for column, terms in found.items()}


def conjunction(conditions: Sequence[Condition]) -> str:
    """Return the conditions joined by `and`."""
    return " and ".join(conjuncts(conditions))


def conjuncts(conditions: Sequence[Condition]) -> list[str]:
    """Return the conditions as they print; a lower bound and the upper one after it make an interval."""
    parts: list[str] = []
    position = 0
    while position < len(conditions):
        pair = conditions[position : position + 2]
        parts.append(_interval(*pair) if _is_interval(pair) else str(pair[0]))
        position += 2 if _is_interval(pair) else 1
    return parts


def nearest(word: str, known: Iterable[str], what: str = "columns") -> str:
    """Return the end of an error message: the known word closest to `word`, or the known words."""
    known = list(known)
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the {what} are {listing(known)}"


def _is_interval(pair: Sequence[Condition]) -> bool:
    return (
        len(pair) == 2 and pair[0].column == pair[1].column and pair[0].operator in LOWER and pair[1].operator in UPPER
    )


def _interval(low: Condition, high: Condition) -> str:
    left = f"{format_number(low.threshold)} {LOWER[low.operator]}"
    return f"{left} {format_name(low.column)} {UPPER[high.operator]} {format_number(high.threshold)}"


def _convert_value(condition: Condition) -> str | float | tuple[str, ...] | None:
    """Return the condition's value as the plain type its operator needs."""
    value, operator = condition.value, condition.operator
    if operator is Operator.MISSING:
        if value is None:
            return None
        raise ModelError(f"the test 'is missing' of column {condition.column!r} takes no value, not {value!r}")
    if operator is Operator.IN:
        if isinstance(value, tuple) and value and len(set(value)) == len(value):
            return tuple(str(level) for level in value)
        raise ModelError(f"the test 'in' of column {condition.column!r} needs different levels, not {value!r}")
    if operator in COMPARISONS:
        if isinstance(value, int | float) and math.isfinite(value):
            return float(value) + 0.0  # no negative zero: it prints as 0
        raise ModelError(f"column {condition.column!r} must be compared with a finite number, not {value!r}")
    if operator is Operator.CONTAINS:
        return _check_word(condition.column, value)
    if isinstance(value, str):
        return str(value)
    raise ModelError(f"the test '{operator}' of column {condition.column!r} needs one level, not {value!r}")


def _check_word(column: str, value: object) -> str:
    """Return the word that a text shall contain, in lower case as words of texts are."""
    problem = f"the test 'contains' of column {column!r} searches for a single word"
    if not isinstance(value, str):
        raise ModelError(f"{problem}, not {value!r}")
    if value.isascii() and value.isalnum():
        return value.lower()
    words = words_in(value.encode("utf-8", "replace").decode(), 1)  # words of one letter are allowed, too
    if words == [value.lower()]:
        return words[0]
    if not words:
        raise ModelError(f"{problem} of letters or digits; {_quote_text(value)!r} has none")
    instead = [f"{format_name(column)} contains {quote_text(_quote_text(word))}" for word in dict.fromkeys(words)]
    write = " and ".join(instead[:3]) + (" and so on" if len(instead) > 3 else "")
    raise ModelError(f"{problem}, not {_quote_text(value)!r}; write {write}")


def _quote_text(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
