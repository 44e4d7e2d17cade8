"""Sentences about columns: those left out of learning, and those used differently than in a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.layout.quotes import quote_for_shell

PHRASE = 2  # words a value, on the average, that may be meant as text
PROSE = 4  # words a value, on the average, that make a column text
BY_REQUEST = "by request"


def ignored_column_notes(schema: Schema) -> list[str]:
    """Return a note for every column that learners leave out automatically."""
    return [
        f"{column.exclusion_note}; {_suggest_remedy(column)}"
        for column in schema.columns
        if column.ignored and column.ignored != BY_REQUEST
    ]


def sentence_column_notes(schema: Schema, asked: Iterable[str] = ()) -> list[str]:
    """Return a sentence for every nominal column that would be text if its sentences were many and different.

    Columns whose kind was `asked` for, the target, and those that are left out anyway are skipped.
    """
    excluded_names = {schema.target, *asked}
    return [
        f"column {column.name!r} is treated as nominal, since its sentences are few or repeated; use --text "
        f"{quote_for_shell(column.name)} (in Python, kinds={{{column.name!r}: 'text'}}) to treat it as text"
        for column in schema.columns
        if column.kind is Kind.NOMINAL
        and column.name not in excluded_names
        and not column.ignored
        and _mean_words(column.levels) >= PROSE
    ]


def unseen_note(name: str, levels: Iterable[str]) -> str:
    """Return the sentence about levels that a learned schema does not know."""
    return f"column {name!r}: {listing(levels)} not seen in training, treated as missing"


def bags_hint(absent: Iterable[str], schema: Schema) -> str:
    """Return how rows become bags, if columns that are not there should hold bags."""
    wanted = any(schema[name].kind is Kind.BAG for name in absent)
    return "; --bag NAME groups rows into bags (in Python, hedgerow.bags)" if wanted else ""


def describe_stripped_parts(parts: Sequence[str]) -> str:
    """Return a description of texts for a message: "without headers and quotes", or "as they are"."""
    if not parts:
        return "as they are"
    *first, last = parts
    return f"without {', '.join(first)} and {last}" if first else f"without {last}"


def difference(name: str, here: Sequence[str], learned: Sequence[str]) -> str:
    """Return the note on texts that are not like those that a model learned from."""
    return (
        f"column {name!r} has its texts {describe_stripped_parts(here)}, but the model was trained on texts "
        f"{describe_stripped_parts(learned)}"
    )


def stripping_note(name: str, parts: Sequence[str]) -> str:
    """Return the note on texts that are stripped because those were that a model learned from."""
    return f"column {name!r} is read {describe_stripped_parts(parts)}, as when the model was trained"


def _suggest_remedy(column: Column) -> str:
    """Return how a column that is left out is used all the same; several words may be meant as text."""
    if column.kind is Kind.NOMINAL and _mean_words(column.levels) >= PHRASE:
        return (
            f"use --text {quote_for_shell(column.name)} to treat it as text, --keep {quote_for_shell(column.name)} to "
            "use it as it is"
        )
    return f"use --keep {quote_for_shell(column.name)} to include it"


def _mean_words(levels: Sequence[str]) -> float:
    return sum(len(level.split()) for level in levels) / len(levels) if levels else 0.0
