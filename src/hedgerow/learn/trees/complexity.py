"""Cost-complexity pruning: how much a leaf must save, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hedgerow.data.decimals import number_text
from hedgerow.data.table import Numbers
from hedgerow.data.threads import in_order
from hedgerow.learn.sampling import own_parts
from hedgerow.learn.trees.by_hand.aligned import figure
from hedgerow.learn.trees.by_hand.work import Work
from hedgerow.learn.trees.fast import Parts, Prepared
from hedgerow.learn.trees.pruning import cut_alphas, sums_by_price, without

SAME_PRICE = 1e-9  # as a share: prices of the kernels and those by hand differ by less

Pruned = TypeVar("Pruned")
Steps = list[tuple[float, Pruned]]  # pruned trees, each with the price of a leaf from which on it is the best
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
    chosen, why
        The tree that the rule chose, and the reason in words.
    """

    alphas: Numbers
    leaves: Numbers
    errors: Numbers
    expected: Numbers
    deviation: Numbers
    chosen: int
    why: str

    @property
    def alpha(self) -> float:
        """The price of a leaf that was chosen."""
        return float(self.alphas[self.chosen])


def errors_as_leaves(rows: Prepared, tallies: Numbers) -> Numbers:
    """Return the errors of each node's own rows if it were a leaf: wrong weight, squared or absolute error."""
    if rows.n_classes:
        return np.asarray(tallies.sum(axis=1) - tallies.max(axis=1))
    if rows.absolute:
        return np.asarray(tallies[:, 0] * tallies[:, 2])
    weight, total, squares = tallies.T
    return np.asarray(np.maximum(squares - total**2 / np.where(weight > 0, weight, 1), 0))


def errors_of_others(rows: Prepared, own: Numbers, others: Numbers) -> Numbers:
    """Return the errors that each node, as a leaf of its own rows, makes on other rows that reach it.

    Both tallies of numbers are of differences from the same one.
    """
    if rows.n_classes:
        return np.asarray(others.sum(axis=1) - others[np.arange(len(own)), own.argmax(axis=1)])
    mean = own[:, 1] / np.where(own[:, 0] > 0, own[:, 0], 1)
    return np.asarray(others[:, 2] - 2 * mean * others[:, 1] + mean**2 * others[:, 0])


def alphas_of(rows: Prepared, parts: Parts) -> Numbers:
    """Return the price from which on each node is a leaf; errors are shares of the weight at the root."""
    tallies = _tallies(rows, parts)
    return cut_alphas(parts, errors_as_leaves(rows, tallies) / _weight(rows, tallies))


def sequence(
    rows: Prepared, grow: Grow, parts: Parts, alphas: Numbers, folds: int, random_state: object, rule: str
) -> Sequence:
    """Return the sequence of pruned trees, the best one chosen by cross-validation.

    Every fold grows a tree on the other folds and prunes it at the geometric means of neighboring prices; `rule` is
    "min", the least error, or "1se", the smallest tree within one standard error of it.
    """
    tests = [test for test in own_parts(rows.table, folds, random_state) if test.any() and (test < rows.weights).any()]
    tested = []
    for test, made in zip(tests, in_order(lambda test: grow(rows.weights - test), tests), strict=True):
        if rows.absolute:
            errors = rows.deviations_below(made, test)
        else:
            center = 0.0 if rows.n_classes else rows.center(rows.weights - test)
            errors = errors_of_others(rows, _tallies(rows, made), rows.sums_below(made, test, center))
        tested.append((made, errors, float(test.sum())))
    return sequence_of(rows, parts, alphas, tested, folds, rule)


def sequence_of(
    rows: Prepared,
    parts: Parts,
    alphas: Numbers,
    tested: Iterable[tuple[Parts, Numbers, float]],
    folds: int,
    rule: str,
) -> Sequence:
    """Return the sequence of pruned trees, by trees of parts of the rows.

    Each of them comes with the errors that its nodes make, as leaves, on the rows that it was grown without, and with
    the weight of these rows.
    """
    inner = alphas[(parts["columns"] >= 0) & np.isfinite(alphas)]
    prices = np.unique(np.append(inner, 0.0))
    middle = np.append(
        np.sqrt(prices[:-1]) * np.sqrt(prices[1:]), 2 * prices[-1] + 1
    )  # the last cuts any tree to its root
    wrong, weights = [], []
    for made, errors, weight in tested:
        wrong.append(sums_by_price(made, alphas_of(rows, made), errors, middle))
        weights.append(weight)
    tallies = _tallies(rows, parts)
    own = errors_as_leaves(rows, tallies)
    total = _weight(rows, tallies)
    leaves = sums_by_price(parts, alphas, np.ones(len(own)), prices)
    made_errors = sums_by_price(parts, alphas, own, prices) / total
    if not wrong:  # too few rows for two folds: nothing speaks against the whole tree
        return Sequence(
            prices, leaves, made_errors, made_errors, np.zeros(len(prices)), 0, "too few rows for two folds"
        )
    expected = np.sum(wrong, axis=0) / np.sum(weights)
    deviation = _standard_errors(rows, np.array(wrong), np.array(weights), expected)
    best = int(len(expected) - 1 - np.argmin(expected[::-1]))
    why = f"the smallest tree of the least error in {folds}-fold cross-validation (rule min)"
    if rule == "1se":
        limit = expected[best] + deviation[best]
        why = f"the smallest tree of an error of at most {figure(expected[best])} + {figure(deviation[best])} = "
        why += f"{figure(limit)}, one standard error above the least in {folds}-fold cross-validation (rule 1se)"
        best = int(np.flatnonzero(expected <= limit)[-1])
    return Sequence(prices, leaves, made_errors, expected, deviation, best, why)


def best_priced(
    rows: Prepared, trees: list[Parts], aside: list[Numbers], alpha: float | None, folds: int, rule: str
) -> Parts:
    """Return the first tree pruned at a price, or at that which the others choose by the rows that were kept aside."""
    alphas = alphas_of(rows, trees[0])
    if alpha is None:
        pairs = zip(trees[1:], aside[1:], strict=True)
        tested = [
            (made, errors_of_others(rows, _tallies(rows, made), others), _weight(rows, others))
            for made, others in pairs
            if made["tallies"].any() and others.any()
        ]
        alpha = sequence_of(rows, trees[0], alphas, tested, folds, rule).alpha
    return without(trees[0], alphas <= alpha)


def _standard_errors(rows: Prepared, wrong: Numbers, weights: Numbers, expected: Numbers) -> Numbers:
    """Return the standard errors: of a share of rows, or of the mean of the folds."""
    if rows.n_classes:
        return np.asarray(np.sqrt(np.maximum(expected * (1 - expected), 0) / weights.sum()))
    means = wrong / weights[:, None]
    return np.asarray(means.std(axis=0, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.zeros(len(expected))


def _weight(rows: Prepared, tallies: Numbers) -> float:
    """Return the weight at the root."""
    return float(tallies[0].sum() if rows.n_classes else tallies[0, 0])


def _tallies(rows: Prepared, parts: Parts) -> Numbers:
    return parts["tallies"].reshape(-1, rows.n_classes or 3)


def price_of(tested: Sequence | None, alpha: float | None) -> float:
    """Return the price of a leaf that cross-validation found, or else the given one."""
    return float(alpha or 0.0) if tested is None else tested.alpha


def priced(steps: Steps[Pruned], work: Work, tested: Sequence | None, alpha: float | None) -> Pruned:
    """Return the tree of a sequence made by hand that was chosen, and take down why.

    That is the best tree at the price that cross-validation found (`tested`), or else at the given price `alpha`.
    """
    price = price_of(tested, alpha)
    number = sum(begin <= price * (1 + SAME_PRICE) for begin, _ in steps) - 1
    if tested is None:
        work.choose(number, f"the best tree at the price of {number_text(price)} a leaf that was asked for")
    else:
        work.test(tested.alphas, tested.expected, tested.deviation)
        work.choose(number, tested.why)
    return steps[number][1]
