"""The screen after training: what was learned from what, how good it is, the model in a few lines, and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_count, format_digits, format_fixed, format_share, format_short, format_weight
from hedgerow.report import blocks as b
from hedgerow.report.comparison.model_selection import (
    comparison_sentences,
    constant_sentences,
    procedure_sentences,
    readability_sentences,
    reason_sentence,
)
from hedgerow.report.evaluation.evaluation_section import measures_table, unit
from hedgerow.report.evaluation.thresholds_section import thresholds_blocks
from hedgerow.report.figures import is_known
from hedgerow.report.model.model_section import RULE_KINDS, model_lead
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.schema import AnyReport, SelectionReport, TrainingDataReport
from hedgerow.report.whole.sections import Parts, file_name
from hedgerow.report.whole.summary import sentence

OF_CLASSES = ("accuracy", "balanced_accuracy", "auc", "log_loss")
OF_NUMBERS = ("mae", "rmse", "r2")
LISTED_CLASSES = 6  # whose shares fit in a sentence


def screen_blocks(report: AnyReport, parts: Parts, terminal: Terminal) -> list[b.Block]:
    """Return the blocks of the screen."""
    selection, evaluation, model = parts.get("selection"), parts.get("evaluation"), parts["model"]
    first = [_data_sentence(report.get("source"), parts["trained_on"], model)] if "trained_on" in parts else []
    blocks: list[b.Block] = [b.Paragraph(tuple(first))] if first else []
    if selection is None:
        blocks.append(model_lead(model))
    else:
        told = reason_sentence(selection), *constant_sentences(selection), _candidates_sentence(selection)
        blocks.append(b.Paragraph(tuple(filter(None, told))))
    if evaluation is not None:
        readability = [] if selection is None else readability_sentences(selection)
        blocks.append(b.Paragraph((f"{_how_tested(evaluation)}: {sentence(evaluation)}", *readability)))
    blocks.append(_printed(model, terminal))
    if evaluation is not None:
        blocks.append(measures_table(evaluation, OF_CLASSES if evaluation["labels"] else OF_NUMBERS))
        blocks += thresholds_blocks(evaluation.get("thresholds"), unit(evaluation))
    if selection is not None and (more := [*comparison_sentences(selection), *procedure_sentences(selection)]):
        blocks.append(b.Paragraph(tuple(more)))
    return blocks


def more_sentence(parts: Parts) -> str:
    """Return how to see what the screen leaves out."""
    model, more = parts["model"], []
    if "selection" in parts:
        more.append(f"the comparison of the {len(parts['selection']['candidates'])} candidates")
    if model["outline"] != model["text"]:
        more.append(f"the whole model ({format_count(model['text'].count(chr(10)) + 1)} lines)")
    if "evaluation" in parts:
        more.append("all figures of the test")
    if not more:
        return ""
    *before, last = more
    listed = f"{', '.join(before)} and {last}" if before else last
    shown = f"; `hedgerow show {model['file']}` prints the model" if "file" in model else ""
    return f"--full also prints {listed}{shown}."


def _data_sentence(source: Any, trained_on: TrainingDataReport, model: AnyReport) -> str:
    """Return the file, its size, and the target with its classes or range."""
    name = f"{file_name(source)}: " if source else ""
    rows, columns = (format_count(trained_on[key]) for key in ("rows", "columns"))
    left_out = f" ({format_count(trained_on['left_out'])} left out)" if trained_on["left_out"] else ""
    one = trained_on["columns"] == 1
    rows += f" row{'' if trained_on['rows'] == 1 else 's'}"
    if "weight" in trained_on:
        rows += f" of total weight {format_weight(trained_on['weight'])}"
    size = f"{name}{rows}, {columns} column{'' if one else 's'}{left_out}"
    return f"{size} to predict {_target_text(trained_on, model['target'])}."


def _target_text(trained_on: TrainingDataReport, target: str) -> str:
    classes = [one for one in trained_on["classes"] if one["rows"]]
    if not classes:
        if "mean" not in trained_on:
            return target
        ends = f"from {format_short(trained_on['low'])} to {format_short(trained_on['high'])}"
        return f"{target}, {ends}, mean {format_short(trained_on['mean'])}"
    shown = sorted(classes, key=lambda one: -float(one["share"]))
    listed = [f"{format_share(one['share'])} {one['label']}" for one in shown]
    if len(listed) > LISTED_CLASSES:
        return f"{target}: {format_count(len(listed))} classes, from {listed[0]} to {listed[-1]}"
    return f"{target}: {', '.join(listed)}"


def _candidates_sentence(report: SelectionReport) -> str:
    """Return the lowest loss of each learner that was compared on all rows, the simplest first."""
    lowest: dict[str, float] = {}
    for one in report["candidates"]:
        if is_known(one["loss"]) and one["rows"] == report["rows"]:
            learner = one["name"].partition("(")[0]
            lowest[learner] = min(one["loss"], lowest.get(learner, one["loss"]))
    draw = format_fixed if any(is_known(one["auc"]) for one in report["candidates"]) else format_digits
    listed = [f"{learner} {draw(loss, 3, False)}" for learner, loss in lowest.items()]
    return f"Compared by {report['measure']}, at their best: {', '.join(listed)}." if listed else ""


def _how_tested(evaluation: AnyReport) -> str:
    method = evaluation["method"]
    return f"{method[:1].upper()}{method[1:]}, on rows that the model had not seen"


def _printed(model: AnyReport, terminal: Terminal) -> b.Printed:
    """Return the outline of the model; on a terminal, wide lines other than rules are shortened."""
    text = model["outline"]
    if model["kind"] in RULE_KINDS:
        return b.Printed(text, broken="rules")
    if "terms" in model:
        return b.Printed(text, broken="terms")
    if terminal.folded:
        text = "\n".join(_shortened(text, terminal.columns))
    return b.Printed(text)


def _shortened(text: str, columns: int) -> Iterator[str]:
    for line in text.split("\n"):
        yield shorten(line, columns)
