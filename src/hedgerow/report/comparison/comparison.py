"""The report on a comparison: learners compared with the base, their ranks, times and sizes."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import cast

from hedgerow.evaluate.learner_comparison.comparison import Comparison
from hedgerow.report.figures import estimate_dict
from hedgerow.report.schema import (
    ComparedCell,
    ComparedLearner,
    ComparedSet,
    ComparisonReport,
    ComparisonTest,
    FriedmanPart,
    LearnerRecord,
)


def comparison_report(found: Comparison) -> ComparisonReport:
    """Return all results of a comparison."""
    return {
        "report": "comparison",
        "version": 1,
        "measure": found.measure,
        "title": found.title,
        "larger_is_better": found.larger_is_better,
        "method": found.method,
        "runs": found.runs,
        "folds": found.folds,
        "seed": found.seed,
        "level": found.level,
        "base": found.learners[found.base],
        "sets": [_set(found, row) for row in range(len(found.sets))],
        "learners": [_learner(found, place) for place in range(len(found.learners))],
        "friedman": cast("FriedmanPart", asdict(found.friedman)),
        "critical_difference": found.critical_difference,
        "groups": [[found.learners[place] for place in group] for group in found.groups],
        "notes": list(found.notes),
    }


def _set(found: Comparison, row: int) -> ComparedSet:
    cells = [_cell(found, row, place) for place in range(len(found.learners))]
    return {"name": found.sets[row], "cells": cells}


def _cell(found: Comparison, row: int, place: int) -> ComparedCell:
    cell, test = found.cells[row][place], found.tests[row][place]
    return {
        "learner": found.learners[place],
        "value": estimate_dict(cell.estimate(found.measure)),
        "standard_deviation": cell.spread(found.measure).standard_deviation,
        "values": cell.values(found.measure).tolist(),
        "rank": float(found.ranks[row, place]),
        "mark": found.mark(row, place),
        "test": None if test is None else cast("ComparisonTest", asdict(test)),
        "failure": cell.failure,
        "answered": cell.answered,
        "train_seconds": cell.mean("train_seconds"),
        "test_seconds": cell.mean("test_seconds"),
        "model_size": cell.mean("model_size"),
    }


def _learner(found: Comparison, place: int) -> ComparedLearner:
    is_base = place == found.base
    return {
        "name": found.learners[place],
        "is_base": is_base,
        "mean": found.mean(place),
        "mean_ratio": found.mean_ratio(place),
        "mean_rank": float(found.mean_ranks[place]),
        "beyond_chance": None if is_base else cast("LearnerRecord", asdict(found.record(place))),
        "by_means": None if is_base else cast("LearnerRecord", asdict(found.plain_record(place))),
        "train_seconds": _mean(found, "train_seconds", place),
        "test_seconds": _mean(found, "test_seconds", place),
        "model_size": _mean(found, "model_size", place),
    }


def _mean(found: Comparison, measure: str, place: int) -> float:
    values = [value for value in found.means_of(measure)[:, place].tolist() if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan
