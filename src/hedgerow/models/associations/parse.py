"""Reading association rules back from text, printed or written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.items import Items
from hedgerow.data.items.names import ItemName, read_item
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Rows
from hedgerow.models.associations.item_columns import ItemColumnResolver, fail, schema_of_items
from hedgerow.models.associations.set_arrays import pack_sets
from hedgerow.models.base.parse import numbered_lines

_SET = r'\{(?:[^"{}\n]|"(?:[^"\\\n]|\\.)*+")*+\}'
_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_RULE = re.compile(
    rf"""\s*(?P<left>{_SET})\s*=>\s*(?P<right>{_SET})
         (?:\s*\(\s*(?P<count>{_NUMBER})\s+of\s+(?P<covered>{_NUMBER})\s*,
                 \s*(?P<held>{_NUMBER})\s+of\s+(?P<total>{_NUMBER})\s*\))?
         \s*(?:\#.*)?""",
    re.VERBOSE | re.DOTALL,
)
_LOOKS = re.compile(rf"^[ \t]*{_SET}[ \t]*=>[ \t]*{_SET}", re.MULTILINE)
_ABSENT = re.compile(r"\s*#\s*absent\s*:(?P<words>.*)", re.DOTALL)
_CUT_SHORT = re.compile(r"\s*… and [\d,]+ more\s*")
_EMPTY = "no rules"
_MOST = 1e15  # of a count: above, not every whole number can be written

ParsedRules = tuple[Items, Rows, Codes, Codes, Codes, NDArray[np.generic], NDArray[np.generic], float]


class _ParsedRule(NamedTuple):
    """A rule as it was read: its sides, and its counts (of both sides, either, and all rows), 0 if not given."""

    line: int
    left: tuple[ItemName, ...]
    right: tuple[ItemName, ...]
    counts: tuple[float, float, float, float]


def is_association_text(text: str) -> bool:
    """Return whether a text contains association rules, or states that there are none."""
    return _LOOKS.search(text) is not None or [line.strip() for _, line in numbered_lines(text)] == [_EMPTY]


def parse_rules(text: str, schema: Schema | None = None) -> ParsedRules:
    """Return the arguments of `AssociationRules.of`; the columns are those of a schema, or those named in the text."""
    rules = _read(text)
    where: dict[ItemName, int] = {}
    for rule in rules:
        for name in (*rule.left, *rule.right):
            where.setdefault(name, rule.line)
    sides = list(dict.fromkeys(side for rule in rules for side in (rule.left, rule.right)))
    absent = _absent(text)
    items = ItemColumnResolver(schema_of_items(sides, where, absent) if schema is None else schema, where).items(absent)
    codes = {name: items.code(str(name)) for name in where}
    return _pack_arrays(rules, sides, codes, items)


def _pack_arrays(
    rules: Sequence[_ParsedRule], sides: Sequence[tuple[ItemName, ...]], codes: dict[ItemName, int], items: Items
) -> ParsedRules:
    pool: dict[tuple[int, ...], int] = {}  # sets may be written in any order of their items
    number = {side: pool.setdefault(tuple(sorted(codes[n] for n in side)), len(pool)) for side in sides}
    counts = _SetCounts(len(pool))
    for rule in rules:
        left, right = number[rule.left], number[rule.right]
        _check_sides(rule, codes, items)
        counts.add(rule, left, right)
    dtype = np.int64 if all(isinstance(value, int) for value in counts.all) else np.float64
    offsets, flat = pack_sets(items, pool)
    left_numbers = np.array([number[rule.left] for rule in rules], dtype=np.int32)
    right_numbers = np.array([number[rule.right] for rule in rules], dtype=np.int32)
    found = np.array([rule.counts[0] for rule in rules], dtype=dtype)
    return items, offsets, flat, left_numbers, right_numbers, found, np.array(counts.sets, dtype), float(counts.total)


def _read(text: str) -> list[_ParsedRule]:
    """Return the rules of a text, line by line."""
    known = _ParsedSets()
    rules: list[_ParsedRule] = []
    for number, line in numbered_lines(text):
        match = _RULE.fullmatch(line)
        if match is None:
            if line.strip() == _EMPTY:
                continue
            if _CUT_SHORT.fullmatch(line):
                fail(number, "the list is truncated; print all of its rules")
            fail(number, f"{line.strip()[:40]!r} is not a rule; write rules like '{{bread, butter}} => {{milk}}'")
        left, right = known.read(match["left"], number), known.read(match["right"], number)
        if not right:
            fail(number, "a rule needs at least one item after '=>'")
        values = [_amount(match[name], number) for name in ("count", "covered", "held", "total")]
        rules.append(_ParsedRule(number, left, right, (values[0], values[1], values[2], values[3])))
    return rules


def _absent(text: str) -> tuple[str, ...]:
    """Return the levels that are not items according to lines such as `# absent: no, never`."""
    result: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        match = _ABSENT.fullmatch(line)
        if match is not None:
            for name in _set(f"{{{match['words']}}}", number):
                if not name.is_bare:
                    fail(number, f"{name} is not a word; quote words that contain special characters")
                result[name.column] = None
    return tuple(result)


class _ParsedSets(dict[str, tuple[ItemName, ...]]):
    """Sets as they were written, each read once, and so are their items."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[str, ItemName] = {}

    def read(self, text: str, line: int) -> tuple[ItemName, ...]:
        """Return the items of a set."""
        if text not in self:
            self[text] = self._quickly(text) or _set(text, line)
        return self[text]

    def _quickly(self, text: str) -> tuple[ItemName, ...]:
        """Return the items of a set in the simple form; None if it needs the full parser."""
        if '"' in text:
            return ()
        parts = [part.strip() for part in text[1:-1].split(",")]
        for part in parts:
            if part not in self._items:
                try:
                    name, end = read_item(part)
                except ValueError:
                    return ()
                if end < len(part):
                    return ()
                self._items[part] = name
        found = tuple(self._items[part] for part in parts)
        return found if len(set(found)) == len(found) else ()


def _set(text: str, line: int) -> tuple[ItemName, ...]:
    """Read `{item, item}`."""
    entries: list[ItemName] = []
    position, end = 1, len(text) - 1
    while text[position:end].strip():
        position = _blanks(text, position)
        try:
            name, position = read_item(text, position)
        except ValueError as problem:
            shown = text[position:end].strip()[:30]
            fail(
                line,
                f"{shown!r} is not an item ({problem}); quote words that contain commas, braces, quotes or other "
                "special characters",
            )
        if name in entries:
            fail(line, f"the item {name} is listed twice")
        entries.append(name)
        position = _blanks(text, position)
        if position < end:
            if text[position] != "," or not text[position + 1 : end].strip():
                fail(line, f"expected a comma and another item, or '}}', before {text[position:end].strip()[:30]!r}")
            position += 1
    return tuple(entries)


def _blanks(text: str, position: int) -> int:
    while text[position].isspace():
        position += 1
    return position


def _amount(text: str | None, line: int) -> float:
    """Return a count, a whole number if it is written so; 0 if it is missing."""
    if text is None:
        return 0
    value = float(text)
    if not value <= _MOST:
        fail(line, f"the count {text} is too large")
    return int(text) if text.isdigit() else value


def _check_sides(rule: _ParsedRule, codes: dict[ItemName, int], items: Items) -> None:
    both = [codes[name] for name in (*rule.left, *rule.right)]
    if len(set(both)) < len(both):
        twice = next(name for name in rule.right if name in rule.left)
        fail(rule.line, f"the item {twice} occurs on both sides")
    columns = [int(items.groups[code]) for code in both if items.groups[code] >= 0]
    if len(set(columns)) < len(columns):
        name = items.schema.columns[max(columns, key=columns.count)].name
        fail(rule.line, f"two items belong to column {name!r}, but a row has only one value of it")


class _SetCounts:
    """The counts of sets, which must be the same wherever they occur."""

    def __init__(self, n_sets: int) -> None:
        self.sets: list[float] = [0] * n_sets
        self.total: float = 0
        self.rules: list[float] = []

    @property
    def all(self) -> list[float]:
        """Every count there is."""
        return [*self.sets, *self.rules, self.total]

    def add(self, rule: _ParsedRule, left: int, right: int) -> None:
        """Add the counts of a rule; raise an error if they contradict each other or earlier ones."""
        count, covered, value, total = rule.counts
        self.rules.append(count)
        if not total:
            if any(rule.counts):
                fail(rule.line, "a rule cannot hold in 0 rows")
            return
        if not 0 < count <= min(covered, value) or max(covered, value) > total or (not rule.left and covered != total):
            fail(rule.line, f"the counts are impossible: {count} of {covered}, {value} of {total}")
        if self.total not in (0, total):
            fail(rule.line, f"this line counts {total} rows in total, but an earlier one {self.total}")
        self.total = total
        for number, n, side in ((left, covered, rule.left), (right, value, rule.right)):
            if self.sets[number] not in (0, n):
                shown = "{" + ", ".join(map(str, side)) + "}"
                fail(rule.line, f"{shown} occurs in {n} rows here, but in {self.sets[number]} on an earlier line")
            self.sets[number] = n
