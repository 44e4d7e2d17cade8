"""The nearest neighbors of an explained row."""

from __future__ import annotations

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_count, format_short
from hedgerow.report import blocks as b
from hedgerow.report.explanations.row_comparison import LONGEST, Lead, compared_rows
from hedgerow.report.schema import DecisionReport, NeighborReport, NeighborsPart


def neighbors_table(told: DecisionReport) -> b.TableBlock:
    """Return the nearest training rows compared with the row."""
    near = told["neighbors"]
    return compared_rows(_title(near), near, near["rows"], _lead(told))


def _title(near: NeighborsPart) -> str:
    n, k = len(near["rows"]), near["k"]
    asked = f"of the {format_count(k)} that are used" if k > n else "that are used"
    return f"The {format_count(n)} nearest training rows {asked}:" if n > 1 else "The nearest training row:"


def _lead(told: DecisionReport) -> Lead[NeighborReport]:
    says = b.TableColumn(shorten(told["target"], LONGEST), "l" if told.get("value") is None else "r")
    return (
        (b.TableColumn("row", "r"), lambda one: format_count(one["row"])),
        (says, lambda one: shorten(one["says"], LONGEST)),
        (b.TableColumn("distance", "r"), lambda one: format_short(one["distance"])),
    )
