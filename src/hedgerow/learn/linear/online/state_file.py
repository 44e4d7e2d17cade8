"""The state of an online learner as JSON values and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.schema import Schema
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.hashed_slots import ALL_BITS, LevelSlots, NumberSlots, TextSlots
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import Weighting
from hedgerow.data.text.tokens import Tokens, text_from_kernel
from hedgerow.errors import ModelError
from hedgerow.learn.linear.online.online_state import LARGEST, OnlineState
from hedgerow.learn.linear.online.progressive_validation import ProgressiveValidation
from hedgerow.learn.linear.online.term_names import OnlineTerms
from hedgerow.learn.linear.online.update_rule import OnlineRule
from hedgerow.models.base.term_parts import space_of, space_parts
from hedgerow.models.files.manifest import DAMAGE

MOST_SLOTS = 1 << 28


def state_parts(state: OnlineState) -> dict[str, Any]:
    """Return the complete state, from which `read_state` restores it exactly."""
    functions = state.functions
    return {
        "schema": state.schema.to_dict(),
        "rule": asdict(state.rule),
        "bits": state.bits,
        "tokens": state.tokens.to_dict(),
        "weighting": asdict(state.weighting),
        "spaces": {name: space_parts(space) for name, space in state.spaces.items()},
        "unused": sorted(state.unused),
        "target": [state.center, state.unit],
        "slots": [_slot_parts(own) for own in state.slots.columns],
        "n_slots": state.slots.n,
        "met": list(state.met),
        **state.validated.to_dict(),
        "numbers": {name: [getattr(c, f.name) for f in fields(c)] for name, c in state.numbers.items()},
        "missing": sorted(state.missing),
        "terms": {name: [_count_parts(part) for part in parts] for name, parts in state.terms.parts().items()},
        "told": [class_codes.copy() for class_codes in functions.told],
        "cells": [cells.view(np.int32).copy() for cells in functions.cells],
        "seen": [seen.copy() for seen in functions.seen],
        "sums": [sums.copy() for sums in functions.sums],
    }


def read_state(parts: Mapping[str, Any]) -> OnlineState:
    """Build a state from `state_parts`; inconsistent parts raise an error."""
    try:
        return _read_state(parts)
    except DAMAGE as problem:
        raise ModelError(f"the state of an online learner is damaged: {problem}") from None


def _read_state(parts: Mapping[str, Any]) -> OnlineState:
    state = OnlineState(
        Schema.from_dict(parts["schema"]),
        _read_rule(parts["rule"]),
        bits=parts["bits"],
        tokens=Tokens.from_dict(parts["tokens"]),
        weighting=Weighting(**parts["weighting"]),
        spaces={name: space_of(space) for name, space in parts["spaces"].items()},
        unused=frozenset(parts["unused"]),
        target=(float(parts["target"][0]), float(parts["target"][1])),
    )
    columns = tuple(_read_slots(own) for own in parts["slots"])
    n = int(parts["n_slots"])
    if len(columns) != len(state.schema) or not 0 < n <= MOST_SLOTS:
        raise ModelError("its slots do not match its columns")
    for column, own, expected in zip(state.schema.columns, columns, state.slots.columns, strict=True):
        if type(own) is not type(expected) or not _fits(own, len(column.levels), n):
            raise ModelError(f"the slots of its column {column.name!r} do not match")
    state.slots = replace(state.slots, columns=columns, n=n)
    state.met = (int(parts["met"][0]), float(parts["met"][1]))
    state.validated = ProgressiveValidation.from_dict(parts)
    state.numbers = {name: _number_counts(counts) for name, counts in parts["numbers"].items()}
    state.missing = set(parts["missing"])
    terms = {name: [_read_counts(one) for one in each] for name, each in parts["terms"].items()}
    state.terms = OnlineTerms.of(terms)
    cells = [np.ascontiguousarray(one, dtype=np.int32).view(np.float32).copy() for one in parts["cells"]]
    class_codes = [np.array(one, dtype=np.int32) for one in parts["told"]]
    seen, sums = ([np.array(one, dtype=np.float64) for one in parts[name]] for name in ("seen", "sums"))
    state.functions.restore(class_codes, cells, seen, sums, n)
    return state


def _number_counts(parts: Any) -> NumberCounts:
    if not all(type(part) in (int, float) for part in parts):
        raise ModelError("the scaling of a numeric column is not a list of numbers")
    return NumberCounts(*parts)


def _read_rule(parts: Any) -> OnlineRule:
    if set(parts) != {one.name for one in fields(OnlineRule)}:
        raise ModelError("its rule is incomplete")
    return OnlineRule(**parts)


def _slot_parts(own: Any) -> Any:
    if isinstance(own, NumberSlots):
        return {"number": [own.slot, own.gap, own.center]}
    if isinstance(own, LevelSlots):
        return {"levels": own.slots.copy()}
    return None if own is None else {"text": [own.base, own.mask, own.size]}


def _read_slots(parts: Any) -> Any:
    if parts is None:
        return None
    ((kind, values),) = parts.items()
    if kind == "levels":
        return LevelSlots(np.array(values, dtype=np.int32))
    if kind == "number":
        return NumberSlots(int(values[0]), int(values[1]), float(values[2]))
    return {"text": TextSlots}[kind](*(int(value) for value in values))


def _fits(own: Any, levels: int, n: int) -> bool:
    """Return whether the slots of a column are among n, that of the constant left out."""
    if isinstance(own, NumberSlots):
        return 0 < own.slot < n and 0 < own.gap < n and abs(own.center) <= LARGEST
    if isinstance(own, LevelSlots):
        return own.slots.shape == (levels + 1,) and bool(((own.slots > 0) & (own.slots < n)).all())
    if isinstance(own, TextSlots):
        sound = 0 <= own.size < n and 0 <= own.base <= ALL_BITS and 0 <= own.mask <= ALL_BITS
        return sound and (not own.size or 0 < int(own.slots.min()) <= int(own.slots.max()) < n)
    return True


def _count_parts(counts: HashedCounts) -> dict[str, Any]:
    names = counts.names
    return {
        "bits": counts.bits,
        "n_rows": counts.n_rows,
        "rows": counts.rows,
        "letters": names.vocabulary.data,
        "offsets": names.vocabulary.offsets,
        "names": [names.n_rows, names.rows, names.totals],
    }


def _read_counts(parts: Mapping[str, Any]) -> HashedCounts:
    vocabulary = text_from_kernel(
        np.array(parts["letters"], dtype=np.uint8), np.array(parts["offsets"], dtype=np.int64)
    )
    n_rows, rows, totals = parts["names"]
    names = TermCounts(vocabulary, n_rows, np.array(rows, dtype=np.float64), np.array(totals, dtype=np.float64))
    return HashedCounts(int(parts["bits"]), float(parts["n_rows"]), np.array(parts["rows"], dtype=np.float64), names)
