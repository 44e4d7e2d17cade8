"""JSON documents: an array of objects, one of a document's keys that holds one, or columns by name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from hedgerow.data.formats.json_lines import JsonLinesSource
from hedgerow.data.table.files import load
from hedgerow.errors import DataError


class JsonSource(JsonLinesSource):
    """A JSON document that holds rows; one with an object on each line is read as JSON lines."""

    kept_properties = frozenset({"_held", "_lines"})

    @cached_property
    def _lines(self) -> bytes | None:
        """The rows, one object a line; None if the file has them so already."""
        content = self._held if self.path == "-" else load(self.path, self.options.encoding, self.witness)
        text = content.tobytes()
        first, _, rest = text.strip().partition(b"\n")
        if first.endswith(b"}") and first.startswith(b"{") and rest.lstrip().startswith(b"{"):
            return None
        try:
            document = json.loads(text.decode(), parse_constant=lambda _: None)
        except RecursionError:
            raise DataError(f"{self.name}: the document is nested too deeply; flatten it") from None
        except UnicodeDecodeError as problem:
            raise DataError(f"{self.name}: byte {problem.start + 1} is not UTF-8; name another --encoding") from None
        except json.JSONDecodeError as problem:
            reason = f"line {problem.lineno}: {problem.msg}"
            raise DataError(f"{self.name} is not a JSON document ({reason}); correct it") from None
        rows = self._find_rows(document)
        return b"\n".join(json.dumps(row, ensure_ascii=False).encode() for row in _same_types(rows)) + b"\n"

    def _blocks(self) -> Iterator[tuple[bytes, int]]:
        if self._lines is None:
            yield from super()._blocks()
        else:
            yield self._lines, 1

    def _find_rows(self, document: Any) -> list[dict[str, Any]]:
        """Return the rows of a document."""
        if isinstance(document, list):
            rows = document
        elif _are_columns(document):
            rows = _rows_of_columns(document)
        elif isinstance(document, dict) and (lists := [key for key, value in document.items() if _are_rows(value)]):
            key = max(lists, key=lambda key: len(document[key]))
            if len(document) > 1:
                self.note(f"the rows are those of the key {key!r}")
            rows = document[key]
        else:
            rows = [document]
        if not rows:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")
        odd = next((row for row in rows if not isinstance(row, dict)), None)
        if odd is not None or not any(rows):
            raise DataError(f"{self.name}: {json.dumps(odd)[:40]} is not an object; give an array of objects")
        return rows


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _are_columns(document: Any) -> bool:
    """Whether a document has lists of equal length by name, or objects with the same keys, as pandas writes them."""
    if not isinstance(document, dict) or len(document) < 2:
        return False
    values = list(document.values())
    if all(isinstance(value, list) for value in values):
        return len({len(value) for value in values}) == 1 and not any(map(_are_rows, values))
    is_keyed = all(isinstance(value, dict) and value for value in values)
    return (
        is_keyed
        and all(value.keys() == values[0].keys() for value in values)
        and set(values[0]) <= set(map(str, range(len(values[0]))))
    )


def _rows_of_columns(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = [list(value.values()) if isinstance(value, dict) else value for value in document.values()]
    return [dict(zip(document, row, strict=True)) for row in zip(*lists, strict=True)]


def _same_types(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows in which a key holds words in all of them if it does in one, and numbers in others."""
    types: dict[str, set[type]] = {}
    for row in rows:
        for key, value in row.items():
            types.setdefault(key, set()).add(type(value))
    plain = {int, float, bool, str, type(None)}
    mixed = {key for key, found in types.items() if found <= plain and len(found - {int, float, type(None)}) >= 1}
    mixed = {key for key in mixed if len({float if kind is int else kind for kind in types[key]} - {type(None)}) > 1}
    for row in rows:
        yield {key: _word(value) if key in mixed else value for key, value in row.items()}


def _word(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
