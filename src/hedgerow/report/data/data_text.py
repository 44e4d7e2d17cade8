"""The text form of a table's description: a line a column with a small histogram, and the class shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.data.table.schema import IDENTIFIER
from hedgerow.layout.bars import draw_bar, draw_histogram
from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_short
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import MOST_ROWS, align_columns, fit_named_table, note_left_out
from hedgerow.layout.wrapping import list_sentences, wrap_text

Report = Mapping[str, Any]
Numbered = list[tuple[int, Report]]


def data_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of a description; the columns stand by kind, each with its number in the table."""
    by_kind: dict[str, Numbered] = {}
    for number, column in enumerate(report["columns"], 1):
        by_kind.setdefault(column["kind"], []).append((number, column))
    lines = _title(report, by_kind, columns)
    for kind, many in by_kind.items():
        lines += ["", *KINDS[kind](many[:MOST_ROWS], columns), *note_left_out(len(many), f"{kind} columns")]
    return [*lines, *_class_shares(report, columns), *_ignored(report, columns)]


def _title(report: Report, by_kind: dict[str, Numbered], columns: int) -> list[str]:
    kinds = ", ".join(f"{len(many)} {kind}" for kind, many in by_kind.items())
    values = "1 value" if report["missing"] == 1 else f"{report['missing']} values"
    missing = f"{values} missing ({report['missing_share']:.1%})" if report["missing"] else "no values missing"
    rows, wide = report["rows"], len(report["columns"])
    title = f"{rows} row{'' if rows == 1 else 's'}, {wide} column{'' if wide == 1 else 's'} ({kinds}); {missing}"
    lines = wrap_text(title, columns)
    if report["weight"] != report["rows"]:
        lines.append(f"The rows weigh {format_short(report['weight'])} in all")
    if report["target"] is not None:
        lines += wrap_text(f"To predict: {clean_text(report['target'])}", columns)
    return lines


def _numeric(many: Numbered, columns: int) -> list[str]:
    rows = [["#", "numeric", "missing", "distinct", "min", "median", "mean", "sd", "max", ""]]
    for number, one in many:
        figures = [format_short(one[key]) for key in ("min", "median", "mean", "standard_deviation", "max")]
        if "earliest" in one:
            figures = [one["earliest"][:10], "", "", "", one["latest"][:10]]
        shape = "" if one["histogram"] is None else draw_histogram(one["histogram"]["counts"])
        rows.append([str(number), one["name"], *_missing(one), *figures, shape])
    return fit_named_table(rows, "rlrrrrrrrl", columns, spare=(3, 9))


def _nominal(many: Numbered, columns: int) -> list[str]:
    rows = [["#", "nominal", "missing", "distinct"]]
    rows += [[str(number), shorten(one["name"], 24), *_missing(one)] for number, one in many]
    room = columns - 2 - max(map(count_cells, align_columns(rows, "rlrr")))
    rows[0].append("levels")
    for row, (_, one) in zip(rows[1:], many, strict=True):
        row.append(_levels(one, max(room, 8)))
    return align_columns(rows, "rlrrl")


def _levels(one: Report, room: int) -> str:
    """Return as many levels with their rows as there is room for."""
    words = [f"{clean_text(level['level'])} {level['rows']}" for level in one["levels"]]
    for shown in range(len(words), 0, -1):
        rest = one["n_levels"] - shown
        text = ", ".join(words[:shown]) + (f", {rest} more" if rest else "")
        if count_cells(text) <= room:
            return text
    return shorten(", ".join(words), room)


def _text(many: Numbered, columns: int) -> list[str]:
    rows = [["#", "text", "missing", "distinct", "empty", "median words", "mean words", "most words", "most bytes"]]
    for number, one in many:
        figures = [
            str(one["empty"]),
            format_short(one["median_words"]),
            format_short(one["mean_words"]),
            str(one["max_words"]),
        ]
        rows.append([str(number), one["name"], *_missing(one), *figures, str(one["max_bytes"])])
    return fit_named_table(rows, "rlrrrrrrr", columns, spare=(8, 6, 3))


def _bag(many: Numbered, columns: int) -> list[str]:
    rows = [["#", "bag", "mean rows", "most rows"]]
    rows += [[str(n), one["name"], format_short(one["mean_rows"]), str(one["max_rows"])] for n, one in many]
    return fit_named_table(rows, "rlrr", columns)


KINDS = {"numeric": _numeric, "nominal": _nominal, "text": _text, "bag": _bag}


def _missing(one: Report) -> tuple[str, str]:
    share = f" ({one['missing_share']:.0%})" if one["missing"] else ""
    return f"{one['missing']}{share}", str(one["distinct"])


def _class_shares(report: Report, columns: int) -> list[str]:
    classes = report["classes"]
    if not classes:
        return []
    shown = sorted(classes, key=lambda one: -one["share"]) if len(classes) > MOST_ROWS else classes
    rows = [
        [shorten(one["label"], 30), str(one["rows"]), f"{one['share']:.1%}", draw_bar(one["share"], columns // 3)]
        for one in shown[:MOST_ROWS]
    ]
    title = shorten(f"Classes of {report['target']}", columns)
    return ["", title, *align_columns(rows, "lrrl", indent="  "), *note_left_out(len(classes), "classes")]


def _ignored(report: Report, columns: int) -> list[str]:
    ignored = [
        f"{one['name']}: {one['ignored']}{_remedy(one)}" for one in report["columns"] if one["role"] == "ignored"
    ]
    if not ignored:
        return []
    return [
        "",
        "Left out of learning",
        *list_sentences(ignored[:MOST_ROWS], columns),
        *note_left_out(len(ignored), "columns"),
    ]


def _remedy(one: Report) -> str:
    return f"; --keep {quote_for_shell(one['name'])} uses it" if one["ignored"].startswith(IDENTIFIER) else ""
