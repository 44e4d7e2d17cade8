"""Work: every step of growing and pruning a tree as records, printed as a textbook would show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hedgerow.data.schema import Kind, Schema
from hedgerow.data.table import Numbers
from hedgerow.learn.trees.by_hand.aligned import aligned, figure, quantity
from hedgerow.learn.trees.by_hand.growing import Candidate
from hedgerow.learn.trees.by_hand.plain import Split
from hedgerow.learn.trees.options import Criterion
from hedgerow.models.condition import Condition, conjunction
from hedgerow.models.words import level_text, name_text

MOST_BRANCHES = 12  # that a line shows of a column with many levels
FEW_CLASSES = 4  # so many class weights are listed by position, more by name

IMPURITY: dict[Criterion, str] = {
    "gain_ratio": "entropy",
    "gain": "entropy",
    "entropy": "entropy",
    "gini": "gini",
    "squared": "variance",
    "absolute": "deviation",
}


@dataclass(frozen=True, eq=False, slots=True)
class NodeWork:
    """What every column offered at a node, and what was chosen.

    Parameters
    ----------
    summary
        What the node keeps of its rows: the weight by class, or weight, value and deviation.
    offers
        The best split of every column; none if the node was a leaf before any was looked at.
    average
        The average gain, if columns below it could not win.
    passed
        The positions in `offers` of those that could win.
    best
        The position of the one that won; None for a leaf.
    """

    path: tuple[Condition, ...]
    summary: Numbers
    impurity: float
    criterion: Criterion
    offers: tuple[Candidate, ...]
    average: float | None
    passed: tuple[int, ...]
    best: int | None
    why: str


@dataclass(frozen=True, eq=False, slots=True)
class CollapseWork:
    """Whether a node became a leaf because its subtree makes no fewer errors in training."""

    path: tuple[Condition, ...]
    summary: Numbers
    split: Split
    leaf: float
    subtree: float
    pruned: bool


@dataclass(frozen=True, eq=False, slots=True)
class PruneWork:
    """What errors were expected of a node as a leaf, of its subtree and of its heaviest branch, and the outcome."""

    path: tuple[Condition, ...]
    summary: Numbers
    split: Split
    leaf: float
    subtree: float
    branch: float | None
    heaviest: int
    outcome: str  # "kept", "leaf" or "raised"


@dataclass(frozen=True, eq=False, slots=True)
class ReducedWork:
    """Whether a node became a leaf because it then makes no more errors on other rows, whose weights these are."""

    path: tuple[Condition, ...]
    summary: Numbers
    split: Split
    leaf: float
    subtree: float
    pruned: bool


@dataclass(frozen=True, eq=False, slots=True)
class CostWork:
    """A tree of the cost-complexity sequence: the smallest one of least risk from this cost of a leaf on."""

    alpha: float
    leaves: int
    risk: float


Record = NodeWork | CollapseWork | PruneWork | ReducedWork | CostWork


@dataclass
class Work:
    """The steps of growing and pruning a tree in their order; its text shows them all."""

    schema: Schema
    records: list[Record] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Note a step."""
        self.records.append(record)

    @property
    def nodes(self) -> list[NodeWork]:
        """The nodes as they were grown, a parent before its children."""
        return [record for record in self.records if isinstance(record, NodeWork)]

    def offer(self, column: str, path: str = "") -> Candidate:
        """Return what a column offered at the node with this path as it prints; empty for the root."""
        node = next(node for node in self.nodes if conjunction(node.path) == path)
        return next(offer for offer in node.offers if self.schema.columns[offer.column].name == column)

    def __str__(self) -> str:
        blocks, number = [], 0
        for kind, run in groupby(self.records, key=type):
            if kind is NodeWork:
                for record in run:
                    number += 1
                    assert isinstance(record, NodeWork)
                    blocks.append(_node_text(record, number, self.schema))
            else:
                blocks.append(_table_text(list(run), self.schema))
        return "\n\n".join(blocks)


def _node_text(node: NodeWork, number: int, schema: Schema) -> str:
    head = f"Node {number}: {conjunction(node.path) or 'all rows'}"
    contents = f"{_contents(node.summary, schema)}; {IMPURITY[node.criterion]} {figure(node.impurity)}"
    lines = [head, contents, *_offer_lines(node, schema)]
    if node.average is not None:
        lines.append(f"Average gain {figure(node.average)}; only columns that reach it may win: {_names(node, schema)}")
    best = "Leaf" if node.best is None else _name(node.offers[node.best].column, schema)
    return "\n".join([*lines, f"{best}: {node.why}"])


def _names(node: NodeWork, schema: Schema) -> str:
    return ", ".join(_name(node.offers[number].column, schema) for number in node.passed)


def _name(column: int, schema: Schema) -> str:
    return name_text(schema.columns[column].name)


def _offer_lines(node: NodeWork, schema: Schema) -> list[str]:
    """Return the table of what the columns offer; figures that no column has are left out."""
    if not node.offers:
        return []
    gain = "gain" if node.criterion in ("gain", "gain_ratio") else "decrease"
    parts = [(f"{IMPURITY[node.criterion]} before", "before"), ("after", "after")]
    if any(offer.penalty for offer in node.offers):
        parts += [("penalty", "penalty")]
    parts += [(gain, "gain")]
    if node.criterion in ("gain", "gain_ratio"):
        parts += [("split info", "split_info"), ("gain ratio", "ratio")]
    rows = [["", "column", *(title for title, _ in parts), "cuts", _branches_title(schema)]]
    for number, offer in enumerate(node.offers):
        mark = "*" if number == node.best else ""
        figures = [_offer_figure(offer, key) for _, key in parts]
        cuts = str(offer.cuts) if offer.cuts else ""
        rows.append([mark, _name(offer.column, schema), *figures, cuts, _offer_text(offer, schema)])
    if not any(offer.cuts for offer in node.offers):
        rows = [[*row[:-2], row[-1]] for row in rows]
    return aligned(rows, left={0, 1, len(rows[0]) - 1})


def _offer_figure(offer: Candidate, key: str) -> str:
    has_none = offer.split is None or (key == "penalty" and not offer.cuts)
    return "" if has_none else figure(getattr(offer, key))


def _offer_text(offer: Candidate, schema: Schema) -> str:
    if offer.split is None:
        return offer.refusal
    labels = [_label(condition) for condition in offer.split.conditions(schema)]
    pairs = list(zip(labels, offer.summaries, strict=True))
    shown = "; ".join(f"{label}: {_weights(summary, schema)}" for label, summary in pairs[:MOST_BRANCHES])
    if len(pairs) > MOST_BRANCHES:
        shown += f"; {len(pairs) - MOST_BRANCHES} more"
    return f"{shown} ({offer.refusal})" if offer.refusal else shown


def _label(condition: Condition) -> str:
    """Return a branch without the name of its column: `Sunny`, `{Hot, Mild}` or `<= 75`."""
    text = str(condition)[len(name_text(condition.column)) + 1 :]
    return text.removeprefix("= ").removeprefix("in ")


def _is_number(schema: Schema) -> bool:
    return schema.target_column.kind is Kind.NUMERIC


def _branches_title(schema: Schema) -> str:
    if _is_number(schema):
        return "branches (value of rows)"
    classes = schema.target_column.levels
    return f"branches ({', '.join(map(level_text, classes))})" if len(classes) <= FEW_CLASSES else "branches"


def _weights(summary: Numbers, schema: Schema) -> str:
    if _is_number(schema):
        return f"{quantity(summary[1])} of {quantity(summary[0])}"
    if len(summary) <= FEW_CLASSES:
        return ", ".join(map(quantity, summary))
    return _by_name(summary, schema)


def _by_name(summary: Numbers, schema: Schema) -> str:
    pairs = zip(schema.target_column.levels, summary, strict=True)
    return ", ".join(f"{level_text(level)} {quantity(weight)}" for level, weight in pairs if weight > 0) or "none"


def _contents(summary: Numbers, schema: Schema) -> str:
    if _is_number(schema):
        weight, value, deviation = summary
        return f"{quantity(weight)} rows: value {quantity(value)}, deviation {quantity(deviation)}"
    return f"{quantity(float(summary.sum()))} rows: {_by_name(summary, schema)}"


def _table_text(records: Sequence[Record], schema: Schema) -> str:
    """Return the decisions of one kind of pruning, or a cost-complexity sequence, as one table."""
    first = records[0]
    if isinstance(first, CostWork):
        rows = [[figure(r.alpha), str(r.leaves), figure(r.risk)] for r in records if isinstance(r, CostWork)]
        return "\n".join(["Cost of a leaf", *aligned([["alpha", "leaves", "risk"], *rows], left=set())])
    title = {
        CollapseWork: "Collapsing: errors in training",
        PruneWork: "Pruning: errors expected",
        ReducedWork: "Pruning: errors on other rows",
    }[type(first)]
    head = ["node", "test", "rows", "as a leaf", "subtree", "outcome"]
    if isinstance(first, PruneWork) and first.branch is not None:
        head.insert(5, "heaviest branch")
    rows = [_decision(record, schema) for record in records if not isinstance(record, NodeWork | CostWork)]
    return "\n".join([title, *aligned([head, *rows], left={0, 1, len(head) - 1})])


def _decision(record: CollapseWork | PruneWork | ReducedWork, schema: Schema) -> list[str]:
    cells = [
        conjunction(record.path) or "all rows",
        _name(record.split.test.column, schema),
        quantity(float(record.summary.sum())),
        figure(record.leaf),
        figure(record.subtree),
    ]
    if not isinstance(record, PruneWork):
        return [*cells, "made a leaf" if record.pruned else "kept"]
    raised = f"replaced by its branch {record.split.conditions(schema)[record.heaviest]}"
    branch = [] if record.branch is None else [figure(record.branch)]
    return [*cells, *branch, {"kept": "kept", "leaf": "made a leaf", "raised": raised}[record.outcome]]
