"""Cost-complexity pruning: the parameter alpha, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import map_in_order
from hedgerow.layout.numbers import format_measure, format_number
from hedgerow.learn.sampling import split_by_value_hash
from hedgerow.learn.simplicity import simplest_near_best
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.kernel_growth import Parts, TreeInput
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.learn.trees.pruning import cut_alphas, cut_nodes, sums_by_price

SAME_PRICE = 1e-9  # relative: the alphas of the kernels and those by hand differ by less

PrunedTree = TypeVar("PrunedTree")
Steps = list[tuple[float, PrunedTree]]  # pruned trees, each with the smallest alpha for which it is the best


@dataclass(frozen=True, eq=False)
class PrunedSequence:
    """The pruned trees of a table, from the whole tree to its root, and their cross-validation results.

    Parameters
    ----------
    alphas
        From which cost-complexity parameter alpha on each tree is the best; ascending.
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
    expected_errors: Numbers
    deviation: Numbers
    chosen_index: int
    reason: str

    @property
    def alpha(self) -> float:
        """The cost-complexity parameter alpha that was chosen."""
        return float(self.alphas[self.chosen_index])


def errors_as_leaves(rows: TreeInput, tallies: Numbers) -> Numbers:
    """Return the errors of each node's own rows as a leaf: misclassified weight, squared or absolute error."""
    if rows.n_classes:
        return np.asarray(tallies.sum(axis=1) - tallies.max(axis=1))
    if rows.absolute:
        return np.asarray(tallies[:, 0] * tallies[:, 2])
    weight, total, squares = tallies.T
    return np.asarray(np.maximum(squares - total**2 / np.where(weight > 0, weight, 1), 0))


def errors_of_others(rows: TreeInput, own: Numbers, others: Numbers) -> Numbers:
    """Return the errors that each node, as a leaf of its own rows, makes on other rows that reach it.

    Both tallies of numbers are of differences from the same one.
    """
    if rows.n_classes:
        return np.asarray(others.sum(axis=1) - others[np.arange(len(own)), own.argmax(axis=1)])
    mean = own[:, 1] / np.where(own[:, 0] > 0, own[:, 0], 1)
    return np.asarray(others[:, 2] - 2 * mean * others[:, 1] + mean**2 * others[:, 0])


def compute_alphas(rows: TreeInput, parts: Parts) -> Numbers:
    """Return the alpha from which on each node is a leaf; errors are shares of the weight at the root."""
    tallies = _node_tallies(rows, parts)
    return cut_alphas(parts, errors_as_leaves(rows, tallies) / _weight(rows, tallies))


def make_sequence(
    rows: TreeInput,
    parts: Parts,
    alphas: Numbers,
    tested: Iterable[tuple[Parts, Numbers, float]],
    folds: int,
    rule: str,
) -> PrunedSequence:
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
    for result, errors, weight in tested:
        wrong.append(sums_by_price(result, compute_alphas(rows, result), errors, middle))
        weights.append(weight)
    tallies = _node_tallies(rows, parts)
    own = errors_as_leaves(rows, tallies)
    total = _weight(rows, tallies)
    leaves = sums_by_price(parts, alphas, np.ones(len(own)), prices)
    made_errors = sums_by_price(parts, alphas, own, prices) / total
    if not wrong:  # too few rows for two folds: nothing speaks against the whole tree
        return PrunedSequence(
            prices, leaves, made_errors, made_errors, np.zeros(len(prices)), 0, "too few rows for two folds"
        )
    expected = np.sum(wrong, axis=0) / np.sum(weights)
    deviation = _standard_errors(rows, np.array(wrong), np.array(weights), expected)
    pick = simplest_near_best(expected[::-1], deviation[::-1], float(rule == "1se"))  # the dearest leaves last
    kept, best = len(prices) - 1 - pick.kept_index, len(prices) - 1 - pick.best
    why = f"the smallest tree with the lowest error in {folds}-fold cross-validation (rule min)"
    if rule == "1se":
        least, spread, limit = (format_measure(value) for value in (expected[best], deviation[best], pick.limit))
        why = f"the smallest tree with an error of at most {least} + {spread} = {limit}, one standard error above "
        why += f"the lowest in {folds}-fold cross-validation (rule 1se)"
    return PrunedSequence(prices, leaves, made_errors, expected, deviation, kept, why)


def _standard_errors(rows: TreeInput, wrong: Numbers, weights: Numbers, expected: Numbers) -> Numbers:
    """Return the standard errors: of a share of rows, or of the mean of the folds."""
    if rows.n_classes:
        return np.asarray(np.sqrt(np.maximum(expected * (1 - expected), 0) / weights.sum()))
    means = wrong / weights[:, None]
    return np.asarray(means.std(axis=0, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.zeros(len(expected))


def _weight(rows: TreeInput, tallies: Numbers) -> float:
    """Return the weight at the root."""
    return float(tallies[0].sum() if rows.n_classes else tallies[0, 0])


def _node_tallies(rows: TreeInput, parts: Parts) -> Numbers:
    return parts["tallies"].reshape(-1, rows.n_classes or 3)


@dataclass(frozen=True)
class CostComplexity:
    """How the cost-complexity parameter alpha is found: it is given, or cross-validation chooses it.

    Parameters
    ----------
    alpha
        The value of alpha; None to choose it.
    rule
        "min", the smallest error, or "1se", the smallest tree within one standard error of it.
    folds, random_state
        Of the cross-validation.
    """

    alpha: float | None
    rule: str
    folds: int
    random_state: Any

    @property
    def is_chosen(self) -> bool:
        """Whether cross-validation chooses alpha."""
        return self.alpha is None

    def prune(self, rows: TreeInput, parts: Parts, options: TreeOptions) -> Parts:
        """Return the best subtree for alpha; `options` are those that the tree was grown with."""
        alphas = compute_alphas(rows, parts)
        return cut_nodes(parts, alphas <= self._price(self.cross_validate(rows, parts, alphas, options)))

    def prune_stream(self, rows: TreeInput, trees: list[Parts], aside: list[Numbers]) -> Parts:
        """Return the first tree pruned with alpha, which the others choose by the rows that were held out."""
        alphas, tested = compute_alphas(rows, trees[0]), None
        if self.is_chosen:
            errors = [
                (result, errors_of_others(rows, _node_tallies(rows, result), others), _weight(rows, others))
                for result, others in zip(trees[1:], aside[1:], strict=True)
                if result["tallies"].any() and others.any()
            ]
            tested = make_sequence(rows, trees[0], alphas, errors, self.folds, self.rule)
        return cut_nodes(trees[0], alphas <= self._price(tested))

    def choose_tree(
        self, steps: Steps[PrunedTree], rows: TreeInput, options: TreeOptions, work: TreeWork
    ) -> PrunedTree:
        """Return the tree of a sequence made by hand that is best for alpha, and record the reason."""
        parts = rows.grow(options)
        tested = self.cross_validate(rows, parts, compute_alphas(rows, parts), options)
        price = self._price(tested)
        number = sum(begin <= price * (1 + SAME_PRICE) for begin, _ in steps) - 1
        if tested is None:
            work.choose(number, f"the best tree for the given alpha of {format_number(price)}")
        else:
            work.test(tested.alphas, tested.expected_errors, tested.deviation)
            work.choose(number, tested.reason)
        return steps[number][1]

    def _price(self, tested: PrunedSequence | None) -> float:
        return float(self.alpha or 0.0) if tested is None else tested.alpha

    def cross_validate(
        self, rows: TreeInput, parts: Parts, alphas: Numbers, options: TreeOptions
    ) -> PrunedSequence | None:
        """Return the cross-validation results of the pruned trees; None if alpha is given.

        Every fold grows a tree on the other folds and prunes it at the geometric means of neighboring alphas.
        """
        if not self.is_chosen:
            return None
        dealt = split_by_value_hash(rows.table, self.folds, self.random_state)
        tests = [test for test in dealt if test.any() and (test < rows.weights).any()]
        grown = map_in_order(lambda test: rows.grow(options, rows.weights - test, threads=1), tests)
        tested = (
            (result, _test_errors(rows, result, test), float(test.sum()))
            for test, result in zip(tests, grown, strict=True)
        )
        return make_sequence(rows, parts, alphas, tested, self.folds, self.rule)


def _test_errors(rows: TreeInput, result: Parts, test: Numbers) -> Numbers:
    """Return the errors that the nodes of a tree make, as leaves, on rows that it was grown without."""
    if rows.absolute:
        return rows.deviations_below(result, test)
    center = 0.0 if rows.n_classes else rows.center(rows.weights - test)
    return errors_of_others(rows, _node_tallies(rows, result), rows.sums_below(result, test, center))
