"""The factors of C by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from math import inf
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.learn.classifier import label_text
from hedgerow.learn.svm.points import SvmPoints

BALANCED = "balanced"


def class_factors(argument: Any, points: SvmPoints, levels: Sequence[str]) -> Numbers:
    """Return the factor of every class: 1, what was given, or so that all classes that have rows count the same.

    Balanced: rows / (classes * rows of the class), by weight, as scikit-learn has it.
    """
    out = np.ones(len(levels))
    if argument is None:
        return out
    if isinstance(argument, str):
        heavy = np.bincount(points.labels, points.weights, len(levels))
        seen = heavy > 0
        out[seen] = heavy.sum() / (np.count_nonzero(seen) * heavy[seen])
        return out
    assert isinstance(argument, Mapping)
    known = {level: code for code, level in enumerate(levels)}
    for key, value in argument.items():
        label = label_text(key.item() if isinstance(key, np.generic) else key)
        if label not in known:
            near = get_close_matches(label, list(levels), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the classes are {', '.join(levels)}"
            raise UsageError(f"class_weight names {label!r}, which is not a class; {hint}")
        out[known[label]] = _factor(label, value)
    return out


def _factor(label: str, value: Any) -> float:
    try:
        factor = float(value)
    except (TypeError, ValueError):
        factor = -1.0
    if isinstance(value, bool) or not 0 < factor < inf:
        raise UsageError(
            f"the cost of class {label!r} is {value!r}; it must be a number above 0, by which C is multiplied"
        )
    return factor
