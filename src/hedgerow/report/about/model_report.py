"""The report on a model: its kind, how it was trained, and its printed form."""

from __future__ import annotations

from typing import cast

from hedgerow.data.table.schema import Column
from hedgerow.data.table.schema_notes import describe_stripped_parts
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.report.about.learners import changed_parameters
from hedgerow.report.linear.coefficients import coefficients_part
from hedgerow.report.linear.telling_terms import terms_part
from hedgerow.report.schema import ModelReport


def model_report(model: Model) -> ModelReport:
    """Return the kind of a model and how it was trained, with its printed form."""
    about = model.about
    report: ModelReport = {
        "report": "model",
        "version": 1,
        "kind": model.kind,
        "target": model.schema.target,
        "labels": list(model.classes) if isinstance(model, ClassModel) else [],
        "learner": about.learner,
        "parameters": dict(about.parameters),
        "changed": changed_parameters(about.learner, about.parameters),
        "rows": about.rows,
        "weight": about.weight,
        "size": model.size,
        "text": str(model),
        "notes": [*about.notes, *(_stripping(column) for column in model.schema.columns if column.stripped)],
    }
    return cast("ModelReport", {**report, **terms_part(model), **coefficients_part(model)})


def _stripping(column: Column) -> str:
    return (
        f"column {column.name!r}: the model was trained {describe_stripped_parts(column.stripped)}; new texts are "
        "stripped in the same way"
    )
