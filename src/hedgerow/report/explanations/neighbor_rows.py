"""The neighbors of a row that is explained, as text and on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.layout.cell_width import shorten
from hedgerow.report.explanations.row_comparison import LONGEST, Lead, compared_html, compared_lines

Report = Mapping[str, Any]


def neighbors_lines(told: Report, columns: int) -> list[str]:
    """Return the lines of the neighbors of a row."""
    near = told["neighbors"]
    return compared_lines(_title(near), near, near["rows"], _lead(told), columns)


def neighbors_html(told: Report) -> str:
    """Return the same on a page."""
    near = told["neighbors"]
    return compared_html(_title(near), near, near["rows"], _lead(told))


def _title(near: Report) -> str:
    n, k = len(near["rows"]), near["k"]
    asked = f"of the {k:,} that are asked" if k > n else "that are asked"
    return f"The {n:,} nearest training rows {asked}:" if n > 1 else "The nearest training row:"


def _lead(told: Report) -> Lead:
    side = "l" if told.get("value") is None else "r"
    return (
        ("row", "r", lambda one: f"{one['row']:,}"),
        (shorten(told["target"], LONGEST), side, lambda one: shorten(one["says"], LONGEST)),
        ("distance", "r", lambda one: f"{one['distance']:.4g}"),
    )
