"""Reading association rules back from text, printed or written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.formats.basket import ITEMS, basket_schema
from hedgerow.data.item_names import ItemName, read_item
from hedgerow.data.item_ways import Way
from hedgerow.data.items import Items
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Codes, Rows
from hedgerow.errors import DataError, ModelError
from hedgerow.models.condition import nearest
from hedgerow.models.parse import lines_of
from hedgerow.models.set_parts import pack_sets

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

Parsed = tuple[Items, Rows, Codes, Codes, Codes, NDArray[np.generic], NDArray[np.generic], float]


class _Rule(NamedTuple):
    """A rule as it was read: its sides, and its counts (of both sides, either, and all rows), 0 if not told."""

    line: int
    left: tuple[ItemName, ...]
    right: tuple[ItemName, ...]
    counts: tuple[float, float, float, float]


def looks_like_rules(text: str) -> bool:
    """Tell whether a text holds association rules, or says that there are none."""
    return _LOOKS.search(text) is not None or [line.strip() for _, line in lines_of(text)] == [_EMPTY]


def parse_rules(text: str, schema: Schema | None = None) -> Parsed:
    """Return what `AssociationRules.of` takes; the columns are those of a schema, or those that the text names."""
    rules = _read(text)
    where: dict[ItemName, int] = {}
    for rule in rules:
        for name in (*rule.left, *rule.right):
            where.setdefault(name, rule.line)
    told = _told_schema(rules, where) if schema is None else schema
    items = _Resolver(told, where).items(_absent(text))
    sets: dict[tuple[ItemName, ...], int] = {}
    for rule in rules:
        for side in (rule.left, rule.right):
            sets.setdefault(side, len(sets))
    codes = {name: items.code(str(name)) for name in where}
    return _packed(rules, sets, codes, items)


def _packed(
    rules: Sequence[_Rule], sets: dict[tuple[ItemName, ...], int], codes: dict[ItemName, int], items: Items
) -> Parsed:
    pool: dict[tuple[int, ...], int] = {}  # sets may be written in any order of their items
    number = {side: pool.setdefault(tuple(sorted(codes[n] for n in side)), len(pool)) for side in sets}
    counts = _Counts(len(pool))
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


def _read(text: str) -> list[_Rule]:
    """Return the rules of a text, line by line."""
    known = _Sets()
    rules: list[_Rule] = []
    for number, line in lines_of(text):
        match = _RULE.fullmatch(line)
        if match is None:
            if line.strip() == _EMPTY:
                continue
            if _CUT_SHORT.fullmatch(line):
                _fail(number, "the list is cut short; print all of its rules")
            _fail(number, f"{line.strip()[:40]!r} is no rule; write rules like '{{bread, butter}} => {{milk}}'")
        left, right = known.read(match["left"], number), known.read(match["right"], number)
        if not right:
            _fail(number, "a rule needs at least one item behind '=>'")
        told = [_amount(match[name], number) for name in ("count", "covered", "held", "total")]
        rules.append(_Rule(number, left, right, (told[0], told[1], told[2], told[3])))
    return rules


def _absent(text: str) -> tuple[str, ...]:
    """Return the levels that lines such as `# absent: no, never` tell to be no items."""
    found: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        match = _ABSENT.fullmatch(line)
        if match is not None:
            for name in _set(f"{{{match['words']}}}", number):
                if not name.is_bare:
                    _fail(number, f"{name} is no word; quote words that hold signs")
                found[name.column] = None
    return tuple(found)


class _Sets(dict[str, tuple[ItemName, ...]]):
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
        """Return the items of a set that needs no second look; nothing if it does."""
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
    found: list[ItemName] = []
    position, end = 1, len(text) - 1
    while text[position:end].strip():
        position = _blanks(text, position)
        try:
            name, position = read_item(text, position)
        except ValueError as problem:
            shown = text[position:end].strip()[:30]
            _fail(line, f"{shown!r} is no item ({problem}); quote words that hold commas, braces, quotes or signs")
        if name in found:
            _fail(line, f"the item {name} is listed twice")
        found.append(name)
        position = _blanks(text, position)
        if position < end:
            if text[position] != "," or not text[position + 1 : end].strip():
                _fail(
                    line, f"a comma and another item, or '}}', is expected before {text[position:end].strip()[:30]!r}"
                )
            position += 1
    return tuple(found)


def _blanks(text: str, position: int) -> int:
    while text[position].isspace():
        position += 1
    return position


def _amount(text: str | None, line: int) -> float:
    """Return a count, a whole number if it is written so; 0 if it is not told."""
    if text is None:
        return 0
    value = float(text)
    if not value <= _MOST:
        _fail(line, f"the count {text} is too large")
    return int(text) if text.isdigit() else value


def _check_sides(rule: _Rule, codes: dict[ItemName, int], items: Items) -> None:
    both = [codes[name] for name in (*rule.left, *rule.right)]
    if len(set(both)) < len(both):
        twice = next(name for name in rule.right if name in rule.left)
        _fail(rule.line, f"the item {twice} stands on both sides")
    columns = [int(items.groups[code]) for code in both if items.groups[code] >= 0]
    if len(set(columns)) < len(columns):
        name = items.schema.columns[max(columns, key=columns.count)].name
        _fail(rule.line, f"two items are of column {name!r}, of which a row has but one value")


class _Counts:
    """The counts of sets, which must be the same wherever they are told."""

    def __init__(self, n_sets: int) -> None:
        self.sets: list[float] = [0] * n_sets
        self.total: float = 0
        self.rules: list[float] = []

    @property
    def all(self) -> list[float]:
        """Every count there is."""
        return [*self.sets, *self.rules, self.total]

    def add(self, rule: _Rule, left: int, right: int) -> None:
        """Take in what a rule tells, or fail if it contradicts what was told before, or itself."""
        count, covered, held, total = rule.counts
        self.rules.append(count)
        if not total:
            if any(rule.counts):
                _fail(rule.line, "a rule cannot hold in any of 0 rows")
            return
        if not 0 < count <= min(covered, held) or max(covered, held) > total or (not rule.left and covered != total):
            _fail(rule.line, f"the counts cannot be: {count} of {covered}, {held} of {total}")
        if self.total not in (0, total):
            _fail(rule.line, f"there are {total} rows in all, but {self.total} before")
        self.total = total
        for number, n, side in ((left, covered, rule.left), (right, held, rule.right)):
            if self.sets[number] not in (0, n):
                shown = "{" + ", ".join(map(str, side)) + "}"
                _fail(rule.line, f"{shown} occurs in {n} rows, but in {self.sets[number]} before")
            self.sets[number] = n


class _Resolver:
    """Finds the columns that named items are of."""

    def __init__(self, schema: Schema, where: dict[ItemName, int]) -> None:
        self.schema, self.where = schema, where
        self.ways: dict[str, Way] = {}
        self.bounds: dict[str, set[float]] = {}

    def items(self, absent: tuple[str, ...]) -> Items:
        """Return the items of the columns that are named, save those that are absent."""
        for name, line in self.where.items():
            self._take(name, line)
        positions = [i for i, name in enumerate(self.schema.names) if name in self.ways]
        schema = self.schema.select(positions).with_target(None)
        ways = tuple(self.ways[name] for name in schema.names)
        cuts = tuple(
            np.array(sorted(self.bounds[name])) if way is Way.CUTS else None
            for name, way in zip(schema.names, ways, strict=True)
        )
        try:
            items = Items(schema, ways, cuts, absent)
        except DataError as problem:
            raise ModelError(str(problem)) from None
        known = set(items.names)
        for name, line in self.where.items():
            if str(name) not in known:
                self._fail_unknown(name, line, items)
        return items

    def _take(self, name: ItemName, line: int) -> None:
        column, way = self._way(name, line)
        if self.ways.setdefault(column.name, way) is not way:
            _fail(line, f"column {column.name!r} is told in two ways; write all its items alike")
        if way is Way.CUTS:
            ends = {end for end in (name.low, name.high) if end is not None}
            self.bounds.setdefault(column.name, set()).update(ends)

    def _way(self, name: ItemName, line: int) -> tuple[Column, Way]:
        if name.is_bare:
            return self._bare(name.column, line)
        if name.column not in self.schema:
            _fail(line, f"there is no column {name.column!r}; {nearest(name.column, self.schema.names)}")
        column = self.schema[name.column]
        way = Way.CUTS if name.word is None else Way.BAG if name.in_bag else Way.LEVELS
        fitting = {Way.CUTS: Kind.NUMERIC, Way.BAG: Kind.BAG, Way.LEVELS: Kind.NOMINAL}[way]
        if column.kind is not fitting:
            _fail(line, f"column {column.name!r} is {column.kind}, which {name} does not fit")
        return column, way

    def _bare(self, word: str, line: int) -> tuple[Column, Way]:
        """Return the column that a word names, or else the bag that it is in."""
        if word in self.schema and self.schema[word].kind is Kind.NUMERIC:
            return self.schema[word], Way.PRESENCE
        if word in self.schema and self.schema[word].kind is Kind.NOMINAL:
            return self.schema[word], Way.TRUE
        bags = [column for column in self.schema.columns if column.kind is Kind.BAG]
        if len(bags) != 1:
            _fail(line, f"there is no column {word!r}; {nearest(word, self.schema.names)}")
        return bags[0], Way.WORDS

    def _fail_unknown(self, name: ItemName, line: int, items: Items) -> NoReturn:
        if name.word is None and not name.is_bare:
            _fail(line, f"{name} overlaps with another interval of column {name.column!r}")
        raise ModelError(f"line {line}: there is no item {name}; {nearest(str(name), items.names, 'items')}")


def _told_schema(rules: Iterable[_Rule], where: dict[ItemName, int]) -> Schema:
    """Return the columns that items name; a text of bare words is about baskets."""
    sides = list(dict.fromkeys(side for rule in rules for side in (rule.left, rule.right)))
    if all(name.is_bare for name in where):
        return basket_schema(_in_order([[name.column for name in side] for side in sides]))
    made: dict[str, Column] = {}
    words: dict[str, dict[str, None]] = {}
    in_bags: dict[str, list[list[str]]] = {}
    for name in where:
        if name.word is not None:
            words.setdefault(name.column, {})[name.word] = None
    for side in sides:
        for column in {name.column for name in side if name.in_bag}:
            listed = [name.word for name in side if name.in_bag and name.column == column and name.word is not None]
            in_bags.setdefault(column, []).append(listed)
    for name in where:
        if name.in_bag:
            inner = basket_schema(_in_order(in_bags[name.column]))[ITEMS].inner
            made.setdefault(name.column, Column(name.column, Kind.BAG, inner=inner))
        elif name.word is not None:
            made.setdefault(name.column, Column(name.column, Kind.NOMINAL, tuple(words[name.column])))
        else:
            made.setdefault(name.column, Column(name.column, Kind.NUMERIC))
    order = _in_order([list(dict.fromkeys(name.column for name in side)) for side in sides])
    return Schema(tuple(made[name] for name in order))


def _in_order(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the different words in an order that agrees with every list, if there is one; else as they first appear.

    So items get the order that they were printed in.
    """
    rank = {word: number for number, word in enumerate(dict.fromkeys(word for words in lists for word in words))}
    after: dict[str, set[str]] = {word: set() for word in rank}
    waits = dict.fromkeys(rank, 0)
    for words in lists:
        for one, other in pairwise(words):
            if other not in after[one]:
                after[one].add(other)
                waits[other] += 1
    ready = [(rank[word], word) for word, n in waits.items() if not n]
    heapify(ready)
    out: list[str] = []
    while ready:
        _, word = heappop(ready)
        out.append(word)
        for other in after[word]:
            waits[other] -= 1
            if not waits[other]:
                heappush(ready, (rank[other], other))
    return out if len(out) == len(rank) else list(rank)


def _fail(line: int, problem: str) -> NoReturn:
    raise ModelError(problem).at_line(line)
