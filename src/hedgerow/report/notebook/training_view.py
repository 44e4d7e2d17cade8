"""A training in a notebook: the choice and its test in sentences, the model, and the figures folded."""

from __future__ import annotations

from hedgerow.evaluate.results import Results
from hedgerow.learn.choosing.selection import Selection
from hedgerow.models.base.model import Model
from hedgerow.report import blocks as b
from hedgerow.report.draw.markup import element
from hedgerow.report.notebook.displays import markup_of
from hedgerow.report.notebook.view import view
from hedgerow.report.render.html import blocks_html
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.schema import AnyReport
from hedgerow.report.whole.sections import notes_of, parts_of
from hedgerow.report.whole.training_screen import screen_blocks


def training_view(report: AnyReport, model: Model, results: Results | None, selection: Selection | None) -> str:
    """Return the screen after training as the output of a cell, with the model drawn and all figures folded."""
    parts = parts_of(report)
    blocks = screen_blocks(report, parts, Terminal())
    place = next(place for place, block in enumerate(blocks) if isinstance(block, b.Printed))
    more = [_folded("All figures of the test", markup_of(results))] if results is not None else []
    more += [_folded("The candidates", markup_of(selection))] if selection is not None else []
    notes = blocks_html([b.Notes(tuple(notes_of(report, parts)))])
    above, below = blocks_html(blocks[:place]), blocks_html(blocks[place + 1 :])
    return view("".join([above, markup_of(model), below, *more, notes]))


def _folded(title: str, markup: str) -> str:
    return element("details", element("summary", title) + markup)
