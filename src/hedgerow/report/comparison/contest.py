"""The report on the model selection of `simplest`: the candidates, the chosen one, and why; and its section."""

from __future__ import annotations

from hedgerow.layout.numbers import format_digits, format_fixed, format_short
from hedgerow.learn.choosing.contest import League
from hedgerow.report import blocks as b
from hedgerow.report.figures import is_known
from hedgerow.report.schema import LeagueReport


def league_report(league: League) -> LeagueReport:
    """Return the candidates, simplest first, with their errors, and the chosen one."""
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


def league_section(report: LeagueReport) -> b.Section:
    """Return the candidates as a table, and the reason for the choice."""
    sample = "" if report["rows"] == report["all_rows"] else f" of {report['rows']} of {report['all_rows']} rows"
    title = f"Candidates, simplest first ({report['folds']}-fold cross-validation{sample}, the same folds for all)"
    draw = format_fixed if report["measure"] == "error rate" else format_digits
    rows = tuple(
        (
            ">" if one["name"] == report["kept"] else "",
            one["name"],
            draw(one["error"]),
            draw(one["standard_error"]),
            format_short(one["size"]) if is_known(one["size"]) else "-",
        )
        for one in report["learners"]
    )
    columns = (
        b.TableColumn(""),
        b.TableColumn("", label="learner"),
        *(b.TableColumn(one, "r") for one in (report["measure"], "standard error", "size")),
    )
    why = f"{report['why'][:1].upper()}{report['why'][1:]}."
    return b.Section("league", "Model selection", (b.TableBlock(columns, rows, title), b.Paragraph((why,))))
