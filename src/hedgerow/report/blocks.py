"""Blocks: what a section of a report consists of, before it is text, HTML or Markdown.

A section is written once, as a list of blocks; `render/text.py`, `render/html.py` and `render/markdown.py` draw them.
Numbers in blocks are text already, so that all forms show the same digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MOST_ROWS = 60  # of a table; a reader who needs more takes the JSON report

# -- cells of tables ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A bar beside a number: its length from 0 to 1, and the ends of an interval on the same scale.

    A signed bar begins in the middle and goes to the right if it is positive, to the left if it is negative.
    """

    length: float
    low: float | None = None
    high: float | None = None
    hue: int = 0
    signed: bool = False


@dataclass(frozen=True)
class Figure:
    """A number as text, with the ends of its interval and a bar where there are such."""

    value: str
    low: str = ""
    high: str = ""
    bar: Bar | None = None
    more: str = ""  # a word or two behind it


@dataclass(frozen=True)
class Name:
    """A name with the color that it has in pictures, and a word on its role."""

    text: str
    hue: int | None = None
    role: str = ""


@dataclass(frozen=True)
class RuleCell:
    """A rule or an item set as it prints; its conditions and its class, where pages set them apart."""

    text: str
    conditions: tuple[str, ...] = ()
    says: str = ""
    hue: int = 0
    of_items: bool = False


@dataclass(frozen=True)
class EntryList:
    """The first of many entries, as many as there is room for; a page shows the picture instead."""

    entries: tuple[str, ...]
    n_entries: int
    picture: str = ""


@dataclass(frozen=True)
class Sparkline:
    """A small histogram, of blocks in text and a picture on a page."""

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
        Where intervals stand in text: "beside" the number in a column of their own, "below" it on a page and behind it
        in as few signs as can be in text, or on a "page" only.
    level
        The title of intervals that stand beside.
    longest
        How many cells of a terminal a name may take; 0 is any number.
    bar
        How many cells of a terminal a bar may take; with 0 only pages draw it.
    label
        What pages and Markdown call it where text has no title.
    joined
        Whether it belongs to the column before it, and is never parted from it.
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
        What it is called where it has no title: pages show it.
    total
        The last row, which sums up the others, and is never left out.
    n_rows, what
        How many rows there are in all, those that are left out already too, and what they are.
    note
        What stands below it.
    left_out
        What is said of columns that do not fit: `{names}` and `{n}` are known.
    gaps
        Before which rows text has an empty line.
    as_cards
        Whether a page shows a card a row, under its name.
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
        """The rows that are shown, the total last."""
        return (*self.rows[: self.most], *((self.total,) if self.total else ()))

    @property
    def n_hidden(self) -> int:
        """How many rows are left out."""
        return max(self.n_rows, len(self.rows)) - min(len(self.rows), self.most)


@dataclass(frozen=True)
class Group:
    """Rows of a table that belong together, under a number and a text of their own."""

    number: str
    text: str | RuleCell
    rows: tuple[Row, ...]
    nothing: str = ""  # what is said if there are no rows
    below: str = ""


@dataclass(frozen=True)
class GroupedTable:
    """A table of groups of rows: rules with their figures, baskets with what rules offer."""

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
    """The first lines of a section: what it is about, the parameters that were changed, and what came of it."""

    title: str
    sentences: tuple[str, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Paragraph:
    """Sentences; text begins a line with each.

    What differs each time, such as how long it took, is `passing`: text has it, but pages and Markdown stay the same.
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
    """What people should know, a sentence each: warnings on a page, notes in text."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Chips:
    """Short pieces one after the other."""

    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Printed:
    """A print, such as a model's: a block of code.

    Parameters
    ----------
    folded
        The title under which a page folds it away, where it shows the same in a better way.
    broken
        Which of its lines may be broken on a terminal: "rules" at `and` and `then`, "terms" behind commas.
    on_paper
        Whether a page shows it in print only, where pictures are too long.
    """

    text: str
    folded: str = ""
    broken: Literal["", "rules", "terms"] = ""
    on_paper: bool = False


# -- what pages draw ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chart:
    """A picture as SVG; one to "fit" shrinks with the page, a "wide" one may be scrolled, a "tall" one not printed."""

    picture: str
    caption: str = ""
    shape: Literal["", "fit", "wide", "wide tall"] = ""


@dataclass(frozen=True)
class Charts:
    """Pictures beside each other on a page; text and Markdown have none."""

    charts: tuple[Chart, ...]
    title: str = ""


@dataclass(frozen=True)
class ProfileCard:
    """A card on a page: a name with its color, facts, and lists under titles of their own."""

    title: str
    hue: int
    facts: str
    lists: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class ProfileCards:
    """Cards beside each other on a page."""

    cards: tuple[ProfileCard, ...]
    title: str = ""


@dataclass(frozen=True)
class Tile:
    """A main figure of a page: its value, what it is, and more on it."""

    value: str
    name: str
    more: str


@dataclass(frozen=True)
class Tiles:
    """The main figures of a page."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class Details:
    """What only a page has room for, folded away under its title; open if it has none."""

    title: str
    blocks: tuple[Block, ...]


# -- texts and decisions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedTerm:
    """A term with what it tells: the number and how much there is of it."""

    term: str
    value: str
    length: float  # of its bar, from 0 to 1
    amount: str = ""


@dataclass(frozen=True)
class RankedTerms:
    """The terms that tell a class, the first the most."""

    name: str
    hue: int
    facts: str
    terms: tuple[RankedTerm, ...]


@dataclass(frozen=True)
class TermRanking:
    """The terms of all classes: a paragraph a class in text, a card a class on a page."""

    groups: tuple[RankedTerms, ...]
    measure: str
    reading: tuple[str, ...]
    nothing: str
    title: str = ""


@dataclass(frozen=True)
class StyledWords:
    """A few words of a line, and their look: for or against the decision, a tag, code."""

    text: str
    look: Literal["", "pro", "con", "number", "tag", "dim tag", "code", "dim"] = ""


@dataclass(frozen=True)
class Step:
    """A step to a decision: a test or a rule in its own words, the label before it, and what the row has."""

    code: str
    note: str = ""
    label: StyledWords = StyledWords("")


@dataclass(frozen=True)
class Steps:
    """Steps to a decision, one after the other, and where they end."""

    steps: tuple[Step, ...]
    title: str = ""
    end: str = ""


@dataclass(frozen=True)
class MarkedWords:
    """A text with the words marked that carried a decision: pieces, and what each adds."""

    column: str
    pieces: tuple[tuple[str, float], ...]
    sides: tuple[str, str]  # what positive and negative pieces speak for
    note: str = ""  # on what is left out
    legend: bool = True


@dataclass(frozen=True)
class Article:
    """A part of a section with a headline of its own, such as a decision; what stands in it is indented in text."""

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
