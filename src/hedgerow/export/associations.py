"""Item sets and association rules as tables in files: CSV for spreadsheets, Arrow and Parquet for data frames.

In CSV a set is written as it prints, `{bread, butter}`; the Arrow formats hold lists of items.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

from hedgerow.data.aside import aside
from hedgerow.errors import UsageError
from hedgerow.models.association_rules import AssociationRules
from hedgerow.models.item_sets import ItemSets
from hedgerow.models.set_parts import each_set

Found = ItemSets | AssociationRules
MODEL_ENDINGS = (".hedge", ".json")


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name, which must be one that item sets and rules can be written to."""
    ending = Path(path).suffix.lower()
    if ending not in (*MODEL_ENDINGS, *WRITERS):
        known = ", ".join((*MODEL_ENDINGS, *WRITERS))
        raise UsageError(f"{os.fspath(path)}: the name must end in one of {known}")
    return ending


def write_associations(found: Found, path: str | os.PathLike[str]) -> None:
    """Write item sets or rules in the form that the ending of the path names; whole, or not at all."""
    ending = check_ending(path)
    if ending in MODEL_ENDINGS:
        found.save(os.fspath(path))
        return
    try:
        with aside(path) as stream:
            WRITERS[ending](found, stream)
    except OSError as error:
        raise UsageError(f"{os.fspath(path)} cannot be written: {error.strerror or error}") from None


def _csv(found: Found, stream: IO[bytes]) -> None:
    from hedgerow.data.formats.association_files import write_csv

    sets = [found.items.text(codes) for codes in each_set(found.offsets, found.codes)]
    sides = {"items": None} if isinstance(found, ItemSets) else {"antecedent": found.left, "consequent": found.right}
    write_csv(found.to_arrow(), sets, sides, stream)


def _arrow(found: Found, stream: IO[bytes]) -> None:
    from hedgerow.data.formats.association_files import write_arrow

    write_arrow(found.to_arrow(), stream)


def _parquet(found: Found, stream: IO[bytes]) -> None:
    from hedgerow.data.formats.association_files import write_parquet

    write_parquet(found.to_arrow(), stream)


WRITERS: dict[str, Callable[[Found, IO[bytes]], None]] = {
    ".csv": _csv,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".parquet": _parquet,
}
