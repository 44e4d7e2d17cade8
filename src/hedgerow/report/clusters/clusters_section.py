"""The sections on clusters: profiles, quality measures, known classes, dendrogram, description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hedgerow.layout.numbers import format_count, format_digits, format_fixed, format_weight
from hedgerow.models.clusters.profile_text import rows_text, share_text
from hedgerow.report import blocks as b
from hedgerow.report.clusters.clusters_svg import cluster_hues
from hedgerow.report.figures import is_known
from hedgerow.report.model.model_section import model_blocks, model_lead
from hedgerow.report.schema import AgainstPart, ClustersReport, DescriptionPart, FiguresPart, ProfileReport

MOST_CLUSTERS = 50  # rows of a table
MOST_CARDS, MOST_TYPICAL = 60, 12
WIDEST_NAME = 20
Agreement = Literal["majority_error", "matched_error", "adjusted_rand", "mutual_information"]
AGREEMENT: tuple[tuple[Agreement, str, str], ...] = (
    (
        "majority_error",
        "error of majority classes",
        "share of rows that are not in the most frequent class of their cluster",
    ),
    ("matched_error", "error, each class used once", "the same if each class is assigned to at most one cluster"),
    ("adjusted_rand", "adjusted Rand index", "pairs of rows on which both agree; 0 by chance, at most 1"),
    ("mutual_information", "mutual information", "normalized; from 0 (none) to 1"),
)
FIGURES = (
    "The sum of squares is that of the distances of rows to the mean of their cluster. A silhouette is near 1 if rows "
    "are far from other clusters, near 0 if they lie between two clusters, and below 0 if another cluster is nearer."
)
MERGES = (
    "The rows are listed vertically; a line joins merged nodes at the height of the merge. Gray lines join clusters."
)


def clusters_sections(report: ClustersReport) -> list[b.Section]:
    """Return the sections of a report on clusters for which there are data."""
    model = report["model"]
    profiles = report.get("profiles", [])
    sizes = profiles or report.get("figures", {"clusters": []})["clusters"]
    hues = cluster_hues([one["rows"] for one in sizes])
    sections = []
    if "work" in report:
        sections.append(b.Section("work", "Work", (b.Heading("Work"), b.Printed(report["work"]))))
    picture = (b.Charts((b.Chart(report["picture"], "", "fit"),)),) if "picture" in report else ()
    printed = b.Printed(model["text"], "Model as text")
    shown = (model_lead(model), *_profiles(profiles, hues), *picture, printed)
    sections.append(b.Section("clusters", "Clusters", shown))
    if "figures" in report:
        sections.append(_figures(report["figures"], hues))
    if "against" in report:
        sections.append(_against(report["against"], hues))
    if "dendrogram" in report:
        drawn = b.Charts((b.Chart(report["dendrogram"], MERGES, "fit"),))
        sections.append(b.Section("merges", "Dendrogram", (drawn,)))
    if "description" in report:
        sections.append(_described(report["description"]))
    return sections


def cluster_tiles(report: ClustersReport) -> list[b.Tile]:
    """Return the main figures."""
    model = report["model"]
    n = len(report.get("profiles", []))
    tiles = [b.Tile(format_count(n), "clusters", model["learner"] or model["kind"])]
    tiles.append(b.Tile(format_count(model["rows"]), "rows", "in training"))
    if "figures" in report:
        made = report["figures"]
        tiles.append(b.Tile(format_fixed(made["silhouette"], 3), "silhouette", "from -1 to 1; near 1: well separated"))
        tiles.append(b.Tile(format_fixed(made["explained"], 3), "explained", "share of the variance"))
    if "against" in report:
        held = report["against"]
        agreement = f"agreement with {held['target']}"
        tiles.append(b.Tile(format_fixed(held["adjusted_rand"], 3), "adjusted Rand index", agreement))
    return tiles


def _profiles(profiles: Sequence[ProfileReport], hues: Sequence[int]) -> list[b.Block]:
    """Return one card per cluster; the printed model has the same content."""
    cards = tuple(_card(one, hue) for one, hue in zip(profiles[:MOST_CARDS], hues, strict=False))
    more = len(profiles) - MOST_CARDS
    told = f"{format_count(more)} smaller clusters are not shown; see the JSON report"
    rest = [b.Details("", (b.Paragraph((told,), soft=True),))] if more > 0 else []
    return [b.ProfileCards(cards, "Description of each cluster"), *rest] if cards else []


def _card(one: ProfileReport, hue: int) -> b.ProfileCard:
    facts = f"{rows_text(one['rows'])}, {share_text(one['share'])}"
    more = len(one["typical"]) - MOST_TYPICAL
    typical = [*one["typical"][:MOST_TYPICAL], *([f"and {format_count(more)} more columns"] if more > 0 else [])]
    apart = tuple(told["text"] for told in one["apart"])
    lists = ("Differences from other clusters", apart), ("Typical", tuple(typical))
    return b.ProfileCard(f"Cluster {one['cluster']}", hue, facts, lists)


def _figures(made: FiguresPart, hues: Sequence[int]) -> b.Section:
    clusters = made["clusters"]
    rows = tuple(
        (
            b.Name(one["cluster"], hue),
            format_weight(one["rows"]),
            format_digits(one["sum_of_squares"]),
            b.Figure(format_fixed(one["silhouette"]), bar=_bar(one["silhouette"], hue)),
        )
        for one, hue in zip(clusters[:MOST_CLUSTERS], hues, strict=False)
    )
    whole = format_weight(sum(one["rows"] for one in clusters))
    total = ("all", whole, format_digits(made["sum_of_squares"]), format_fixed(made["silhouette"]))
    columns = (
        b.TableColumn("cluster"),
        *(b.TableColumn(title, "r") for title in ("rows", "sum of squares", "silhouette")),
    )
    title = "Quality of the clusters"
    table = b.TableBlock(columns, rows, title, total=total, n_rows=len(clusters), what="clusters", most=MOST_CLUSTERS)
    told = b.Details("", (b.Paragraph((FIGURES,), soft=True),))
    return b.Section("figures", "Quality", (table, told, b.Paragraph((figures_sentence(made),))))


def _bar(value: float, hue: int) -> b.Bar:
    """Return a silhouette as a bar; one below 0 has none."""
    return b.Bar(min(max(value, 0.0), 1.0) if is_known(value) else 0.0, hue=hue)


def figures_sentence(made: FiguresPart) -> str:
    """Return the overall quality measures."""
    explained = made["explained"]
    told = f" The clusters explain {share_text(explained)} of the variance." if is_known(explained) else ""
    return f"Category utility {format_fixed(made['category_utility'])}.{told}"


def _against(held: AgainstPart, hues: Sequence[int]) -> b.Section:
    """Return the table of clusters and classes, and measures of agreement."""
    lines = zip(held["table"][:MOST_CLUSTERS], held["majority"], hues, strict=False)
    rows: list[b.Row] = [
        (b.Name(str(number), hue), name or "-", *map(format_weight, line))
        for number, (line, name, hue) in enumerate(lines, 1)
    ]
    classes = (b.TableColumn(name, "r", longest=WIDEST_NAME) for name in held["classes"])
    columns = (b.TableColumn("cluster"), b.TableColumn("mostly", longest=WIDEST_NAME), *classes)
    title, n = f"Clusters and classes of {held['target']}", len(held["table"])
    table = b.TableBlock(
        columns, tuple(rows), title, fit="split", lead=2, n_rows=n, what="clusters", most=MOST_CLUSTERS
    )
    figures = tuple((name, format_fixed(held[key]), told) for key, name, told in AGREEMENT)
    agreed = b.TableBlock(
        (
            b.TableColumn("", label="figure"),
            b.TableColumn("", "r", label="value"),
            b.TableColumn("", label="meaning"),
        ),
        figures,
        label="Measures of agreement",
    )
    return b.Section("against", "Classes", (table, agreed))


def _described(description: DescriptionPart) -> b.Section:
    model = description["model"]
    lead = b.Lead(f"Description of the clusters: {described_sentence(description)}")
    return b.Section("words", "Description", (lead, *model_blocks(model, model["labels"])))


def described_sentence(description: DescriptionPart) -> str:
    """Return a sentence on how well a description distinguishes the clusters."""
    same, weight = description["agreed"], description["weight"]
    placed = f"{format_weight(same)} of {format_weight(weight)} rows ({share_text(same / weight)})"
    return f"{description['model']['learner']} with the clusters as classes assigns {placed} to their cluster"
