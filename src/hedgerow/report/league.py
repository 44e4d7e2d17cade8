"""The report of a league: what `simplest` tried, what it kept, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hedgerow.learn.choosing.league import League
from hedgerow.report.grid import digits, fixed, grid, short, wrapped


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
    draw = fixed if report["measure"] == "error rate" else digits
    rows = [["", "", report["measure"], "standard error", "size"]]
    for one in report["learners"]:
        size = "-" if one["size"] is None or math.isnan(one["size"]) else short(one["size"])
        figures = (draw(one[name]) for name in ("error", "standard_error"))
        rows.append([">" if one["name"] == report["kept"] else "", one["name"], *figures, size])
    why = report["why"]
    return [*wrapped(title, columns), *grid(rows, "llrrr"), "", *wrapped(f"{why[:1].upper()}{why[1:]}.", columns)]
