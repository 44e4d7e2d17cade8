"""Objects that a notebook shows as HTML and `print` as text, both made by the report layer."""

from __future__ import annotations

from importlib import import_module
from typing import Any

DISPLAYS = "hedgerow.report.notebook.displays"  # imported when the first object is shown


class NotebookDisplay:
    """An object that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module(DISPLAYS).display_html(self)
        return html


class PrintedReport(NotebookDisplay):
    """An object that `print` shows as the text of its report, as the command line does."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = import_module(DISPLAYS).display_text(self)
        return text


class ArrowTable:
    """An object that is a table for other programs: pyarrow's, or a pandas data frame."""

    __slots__ = ()

    def to_arrow(self) -> Any:
        """Return an Arrow table (pyarrow's); `polars.from_arrow` makes a frame of it."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the same as a pandas data frame."""
        return self.to_arrow().to_pandas()
