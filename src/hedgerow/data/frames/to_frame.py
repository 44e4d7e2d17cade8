"""Arrays as frames of pandas or polars, with the names of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import DataError

FORMS = ("default", "pandas", "polars")


def to_frame(form: str, out: Any, names: Sequence[str], nominal: Mapping[str, Column], like: Any) -> Any:
    """Return an array as a frame; one of pandas has the rows' names of the frame that it was made from.

    A column that is `nominal` holds numbers of levels in the array, and the levels themselves in the frame.
    """
    if hasattr(out, "tocsr"):
        raise DataError(f"{form.capitalize()} output does not support sparse data; leave sparse=False, or the default")
    if form == "polars":
        import polars as pl

        frame = pl.DataFrame(out, schema=list(names), orient="row")
        labeled = [
            pl.Series(name, [*nominal[name].levels, None], dtype=pl.Enum(nominal[name].levels))[_codes(out[:, place])]
            for place, name in enumerate(names)
            if name in nominal
        ]
        return frame.with_columns(labeled)
    import pandas as pd

    frame = pd.DataFrame(out, columns=list(names), index=like.index if isinstance(like, pd.DataFrame) else None)
    for place, name in enumerate(names):
        if name in nominal:
            how = {"categories": list(nominal[name].levels), "ordered": nominal[name].ordered}
            frame[name] = pd.Categorical.from_codes(_codes(out[:, place]), **how)
    return frame


def _codes(numbers: Numbers) -> Codes:
    """Return numbers of levels as codes, -1 where they are missing."""
    return np.where(np.isnan(numbers), -1, numbers).astype(np.int32)
