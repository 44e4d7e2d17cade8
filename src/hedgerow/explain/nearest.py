"""What comes nearest to saying another class: the rule or the leaf of which a row fails the fewest tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.data.table import Table
from hedgerow.explain.values import value_text
from hedgerow.models.condition import Condition, LevelCodes
from hedgerow.models.rule import counts_text
from hedgerow.models.rule_model import RuleModel
from hedgerow.models.tree import Tree
from hedgerow.models.tree_rules import tightest
from hedgerow.models.tree_text import branch

MOST_NODES = 20_000  # of a tree whose leaves are searched for the nearest


@dataclass(frozen=True)
class Nearest:
    """What would have said the other class, and the tests of it that the row fails: as few as there are."""

    counts: str
    fails: tuple[tuple[Condition, str], ...]  # tests, and the values that failed them
    number: int | None = None  # of a rule, from 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        fails = [{"test": str(test), "column": test.column, "value": value} for test, value in self.fails]
        told = {"counts": self.counts, "fails": fails}
        return told if self.number is None else {"number": self.number, **told}


def nearest_rule(model: RuleModel, table: Table, code: int) -> Nearest | None:
    """Return the rule for a class whose fewest tests the row fails, of equals the first; None if one covers it."""
    best: Nearest | None = None
    target = model.schema.target_column
    for number, rule in enumerate(model.rules, start=1):
        if rule.code != code or (best is not None and len(best.fails) == 1):
            continue
        fails = _failed(rule.conditions, table)
        if not fails:
            return None
        if best is None or len(fails) < len(best.fails):
            counts = counts_text(rule.weights, rule.decision, target.levels) if rule.n else ""
            best = Nearest(counts, fails, number)
    return best


def nearest_leaf(tree: Tree, table: Table, code: int) -> Nearest | None:
    """Return the leaf for a class whose fewest tests the row fails, of equals the heaviest."""
    if code < 0 or len(tree.nodes) > MOST_NODES:
        return None
    best: tuple[int, float, int, tuple[tuple[Condition, str], ...]] | None = None
    for leaf, path in tree.nodes.paths():
        if tree.decisions[leaf] != code or not tree.totals[leaf]:
            continue
        tests = tightest(
            [branch(tree.nodes, tree.schema, *step) for step in path], tree.schema, LevelCodes(tree.schema)
        )
        fails = _failed(tests, table)
        found = (len(fails), -float(tree.totals[leaf]), leaf, fails)
        if best is None or found[:3] < best[:3]:
            best = found
    if best is None or not best[3]:
        return None
    return Nearest(counts_text(tree.weights[best[2]].tolist(), code, tree.classes), best[3])


def _failed(tests: Sequence[Condition], table: Table) -> tuple[tuple[Condition, str], ...]:
    return tuple((test, value_text(table, test.column)) for test in tests if not test.covers(table)[0])
