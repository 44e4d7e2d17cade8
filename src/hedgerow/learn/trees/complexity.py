"""Cost-complexity pruning: how much a leaf must save, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table import Numbers
from hedgerow.data.threads import in_order
from hedgerow.learn.sampling import own_folds
from hedgerow.learn.trees.fast import Parts, Prepared
from hedgerow.learn.trees.pruning import cut_alphas, sums_by_price

Grow = Callable[[Numbers], Parts]  # from the weights of rows to a tree; rows of weight 0 take no part


@dataclass(frozen=True, eq=False)
class Sequence:
    """The pruned trees of a table, from the whole tree to its root, and what cross-validation says of them.

    Parameters
    ----------
    alphas
        From which price of a leaf on each tree is the best; ascending.
    leaves, errors
        Its number of leaves, and its error in training: the share of wrong rows, or the mean squared error.
    expected, deviation
        Its error in cross-validation, and the standard error of that.
    chosen
        The tree that the rule chose.
    """

    alphas: Numbers
    leaves: Numbers
    errors: Numbers
    expected: Numbers
    deviation: Numbers
    chosen: int

    @property
    def alpha(self) -> float:
        """The price of a leaf that was chosen."""
        return float(self.alphas[self.chosen])


def errors_as_leaves(rows: Prepared, tallies: Numbers) -> Numbers:
    """Return the errors of each node's own rows if it were a leaf: wrong weight, or squared error."""
    if rows.n_classes:
        return np.asarray(tallies.sum(axis=1) - tallies.max(axis=1))
    weight, total, squares = tallies.T
    return np.asarray(np.maximum(squares - total**2 / np.where(weight > 0, weight, 1), 0))


def errors_of_others(rows: Prepared, own: Numbers, others: Numbers) -> Numbers:
    """Return the errors that each node, as a leaf of its own rows, makes on other rows that reach it."""
    if rows.n_classes:
        return np.asarray(others.sum(axis=1) - others[np.arange(len(own)), own.argmax(axis=1)])
    mean = own[:, 1] / np.where(own[:, 0] > 0, own[:, 0], 1)
    return np.asarray(others[:, 2] - 2 * mean * others[:, 1] + mean**2 * others[:, 0])


def alphas_of(rows: Prepared, parts: Parts) -> Numbers:
    """Return the price from which on each node is a leaf; errors are shares of the weight at the root."""
    tallies = _tallies(rows, parts)
    total = tallies[0].sum() if rows.n_classes else tallies[0, 0]
    return cut_alphas(parts, errors_as_leaves(rows, tallies) / total)


def sequence(
    rows: Prepared, grow: Grow, parts: Parts, alphas: Numbers, folds: int, random_state: object, rule: str
) -> Sequence:
    """Return the sequence of pruned trees, the best one chosen by cross-validation.

    Every fold grows a tree on the other folds and prunes it at the geometric means of neighboring prices; `rule` is
    "min", the least error, or "1se", the smallest tree within one standard error of it.
    """
    inner = alphas[(parts["columns"] >= 0) & np.isfinite(alphas)]
    prices = np.unique(np.append(inner, 0.0))
    middle = np.append(np.sqrt(prices[:-1] * prices[1:]), 2 * prices[-1] + 1)  # the last cuts any tree to its root
    fold = own_folds(rows.table, folds, random_state)
    wrong, weights = [], []
    for number, made in enumerate(in_order(lambda i: grow(rows.weights * (fold != i)), range(folds))):
        test = rows.weights * (fold == number)
        if not test.any() or not (rows.weights * (fold != number)).any():
            continue
        errors = errors_of_others(rows, _tallies(rows, made), rows.sums_below(made, test))
        wrong.append(sums_by_price(made, alphas_of(rows, made), errors, middle))
        weights.append(test.sum())
    tallies = _tallies(rows, parts)
    own = errors_as_leaves(rows, tallies)
    total = rows.weights.sum()
    leaves = sums_by_price(parts, alphas, np.ones(len(own)), prices)
    errors = sums_by_price(parts, alphas, own, prices) / total
    if not wrong:  # too few rows for two folds: nothing speaks against the whole tree
        return Sequence(prices, leaves, errors, errors, np.zeros(len(prices)), 0)
    expected = np.sum(wrong, axis=0) / np.sum(weights)
    deviation = _standard_errors(rows, np.array(wrong), np.array(weights), expected)
    best = int(len(expected) - 1 - np.argmin(expected[::-1]))
    if rule == "1se":
        best = int(np.flatnonzero(expected <= expected[best] + deviation[best])[-1])
    return Sequence(prices, leaves, errors, expected, deviation, best)


def _standard_errors(rows: Prepared, wrong: Numbers, weights: Numbers, expected: Numbers) -> Numbers:
    """Return the standard errors: of a share of rows, or of the mean of the folds."""
    if rows.n_classes:
        return np.asarray(np.sqrt(np.maximum(expected * (1 - expected), 0) / weights.sum()))
    means = wrong / weights[:, None]
    return np.asarray(means.std(axis=0, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.zeros(len(expected))


def _tallies(rows: Prepared, parts: Parts) -> Numbers:
    return parts["tallies"].reshape(-1, rows.n_classes or 3)
