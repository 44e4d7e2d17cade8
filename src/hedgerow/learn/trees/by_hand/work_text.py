"""The shown work as text: a table of gains a node, then the tables of pruning, no line wider than a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Numbers
from hedgerow.layout.cell_width import count_cells, shorten_middle
from hedgerow.layout.names import format_level, format_name
from hedgerow.layout.numbers import format_amount, format_measure, format_number, format_quantity
from hedgerow.layout.text_table import GAP, align_numbers
from hedgerow.layout.wrapping import LINE_WIDTH, wrap_paragraph, wrap_pieces
from hedgerow.learn.trees.by_hand.growing import SplitCandidate
from hedgerow.learn.trees.by_hand.missing import Surrogate
from hedgerow.learn.trees.by_hand.plain import UNKNOWN, PlainSplit
from hedgerow.learn.trees.by_hand.work import (
    CollapseWork,
    CostWork,
    NodeWork,
    PruneWork,
    Record,
    ReducedWork,
    ThresholdWork,
)
from hedgerow.learn.trees.options import EQUAL, Criterion
from hedgerow.models.base.condition import conjunction

MOST_BRANCHES = 12  # that are shown of a column with many levels
FEW_CLASSES = 4  # so many class weights are listed by position, more by name
BESIDE = 40  # cells that branches need to stand beside the figures; with less they stand below
BELOW = "     "
LONGEST_NAME = 32  # of a column in a table of gains
SHORT = 16  # cells of a column's name in a table of decisions that is too wide

IMPURITY: dict[Criterion, str] = {
    "gain_ratio": "entropy",
    "gain": "entropy",
    "entropy": "entropy",
    "gini": "gini",
    "squared": "variance",
    "absolute": "deviation",
}
BY_GAIN = ("gain", "gain_ratio")


def work_text(records: Sequence[Record], schema: Schema) -> str:
    """Return all steps as text."""
    blocks: list[list[str]] = []
    for kind, run in groupby(records, key=type):
        group = list(run)
        if kind is NodeWork:
            blocks += _nodes([record for record in group if isinstance(record, NodeWork)], schema)
        else:
            blocks.append(_table(group, schema))
    return "\n\n".join("\n".join(block) for block in blocks)


# -- growing ----------------------------------------------------------------------------------------------------


def _nodes(nodes: Sequence[NodeWork], schema: Schema) -> Iterator[list[str]]:
    """Yield the meaning of the columns, then one block per node."""
    yield wrap_paragraph(_legend(nodes))
    figures = [_figures(node, schema) for node in nodes]
    widest = max((count_cells(line) for lines in figures for line in lines), default=0)
    beside = LINE_WIDTH - widest - len(GAP) >= BESIDE
    for number, (node, lines) in enumerate(zip(nodes, figures, strict=True), start=1):
        contents = f"{_contents(node.summary, schema)}; {IMPURITY[node.criterion]} {format_measure(node.impurity)}"
        block = [*wrap_paragraph(f"Node {number}: {conjunction(node.path) or 'all rows'}"), *wrap_paragraph(contents)]
        yield [
            *block,
            *_candidate_table(node, lines, schema, widest if beside else None),
            *_decision_lines(node, schema),
        ]


def _legend(nodes: Sequence[NodeWork]) -> str:
    criterion, offers = nodes[0].criterion, [offer for node in nodes for offer in node.candidates]
    name = IMPURITY[criterion]
    lost = any(_missing_weight(node, offer) > EQUAL for node in nodes for offer in node.candidates if offer.split)
    gain = f"{'gain' if criterion in BY_GAIN else 'decrease'} = {name} before - after"
    if lost:
        gain = gain.replace("= ", "= share of the rows whose value is known * (") + ")"
    if any(offer.penalty for offer in offers):
        gain += " - penalty; penalty = log2(cuts compared) / rows of the node"
    if criterion == "gain_ratio":
        gain += "; gain ratio = gain / split info"
    return f"{gain}; * is chosen"


def _figures(node: NodeWork, schema: Schema) -> list[str]:
    """Return the lines of the table of what the columns offer, without the branches; what no column has is left out."""
    if not node.candidates:
        return []
    parts = [("after", "after")]
    if any(abs(offer.before - node.impurity) > EQUAL for offer in node.candidates if offer.split):
        parts.insert(0, ("before", "before"))
    if any(offer.penalty for offer in node.candidates):
        parts += [("penalty", "penalty")]
    parts += [("gain" if node.criterion in BY_GAIN else "decrease", "gain")]
    if node.criterion == "gain_ratio":
        parts += [("split info", "split_info"), ("gain ratio", "ratio")]
    rows = [["", "column", *(title for title, _ in parts)]]
    for number, offer in enumerate(node.candidates):
        mark, name = "*" if number == node.best else "", shorten_middle(_name(offer.column, schema), LONGEST_NAME)
        rows.append([mark, name, *(_format_figure(offer, key) for _, key in parts)])
    return align_numbers(rows, left={0, 1})


def _format_figure(offer: SplitCandidate, key: str) -> str:
    has_none = offer.split is None or _is_constant(offer) or (key == "penalty" and not offer.cuts)
    return "" if has_none else format_measure(getattr(offer, key))


def _is_constant(offer: SplitCandidate) -> bool:
    """Return whether all rows of a node are in one branch of a column, as below a test of the same column."""
    return not offer.cuts and sum(summary.any() for summary in offer.summaries) == 1


def _candidate_table(node: NodeWork, figures: list[str], schema: Schema, beside: int | None) -> Iterator[str]:
    """Yield the table of offers; the branches stand beside the figures, which take so many cells, or below them."""
    if not figures:
        return
    classes = schema.target_column.levels
    order = f" ({', '.join(map(format_level, classes))})" if 0 < len(classes) <= FEW_CLASSES else ""
    title = "branches (value of rows)" if _is_number(schema) else f"branches{order}"
    texts = [[title], *(_branches(node, offer, schema) for offer in node.candidates)]
    for line, pieces in zip(figures, texts, strict=True):
        if beside is None:
            yield line
            yield from (BELOW + text for text in wrap_pieces(pieces, LINE_WIDTH - len(BELOW)))
        else:
            first, *rest = wrap_pieces(pieces, LINE_WIDTH - beside - len(GAP))
            yield f"{line}{' ' * (beside - count_cells(line))}{GAP}{first}"
            yield from (" " * beside + GAP + text for text in rest)


def _branches(node: NodeWork, offer: SplitCandidate, schema: Schema) -> list[str]:
    """Return the branches of an offer with their rows, and what else is to be said of it."""
    if offer.split is None:
        return [offer.refusal]
    labels = _labels(offer.split, schema)
    if _is_constant(offer):
        return [
            f"always {labels[0]}" if offer.split.n_children == 1 else f"always {_single_candidate_text(offer, labels)}"
        ]
    pairs = list(zip(labels, offer.summaries, strict=True))
    pieces = [f"{label}: {_weights(summary, schema)};" for label, summary in pairs[:MOST_BRANCHES]]
    if len(pairs) > MOST_BRANCHES:
        pieces.append(f"{len(pairs) - MOST_BRANCHES} more;")
    pieces[-1] = pieces[-1].removesuffix(";")
    lost = _missing_weight(node, offer)
    what = "groupings" if offer.split.test.threshold is None else "cuts"
    remarks = [f"best of {offer.cuts} {what}"] if offer.cuts > 1 else []
    remarks += [f"missing: {format_quantity(lost)}"] if lost > EQUAL else []
    remarks += [offer.refusal] if offer.refusal else []
    return [*pieces, f"({'; '.join(remarks)})"] if remarks else pieces


def _single_candidate_text(offer: SplitCandidate, labels: Sequence[str]) -> str:
    return next(label for label, summary in zip(labels, offer.summaries, strict=True) if summary.any())


def _missing_weight(node: NodeWork, offer: SplitCandidate) -> float:
    """Return the weight of the rows that a column's value is missing for, unless they have taken a side."""
    return _rows(node.summary, node.criterion) - sum(_rows(summary, node.criterion) for summary in offer.summaries)


def _rows(summary: Numbers, criterion: Criterion) -> float:
    return float(summary[0] if criterion in ("squared", "absolute") else summary.sum())


def _decision_lines(node: NodeWork, schema: Schema) -> Iterator[str]:
    """Yield who could win, who won and why, and where the rows without a value go."""
    if node.average is not None:
        names = ", ".join(_name(node.candidates[number].column, schema) for number in node.eligible)
        yield from wrap_paragraph(
            f"Average gain {format_measure(node.average)}; only columns that reach it may be chosen: {names}"
        )
    if node.best is None:
        yield f"Leaf: {node.reason}"
        return
    offer = node.candidates[node.best]
    name = _name(offer.column, schema)
    yield from wrap_paragraph(f"{name}: {node.reason}")
    assert offer.split is not None
    labels = _labels(offer.split, schema)
    for surrogate in node.surrogates:
        yield from wrap_paragraph(f"Without {name}: {_surrogate(surrogate, labels, schema)}")
    if _missing_weight(node, offer) <= EQUAL:
        return
    if node.missing != UNKNOWN:
        yield from wrap_paragraph(
            f"Rows without {name}{' and these' if node.surrogates else ''}: {labels[node.missing]}"
        )
        return
    known = [_rows(summary, node.criterion) for summary in offer.summaries]
    shares = zip(labels, known, strict=True)
    text = ", ".join(f"{format_quantity(weight / sum(known))} to {label}" for label, weight in shares if weight > 0)
    yield from wrap_paragraph(f"Each row without {name} is split: {text}")


def _surrogate(surrogate: Surrogate, labels: Sequence[str], schema: Schema) -> str:
    """Return a test that stands in for another: `Temp <= 70 as <= 77.5 (agrees in 7 of 8 rows)`."""
    test = surrogate.test
    agrees = f"(agrees in {format_quantity(surrogate.agreeing)} of {format_quantity(surrogate.weight)} rows)"
    if test.threshold is not None:
        return f"{PlainSplit(test, 2).conditions(schema)[0]} as {labels[test.low]} {agrees}"
    levels = schema.columns[test.column].levels
    sides = [[format_level(levels[at]) for at, side in enumerate(test.children) if side == child] for child in (0, 1)]
    parts = [f"{', '.join(side)} as {label}" for side, label in zip(sides, labels, strict=True) if side]
    return f"{_name(test.column, schema)} {'; '.join(parts)} {agrees}"


def _labels(split: PlainSplit, schema: Schema) -> list[str]:
    """Return the branches without the name of their column: `Sunny`, `{Hot, Mild} or missing`, `<= 75`."""
    texts = []
    for number, condition in enumerate(split.conditions(schema)):
        text = str(condition)[len(format_name(condition.column)) + 1 :]
        text = text.removeprefix("= ").removeprefix("in ")
        texts.append(f"{text} or missing" if split.missing == number else text)
    return texts


def _name(column: int, schema: Schema) -> str:
    return format_name(schema.columns[column].name)


def _is_number(schema: Schema) -> bool:
    return schema.target_column.kind is Kind.NUMERIC


def _weights(summary: Numbers, schema: Schema) -> str:
    if _is_number(schema):
        return f"{format_amount(summary[1])} of {format_quantity(summary[0])}"
    if len(summary) <= FEW_CLASSES:
        return ", ".join(map(format_quantity, summary))
    return _conditions_by_name(summary, schema)


def _conditions_by_name(summary: Numbers, schema: Schema) -> str:
    pairs = zip(schema.target_column.levels, summary, strict=True)
    return (
        ", ".join(f"{format_level(level)} {format_quantity(weight)}" for level, weight in pairs if weight > 0) or "none"
    )


def _contents(summary: Numbers, schema: Schema) -> str:
    if _is_number(schema):
        weight, value, deviation = summary
        return f"{_format_weight(weight)}: value {format_amount(value)}, deviation {format_amount(deviation)}"
    return f"{_format_weight(float(summary.sum()))}: {_conditions_by_name(summary, schema)}"


def _format_weight(weight: float) -> str:
    return f"{format_quantity(weight)} row{'' if format_quantity(weight) == '1' else 's'}"


# -- pruning ----------------------------------------------------------------------------------------------------


def _table(records: Sequence[Record], schema: Schema) -> list[str]:
    """Return the decisions of one kind of pruning, a cost-complexity sequence or the thresholds as one table."""
    first = records[0]
    if isinstance(first, CostWork):
        return _cost_table([record for record in records if isinstance(record, CostWork)])
    if isinstance(first, ThresholdWork):
        rows = [
            [
                shorten_middle(_name(one.column, schema), LONGEST_NAME),
                format_number(one.middle),
                format_number(one.value),
            ]
            for one in records
            if isinstance(one, ThresholdWork)
        ]
        title = "Thresholds: each becomes the largest value of its column that is not above it"
        return [title, *align_numbers([["column", "middle", "value"], *rows], left={0})]
    title = {
        CollapseWork: "Collapsing: a subtree that makes no fewer training errors than a leaf is replaced by a leaf",
        PruneWork: "Pruning by expected errors: the smaller tree is preferred if it makes at most 0.1 more errors",
        ReducedWork: "Pruning by errors on held-out rows: subtrees that make no fewer errors than a leaf become leaves",
    }[type(first)]
    head = ["test", "rows", "as a leaf", "subtree", "outcome"]
    if isinstance(first, PruneWork) and first.branch is not None:
        head.insert(4, "largest branch")
    decided = [one for one in records if isinstance(one, CollapseWork | PruneWork | ReducedWork)]
    rows = [head, *(_decision(record, schema) for record in decided)]
    return [title, *_path_table(["node", *(conjunction(record.path) or "all rows" for record in decided)], rows)]


def _path_table(paths: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table whose lines begin with a path; if that is too wide, the path stands above each line."""
    last = len(rows[0])
    whole = align_numbers([[path, *row] for path, row in zip(paths, rows, strict=True)], left={0, 1, last})
    if max(map(count_cells, whole)) <= LINE_WIDTH:
        yield from whole
        return
    narrow = [[shorten_middle(row[0], SHORT), *row[1:-1], shorten_middle(row[-1], SHORT + 10)] for row in rows]
    lines = align_numbers(narrow, left={0, last - 1})
    for path, line in zip(paths, lines, strict=True):
        yield from wrap_paragraph(path)
        yield GAP + line


def _decision(record: CollapseWork | PruneWork | ReducedWork, schema: Schema) -> list[str]:
    cells = [
        shorten_middle(_name(record.split.test.column, schema), LONGEST_NAME),
        format_quantity(float(record.summary.sum())),
        format_measure(record.leaf),
        format_measure(record.subtree),
    ]
    if not isinstance(record, PruneWork):
        return [*cells, "made a leaf" if record.is_pruned else "kept"]
    raised = f"replaced by {_labels(record.split, schema)[record.heaviest]}"
    branch = [] if record.branch is None else [format_measure(record.branch)]
    return [*cells, *branch, {"kept": "kept", "leaf": "made a leaf", "raised": raised}[record.outcome]]


def _cost_table(records: Sequence[CostWork]) -> list[str]:
    """Return the sequence of trees, what cross-validation says of each, and which one was chosen by which rule."""
    error = records[0].measure
    tested = any(record.expected is not None for record in records)
    head = ["", "alpha", "leaves", f"{error} in training", *(["cross-validated", "standard error"] if tested else [])]
    rows = [head]
    for one in records:
        figures = [format_measure(value) for value in (one.expected, one.deviation) if value is not None]
        rows.append(
            ["*" if one.reason else "", format_measure(one.alpha), str(one.leaves), format_measure(one.risk), *figures]
        )
    title = f"Cost-complexity pruning: from its alpha on, a tree minimizes {error} + alpha * leaves"
    lines = [title, *align_numbers(rows, left={0})]
    for one in records:
        if one.reason:
            lines += wrap_paragraph(f"{one.leaves} {'leaf' if one.leaves == 1 else 'leaves'}: {one.reason}")
    return lines
