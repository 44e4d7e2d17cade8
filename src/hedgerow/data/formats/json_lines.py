"""JSON lines: one object a row. Types are found by our own pass, since those of a stream may change late."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from hedgerow.data.formats.arrow_files import ArrowSource
from hedgerow.data.formats.row_blocks import check_utf8
from hedgerow.data.frames.arrow_values import flatten_structs
from hedgerow.data.table.delimited import Bytes
from hedgerow.errors import DataError

DEEPEST = 100
_CHANGED = re.compile(r"Column\(/?(.*?)\) changed from (\w+) to (\w+) in row (\d+)")
_TWICE = re.compile(r"Column\(/?(.*?)\) was specified twice in row (\d+)")
_NO_OBJECT = re.compile(rb"^[ \t\r]*([^{\s][^\n]*)", re.MULTILINE)
_MARK = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_ROW = re.compile(r"\.? in row (\d+)")


class JsonLinesSource(ArrowSource):
    """A file of JSON objects, one a line, plain or compressed."""

    @cached_property
    def _arrow_schema(self) -> pa.Schema:
        return self._unify_schemas(
            (self._parse_block(block, line, None).schema, line) for block, line in self._blocks()
        )

    def arrow_schema(self) -> pa.Schema:
        """Return the keys in the order of their first appearance, with types that fit all rows."""
        return flatten_structs(self._arrow_schema.empty_table()).schema

    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""
        if self.options.schema is not None:
            tables = self._read_declared_columns(self.options.schema.names)
        else:
            schema = self._arrow_schema
            if names is not None and set(names) <= set(schema.names):
                schema = pa.schema([schema.field(name) for name in names])
            tables = (self._parse_block(block, line, schema) for block, line in self._blocks())
            tables = map(flatten_structs, tables)
        for table in tables if names is None else (table.select(list(names)) for table in tables):
            for start in range(0, table.num_rows, rows):
                yield table.slice(start, rows)

    def _read_declared_columns(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Yield blocks with all the named columns: a key that a later block has not is missing there."""
        for number, (block, line) in enumerate(self._blocks()):
            table = flatten_structs(self._parse_block(block, line, None))
            present = set(table.schema.names)
            for name in names if number and self.options.faults is None else ():
                if name not in present:
                    table = table.append_column(name, pa.nulls(table.num_rows))
            yield table

    def all_rows(self) -> pa.Table:
        """Return the whole file as one Arrow table, parsed once if all blocks agree on what is a date."""
        parts = [(self._parse_block(block, line, None), line) for block, line in self._blocks()]
        self._arrow_schema = self._unify_schemas((table.schema, line) for table, line in parts)
        dates = [name for table, _ in parts for name in table.schema.names if _is_date(table.schema, name)]
        if not all(_is_date(self._arrow_schema, name) for name in dates):
            return super().all_rows()
        return flatten_structs(pa.concat_tables((_cast_table(table, self._arrow_schema) for table, _ in parts)))

    def _blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield pieces of whole lines, each with the number of its first line."""
        for data, line in self.open_blocks().rows():
            check_utf8(data, self.name, line)
            block = data.tobytes()
            if block.strip():
                self._check_lines(data, block, line)
                yield block, line

    def _check_lines(self, data: Bytes, block: bytes, line: int) -> None:
        """Raise on two sorts of lines that would crash pyarrow: no object at all, and deep nesting."""
        ends = np.flatnonzero(data == ord("\n"))
        starts = np.concatenate([[0], ends[ends < len(data) - 1] + 1])
        odd = None if (data[starts] == ord("{")).all() else _NO_OBJECT.search(block)
        if odd is not None:
            where = line + block.count(b"\n", 0, odd.start(1))
            word = odd[1][:40].decode("utf-8", "replace")
            raise DataError(f"{self.name}, line {where}: {word!r} is not an object; write one object {{...}} per line")
        marks = np.concatenate([np.flatnonzero(data == ord(mark)) for mark in "[{"])
        opened = np.bincount(np.searchsorted(starts, marks, side="right") - 1, minlength=len(starts))
        for number in np.flatnonzero(opened > DEEPEST).tolist():
            start = int(starts[number])
            if _depth(block[start : int(ends[number]) if number < len(ends) else None]) > DEEPEST:
                raise DataError(
                    f"{self.name}, line {line + number}: nested more than {DEEPEST} levels deep; flatten it"
                )

    def _parse_block(self, block: bytes, line: int, schema: pa.Schema | None) -> pa.Table:
        parsing = (
            pj.ParseOptions()
            if schema is None
            else pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        )
        reading = pj.ReadOptions(block_size=len(block) + 1)
        try:
            return pj.read_json(pa.BufferReader(block), read_options=reading, parse_options=parsing)
        except pa.ArrowInvalid as problem:
            faults = self.options.faults
            if _CHANGED.search(str(problem)) and faults is not None and not faults.strict:
                return _parse_mixed(block)
            raise DataError(self._sentence(str(problem), block, line)) from None

    def _sentence(self, problem: str, block: bytes, line: int) -> str:
        """Return pyarrow's complaint as a sentence with the line of the file."""
        changed, twice, row = _CHANGED.search(problem), _TWICE.search(problem), _ROW.search(problem)
        where = f"{self.name}, line {_line(block, line, int(row[1]))}" if row else self.name
        if changed and not changed[1]:
            return f"{where}: the line is an {changed[3]}, not an object; write one object {{...}} per line"
        if changed:
            return (
                f"{where}: the key {changed[1]!r} is a {changed[3]} here, but a {changed[2]} in earlier rows; give it "
                "one type in all rows"
            )
        if twice:
            return f"{where}: the key {twice[1]!r} occurs twice in the object; write it once"
        reason = _ROW.sub("", problem.removeprefix("JSON parse error: ")).rstrip(".")
        return f"{where}: the line is not a JSON object ({reason}); correct or remove it"

    def _unify_schemas(self, schemas: Iterable[tuple[pa.Schema, int]]) -> pa.Schema:
        """Return types that can represent the values of all blocks; each schema comes with the line of its block."""
        fields: dict[str, pa.DataType] = {}
        for schema, line in schemas:
            for field in schema:
                one, other = fields.get(field.name, pa.null()), field.type
                result = unify_types(one, other)
                if result is None:
                    raise DataError(
                        f"{self.name}, at line {line} or below: the key {field.name!r} is a {_json_type(other)}, but "
                        f"a {_json_type(one)} in earlier rows; give it one type in all rows"
                    )
                fields[field.name] = result
        if not fields:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one line with an object")
        return pa.schema(list(fields.items()))


def _parse_mixed(block: bytes) -> pa.Table:
    """Return rows in which a key has values of several types: such values are words."""
    rows = [json.loads(line) for line in block.splitlines() if line.strip()]
    columns: dict[str, pa.Array] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            words = (value if isinstance(value, str | None) else json.dumps(value) for value in values)
            columns[name] = pa.array(list(words), pa.string())
    return pa.table(columns)


def _is_date(schema: pa.Schema, name: str) -> bool:
    return bool(pa.types.is_timestamp(schema.field(name).type))


def _cast_table(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with all the columns of `schema`, those that it has not as missing."""
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.schema.names
        else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _line(block: bytes, first: int, row: int) -> int:
    """Return the line of a row of a block, blank lines not being rows."""
    seen = -1
    for number, line in enumerate(block.split(b"\n"), start=first):
        seen += bool(line.strip())
        if seen == row:
            return number
    return first


def _depth(line: bytes) -> int:
    """Return how deeply arrays and objects are nested in each other."""
    depth = deepest = 0
    for mark in _MARK.finditer(line):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(mark[0], 0)
        deepest = max(deepest, depth)
    return deepest


def _json_type(kind: pa.DataType) -> str:
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    if types.is_list(kind):
        return "array"
    return "object" if types.is_struct(kind) else "boolean" if types.is_boolean(kind) else "string"


def unify_types(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type that can represent the values of both, None if there is none."""
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
        inside = unify_types(one.value_type, other.value_type)
        return None if inside is None else pa.list_(inside)
    if types.is_struct(one) and types.is_struct(other):
        fields = {field.name: field.type for field in one}
        for field in other:
            inside = unify_types(fields.get(field.name, pa.null()), field.type)
            if inside is None:
                return None
            fields[field.name] = inside
        return pa.struct(list(fields.items()))
    return None
