"""The output formats of reports, and the format that a file name implies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hedgerow.errors import UsageError
from hedgerow.report.schema import AnyReport

ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".json": "json", ".txt": "text"}


def form_from_name(path: str) -> str:
    """Return the format that the ending of a file name implies."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: the name of a report must end in .html, .md, .json or .txt")
    return ENDINGS[ending]


def write_form(report: AnyReport, form: str) -> str:
    """Return a report in one of the `FORMS`."""
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r} of a report; the forms are {', '.join(FORMS)}")
    return FORMS[form](report)


def _html(report: AnyReport) -> str:
    from hedgerow.report.whole.html import to_html

    return to_html(report)


def _markdown(report: AnyReport) -> str:
    from hedgerow.report.whole.markdown import to_markdown

    return to_markdown(report)


def _json(report: AnyReport) -> str:
    from hedgerow.layout.json_values import to_json

    return to_json(report) + "\n"


def _text(report: AnyReport) -> str:
    from hedgerow.report.whole.text import render

    return render(report)


FORMS: dict[str, Callable[[AnyReport], str]] = {"html": _html, "md": _markdown, "json": _json, "text": _text}
