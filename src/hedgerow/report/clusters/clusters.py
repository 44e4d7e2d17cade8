"""The report of clusters: what they are, how good they are, how far they agree with classes, and a description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.evaluate.clusters.evaluate_clusters import ClusterFigures
from hedgerow.evaluate.clusters.known_classes import Against
from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_digits, format_fixed, format_weight
from hedgerow.layout.text_table import align_columns, split_into_blocks
from hedgerow.layout.wrapping import wrap_text
from hedgerow.learn.clusters.describe import Description
from hedgerow.models.base.model import ClassModel
from hedgerow.models.clusters.cluster_model import ClusterModel
from hedgerow.models.clusters.profile import Profile
from hedgerow.models.clusters.profile_text import difference_text, share_text, told_differences, typical_texts
from hedgerow.report.evaluation.build import model_report

MOST_CLUSTERS = 50  # lines of a table in print
WIDEST_NAME = 20
AGREEMENT = (
    ("majority_error", "error by majority", "rows not of the most frequent class of their cluster"),
    ("matched_error", "error, each class once", "the same if no two clusters may be one class"),
    ("adjusted_rand", "adjusted Rand index", "pairs of rows on which both agree; chance 0, most 1"),
    ("mutual_information", "mutual information", "normalised; nothing 0, most 1"),
)


def clusters_report(
    model: ClassModel, figures: ClusterFigures | None = None, description: Description | None = None
) -> dict[str, Any]:
    """Return what there is to tell of clusters: the model, figures and a description if these were made."""
    report: dict[str, Any] = {"report": "clusters", "version": 1, "model": model_report(model), "notes": []}
    if isinstance(model, ClusterModel):
        report["profiles"] = [_profile(model.profile, cluster) for cluster in range(len(model))]
    if figures is not None:
        report["figures"] = {
            "clusters": [
                {"cluster": name, "rows": rows, "sum_of_squares": squares, "silhouette": silhouette}
                for name, rows, squares, silhouette in zip(
                    model.classes,
                    figures.sizes.tolist(),
                    figures.squares.tolist(),
                    figures.silhouettes.tolist(),
                    strict=True,
                )
            ],
            "sum_of_squares": float(figures.squares.sum()),
            "total_sum_of_squares": figures.total_squares,
            "explained": figures.explained,
            "silhouette": figures.silhouette,
            "silhouette_rows": figures.sampled or None,
            "category_utility": figures.utility,
        }
        report["notes"] += list(figures.notes)
        if figures.against is not None:
            report["against"] = _against(figures.against)
    if description is not None:
        report["description"] = description_part(description)
        report["notes"] += [note for note in description.model.about.notes if note not in model.about.notes]
    report["notes"] = [*report["model"]["notes"], *report["notes"]]
    return report


def description_part(description: Description) -> dict[str, Any]:
    """Return a description, and how well it tells the clusters apart."""
    return {
        "model": model_report(description.model),
        "agreed": description.agreed,
        "weight": description.weight,
        "error": description.error,
    }


def _profile(profile: Profile, cluster: int) -> dict[str, Any]:
    """Return what one cluster is like, in words and figures."""
    size, total = float(profile.sizes[cluster]), float(profile.sizes.sum())
    columns = profile.schema.columns
    apart = [
        {
            "text": difference_text(profile, one),
            "column": columns[one.column].name,
            "level": None if one.level < 0 else columns[one.column].levels[one.level],
            "inside": one.inside,
            "others": one.outside,
            "effect": one.effect,
        }
        for one in told_differences(profile, cluster)
    ]
    typical = typical_texts(profile, cluster)
    return {"cluster": str(cluster + 1), "rows": size, "share": size / total, "typical": typical, "apart": apart}


def _against(held: Against) -> dict[str, Any]:
    names = (*held.classes, None)
    return {
        "target": held.name,
        "classes": list(held.classes),
        "table": held.table.tolist(),
        "majority": [names[code] for code in held.majority.tolist()],
        "matched": [names[code] for code in held.matched.tolist()],
        "majority_error": held.majority_error,
        "matched_error": held.matched_error,
        "adjusted_rand": held.adjusted_rand,
        "mutual_information": held.mutual_information,
    }


def clusters_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return the clusters with their figures; the model comes first, printed as it is."""
    from hedgerow.report.whole.text import model_lines

    lines = ["Work", "", report["work"], "", ""] if "work" in report else []
    lines += model_lines({**report["model"], "notes": []}, columns)
    if "figures" in report:
        lines += ["", "", *_figure_lines(report["figures"], columns)]
    if "against" in report:
        lines += ["", "", *_against_lines(report["against"], columns)]
    if "description" in report:
        lines += ["", "", *_description_lines(report["description"], columns)]
    if "file" in report["model"]:
        lines += ["", f"The model is saved in {report['model']['file']}."]
    return lines


def _figure_lines(figures: Mapping[str, Any], columns: int) -> list[str]:
    body = figures["clusters"]
    rows = [["cluster", "rows", "sum of squares", "silhouette"]]
    rows += [
        [
            one["cluster"],
            format_weight(one["rows"]),
            format_digits(one["sum_of_squares"]),
            format_fixed(one["silhouette"]),
        ]
        for one in body[:MOST_CLUSTERS]
    ]
    if len(body) > MOST_CLUSTERS:
        rows.append([f"{len(body) - MOST_CLUSTERS} more", "", "", ""])
    whole = format_weight(sum(one["rows"] for one in body))
    rows.append(["all", whole, format_digits(figures["sum_of_squares"]), format_fixed(figures["silhouette"])])
    return [
        "How good the clusters are",
        *align_columns(rows, "lrrr"),
        "",
        *wrap_text(figures_sentence(figures), columns),
    ]


def figures_sentence(figures: Mapping[str, Any]) -> str:
    """Return the figures of all clusters together."""
    explained = figures["explained"]
    told = f" The clusters explain {share_text(explained)} of all squared distances." if explained == explained else ""
    return f"Category utility {format_fixed(figures['category_utility'])}.{told}"


def _against_lines(held: Mapping[str, Any], columns: int) -> list[str]:
    """Return the table of clusters and classes, and how far they agree."""
    shown = min(len(held["table"]), MOST_CLUSTERS)
    lead = [["cluster", *(str(n + 1) for n in range(shown))]]
    lead.append(["mostly", *(shorten(name or "-", WIDEST_NAME) for name in held["majority"][:shown])])
    parts = [
        [[shorten(name, WIDEST_NAME), *(format_weight(line[code]) for line in held["table"][:shown])]]
        for code, name in enumerate(held["classes"])
    ]
    lines = [f"Clusters against {shorten(held['target'], columns - 20)}"]
    lines += split_into_blocks(lead, parts, "ll" + "r" * len(parts), columns)
    if len(held["table"]) > shown:
        lines.append(f"{len(held['table']) - shown} more clusters are left out; the JSON report has them all")
    return [*lines, "", *align_columns([[name, format_fixed(held[key]), told] for key, name, told in AGREEMENT], "lrl")]


def _description_lines(description: Mapping[str, Any], columns: int) -> list[str]:
    title = f"The clusters in words: {described_sentence(description)}"
    return [*wrap_text(title, columns), "", description["model"]["text"]]


def described_sentence(description: Mapping[str, Any]) -> str:
    """Return how well a description tells the clusters apart."""
    learner = description["model"]["learner"]
    same, weight = description["agreed"], description["weight"]
    placed = f"{format_weight(same)} of {format_weight(weight)} rows ({share_text(same / weight)})"
    return f"{learner} on the clusters as classes, which places {placed} as they are"
