"""Recommendations of association rules: missing items of each row, each with the rule that recommends it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.frames.objects import table_from
from hedgerow.data.items.baskets import Baskets
from hedgerow.data.items.items import Items
from hedgerow.data.read import open_source
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.layout.shown import ArrowTable
from hedgerow.models.base.rule import percent_text

if TYPE_CHECKING:
    from hedgerow.models.associations.association_rules import AssociationRules

SHOWN = 100  # default number of rows that are printed


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An item, the position of the rule that recommends it, and that rule as printed."""

    item: str
    rule: int
    text: str
    confidence: float
    lift: float


@dataclass(frozen=True, eq=False, repr=False)
class Recommendations(ArrowTable):
    """The items that rules recommend to rows, strongest first.

    Parameters
    ----------
    rules
        The rules that recommend.
    offsets
        Row i is recommended the items from `offsets[i]` to `offsets[i + 1]`.
    codes, speakers
        The items, and for each the position of the rule that speaks for it.
    """

    rules: AssociationRules
    offsets: Rows
    codes: Codes
    speakers: Codes

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Recommendations: {len(self.codes):,} items for {len(self):,} rows>"

    def __getitem__(self, row: int) -> list[Recommendation]:
        row = range(len(self))[row]
        names = self.rules.items.labels
        here = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        speakers = self.speakers[here]
        association_rules = list(self.rules.take(speakers))
        return [
            Recommendation(names[code], number, rule.text, rule.confidence, rule.lift)
            for code, number, rule in zip(self.codes[here].tolist(), speakers.tolist(), association_rules, strict=True)
        ]

    def __iter__(self) -> Iterator[list[Recommendation]]:
        return (self[row] for row in range(len(self)))

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int | None = SHOWN) -> str:
        """Return one row a line, its items with the confidence of their rules; the first `most` rows, or all."""
        shown = len(self) if most is None else min(most, len(self))
        names, confidence = self.rules.items.names, self.rules.confidence
        lines = []
        for row in range(shown):
            here = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
            items = [
                names[code] + ("" if share != share else f" ({percent_text(share)})")
                for code, share in zip(self.codes[here].tolist(), confidence[self.speakers[here]].tolist(), strict=True)
            ]
            lines.append(f"{row + 1}: {', '.join(items) or 'nothing'}")
        if shown < len(self):
            lines.append(f"… and {len(self) - shown:,} more")
        return "\n".join(lines) or "no rows"

    @property
    def sizes(self) -> Rows:
        """How many items each row is recommended."""
        return np.diff(self.offsets)

    @property
    def items(self) -> list[list[str]]:
        """The items of every row, without quotes."""
        names, ends = self.rules.items.labels, self.offsets.tolist()
        flat = [names[code] for code in self.codes.tolist()]
        return [flat[start:stop] for start, stop in pairwise(ends)]

    def to_arrow(self) -> Any:
        """Return an Arrow table, one line an item: row (from 0), item, its rule's number, sides and measures."""
        from hedgerow.data.frames.arrow_items import recommendations_to_arrow

        rules = self.rules
        measures = {name: rules.measure(name)[self.speakers] for name in ("confidence", "lift", "support", "count")}
        return recommendations_to_arrow(
            rules.items.labels,
            np.repeat(np.arange(len(self), dtype=np.int64), self.sizes),
            self.codes,
            self.speakers,
            ((rules.offsets, rules.codes), rules.left[self.speakers], rules.right[self.speakers]),
            measures,
        )


def recommend(rules: AssociationRules, data: Any, n: int | None = None, threads: int | None = None) -> Recommendations:
    """Return the recommendations of rules for the rows of data; see `AssociationRules.recommend`."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1):
        raise UsageError(f"n must be a whole number of 1 or more, not {n!r}")
    rows, groups = _rows_and_groups(data, rules.items)
    most = np.iinfo(np.int64).max if n is None else int(n)
    sets = (rules.offsets, rules.codes, rules.left, rules.right)
    hits = _kernels.recommend_items(rows.offsets, rows.codes, *sets, groups, most, threads or n_threads())
    return Recommendations(rules, *hits)


def _rows_and_groups(data: Any, items: Items) -> tuple[Baskets, Codes]:
    """Return rows as sets of items, and the group of every item.

    A level that the model does not know is an item, too, after all others: its row has a value in that column.
    """
    read = _to_table_or_baskets(data, items)
    if isinstance(read, Baskets):
        return read, items.groups
    rows, columns = items.unknown_levels(read)
    baskets = items.baskets(read)
    if not len(rows):
        return baskets, items.groups
    n_items = len(items) + len(items.schema)
    groups = np.concatenate([items.groups, np.arange(len(items.schema), dtype=np.int32)])
    return baskets.with_pairs(rows, columns + np.int32(len(items)), n_items), groups


def _to_table_or_baskets(data: Any, items: Items) -> Table | Baskets:
    """Return data as a table, or as baskets if they are baskets already or given by names of items."""
    if isinstance(data, Baskets):
        if data.n_items != len(items):
            raise UsageError(f"the baskets have {data.n_items} items, but the model knows {len(items)}")
        return data
    if isinstance(data, str | os.PathLike):
        data = open_source(data)
    if isinstance(data, Source):
        return data.read()
    named = _item_name_rows(data)
    return table_from(data) if named is None else items.baskets_from_names(named)


def _item_name_rows(data: Any) -> list[Iterable[str]] | None:
    """Return rows of item names if that is what the data are."""
    if not isinstance(data, list | tuple | set | frozenset):
        return None
    if data and all(isinstance(item, str) for item in data):
        return [list(data)]
    plain = (list, tuple, set, frozenset)
    if all(isinstance(row, plain) and all(isinstance(item, str) for item in row) for row in data):
        return list(data)
    return None
