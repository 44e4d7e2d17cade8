"""Arrays as frames of pandas or polars, with the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedgerow.errors import DataError

FORMS = ("default", "pandas", "polars")


def to_frame(form: str, out: Any, names: Sequence[str], like: Any) -> Any:
    """Return an array as a frame; one of pandas has the rows' names of the frame that it was made from."""
    if hasattr(out, "tocsr"):
        raise DataError(f"{form.capitalize()} output does not support sparse data; leave sparse=False, or the default")
    if form == "polars":
        import polars as pl

        return pl.DataFrame(out, schema=list(names), orient="row")
    import pandas as pd

    return pd.DataFrame(out, columns=list(names), index=like.index if isinstance(like, pd.DataFrame) else None)
