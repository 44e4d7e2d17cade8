"""Profile: the typical and distinguishing values of each cluster, printed by all cluster models.

Numbers are described by the mean and standard deviation in each cluster, levels by the most frequent one, texts by the
terms of largest weight. A cluster is distinguished by the columns in which it differs most from the other rows: the
difference of the means, inside and outside, in standard deviations of all rows. For a level the shares of rows that
have it take the role of the means, p, and sqrt(p (1 - p)) of all rows that of the deviation, so that levels and numbers
compare; but a level that is rarer than one in five counts as if it were not, since it says little about a cluster.
Missing values count nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, SparseNumbers, Table, gather_values
from hedgerow.data.table.threads import map_in_order
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import expect_parts, numbers_part, weights_part

DIGITS = 9  # significant digits of means and deviations that are kept
LEAST_SPREAD = 0.4  # of shares: sqrt(p (1 - p)) for p = 1/5
TERMS = 8  # terms of a text that are kept of each cluster
PARTS = ("sizes", "known", "means", "deviations", "levels", "terms")


@dataclass(frozen=True)
class Difference:
    """How a cluster differs from the other rows in one column: the means, or shares of a level, in and outside it."""

    column: int  # its position in the schema
    level: int  # -1 of a number
    inside: float
    outside: float
    effect: float  # (inside - outside) / deviation; its sign is the direction


@dataclass(frozen=True, eq=False)
class Profile:
    """Figures of every cluster (lines): weight; of numbers known weight, mean, deviation; counts of levels; terms."""

    schema: Schema  # with or without the column of clusters
    sizes: Numbers  # (clusters,)
    known: Numbers  # (clusters, numeric columns), in the schema's order
    means: Numbers  # the same; 0 if all values are missing
    deviations: Numbers
    levels: Numbers  # (clusters, levels of all nominal columns, one column after the other)
    terms: tuple[tuple[tuple[str, ...], ...], ...]  # by text column and cluster, the weightiest first

    def __len__(self) -> int:
        return len(self.sizes)

    @classmethod
    def of(cls, table: Table, codes: Codes, k: int, spaces: dict[str, TermSpace] | None = None) -> Profile:
        """Return the profile of the clusters that `codes` gives to the rows of a table, by number from 0.

        `spaces` are the terms of text columns; a text without terms is not printed.
        """
        schema, weights = table.schema, table.row_weights
        sizes: Numbers = np.bincount(codes, weights, k).astype(np.float64)
        positions = _columns_of_kind(schema, Kind.NUMERIC)
        numeric = list(
            map_in_order(lambda at: _numbers(gather_values(table.data[at]), codes, weights, sizes), positions)
        )
        figures = np.array(numeric).reshape(len(numeric), 3, k)
        counts = [
            _levels(table.codes(at), codes, weights, k, len(schema.columns[at].levels))
            for at in _columns_of_kind(schema, Kind.NOMINAL)
        ]
        known, means, deviations = (np.ascontiguousarray(figures[:, n].T) for n in range(3))
        levels = np.concatenate([np.zeros((k, 0)), *counts], axis=1)
        names = schema.names
        texts = _columns_of_kind(schema, Kind.TEXT)
        terms = tuple(_terms(table, at, codes, sizes, (spaces or {}).get(names[at])) for at in texts)
        return cls(schema, sizes, known, means, deviations, levels, terms)

    def with_schema(self, schema: Schema) -> Profile:
        """Return the same profile for a schema whose target is the cluster."""
        return Profile(schema, self.sizes, self.known, self.means, self.deviations, self.levels, self.terms)

    def reorder(self, order: Rows) -> Profile:
        """Return the profile with its clusters in another order, or of some of them."""
        own = (self.sizes[order], self.known[order], self.means[order], self.deviations[order], self.levels[order])
        terms = tuple(tuple(one[cluster] for cluster in order.tolist()) for one in self.terms)
        return Profile(self.schema, *own, terms)

    # -- reading --------------------------------------------------------------------------------------------

    def numeric(self) -> list[tuple[int, int]]:
        """Return the position of every numeric column, and its position among them."""
        return [(at, n) for n, at in enumerate(_columns_of_kind(self.schema, Kind.NUMERIC))]

    def nominal(self) -> list[tuple[int, slice]]:
        """Return the position of every nominal column, and where its levels are counted."""
        positions = _columns_of_kind(self.schema, Kind.NOMINAL)
        ends = np.cumsum([0, *(len(self.schema.columns[at].levels) for at in positions)]).tolist()
        return [(at, slice(start, end)) for at, start, end in zip(positions, ends, ends[1:], strict=False)]

    def texts(self) -> list[tuple[int, tuple[tuple[str, ...], ...]]]:
        """Return the position of every text column, and the terms of each cluster."""
        return list(zip(_columns_of_kind(self.schema, Kind.TEXT), self.terms, strict=True))

    def differences(self, cluster: int) -> list[Difference]:
        """Return how a cluster differs from the other rows, the largest difference first; of levels one a column."""
        others = np.delete(np.arange(len(self)), cluster)
        differences = [self._number_difference(at, n, cluster, others) for at, n in self.numeric()]
        differences += [self._level_difference(at, span, cluster, others) for at, span in self.nominal()]
        telling = [one for one in differences if one is not None and one.effect]
        return sorted(telling, key=lambda one: (-round_digits(abs(one.effect), 6), one.column))

    def _number_difference(self, at: int, n: int, cluster: int, others: Rows) -> Difference | None:
        weights = self.known[:, n]
        exponent = int(
            np.frexp(np.maximum(np.abs(self.means[:, n]), self.deviations[:, n])[weights > 0].max(initial=0))[1]
        )
        # Effects do not depend on the unit. A power of two changes no digit, and squares of such shares stay numbers.
        means, deviations = np.ldexp(self.means[:, n], -exponent), np.ldexp(self.deviations[:, n], -exponent)
        here, there = float(weights[cluster]), float(weights[others].sum())
        if not (here > 0 and there > 0):
            return None
        outside = float(weights[others] @ means[others]) / there
        middle = (here * means[cluster] + there * outside) / (here + there)
        squares = float(weights @ (deviations**2 + (means - middle) ** 2 * (weights > 0)))
        spread = (squares / (here + there)) ** 0.5
        apart = float(means[cluster]) - outside
        if not spread > 0:
            return None
        return Difference(at, -1, float(self.means[cluster, n]), float(np.ldexp(outside, exponent)), apart / spread)

    def _level_difference(self, at: int, span: slice, cluster: int, others: Rows) -> Difference | None:
        inside, outside = self.levels[cluster, span], self.levels[others, span].sum(axis=0)
        here, there = inside.sum(), outside.sum()
        if not (here > 0 and there > 0):
            return None
        share, spread = (inside + outside) / (here + there), np.zeros(len(inside))
        some = (share > 0) & (share < 1)
        spread[some] = np.maximum(np.sqrt(share[some] * (1 - share[some])), LEAST_SPREAD)
        effects = np.zeros(len(inside))
        effects[some] = (inside / here - outside / there)[some] / spread[some]
        if not some.any():
            return None
        sizes = np.array([round_digits(size, 6) for size in np.abs(effects).tolist()])
        sizes += (effects > 0) * (sizes * 1e-9)  # a frequent level is more informative than a rare one
        best = int(sizes.argmax())
        return Difference(at, best, float(inside[best] / here), float(outside[best] / there), float(effects[best]))

    def __str__(self) -> str:
        from hedgerow.models.clusters.profile_text import profile_lines

        return "\n".join(profile_lines(self))

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON values and arrays."""
        terms = [[list(own) for own in column] for column in self.terms]
        numbers = {name: getattr(self, name) for name in PARTS if name != "terms"}
        return {**numbers, "terms": terms}

    @classmethod
    def from_dict(cls, parts: Any, schema: Schema) -> Profile:
        """Return the profile with these parts, for a schema whose target is the cluster."""
        expect_parts(parts, *PARTS)
        k = len(schema.target_column.levels)
        numeric, nominal = len(_columns_of_kind(schema, Kind.NUMERIC)), _columns_of_kind(schema, Kind.NOMINAL)
        sizes, known = weights_part(parts, "sizes", k), weights_part(parts, "known", k, numeric)
        means, deviations = numbers_part(parts, "means", k, numeric), weights_part(parts, "deviations", k, numeric)
        levels = weights_part(parts, "levels", k, sum(len(schema.columns[at].levels) for at in nominal))
        terms = _check_terms(parts["terms"], len(_columns_of_kind(schema, Kind.TEXT)), k)
        return cls(schema, sizes, known, means, deviations, levels, terms)


def _columns_of_kind(schema: Schema, kind: Kind) -> list[int]:
    return [at for at in schema.predictors if schema.columns[at].kind is kind]


def _numbers(values: Any, codes: Codes, weights: Numbers, sizes: Numbers) -> Numbers:
    """Return known weight, mean and deviation of a numeric column by cluster."""
    k = len(sizes)
    zeros = np.zeros(k)  # the weight of zeros that are not stored
    if isinstance(values, SparseNumbers):
        codes, weights, values = codes[values.rows], weights[values.rows], values.values
        zeros = np.maximum(sizes - np.bincount(codes, weights, k), 0.0)
    own = None if (weights == 1).all() else np.ascontiguousarray(weights)
    flat = np.ascontiguousarray(values, dtype=np.float64), np.ascontiguousarray(codes)
    known, means, squares = _kernels.compute_cluster_statistics(*flat, own, k)
    if zeros.any():
        share = np.where(known > 0, zeros / np.where(known > 0, known + zeros, 1.0), 0.0)
        squares += known * share * means**2
        means *= 1 - share
        known += zeros
    return np.array([known, _round_sums(means), _round_sums(np.sqrt(squares / np.where(known > 0, known, 1.0)))])


def _round_sums(values: Numbers) -> Numbers:
    """Return sums over rows without their last digits, which depend on the order of the rows."""
    return np.array([round_digits(value, DIGITS) for value in values.tolist()])


def _levels(values: Codes, codes: Codes, weights: Numbers, k: int, levels: int) -> Numbers:
    present = values >= 0
    flat = codes[present].astype(np.int64) * levels + values[present]
    return np.bincount(flat, weights[present], k * levels).reshape(k, levels).astype(np.float64)


def _terms(table: Table, at: int, codes: Codes, sizes: Numbers, space: TermSpace | None) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each cluster whose mean weight exceeds that of the other rows most."""
    k = len(sizes)
    if space is None or not len(space):
        return ((),) * k
    from scipy.sparse import csr_array

    rows = np.arange(table.n_rows)
    member = csr_array((table.row_weights, (codes, rows)), shape=(k, table.n_rows))
    sums = csr_array(member @ space.vectors(table.texts(at)).matrix())
    sums.sort_indices()
    totals, weight = np.asarray(sums.sum(axis=0)).ravel(), sizes.sum()
    pairs = []
    for cluster in range(k):
        entries = slice(sums.indptr[cluster], sums.indptr[cluster + 1])  # terms it does not have are not above others
        own, terms, rest = sums.data[entries], sums.indices[entries], weight - sizes[cluster]
        above = own / max(sizes[cluster], 1e-300)
        above -= (totals[terms] - own) / rest if rest > 0 else 0.0
        above = np.array([round_digits(value) for value in above.tolist()])
        best = np.argsort(-above, kind="stable")[:TERMS]
        pairs.append(tuple(space.names_of(terms[best[above[best] > 0]].tolist())))
    return tuple(pairs)


def _check_terms(listed: Any, texts: int, k: int) -> tuple[tuple[tuple[str, ...], ...], ...]:
    def is_list(value: Any, length: int | None, inner: Any) -> bool:
        fits = isinstance(value, list) and length in (None, len(value))
        return fits and all(map(inner, value))

    def is_word(value: Any) -> bool:
        return isinstance(value, str)

    if not is_list(listed, texts, lambda one: is_list(one, k, lambda own: is_list(own, None, is_word))):
        raise ModelError("its part 'terms' must list the terms of each text and cluster")
    lists: Sequence[Any] = listed
    return tuple(tuple(tuple(own) for own in column) for column in lists)
