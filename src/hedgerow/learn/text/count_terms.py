"""Counting the terms of text columns in one pass over the rows, in memory or from a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace, Weighting
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.text_counts import term_counts
from hedgerow.data.text.tokens import Tokens
from hedgerow.learn.passes import Plan
from hedgerow.models.base.model import About, Model
from hedgerow.models.vectors.term_table import TermTable, to_text

NO_TEXT = "no column holds text, so all columns are unchanged; name columns with short or few texts with columns="


def term_table(schema: Schema, spaces: dict[str, TermSpace]) -> TermTable:
    """Return the model; columns that have terms are texts for it, whatever their kind was."""
    texts = {name: Column(name, Kind.TEXT) for name in spaces}
    about = About(notes=() if spaces else (NO_TEXT,))
    return TermTable(schema.with_columns(texts), tuple(spaces.get(name) for name in schema.names), about=about)


@dataclass(frozen=True)
class CountTerms(Plan):
    """One pass: the terms of the named text columns are counted."""

    schema: Schema
    names: list[str]
    tokens: Tokens
    limits: TermLimits
    weighting: Weighting

    def count(self, table: Table) -> CountsByColumn:
        """Return the counts of some rows."""
        return CountsByColumn(
            {name: term_counts(to_text(table, name), self.tokens, table.weights) for name in self.names}
        )

    def advance(self, counts: CountsByColumn) -> Model:
        """Return the model."""
        spaces = {
            name: TermSpace.from_counts(found, self.tokens, self.limits, self.weighting)
            for name, found in counts.by_name.items()
        }
        return term_table(self.schema, spaces)


@dataclass(frozen=True)
class CountsByColumn:
    """Counts of several text columns; they add column by column."""

    by_name: dict[str, TermCounts | HashedCounts]

    def __add__(self, other: CountsByColumn) -> CountsByColumn:
        both: dict[str, Any] = {name: (counts, other.by_name[name]) for name, counts in self.by_name.items()}
        return CountsByColumn({name: mine + theirs for name, (mine, theirs) in both.items()})
