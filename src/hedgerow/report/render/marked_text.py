"""Marked texts as lines: influential words in color, or in brackets without color."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.terminal import clean_text

Pieces = Iterable[tuple[str, float]]
# What share of the strongest mark makes a mark that strong; what has less is not marked in lines.
STRENGTHS = (0.1, 0.25, 0.5)
MOST_LINES = 40  # of a text; of a longer one only those lines are shown that carry most
SHOWN_LINES = 24
WHOLE = 3  # lines that one line of the text may take to be shown as a whole
COLORS = {1: "32", -1: "35"}  # green and magenta, which most eyes tell apart
LOOKS = ("", "{}", "1;{}", "1;7;{}")  # of a strength: plain, in color, bold, bold and reversed
RESET = "\x1b[0m"
_BLANKS = re.compile(r"(\s+)")
_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


@dataclass
class MarkedLine:
    """A line of a text, its width, the strength of its strongest mark, and whether it continues another line."""

    text: str = ""
    cells: int = 0
    weight: float = 0.0
    goes_on: bool = False


@dataclass
class Atom:
    """The text between spaces: styled parts, and their widths."""

    parts: list[tuple[str, int]] = field(default_factory=list)  # drawn, cells
    weight: float = 0.0

    @property
    def cells(self) -> int:
        """The width of all parts."""
        return sum(cells for _, cells in self.parts)


def strength(amount: float, most: float) -> int:
    """Return how strong a mark is, from 0 to 3, if the strongest adds `most`."""
    share = abs(amount) / most if most else 0.0
    return sum(share >= least for least in STRENGTHS)


def signed(text: str, amount: float, most: float) -> str:
    """Return a marked piece in brackets: [+free] supports the prediction, [-meeting] opposes it; two signs are strong.

    >>> signed("free", 2.0, 2.5), signed("meeting", -1.0, 2.5), signed("and", 0.1, 2.5)
    ('[++free]', '[-meeting]', 'and')
    """
    level = strength(amount, most)
    if not level:
        return text
    sign = "+" if amount > 0 else "-"
    return f"[{sign * (2 if level == 3 else 1)}{text}]"


def colored(text: str, amount: float, most: float) -> str:
    """Return a marked piece in color."""
    level = strength(amount, most)
    if not level:
        return text
    return f"\x1b[{LOOKS[level].format(COLORS[1 if amount > 0 else -1])}m{text}{RESET}"


def text_lines(pieces: Pieces, columns: int, in_color: bool, indent: str = "  ") -> tuple[list[str], int]:
    """Return a text as lines of at most `columns` cells, and the number of lines omitted for weak marks."""
    parts = list(pieces) if in_color else list(_joined(pieces))
    most = max((abs(amount) for _, amount in parts), default=0.0)
    lines = list(_wrapped(parts, most, columns - count_cells(indent), in_color))
    while lines and not lines[-1].cells:
        lines.pop()
    shown, hidden = _shown(lines)
    return [f"{indent}{line}".rstrip() for line in shown], hidden


def _joined(pieces: Pieces) -> Iterator[tuple[str, float]]:
    """Yield the pieces; adjacent marks, such as those of characters, are merged."""
    held, sum_ = "", 0.0
    for text, amount in pieces:
        if amount:
            held, sum_ = held + text, sum_ + amount
            continue
        if held:
            yield held, sum_
        held, sum_ = "", 0.0
        yield text, 0.0
    if held:
        yield held, sum_


def _wrapped(parts: Sequence[tuple[str, float]], most: float, room: int, in_color: bool) -> Iterator[MarkedLine]:
    line, empty = MarkedLine(), 0
    for atom in _atoms(parts, most, in_color):
        if atom is None:  # the text breaks the line
            empty = 0 if line.cells else empty + 1
            if empty <= 1:
                yield line
            line = MarkedLine()
            continue
        if line.cells and line.cells + 1 + atom.cells > room:
            yield line
            line = MarkedLine(goes_on=True)
        if line.cells:
            line.text, line.cells = line.text + " ", line.cells + 1
        for drawn, cells in atom.parts:
            if line.cells and line.cells + cells > room:  # an atom that is wider than a line
                yield line
                line = MarkedLine(goes_on=True)
            line.text, line.cells = line.text + drawn, line.cells + cells
        line.weight = max(line.weight, atom.weight)
    if line.cells:
        yield line


def _atoms(parts: Sequence[tuple[str, float]], most: float, in_color: bool) -> Iterator[Atom | None]:
    """Yield the text between spaces, and None for every end of a line."""
    draw = colored if in_color else signed
    atom = Atom()
    for text, amount in parts:
        for piece in _BLANKS.split(text):
            if not piece:
                continue
            if piece.isspace():
                if atom.parts:
                    yield atom
                    atom = Atom()
                for _ in _BREAKS.findall(piece):
                    yield None
                continue
            for some in _cut(clean_text(piece)):
                told = 0 if in_color else count_cells(draw(some, amount, most)) - count_cells(some)
                atom.parts.append((draw(some, amount, most), count_cells(some) + told))
            atom.weight = max(atom.weight, abs(amount))
    if atom.parts:
        yield atom


def _cut(text: str, most: int = 40) -> Iterator[str]:
    """Yield a piece in parts that fit into any line."""
    for start in range(0, len(text), most):
        yield text[start : start + most]


def _runs(lines: Sequence[MarkedLine]) -> list[list[int]]:
    """Return which lines belong together; those of a long paragraph do not."""
    runs: list[list[int]] = []
    for place, line in enumerate(lines):
        if line.goes_on and runs:
            runs[-1].append(place)
        else:
            runs.append([place])
    return [part for run in runs for part in ([run] if len(run) <= WHOLE else [[place] for place in run])]


def _shown(lines: list[MarkedLine]) -> tuple[list[str], int]:
    """Return the lines to show: all if they are few, else those with the strongest marks and the first one.

    A line of the text that is wrapped into a few lines is shown completely or not at all.
    """
    if len(lines) <= MOST_LINES:
        return [line.text for line in lines], 0
    runs = _runs(lines)
    weight = [max(lines[place].weight for place in run) for run in runs]
    kept: list[int] = []
    for number in sorted(range(len(runs)), key=lambda number: (number != 0, -weight[number], number)):
        if len(kept) >= SHOWN_LINES:
            break
        kept += runs[number]
    kept.sort()
    shown: list[str] = []
    before = -1
    for place in kept:
        if place > before + 1:
            shown.append("...")
        shown.append(lines[place].text)
        before = place
    if before < len(lines) - 1:
        shown.append("...")
    return shown, len(lines) - len(kept)
