"""What wrong decisions cost: a matrix by actual and stated class, from whatever form a person gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.models.base.condition import nearest

DEAREST = 1e100  # cost, so that sums of costs are numbers


def cost_matrix(value: Any, classes: Sequence[str]) -> Numbers | None:
    """Return costs as a square matrix: a row an actual class, a column a stated one, in the order of the classes.

    Parameters
    ----------
    given
        None; a square matrix in the order of the classes; `{"Yes": {"No": 5}}`, where calling a Yes No costs 5; or the
        same as `{"Yes:No": 5}`. Errors that are not named cost 1.

    Examples
    --------
    >>> cost_matrix({"Yes": {"No": 5}}, ["No", "Yes"])
    array([[0., 1.],
           [5., 0.]])
    """
    if value is None:
        return None
    costs = _costs_from_names(value, classes) if isinstance(value, Mapping) else _square(value, classes)
    if not ((costs >= 0) & (costs <= DEAREST)).all():
        raise UsageError(f"the costs must be numbers from 0 to {DEAREST:g}")
    for code in np.flatnonzero(np.diag(costs)).tolist():
        raise UsageError(
            f"predicting {classes[code]!r} correctly cannot cost {costs[code, code]:g}: the diagonal must be 0"
        )
    if not costs.any():
        raise UsageError("all costs are 0, so every decision would be equally good")
    return costs


def _square(value: Any, classes: Sequence[str]) -> Numbers:
    k = len(classes)
    try:
        costs = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"the costs must be a matrix of numbers or pairs such as Yes:No=5, not {value!r}") from None
    if costs.shape != (k, k):
        shape = " x ".join(map(str, costs.shape)) or "a single number"
        raise UsageError(f"the costs must be {k} x {k}, for the classes {listing(classes)}, not {shape}")
    return costs


def _costs_from_names(parameters: Mapping[Any, Any], classes: Sequence[str]) -> Numbers:
    codes = {label: code for code, label in enumerate(classes)}
    costs = 1.0 - np.eye(len(classes))
    for (actual, stated), cost in _pairs(parameters):
        for label in (actual, stated):
            if label not in codes:
                raise UsageError(
                    f"the costs name {label!r}, which is not a class; {nearest(label, classes, 'classes')}"
                )
        try:
            costs[codes[actual], codes[stated]] = float(cost)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(
                f"the cost of predicting {actual!r} as {stated!r} must be a number, not {cost!r}"
            ) from None
    return costs


def _pairs(parameters: Mapping[Any, Any]) -> list[tuple[tuple[str, str], Any]]:
    pairs: list[tuple[tuple[str, str], Any]] = []
    for key, value in parameters.items():
        if isinstance(value, Mapping):
            pairs += [((str(key), str(stated)), cost) for stated, cost in value.items()]
            continue
        actual, colon, stated = str(key).rpartition(":")
        if not colon:
            raise UsageError(f"the costs must name the actual and the predicted class, as in Yes:No=5, not {key!r}")
        pairs.append(((actual, stated), value))
    return pairs
