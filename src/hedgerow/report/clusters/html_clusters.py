"""Clusters on a page: a card each, the rows drawn, figures, known classes, the tree of merges, and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.layout.numbers import format_digits, format_fixed, format_weight
from hedgerow.models.clusters.profile_text import rows_text, share_text
from hedgerow.report.clusters.clusters import AGREEMENT, described_sentence, figures_sentence
from hedgerow.report.clusters.clusters_svg import hues_of
from hedgerow.report.draw.markup import element, figure, grid_table, items, section, swatch, words
from hedgerow.report.draw.svg import num, painted, rect
from hedgerow.report.whole.html_model import folded, model_body, printed

Report = Mapping[str, Any]
MOST_CARDS, MOST_LINES, MOST_TYPICAL = 60, 200, 12
LONG, HIGH = 64.0, 10.0


def clusters_sections(report: Report) -> dict[str, str]:
    """Return the parts of a page on clusters, those that there is something for."""
    hues = hues_of([one["rows"] for one in report["profiles"]])
    parts = {
        "clusters": _clusters(report, hues),
        "figures": _figures(report["figures"], hues) if "figures" in report else "",
        "against": _against(report["against"], hues) if "against" in report else "",
        "merges": _merges(report["dendrogram"]) if "dendrogram" in report else "",
        "words": _words(report["description"]) if "description" in report else "",
    }
    return {key: made for key, made in parts.items() if made}


def cluster_tiles(report: Report) -> list[tuple[str, str, str]]:
    """Return the main figures: value, what it is, and more on it."""
    tiles = [(f"{len(report['profiles']):,}", "clusters", report["model"]["learner"] or report["model"]["kind"])]
    tiles.append((f"{report['model']['rows']:,}", "rows", "learned from"))
    if "figures" in report:
        made = report["figures"]
        tiles.append((format_fixed(made["silhouette"], 3), "silhouette", "-1 to 1, near 1: well apart"))
        tiles.append((format_fixed(made["explained"], 3), "explained", "share of all squared distances"))
    if "against" in report:
        against = report["against"]
        tiles.append(
            (format_fixed(against["adjusted_rand"], 3), "adjusted Rand index", f"agreement with {against['target']}")
        )
    return tiles


def _clusters(report: Report, hues: Sequence[int]) -> str:
    profiles = report["profiles"]
    drawn = figure(report["picture"], "", "fit") if "picture" in report else ""
    cards = "".join(_card(one, hue) for one, hue in zip(profiles[:MOST_CARDS], hues, strict=False))
    more = len(profiles) - MOST_CARDS
    rest = f'<p class="soft">{more:,} smaller clusters are not shown; the JSON report has them all.</p>'
    text = folded("The model as it prints", printed(report["model"]["text"]))
    cards = "<h3>What each is like</h3>" + element("div", cards, class_="columns clusters")
    return section("clusters", "Clusters", cards, rest if more > 0 else "", drawn, text)


def _card(one: Report, hue: int) -> str:
    title = f"<h4>{swatch(hue)}Cluster {words(one['cluster'])}</h4>"
    facts = f'<p class="facts">{words(rows_text(one["rows"]))}, {words(share_text(one["share"]))}</p>'
    apart = items(_unbroken(told["text"]) for told in one["apart"])
    apart = f"<h5>What sets it apart</h5>{apart}" if one["apart"] else ""
    typical, more = one["typical"][:MOST_TYPICAL], len(one["typical"]) - MOST_TYPICAL
    told = items([*map(_unbroken, typical), *([f"and {more:,} more columns"] if more > 0 else [])])
    typical_part = f"<h5>Typical</h5>{told}" if typical else ""
    return element("div", f"{title}{facts}{apart}{typical_part}", class_="card")


def _unbroken(text: str) -> str:
    """Return words whose shares stay on one line."""
    return words(text).replace(" %", "&nbsp;%").replace(" ± ", "&nbsp;±&nbsp;")


def _figures(made: Report, hues: Sequence[int]) -> str:
    rows = [
        [
            f"{swatch(hue)}{words(one['cluster'])}",
            format_weight(one["rows"]),
            format_digits(one["sum_of_squares"]),
            _bar(one["silhouette"], hue),
            format_fixed(one["silhouette"]),
        ]
        for one, hue in zip(made["clusters"][:MOST_LINES], hues, strict=False)
    ]
    total = format_weight(sum(one["rows"] for one in made["clusters"]))
    rows.append(["all", total, format_digits(made["sum_of_squares"]), "", format_fixed(made["silhouette"])])
    told = (
        "The sum of squares is that of the distances of rows to the mean of their cluster. A silhouette is near 1 where"
        " rows are well apart from other clusters, near 0 between two, and below 0 where another cluster is nearer."
    )
    head = ["cluster", "rows", "sum of squares", "", "silhouette"]
    table = grid_table("Figures of each cluster", head, rows, "nrrlr")
    lead = f'<p class="lead">{words(figures_sentence(made))}</p>'
    return section("figures", "How good the clusters are", lead, f'<p class="soft">{words(told)}</p>', table)


def _bar(value: Any, hue: int) -> str:
    """Return a silhouette as a bar; one below 0 has none."""
    share = min(max(float(value), 0.0), 1.0) if value is not None and value == value else 0.0
    content = rect(0, 1, LONG, HIGH - 2, painted("track") + ' fill-opacity="0.5"', 2)
    content += rect(0, 1, LONG * share, HIGH - 2, painted(f"mark{hue}"), 2) if share else ""
    size = f'viewBox="0 0 {num(LONG)} {num(HIGH)}" width="{num(LONG)}" height="{num(HIGH)}"'
    return f'<svg class="hedgerow" {size} aria-hidden="true">{content}</svg>'


def _against(held: Report, hues: Sequence[int]) -> str:
    head = ["cluster", "mostly", *map(words, held["classes"])]
    rows = [
        [f"{swatch(hue)}{number + 1}", words(name or "-"), *map(format_weight, line)]
        for number, (line, name, hue) in enumerate(
            zip(held["table"][:MOST_LINES], held["majority"], hues, strict=False)
        )
    ]
    table = grid_table("Rows of each cluster by class", head, rows, "nn" + "r" * len(held["classes"]))
    figures = [[words(name), format_fixed(held[key]), words(told)] for key, name, told in AGREEMENT]
    agreed = grid_table("How far both agree", ["figure", "", "what it says"], figures, "nrn")
    return section("against", f"Clusters against {held['target']}", table, agreed)


def _merges(picture: str) -> str:
    told = "Rows below one another; a line joins what was merged, at the height of the merge. Gray joins clusters."
    return section("merges", "The tree of merges", figure(picture, told, "fit"))


def _words(description: Report) -> str:
    model = description["model"]
    lead = f'<p class="lead">{words(described_sentence(description))}.</p>'
    return section("words", "The clusters in words", lead, model_body(model, model["labels"]))
