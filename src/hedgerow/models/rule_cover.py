"""Which rows the rules of a model cover, in the order of `figures_of`: what unseen rows say of each rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.errors import UsageError
from hedgerow.models.model import Model
from hedgerow.models.rule_set import RuleSet
from hedgerow.models.rule_table import no_rules
from hedgerow.models.rule_vote import RuleVote
from hedgerow.models.rules import RuleList
from hedgerow.models.tree import Tree

MOST_SHARES = 4_000_000  # of rows times leaves that are held at once


class Cover(NamedTuple):
    """Pairs of a rule and a row that it covers, and the share of the row that it gets; the default is the last rule.

    In an ordered list a rule covers the rows that it decides, and so does the default of a set or a vote. A path of a
    tree gets a share of a row that a missing value divides among several.
    """

    rules: Codes
    rows: Rows
    shares: Numbers


def cover(model: Model, table: Table) -> Cover:
    """Return which rows of an aligned table the rules of a model cover."""
    if isinstance(model, Tree):
        return _paths(model, table)
    if isinstance(model, RuleList):
        every = np.arange(table.n_rows)
        return Cover(model.deciders(table), every, np.ones(table.n_rows))
    if isinstance(model, RuleSet | RuleVote):
        return _all_covering(model, table)
    raise UsageError(no_rules(model))


def _all_covering(model: RuleSet | RuleVote, table: Table) -> Cover:
    tests = model.tests()
    parts = [(len(model.rules), np.flatnonzero(model.by_default(table)))]
    for start, block in tests.blocks(table):
        parts += [(rule, start + rows) for rule, rows in enumerate(tests.covered(block)) if len(rows)]
    numbers, rows = zip(*parts, strict=True)
    rules = np.repeat(np.array(numbers, dtype=np.int32), [len(some) for some in rows])
    return Cover(rules, np.concatenate(rows), np.ones(len(rules)))


def _paths(tree: Tree, table: Table) -> Cover:
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
    return Cover(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
