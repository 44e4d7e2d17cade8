"""The blocks on rare classes: a sentence on what the model does for them, and a table of thresholds."""

from __future__ import annotations

import shlex

from hedgerow.layout.numbers import format_digits, format_number, format_share, format_short, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.figures import is_known
from hedgerow.report.schema import ThresholdClass, ThresholdPoint, ThresholdsPart

NAMES = {
    "share": "share of the class",
    "best_f1": "best F1",
    "expected_cost": "least expected cost",
    "least_cost": "least mean cost",
}
LONGEST_RULE = 28  # characters of thresholds or costs that the table names; the head of the report has all
FIRST = ("best_f1", "least_cost")  # thresholds that are named as an example rather than others, the last most


def thresholds_blocks(part: ThresholdsPart | None, unit: str) -> list[b.Block]:
    """Return the blocks on rare classes; `unit` is what is counted, rows or weight."""
    if part is None:
        return []
    several = len(part["classes"]) > 1
    sentences = [sentence for one in part["classes"] for sentence in _sentences(one, unit)]
    rows = tuple(
        _row(one, point, part)
        for one in part["classes"]
        for point in one["points"]
        if is_known(point["predicted"]) and one["ranked"] and not (several and point["name"] == "as_decided")
    )
    titles = ("threshold", "recall", "precision", f"predicted per 1000 {unit}", *(["mean cost"] * part["costs"]))
    columns = (
        *([b.TableColumn("class", longest=20)] * several),
        b.TableColumn("decided by", longest=40),
        *(b.TableColumn(title, "r") for title in titles),
    )
    shown = [row if several else row[1:] for row in rows]
    table = [b.TableBlock(columns, tuple(shown), label="Thresholds")] if len(shown) > (not several) else []
    return [b.Heading(_title(part)), b.Paragraph(tuple(sentences)), *table, *_use(part)]


def _sentences(one: ThresholdClass, unit: str) -> list[str]:
    """Return what the decisions do for a class, and which wanted thresholds there are not."""
    label, of = one["label"], _amount(one["weight"], unit)
    if not one["predicted"]:
        text = f"The model never predicts {label}: it finds none of {of} of this class."
    else:
        found, right = one["found"] / (one["weight"] or 1), one["found"] / one["predicted"]
        text = (
            f"Of {of} of class {label}, the model finds {format_weight(one['found'])} ({format_share(found)}); of "
            f"{_amount(one['predicted'], unit)} predicted as {label}, {format_share(right)} are of that class."
        )
    if not one["ranked"]:
        text += " All rows have the same probability of it, so that no threshold would tell them apart."
    missed = [
        f"No threshold reaches a {_target(point)} for {label}."
        for point in one["points"]
        if point["wanted"] and not is_known(point["predicted"])
    ]
    return [text, *missed]


def _amount(weight: float, unit: str) -> str:
    return f"a weight of {format_weight(weight)}" if unit == "weight" else f"{format_weight(weight)} {unit}"


def _target(point: ThresholdPoint) -> str:
    return f"{point['name']} of {format_short(100 * (point['target'] or 0.0))}%"


def _row(one: ThresholdClass, point: ThresholdPoint, part: ThresholdsPart) -> b.Row:
    name = NAMES.get(point["name"]) or _target(point)
    if point["name"] == "as_decided":
        decided = part["decided_by"] or "most probable class"
        name = f"{decided if len(decided) <= LONGEST_RULE else decided.partition(' ')[0]} (as tested)"
    return (
        one["label"],
        name,
        "" if point["threshold"] is None else format_number(point["threshold"]),
        format_share(point["recall"]),
        format_share(point["precision"]),
        format_digits(1000 * point["predicted"], 3),
        *([format_digits(point["mean_cost"])] * part["costs"]),
    )


def _title(part: ThresholdsPart) -> str:
    if len(part["classes"]) > 1:
        return "Rare classes"
    one = part["classes"][0]
    return f"Class {one['label']}, {format_share(one['share'])} of the rows"


def _use(part: ThresholdsPart) -> list[b.Block]:
    """Return how to use a threshold: one that is wanted, or else of least cost, of the best F1, or the first."""
    known = [
        (one["label"], point)
        for one in part["classes"]
        for point in one["points"]
        if point["threshold"] is not None and is_known(point["predicted"])
    ]
    if not known:
        return []
    label, point = max(
        known, key=lambda pair: (pair[1]["wanted"], FIRST.index(pair[1]["name"]) if pair[1]["name"] in FIRST else -1)
    )
    option = shlex.quote(f"{label}={format_number(point['threshold'] or 0.0)}")
    use = f"To use a threshold: hedgerow predict MODEL DATA --threshold {option}"
    return [b.Paragraph((use, "Thresholds are chosen on the rows tested, so their figures are slightly optimistic."))]
