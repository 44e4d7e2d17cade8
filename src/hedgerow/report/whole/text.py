"""Reports as plain text: the sections in order, and notes at the end."""

from __future__ import annotations

from hedgerow.errors import UsageError
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.blocks import Block, Heading, Notes, Paragraph, Printed, Section
from hedgerow.report.render.terminal import COLUMNS, Terminal
from hedgerow.report.render.text import block_lines, section_lines
from hedgerow.report.schema import AnyReport
from hedgerow.report.whole.sections import notes_of, parts_of, sections_of
from hedgerow.report.whole.training_screen import more_sentence, screen_blocks


def render(
    report: AnyReport,
    columns: int = COLUMNS,
    *,
    folded: bool = False,
    in_color: bool = False,
    full: bool = True,
    options: bool = True,
) -> str:
    """Return any report as text whose lines take at most `columns` cells (a model's own print excepted).

    With `folded`, rules are wrapped too, as on a terminal; with `in_color`, influential words of texts are shown in
    color. Of a training, only one screen is shown unless it is `full`, and with `options` how the command line shows
    the rest.
    """
    kind, parts = report.get("report"), parts_of(report)
    if not parts:
        raise UsageError(f"there is no text form of a report of kind {kind!r}")
    terminal = Terminal(columns, folded, in_color)
    short = kind == "training" and not full
    lines = section_lines(_work(report, kind), terminal)
    if lines:
        lines += ["", ""]
    lines += (
        block_lines(screen_blocks(report, parts, terminal), terminal)
        if short
        else section_lines(sections_of(parts), terminal)
    )
    if kind == "full" and "source" in report:
        lines = [*wrap_text(report["source"], columns), "", "", *lines]
    below: list[Block] = [Notes(tuple(notes_of(report, parts)))]
    if kind in ("training", "clusters") and "file" in (report["model"]):
        below.append(Paragraph((f"The model is saved in {report['model']['file']}.",)))
    if short and options and (more := more_sentence(parts)):
        below.append(Paragraph((more,)))
    last = block_lines(below, terminal)
    return "\n".join([*lines, *([""] if last else []), *last]) + "\n"


def _work(report: AnyReport, kind: object) -> list[Section]:
    """Return the steps of training, if they were requested."""
    return (
        [Section("work", "Work", (Heading("Work"), Printed(report["work"])))]
        if kind == "training" and "work" in report
        else []
    )
