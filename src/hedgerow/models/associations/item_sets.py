"""ItemSets: sets of items that occur together, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.baskets import ranges, starts_from_sizes
from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.associations.set_arrays import (
    ITEM_PARTS,
    counts_part,
    items_from_parts,
    items_to_parts,
    iterate_sets,
    number_part,
    pack_sets,
    sets_from_parts,
    text_part,
)
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.model import About, Model
from hedgerow.models.base.rule import percent_text

WHICH = ("all", "closed", "maximal")  # in the kernel's order
SHOWN = 100  # default number of sets that are printed


@dataclass(frozen=True, eq=False, repr=False)
class ItemSets(Model):
    """Sets of items with the number (or weight) of rows that contain them.

    Parameters
    ----------
    items
        The items of the sets.
    offsets, codes
        Set i holds the items `codes[offsets[i]:offsets[i + 1]]`. Sets are in the order of their size, then of their
        items.
    counts
        The rows that contain each set: whole numbers, or weights.
    total
        All rows, or their weight.
    which
        All sets, the closed ones (no larger set has the same count) or the maximal ones (no larger set is frequent).
    bound
        All sets with at least this count are included.
    ended
        Why the search ended early, if it did.
    """

    items: Items
    offsets: Rows
    codes: Codes
    counts: NDArray[Any]
    total: float
    which: str = "all"
    bound: float = 1
    ended: str = ""

    kind: ClassVar[str] = "item_sets"

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.counts) + 1 or self.offsets[-1] != len(self.codes):
            raise ModelError(f"{len(self.counts)} counts do not match {len(self.offsets) - 1} sets")
        if self.which not in WHICH:
            raise ModelError(f"item sets are all, closed or maximal, not {self.which!r}")

    @classmethod
    def of(
        cls,
        items: Items,
        offsets: Rows,
        codes: Codes,
        counts: NDArray[Any],
        total: float,
        *,
        which: str = "all",
        bound: float = 1,
        ended: str = "",
        about: About | None = None,
    ) -> Self:
        """Return sets over items, with the schema of the items."""
        return cls(items.schema, items, offsets, codes, counts, total, which, bound, ended, about=about or About())

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        which = "" if self.which == "all" else f"{self.which} "
        return f"<ItemSets: {len(self):,} {which}sets of {len(self.items):,} items>"

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield each set's items, without quotes, and its count."""
        names = self.items.labels
        for codes, count in zip(iterate_sets(self.offsets, self.codes), self.counts.tolist(), strict=True):
            yield tuple(names[code] for code in codes), count

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int | None = SHOWN) -> str:
        """Return one set per line, with its support and count; the first `most`, or all."""
        shown = len(self) if most is None else min(most, len(self))
        support, counts = self.support[:shown].tolist(), self.counts[:shown].tolist()
        lines = [
            f"{self.items.text(codes)}  # support {percent_text(share)}, count {format_number(float(count))}"
            for codes, share, count in zip(iterate_sets(self.offsets, self.codes, shown), support, counts, strict=True)
        ]
        if shown < len(self):
            lines.append(f"… and {len(self) - shown:,} more")
        return "\n".join(lines) or "no item sets"

    @property
    def size(self) -> int:
        """How many sets there are."""
        return len(self)

    @property
    def sizes(self) -> Rows:
        """How many items each set has."""
        return np.diff(self.offsets)

    @property
    def support(self) -> Numbers:
        """The share of all rows that contain each set."""
        return self.counts / self.total if self.total else np.zeros(len(self))

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns whose items occur, in the schema's order."""
        return item_column_names(self.items, self.codes)

    def take(self, which: NDArray[Any]) -> Self:
        """Return some of the sets, by position or by mask; in ascending order."""
        rows = np.flatnonzero(which) if which.dtype == np.bool_ else which.astype(np.int64)
        sizes = self.sizes[rows]
        return type(self).of(
            self.items,
            starts_from_sizes(sizes),
            self.codes[ranges(self.offsets[rows], sizes)],
            self.counts[rows],
            self.total,
            which=self.which,
            bound=self.bound,
            ended=self.ended,
            about=self.about,
        )

    def find(self, sets: Iterable[Iterable[str | int]]) -> Rows:
        """Return the position of each of several sets, given by names or codes of items; -1 if it is not among them."""
        return self.positions(*pack_sets(self.items, sets))

    def count(self, *items: str | int) -> float | None:
        """Return the count of the set of these items; None if it is not among the sets."""
        [place] = self.find([items]).tolist()
        value: float | None = None if place < 0 else self.counts[place].item()
        return value

    def positions(self, offsets: Rows, codes: Codes) -> Rows:
        """Return the same for sets given as arrays."""
        out = np.full(len(offsets) - 1, -1, dtype=np.int64)
        sizes, wanted = self.sizes, np.diff(offsets)
        for size in np.unique(wanted).tolist():
            start, stop = np.searchsorted(sizes, [size, size + 1]).tolist()
            positions = np.flatnonzero(wanted == size)
            if start == stop or not size:
                continue
            known = _sortable(self.codes[self.offsets[start] : self.offsets[stop]], size)
            keys = _sortable(codes[offsets[positions][:, None] + np.arange(size)].ravel(), size)
            place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            out[positions] = np.where(known[place] == keys, place + start, -1)
        return out

    def to_arrow(self) -> Any:
        """Return an Arrow table: items (a list of words of a dictionary), size, count and support."""
        from hedgerow.data.frames.arrow_items import item_table

        numbers = {"size": self.sizes, "count": self.counts, "support": self.support}
        return item_table(self.items.labels, (self.offsets, self.codes), numbers, {"items": None})

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            **items_to_parts(self.items),
            "offsets": self.offsets,
            "codes": self.codes,
            "counts": self.counts,
            "total": float(self.total),
            "which": self.which,
            "bound": float(self.bound),
            "ended": self.ended,
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the sets from `to_dict`'s parts, checking every one of them."""
        expect_parts(parts, *ITEM_PARTS, "offsets", "codes", "counts", "total", "which", "bound", "ended")
        items = items_from_parts(parts, schema)
        offsets, codes = sets_from_parts(parts, len(items))
        counts = counts_part(parts, "counts", len(offsets) - 1)
        total = number_part(parts, "total")
        if len(counts) and counts.max() > total:
            raise ModelError("a set occurs in more rows than there are in total")
        model = cls.of(
            items,
            offsets,
            codes,
            counts,
            total,
            which=text_part(parts, "which"),
            bound=number_part(parts, "bound"),
            ended=text_part(parts, "ended"),
            about=about,
        )
        check_order(offsets, codes)
        return model


def check_order(offsets: Rows, codes: Codes) -> None:
    """Raise an error unless sets are not empty, distinct, and in the order of their sizes, then of their items."""
    sizes = np.diff(offsets)
    if len(sizes) and (sizes[0] < 1 or (np.diff(sizes) < 0).any()):
        raise ModelError("its sets are not sorted by size")
    for size in np.unique(sizes).tolist():
        start, stop = np.searchsorted(sizes, [size, size + 1]).tolist()
        keys = _sortable(codes[offsets[start] : offsets[stop]], size)
        if not (keys[1:] > keys[:-1]).all():
            raise ModelError("its sets are not sorted by their items, or one occurs twice")


def item_column_names(items: Items, codes: Codes) -> tuple[str, ...]:
    """Return the columns that items come from, in the schema's order."""
    used = np.zeros(len(items), dtype=np.bool_)
    used[codes] = True
    return tuple(name for name in items.schema.names if used[items.of_column(name)].any())


def _sortable(codes: Codes, size: int) -> NDArray[Any]:
    """Return sets of one size as bytes, whose order is that of the items."""
    return np.frombuffer(codes.astype(">u4").tobytes(), dtype=f"S{4 * size}")
