"""The report of a league: what `simplest` tried, what it kept, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_digits, format_fixed, format_short
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.learn.choosing.contest import League


def league_report(league: League) -> dict[str, Any]:
    """Return the learners, the simplest first, with their errors, and the one that is kept."""
    return {
        "report": "league",
        "version": 1,
        "measure": league.measure,
        "folds": league.folds,
        "rows": league.rows,
        "all_rows": league.all_rows,
        "within": league.within,
        "kept": league.entries[league.kept].name,
        "best": league.entries[league.best].name,
        "limit": league.limit,
        "why": league.why,
        "learners": [
            {"name": one.name, "error": one.error, "standard_error": one.standard_error, "size": one.size}
            for one in league.entries
        ],
        "notes": [],
    }


def league_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return a league as a table."""
    sample = "" if report["rows"] == report["all_rows"] else f" of {report['rows']} of {report['all_rows']} rows"
    title = f"League, the simplest first ({report['folds']}-fold cross-validation{sample}, the same folds for all)"
    draw = format_fixed if report["measure"] == "error rate" else format_digits
    rows = [["", "", report["measure"], "standard error", "size"]]
    for one in report["learners"]:
        size = "-" if one["size"] is None or math.isnan(one["size"]) else format_short(one["size"])
        figures = (draw(one[name]) for name in ("error", "standard_error"))
        rows.append([">" if one["name"] == report["kept"] else "", one["name"], *figures, size])
    why = report["why"]
    return [
        *wrap_text(title, columns),
        *align_columns(rows, "llrrr"),
        "",
        *wrap_text(f"{why[:1].upper()}{why[1:]}.", columns),
    ]
