"""TextTerms: convert text columns to one weighted column per term."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.frames.text_lists import parse_texts, text_table
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import DataError
from hedgerow.learn import inputs
from hedgerow.learn.params import column_names
from hedgerow.learn.passes import Plan
from hedgerow.learn.prepare import ready
from hedgerow.learn.text.count_terms import CountTerms, term_table
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.learn.transformer import Transformer
from hedgerow.models.base.model import Model
from hedgerow.models.vectors.term_table import TermTable, to_text


class TextTerms(Transformer, TextLearner):
    """Convert text columns to one numeric column per term: counts, shares or tf-idf weights.

    Accepts a list of strings, as scikit-learn's vectorizers do, and returns a sparse matrix; or a Table, a frame or a
    file, whose text columns are converted and whose other columns are unchanged. With the default settings it equals
    CountVectorizer; with `idf="smooth", norm="l2"` TfidfVectorizer; with `bits=20, norm="l2"` HashingVectorizer.

    Examples
    --------
    >>> terms = TextTerms(idf="smooth", norm="l2").fit(["free money", "no money, no cry"])
    >>> terms.get_feature_names_out().tolist()
    ['cry', 'free', 'money', 'no']
    >>> terms.transform(["money!"]).toarray().tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    """

    columns: Any = column_names("the columns with texts; by default all text columns")

    # -- learning -------------------------------------------------------------------------------------------

    def plan(self, schema: Schema) -> Plan:
        """Return the one pass over the rows, which counts terms."""
        return CountTerms(schema, self._text_columns(schema), self.tokens(), self.limits(), self.weighting())

    def learn(self, table: Table) -> Model:
        """Return the terms of every text column."""
        return self._learn_model(table)[0]

    def _learn_model(self, table: Table) -> tuple[TermTable, dict[str, TermVectors]]:
        """Return the model of a prepared table, and the vectors of its texts."""
        tokens, limits, weighting = self.tokens(), self.limits(), self.weighting()
        result = {
            name: TermSpace.learn(to_text(table, name), tokens, limits, weighting, table.weights)
            for name in self._text_columns(table.schema)
        }
        spaces = {name: space for name, (space, _) in result.items()}
        return term_table(table.schema, spaces), {name: vectors for name, (_, vectors) in result.items()}

    def _text_columns(self, schema: Schema) -> list[str]:
        names = self.columns.split(",") if isinstance(self.columns, str) else self.columns
        if names is None:
            return [c.name for c in schema.columns if c.kind is Kind.TEXT and c.name != schema.target]
        for name in names:
            if schema[name].kind not in (Kind.TEXT, Kind.NOMINAL):
                raise DataError(f"column {name!r} is {schema[name].kind}, which has no terms; name columns with texts")
        return [column.name for column in schema.columns if column.name in set(names)]

    # -- scikit-learn's contract ----------------------------------------------------------------------------

    def uses_classes(self) -> bool:
        """Return False: `y` is not used."""
        return False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the terms of texts; `y` is not used."""
        self._fit_terms(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: ARG002
        """Fit, then transform the same rows; texts are split once."""
        table, vectors = self._fit_terms(X, y)
        return self._convert_output(X, table, vectors)

    def transform(self, X: Any) -> Any:
        """Return a Table for a Table, a sparse matrix otherwise; dense if there are no text columns."""
        self._check_fitted()
        text = parse_texts(X)
        if text is None:
            return self._convert_output(X, self._new_rows_to_table(X, known=self._fit_schema), None)
        if not self._is_list:
            raise DataError(
                f"a list of texts was passed, but fit was called with the columns {', '.join(self._fit_schema.names)}"
            )
        return self._convert_output(X, text_table(text), None)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the transformed columns; those of a list of texts are the terms."""
        super().get_feature_names_out(input_features)
        model = self._model()
        names: Iterable[str] = model.names
        if self._is_list and model.spaces[0] is not None:
            names = model.spaces[0].names
        return np.array(list(names), dtype=object)

    def _fit_terms(self, X: Any, y: Any) -> tuple[Table, dict[str, TermVectors] | None]:
        self.check_params()
        text = parse_texts(X)
        self._is_list = text is not None
        entered = inputs.to_input_table(X) if text is None else inputs.InputTable(text_table(text), None)
        table = entered.table.with_target(y) if isinstance(y, str) else entered.table
        prepared = ready(table, self.takes, None)
        model, vectors = self._learn_model(prepared.table)
        self.model_ = self.add_about(model, prepared.table.n_rows, prepared.table.total_weight, prepared.notes)
        self._remember(table.schema, entered.names)
        self._warn(self.model_.about.notes)
        return table, vectors if prepared.table.n_rows == table.n_rows else None

    def _convert_output(self, X: Any, table: Table, vectors: dict[str, TermVectors] | None) -> Any:
        """Return the transformed rows in the form of `X`."""
        model = self._model()
        if isinstance(X, Table):
            return model.transform(table, vectors)
        return model.matrix(align(table, model.schema).table, vectors)

    def _model(self) -> TermTable:
        self._check_fitted()
        assert isinstance(self.model_, TermTable)
        return self.model_
