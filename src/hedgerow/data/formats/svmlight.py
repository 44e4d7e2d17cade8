"""svmlight files: `label [qid:n] index:value ... # comment`, read as sparse numeric columns and a label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.row_blocks import FileSource, check_utf8
from hedgerow.data.formats.sparse_rows import Pairs, PairState, slices
from hedgerow.data.frames.infer import finish_schema
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table.delimited import Bytes, parse_numbers
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import BATCH_ROWS, ReadOptions, Source
from hedgerow.data.table.table import Numbers, Rows, SparseNumbers, Table, Values, concatenate
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number

LABEL, QUERY = "label", "qid"
FEW = 20  # so many different whole numbers at most make a nominal label
MOST_COLUMNS = 10_000_000
FAULTS = {
    4: "a pair must be index:value with a whole number as index, as in 3:0.5",
    5: "a pair has no value after its colon; write index:value, as in 3:0.5",
}


class SvmlightSource(FileSource):
    """An svmlight (libsvm) file. One pass finds the range of the indices and the labels."""

    def find_schema(self) -> Schema:
        """Return a column for every index, and the label at the end."""
        if self.options.schema is not None:
            return self.options.schema
        scan_result = _ScanResult()
        for _, pairs, labels in self._blocks(whole=False):
            scan_result.add(pairs, labels)
        return self._make_schema(scan_result)

    def _make_schema(self, scan_result: _ScanResult) -> Schema:
        return finish_schema(Schema(tuple(scan_result.columns(self.options))), self.options)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows in order."""
        if self._as_features is not None:
            yield from self._as_features.batches(rows)
            return
        schema = self.schema
        for line, pairs, labels in self._blocks(whole=False):
            yield from self._table(schema, pairs, labels, line).batches(rows)

    def read(self) -> Table:
        """Return all rows in one table, in one pass."""
        if self._as_features is not None:
            return self._as_features.read()
        parts = list(self._blocks(whole=True))
        scan_result = _ScanResult()
        for _, pairs, labels in parts:
            scan_result.add(pairs, labels)
        schema = self.options.schema or self._make_schema(scan_result)
        return concatenate([self._table(schema, pairs, labels, line) for line, pairs, labels in parts])

    @property
    def _as_features(self) -> Source | None:
        """The same file for a model that knows its pairs as the features of one text; None for other models."""
        from hedgerow.data.formats.vw import UNNAMED, FeaturesSource

        schema = self.options.schema
        if schema is None or UNNAMED not in schema or not schema[UNNAMED].features:
            return None
        features_source = FeaturesSource(self.path, self.options)
        features_source.notes = self.notes
        return features_source

    def _blocks(self, *, whole: bool) -> Iterator[tuple[_Lines, Pairs, list[str]]]:
        empty = True
        for data, line in self.open_blocks(whole=whole).rows():
            check_utf8(data, self.name, line)
            pairs = Pairs(**_kernels.read_svmlight_pairs(data))
            lines = _Lines(self.name, data, line, pairs)
            lines.check()
            if pairs.n_rows:
                empty = False
                yield lines, pairs, slices(data, pairs.label, pairs.label_end)
        if empty and self.options.faults is None:
            raise DataError(f"{self.name}: there are no rows; the file needs at least one")

    def _table(self, schema: Schema, pairs: Pairs, labels: list[str], lines: _Lines) -> Table:
        declared = self.options.schema is not None
        columns = _ScanResult.of(pairs, labels).columns(self.options, schema) if declared else list(schema.columns)
        table = Table(Schema(tuple(columns)), tuple(_values(columns, pairs, labels, lines)), pairs.n_rows)
        if not declared:
            return table.with_schema(schema)
        aligned = match_schema(table, schema, self.options.faults)
        for note in aligned.notes:
            self.note(note)
        return aligned.table


class _Lines:
    """The lines of a block, for messages."""

    def __init__(self, name: str, data: Bytes, first: int, pairs: Pairs) -> None:
        self.name, self.data, self.first, self.pairs = name, data, first, pairs

    def fail(self, byte: int, problem: str) -> None:
        line = self.first + int(np.count_nonzero(self.data[:byte] == ord("\n")))
        raise DataError(f"{self.name}, line {line}: {problem}")

    def check(self) -> None:
        """Raise on the first pair that is not right."""
        pairs = self.pairs
        if pairs.fault:
            self.fail(pairs.fault_at, FAULTS[pairs.fault])
        wrong = np.flatnonzero(pairs.state != PairState.NUMBER)
        if len(wrong):
            word = slices(self.data, pairs.begin[wrong[:1]], pairs.end[wrong[:1]])[0]
            self.fail(int(pairs.begin[wrong[0]]), f"the value {word!r} is not a finite number; write one, as in 3:0.5")
        falls = np.flatnonzero(np.diff(pairs.index) <= 0) + 1
        falls = falls[~np.isin(falls, pairs.rows)]
        if len(falls):
            index, before = int(pairs.index[falls[0]]), int(pairs.index[falls[0] - 1])
            self.fail(
                int(pairs.begin[falls[0]]), f"the index {index} follows {before}; the indices of a row must ascend"
            )
        if len(pairs.index) and pairs.index.max() > MOST_COLUMNS:
            where = int(np.argmax(pairs.index))
            self.fail(
                int(pairs.begin[where]),
                f"the index {pairs.index[where]} is above {MOST_COLUMNS}: too many columns; count from 1",
            )


class _ScanResult:
    """What a pass has to find: the range of the indices, the labels, and whether there are queries."""

    def __init__(self) -> None:
        self.least, self.most, self.has_query = 1, 0, False
        self.labels: dict[str, None] = {}
        self.numbers: set[float] | None = set()  # None: some label is a word

    @classmethod
    def of(cls, pairs: Pairs, labels: list[str]) -> _ScanResult:
        scan_result = cls()
        scan_result.add(pairs, labels)
        return scan_result

    def add(self, pairs: Pairs, labels: list[str]) -> None:
        if len(pairs.index):
            self.most = max(self.most, int(pairs.index.max()))
            self.has_query |= bool((pairs.index < 0).any())
            self.least = min(self.least, int(np.min(pairs.index, where=pairs.index >= 0, initial=1)))
        words = dict.fromkeys(labels)
        if self.numbers is not None:
            values = parse_numbers(list(words))
            self.numbers = None if np.isnan(values).any() else self.numbers | set(values.tolist())
        if len(self.labels) < 1 << 20:
            self.labels |= words

    def columns(self, options: ReadOptions, schema: Schema | None = None) -> list[Column]:
        """Return a column for every index, the query's if there is one, and the label."""
        wanted = range(self.least, self.most + 1)
        named = [str(i) for i in wanted] if schema is None else [n for n in schema.names if n.isdecimal()]
        columns = [Column(name, Kind.NUMERIC) for name in named]
        if self.has_query:
            columns.append(Column(QUERY, Kind.NUMERIC, ignored="the number of the query, not a feature"))
        kind = options.kinds.get(LABEL) or self.label_kind()
        if kind is Kind.NOMINAL:
            levels = [format_label(word) for word in self.labels]
            if self.numbers is not None:
                levels = [format_number(value) for value in sorted(self.numbers)]
            return [*columns, Column(LABEL, kind, levels=tuple(dict.fromkeys(levels)))]
        if self.numbers is None:
            word = next(word for word in self.labels if np.isnan(parse_numbers([word])[0]))
            raise DataError(f"the label was requested as numeric, but {word!r} is not a number; read it as nominal")
        return [*columns, Column(LABEL, Kind.NUMERIC)]

    def label_kind(self) -> Kind:
        if self.numbers is None:
            return Kind.NOMINAL
        whole = all(value.is_integer() for value in self.numbers)
        return Kind.NOMINAL if whole and len(self.numbers) <= FEW else Kind.NUMERIC


def format_label(label: str) -> str:
    """Return a label as a level: numbers in their shortest form, so that +1 and 1 are the same."""
    value = float(parse_numbers([label])[0])
    return label if np.isnan(value) else format_number(value)


def _values(columns: list[Column], pairs: Pairs, labels: list[str], lines: _Lines) -> Iterator[Values]:
    order = np.argsort(pairs.index, kind="stable")
    index, row, number = pairs.index[order], pairs.row[order], pairs.number[order]
    wanted = np.array([-1 if one.name in (LABEL, QUERY) else int(one.name) for one in columns], dtype=np.int64)
    starts, stops = np.searchsorted(index, wanted).tolist(), np.searchsorted(index, wanted, side="right").tolist()
    for column, start, stop in zip(columns, starts, stops, strict=True):
        if column.name == LABEL:
            yield _labels(column, labels, pairs, lines)
        else:
            yield _sparse(row[start:stop], number[start:stop], pairs.n_rows)


def _sparse(rows: Rows, numbers: Numbers, n_rows: int) -> SparseNumbers:
    kept = numbers != 0
    return SparseNumbers(rows[kept], numbers[kept], n_rows)


def _labels(column: Column, labels: list[str], pairs: Pairs, lines: _Lines) -> Values:
    distinct = list(dict.fromkeys(labels))
    place = {word: number for number, word in enumerate(distinct)}
    which = np.array([place[word] for word in labels], dtype=np.int64)
    if column.kind is Kind.NOMINAL:
        code = {level: number for number, level in enumerate(column.levels)}
        return np.array([code.get(format_label(word), -1) for word in distinct], dtype=np.int32)[which]
    values = parse_numbers(distinct)
    if not np.isfinite(values).all():
        word = distinct[int(np.flatnonzero(~np.isfinite(values))[0])]
        lines.fail(int(pairs.label[labels.index(word)]), f"the label {word!r} is not a finite number")
    return values[which]
