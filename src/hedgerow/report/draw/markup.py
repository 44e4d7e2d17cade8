"""HTML elements as text, with all names escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.report.draw.svg import GRAY_HUE, escape_words, inline, role_attributes

__all__ = ["element", "escape_words", "figure", "grid_table", "items", "scroll_box", "section", "swatch"]


def element(name: str, content: str = "", **attributes: str | None) -> str:
    """Return an element around content that is already markup; `class_` is its class; None omits an attribute."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_words(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{told}>{content}</{name}>"


def items(entries: Iterable[str], name: str = "ul", class_: str | None = None) -> str:
    """Return a list of markup."""
    return element(name, "".join(f"<li>{entry}</li>" for entry in entries), class_=class_)


def section(key: str, title: str, *content: str) -> str:
    """Return a section that the table of contents links to."""
    return element("section", f"<h2>{escape_words(title)}</h2>\n" + "\n".join(filter(None, content)), id=key)


def scroll_box(content: str, label: str) -> str:
    """Return an element that may be wider than the page and can be scrolled, also by keyboard."""
    return element("div", content, class_="scroll", tabindex="0", role="region", aria_label=label)


def grid_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """Return a table of markup, with a caption; the first cell of a row names it. `sides` is l, r or n (name) each."""
    kinds = [{"l": None, "r": "r", "n": "name"}[side] for side in sides]
    top = "".join(element("th", cell, scope="col", class_=kind) for cell, kind in zip(head, kinds, strict=True))
    body = "\n".join(f"<tr>{_row(row, kinds)}</tr>" for row in rows)
    inner = f"<caption>{escape_words(caption)}</caption>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    return scroll_box(element("table", inner), caption)


def _row(row: Sequence[str], kinds: Sequence[str | None]) -> str:
    first = element("th", row[0], scope="row", class_=kinds[0])
    return first + "".join(element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True))


def figure(picture: str, caption: str = "", place: str | None = None) -> str:
    """Return a picture with its caption; "wide" ones can be scrolled, "fit" ones shrink with the page."""
    drawn = scroll_box(inline(picture), "picture") if (place or "").startswith("wide") else inline(picture)
    told = f"<figcaption>{escape_words(caption)}</figcaption>" if caption else ""
    return element("figure", f"{drawn}{told}", class_=place)


def swatch(hue: int) -> str:
    """Return a small colored square, for a legend."""
    box = f'<rect width="11" height="11" rx="2" {role_attributes(f"mark{min(hue, GRAY_HUE)}")}/>'
    return f'<svg class="hedgerow swatch" width="11" height="11" aria-hidden="true">{box}</svg>'
