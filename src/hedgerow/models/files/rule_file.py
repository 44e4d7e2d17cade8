"""Rules in a text file as a model: printed or written by hand, or printed by Weka's JRip and PART.

A text needs a schema. Lines such as `# column Job: {yes, no}` define it, and data complete it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.frames.objects import table_from
from hedgerow.data.read import open_source
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.layout.names import format_level, format_name
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.model import About
from hedgerow.models.rules import weka
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.text_header import MentionedNames, read_columns, scan_names, schema_if_complete

MOST_BYTES = 1 << 26  # of text
_START = re.compile(r"^[ \t]*(if|otherwise|where)\b", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(r"(?>.+? for )(?>.+?: ).*size \d+")  # above a print of `hedgerow show`


def read_rule_text(content: bytes) -> str | None:
    """Return the text of a file that contains rules; None if it does not look like rules."""
    text = decode_text(content)
    return text if text is not None and (_START.search(text) or weka.is_print(text)) else None


def decode_text(content: bytes) -> str | None:
    """Return the text that a file is; None if it is none, or too large for rules."""
    if len(content) > MOST_BYTES or content.startswith(b"PK") or b"\0" in content[:4096]:
        return None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def load_rules(text: str, name: str, data: Any = None) -> RuleModel:
    """Return the model that a text of rules is; errors name the file and the line.

    Parameters
    ----------
    data
        The columns of the rules, as far as column lines do not define them: a Schema, a Table, a Source, a path, a
        frame.
    """
    with _prefix_errors(name):
        header = read_columns(text)
        if weka.is_print(text):
            return _from_weka(text, name, header, data)
        rules = blank_out_frame(text)
        seen = scan_names(rules)
        schema = schema_if_complete(header, seen)
        if schema is None:
            schema = _from_data(header, seen, data)
        model = parse_model(rules, schema, About(notes=(f"read from {name}",)))
        return _small(model)


def blank_out_frame(text: str) -> str:
    """Return the text with blank lines for what `hedgerow show` prints above and below the rules."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if _START.match(line)), len(lines))
    if any(_TITLE.fullmatch(line.strip()) for line in lines[:first]):
        lines[:first] = ["" if not line.lstrip().startswith("#") else line for line in lines[:first]]
    below = next((at for at, line in enumerate(lines) if line.strip() == "Note" and at > first), len(lines))
    return "\n".join([*lines[:below], *[""] * (len(lines) - below)])


def _from_weka(text: str, name: str, header: dict[str, Column], data: Any) -> RuleModel:
    printed = weka.read_print(text)
    if data is None and not header:
        raise _lacking("Weka's output does not name the kinds and levels of the columns")
    known = _read_schema(data, MentionedNames()) if data is not None else Schema(tuple(header.values()))
    seen = weka.scan_names(printed, _merge_columns(known, header))
    merged = _merge_columns(_read_schema(data, seen) if data is not None else known, header)
    model = weka.build_rule_list(
        printed, _set_rule_target(merged, seen), About(notes=(f"read from {name}", *printed.notes))
    )
    return _small(model)


def _from_data(header: dict[str, Column], seen: MentionedNames, data: Any) -> Schema:
    """Return the schema of data, the column lines counting for more, with the rules' target."""
    if not seen.target:
        raise ModelError("no rule decides for a class; write rules like 'if Job = no then Class = No'")
    if data is None:
        missing = next(name for name in (*seen.columns, seen.target) if name not in header)
        raise _lacking(f"it has no lines such as '# column {missing}: ...' that declare its columns")
    return _set_rule_target(_merge_columns(_read_schema(data, seen), header), seen)


def _lacking(why: str) -> ModelError:
    return ModelError(f"holds rules as text, but {why}; also give data with these columns")


def _merge_columns(known: Schema, header: dict[str, Column]) -> Schema:
    """Return a schema with the columns that lines define in place of those of the same name, or after all."""
    new = tuple(column for name, column in header.items() if name not in known)
    changed = known.with_columns({name: column for name, column in header.items() if name in known})
    return Schema((*changed.columns, *new), known.target)


def _set_rule_target(schema: Schema, seen: MentionedNames) -> Schema:
    """Return the schema with the rules' target; if the data have none, its classes are those that the rules name."""
    if seen.target in schema:
        return schema.with_target(seen.target)
    near = nearest(seen.target, schema.names)
    if near.startswith("did you mean"):
        where = f"line {seen.line}: " if seen.line else ""
        raise ModelError(f"{where}the rules predict {seen.target!r}, but there is no such column; {near}")
    return Schema((*schema.columns, Column(seen.target, Kind.NOMINAL, tuple(seen.classes))), seen.target)


def _read_schema(data: Any, seen: MentionedNames) -> Schema:
    """Return the schema of data; numbers that rules compare with levels are nominal, words asked for make a text."""
    levels = [name for name, by_levels in seen.columns.items() if by_levels] + ([seen.target] if seen.target else [])
    if isinstance(data, Schema):
        return data
    if isinstance(data, str | os.PathLike):
        data = open_source(data)
    if isinstance(data, Source):
        numeric = [name for name in levels if name in data.schema and data.schema[name].kind is not Kind.NOMINAL]
        words = [name for name in seen.texts if name in data.schema and data.schema[name].kind is Kind.NOMINAL]
        kinds = dict.fromkeys(numeric, Kind.NOMINAL) | dict.fromkeys(words, Kind.TEXT)
        return data.reopen(kinds={**data.options.kinds, **kinds}).schema if kinds else data.schema
    table = table_from(data)
    numeric = [name for name in levels if name in table.schema and table.schema[name].kind is Kind.NUMERIC]
    changed = {name: _to_nominal_column(table, name) for name in numeric}
    for name in seen.texts:
        if name in table.schema and table.schema[name].kind is Kind.NOMINAL:
            changed[name] = Column(name, Kind.TEXT)
    return table.schema.with_columns(changed)


def _to_nominal_column(table: Table, name: str) -> Column:
    values = np.unique(np.asarray(table[name]))
    texts = tuple(format_number(float(value)) for value in values if value == value)
    return Column(name, Kind.NOMINAL, texts)


def _small(model: RuleModel) -> RuleModel:
    """Return the model over the columns that it uses, so that data need no others."""
    used = {*model.columns_used(), model.schema.target}
    columns = tuple(replace(column, ignored="") for column in model.schema.columns if column.name in used)
    return replace(model, schema=Schema(columns, model.schema.target))


def _suggest_column_line(error: ModelError) -> str:
    """Return, after an error on a level or class that the data lack, how to declare it; else an empty text."""
    if error.absent is None:
        return ""
    name, word = error.absent
    line = f"# column {format_name(name)}: {{..., {format_level(word)}}}"
    return (
        f"{'' if str(error).endswith('?') else '.'} If it is only absent from these data, list all of them at the top "
        f"of the text: '{line}'"
    )


@contextmanager
def _prefix_errors(name: str) -> Iterator[None]:
    """Prefix an error in a text with the file's name."""
    try:
        yield
    except ModelError as error:
        text = f"{error}{_suggest_column_line(error)}"
        joint = ", " if text.startswith("line ") else " " if text.startswith("holds ") else ": "
        raise ModelError(f"{name}{joint}{text}") from None
