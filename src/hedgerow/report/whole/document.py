"""A report that prints itself, shows itself in a notebook and saves itself."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from hedgerow.data.table.atomic_write import open_atomic
from hedgerow.layout.shown import PrintedReport
from hedgerow.report.whole.forms import form_from_name, write_form


class ReportDocument(PrintedReport, dict[str, Any]):
    """A report, a dict of plain values; `print` shows its text and a notebook its sections."""

    def __repr__(self) -> str:
        return f"<ReportDocument: {self.get('report')} of {self.get('target')!r}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report to a file; .html, .md, .json or .txt sets the format."""
        text = write_form(self, form_from_name(fspath(path)))
        with open_atomic(path) as stream:
            stream.write(text.encode("utf-8", "replace"))
