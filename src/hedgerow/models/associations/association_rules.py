"""AssociationRules: which items occur together, how often, and how much more often than by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.baskets import ranges, starts_from_sizes
from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.associations.item_sets import item_column_names
from hedgerow.models.associations.set_arrays import (
    ITEM_PARTS,
    counts_part,
    items_from_parts,
    items_to_parts,
    iterate_sets,
    number_part,
    sets_from_parts,
)
from hedgerow.models.base.checked_parts import codes_part, expect_parts
from hedgerow.models.base.model import About, Model

if TYPE_CHECKING:
    from hedgerow.models.associations.recommend import Recommendations

MEASURES = ("support", "confidence", "coverage", "lift", "leverage", "conviction", "count")


@dataclass(frozen=True, slots=True)
class AssociationRule:
    """One rule: the items of its two sides, as it prints, and its measures."""

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    text: str
    support: float
    confidence: float
    coverage: float
    lift: float
    leverage: float
    conviction: float
    count: float


@dataclass(frozen=True, eq=False, repr=False)
class AssociationRules(Model):
    """Rules `{items} => {items}` with the number (or weight) of rows that satisfy them, strongest first.

    They are sorted by strength: if several rules recommend an item, the first one is used.

    Parameters
    ----------
    items
        The items of the rules.
    offsets, codes
        The distinct sets that are sides of rules, one after another. The empty set may be among them.
    left, right
        For each rule the numbers of the sets that are its antecedent and its consequent.
    counts
        The rows that contain both sides of each rule: whole numbers, or weights. 0 if it is not known, of rules that
        were written by hand.
    set_counts
        The rows that contain each of the sets.
    total
        All rows, or their weight.
    """

    items: Items
    offsets: Rows
    codes: Codes
    left: Codes
    right: Codes
    counts: NDArray[Any]
    set_counts: NDArray[Any]
    total: float

    kind: ClassVar[str] = "association_rules"

    def __post_init__(self) -> None:
        if not len(self.left) == len(self.right) == len(self.counts):
            raise ModelError("each rule needs an antecedent, a consequent and a count")
        if len(self.offsets) != len(self.set_counts) + 1 or self.offsets[-1] != len(self.codes):
            raise ModelError(f"{len(self.set_counts)} counts do not match {len(self.offsets) - 1} sets")

    @classmethod
    def of(
        cls,
        items: Items,
        offsets: Rows,
        codes: Codes,
        left: Codes,
        right: Codes,
        counts: NDArray[Any],
        set_counts: NDArray[Any],
        total: float,
        *,
        about: About | None = None,
    ) -> Self:
        """Return rules over items, with the schema of the items."""
        about = about or About()
        return cls(items.schema, items, offsets, codes, left, right, counts, set_counts, total, about=about)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<AssociationRules: {len(self):,} rules of {len(self.items):,} items>"

    def __iter__(self) -> Iterator[AssociationRule]:
        measures = zip(*(self.measure(name).tolist() for name in MEASURES), strict=True)
        for (left, right), row in zip(self.iterate_sides(), measures, strict=True):
            text = f"{self.items.text(left)} => {self.items.text(right)}"
            yield AssociationRule(self._labels(left), self._labels(right), text, *row)

    def __getitem__(self, rule: int) -> AssociationRule:
        return next(iter(self.take(np.arange(len(self))[[rule]])))

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int | None = None) -> str:
        """Return one rule per line, with its measures as a comment; the first `most`, or all."""
        from hedgerow.models.associations.text import rule_lines

        lines = rule_lines(self, most)
        if most is not None and most < len(self):
            lines.append(f"… and {len(self) - most:,} more")
        return "\n".join(lines if len(self) else [*lines, "no rules"])

    @classmethod
    def parse(cls, text: str, schema: Schema | None = None, about: About | None = None) -> Self:
        """Parse printed or hand-written rules, one per line; an error names the line.

        Blank lines and comments after # are ignored, and the counts in parentheses may be left out. Without a
        schema the columns are those that the text names.
        """
        from hedgerow.models.associations.parse import parse_rules

        return cls.of(*parse_rules(text, schema), about=about)

    def recommend(self, data: Any, n: int | None = None, *, threads: int | None = None) -> Recommendations:
        """Return for each row the missing items that rules recommend, those of the strongest rules first.

        A rule applies to rows that contain its antecedent and lack an item of its consequent. An item is recommended
        once, by the first such rule. No other value is recommended for a column that has a value in the row, and at
        most one value otherwise.

        Parameters
        ----------
        data
            A table, a frame, a matrix, a path, or rows given by the names of their items: a list of lists
            of words, or one list of words. Columns that it lacks hold no items, and unknown items are skipped.
        n
            Maximum number of items per row; all by default.

        Examples
        --------
        >>> print(AssociationRules.parse("{bread} => {butter}").recommend([["bread"], ["butter"]]))
        1: butter
        2: nothing
        """
        from hedgerow.models.associations.recommend import recommend

        return recommend(self, data, n, threads)

    @property
    def size(self) -> int:
        """How many rules there are."""
        return len(self)

    def no_rules(self) -> str:
        """Return the error message for a model without rules of classes."""
        return "association rules do not predict a class; `hedgerow show FILE` prints them"

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns whose items occur, in the schema's order."""
        return item_column_names(self.items, self.codes)

    @property
    def count(self) -> NDArray[Any]:
        """The rows that contain both sides of each rule."""
        return self.counts

    @property
    def left_counts(self) -> NDArray[Any]:
        """The rows that contain each rule's antecedent."""
        return self.set_counts[self.left]

    @property
    def right_counts(self) -> NDArray[Any]:
        """The rows that contain each rule's consequent."""
        return self.set_counts[self.right]

    @property
    def support(self) -> Numbers:
        """The share of rows that contain both sides."""
        return self._mask_unknown_counts(_share(self.counts, self.total))

    @property
    def confidence(self) -> Numbers:
        """The share of the rows with the antecedent that also contain the consequent."""
        return self._mask_unknown_counts(_share(self.counts, self.left_counts))

    @property
    def coverage(self) -> Numbers:
        """The share of rows that contain the antecedent."""
        return self._mask_unknown_counts(_share(self.left_counts, self.total))

    @property
    def lift(self) -> Numbers:
        """How many times as often the consequent occurs with the antecedent than at all: confidence / its share."""
        with np.errstate(over="ignore"):  # for totals too large to be multiplied
            expected = self.left_counts * self.right_counts.astype(float)
            lifts = np.nan_to_num(_share(self.counts * float(self.total), expected), nan=np.nan)
        return self._mask_unknown_counts(lifts)

    @property
    def leverage(self) -> Numbers:
        """The support beyond that of independent sides: support - coverage * share of the consequent."""
        expected = _share(self.left_counts, self.total) * _share(self.right_counts, self.total)
        return self._mask_unknown_counts(_share(self.counts, self.total) - expected)

    @property
    def conviction(self) -> Numbers:
        """The expected errors with independent sides, divided by the actual errors; infinite at a confidence of 1."""
        wrong = (self.left_counts - self.counts) * float(self.total)
        chance = self.left_counts.astype(float) * (self.total - self.right_counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._mask_unknown_counts(np.where(wrong > 0, chance / wrong, np.inf))

    def measure(self, name: str) -> NDArray[Any]:
        """Return a measure by its name."""
        if name not in MEASURES:
            raise UsageError(f"there is no measure {name!r}; the measures are {', '.join(MEASURES)}")
        values: NDArray[Any] = getattr(self, name)
        return values

    def iterate_sides(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """Yield the codes of each rule's antecedent and consequent."""
        sets = list(iterate_sets(self.offsets, self.codes))
        for left, right in zip(self.left[start:stop].tolist(), self.right[start:stop].tolist(), strict=True):
            yield sets[left], sets[right]

    def take(self, which: NDArray[Any]) -> Self:
        """Return some rules, by position, in the given order, or by mask; sets that none of them names are dropped."""
        rows = np.flatnonzero(which) if which.dtype == np.bool_ else which.astype(np.int64)
        left, right = self.left[rows], self.right[rows]
        indices, first = np.unique(np.column_stack([left, right]).ravel(), return_index=True)
        used = indices[np.argsort(first)]  # sets in the order in which rules name them
        new = np.empty(len(self.set_counts), dtype=np.int32)
        new[used] = np.arange(len(used))
        sizes = np.diff(self.offsets)[used]
        return type(self).of(
            self.items,
            starts_from_sizes(sizes),
            self.codes[ranges(self.offsets[used], sizes)],
            new[left],
            new[right],
            self.counts[rows],
            self.set_counts[used],
            self.total,
            about=self.about,
        )

    def sorted(self, by: str | Iterable[str] = ("confidence", "support")) -> Self:
        """Return the rules in descending order of measures; equals, and unknown ones, keep their order."""
        keys = [-np.nan_to_num(self.measure(name), nan=-np.inf) for name in ([by] if isinstance(by, str) else by)]
        return self.take(np.lexsort(keys[::-1]))

    def _labels(self, codes: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.items.labels[code] for code in codes)

    def _mask_unknown_counts(self, values: Numbers) -> Numbers:
        return np.where(self.counts > 0, values, np.nan)

    def to_arrow(self) -> Any:
        """Return an Arrow table: antecedent and consequent (lists of words of a dictionary) and all measures."""
        from hedgerow.data.frames.arrow_items import item_table

        measures = {name: self.measure(name) for name in MEASURES}
        sides = {"antecedent": self.left, "consequent": self.right}
        return item_table(self.items.labels, (self.offsets, self.codes), measures, sides)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts; the sets are in the order in which rules name them."""
        own = self.take(np.arange(len(self)))
        return {
            **items_to_parts(own.items),
            "offsets": own.offsets,
            "codes": own.codes,
            "left": own.left,
            "right": own.right,
            "counts": own.counts,
            "set_counts": own.set_counts,
            "total": float(own.total),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the rules from `to_dict`'s parts, checking every one of them."""
        expect_parts(parts, *ITEM_PARTS, "offsets", "codes", "left", "right", "counts", "set_counts", "total")
        items = items_from_parts(parts, schema)
        offsets, codes = sets_from_parts(parts, len(items))
        n_sets = len(offsets) - 1
        left = codes_part(parts, "left", np.int32, None, n_sets)
        right = codes_part(parts, "right", np.int32, len(left), n_sets)
        counts, set_counts = counts_part(parts, "counts", len(left)), counts_part(parts, "set_counts", n_sets)
        if counts.dtype != set_counts.dtype:
            raise ModelError("the counts of its rules and of its sets have different types")
        model = cls.of(items, offsets, codes, left, right, counts, set_counts, number_part(parts, "total"), about=about)
        model.check()
        return model

    def check(self) -> None:
        """Raise an error unless both sides of every rule differ in all items, and the counts can be right."""
        sizes = np.diff(self.offsets)
        if (sizes[self.right] == 0).any():
            raise ModelError("a rule has an empty consequent")
        if len(self) and self._overlap():
            raise ModelError("a rule has an item on both sides")
        if len(set(map(tuple, iterate_sets(self.offsets, self.codes)))) < len(sizes):
            raise ModelError("a set is listed twice")
        if len(self.set_counts) and self.set_counts.max() > self.total:
            raise ModelError("a set occurs in more rows than there are in total")
        if (self.counts > np.minimum(self.left_counts, self.right_counts)).any():
            raise ModelError("a rule holds in more rows than one of its sides")
        empty = self.set_counts[sizes == 0]
        if ((empty > 0) & (empty != self.total)).any():
            raise ModelError("the empty set does not occur in every row")

    def _overlap(self) -> bool:
        """Return whether a rule has an item on both sides."""
        left, right = self._keys(self.left), self._keys(self.right)
        return len(np.intersect1d(left, right, assume_unique=True)) > 0

    def _keys(self, side: Codes) -> Rows:
        """Return a number for each item of a side of each rule."""
        sizes = np.diff(self.offsets)[side]
        rule = np.repeat(np.arange(len(self), dtype=np.int64), sizes)
        keys: Rows = rule * len(self.items) + self.codes[ranges(self.offsets[side], sizes)]
        return keys


def _share(part: Any, whole: Any) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Numbers = np.true_divide(part, whole)
    return out
