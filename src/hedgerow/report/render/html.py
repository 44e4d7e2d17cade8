"""Blocks as HTML elements, with all names escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from hedgerow.layout.numbers import format_count, format_digits
from hedgerow.report import blocks as b
from hedgerow.report.draw.markup import element, escape_words, figure, items, scroll_box, section, swatch
from hedgerow.report.render.html_cells import bar_html
from hedgerow.report.render.html_tables import (
    capital,
    confusion_html,
    full_stop,
    grouped_html,
    joined_html,
    table_html,
    title_html,
)

MOST_LINES = 300  # of a print
STRENGTHS = (0.05, 0.12, 0.3, 0.55)  # shares of the strongest mark that make a mark so strong
KEPT = "\n\t"
LOOKS = {"tag": "wrong", "dim tag": "wrong dim"}


def blocks_html(blocks: Iterable[b.Block]) -> str:
    """Return blocks as elements, in order."""
    return "\n".join(filter(None, (ELEMENTS[type(block)](block) for block in blocks)))


def section_html(made: b.Section) -> str:
    """Return a section that the table of contents links to."""
    return section(made.key, made.title, blocks_html(made.blocks))


@cache
def explain_css() -> str:
    """Return the style of explanations, which is self-contained."""
    return files("hedgerow.report.render").joinpath("explain.css").read_text("utf-8")


def fragment(blocks: Iterable[b.Block]) -> str:
    """Return blocks for any page, such as a notebook."""
    return f"<div><style>{explain_css()}</style>{blocks_html(blocks)}</div>"


# -- sentences ------------------------------------------------------------------------------------------------


def _heading(block: b.Heading) -> str:
    return title_html(block.title)


def _lead(block: b.Lead) -> str:
    warning = [f"<strong>{escape_words(block.warning)}</strong>"] if block.warning else []
    parts = [joined_html([block.title]), *warning, joined_html(block.sentences)]
    said = element("p", " ".join(filter(None, parts)), class_="lead")
    if not block.parameters:
        return said
    pairs = "".join(
        f"<dt>{escape_words(str(name))}</dt><dd>{escape_words('none' if value is None else str(value))}"
        f"{'' if name not in block.changed else ' <span class=tag>changed</span>'}</dd>"
        for name, value in block.parameters.items()
    )
    return said + _folded("Parameters", element("dl", pairs))


def _paragraph(block: b.Paragraph) -> str:
    said = joined_html(block.sentences)
    return element("p", said, class_="soft" if block.soft else None) if said else ""


def _bullets(block: b.Bullets) -> str:
    more = len(block.sentences) - block.most
    said = [*block.sentences[: block.most], *([f"{format_count(more)} more {block.what}"] if more > 0 else [])]
    return title_html(block.title) + items(escape_words(one) for one in said)


def _notes(block: b.Notes) -> str:
    if not block.sentences:
        return ""
    inner = f"<h3>Notes</h3>{items(escape_words(capital(note)) for note in block.sentences)}"
    return element("div", inner, class_="warnings", role="note")


def _chips(block: b.Chips) -> str:
    return items(map(escape_words, block.pieces), class_="sides") if block.pieces else ""


def _printed(block: b.Printed) -> str:
    lines = block.text.rstrip("\n").split("\n")
    more = len(lines) - MOST_LINES
    shown = scroll_box(f"<pre>{chr(10).join(map(escape_words, lines[:MOST_LINES]))}</pre>", "the text")
    shown += (
        f'<p class="soft">{format_count(more)} more lines; `hedgerow show` prints the whole model.</p>'
        if more > 0
        else ""
    )
    if block.on_paper:
        return element("div", shown, class_="printout")
    return _folded(block.folded, shown) if block.folded else shown


def _folded(title: str, content: str) -> str:
    """Return a collapsible element."""
    return f"<details><summary>{escape_words(title)}</summary>{content}</details>"


def _details(block: b.Details) -> str:
    content = blocks_html(block.blocks)
    return _folded(block.title, content) if block.title and content else content


# -- pictures and cards ---------------------------------------------------------------------------------------


def _charts(block: b.Charts) -> str:
    drawn = "\n".join(figure(one.picture, one.caption, one.shape or None) for one in block.charts)
    beside = any(not one.shape for one in block.charts)
    return title_html(block.title) + (element("div", drawn, class_="charts") if beside else drawn)


def _cards(block: b.ProfileCards) -> str:
    cards = "\n".join(map(_card, block.cards))
    return title_html(block.title) + element("div", cards, class_="columns clusters")


def _card(card: b.ProfileCard) -> str:
    head = f'<h4>{swatch(card.hue)}{escape_words(card.title)}</h4><p class="facts">{escape_words(card.facts)}</p>'
    lists = [
        f"<h5>{escape_words(title)}</h5>{items(map(_unbroken, entries))}" for title, entries in card.lists if entries
    ]
    return element("div", head + "".join(lists), class_="card")


def _unbroken(text: str) -> str:
    """Return words in which percentages are not broken across lines."""
    return escape_words(text).replace(" %", "&nbsp;%").replace(" ± ", "&nbsp;±&nbsp;")


def _tiles(block: b.Tiles) -> str:
    tiles = [
        f"<b>{escape_words(one.value)}</b><span>{escape_words(one.name)}</span><span>{escape_words(one.more)}</span>"
        for one in block.tiles
    ]
    return items(tiles, class_="tiles") if tiles else ""


def _terms(block: b.TermRanking) -> str:
    cards = "".join(_term_card(group, block) for group in block.groups)
    told = f'<p class="soft">{joined_html(block.reading)}</p>'
    return title_html(block.title) + told + element("div", cards, class_="columns terms")


def _term_card(group: b.RankedTerms, block: b.TermRanking) -> str:
    head = f"<h4>{swatch(group.hue)}{escape_words(group.name)}</h4>"
    head += f'<p class="facts">{escape_words(group.facts)}</p>' if group.facts else ""
    if not group.terms:
        return element("div", f'{head}<p class="facts">{escape_words(block.nothing)}</p>', class_="card")
    amount = '<th scope="col" class="r">amount</th>' if group.terms[0].amount else ""
    top = (
        '<tr><th scope="col">term</th><th scope="col" class="r" '
        f'colspan="2">{escape_words(block.measure)}</th>{amount}</tr>'
    )
    caption = f'<caption class="unseen">Most informative terms of {escape_words(group.name)}</caption>'
    body = "".join(_term(one, group.hue) for one in group.terms)
    return element("div", f"{head}<table>{caption}<thead>{top}</thead><tbody>{body}</tbody></table>", class_="card")


def _term(one: b.RankedTerm, hue: int) -> str:
    amount = f'<td class="r"><small>{escape_words(one.amount)}</small></td>' if one.amount else ""
    value = escape_words(one.value.replace("-", "\N{MINUS SIGN}"))
    bar = bar_html(b.Bar(one.length, hue=hue))
    return f'<tr><th scope="row">{escape_words(one.term)}</th><td>{bar}</td><td class="r">{value}</td>{amount}</tr>'


# -- decisions ------------------------------------------------------------------------------------------------


def _article(block: b.Article) -> str:
    head = f"<h3>{''.join(map(_span, block.head))}</h3>"
    inner = [_note(part) if isinstance(part, b.Notes) else blocks_html([part]) for part in block.blocks]
    content = "\n".join(filter(None, [head, *inner]))
    if not block.key:  # a part of another article
        return element("div", content)
    return element("article", content, class_="explained", id=block.key)


def _note(block: b.Notes) -> str:
    return "".join(f'<p class="told">{escape_words(capital(note))}</p>' for note in block.sentences)


def _span(span: b.StyledWords) -> str:
    if span.look.endswith("tag"):
        return f' <span class="{LOOKS[span.look]}">{escape_words(span.text.lstrip(",; "))}</span>'
    if span.look == "code":
        return f"<code>{escape_words(span.text)}</code>"
    return f'<span class="{span.look}">{escape_words(span.text)}</span>' if span.look else escape_words(span.text)


def _steps(block: b.Steps) -> str:
    labeled = any(step.label.text for step in block.steps)
    title, end = (f"<p>{escape_words(full_stop(said))}</p>" if said else "" for said in (block.title, block.end))
    steps = items(map(_step, block.steps), "ul" if labeled else "ol", "steps") if block.steps else ""
    return f"{title}{steps}{end}"


def _step(step: b.Step) -> str:
    label = f"{_span(step.label)} " if step.label.text else ""
    note = f' <span class="dim">{escape_words(step.note)}</span>' if step.note else ""
    return f"{label}<code>{escape_words(step.code)}</code>{'<br>' if label and note else ''}{note}"


def _marked(block: b.MarkedWords) -> str:
    if not block.pieces:
        return f'<p class="column">{escape_words(block.column)}: an empty text</p>'
    legend = ""
    if any(amount for _, amount in block.pieces):
        one, other = map(escape_words, block.sides)
        legend = f' · <mark class="s3">solid</mark> speaks for {one}, <mark class="a s3">dashed</mark> for {other}; '
        legend += "the deeper, the more"
    caption = f'<p class="column">{escape_words(block.column)}{legend}</p>'
    caption += f'<p class="column">{escape_words(full_stop(block.note))}</p>' if block.note else ""
    look = {"tabindex": "0", "role": "region", "aria_label": f"text of {block.column}", "dir": "auto"}
    return caption + element("div", document_html(block.pieces), class_="document", **look)


def document_html(pieces: Iterable[Sequence[Any]]) -> str:
    """Return a text with marked pieces in the color of the class that they support, darker for larger contributions."""
    listed = list(pieces)
    most = max((abs(amount) for _, amount in listed), default=0.0)
    return "".join(_piece(text, amount, most) for text, amount in listed)


def _piece(text: str, amount: float, most: float) -> str:
    shown = escape("".join(map(_visible, text)) if not text.isprintable() else text, quote=True)
    level = sum(abs(amount) >= least * most for least in STRENGTHS) if amount else 0
    if not level or not shown.strip():
        return shown
    return element(
        "mark", shown, class_=f"{'a ' if amount < 0 else ''}s{level}", title=format_digits(amount, 4, plus=True)
    )


def _visible(sign: str) -> str:
    """Return a character of a text for a page, without control characters except line breaks and emoji joiners."""
    if sign in KEPT or sign in "\u200d\u200c\ufe0f\ufe0e":
        return sign
    kind = unicodedata.category(sign)
    if kind == "Cf":
        return ""
    return "\ufffd" if kind in ("Cc", "Cs", "Cn") and sign != "\r" else "" if sign == "\r" else sign


ELEMENTS: dict[type, Callable[[Any], str]] = {
    b.Heading: _heading,
    b.Lead: _lead,
    b.Paragraph: _paragraph,
    b.Bullets: _bullets,
    b.Notes: _notes,
    b.Chips: _chips,
    b.Printed: _printed,
    b.TableBlock: table_html,
    b.GroupedTable: grouped_html,
    b.Confusion: confusion_html,
    b.TermRanking: _terms,
    b.Article: _article,
    b.Steps: _steps,
    b.MarkedWords: _marked,
    b.Charts: _charts,
    b.ProfileCards: _cards,
    b.Tiles: _tiles,
    b.Details: _details,
}
