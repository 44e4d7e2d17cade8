"""The data's part of the page: class shares, and a card for every column with a small picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_short, format_weight
from hedgerow.report.data.histograms import column_picture, shares_picture
from hedgerow.report.draw.markup import element, items, section, swatch, words
from hedgerow.report.draw.svg import GRAY_HUE

Report = Mapping[str, Any]
MOST_COLUMNS = 80


def data_section(report: Report) -> str:
    """Return what the table holds."""
    columns = report["columns"]
    kinds: dict[str, int] = {}
    for column in columns:
        kinds[column["kind"]] = kinds.get(column["kind"], 0) + 1
    told = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
    missing = f"{report['missing']:,} values ({report['missing_share']:.1%})" if report["missing"] else "no values"
    weight = f" The rows weigh {format_short(report['weight'])} in all." if report["weight"] != report["rows"] else ""
    lead = f"{report['rows']:,} rows and {len(columns):,} columns ({told}); {missing} missing.{weight}"
    return section(
        "data",
        "Data",
        f"<p>{words(lead)}</p>",
        _classes(report),
        "<h3>Columns</h3>",
        element("div", "\n".join(map(_card, columns[:MOST_COLUMNS])), class_="columns"),
        _more(len(columns)),
    )


def legend(labels: list[str], values: list[str]) -> str:
    """Return the classes with their colors."""
    entries = zip(range(len(labels)), labels, values, strict=True)
    return items((f"{swatch(hue)}{words(label)} {value}".rstrip() for hue, label, value in entries), class_="legend")


def _classes(report: Report) -> str:
    classes = report["classes"]
    if not classes:
        return ""
    groups = report["groups"]
    title = f"<h3>Classes of {words(report['target'])}</h3>"
    if len(classes) > GRAY_HUE and not groups:
        sizes = [one["rows"] for one in classes]
        told = f"{len(classes):,} classes, of {min(sizes):,} to {max(sizes):,} rows each."
        return f"{title}<p>{words(told)}</p>"
    shown = [one for one in classes if one["label"] in groups] if len(groups) < len(classes) else classes
    rest = [one for one in classes if one not in shown]
    parts = list(shown)
    if rest:
        parts.append({key: sum(one[key] for one in rest) for key in ("rows", "weight", "share")})
        parts[-1] = {**parts[-1], "label": f"{len(rest)} other classes"}
    values = [f'<span class="soft">{format_weight(one["weight"])} ({one["share"]:.1%})</span>' for one in parts]
    hues = [min(hue, GRAY_HUE) for hue in range(len(parts))]
    bar = element("div", shares_picture(parts, hues), class_="bar")
    return f"{title}{bar}{legend([one['label'] for one in parts], values)}"


def _card(column: Report) -> str:
    role = {"target": '<span class="tag on">target</span>', "ignored": '<span class="tag">left out</span>'}
    head = f"<h4>{words(column['name'])} {role.get(column['role'], '')}</h4>"
    lines = [" · ".join(filter(None, (column["kind"], _missing(column), f"{column['distinct']:,} distinct")))]
    lines += [_figures(column)] if column["kind"] != "nominal" else []
    lines += [column["ignored"]] if column["role"] == "ignored" else []
    facts = "".join(f'<p class="facts">{words(line)}</p>' for line in lines if line)
    return element("div", f"{head}{facts}{column_picture(column)}", class_="card")


def _missing(column: Report) -> str:
    return f"{column['missing']:,} missing ({column['missing_share']:.1%})" if column["missing"] else ""


def _figures(column: Report) -> str:
    if column["kind"] == "numeric" and "earliest" not in column:
        names = {"median": "median", "mean": "mean", "standard_deviation": "sd"}
        return " · ".join(f"{word} {format_short(column[key], 3)}" for key, word in names.items())
    if column["kind"] == "text":
        length = f"{format_short(column['median_words'])} words in the median, {column['max_words']:,} at most"
        return f"{length}, {column['empty']:,} empty, {column['repeated']:,} repeated"
    if column["kind"] == "bag":
        return f"{format_short(column['mean_rows'])} rows a bag on average, {column['max_rows']:,} at most"
    return ""


def _more(n: int) -> str:
    return f'<p class="soft">{n - MOST_COLUMNS:,} more columns; the JSON report has them all.</p>' * (n > MOST_COLUMNS)
