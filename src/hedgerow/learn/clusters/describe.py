"""Descriptions of clusters: a tree or rules trained with the clusters as classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.frames.objects import table_from
from hedgerow.errors import UsageError
from hedgerow.learn.base import Learner
from hedgerow.learn.registry import find_learner
from hedgerow.learn.training_sketch import without_sketches
from hedgerow.models.base.model import ClassModel

TREE, RULES = FORMS = ("tree", "rules")
LEARNERS = {TREE: "c45", RULES: "ripper"}


@dataclass(frozen=True, eq=False)
class Description:
    """A tree or rules whose classes are the clusters, and the weights of correctly assigned rows and of all rows."""

    model: ClassModel
    agreement: float
    weight: float

    @property
    def error(self) -> float:
        """The share of rows that it assigns to another cluster."""
        return 1 - self.agreement / self.weight

    def __str__(self) -> str:
        return str(self.model)


def describe_clusters(
    model: ClassModel, data: Any, form: str = TREE, *, labels: Any = None, learner: Learner | None = None
) -> Description:
    """Return a tree (C45) or rules (Ripper) that describe the clusters of a model by the columns of some rows.

    Parameters
    ----------
    data
        The rows: a Table, a frame, an array and so on, with the columns of the model.
    form
        `tree` or `rules`.
    labels
        The cluster of every row by number from 0, by default that predicted by the model.
    learner
        A classifier to use in place of C45 or Ripper.
    """
    if form not in FORMS:
        raise UsageError(f"clusters are described by a {TREE} or by {RULES}, not by {form!r}")
    table = model.align(table_from(data))
    codes = model.decide_rows(table) if labels is None else np.asarray(labels, dtype=np.int32)
    named = table.with_column(model.schema.target_column, codes)
    with without_sketches():
        described = (learner or find_learner(LEARNERS[form])()).train(named)
    assert isinstance(described, ClassModel)
    same = described.decide(named) == codes
    return Description(described, float(table.row_weights[same].sum()), table.total_weight)
