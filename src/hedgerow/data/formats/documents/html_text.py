"""HTML as plain text: the visible text, one line per block.

Not by `html.parser`, which takes a time that grows with the square of what is left open: 100 kB of `<a ` took minutes.
"""

from __future__ import annotations

import re
from html import unescape

# Elements that stand on lines of their own; those with a blank line before and behind them; and cells of a line. All
# others, unknown ones too, stand inside words, as browsers have it: f<b>re</b>e is free.
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "head", "header", "hgroup", "html", "legend", "li",
        "main", "menu", "nav", "noscript", "optgroup", "option", "search", "section", "select", "summary", "table",
        "tbody", "textarea", "tfoot", "thead", "title", "tr",
    )
)  # fmt: skip
_APART = frozenset(("blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "ul"))
_CELLS = frozenset(("button", "img", "input", "td", "th"))
# What is not meant to be read, and tags: with values in quotes, which may hold < and >, or else up to the next >.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<[!?][^>]*(?:>|\Z)"
    r"|<(?:(?P<unread>script|style|template)\b[^<>]*>.*?(?:</(?P=unread)\s*>|\Z))"
    r"|<(?P<tag>/?[a-z][^\s/<>]*)"
    r"(?:(?P<given>(?:[^<>\"']|\"[^\"]{0,4000}\"|'[^']{0,4000}'){0,4000})|[^<>]*)>",
    re.DOTALL | re.IGNORECASE,
)
_QUOTES = re.compile(r"\btype\s*=\s*[\"']?cite\b|\bclass\s*=\s*[\"']?[^\"'>]*quote", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\n\r\f\xa0]+")
_LINE_ENDS = re.compile(r"\r\n?|\n")
_SOFT_HYPHEN = "\xad"
_MARK, _MOST_MARKS = "> ", 20


def text_of_html(markup: str) -> str:
    r"""Return the text of a page: no tags, scripts and styles, entities as the signs they mean.

    Elements such as paragraphs and cells part words, others do not. Lines that a mail quotes begin with `>`.

    >>> text_of_html("<style>p {}</style><p>Caf&eacute; f<b>re</b>e<br>today</p><ul><li>one<li>two</ul>")
    'Café free\ntoday\n\none\ntwo\n'
    """
    page, place = _TextLines(), 0
    for match in _MARKUP.finditer(markup):
        page.write(unescape(markup[place : match.start()]))
        place = match.end()
        if match["tag"] is not None:
            page.part(match["tag"].lower(), match["given"] or "")
    page.write(unescape(markup[place:]))
    return page.text()


class _TextLines:
    """Lines that are written one after another."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line: list[str] = []  # pieces of the line that is being written; not begun by a blank
        self.kept = 0  # open elements in which blanks are preserved
        self.quoted: list[bool] = []  # of every open blockquote, whether it quotes another mail
        self.depth = 0  # how many of them do

    def write(self, text: str) -> None:
        """Write words, with runs of spaces collapsed unless they are preserved."""
        if self.kept:
            first, *others = _LINE_ENDS.split(text)
            self.line.append(first)
            for line in others:
                self._end_line()
                self.line.append(line)
        elif text and (self.line or not text.isspace()):
            self.line.append(_BLANKS.sub(" ", text))

    def part(self, tag: str, text: str) -> None:
        """Separate the text before and after a tag."""
        name = tag.removeprefix("/")
        if name in _CELLS:
            self.write(" ")
        elif name in _BLOCKS:
            self._begin_line()
        elif name == "br":
            self._end_line()
        elif name in _APART:
            self._begin_line()
            if tag == name:
                self._end_line()
            self._apply_block_tag(tag, text)
            if tag != name:
                self._end_line()

    def _apply_block_tag(self, tag: str, text: str) -> None:
        """Go into, or out of, an element that changes how lines are written."""
        if tag == "blockquote":
            self.quoted.append(_QUOTES.search(text) is not None)
            self.depth += self.quoted[-1]
        elif tag == "/blockquote" and self.quoted:
            self.depth -= self.quoted.pop()
        elif tag == "pre":
            self.kept += 1
        elif tag == "/pre" and self.kept:
            self.kept -= 1

    def text(self) -> str:
        """Return the lines, never two consecutive blank ones, nor one at either end."""
        self._begin_line()
        pairs = zip(["", *self.lines], self.lines, strict=False)
        kept = [line for before, line in pairs if line.strip(_MARK) or before.strip(_MARK)]
        if kept and not kept[-1].strip(_MARK):
            kept.pop()
        return "".join(f"{line}\n" for line in kept)

    def _begin_line(self) -> None:
        """End the line unless it is empty."""
        if self.line:
            self._end_line()

    def _end_line(self) -> None:
        line = "".join(self.line).replace(_SOFT_HYPHEN, "")
        line = line.rstrip() if self.kept else _BLANKS.sub(" ", line).strip()
        self.lines.append(_MARK * min(self.depth, _MOST_MARKS) + line)
        self.line = []
