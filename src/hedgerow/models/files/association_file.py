"""Association rules in a text file as a model."""

from __future__ import annotations

import os
import re
from typing import Any

from hedgerow.data.frames.objects import table_from
from hedgerow.data.read import open_source
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.source import Source
from hedgerow.errors import ModelError
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.parse import is_association_text
from hedgerow.models.base.model import About
from hedgerow.models.files.rule_file import decode_text

_TITLE = re.compile(r"[^{]+: .*size \d+")  # above a print of `hedgerow show`


def read_association_text(content: bytes) -> str | None:
    """Return the text of a file that contains association rules; None if it does not look like it."""
    text = decode_text(content)
    return text if text is not None and is_association_text(text) else None


def load_associations(text: str, name: str, data: Any = None) -> AssociationRules:
    """Return the rules of a text; errors name the file and the line.

    The columns follow from the text. `data` (a Schema, a Table, a Source, a path, a frame) gives them more precisely: a
    column that is not there, or a level that it lacks, is then an error.
    """
    try:
        return AssociationRules.parse(_blank_out_frame(text), _read_schema(data), About(notes=(f"read from {name}",)))
    except ModelError as error:
        raise ModelError(f"{name}, {error}") from None


def _blank_out_frame(text: str) -> str:
    """Return the text with blank lines for what `hedgerow show` prints above and below the rules."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.lstrip().startswith("{")), len(lines))
    if any(_TITLE.fullmatch(line.strip()) for line in lines[:first]):
        lines[:first] = [line if line.lstrip().startswith("#") else "" for line in lines[:first]]
    below = next((at for at, line in enumerate(lines) if line.strip() == "Note" and at > first), len(lines))
    return "\n".join([*lines[:below], *[""] * (len(lines) - below)])


def _read_schema(data: Any) -> Schema | None:
    if data is None or isinstance(data, Schema):
        return data
    if isinstance(data, str | os.PathLike):
        data = open_source(data)
    schema: Schema = data.schema if isinstance(data, Source) else table_from(data).schema
    return schema
