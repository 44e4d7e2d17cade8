"""Estimates for blocks: a value with the ends of its 95 % interval, with suitable numbers of digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TypeGuard, cast

from hedgerow.evaluate.metrics.estimates import Estimate
from hedgerow.evaluate.training_overlap import TrainingOverlap
from hedgerow.layout.numbers import Number, format_digits, format_fixed, format_share
from hedgerow.report.blocks import Bar, Figure
from hedgerow.report.schema import CardsPart, EstimateDict, EvaluationReport, TrainedOnPart

Draw = Callable[[Number, int, bool], str]


def estimate_dict(found: Estimate) -> EstimateDict:
    """Return an estimate as a dict for reports."""
    return cast("EstimateDict", asdict(found))


def trained_on_part(overlap: TrainingOverlap | None) -> TrainedOnPart | None:
    """Return how many of some rows a model was trained on, as a plain value; None if that is unknown."""
    if overlap is None:
        return None
    return {
        "share": overlap.trained_share,
        "equal": overlap.equal_share,
        "repeated": overlap.repeated,
        "rows": overlap.rows,
        "same": overlap.is_same,
        "headline": overlap.headline,
    }


def headline(report: EvaluationReport | CardsPart | None) -> str:
    """Return the sentence that the tested rows were trained on; empty if they were not."""
    trained_on = None if report is None else report.get("trained_on")
    return "" if trained_on is None else trained_on["headline"]


def is_known(value: Number) -> TypeGuard[float]:
    """Tell whether a number of a report is defined."""
    return value is not None and not math.isnan(value)


def figure_of(found: EstimateDict | None, draw: Draw = format_fixed, digits: int = 4, *, plus: bool = False) -> Figure:
    """Return a formatted estimate whose interval has one digit less; empty if there is none."""
    if found is None:
        return Figure("")
    value = draw(found["value"], digits, plus)
    if not is_known(found.get("low")):
        return Figure(value)
    return Figure(value, draw(found["low"], digits - 1, plus), draw(found["high"], digits - 1, plus))


def draw_for(values: Iterable[Number], most: float = 1.0) -> Draw:
    """Return a number format: fixed decimals if no number is larger than `most`, else significant digits."""
    known = [abs(value) for value in values if value is not None and not math.isnan(value)]
    return format_fixed if max(known, default=0) <= most else format_digits


def share_figure(found: EstimateDict, hue: int = 0, most: float = 1.0) -> Figure:
    """Return an estimated share in percent with its interval and a bar, whose full length is `most`."""
    if not is_known(found["value"]):
        return Figure("")
    scale = 1 / most if most > 0 else 1.0
    if not is_known(found["low"]):
        return Figure(format_share(found["value"]), bar=Bar(found["value"] * scale, hue=hue))
    low, high = (format_fixed(100 * found[end], 1) for end in ("low", "high"))
    bar = Bar(found["value"] * scale, found["low"] * scale, found["high"] * scale, hue)
    return Figure(format_share(found["value"]), low, high, bar)


def between(found: EstimateDict, draw: Callable[[Number], str]) -> str:
    """Return the interval of an estimate in words; nothing if it has none."""
    if not is_known(found["low"]):
        return ""
    return f"95 % interval {draw(found['low'])} to {draw(found['high'])}"
