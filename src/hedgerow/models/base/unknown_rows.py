"""Rows without any value that a model knows, where its prior or intercept decides, and the note on them."""

from __future__ import annotations

from collections.abc import Collection

from hedgerow.data.table.schema import Kind, Schema

PRIOR = "prior"


def unknown_rows_note(schema: Schema, silent: int, rows: int, decider: str = PRIOR) -> str:
    """Return the note on rows of data with this schema that have no known value; `decider` is what decides there.

    >>> from hedgerow.data.table.schema import Column
    >>> unknown_rows_note(Schema((Column("text", Kind.TEXT), Column("class", Kind.NOMINAL)), "class"), 3, 1200)
    '3 of 1,200 texts hold no word that the model knows; the prior decides for them'
    """
    hold = "holds" if silent == 1 else "hold"
    if has_only_texts(schema):
        return f"{silent:,} of {rows:,} texts {hold} no word that the model knows; the {decider} decides for them"
    return f"{silent:,} of {rows:,} rows {hold} nothing that the model knows; the {decider} decides for them"


def unknown_row_note(kinds: Collection[Kind], missing: bool, decider: str = PRIOR) -> str:
    """Return the sentence on one such row; its used columns are of these kinds, and all may be missing."""
    if set(kinds) != {Kind.TEXT}:
        return f"the row holds nothing that the model knows: the {decider} decides"
    if missing:
        return f"the text is missing: the {decider} decides"
    return f"the text holds no word that the model knows: the {decider} decides"


def has_only_texts(schema: Schema) -> bool:
    """Return whether texts are all that there is to learn from, one or more columns of them."""
    used = [column for column in schema.columns if column.name != schema.target and not column.ignored]
    return bool(used) and all(column.kind is Kind.TEXT for column in used)
