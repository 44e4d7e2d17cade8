"""Memberships: one regression model per class; the class with the largest prediction is predicted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.array_pools import into_pools, out_of_pools
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.decisions import TIE, decisions, reduce_rows, ties
from hedgerow.models.base.kinds import model_class
from hedgerow.models.base.model import About, ClassModel, NumberModel
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.linear.linear_classes import MEMBERSHIP, to_shares
from hedgerow.models.linear.text import quote_name
from hedgerow.models.trees.paths import find_paths
from hedgerow.models.trees.reason import NumberPathReason
from hedgerow.models.trees.tree import NumberTree

SHOWN = 20  # members that are printed
LARGEST = 1e300  # a membership beyond it counts as this


def number_schema(schema: Schema) -> Schema:
    """Return the schema with a number in place of the class."""
    column = schema.target_column
    return schema.with_columns({column.name: replace(column, kind=Kind.NUMERIC, levels=(), ordered=False)})


@dataclass(frozen=True, eq=False)
class Memberships(ClassModel):
    """Models of the membership of every class, in their order: numbers that are near 1 for its rows and 0 for others.

    Probabilities are these numbers, clipped to [0, 1] and divided by their sum; where none is above 0, the largest has
    all. The class of the largest number is decided for, the first of several.
    """

    members: tuple[NumberModel, ...]

    kind = "memberships"
    has_members: ClassVar[bool] = True
    display_name: ClassVar[str] = "one model per class"

    def __post_init__(self) -> None:
        if self.schema.target is None or self.schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("a model of memberships needs a nominal target")
        if len(self.members) != len(self.classes) or not self.members:
            raise ModelError(f"{len(self.classes)} classes need one model each, but there are {len(self.members)}")

    @property
    def size(self) -> int | None:
        """The total size of all members; None if one is unknown."""
        sizes = [one.size for one in self.members]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def columns_used(self) -> tuple[str, ...] | None:
        """Return the columns that some member uses; None if one is unknown."""
        counts: Counter[str] = Counter()
        for one in self.members:
            if one.columns_used() is None:
                return None
            counts.update(one.columns_used())
        return tuple(name for name in self.schema.names if name in counts)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:
        """Return the path in the tree of the predicted class, if its model is a tree."""
        one = self.members[classes.winner]
        if not isinstance(one, NumberTree):
            return super().reason(table, classes, contrast=contrast)
        return NumberPathReason(one, tuple(find_paths(one, table)), f"membership of {self.classes[classes.winner]}")

    def memberships(self, table: Any) -> Numbers:
        """Return the prediction of each class's model (columns) for every row."""
        return self._values(self.align(table))

    def scores(self, table: Table) -> Numbers:
        """Return the memberships clipped to [0, 1], divided by their sum."""
        out = self._values(table)
        to_shares(out, MEMBERSHIP)
        return out

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of the largest membership; clipping may hide which that is."""
        scores = self.scores(table) if scores is None else scores
        codes = decisions(scores)
        _, tied = ties(scores)
        if len(tied):
            values = self._values(table.take(tied))
            top = reduce_rows(np.maximum, values)[:, None]
            codes[tied] = (values >= top - TIE * np.maximum(np.abs(top), 1.0)).argmax(axis=1)
        return codes

    def _values(self, table: Table) -> Numbers:
        wanted = number_schema(self.schema).target_column
        requested_table = table.with_column(wanted, np.full(table.n_rows, np.nan))
        out = np.empty((table.n_rows, len(self.members)))
        for code, one in enumerate(self.members):
            out[:, code] = one.values(requested_table)
        if not np.isfinite(out).all():
            np.nan_to_num(out, copy=False, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
        return out

    def member_model(self, number: int) -> NumberModel:
        """Return the model of a class."""
        return self.members[number]

    def member(self, number: int) -> str:
        """Return a member's print under a line with its class; members are numbered from 0."""
        if not 0 <= number < len(self.members):
            raise ModelError(f"there is no member {number}; the members are numbered 0 to {len(self.members) - 1}")
        return f"membership of {quote_name(self.classes[number])}:\n\n{self.members[number]}"

    def __str__(self) -> str:
        lines = ["P(class): its membership, clipped to [0, 1] and normalized to sum to 1"]
        lines += ["\n" + self.member(number) for number in range(len(self.members))[:SHOWN]]
        if len(self.members) > SHOWN:
            left = len(self.members) - SHOWN
            lines.append(f"\n... and {left} more {'class' if left == 1 else 'classes'}; print(model.member({SHOWN}))")
        return "\n".join(lines)

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the parts; the arrays of all members lie end to end in `pools`, one a type."""
        members, pools = into_pools(self.own_parts()["members"])
        return {"members": members, "pools": pools}

    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong, for a model of models that has pools."""
        return {"members": [{"kind": one.kind, "parts": one.to_dict()} for one in self.members]}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "members", "pools")
        return cls.from_own_parts({"members": out_of_pools(parts["members"], parts["pools"])}, schema, about)

    @classmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the model from parts with arrays where they belong."""
        expect_parts(parts, "members")
        if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("a model of memberships needs a nominal target")
        listed = parts["members"]
        if not isinstance(listed, list):
            raise ModelError("the members of a model must be a list")
        own = number_schema(schema)
        return cls(schema, tuple(_member(one, own) for one in listed), about=about)


def _member(part: Any, schema: Schema) -> NumberModel:
    expect_parts(part, "kind", "parts")
    kind = part["kind"]
    member_class = model_class(kind)
    if member_class is None or not issubclass(member_class, NumberModel):
        raise ModelError(f"a member is of the kind {kind!r}, which predicts no numbers")
    if not isinstance(part["parts"], dict):
        raise ModelError(f"member of kind {kind!r}: its parts must be an object with named values")
    return member_class.from_dict(part["parts"], schema, About())
