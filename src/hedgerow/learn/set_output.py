"""The output of a transformer: an array, or a pandas or polars frame if requested by scikit-learn's `set_output`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from hedgerow.data.frames.to_frame import FORMS, to_frame
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError


def wrap_transform(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `transform` whose arrays become frames where `set_output` or scikit-learn's settings ask for them."""

    @wraps(transform)
    def transform_and_convert(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        out, form = transform(self, X, *args, **kwargs), _form(self)
        if form not in FORMS[1:] or isinstance(out, Table):
            return out
        names = [str(name) for name in self.get_feature_names_out()]
        return to_frame(form, out, names, self._nominal_out(), X)

    return transform_and_convert


def set_transform_output(learner: Any, form: str) -> None:
    """Set the output of a learner's `transform`."""
    if form not in FORMS:
        raise UsageError(f"set_output takes transform={' or '.join(map(repr, FORMS))}, not {form!r}")
    learner._sklearn_output_config = {"transform": form}  # the name by which scikit-learn's clone copies it  # noqa: SLF001


def _form(transformer: Any) -> str:
    own = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    if own is not None:
        return str(own)
    sklearn = sys.modules.get("sklearn")  # who has not imported it has not set it up
    return "default" if sklearn is None else str(sklearn.get_config().get("transform_output", "default"))
