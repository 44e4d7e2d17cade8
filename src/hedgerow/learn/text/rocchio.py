"""Rocchio: a prototype of every class, the sum of its rows' tf-idf vectors, and the cosine with it."""

from __future__ import annotations

from typing import Any

from hedgerow.data.design.class_counts import Moments, count, count_types
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.data.text.term_space import IDFS, TermSpace
from hedgerow.data.text.term_vectors import NORMS, TFS, TermVectors
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, integer, real, seed
from hedgerow.learn.passes import Plan
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.text.rocchio_columns import vector_columns
from hedgerow.learn.text.rocchio_passes import CountColumns, RocchioSettings, SumClasses, VectorPlan
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import Model
from hedgerow.models.vectors.columns import WordColumn
from hedgerow.models.vectors.rows import RowVectors
from hedgerow.models.vectors.term_table import to_text

OTHERS = ("relevance", "plain")


class Rocchio(Classifier, TextLearner):
    """Rocchio: the prototype of a class is its mean tf-idf vector; the class with the largest cosine is predicted.

    Every row is a vector: the weighted terms of its texts, its levels as terms, and its standardized numbers, the
    latter two weighted by their information about the class. A class's prototype is `beta`
    times the mean of its rows, less `gamma` times the mean of the others' rows. With `prototypes` above 1 the rows of a
    class are first divided into as many clusters, so that a class with several topics has a prototype for each.

    Notes
    -----
    The probabilities are shares of the positive cosines: they rank the classes, and sum to 1, but are not calibrated.
    A row without any known value gets the class frequencies of the training rows.

    References
    ----------
    J. J. Rocchio, Relevance feedback in information retrieval. In: The SMART Retrieval System (1971).
    T. Joachims, A probabilistic analysis of the Rocchio algorithm with TFIDF for text categorization. ICML (1997).

    Examples
    --------
    >>> from hedgerow.data.table.schema import Column
    >>> from hedgerow.data.table.table import Text
    >>> schema = Schema((Column("text", Kind.TEXT), Column("about", Kind.NOMINAL, ("sport", "space"))), "about")
    >>> texts = Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team"])
    >>> import numpy as np
    >>> table = Table(schema, (texts, np.array([0, 0, 1], dtype=np.int32)), 3)
    >>> print(Rocchio().train(table))
    text: 5 terms of 3 texts; tf log, idf plain, norm l2
    sport (2 rows)
      hockey 0.644, goal 0.607, team 0.466
    space (1 row)
      orbit 0.846, rocket 0.5, team 0.184
    """

    prototypes: int = integer(1, "number of prototypes per class, each of a cluster of its rows", low=1)
    beta: float = real(1.0, "weight of the mean of a class's own rows", above=0, high=1e6)
    gamma: float = real(
        0.0, "weight of the mean of the rows of all other classes, which is subtracted", low=0, high=1e6
    )
    others: str = choice(
        "relevance", "weight of levels and numbers: by their information about the class, or 1", *OTHERS
    )
    passes: int = integer(20, "maximum number of passes over the rows that move the clusters", low=1)
    random_state: Any = seed()
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice("plain", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)

    def plan(self, schema: Schema) -> Plan:
        """Return the first of the passes over the rows, which counts columns."""
        return CountColumns(schema, self._settings())

    def learn(self, table: Table) -> Model:
        """Return the prototypes of a table, whose texts are split once."""
        recipe = self._settings()
        result: dict[str, tuple[TermSpace, TermVectors]] = {
            column.name: TermSpace.learn(
                to_text(table, column.name), recipe.tokens, recipe.limits, recipe.weighting, table.weights
            )
            for column in table.schema.columns
            if column.kind is Kind.TEXT
        }
        counts = count(table, count_types(table.schema, Moments))
        columns = vector_columns(
            table.schema, {name: space for name, (space, _) in result.items()}, counts, recipe.relevance
        )
        rows = tuple(
            column.term_rows(result[table.schema.names[position]][1])
            if isinstance(column, WordColumn)
            else column.rows(table, position)
            for position, column in enumerate(columns)
            if column is not None
        )
        plan: VectorPlan | Model = SumClasses(table.schema, recipe, columns, counts.classes)
        target = table.schema.index(table.schema.target_column.name)
        vectors = RowVectors(rows, table.row_weights, table.codes(target), len(counts.classes))
        while isinstance(plan, VectorPlan):
            plan = plan.advance(plan.count_rows(vectors))
        return plan

    def _settings(self) -> RocchioSettings:
        return RocchioSettings(
            self.tokens(),
            self.limits(),
            self.weighting(),
            int(self.prototypes),
            float(self.beta),
            float(self.gamma),
            int(self.passes),
            seed_number(self.random_state) if self.prototypes > 1 else 0,
            self.others == "relevance",
        )
