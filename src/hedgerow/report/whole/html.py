"""Reports as one self-contained HTML page: no network, no scripts; light and dark, on screen and in print."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from hedgerow.report.blocks import Section
from hedgerow.report.draw.markup import element, escape_words, items
from hedgerow.report.draw.svg import page_style
from hedgerow.report.render.html import explain_css, section_html
from hedgerow.report.schema import AnyReport
from hedgerow.report.whole.sections import file_name, parts_of, sections_of, title_of
from hedgerow.report.whole.summary import summary

# No script, nothing from elsewhere: what a browser would not do of itself, it is told not to do.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def to_html(report: AnyReport) -> str:
    """Return any report as a page.

    Examples
    --------
    >>> from hedgerow import OneR, examples, model_report
    >>> to_html(model_report(OneR().train(examples.loan())))[:15]
    '<!DOCTYPE html>'
    """
    parts = parts_of(report)
    first = summary(report, parts)
    sections = [*([first] if first else []), *sections_of(parts)]
    return _page(title_of(report, parts), _origin(report), sections)


def _origin(report: AnyReport) -> str:
    """Return the files that the report is about."""
    named = {"model": report.get("file"), "data": report.get("source")}
    return " · ".join(f"{what} {file_name(path)}" for what, path in named.items() if path)


def _page(title: str, origin: str, sections: Sequence[Section]) -> str:
    links = items(f'<a href="#{one.key}">{escape_words(one.title)}</a>' for one in sections)
    own_version = escape_words(version("hedgerow"))
    about_origin = f'<p class="origin">{escape_words(origin)}</p>' if origin else ""
    style = explain_css() if any(one.key == "explanations" for one in sections) else ""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" href="data:,">',
            f"<title>{escape_words(title)}</title>",
            f"<style>{_css()}{style}{page_style()}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#main">Skip to the report</a>',
            f'<header><p class="kicker">hedgerow report</p><h1>{escape_words(title)}</h1>{about_origin}</header>',
            element("nav", links, aria_label="Contents"),
            element("main", "\n".join(map(section_html, sections)), id="main"),
            f"<footer><p>Created by hedgerow {own_version}. This file is self-contained.</p></footer>",
            "</body>",
            "</html>\n",
        ]
    )


@cache
def _css() -> str:
    return files("hedgerow.report.render").joinpath("page.css").read_text("utf-8")
