"""BagModel: a model of bags around a model of single rows."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.data.bags.instances import bag_position
from hedgerow.data.table.schema import Kind
from hedgerow.errors import ModelError
from hedgerow.models.base.model import ClassModel
from hedgerow.models.many.composite import Composite


@dataclass(frozen=True, eq=False)
class BagModel(Composite):
    """Models of bags; the first member is the model of rows derived from them."""

    def check_bags(self) -> None:
        """Raise an error unless there is one column of bags at most, and no bag contains others."""
        place = bag_position(self.schema)
        inner = None if place is None else self.schema.columns[place].inner
        if inner is not None and any(column.kind is Kind.BAG for column in inner.columns):
            raise ModelError("a model of bags cannot hold bags inside bags")

    @property
    def base(self) -> ClassModel:
        """The model inside."""
        return self.members[0]

    @property
    def size(self) -> int | None:  # type: ignore[override]
        """How large the model inside is."""
        return self.base.size

    @property
    def abstains(self) -> bool:
        """Whether the model inside may leave rows without a prediction."""
        return self.base.abstains

    def columns_used(self) -> tuple[str, ...] | None:
        """Return the columns that the model uses: bags if the inner model uses any column derived from them."""
        used, place, names = self.base.columns_used(), bag_position(self.schema), self.schema.names
        if used is None:
            return None
        beside = {name for at, name in enumerate(names) if at != place}
        looks = any(name not in beside for name in used)
        return tuple(name for at, name in enumerate(names) if (looks if at == place else name in used))
