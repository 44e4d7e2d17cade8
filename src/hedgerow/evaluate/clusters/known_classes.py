"""Clusters compared with known classes: the contingency table, and measures of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Codes, Numbers


@dataclass(frozen=True, eq=False)
class ClassAgreement:
    """Clusters against classes.

    Parameters
    ----------
    name
        The column of classes.
    table
        The weight of rows by cluster (lines) and class; rows without a class are left out.
    majority
        The most frequent class of each cluster; -1 if it has no row with a class.
    matched
        The class of each cluster if every class may be taken once, so that most rows agree; -1 is none.
    """

    name: str
    classes: tuple[str, ...]
    table: Numbers
    majority: Codes
    matched: Codes

    @property
    def weight(self) -> float:
        """The weight of all rows that have a class."""
        return float(self.table.sum())

    @property
    def majority_error(self) -> float:
        """The share of rows that are not of the most frequent class of their cluster: 1 - purity."""
        return 1 - float(self.table.max(axis=1).sum()) / self.weight

    @property
    def matched_error(self) -> float:
        """The share of rows that are not of the class that is matched to their cluster."""
        own = np.flatnonzero(self.matched >= 0)
        return 1 - float(self.table[own, self.matched[own]].sum()) / self.weight

    @property
    def adjusted_rand(self) -> float:
        """The adjusted Rand index: the share of pairs of rows on which both agree, 0 by chance and 1 for equal groups.

        (Hubert, Arabie: Comparing partitions, 1985). Weights count as repeated rows.
        """
        both, rows, columns = (
            float(pairs(part).sum()) for part in (self.table, self.table.sum(axis=1), self.table.sum(axis=0))
        )
        every = float(pairs(np.array(self.weight)))
        if every <= 0:
            return 1.0
        expected, most = rows * columns / every, (rows + columns) / 2
        return 1.0 if most == expected else (both - expected) / (most - expected)

    @property
    def mutual_information(self) -> float:
        """The normalized mutual information: that of clusters and classes, divided by the mean of their entropies."""
        shares = self.table / self.weight
        of_clusters, of_classes = entropy(shares.sum(axis=1)), entropy(shares.sum(axis=0))
        mean = (of_clusters + of_classes) / 2
        if mean <= 0:
            return 1.0  # one cluster, and one class
        return float(min(max((of_clusters + of_classes - entropy(shares.ravel())) / mean, 0.0), 1.0))


def against(
    name: str, classes: Sequence[str], codes: Codes, clusters: Codes, k: int, weights: Numbers
) -> ClassAgreement:
    """Return clusters held against classes, both by code; a code of -1 is a class that is not known."""
    from scipy.optimize import linear_sum_assignment

    known = codes >= 0
    flat = clusters[known].astype(np.int64) * len(classes) + codes[known]
    table = np.bincount(flat, weights[known], k * len(classes)).reshape(k, len(classes)).astype(np.float64)
    majority = np.where(table.sum(axis=1) > 0, table.argmax(axis=1), -1).astype(np.int32)
    matched = np.full(k, -1, dtype=np.int32)
    lines, columns = linear_sum_assignment(-table)
    some = table[lines, columns] > 0
    matched[lines[some]] = columns[some]
    return ClassAgreement(name, tuple(classes), table, majority, matched)


def pairs(weights: Numbers) -> Numbers:
    """Return how many pairs so many rows make."""
    return np.asarray(weights * (weights - 1) / 2)


def entropy(shares: Numbers) -> float:
    """Return the entropy of shares that sum to 1, in nats."""
    some = shares[shares > 0]
    return float(-(some @ np.log(some))) + 0.0
