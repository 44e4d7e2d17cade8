"""The section on a table: one table per kind with one row per column and a small histogram, and the class shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hedgerow.data.table.schema import IDENTIFIER
from hedgerow.layout.numbers import format_count, format_share, format_short
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.report import blocks as b
from hedgerow.report.data.histograms import column_picture
from hedgerow.report.draw.svg import GRAY_HUE
from hedgerow.report.schema import ColumnReport, DataReport

Numbered = list[tuple[int, ColumnReport]]
ROLES = {"target": "target", "ignored": "excluded"}
LONGEST_NOMINAL, LONGEST_CLASS = 24, 30
BAR = 33  # cells of the bar of a class
NUMBER = b.TableColumn("#", "r")


def data_section(report: DataReport) -> b.Section:
    """Return the description of a table; columns are grouped by kind, each with its number in the table."""
    by_kind: dict[str, Numbered] = {}
    for number, column in enumerate(report["columns"], 1):
        by_kind.setdefault(column["kind"], []).append((number, column))
    tables = [KINDS[kind](many) for kind, many in by_kind.items()]
    return b.Section("data", "Data", (_lead(report, by_kind), *tables, *_classes(report), *_ignored(report)))


def _lead(report: DataReport, by_kind: dict[str, Numbered]) -> b.Lead:
    kinds = ", ".join(f"{len(many)} {kind}" for kind, many in by_kind.items())
    values = "1 value" if report["missing"] == 1 else f"{report['missing']} values"
    missing = f"{values} missing ({format_share(report['missing_share'])})"
    rows, wide = report["rows"], len(report["columns"])
    title = f"{rows} row{'' if rows == 1 else 's'}, {wide} column{'' if wide == 1 else 's'} ({kinds}); "
    title += missing if report["missing"] else "no missing values"
    weight = f"Total weight of the rows: {format_short(report['weight'])}"
    told = [*([weight] if report["weight"] != rows else [])]
    told += [] if report["target"] is None else [f"Target: {report['target']}"]
    return b.Lead(title, tuple(told))


def _named(number: int, one: ColumnReport) -> tuple[b.Cell, b.Cell]:
    return str(number), b.Name(one["name"], role=ROLES.get(one["role"], ""))


def _table(
    kind: str, columns: tuple[b.TableColumn, ...], rows: list[b.Row], n: int, spare: tuple[int, ...] = ()
) -> b.TableBlock:
    label = f"{kind.capitalize()} columns"
    shown, what = tuple(rows), f"{kind} columns"
    return b.TableBlock(columns, shown, label=label, fit="spare", optional=spare, what=what, n_rows=n, as_cards=True)


def _numeric(many: Numbered) -> b.TableBlock:
    titles = ("missing", "distinct", "min", "median", "mean", "sd", "max")
    columns = (NUMBER, b.TableColumn("numeric"), *(b.TableColumn(title, "r") for title in titles), b.TableColumn(""))
    rows: list[b.Row] = []
    for number, one in many[: b.MOST_ROWS]:
        figures = [format_short(one[key]) for key in ("min", "median", "mean", "standard_deviation", "max")]
        if "earliest" in one:
            figures = [one["earliest"][:10], "", "", "", one["latest"][:10]]
        counts = () if one["histogram"] is None else tuple(one["histogram"]["counts"])
        rows.append((*_named(number, one), *_missing(one), *figures, b.Sparkline(counts, column_picture(one))))
    return _table("numeric", columns, rows, len(many), spare=(3, 9))


def _nominal(many: Numbered) -> b.TableBlock:
    name = b.TableColumn("nominal", longest=LONGEST_NOMINAL)
    columns = NUMBER, name, b.TableColumn("missing", "r"), b.TableColumn("distinct", "r"), b.TableColumn("levels")
    rows: list[b.Row] = []
    for number, one in many[: b.MOST_ROWS]:
        levels = tuple(f"{level['level']} {level['rows']}" for level in one["levels"])
        rows.append((*_named(number, one), *_missing(one), b.EntryList(levels, one["n_levels"], column_picture(one))))
    return replace(_table("nominal", columns, rows, len(many)), fit="wide")


def _text(many: Numbered) -> b.TableBlock:
    titles = ("missing", "distinct", "empty", "median words", "mean words", "most words", "most bytes")
    columns = (NUMBER, b.TableColumn("text"), *(b.TableColumn(title, "r") for title in titles))
    rows: list[b.Row] = []
    for number, one in many[: b.MOST_ROWS]:
        words = format_short(one["median_words"]), format_short(one["mean_words"]), str(one["max_words"])
        rows.append((*_named(number, one), *_missing(one), str(one["empty"]), *words, str(one["max_bytes"])))
    return _table("text", columns, rows, len(many), spare=(8, 6, 3))


def _bag(many: Numbered) -> b.TableBlock:
    columns = NUMBER, b.TableColumn("bag"), b.TableColumn("mean rows", "r"), b.TableColumn("most rows", "r")
    rows: list[b.Row] = [
        (*_named(number, one), format_short(one["mean_rows"]), str(one["max_rows"]))
        for number, one in many[: b.MOST_ROWS]
    ]
    return _table("bag", columns, rows, len(many))


KINDS: dict[str, Callable[[Numbered], b.TableBlock]] = {
    "numeric": _numeric,
    "nominal": _nominal,
    "text": _text,
    "bag": _bag,
}


def _missing(one: ColumnReport) -> tuple[str, str]:
    share = f" ({format_share(one['missing_share'], 0)})" if one["missing"] else ""
    return f"{one['missing']}{share}", str(one["distinct"])


def _classes(report: DataReport) -> list[b.Block]:
    """Return the classes with their shares; only the largest if there are very many."""
    classes, groups = report["classes"], report["groups"]
    if not classes:
        return []
    shown = sorted(classes, key=lambda one: -one["share"]) if len(classes) > b.MOST_ROWS else classes
    hues = {label: min(hue, GRAY_HUE) for hue, label in enumerate(groups)}
    rows: list[b.Row] = []
    for one in shown:
        hue = hues.get(one["label"], GRAY_HUE if groups else 0)
        name = b.Name(one["label"], hue if groups else None)
        rows.append(
            (name, format_count(one["rows"]), b.Figure(format_share(one["share"]), bar=b.Bar(one["share"], hue=hue)))
        )
    columns = (
        b.TableColumn("", longest=LONGEST_CLASS, label="class"),
        b.TableColumn("", "r", label="rows"),
        b.TableColumn("", "r", bar=BAR, label="share"),
    )
    return [b.TableBlock(columns, tuple(rows), title=f"Classes of {report['target']}", what="classes", indent=True)]


def _ignored(report: DataReport) -> list[b.Block]:
    ignored = [
        f"{one['name']}: {one['ignored']}{_remedy(one)}" for one in report["columns"] if one["role"] == "ignored"
    ]
    return [b.Bullets(tuple(ignored), "Excluded from training", what="columns")] if ignored else []


def _remedy(one: ColumnReport) -> str:
    return f"; --keep {quote_for_shell(one['name'])} includes it" if one["ignored"].startswith(IDENTIFIER) else ""
