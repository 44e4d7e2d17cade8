"""The report on clusters: descriptions, quality measures, agreement with classes."""

from __future__ import annotations

from hedgerow.evaluate.clusters.evaluate_clusters import ClusterFigures
from hedgerow.evaluate.clusters.known_classes import ClassAgreement
from hedgerow.learn.clusters.describe import Description
from hedgerow.models.base.model import ClassModel
from hedgerow.models.clusters.cluster_model import ClusterModel
from hedgerow.models.clusters.profile import Profile
from hedgerow.models.clusters.profile_text import difference_text, relevant_differences, typical_texts
from hedgerow.report.about.model_report import model_report
from hedgerow.report.schema import AgainstPart, ApartReport, ClustersReport, DescriptionPart, ProfileReport


def clusters_report(
    model: ClassModel, figures: ClusterFigures | None = None, description: Description | None = None
) -> ClustersReport:
    """Return the report on clusters: the model, and quality measures and a description if there are any."""
    report: ClustersReport = {"report": "clusters", "version": 1, "model": model_report(model), "notes": []}
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
            "explained": figures.explained_share,
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


def description_part(description: Description) -> DescriptionPart:
    """Return a description, and how well it distinguishes the clusters."""
    return {
        "model": model_report(description.model),
        "agreed": description.agreement,
        "weight": description.weight,
        "error": description.error,
    }


def _profile(profile: Profile, cluster: int) -> ProfileReport:
    """Return the description of a cluster, as text and as numbers."""
    size, total = float(profile.sizes[cluster]), float(profile.sizes.sum())
    columns = profile.schema.columns
    apart: list[ApartReport] = [
        {
            "text": difference_text(profile, one),
            "column": columns[one.column].name,
            "level": None if one.level < 0 else columns[one.column].levels[one.level],
            "inside": one.inside,
            "others": one.outside,
            "effect": one.effect,
        }
        for one in relevant_differences(profile, cluster)
    ]
    typical = typical_texts(profile, cluster)
    return {"cluster": str(cluster + 1), "rows": size, "share": size / total, "typical": typical, "apart": apart}


def _against(held: ClassAgreement) -> AgainstPart:
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
