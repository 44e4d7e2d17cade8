"""The messages on problems of a delimited text, with their location."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hedgerow import _kernels
from hedgerow.data.table.delimited import Bytes, Dialect, InvalidNumbers, ParsedColumns, line_at
from hedgerow.data.table.table import Rows
from hedgerow.errors import DataError
from hedgerow.layout.quotes import quote_for_shell

FEW = 0.1  # a numeric column with more words than this share is taken as nominal


@dataclass(frozen=True)
class FileSection:
    """A stretch of a file: its bytes, how they are laid out, and the number of its first line."""

    name: str
    data: Bytes
    dialect: Dialect
    first_line: int = 1

    def line_at(self, position: int) -> int:
        """Return the line of the byte at `position`."""
        return self.first_line - 1 + line_at(self.data, position)

    def line_of(self, row: int) -> int:
        """Return the line that a row begins on."""
        return self.line_at(int(self._row_starts[row]))

    @cached_property
    def _row_starts(self) -> Rows:
        return _kernels.find_row_starts(self.data, self.dialect.settings)


def check(parsed: ParsedColumns, place: FileSection, n_columns: int) -> None:
    """Raise an error about the first problem in the layout of a text."""
    if parsed.bad_byte is not None:
        raise encoding_error(place, parsed.bad_byte)
    if parsed.unclosed_quote is not None:
        line = place.line_at(parsed.unclosed_quote)
        raise DataError(
            f"{place.name}, line {line}: a quote opens here that is not closed; close it, or treat quotes as plain "
            "characters with --quote none"
        )
    if parsed.garbled_quote is not None:
        line = place.line_at(parsed.garbled_quote)
        raise DataError(
            f"{place.name}, line {line}: text follows a closing quote; double the quotes inside a quoted value, or "
            "treat quotes as plain characters with --quote none"
        )
    if parsed.bad_weight is not None:
        line = place.line_of(parsed.bad_weight)
        raise DataError(f"{place.name}, line {line}: the weight in braces is not a number; correct or remove it")
    if parsed.ragged_row is not None:
        row, n_fields = parsed.ragged_row
        raise DataError(
            f"{place.name}, line {place.line_of(row)}: {_format_field_count(n_fields)} instead of {n_columns}; "
            "complete the line, "
            "quote values that contain the delimiter, or name another --delimiter"
        )


def encoding_error(place: FileSection, position: int) -> DataError:
    """Return the error for a byte that is not UTF-8."""
    byte = int(place.data[position])
    return DataError(
        f"{place.name}, line {place.line_at(position)}: the byte 0x{byte:02x} is not valid UTF-8; name the file's "
        "encoding, as in --encoding latin-1"
    )


def word_in_numbers_error(
    column: str,
    strays: InvalidNumbers,
    lines: Sequence[int],
    name: str,
    is_settled: bool = False,
    can_have_header: bool = False,
) -> DataError:
    """Return the error for a numeric column that holds words; `lines` are those of `strays.first`.

    A word in line 1 of a text that may begin with a header is likely to be a column's name.
    """
    words = [word for _, word in strays.first]
    listed = ", ".join(f"{word!r} (line {line})" for word, line in zip(words, lines, strict=True))
    if not strays.n_words:
        return DataError(
            f"{name}: column {column!r} is numeric but holds infinite values: {listed}; replace them, or treat them "
            f"as missing with --missing {quote_for_shell(words[0])}"
        )
    remedy = f"treat them as missing with --missing {quote_for_shell(words[0])}"
    if not is_settled:
        remedy += f", or read the column as words with --nominal {quote_for_shell(column)}"
    if lines[0] == 1 and can_have_header:
        remedy = f"if line 1 holds the column names, use --header (in Python, header=True); otherwise {remedy}"
    return DataError(f"{name}: column {column!r} is numeric but {_values(strays.n_words)} not: {listed}; {remedy}")


def _format_field_count(count: int) -> str:
    return f"{count} field{'s' * (count != 1)}"


def _values(count: int) -> str:
    return f"{count:,} values are" if count > 1 else "1 value is"
