"""DataFaults: what new data lack of the columns and values that a model expects, and the notes on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Protocol

from hedgerow.data.table.schema import Kind, Schema, listing
from hedgerow.data.table.schema_notes import bags_hint
from hedgerow.errors import DataError

SHOWN = 3  # lines that a note lists


class UsedColumns(Protocol):
    """What a model tells about the columns that it uses."""

    def names(self) -> Collection[str] | None:
        """Return the columns that the model uses; None if unknown."""

    def importance(self, name: str) -> str:
        """Return how much a column matters to the model, as a part of a sentence; empty if unknown."""


class DataFaults:
    """The faults of new data: absent columns, names written differently, values that are not numbers.

    They are collected while the data are read, batch by batch, and reported by `notes`.

    Parameters
    ----------
    used
        What the model tells about its columns. Those that it does not use may be absent.
    target
        The target of the model, which may be absent.
    kept
        Columns that must be there, whether the model uses them or not.
    copied
        Columns whose values are read, whether the model uses them or not.
    strict
        Whether an absent column that the model uses and a value that is not a number are errors.
    """

    def __init__(
        self,
        used: UsedColumns,
        target: str | None,
        *,
        kept: Collection[str] = (),
        copied: Collection[str] = (),
        strict: bool = False,
    ) -> None:
        self.columns, self.target, self.kept, self.strict = used, target, kept, strict
        self.read = {*kept, *copied, *filter(None, [target])}
        self._absent: dict[str, None] = {}
        self._present: set[str] = set()
        self._renamed: dict[str, str] = {}
        self._words: Counter[str] = Counter()
        self._places: dict[str, list[str]] = {}
        self._what: dict[str, str] = {}

    @cached_property
    def used(self) -> Collection[str] | None:
        """The columns that the model uses; None if unknown."""
        return self.columns.names()

    def reads(self, name: str) -> bool:
        """Return whether the values of a column are of any use."""
        return self.used is None or name in self.used or name in self.read

    def rename(self, names: Sequence[str], schema: Schema, where: str = "") -> tuple[str, ...]:
        """Return the names of the data's columns as the model writes them; absent columns are recorded or raise."""
        matched = match_names(names, schema.names)
        self._renamed.update({has: wanted for has, wanted in matched.items() if has != wanted})
        renamed = tuple(matched.get(name, name) for name in names)
        self._check_present(set(renamed), names, schema, where)
        return renamed

    def _check_present(self, present: Collection[str], names: Sequence[str], schema: Schema, where: str) -> None:
        kept = [name for name in self.kept if name not in present]
        if kept:
            near = get_close_matches(kept[0], names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the columns are {listing(names)}"
            raise DataError(f"{where or 'the data'}: there is no column {kept[0]!r} to keep; {hint}")
        expected = [c.name for c in schema.columns if not c.ignored and c.name != self.target]
        self._present.update(name for name in expected if name in present)
        if all(name in present for name in expected):
            return
        needed = [name for name in expected if self.used is None or name in self.used]
        absent = [name for name in needed if name not in present]
        bags = [name for name in absent if schema[name].kind is Kind.BAG]
        if absent and (self.strict or bags or len(absent) == len(needed)):
            lack, they = (f"{where} lacks", "it has") if where else ("the data lack", "they have")
            raise DataError(
                f"{lack} {_count_columns(len(absent), len(needed))} that the model needs: {listing(absent)}; "
                f"{they} {listing(names)}{bags_hint(absent, schema)}"
            )
        self._absent.update(dict.fromkeys(absent))

    def add_words(self, name: str, count: int, places: Sequence[int], unit: str = "line", what: str = "number") -> None:
        """Count values of a column that are not numbers, or not dates; `places` are the first lines or rows of them."""
        if not count or not (self.used is None or name in self.used):
            return
        self._words[name] += count
        listed = self._places.setdefault(name, [])
        listed += [f"{place:,}" for place in places[: SHOWN - len(listed)]]
        self._what[name] = f"{unit} {what}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on all faults, a sentence each."""
        renamed = [f"column {has!r} is used as the model's column {name!r}" for has, name in self._renamed.items()]
        absent = [self._absent_note(name) for name in self._absent if name not in self._present]
        return (*renamed, *absent, *map(self._words_note, self._words))

    def _absent_note(self, name: str) -> str:
        matters = self.columns.importance(name)
        return f"there is no column {name!r}, which the model uses{matters and f' ({matters})'}: treated as missing"

    def _words_note(self, name: str) -> str:
        count, places, (unit, what) = self._words[name], self._places[name], self._what[name].split(" ")
        cells = f"1 cell of {name!r} is no {what}" if count == 1 else f"{count:,} cells of {name!r} are no {what}s"
        more = ", ..." if count > len(places) else ""
        return f"{cells} ({unit}{'s' * (count > 1)} {', '.join(places)}{more}): treated as missing"


def _count_columns(count: int, of: int) -> str:
    return f"{'all ' * (count == of > 1)}{count} column{'s' * (count > 1)}"


def match_names(names: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """Return the wanted name of each column that has one, regardless of case and blanks unless that is ambiguous."""
    known = set(wanted)
    matched = {name: name for name in names if name in known}
    free = Counter(_fold(name) for name in names if name not in matched)
    open_names = [name for name in wanted if name not in matched]
    by_fold = {_fold(name): name for name in open_names}
    count = Counter(map(_fold, open_names))
    for name in names:
        key = _fold(name)
        if name not in matched and free[key] == 1 and count[key] == 1:
            matched[name] = by_fold[key]
    return matched


def _fold(name: str) -> str:
    return " ".join(name.split()).casefold()
