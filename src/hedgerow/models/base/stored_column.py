"""StoredColumn: the base of the columns of models that store rows or directions, with their parts in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from hedgerow.data.table.schema import Column, Kind


class StoredColumn(ABC):
    """One column as a model stores it."""

    kind: ClassVar[str]
    fits: ClassVar[Kind]

    @abstractmethod
    def describe(self) -> str:
        """Return the description of the column, such as how its values are compared."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the column's parts."""

    @classmethod
    @abstractmethod
    def from_dict(cls, parts: Mapping[str, Any], column: Column) -> Self:
        """Build the column from its parts, checking them."""
