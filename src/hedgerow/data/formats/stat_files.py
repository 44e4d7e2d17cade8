"""Files of Stata, SPSS and SAS, read by pyreadstat. Values with labels become words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from hedgerow.data.formats.arrow_files import ArrowSource
from hedgerow.data.table.source import BATCH_ROWS
from hedgerow.errors import DataError

_READERS = {"stata": "read_dta", "spss": "read_sav", "sas": "read_sas7bdat", "xport": "read_xport"}


class StatSource(ArrowSource):
    """A file of Stata, SPSS or SAS, held in memory."""

    kept_properties = frozenset({"_held", "_table"})
    program = "stata"

    @cached_property
    def _table(self) -> pa.Table:
        try:
            import pyreadstat
        except ImportError:
            raise DataError(
                f"{self.name} is a file of a statistics program; to read it, install pyreadstat (pip install "
                "'hedgerow[stats]'), or save the table as CSV"
            ) from None
        self.witness.check(self.path)
        try:
            columns, about = getattr(pyreadstat, _READERS[self.program])(self.path, output_format="dict")
        except Exception as problem:  # pyreadstat raises errors of several kinds for damaged files
            reason = " ".join(str(problem).split())[:200]
            raise DataError(f"{self.name} cannot be read ({reason}); save the table as CSV") from None
        labels = about.variable_value_labels
        return pa.table({name: _array(list(values), labels.get(name, {})) for name, values in columns.items()})

    def arrow_schema(self) -> pa.Schema:
        """Return names and types of all columns."""
        return self._table.schema

    def arrow_batches(self, rows: int, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order as small Arrow tables, all columns or some."""
        table = self._table if names is None else self._table.select(list(names))
        for start in range(0, max(table.num_rows, 1), rows or BATCH_ROWS):
            yield table.slice(start, rows)


class SpssSource(StatSource):
    """A file of SPSS (.sav)."""

    program = "spss"


class SasSource(StatSource):
    """A file of SAS (.sas7bdat)."""

    program = "sas"


class XportSource(StatSource):
    """A transport file of SAS (.xpt)."""

    program = "xport"


def _array(values: list[Any], labels: Mapping[Any, str]) -> pa.Array:
    """Return values as Arrow: words by their labels if each has one."""
    values = [None if value is None or value == "" or _is_nan(value) else value for value in values]
    present = {value for value in values if value is not None}
    if labels and present <= labels.keys():
        values = [None if value is None else str(labels[value]) for value in values]
    array = pa.array(values)
    return array.cast(pa.float64()) if pa.types.is_null(array.type) else array


def _is_nan(value: Any) -> bool:
    return value != value or (isinstance(value, float) and math.isnan(value))
