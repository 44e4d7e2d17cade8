"""TermHits: which rows of a table contain which terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Rows, Table, Text
from hedgerow.data.text.terms import terms_with
from hedgerow.data.text.tokens import Tokens

ANY_WORD = Tokens(min_length=1)


class TermHits:
    """Which rows of a table contain some terms. A text column is split into words once, on first use.

    Parameters
    ----------
    terms
        The terms that will be looked up, by column; each once.

    Examples
    --------
    >>> from hedgerow.data.table.schema import Column, Kind, Schema
    >>> texts = Text.of(["Free money", None, "no money"])
    >>> table = Table(Schema((Column("message", Kind.TEXT),)), (texts,), 3)
    >>> TermHits(table, {"message": ("free", "money")}).mask("message", "money").tolist()
    [True, False, True]
    """

    def __init__(self, table: Table, terms: Mapping[str, Sequence[str]]) -> None:
        self._table, self._terms = table, terms
        self._rows: dict[str, dict[str, Rows]] = {}

    def rows(self, column: str, term: str) -> Rows:
        """Return the rows that contain the term."""
        if column not in self._rows:
            self._rows[column] = self._find_rows(column)
        return self._rows[column][term]

    def mask(self, column: str, term: str, rows: Rows | None = None) -> NDArray[np.bool_]:
        """Return for every row, or every one of `rows`, whether it contains the term."""
        mask = np.zeros(self._table.n_rows, dtype=np.bool_)
        mask[self.rows(column, term)] = True
        return mask if rows is None else mask[rows]

    def _find_rows(self, column: str) -> dict[str, Rows]:
        text, terms = self._table[column], self._terms[column]
        assert isinstance(text, Text)
        starts, rows = terms_with(text, terms, ANY_WORD).by_term()
        return {term: rows[starts[place] : starts[place + 1]] for place, term in enumerate(terms)}
