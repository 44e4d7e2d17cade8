"""Composite: a model of classes that consists of other models of classes, its members."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hedgerow.data.table.schema import Schema
from hedgerow.errors import ModelError
from hedgerow.models.base.array_pools import into_pools, out_of_pools
from hedgerow.models.base.checked_parts import expect_parts
from hedgerow.models.base.kinds import model_class
from hedgerow.models.base.model import About, ClassModel, with_parsed_decisions
from hedgerow.models.base.rule_figures import LEARNERS

MOST_NESTED = 3  # composites of composites of composites


@dataclass(frozen=True, eq=False)
class Composite(ClassModel):
    """Models that decide together.

    A subclass names its own parts, gives (`own_parts`) and takes them (`from_own_parts`); the arrays of all members lie
    in a few pools, which the composites inside a composite share.
    """

    members: tuple[ClassModel, ...]

    has_members: ClassVar[bool] = True
    own_fields: ClassVar[tuple[str, ...]]  # parts, `members` among them

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.members)

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.members)

    def __iter__(self) -> Iterator[ClassModel]:
        """Iterate over the members."""
        return iter(self.members)

    def columns_used(self) -> tuple[str, ...] | None:
        """Return the columns that some member looks at."""
        uses = self.uses
        return tuple(name for name in self.schema.names if name in uses)

    @property
    def uses(self) -> Counter[str]:
        """The number of members that use each column, as far as they report it."""
        return Counter(name for one in self.members for name in one.columns_used() or ())

    def no_rules(self) -> str:
        """Return the error message for a model without rules: the reason, and what to do."""
        return (
            f"{self.display_name} of {len(self.members)} members has no rules of its own, since its members "
            "vote; `hedgerow "
            f"show FILE --member 0` prints one of them, and {LEARNERS}"
        )

    @property
    def nesting(self) -> int:
        """The nesting depth of composites, including this one."""
        return 1 + max(one.nesting if isinstance(one, Composite) else 0 for one in self.members)

    def member(self, number: int) -> str:
        """Return a member's print under a line on its purpose; members are numbered from 0."""
        if not 0 <= number < len(self.members):
            raise ModelError(f"there is no member {number}; the members are numbered 0 to {len(self.members) - 1}")
        return f"Member {number} of {len(self.members)}, {self.describe_member(number)}\n\n{self.members[number]}"

    def member_model(self, number: int) -> ClassModel:
        """Return a member."""
        return self.members[number]

    @abstractmethod
    def describe_member(self, number: int) -> str:
        """Return the description of a member that precedes its print."""

    def to_dict(self) -> dict[str, Any]:
        """Return the parts; the arrays of all members lie end to end in `pools`, one a type."""
        own = self.own_parts()
        own["members"], pools = into_pools(own["members"])
        return {**own, "pools": pools}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from `to_dict`'s parts, checking every one of them."""
        expect_parts(parts, *cls.own_fields, "pools")
        own = {name: parts[name] for name in cls.own_fields}
        return cls.from_own_parts({**own, "members": out_of_pools(parts["members"], parts["pools"])}, schema, about)

    @abstractmethod
    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong."""

    @classmethod
    @abstractmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the model from `own_parts`, checking every one of them."""

    def member_parts(self) -> list[dict[str, Any]]:
        """Return the kind and the parts of every member; one that has members too shares the outer one's pools."""
        return [_member_dict(one) for one in self.members]

    @classmethod
    def check_member_list(cls, parts: Any, most: int) -> list[Any]:
        """Return the parts of the members, which must be a list of at most so many."""
        expect_parts(parts, *cls.own_fields)
        members = parts["members"]
        if not isinstance(members, list) or len(members) > most:
            raise ModelError(f"the members of {cls.display_name} must be a list of at most {most:,}")
        return members

    @classmethod
    def build_member(cls, part: Any, schema: Schema) -> ClassModel:
        """Build a member of this schema from one of `member_parts`."""
        expect_parts(part, "kind", "parts", may_have=("decisions",))
        kind = part["kind"]
        member_class = model_class(kind)
        if member_class is None or not issubclass(member_class, ClassModel):
            raise ModelError(f"a member of {cls.display_name} is of the kind {kind!r}, which predicts no classes")
        if not isinstance(part["parts"], dict):
            raise ModelError(f"member of kind {kind!r}: its parts must be an object with named values")
        model: ClassModel = getattr(member_class, "from_own_parts", member_class.from_dict)(
            part["parts"], schema, About()
        )
        return with_parsed_decisions(model, part["decisions"]) if "decisions" in part else model

    def check_members(self, most: int) -> None:
        """Raise unless there are members, not too many, all models of classes, and not too deep in one another."""
        if not 0 < len(self.members) <= most:
            raise ModelError(f"{self.display_name} has 1 to {most:,} members, not {len(self.members):,}")
        for number, one in enumerate(self.members):
            if not isinstance(one, ClassModel):
                raise ModelError(
                    f"member {number} of {self.display_name} is {type(one).__name__}, which predicts no classes"
                )
        if self.nesting > MOST_NESTED:
            raise ModelError(f"models of models can be nested at most {MOST_NESTED} deep")

    def share_schema(self, number: int, schema: Schema) -> ClassModel:
        """Return a member under this very schema, which must equal its own: a table is aligned for many at once."""
        one = self.members[number]
        if one.schema is schema:
            return one
        if one.schema != schema:
            raise ModelError(
                f"member {number} of {self.display_name} was trained on other columns than {self.display_name}"
            )
        return replace(one, schema=schema)


def _member_dict(member: ClassModel) -> dict[str, Any]:
    """Return a member's kind and parts, and the thresholds or costs by which it decides, if any."""
    parts = {"kind": member.kind, "parts": getattr(member, "own_parts", member.to_dict)()}
    return parts if member.decides_by is None else {**parts, "decisions": member.decides_by.to_dict()}
