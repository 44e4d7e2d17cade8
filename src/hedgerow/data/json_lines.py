"""JSON lines: one object a row. Types are found by our own pass, since those of a stream may change late."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.json as pj

from hedgerow.data.arrow_files import ArrowSource
from hedgerow.data.blocks import check_utf8
from hedgerow.errors import DataError

_CHANGED = re.compile(r"Column\(/?(.*?)\) changed from (\w+) to (\w+) in row (\d+)")
_TWICE = re.compile(r"Column\(/?(.*?)\) was specified twice in row (\d+)")
_ROW = re.compile(r"\.? in row (\d+)")


class JsonLinesSource(ArrowSource):
    """A file of JSON objects, one a line, plain or compressed."""

    _found: pa.Schema | None = None

    def arrow_schema(self) -> pa.Schema:
        """Return the keys in the order of their first appearance, with types that fit all rows."""
        if self._found is None:
            fields: dict[str, pa.DataType] = {}
            for data, line in self._blocks():
                for field in self._parsed(data, line, None).schema:
                    fields[field.name] = self._united(
                        field.name, fields.get(field.name, pa.null()), field.type, line
                    )
            if not fields:
                raise DataError(f"{self.name}: there are no rows; the file needs at least one object a line")
            self._found = pa.schema(list(fields.items()))
        return self._found

    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""
        told = self.options.schema
        schema = self.arrow_schema() if told is None else None
        if schema is not None and names is not None:
            schema = pa.schema([schema.field(name) for name in names])
        first = True
        for data, line in self._blocks():
            table = self._parsed(data, line, schema)
            if (
                told is not None and not first
            ):  # a key that no object of a block has is missing in all of them
                for name in told.names:
                    if name not in table.schema.names:
                        table = table.append_column(name, pa.nulls(table.num_rows))
            first = False
            for start in range(0, table.num_rows, rows):
                yield table.slice(start, rows)

    def _blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield pieces of whole lines, each with the number of its first line."""
        for data, line in self.opened().rows():
            check_utf8(data, self.name, line)
            block = data.tobytes()
            if block.strip():
                yield block, line

    def _parsed(self, block: bytes, line: int, schema: pa.Schema | None) -> pa.Table:
        parsing = (
            pj.ParseOptions()
            if schema is None
            else pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        )
        reading = pj.ReadOptions(block_size=len(block) + 1)
        try:
            return pj.read_json(pa.BufferReader(block), read_options=reading, parse_options=parsing)
        except pa.ArrowInvalid as problem:
            raise DataError(self._sentence(str(problem), block, line)) from None

    def _sentence(self, problem: str, block: bytes, line: int) -> str:
        """Return pyarrow's complaint as a sentence with the line of the file."""
        changed, twice, row = _CHANGED.search(problem), _TWICE.search(problem), _ROW.search(problem)
        where = f"{self.name}, line {_line(block, line, int(row[1]))}" if row else self.name
        if changed and not changed[1]:
            return f"{where}: the line is an {changed[3]}, not an object; write one object {{...}} a line"
        if changed:
            return (
                f"{where}: the key {changed[1]!r} is a {changed[3]} here, but a {changed[2]} before; "
                f"give it one type in all rows"
            )
        if twice:
            return f"{where}: the key {twice[1]!r} occurs twice in the object; write it once"
        reason = _ROW.sub("", problem.removeprefix("JSON parse error: ")).rstrip(".")
        return f"{where}: the line is no JSON object ({reason}); mend or remove it"

    def _united(self, name: str, one: pa.DataType, other: pa.DataType, line: int) -> pa.DataType:
        """Return a type that holds both; what differs beyond whole and broken numbers is an error."""
        found = united(one, other)
        if found is None:
            raise DataError(
                f"{self.name}, at line {line} or below: the key {name!r} is a {other}, but a {one} before; "
                f"give it one type in all rows"
            )
        return found


def _line(block: bytes, first: int, row: int) -> int:
    """Return the line of a row of a block, blank lines not being rows."""
    seen = -1
    for number, line in enumerate(block.split(b"\n"), start=first):
        seen += bool(line.strip())
        if seen == row:
            return number
    return first


def united(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type that holds the values of both, None if there is none."""
    types = pa.types
    if one.equals(other) or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if {one, other} == {pa.int64(), pa.float64()}:
        return pa.float64()
    if {one, other} <= {pa.timestamp("s"), pa.string()}:
        return pa.string()
    if types.is_list(one) and types.is_list(other):
        inside = united(one.value_type, other.value_type)
        return None if inside is None else pa.list_(inside)
    if types.is_struct(one) and types.is_struct(other):
        fields = {field.name: field.type for field in one}
        for field in other:
            inside = united(fields.get(field.name, pa.null()), field.type)
            if inside is None:
                return None
            fields[field.name] = inside
        return pa.struct(list(fields.items()))
    return None
