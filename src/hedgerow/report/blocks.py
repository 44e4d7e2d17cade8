"""Blocks: the parts of a section of a report, before they are rendered as text, HTML or Markdown.

A section is written once, as a list of blocks; `render/text.py`, `render/html.py` and `render/markdown.py` draw them.
Numbers in blocks are already formatted, so that all output formats show the same digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MOST_ROWS = 60  # of a table; a reader who needs more takes the JSON report

# -- cells of tables ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A bar next to a number: its length from 0 to 1, and the ends of an interval on the same scale.

    A signed bar begins in the middle and goes to the right if it is positive, to the left if it is negative.
    """

    length: float
    low: float | None = None
    high: float | None = None
    hue: int = 0
    signed: bool = False


@dataclass(frozen=True)
class Figure:
    """A formatted number, optionally with the ends of its interval and a bar."""

    value: str
    low: str = ""
    high: str = ""
    bar: Bar | None = None
    more: str = ""  # a word or two behind it


@dataclass(frozen=True)
class Name:
    """A name with its color in pictures, and its role."""

    text: str
    hue: int | None = None
    role: str = ""


@dataclass(frozen=True)
class RuleCell:
    """A rule or an item set as printed, and its conditions and class, which pages show separately."""

    text: str
    conditions: tuple[str, ...] = ()
    says: str = ""
    hue: int = 0
    of_items: bool = False


@dataclass(frozen=True)
class EntryList:
    """As many of the first entries as fit; a page shows the picture instead."""

    entries: tuple[str, ...]
    n_entries: int
    picture: str = ""


@dataclass(frozen=True)
class Sparkline:
    """A small histogram, drawn with block characters in text and as a picture on a page."""

    counts: tuple[float, ...]
    picture: str = ""


Cell = str | Figure | Name | RuleCell | EntryList | Sparkline
Row = tuple[Cell, ...]

# -- tables ---------------------------------------------------------------------------------------------------

# How a table that is wider than a terminal is made to fit:
# "wide"   not at all
# "split"  into blocks of columns below each other, each of which begins with the first `lead` columns
# "spare"  names in its second column are cut, and then the columns `optional` are left out, the first first
# "keep"   of the columns `optional` those are kept that fit, the first first
# "fold"   its rule goes on below, or stands below the figures
Fit = Literal["wide", "split", "spare", "keep", "fold"]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    side
        "l" or "r": flush left or right.
    ends
        The position of intervals: "beside" the number in a separate column, "below" it on a page and after it in short
        form in text, or on a "page" only.
    level
        The title of the column of intervals.
    longest
        Maximum width of a name on a terminal; 0 for no limit.
    bar
        Maximum width of a bar on a terminal; with 0 only pages draw it.
    label
        The title on pages and in Markdown if text has no title.
    joined
        Whether it belongs to the previous column, and is never separated from it.
    """

    title: str
    side: Literal["l", "r"] = "l"
    ends: Literal["beside", "below", "page"] = "page"
    level: str = "95 %"
    longest: int = 0
    bar: int = 0
    joined: bool = False
    label: str = ""


@dataclass(frozen=True)
class TableBlock:
    """A table: rows of cells below the titles of their columns.

    Parameters
    ----------
    label
        The caption on pages if the table has no title.
    total
        The last row, a summary of the others, which is always shown.
    n_rows, what
        The total number of rows, including those left out, and what they are called.
    note
        The text below the table.
    left_out
        The message about columns that do not fit, with placeholders `{names}` and `{n}`.
    gaps
        The rows before which text has an empty line.
    as_cards
        Whether a page shows one card per row, titled with its name.
    """

    columns: tuple[TableColumn, ...]
    rows: tuple[Row, ...]
    title: str = ""
    label: str = ""
    fit: Fit = "wide"
    lead: int = 1
    optional: tuple[int, ...] = ()
    left_out: str = ""
    more_columns: int = 0
    total: Row = ()
    what: str = "rows"
    n_rows: int = 0
    most: int = MOST_ROWS
    note: str = ""
    gaps: frozenset[int] = frozenset()
    indent: bool = False
    as_cards: bool = False

    @property
    def shown(self) -> tuple[Row, ...]:
        """The rows shown, the total last."""
        return (*self.rows[: self.most], *((self.total,) if self.total else ()))

    @property
    def n_hidden(self) -> int:
        """The number of rows left out."""
        return max(self.n_rows, len(self.rows)) - min(len(self.rows), self.most)


@dataclass(frozen=True)
class Group:
    """Rows of a table that form a group, with a number and a title."""

    number: str
    text: str | RuleCell
    rows: tuple[Row, ...]
    nothing: str = ""  # what is said if there are no rows
    below: str = ""


@dataclass(frozen=True)
class GroupedTable:
    """A table of groups of rows: rules with their statistics, baskets with their recommendations."""

    head: tuple[str, str]  # of the number and the text of a group
    columns: tuple[TableColumn, ...]
    groups: tuple[Group, ...]
    label: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix: a row per actual class, a column per predicted class."""

    labels: tuple[str, ...]
    letters: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    unanswered: tuple[float, ...] | None
    title: str
    caption: str


# -- sentences ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """The title of the blocks that follow."""

    title: str


@dataclass(frozen=True)
class Lead:
    """The first lines of a section: its title, a warning if there is one, the changed parameters, and the result."""

    title: str
    sentences: tuple[str, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Sentences; in text each begins on a new line.

    Information that differs between runs, such as the time, is `passing`: only text includes it, so that pages and
    Markdown are reproducible.
    """

    sentences: tuple[str, ...]
    passing: tuple[str, ...] = ()
    soft: bool = False


@dataclass(frozen=True)
class Bullets:
    """Sentences as a list."""

    sentences: tuple[str, ...]
    title: str = ""
    most: int = MOST_ROWS
    what: str = "entries"


@dataclass(frozen=True)
class Notes:
    """Notes, one sentence each: warnings on a page, notes in text."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Chips:
    """A sequence of short pieces."""

    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Printed:
    """Preformatted text, such as a printed model: a block of code.

    Parameters
    ----------
    folded
        The title of the collapsed element on a page that shows the same in another form.
    broken
        Which lines may be wrapped on a terminal: "rules" at `and` and `then`, "terms" after commas.
    on_paper
        Whether a page shows it only when printed, because the picture is too long.
    """

    text: str
    folded: str = ""
    broken: Literal["", "rules", "terms"] = ""
    on_paper: bool = False


# -- what pages draw ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chart:
    """An SVG picture; "fit" shrinks with the page, "wide" can be scrolled, "tall" is not printed."""

    picture: str
    caption: str = ""
    shape: Literal["", "fit", "wide", "wide tall"] = ""


@dataclass(frozen=True)
class Charts:
    """Pictures next to each other on a page; text and Markdown omit them."""

    charts: tuple[Chart, ...]
    title: str = ""


@dataclass(frozen=True)
class ProfileCard:
    """A card on a page: a name with its color, facts, and titled lists."""

    title: str
    hue: int
    facts: str
    lists: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class ProfileCards:
    """Cards next to each other on a page."""

    cards: tuple[ProfileCard, ...]
    title: str = ""


@dataclass(frozen=True)
class Tile:
    """A key metric on a page: its value, its name, and a detail."""

    value: str
    name: str
    more: str


@dataclass(frozen=True)
class Tiles:
    """The key metrics of a page."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class Details:
    """Details that only a page shows, collapsed under a title; expanded if there is no title."""

    title: str
    blocks: tuple[Block, ...]


# -- texts and decisions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedTerm:
    """An informative term: its value and its amount."""

    term: str
    value: str
    length: float  # of its bar, from 0 to 1
    amount: str = ""


@dataclass(frozen=True)
class RankedTerms:
    """The most informative terms of a class, in descending order."""

    name: str
    hue: int
    facts: str
    terms: tuple[RankedTerm, ...]


@dataclass(frozen=True)
class TermRanking:
    """The terms of all classes: one paragraph per class in text, one card per class on a page."""

    groups: tuple[RankedTerms, ...]
    measure: str
    reading: tuple[str, ...]
    nothing: str
    title: str = ""


@dataclass(frozen=True)
class StyledWords:
    """A few words of a line, and their style: for or against the prediction, a tag, code."""

    text: str
    look: Literal["", "pro", "con", "number", "tag", "dim tag", "code", "dim"] = ""


@dataclass(frozen=True)
class Step:
    """A step of an explanation: a test or a rule as printed, its label, and the value of the row."""

    code: str
    note: str = ""
    label: StyledWords = StyledWords("")


@dataclass(frozen=True)
class Steps:
    """The steps of an explanation in order, and their result."""

    steps: tuple[Step, ...]
    title: str = ""
    end: str = ""


@dataclass(frozen=True)
class MarkedWords:
    """A text whose influential words are marked: pieces, and the contribution of each."""

    column: str
    pieces: tuple[tuple[str, float], ...]
    sides: tuple[str, str]  # what positive and negative pieces speak for
    note: str = ""  # on what is left out
    legend: bool = True


@dataclass(frozen=True)
class Article:
    """A part of a section with its own heading, such as a prediction; its content is indented in text."""

    head: tuple[StyledWords, ...]
    blocks: tuple[Block, ...]
    key: str = ""


Block = (
    TableBlock
    | GroupedTable
    | Confusion
    | Heading
    | Lead
    | Paragraph
    | Bullets
    | Notes
    | Chips
    | Printed
    | Charts
    | ProfileCards
    | Tiles
    | Details
    | TermRanking
    | Steps
    | MarkedWords
    | Article
)


@dataclass(frozen=True)
class Section:
    """A section of a report: its key, its title on a page, and its blocks."""

    key: str
    title: str
    blocks: tuple[Block, ...]
