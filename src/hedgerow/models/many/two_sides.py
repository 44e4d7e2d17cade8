"""Sides: the classes that a machine of a class code has on -1 and on +1, as a target of two levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes
from hedgerow.models.many.class_codes import CodeMatrix

LONGEST_SIDE = 40  # letters of the classes of a side, if its name lists them


def side_schema(schema: Schema, codes: CodeMatrix, machine: int) -> Schema:
    """Return the schema of a member: the target has its two sides as levels."""
    column = schema.target_column
    levels = side_names(codes, machine, column.levels)
    return schema.with_columns({column.name: replace(column, levels=levels, ordered=False)})


def side_names(codes: CodeMatrix, machine: int, classes: tuple[str, ...]) -> tuple[str, str]:
    """Return the names of a machine's sides -1 and +1.

    >>> codes, classes = CodeMatrix.one_vs_rest(3), ("red", "blue", "green")
    >>> side_names(codes, 1, classes), side_names(CodeMatrix.pairs(3), 1, classes)
    (('not blue', 'blue'), ('red', 'green'))
    """
    minus, plus = codes.sides(machine)
    if len(plus) == 1 and len(minus) + 1 == codes.n_used and len(minus) != 1:
        names = f"not {classes[plus[0]]}", classes[plus[0]]
    else:
        names = _side_name(minus, classes), _side_name(plus, classes)
    return names if names[0] != names[1] else (f"not {names[1]}", names[1])


def _side_name(side: tuple[int, ...], classes: tuple[str, ...]) -> str:
    listed = ", ".join(classes[code] for code in side[:LONGEST_SIDE])
    if len(side) > 1 and len(listed) > LONGEST_SIDE:
        return f"{len(side)} classes with {classes[side[0]]}"
    return listed


def classes_to_sides(codes: CodeMatrix, machine: int, labels: Codes) -> Codes:
    """Return the side of every row by its class: 0 for -1, 1 for +1, -1 for classes that the machine does not see."""
    of_class = np.array([0, -1, 1], dtype=np.int32)[codes.entries[machine] + 1]
    return np.asarray(of_class[labels])
