"""Cobweb: a hierarchy of concepts, built by adding one row after the other."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.bags.align import align
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.learn import inputs
from hedgerow.learn.classifier import extend_schema, without_identifiers
from hedgerow.learn.clusterer import Clusterer, drop_target
from hedgerow.learn.clusters.cobweb_work import CobwebWork
from hedgerow.learn.params import choice, fitted_attribute, flag, integer, real, seed
from hedgerow.learn.prepare import usable_rows, usable_schema
from hedgerow.learn.row_weights import weight_unit
from hedgerow.learn.sampling import seed_number
from hedgerow.models.clusters.category_utility import DENSITY, DIVISORS, SCALES, UtilityScale
from hedgerow.models.clusters.concept_nodes import ConceptNodes
from hedgerow.models.clusters.concept_tree import ConceptTree, kernel_measure

CUTOFF = 0.01 * DENSITY  # Weka's


class Cobweb(Clusterer):
    """COBWEB: a tree of concepts, built row by row where each row increases the category utility most.

    At every concept, from the root down, a row goes to the child that is its best host, or becomes a child of its own,
    or the best host and the runner-up are merged (if there are more than two children), or the best host is split into
    its children, whichever gives the children the highest category utility; of equal ones the first of these, and the
    older host. A leaf is divided into what it was and the row. Where the utility is not above the cutoff, a concept
    becomes a leaf. The clusters are the children of the root, unless `level` says otherwise.

    Notes
    -----
    The result depends on the order of the rows, by the nature of the method; `shuffle` changes it. A row that repeats
    the one before is taken in with it, so that a row of weight 2 equals two rows side by side. Missing values are left
    out of the counts. Rows learned from are sorted again for `labels_`, as new ones are: some end elsewhere than they
    began.

    References
    ----------
    D. H. Fisher, Knowledge acquisition via incremental conceptual clustering. Machine Learning 2 (1987).
    J. H. Gennari, P. Langley and D. Fisher, Models of incremental concept formation. Artificial Intelligence 40 (1989).

    Examples
    --------
    >>> table = Table.of({"sky": ["sun", "sun", "rain", "rain"], "wind": ["no", "no", "no", "strong"]})
    >>> for line in Cobweb().train(table).describe():
    ...     print(line)
    4 rows, 5 concepts in 3 levels; 2 clusters, the children of the root
    <BLANKLINE>
    4 rows, utility 0.3125
    |   cluster 1: 2 rows; sky=sun 100 %, wind=no 100 %
    |   cluster 2: 2 rows, utility 0.25; sky=rain 100 %, wind=no 50 %
    |   |   1 row; wind=no 100 %
    |   |   1 row; wind=strong 100 %
    """

    acuity: float | None = real(
        None,
        "minimum standard deviation of numbers (acuity), relative to that of their column (none: 0.282) or absolute "
        "(none: 1)",
        above=0,
        none=True,
    )
    cutoff: float = real(CUTOFF, "category utility that the children of a concept must exceed", low=0)
    level: int | None = integer(
        1, "level below the root at which the clusters are taken; none: the leaves", low=1, none=True
    )
    scale: str = choice("deviation", "unit of numbers: the standard deviation of their column, or none", *SCALES)
    divisor: str = choice("n", "divisor of variances: the total weight of the rows, or 1 less", *DIVISORS)
    shuffle: bool = flag(False, "process the rows in random order, not in the given order")
    random_state: Any = seed()
    trace: bool = flag(False, "print the work: the utilities of all possible operations for each row", in_python=True)

    shows_work: ClassVar[bool] = True
    order_matters: ClassVar[bool] = True

    model_: ConceptTree = fitted_attribute()

    def learn(self, table: Table) -> ConceptTree:
        """Return the tree of a prepared table."""
        if self.trace:
            print(self._work(table))  # set if `trace` is on
        measure = self._measure(table)
        return self._model(table.schema, self._insert_rows(measure, self._order_rows(table), None))

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Add more rows, after `fit` or other batches; new levels are added.

        Numbers are scaled by the first batch, so it should have enough rows; `labels_` are those of the last batch.
        """
        self.check_params()
        if not hasattr(self, "model_"):
            return self._fit_first_batch(X, sample_weight)
        table = self._batch(without_identifiers(self._new_rows_to_table(X, self._fit_schema), X), sample_weight)
        if not table.n_rows:
            return self
        known = _drop_clusters(self.model_.schema)
        schema = extend_schema(known, table.schema, ordered=False, is_number=False)
        rows = align(table, schema).table.with_weights(table.weights)
        nodes = self._insert_rows(self.model_.nodes.measure, self._order_rows(rows), self.model_.nodes)
        model = self._model(schema, nodes)
        about = self.model_.about
        result_model = self.add_about(model, about.rows + rows.n_rows, about.weight + rows.total_weight, about.notes)
        self.model_ = cast("ConceptTree", result_model)
        self.labels_ = self.model_.assign_clusters(align(rows, self.model_.schema).table)
        return self

    def _fit_first_batch(self, X: Any, sample_weight: Any) -> Self:
        """Learn from the first batch, in which no column is treated as an identifier."""
        entered = self._to_table(X)
        table = drop_target(without_identifiers(entered.table, X))
        assert isinstance(table, Table)
        table = inputs.weighted(table, sample_weight)
        self.model_ = cast("ConceptTree", self.train(table))
        self._weight_unit = weight_unit(table)
        self._remember(table.schema, entered.names)
        self.labels_ = self.model_.decide(table)
        return self

    def _batch(self, table: Table, sample_weight: Any) -> Table:
        table = inputs.weighted(cast("Table", drop_target(table)), sample_weight)
        schema, _ = usable_schema(table.schema, self.accepted_kinds())
        batch, _ = usable_rows(table.select(schema.names).with_schema(schema), batch=True)
        return self._scale_weights(batch, fresh=False)

    def _measure(self, table: Table) -> UtilityScale:
        return UtilityScale.of(table, self.acuity, self.scale, self.divisor)

    def _model(self, schema: Schema, nodes: ConceptNodes) -> ConceptTree:
        level = None if self.level is None else int(self.level)
        return ConceptTree.of(schema, nodes, level, float(self.cutoff))

    def _insert_rows(self, measure: UtilityScale, table: Table, nodes: ConceptNodes | None) -> ConceptNodes:
        """Return the concepts, new or continued, after adding some rows."""
        rows = merge_runs(measure.scale_numbers(table), measure.codes(table), table.row_weights)
        how = (kernel_measure(measure, table.schema), (float(self.cutoff), measure.tie))
        arrays = _kernels.grow_concepts(*how, None if nodes is None else nodes.arrays, rows)
        return ConceptNodes.from_kernel(measure, arrays)

    def _order_rows(self, table: Table) -> Table:
        """Return the rows in the order in which they are added."""
        if not self.shuffle:
            return table
        return table.take(np.random.default_rng(seed_number(self.random_state)).permutation(table.n_rows))

    def _work(self, table: Table) -> CobwebWork:
        """Return the work of learning a prepared table."""
        measure, own = self._measure(table), self._order_rows(table)
        return CobwebWork(own, measure, float(self.cutoff))


def merge_runs(numbers: Numbers, codes: Codes, weights: Numbers) -> tuple[Numbers, Codes, Numbers]:
    """Return rows with repetitions of the previous row merged into it.

    >>> merge_runs(np.array([[1.0], [1.0], [2.0]]), np.zeros((3, 0), dtype=np.int32), np.ones(3))[2].tolist()
    [2.0, 1.0]
    """
    if not len(weights):
        return numbers, codes, weights
    same: NDArray[np.bool_] = (codes[1:] == codes[:-1]).all(axis=1)
    same &= ((numbers[1:] == numbers[:-1]) | (np.isnan(numbers[1:]) & np.isnan(numbers[:-1]))).all(axis=1)
    if not same.any():
        return numbers, codes, weights
    first = np.flatnonzero(np.append(True, ~same))
    return numbers[first], codes[first], np.add.reduceat(weights, first)


def _drop_clusters(schema: Schema) -> Schema:
    return Schema(tuple(column for column in schema.columns if column.name != schema.target))
