"""describe: the description of any data as a report that prints and shows itself."""

from __future__ import annotations

from typing import Any

from hedgerow.data.read import to_table
from hedgerow.report.data.data import describe_report
from hedgerow.report.whole.document import ReportDocument


def describe(data: Any, target: str | None = None) -> ReportDocument:
    """Return a description of a table, a frame or a file, column by column, with notes on what is suspicious.

    `target` names the column to predict, whose classes are then told apart; by default it is that of the table, or the
    last column.

    Examples
    --------
    >>> import hedgerow
    >>> print(str(describe(hedgerow.examples.weather())).splitlines()[0])
    14 rows, 5 columns (3 nominal, 2 numeric); no missing values
    """
    return ReportDocument({**describe_report(to_table(data, target), by_class=True)})
