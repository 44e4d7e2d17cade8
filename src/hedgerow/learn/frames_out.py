"""What a transformer gives: an array, or a frame of pandas or polars where scikit-learn's `set_output` asks for one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from hedgerow.data.table import Table
from hedgerow.errors import DataError

FORMS = ("default", "pandas", "polars")


def in_asked_form(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `transform` whose arrays become frames where `set_output` or scikit-learn's settings ask for them."""

    @wraps(transform)
    def made(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        out, form = transform(self, X, *args, **kwargs), _form(self)
        return out if form == "default" or isinstance(out, Table) else _frame(self, X, out, form)

    return made


def _form(transformer: Any) -> str:
    own = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    if own is not None:
        return str(own)
    sklearn = sys.modules.get("sklearn")  # who has not imported it has not set it up
    return "default" if sklearn is None else str(sklearn.get_config().get("transform_output", "default"))


def _frame(transformer: Any, X: Any, out: Any, form: str) -> Any:
    """Return an array with the names of its columns, and the rows' names of a frame that came."""
    if form not in FORMS:
        return out
    if hasattr(out, "tocsr"):
        raise DataError(f"{form.capitalize()} output does not support sparse data; leave sparse=False, or the default")
    names = [str(name) for name in transformer.get_feature_names_out()]
    if form == "polars":
        import polars as pl

        return pl.DataFrame(out, schema=names, orient="row")
    import pandas as pd

    return pd.DataFrame(out, columns=names, index=X.index if isinstance(X, pd.DataFrame) else None)
