"""Reading of reports saved as JSON, to render them in another format or as a part of another report."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.report.schema import REPORTS

VERSION = 1
PICTURES = ("picture", "dendrogram")  # markup, which a file of unknown origin must not bring into a page
# Where JSON's null stands for a number that is not defined; elsewhere it means that there is none.
NUMBERS = frozenset((
    "value", "low", "high", "standard_error", "training", "mean", "median", "min", "max", "standard_deviation", "share",
    "missing_share", "area", "average_precision", "rate", "rate_low", "rate_high", "probability", "lift", "found",
    "recall", "precision", "f1", "predicted", "mean_cost",
    "cumulative_lift", "x", "y", "mean_bytes", "mean_words", "median_words", "mean_rows",
))  # fmt: skip
# The same in reports where other names are numbers too.
MORE_NUMBERS = {
    "comparison": NUMBERS | frozenset((
        "values", "rank", "mean_rank", "mean_ratio", "train_seconds", "test_seconds", "model_size", "p", "t", "f",
        "chi2", "chi2_p", "critical_difference", "difference",
    )),
    "curve": NUMBERS | frozenset(("rows", "size", "seconds")),
    "associations": NUMBERS | frozenset(("support", "confidence", "coverage", "leverage", "conviction")),
    "recommendations": NUMBERS | frozenset(("support", "confidence")),
    "explanations": NUMBERS | frozenset(("adds", "total", "score")),
    "rules": NUMBERS | frozenset(("support", "confidence", "errors")),
    "clusters": NUMBERS | frozenset((
        "silhouette", "explained", "category_utility", "sum_of_squares", "total_sum_of_squares", "majority_error",
        "matched_error", "adjusted_rand", "mutual_information", "inside", "others", "effect", "error",
    )),
}  # fmt: skip


def read_report(path: str) -> dict[str, Any]:
    """Return a report that was saved by `--json` or as a .json file; unreadable files raise an error."""
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{path} is not a report: it cannot be read as JSON ({_first_line(error)})") from None
    if not isinstance(found, dict) or found.get("report") not in tuple(REPORTS):
        raise DataError(f"{path} is not a report of hedgerow; save one with --json, or with -o NAME.json")
    if found.get("version") != VERSION:
        raise DataError(
            f"{path} is a report of version {found.get('version')!r}, but this version of hedgerow reads version "
            f"{VERSION}; create the report again"
        )
    restored: dict[str, Any] = _restore_value(found)
    return restored


def _restore_value(value: Any, is_number: bool = False, numbers: frozenset[str] = NUMBERS) -> Any:
    if isinstance(value, dict):
        kind = value.get("report")
        numbers = MORE_NUMBERS.get(kind, NUMBERS) if isinstance(kind, str) else numbers
        kept = {key: inner for key, inner in value.items() if key not in PICTURES}
        return {key: _restore_value(inner, key in numbers, numbers) for key, inner in kept.items()}
    if isinstance(value, list):
        return [_restore_value(inner, is_number, numbers) for inner in value]
    return math.nan if value is None and is_number else value


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0] or type(error).__name__
