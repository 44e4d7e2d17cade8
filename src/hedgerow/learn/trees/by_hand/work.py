"""Work: every step of growing and pruning a tree as records; `work_text` prints them as a textbook would."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers
from hedgerow.learn.trees.by_hand.growing import SplitCandidate
from hedgerow.learn.trees.by_hand.missing import Surrogate
from hedgerow.learn.trees.by_hand.plain import UNKNOWN, PlainSplit
from hedgerow.learn.trees.options import Criterion
from hedgerow.models.base.condition import Condition, conjunction


@dataclass(frozen=True, eq=False, slots=True)
class NodeWork:
    """The candidate split of every column at a node, and the chosen one.

    Parameters
    ----------
    summary
        What the node keeps of its rows: the weight by class, or weight, value and deviation.
    offers
        The best split of every column; none if the node was a leaf before any was looked at.
    average
        The average gain, if columns below it could not win.
    passed
        The positions in `candidates` of those that could win.
    best
        The position of the one that won; None for a leaf.
    surrogates, missing
        What stands in for the tested column where it is missing, and the child that then is left; -1 for all of them.
    """

    path: tuple[Condition, ...]
    summary: Numbers
    impurity: float
    criterion: Criterion
    candidates: tuple[SplitCandidate, ...]
    average: float | None
    eligible: tuple[int, ...]
    best: int | None
    reason: str
    surrogates: tuple[Surrogate, ...] = ()
    missing: int = UNKNOWN


@dataclass(frozen=True, eq=False, slots=True)
class PruningDecision:
    """A node that may become a leaf: its rows and split, and its errors as a leaf and as the subtree it is."""

    path: tuple[Condition, ...]
    summary: Numbers
    split: PlainSplit
    leaf: float
    subtree: float


@dataclass(frozen=True, eq=False, slots=True)
class CollapseWork(PruningDecision):
    """Whether a node became a leaf because its subtree makes no fewer errors in training."""

    is_pruned: bool


@dataclass(frozen=True, eq=False, slots=True)
class PruneWork(PruningDecision):
    """What errors were expected of a node as a leaf, of its subtree and of its heaviest branch, and the outcome."""

    branch: float | None
    heaviest: int
    outcome: str  # "kept", "leaf" or "raised"


@dataclass(frozen=True, eq=False, slots=True)
class ReducedWork(PruningDecision):
    """Whether a node became a leaf because it then makes no more errors on other rows, whose weights these are."""

    is_pruned: bool


@dataclass(frozen=True, eq=False, slots=True)
class CostWork:
    """A tree of the cost-complexity sequence: the smallest one of least risk from this cost of a leaf on.

    Parameters
    ----------
    risk, measure
        Its error in training, and what is meant by that.
    expected, deviation
        Its error in cross-validation and the standard error of that, if there was one.
    why
        Why this is the tree that was chosen; empty for the others.
    """

    alpha: float
    leaves: int
    risk: float
    measure: str = "error"
    expected: float | None = None
    deviation: float | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdWork:
    """A threshold, which was the middle between two values at its node, and the value of the table that it became."""

    column: int
    middle: float
    value: float


Record = NodeWork | CollapseWork | PruneWork | ReducedWork | CostWork | ThresholdWork


@dataclass
class TreeWork:
    """The steps of growing and pruning a tree in their order; its text shows them all."""

    schema: Schema
    records: list[Record] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Record a step."""
        self.records.append(record)

    @property
    def nodes(self) -> list[NodeWork]:
        """The nodes as they were grown, a parent before its children."""
        return [record for record in self.records if isinstance(record, NodeWork)]

    @property
    def costs(self) -> list[CostWork]:
        """The trees of the cost-complexity sequence, the largest first."""
        return [record for record in self.records if isinstance(record, CostWork)]

    def candidate_at(self, column: str, path: str = "") -> SplitCandidate:
        """Return what a column offered at the node with this path as it prints; empty for the root."""
        node = next(node for node in self.nodes if conjunction(node.path) == path)
        return next(offer for offer in node.candidates if self.schema.columns[offer.column].name == column)

    def choose(self, number: int, why: str) -> None:
        """Record which tree of the sequence was chosen."""
        chosen = self.costs[number]
        self.records[self.records.index(chosen)] = replace(chosen, reason=why)

    def test(self, prices: Numbers, expected: Numbers, deviation: Numbers) -> None:
        """Record the cross-validation results of the trees of the sequence, which are identified by alpha."""
        for place, record in enumerate(self.records):
            if isinstance(record, CostWork):
                near = int(abs(prices - record.alpha).argmin())
                tested = replace(record, expected=float(expected[near]), deviation=float(deviation[near]))
                self.records[place] = tested

    def __str__(self) -> str:
        from hedgerow.learn.trees.by_hand.work_text import work_text

        return work_text(self.records, self.schema)
