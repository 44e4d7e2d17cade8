"""The header of a text of rules: its column lines, and a first pass over the names in the rules.

A line `# column Age: numeric` or `# column Job: {yes, no}` declares the kind and levels of a column. It is a comment to
whoever reads the rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hedgerow.data.table.schema import Column, Kind, Schema, first_repeated
from hedgerow.data.text.mail import check_parts
from hedgerow.errors import UsageError
from hedgerow.layout.names import format_level, format_name
from hedgerow.models.base.model import ClassModel
from hedgerow.models.base.parse import Token, TokenLine, rule_lines

_COLUMN_LINE = re.compile(r"\s*#\s*column\s+(?P<rest>[^\s].*:.*)", re.IGNORECASE)
_KINDS = {"numeric": Kind.NUMERIC, "text": Kind.TEXT}


@dataclass
class MentionedNames:
    """The names that a text of rules mentions, before they are checked.

    Parameters
    ----------
    target
        The target of the rules; empty if no rule names it.
    classes
        The classes that occur, in order.
    columns
        The columns that are tested, in order; true for those compared with levels, not numbers.
    texts
        Those of them that are requested words.
    line
        Where the target is first named.
    """

    target: str = ""
    classes: dict[str, None] = field(default_factory=dict)
    columns: dict[str, bool] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    line: int = 0


def column_lines(columns: Iterable[Column]) -> list[str]:
    """Return the lines that declare the kinds and levels of columns."""
    return [f"# column {format_name(column.name)}: {_kind_text(column)}" for column in columns]


def with_columns(model: ClassModel) -> str:
    """Return a model's print below lines that declare the columns it uses, so that it can be parsed without data."""
    used = {*(model.columns_used() or ()), model.schema.target}
    columns = [column for column in model.schema.columns if column.name in used]
    return "\n".join([*column_lines(columns), "", str(model), ""])


def read_columns(text: str) -> dict[str, Column]:
    """Return the columns that a text declares, by name."""
    columns: dict[str, Column] = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        match = _COLUMN_LINE.fullmatch(raw.rstrip())
        if match is None:
            continue
        line = TokenLine(match["rest"], number)
        column = _column(line)
        if column.name in columns:
            line.fail(f"the column {column.name!r} is declared twice")
        columns[column.name] = column
    return columns


def scan_names(text: str) -> MentionedNames:
    """Return the names that printed or hand-written rules mention."""
    seen = MentionedNames()
    for number, raw in rule_lines(text):
        line = TokenLine(raw, number)
        tokens = [line.next_token() for _ in range(len(line))]
        decided = next((at for at, token in enumerate(tokens) if token.keyword in ("then", "otherwise")), None)
        if tokens and tokens[0].keyword == "if":
            _scan_tests(tokens[1:decided], seen)
        if tokens and tokens[0].text.lower() == "where":
            commas = [at for at, token in enumerate(tokens) if token == Token(",", "sign")]
            decided = commas[0] if commas else None
        if decided is not None:
            _scan_decision(tokens[decided + 1 :], seen)
            seen.line = seen.line or (number if seen.target else 0)
    return seen


def schema_if_complete(header: dict[str, Column], seen: MentionedNames) -> Schema | None:
    """Return the schema if the column lines declare every column that the rules mention."""
    if seen.target not in header or any(name not in header for name in seen.columns):
        return None
    return Schema(tuple(header.values()), seen.target)


def _scan_tests(tokens: list[Token], seen: MentionedNames) -> None:
    start = 0
    for stop in [*(at for at, token in enumerate(tokens) if token.keyword == "and"), len(tokens)]:
        test = tokens[start:stop]
        start = stop + 1
        if len(test) > 2 and test[0].number is not None and test[1].text in ("<", "<="):
            seen.columns.setdefault(test[2].text, False)
        elif len(test) > 1:
            levels = test[1].text in ("=", "!=") or test[1].keyword == "in"
            seen.columns[test[0].text] = seen.columns.get(test[0].text, False) or levels
            if test[1].keyword == "contains":
                seen.texts.add(test[0].text)


def _scan_decision(tokens: list[Token], seen: MentionedNames) -> None:
    if len(tokens) > 2 and tokens[1] == Token("=", "sign"):
        seen.target = seen.target or tokens[0].text
        seen.classes[tokens[2].text] = None
    colon = next((at for at, token in enumerate(tokens) if token == Token(":", "sign")), len(tokens))
    for label, weight in zip(tokens[colon + 1 :: 3], tokens[colon + 2 :: 3], strict=False):
        if weight.number is not None:
            seen.classes[label.text] = None


def _column(line: TokenLine) -> Column:
    """Read `name: numeric`, `name: text`, `name: text without headers`, `name: date yyyy-MM-dd` or `name: {level}`."""
    name = line.read_word("a column's name")
    line.expect(":", repr(name))
    if line.accept("{"):
        levels = [line.read_word("a level")]
        while line.accept(","):
            levels.append(line.read_word("a level"))
        line.expect("}", repr(levels[-1]))
        line.end("the column")
        if (twice := first_repeated(levels)) is not None:
            line.fail(f"the level {twice!r} is listed twice")
        return Column(name, Kind.NOMINAL, tuple(levels))
    if line.skip_words("date"):
        form = line.read_word("the format of a date, such as yyyy-MM-dd,")
        line.end("the column")
        return Column(name, Kind.NUMERIC, date=form)
    kind = line.peek().text.lower()
    if kind not in _KINDS:
        line.fail(f"a column is numeric, text or has levels, as in {{yes, no}}; {line.peek().display_text} is neither")
    line.next_token()
    stripped = _parse_stripped_parts(line) if _KINDS[kind] is Kind.TEXT and line.skip_words("without") else ()
    line.end("the column")
    return Column(name, _KINDS[kind], stripped=stripped)


def _parse_stripped_parts(line: TokenLine) -> tuple[str, ...]:
    """Read the parts of mails that a text column lacks."""
    parts = [line.read_word("a part of mails")]
    while line.accept(","):
        parts.append(line.read_word("a part of mails"))
    try:
        return check_parts(parts)
    except UsageError as error:
        line.fail(str(error))


def _kind_text(column: Column) -> str:
    if column.kind is Kind.NOMINAL:
        return f"{{{', '.join(format_level(level) for level in column.levels)}}}"
    if column.stripped:
        return f"{column.kind} without {', '.join(column.stripped)}"
    return str(column.kind) if column.date is None else f"date {format_level(column.date)}"
