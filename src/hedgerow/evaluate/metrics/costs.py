"""Misclassification costs, and decisions of minimum expected cost; the probabilities are unchanged (M032).

Costs are whatever `hedgerow.models.base.costs.cost_matrix` takes: `{"Yes": {"No": 5}}`, `{"Yes:No": 5}` or a square
matrix, by actual class (rows) and class said (columns). None charges 1 for every mistake. Rows count by their weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.metrics.estimates import Estimate, mean_of_rows, rows_of_a_run
from hedgerow.evaluate.metrics.measures import class_weights, confusion, need_classes, ratio
from hedgerow.evaluate.results import Results
from hedgerow.models.base.costs import cost_matrix
from hedgerow.models.base.decisions import Costs, cheapest


def total_cost(results: Results, costs: Any) -> float:
    """Return the total cost of the mistakes; with several runs, the mean of a run."""
    return float((confusion(results) * _matrix(results, costs)).sum()) / max(results.n_runs, 1)


def mean_cost(results: Results, costs: Any) -> float:
    """Return the mean cost per row."""
    return float(ratio(total_cost(results, costs), rows_of_a_run(results)))


def cost_estimate(results: Results, costs: Any) -> Estimate:
    """Return the mean cost with its interval, the normal one of a mean over rows."""
    return mean_of_rows(results, row_costs(results, costs)).clip(0.0)


def row_costs(results: Results, costs: Any) -> Numbers:
    """Return the cost of each row."""
    paid: Numbers = _matrix(results, costs)[results.actual, results.decided] * results.has_answer
    return paid


def cheapest_class(results: Results, costs: Any) -> tuple[str, float]:
    """Return the constant prediction with the lowest cost per row, and that cost: the baseline of any model."""
    shares = ratio(class_weights(results), results.weight.sum())
    each = shares @ _matrix(results, costs)
    code = int(np.argmin(np.where(np.isnan(each), np.inf, each)))
    return results.labels[code], float(each[code])


def by_expected_cost(results: Results, costs: Any) -> Results:
    """Return the same results with the predicted class of each row that costs least, by its probabilities.

    The cost to expect of saying j is the sum over the classes i of P(i) * cost(i, j); the first class wins a tie. The
    probabilities stay, and with them every curve and area. Without costs the most probable class is said.
    """
    matrix = _matrix(results, costs)
    if costs is None:
        return replace(results, said=None, decided_by="")
    decided_by = str(Costs.of(costs, results.labels))
    return replace(results, said=cheapest(results.predicted, matrix), decided_by=decided_by)


def _matrix(results: Results, costs: Any) -> Numbers:
    need_classes(results)
    values = cost_matrix(costs, results.labels)
    return 1 - np.eye(len(results.labels)) if values is None else values
