"""Designs as parts of model files, and their checks when they come back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.cut_block import CutBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import codes_part, expect_parts, numbers_part
from hedgerow.models.base.term_parts import PARTS, space_of, space_parts

KINDS = {"number": Kind.NUMERIC, "cuts": Kind.NUMERIC, "levels": Kind.NOMINAL, "terms": Kind.TEXT}
MOST_WIDTH = 1 << 31


def design_parts(design: Design) -> list[Any]:
    """Return a design as JSON values and arrays, one entry per column."""
    return [None if part is None else _parts(part) for part in design.parts]


def _parts(part: ColumnBlock) -> dict[str, Any]:
    if isinstance(part, NumberBlock):
        return {"kind": "number", "mean": part.mean, "scale": part.scale, "gaps": part.gaps}
    if isinstance(part, LevelBlock):
        return {"kind": "levels", "coded": part.coded, "base": part.base, "gaps": part.gaps}
    if isinstance(part, CutBlock):
        return {"kind": "cuts", "cuts": part.cuts, "gaps": part.gaps}
    assert isinstance(part, TermBlock)
    return {"kind": "terms", **space_parts(part.space)}


def design_of(listed: Any, schema: Schema) -> Design:
    """Return the design with these parts; inconsistent parts raise an error."""
    if not isinstance(listed, list) or len(listed) != len(schema):
        raise ModelError("the design needs one entry per column")
    parts = tuple(
        None if one is None else _part(one, column, column.name == schema.target)
        for one, column in zip(listed, schema.columns, strict=True)
    )
    design = Design(schema, parts)
    if design.width >= MOST_WIDTH:
        raise ModelError("its design has too many entries")
    return design


def _part(parts: Any, column: Column, is_target: bool) -> ColumnBlock:
    kind = parts.get("kind") if isinstance(parts, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelError(f"column {column.name!r} has an unknown kind in the design")
    if KINDS[kind] is not column.kind or is_target:
        raise ModelError(f"column {column.name!r} cannot be {kind!r} in the design")
    if kind == "number":
        return _number(parts, column)
    if kind == "levels":
        return _levels(parts, column)
    if kind == "cuts":
        return _cuts(parts, column)
    expect_parts(parts, "kind", *PARTS)
    return TermBlock(space_of({name: parts[name] for name in PARTS}))


def _number(parts: dict[str, Any], column: Column) -> NumberBlock:
    expect_parts(parts, "kind", "mean", "scale", "gaps")
    mean, scale = (number_part(parts, name) for name in ("mean", "scale"))
    if not (abs(mean) <= LARGEST and 0 <= scale <= 2 * LARGEST):
        raise ModelError(f"mean and scale of column {column.name!r} are out of range")
    return NumberBlock(mean, scale, _flag(parts, "gaps"))


def _cuts(parts: dict[str, Any], column: Column) -> CutBlock:
    expect_parts(parts, "kind", "cuts", "gaps")
    cuts = numbers_part(parts, "cuts", None)
    if not len(cuts) or (cuts[1:] <= cuts[:-1]).any():
        raise ModelError(f"the cut points of column {column.name!r} must ascend")
    return CutBlock(cuts, _flag(parts, "gaps"))


def _levels(parts: dict[str, Any], column: Column) -> LevelBlock:
    expect_parts(parts, "kind", "coded", "base", "gaps")
    coded = codes_part(parts, "coded", np.int32, None, len(column.levels))
    base = parts["base"]
    if (np.diff(coded) <= 0).any():
        raise ModelError(f"the levels of column {column.name!r} must ascend")
    if type(base) is not int or not -1 <= base < len(column.levels) or base in coded:
        raise ModelError(f"the reference level of column {column.name!r} is not one of its levels")
    return LevelBlock(coded, base, len(column.levels), _flag(parts, "gaps"))


def number_part(parts: dict[str, Any], name: str) -> float:
    """Return a finite number."""
    value: Any = parts.get(name)
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise ModelError(f"its part {name!r} must be a finite number")
    return float(value)


def _flag(parts: dict[str, Any], name: str) -> bool:
    if type(parts[name]) is not bool:
        raise ModelError(f"its part {name!r} must be true or false")
    return bool(parts[name])
