"""Item sets and association rules as tables in files: CSV for spreadsheets, Arrow and Parquet for data frames.

In CSV a set is written as it prints, `{bread, butter}`; the Arrow formats hold lists of items.
"""

from __future__ import annotations

import os

from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets

MODEL_ENDINGS = (".hedge", ".json")


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name, which must be one that item sets and rules can be written to."""
    from hedgerow.data.formats import association_files

    return association_files.check_ending(path, MODEL_ENDINGS)


def write_associations(found: ItemSets | AssociationRules, path: str | os.PathLike[str]) -> None:
    """Write item sets or rules atomically, in the format given by the ending of the path."""
    from hedgerow.data.formats.association_files import set_writer

    if check_ending(path) in MODEL_ENDINGS:
        found.save(os.fspath(path))
        return
    table = found.to_arrow()
    with set_writer(path, table.schema, found.items.names) as writer:
        writer.write_table(table)
