"""ConceptTree: clusters within clusters, as Cobweb finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.model import About
from hedgerow.models.clusters.category_utility import UtilityScale
from hedgerow.models.clusters.cluster_model import ClusterModel, cluster_count, cluster_schema
from hedgerow.models.clusters.concept_nodes import ConceptNodes
from hedgerow.models.clusters.concept_text import tree_lines


@dataclass(frozen=True, eq=False)
class ConceptTree(ClusterModel):
    """A tree of concepts; those at `level` below the root are the clusters, or the leaves if there is no level.

    A new row goes down the tree, at each concept to the child that it raises the category utility of most, of several
    to the oldest. A row with nothing known goes to the largest cluster.
    """

    nodes: ConceptNodes
    level: int | None
    cutoff: float

    kind = "concepts"

    @classmethod
    def of(cls, schema: Schema, nodes: ConceptNodes, level: int | None, cutoff: float) -> Self:
        """Return the model of a tree learned from rows of a schema, which has no cluster yet."""
        clusters = nodes.clusters(level)
        whole = cluster_schema(schema, len(clusters))
        return cls(whole, nodes.profile(clusters, whole), nodes, level, cutoff)

    @property
    def clusters(self) -> Rows:
        """The concept that each cluster is, by its number in `nodes`."""
        return self.nodes.clusters(self.level)

    @property
    def utility(self) -> float:
        """The category utility of the children of the root."""
        return float(self.nodes.utilities[0])

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that are used."""
        return tuple(self.schema.names[at] for at in self.schema.predictors)

    # -- sorting rows ---------------------------------------------------------------------------------------

    def assign_clusters(self, table: Table) -> Codes:
        """Return the cluster that every row of an aligned table is sorted into, by number from 0."""
        clusters = self.clusters
        number = np.full(len(self.nodes), -1, dtype=np.int32)
        number[clusters] = np.arange(len(clusters))
        placed: Codes = number[self._sorted(table, number >= 0)]
        heaviest = int(self.nodes.weights[clusters].argmax())
        placed[self._find_unknown_rows(table)] = heaviest
        return placed

    def leaves(self, table: Any) -> Codes:
        """Return the leaf that every row of a table or frame ends in, by its number in `nodes`."""
        return self._sorted(self.align(table), np.zeros(len(self.nodes), dtype=np.bool_))

    def _sorted(self, table: Table, stops: NDArray[np.bool_]) -> Codes:
        measure = self.nodes.measure
        rows = (measure.scale_numbers(table), measure.codes(table), np.empty(0))
        how = (kernel_measure(measure, self.schema), (self.cutoff, measure.tie))
        indices = _kernels.sort_concepts(*how, self.nodes.arrays, rows, stops.astype(np.uint8))
        return np.asarray(indices, dtype=np.int32)

    def _find_unknown_rows(self, table: Table) -> NDArray[np.bool_]:
        """Return which rows have no known value."""
        measure = self.nodes.measure
        missing = np.concatenate([np.isnan(measure.scale_numbers(table)), measure.codes(table) < 0], axis=1)
        return np.asarray(missing.all(axis=1), dtype=np.bool_)

    # -- print and file -------------------------------------------------------------------------------------

    def describe(self) -> list[str]:
        """Return the tree."""
        return tree_lines(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's parts; the profile follows from the sums of the concepts."""
        return {
            "measure": self.nodes.measure.to_dict(),
            "nodes": self.nodes.to_dict(),
            "level": self.level,
            "cutoff": self.cutoff,
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "measure", "nodes", "level", "cutoff")
        k = cluster_count(schema)
        level, cutoff = parts["level"], parts["cutoff"]
        if level is not None and (type(level) is not int or level < 1):
            raise ModelError("its level must be a whole number of at least 1, or none")
        if not isinstance(cutoff, float) or not 0 <= cutoff < np.inf:
            raise ModelError("its cutoff must be a number of at least 0")
        nodes = ConceptNodes.from_dict(parts["nodes"], UtilityScale.from_dict(parts["measure"], schema), schema)
        clusters = nodes.clusters(level)
        if len(clusters) != k:
            raise ModelError(f"its tree has {len(clusters)} clusters, but its schema names {k}")
        return cls(schema, nodes.profile(clusters, schema), nodes, level, cutoff, about=about)


def kernel_measure(measure: UtilityScale, schema: Schema) -> tuple[int, Codes, float, float]:
    """Return a measure as the kernels take it."""
    levels = np.array([len(schema.columns[at].levels) for at in measure.nominal], dtype=np.int32)
    return len(measure.numbers), levels, measure.acuity, measure.lacking
