"""Mails and news articles without their headers, quoted lines and signatures.

These parts tell who writes to whom and where, and a learner that sees them learns names instead of matters. What is
removed is what scikit-learn's `fetch_20newsgroups(remove=...)` removes from those articles, in the same order; but a
text that does not begin with headers keeps its first paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from hedgerow.data.table.schema import MAIL_PARTS
from hedgerow.errors import UsageError

_HEADER = re.compile(r"[!-9;-~]+:|[ \t]|From ")  # a field, the continuation of one, or the first line in an mbox
_FIELD = re.compile(r"^[!-9;-~]+:", re.MULTILINE)
_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_PHRASES = ("writes in", "writes:", "wrote:", "says:", "said:")  # of whoever quotes, anywhere in a line
_SIGNS = (*_PHRASES, "\nIn article", "\nQuoted from", "\n|", "\n>")


def strip_headers(text: str) -> str:
    r"""Return what follows the first blank line, if all lines before it are headers.

    >>> strip_headers("From: Ann\nSubject: trees\n\nShall we plant some?")
    'Shall we plant some?'
    >>> strip_headers("No headers here.\n\nShall we plant some?")
    'No headers here.\n\nShall we plant some?'
    """
    blank = _BLANK_LINE.search(text)
    if blank is None:
        return text
    head = text[: blank.start()]
    if _FIELD.search(head) is None or not all(map(_HEADER.match, head.split("\n"))):
        return text
    return text[blank.end() :]


def strip_quotes(text: str) -> str:
    r"""Return the lines that neither are quoted from another mail nor announce a quotation.

    >>> strip_quotes("Ann writes:\n> Shall we?\nYes.")
    'Yes.'
    """
    lines = f"\n{text}"  # every line with the line feed before it
    ends: dict[int, int] = {}  # of the lines to leave out, by where they start
    for sign in _SIGNS:
        at = lines.find(sign)
        while at >= 0:
            start = lines.rfind("\n", 0, at + 1)
            ends[start] = end = _end(lines, start)
            at = lines.find(sign, end)
    if not ends:
        return text
    places = [0, *(place for start in sorted(ends) for place in (start, ends[start])), len(lines)]
    return "".join(lines[start:stop] for start, stop in zip(places[::2], places[1::2], strict=True))[1:]


def _end(lines: str, start: int) -> int:
    """Return the end of the line whose line feed is at `start`."""
    end = lines.find("\n", start + 1)
    return len(lines) if end < 0 else end


def strip_signature(text: str) -> str:
    r"""Return the text before the last blank line, or line of hyphens; the whole text if there is none.

    >>> strip_signature("Yes.\n--\nAnn, gardener")
    'Yes.'
    """
    lines = text.strip().split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if not lines[number].strip().strip("-"):
            return "\n".join(lines[:number])
    return text


PARTS: dict[str, Callable[[str], str]] = dict(
    zip(MAIL_PARTS, (strip_headers, strip_signature, strip_quotes), strict=True)
)


def strip_mail(text: str, parts: Iterable[str]) -> str:
    """Return a text without some of the parts of a mail."""
    for part in parts:
        text = PARTS[part](text)
    return text


def check_parts(parts: Sequence[str] | str) -> tuple[str, ...]:
    """Return the parts that people name, in the order of their removal; "all" is all of them.

    >>> check_parts("quotes,headers")
    ('headers', 'quotes')
    """
    words = parts.split(",") if isinstance(parts, str) else list(parts)
    named = {str(word).strip() for word in words} - {""}
    if "all" in named:
        named = (named - {"all"}) | set(PARTS)
    strange = sorted(named - set(PARTS) - {"none"})
    if strange:
        raise UsageError(f"a mail has no part {strange[0]!r} to strip; the parts are headers, quotes and signatures")
    if "none" in named and len(named) > 1:
        raise UsageError("strip either none, or some of headers, quotes and signatures")
    return tuple(part for part in PARTS if part in named)
