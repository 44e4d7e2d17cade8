"""Trees to rules: every path from the root to a leaf is a rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.models.base.condition import Condition, LevelCodes, Operator
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.rule_figures import RuleCoverage
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.trees.text import branch, level_condition

if TYPE_CHECKING:
    from hedgerow.models.trees.tree import Tree

MOST_SHARES = 4_000_000  # of rows times leaves that are in memory at once


def paths_to_rules(tree: Tree) -> RuleList:
    """Return one rule a leaf in the order of print, and the root's majority as the default, which covered no row."""
    nodes, schema, decided = tree.nodes, tree.schema, tree.leaf_decisions
    codes = LevelCodes(schema)
    result: dict[tuple[int, int], Condition] = {}
    rules = []
    for leaf, path in nodes.paths():
        for step in path:
            if step not in result:
                result[step] = branch(nodes, schema, *step)
        conditions = tightest([result[step] for step in path], schema, codes)
        rules.append(Rule(conditions, tuple(tree.weights[leaf].tolist()), int(decided[leaf])))
    if len(nodes) == 1:
        return RuleList(schema, (), Rule((), tuple(tree.weights[0].tolist()), int(decided[0])), about=tree.about)
    default = Rule((), (0.0,) * tree.weights.shape[1], int(decided[0]))
    return RuleList(schema, tuple(rules), default, about=tree.about)


def path_coverage(tree: Tree, table: Table) -> RuleCoverage:
    """Return which rows of an aligned table take each path, in the order of `paths_to_rules`."""
    leaves = [leaf for leaf, _ in tree.nodes.paths()]
    place = np.full(len(tree.nodes), -1, dtype=np.int32)
    place[leaves] = np.arange(len(leaves), dtype=np.int32)
    reached = tree.leaves(table)
    whole = np.flatnonzero(reached >= 0)
    parts: list[tuple[Codes, Rows, Numbers]] = [(place[reached[whole]], whole, np.ones(len(whole)))]
    divided = np.flatnonzero(reached < 0)
    if len(divided):
        payload = np.zeros((len(tree.nodes), len(leaves)))
        payload[leaves, np.arange(len(leaves))] = 1.0
        step = max(MOST_SHARES // len(leaves), 1)
        for start in range(0, len(divided), step):
            some = divided[start : start + step]
            shares = tree.descent.sums(table, payload, some)
            rows, rules = np.nonzero(shares)
            parts.append((rules.astype(np.int32), some[rows], shares[rows, rules]))
    return RuleCoverage(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def tightest(conditions: Iterable[Condition], schema: Schema, codes: LevelCodes) -> tuple[Condition, ...]:
    """Return conditions, none of missing values, that are equivalent with as few tests per column as possible."""
    by_column: dict[str, list[Condition]] = {}
    for condition in conditions:
        by_column.setdefault(condition.column, []).append(condition)
    each = by_column.values()
    return tuple(condition for tests in each for condition in _together(tests, schema, codes))


def _together(tests: list[Condition], schema: Schema, codes: LevelCodes) -> Iterator[Condition]:
    column = schema[tests[0].column]
    if len(tests) == 1:
        yield tests[0]
    elif column.kind is Kind.NUMERIC:
        yield from _interval(tests)
    elif column.kind is Kind.TEXT:
        yield from dict.fromkeys(tests)
    else:
        taken = np.logical_and.reduce([test.hits(codes[column.name])[:-1] for test in tests])
        if taken.any():
            yield level_condition(column, taken, may_deny=any(test.operator is Operator.IS_NOT for test in tests))
        else:  # no value can pass: keep the tests unchanged
            yield from dict.fromkeys(tests)


def _interval(tests: list[Condition]) -> Iterator[Condition]:
    """Yield the highest lower bound and the lowest upper bound; of equal bounds the one that excludes its number."""
    lower = [test for test in tests if test.operator in (Operator.ABOVE, Operator.AT_LEAST)]
    upper = [test for test in tests if test.operator in (Operator.BELOW, Operator.AT_MOST)]
    if lower:
        yield max(lower, key=lambda test: (test.threshold, test.operator is Operator.ABOVE))
    if upper:
        yield min(upper, key=lambda test: (test.threshold, test.operator is not Operator.BELOW))
