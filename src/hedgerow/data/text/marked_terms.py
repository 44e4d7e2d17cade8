"""Marks: which parts of a text carried a decision, and how much each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.table.table import Numbers, Rows, Table, Text
from hedgerow.data.text.hashed_counts import hash_terms_to_columns
from hedgerow.data.text.term_positions import TermPositions, find_terms
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.terms import terms_of
from hedgerow.data.text.tokens import FEATURES, Tokens, split_feature

GAP = "\n\n...\n\n"
AROUND = 200  # bytes on either side of a strong mark that an excerpt shows
BLANKS = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
LEAST = 1e-9  # of the largest mark: what is less is left over from rounding


@dataclass(frozen=True, eq=False)
class MarkedText:
    """A text and what each of its words, or characters where terms are made of these, adds to a decision.

    A term that is several words, or several characters, adds equal parts to each of them; one that occurs several times
    likewise to each position. So the marks sum to what the terms of the text add, but for a term of blanks alone.

    Parameters
    ----------
    column
        The column that the text is from.
    raw
        Its bytes.
    begins, ends
        The bytes of every word or character that is marked, ascending; none overlap.
    amounts
        What each of them adds: above 0 for the decision, below 0 against it.
    """

    column: str
    raw: bytes
    begins: Rows
    ends: Rows
    amounts: Numbers

    @property
    def text(self) -> str:
        """The text; bytes that are no UTF-8 are U+FFFD."""
        return self.raw.decode("utf-8", "replace")

    def excerpt(self, most: int) -> tuple[list[tuple[str, float]], int]:
        """Return the pieces of at most about so many bytes, and how many bytes are left out.

        Of a longer text, what stands around its strongest marks is kept; an empty line and dots stand for the rest.
        """
        if len(self.raw) <= most:
            return list(self.pieces()), 0
        kept = self._windows(most)
        pairs: list[tuple[str, float]] = []
        at = 0
        for begin, end in kept:
            pairs.append((GAP, 0.0) if begin > at else ("", 0.0))
            inside = slice(*np.searchsorted(self.begins, [begin, end]).tolist())
            part = MarkedText(
                self.column,
                self.raw[begin:end],
                self.begins[inside] - begin,
                self.ends[inside] - begin,
                self.amounts[inside],
            )
            pairs.extend(part.pieces())
            at = end
        pairs.append((GAP if at < len(self.raw) else "", 0.0))
        return [piece for piece in pairs if piece[0]], len(self.raw) - sum(end - begin for begin, end in kept)

    def _windows(self, most: int) -> list[tuple[int, int]]:
        """Return the bytes around the strongest marks and at the beginning, none of which cuts through a mark."""
        n = max(1, most // (4 * AROUND))
        order = np.argsort(-np.abs(self.amounts), kind="stable")[:n] if len(self.amounts) else np.zeros(0, np.int64)
        windows: list[tuple[int, int]] = []
        strong = zip(self.begins[order].tolist(), self.ends[order].tolist(), strict=True)
        for first, last in sorted([(0, 0), *strong]):
            begin, end = self._edge(first - AROUND), max(self._edge(last + AROUND), last)
            if windows and begin <= windows[-1][1]:
                windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
            else:
                windows.append((begin, end))
        return windows

    def _edge(self, near: int) -> int:
        """Return a position where the text may be cut: at a blank, or at the beginning of a character and of a mark."""
        if near <= 0 or near >= len(self.raw):
            return min(max(near, 0), len(self.raw))
        blank = max(self.raw.rfind(b" ", near - AROUND, near), self.raw.rfind(b"\n", near - AROUND, near))
        if blank > 0:
            return blank
        while near > 0 and self.raw[near] & 0xC0 == 0x80:
            near -= 1
        inside = int(np.searchsorted(self.begins, near, side="right")) - 1
        return int(self.begins[inside]) if inside >= 0 and self.ends[inside] > near else near

    def pieces(self) -> Iterator[tuple[str, float]]:
        """Yield the text in pieces with what each adds, 0 where nothing is marked."""
        at = 0
        for begin, end, amount in zip(self.begins.tolist(), self.ends.tolist(), self.amounts.tolist(), strict=True):
            if begin > at:
                yield self.raw[at:begin].decode("utf-8", "replace"), 0.0
            yield self.raw[begin:end].decode("utf-8", "replace"), amount
            at = end
        if at < len(self.raw):
            yield self.raw[at:].decode("utf-8", "replace"), 0.0


def mark_terms(column: str, raw: bytes, space: TermSpace, adds: Mapping[int, float]) -> MarkedText:
    """Return a text marked by the contributions of terms of a space, given by their ids."""
    tokens = space.tokens
    if tokens.unit == FEATURES:
        return _mark_hashed_features(column, raw, tokens, adds)
    if tokens.bits is not None:
        return _mark_hashed_terms(column, raw, tokens, adds)
    ids = np.array(list(adds), dtype=np.int64)
    return mark_text(column, raw, tokens, space.vocabulary.take(ids), list(adds.values()))


def mark_text(
    column: str, raw: bytes, tokens: Tokens, terms: Text | Sequence[str], adds: Sequence[float]
) -> MarkedText:
    """Return a text marked by what each of some terms adds, all its occurrences together.

    Examples
    --------
    >>> text = mark_text("message", b"Free, free money!", Tokens(), ["free", "money"], [4.0, -1.0])
    >>> [piece for piece in text.pieces()]
    [('Free', 2.0), (', ', 0.0), ('free', 2.0), (' ', 0.0), ('money', -1.0), ('!', 0.0)]
    """
    term_positions = find_terms(raw, terms, tokens)
    counts = np.bincount(term_positions.terms, minlength=len(adds))
    each = np.array(adds, dtype=np.float64) / np.maximum(counts, 1)
    return _spread(column, raw, tokens, term_positions, each[term_positions.terms])


def together(texts: Sequence[MarkedText]) -> tuple[MarkedText, ...]:
    """Return texts, of which those of one column are marked alike and their marks added."""
    by_column: dict[str, list[MarkedText]] = {}
    for text in texts:
        by_column.setdefault(text.column, []).append(text)
    return tuple(_add_marks(same) for same in by_column.values())


def unmarked_text(column: str, raw: bytes) -> MarkedText:
    """Return a text of which nothing is marked."""
    nothing = np.zeros(0, dtype=np.int64)
    return MarkedText(column, raw, nothing, nothing, np.zeros(0))


def text_of(table: Table, column: str) -> bytes | None:
    """Return the bytes of the only row of a text column; None if it is missing."""
    values = table[column]
    assert isinstance(values, Text)
    if values.missing[0]:
        return None
    return bytes(values.data[int(values.offsets[0]) : int(values.offsets[1])])


def _mark_hashed_terms(column: str, raw: bytes, tokens: Tokens, adds: Mapping[int, float]) -> MarkedText:
    """Return a text marked by what columns of hashed terms add; terms that share one share that, by their counts."""
    vocabulary = _split_terms(raw, tokens)
    columns, signs = hash_terms_to_columns(vocabulary, tokens.bits or 0)
    wanted = np.flatnonzero(np.isin(columns, np.array(list(adds), dtype=np.int64)))
    term_positions = find_terms(raw, vocabulary.take(wanted), tokens)
    own = columns[wanted][term_positions.terms]
    weights = signs[wanted][term_positions.terms].astype(np.float64) if tokens.signed else np.ones(len(term_positions))
    sums = np.bincount(own, weights=weights) if len(own) else np.zeros(0)
    total = np.array([adds[int(one)] for one in own.tolist()], dtype=np.float64)
    return _spread(column, raw, tokens, term_positions, total * weights / np.where(sums[own] == 0, 1.0, sums[own]))


def _mark_hashed_features(column: str, raw: bytes, tokens: Tokens, adds: Mapping[int, float]) -> MarkedText:
    """Return features, as `price:.23`, marked by what their columns add; those of one column share that by value."""
    places = [(one.start(), one.end()) for one in re.finditer(rb"[^ \t\r\n]+", raw)]
    pairs = [split_feature(raw[begin:end].decode("utf-8", "replace")) for begin, end in places]
    columns, signs = hash_terms_to_columns(Text.of([name for name, _ in pairs]), tokens.bits or 0)
    weights = np.array([value for _, value in pairs], dtype=np.float64)
    weights = weights * signs if tokens.signed else weights
    sums = np.bincount(columns, weights=weights) if len(columns) else np.zeros(0)
    total = np.array([adds.get(int(one), 0.0) for one in columns.tolist()], dtype=np.float64)
    begins, ends = np.array(places, dtype=np.int64).reshape(-1, 2).T
    shares = total * weights / np.where(sums[columns] == 0, 1.0, sums[columns])
    return _drop_zero_marks(MarkedText(column, raw, begins, ends, shares))


def terms_by_hash(raw: bytes, tokens: Tokens) -> dict[int, list[str]]:
    """Return the different terms of a text by the column that they are hashed to."""
    if tokens.unit == FEATURES:
        vocabulary = Text.of(list(dict.fromkeys(tokens.split(raw.decode("utf-8", "replace")))))
    else:
        vocabulary = _split_terms(raw, tokens)
    columns, _ = hash_terms_to_columns(vocabulary, tokens.bits or 0)
    result: dict[int, list[str]] = {}
    for place, column in enumerate(columns.tolist()):
        result.setdefault(column, []).append(str(vocabulary[place]))
    return result


def _split_terms(raw: bytes, tokens: Tokens) -> Text:
    data = np.frombuffer(raw, dtype=np.uint8)
    whole = Text(data, np.array([0, len(data)], dtype=np.int64), np.zeros(1, dtype=np.bool_))
    return terms_of(whole, tokens).vocabulary


def _spread(column: str, raw: bytes, tokens: Tokens, term_positions: TermPositions, adds: Numbers) -> MarkedText:
    """Return the marks of occurrences: what each adds is spread evenly over its words or characters."""
    begins, ends = _cells(raw, tokens)
    first, last = np.searchsorted(begins, term_positions.begins), np.searchsorted(begins, term_positions.ends)
    seen = (last > first) & (adds != 0) & np.isfinite(adds)
    share = adds[seen] / (last - first)[seen]
    starts = np.bincount(first[seen], weights=share, minlength=len(begins) + 1)
    steps = starts - np.bincount(last[seen], weights=share, minlength=len(begins) + 1)
    amounts: Numbers = (starts if (last - first <= 1).all() else np.cumsum(steps))[:-1].astype(np.float64)
    return _drop_zero_marks(MarkedText(column, raw, begins, ends, amounts))


def _cells(raw: bytes, tokens: Tokens) -> tuple[Rows, Rows]:
    """Return the places of all single words, or of all characters that are no blanks."""
    single = replace(tokens, ngrams=(1, 1), bits=None)
    if tokens.unit == "word":
        term_positions = find_terms(raw, (), single, every=True)
        return term_positions.begins, term_positions.ends
    term_positions = find_terms(raw, (), replace(single, unit="char"), every=True)
    begins, order = np.unique(
        term_positions.begins, return_index=True
    )  # a letter that is two in lower case is one here
    ends = term_positions.ends[order]
    first = np.frombuffer(raw, dtype=np.uint8)[begins]
    seen = ~np.isin(first, np.frombuffer(BLANKS, dtype=np.uint8))
    for place in np.flatnonzero(first >= 0x80).tolist():
        seen[place] = not raw[begins[place] : ends[place]].decode("utf-8", "replace").isspace()
    return begins[seen], ends[seen]


def _drop_zero_marks(text: MarkedText) -> MarkedText:
    """Return the text without marks of nothing."""
    sizes = np.abs(text.amounts)
    keep = sizes > LEAST * sizes.max(initial=0.0)
    return replace(text, begins=text.begins[keep], ends=text.ends[keep], amounts=text.amounts[keep])


def _add_marks(texts: Sequence[MarkedText]) -> MarkedText:
    """Return a text with the marks of all, which may cut across each other: parted where any begins or ends."""
    if len(texts) == 1:
        return texts[0]
    edges = np.unique(np.concatenate([np.concatenate([one.begins, one.ends]) for one in texts]))
    if len(edges) < 2:
        return texts[0]
    steps = np.zeros(len(edges))
    for one in texts:
        density = one.amounts / np.maximum(one.ends - one.begins, 1)
        steps += np.bincount(np.searchsorted(edges, one.begins), weights=density, minlength=len(edges))
        steps -= np.bincount(np.searchsorted(edges, one.ends), weights=density, minlength=len(edges))
    amounts = np.cumsum(steps)[:-1] * np.diff(edges)
    return _drop_zero_marks(MarkedText(texts[0].column, texts[0].raw, edges[:-1], edges[1:], amounts))
