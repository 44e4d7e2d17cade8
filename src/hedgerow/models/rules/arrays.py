"""Rules as flat arrays, as stored in model files, and back with every array checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Schema
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import array_part, codes_part, starts_part, weights_part
from hedgerow.models.base.condition import COMPARISONS, Condition, LevelCodes, Operator
from hedgerow.models.base.rule import Rule

# Nobody reads a longer list, and a hostile file shall not make us build one.
MOST_CONDITIONS = 1_000_000
MOST_WEIGHTS = 5_000_000

OPERATORS = tuple(Operator)
PARTS = (
    "rule_starts",
    "columns",
    "operators",
    "thresholds",
    "level_starts",
    "levels",
    "decisions",
    "weights",
)
MAY_HAVE = ("terms",)  # the words that texts are to contain, if any are


def rules_to_parts(rules: Sequence[Rule], default: Rule, schema: Schema, codes: LevelCodes) -> dict[str, Any]:
    """Return rules as arrays; the default is the last of `decisions`, -1 if it does not decide, and of `weights`."""
    conditions = list(chain.from_iterable(rule.conditions for rule in rules))
    terms = {term: place for place, term in enumerate(dict.fromkeys(c.term for c in conditions if c.term))}
    levels = [[terms[c.term]] if c.term else [codes[c.column][level] for level in c.levels] for c in conditions]
    _check_sizes(len(conditions), sum(map(len, levels)), len(default.weights) * (len(rules) + 1))
    parts = {
        "rule_starts": _starts(len(rule.conditions) for rule in rules),
        "columns": np.array([schema.index(c.column) for c in conditions], dtype=np.int32),
        "operators": np.array([OPERATORS.index(c.operator) for c in conditions], dtype=np.uint8),
        "thresholds": np.array([c.threshold for c in conditions], dtype=np.float64),
        "level_starts": _starts(map(len, levels)),
        "levels": np.array(list(chain.from_iterable(levels)), dtype=np.int32),
        "decisions": np.array([rule.code for rule in (*rules, default)], dtype=np.int32),
        "weights": np.array([rule.weights for rule in (*rules, default)], dtype=np.float64),
    }
    return {**parts, "terms": list(terms)} if terms else parts


def rules_from_parts(parts: dict[str, Any], schema: Schema) -> tuple[tuple[Rule, ...], Rule]:
    """Return the rules and the default that `rules_to_parts` wrote."""
    conditions = _conditions(parts, schema)
    starts = starts_part(parts, "rule_starts", len(conditions)).tolist()
    n_classes = len(schema.target_column.levels)
    weights = weights_part(parts, "weights", len(starts), n_classes)
    _check_sizes(len(conditions), 0, weights.size)
    decisions = _decisions(parts, len(starts), n_classes)
    bodies = [tuple(conditions[a:b]) for a, b in pairwise(starts)]
    *rules, default = map(Rule, [*bodies, ()], map(tuple, weights.tolist()), decisions)
    return tuple(rules), default


def _decisions(parts: dict[str, Any], n_rules: int, n_classes: int) -> list[int | None]:
    """Return the class of every rule; only the last, the default, may have no decision."""
    codes = array_part(parts, "decisions", np.int32, n_rules)
    if n_rules and codes[-1] == -1:
        parts = {"decisions": codes[:-1]}
        return [*codes_part(parts, "decisions", np.int32, n_rules - 1, n_classes).tolist(), None]
    decisions: list[int | None] = codes_part(parts, "decisions", np.int32, n_rules, n_classes).tolist()
    return decisions


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
    terms = _terms(parts)
    each = zip(columns.tolist(), operators, thresholds, runs, strict=True)
    return [_condition(schema.columns[c], OPERATORS[op], number, run, terms) for c, op, number, run in each]


def _terms(parts: dict[str, Any]) -> tuple[str, ...]:
    """Return the different words that conditions look for in texts."""
    terms = parts.get("terms", [])
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms) or len(set(terms)) < len(terms):
        raise ModelError("its part 'terms' must be a list of different words")
    return tuple(terms)


_N_LEVELS = {Operator.IS: 1, Operator.IS_NOT: 1, Operator.CONTAINS: 1}


def _condition(
    column: Column, operator: Operator, threshold: float, codes: Sequence[int], terms: tuple[str, ...]
) -> Condition:
    is_term = operator is Operator.CONTAINS
    known = terms if is_term else column.levels
    if any(not 0 <= code < len(known) for code in codes):
        what = "searches for a term that the file" if is_term else f"tests a level that column {column.name!r}"
        raise ModelError(f"a condition {what} does not have")
    n_levels = max(1, len(codes)) if operator is Operator.IN else _N_LEVELS.get(operator, 0)
    if len(codes) != n_levels or (threshold != 0 and operator not in COMPARISONS):
        raise ModelError(f"a condition on column {column.name!r} lacks the value that '{operator}' needs")
    if operator in COMPARISONS:
        return Condition(column.name, operator, threshold)
    levels = tuple(known[code] for code in codes)
    if operator is Operator.IN:
        return Condition(column.name, operator, levels)
    condition = Condition(column.name, operator, levels[0] if levels else None)
    if is_term and condition.term != levels[0]:
        raise ModelError("its part 'terms' holds a word that is not in lower case")
    return condition


def _check_sizes(n_conditions: int, n_levels: int, n_weights: int) -> None:
    if n_conditions > MOST_CONDITIONS or n_levels > MOST_WEIGHTS or n_weights > MOST_WEIGHTS:
        raise ModelError(
            f"a rule list may have at most {MOST_CONDITIONS:,} conditions and {MOST_WEIGHTS:,} levels and weights; "
            f"this one has {n_conditions:,}, {n_levels:,} and {n_weights:,}"
        )
