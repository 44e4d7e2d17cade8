"""Reports as JSON: NumPy values become plain ones, NaN and infinity null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def to_plain_values(value: Any) -> Any:
    """Return the value in terms of what JSON has; NaN and infinity become None."""
    if isinstance(value, Mapping):
        return {str(key): to_plain_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain_values(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_plain_values(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def to_json(report: Mapping[str, Any]) -> str:
    """Return the report as JSON text."""
    return json.dumps(to_plain_values(report), ensure_ascii=False, indent=2, allow_nan=False)
