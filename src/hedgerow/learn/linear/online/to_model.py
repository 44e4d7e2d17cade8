"""The model of an online learner: an ordinary design, and a coefficient for every name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers, Rows, Text
from hedgerow.data.text.hashed_counts import hash_terms_to_columns
from hedgerow.data.text.hashed_slots import LevelSlots, NumberSlots, TextSlots
from hedgerow.data.text.term_space import TermSpace
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.models.base.model import About
from hedgerow.models.linear.linear import Linear
from hedgerow.models.linear.linear_classes import LinearClasses
from hedgerow.models.linear.progressive_validation import ProgressiveFigures


def make_model(state: OnlineState, digits: int) -> Linear | LinearClasses:
    """Return the current model, with a minimum number of digits."""
    spaces = _spaces(state)
    parts, picked = _design_parts(state, spaces)
    design = Design(state.schema, parts)
    nothing = np.empty(0, dtype=np.int32)
    places = np.concatenate([np.zeros(1, dtype=np.int32), *picked])
    centered = np.flatnonzero(design.centers)
    middles = design.centers[centered]
    lines = (_to_user_scale(line, 1 + centered, middles, state, digits) for line in state.functions.lines(places))
    figures = _figures(state)
    about = About(notes=tuple(notes(state, spaces)))
    if not state.is_classes:
        (line,) = lines
        return Linear(state.schema, design, float(line[0]), line[1:], nothing, figures, about=about)
    if len(state.classes) < 2:
        empty = np.empty((0, design.width))
        return LinearClasses(state.schema, design, nothing, np.empty(0), empty, figures=figures, about=about)
    class_codes = np.concatenate(state.functions.told)
    intercepts, slopes = np.empty(len(class_codes)), np.empty((len(class_codes), design.width))
    for place, line in enumerate(lines):
        intercepts[place], slopes[place] = line[0], line[1:]
    functions = (class_codes, intercepts, slopes, state.link, state.temperature)
    return LinearClasses(state.schema, design, *functions, figures=figures, about=about)


def _to_user_scale(line: Numbers, centered: Rows, middles: Numbers, state: OnlineState, digits: int) -> Numbers:
    """Return the coefficients of a function, of numbers that are not centered, rounded."""
    line[0] -= float((line[centered] * middles).sum())
    if state.unit != 1:
        line *= state.unit
    line[0] += state.center
    return _kernels.round_significant(line, digits)


def _spaces(state: OnlineState) -> dict[str, TermSpace]:
    """Return the terms of all text columns."""
    columns = zip(state.schema.names, state.slots.columns, strict=True)
    return {name: state.space(name) for name, own in columns if isinstance(own, TextSlots)}


def _figures(state: OnlineState) -> ProgressiveFigures:
    """Return progressive validation: the predictions of rows that were seen for the first time."""
    rows, weight, mistakes, loss = state.validated.first
    shares = [figure / weight if weight > 0 else 0.0 for figure in (mistakes, loss)]
    wrong = min(shares[0], 1.0) if state.is_classes else None
    return ProgressiveFigures(rows, weight, wrong, shares[1], state.rule.loss, state.rows)


def _design_parts(
    state: OnlineState, spaces: Mapping[str, TermSpace]
) -> tuple[tuple[ColumnBlock | None, ...], list[Codes]]:
    """Return the parts of an ordinary design, and the slots of their positions."""
    parts: list[ColumnBlock | None] = []
    picked: list[Codes] = []
    gaps = state.gaps()
    for position, own in enumerate(state.slots.columns):
        column = state.schema.columns[position]
        part, slots = _part(state, column, own, gaps[position], spaces)
        parts.append(part)
        if slots is not None:
            picked.append(slots)
    return tuple(parts), picked


def _part(
    state: OnlineState, column: Column, own: Any, gap: bool, spaces: Mapping[str, TermSpace]
) -> tuple[ColumnBlock | None, Codes | None]:
    if isinstance(own, NumberSlots):
        counts = state.numbers.get(column.name, NumberCounts())
        slots = np.array([own.slot, own.gap] if gap else [own.slot], dtype=np.int32)
        return NumberBlock(own.center, counts.deviation, gap), slots
    if isinstance(own, LevelSlots):
        n = len(column.levels)
        return LevelBlock(np.arange(n, dtype=np.int32), -1, n, gap), own.slots[: n + gap]
    if isinstance(own, TextSlots):
        return TermBlock(spaces[column.name]), own.slots
    return None, None


class SlotNames:
    """The names of numbers, levels and hashed terms that occurred, and their slots."""

    def __init__(self, state: OnlineState, spaces: Mapping[str, TermSpace]) -> None:
        names, slots = state.slots.names()
        self._names: list[tuple[str, Sequence[str | None] | Text]] = [("", names)]
        slot_arrays = [slots]
        for column, own in zip(state.schema.names, state.slots.columns, strict=True):
            if isinstance(own, TextSlots) and (bits := spaces[column].tokens.bits) is not None:
                vocabulary = spaces[column].vocabulary
                self._names.append((f"{column}__", vocabulary))
                slot_arrays.append(own.slots[hash_terms_to_columns(vocabulary, bits)[0]])
        self.slots = np.concatenate(slot_arrays)

    def __getitem__(self, place: int) -> str:
        for head, names in self._names:
            if place < len(names):
                return f"{head}{names[place]}"
            place -= len(names)
        raise IndexError(place)

    @cached_property
    def _n_names_by_slot(self) -> Rows:
        """How many names each slot has."""
        return np.bincount(self.slots)

    @property
    def n_shared(self) -> int:
        """The number of names that share a slot with another one."""
        return int(self._n_names_by_slot[self._n_names_by_slot > 1].sum())

    def pair(self) -> tuple[str, str]:
        """Return two names that share the first shared slot."""
        slot = int(np.argmax(self._n_names_by_slot > 1))
        first, second = np.flatnonzero(self.slots == slot)[:2].tolist()
        return self[first], self[second]


def shared(state: OnlineState) -> tuple[int, int]:
    """Return how many names share a slot with another one, and how many names there are."""
    names = SlotNames(state, _spaces(state))
    return names.n_shared, len(names.slots)


def notes(state: OnlineState, spaces: Mapping[str, TermSpace] | None = None) -> list[str]:
    """Return notes: which names share a coefficient, and whether the rows seem to be sorted."""
    names = SlotNames(state, _spaces(state) if spaces is None else spaces)
    runs: list[str] = state.validated.runs.notes()
    if not names.n_shared:
        return runs
    first, second = names.pair()
    better = "more bits" if state.bits is None else "more bits, or bits=none,"
    note = (
        f"{names.n_shared:,} of {len(names.slots):,} names share one of the 2^{state.tokens.bits} slots, and so a "
        f"coefficient, with another name, such as {first!r} and {second!r}; {better} would separate them"
    )
    return [note, *runs]
