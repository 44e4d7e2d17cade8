"""StoredRows: rows stored for the search of nearest neighbors, for any kind of prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.models.neighbors.distance import COSINE, HAMMING, RowDistance
from hedgerow.models.neighbors.row_search import AUTO, BALL_TREE, BRUTE, KD_TREE, Distance, MixedRows, RowSearch, Tree
from hedgerow.models.neighbors.stored_columns import (
    StoredLevels,
    StoredNeighborColumn,
    StoredNumbers,
    StoredTexts,
    join_term_vectors,
    stack_columns,
)

EQUAL_TEXTS = 1e-12  # 1 - cosine of texts that are equal but for rounding
FEW_ROWS = 256  # that no tree is built of
FEW_QUERIES = 128  # for which no tree is built
PROBES = 64  # searches by which a tree is judged
SAMPLE = 8192  # rows of a first tree that is judged
TRIED_NEIGHBORS = 5
# The measured costs of comparing a value in a tree and one by one, relative to a position of a product.
IN_TREE, ONE_BY_ONE = 30.0, 8.0


class NewRows(NamedTuple):
    """New rows as the kernels take them: the vectors of texts by row, numbers and codes by column; which are known."""

    starts: Rows
    ids: Codes
    values: Numbers
    mixed_columns: MixedRows
    is_known: NDArray[np.bool_]  # whether a row has any known value

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels take."""
        return self[:4]


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The columns of some rows that are compared, by their position in a table; all distances come from here.

    Kernels express nearness by a score, larger for nearer rows: for texts alone the sum of their cosines,
    otherwise minus the distance before any root.
    """

    columns: dict[int, StoredNeighborColumn]
    n_rows: int
    how: RowDistance
    search: RowSearch = field(default_factory=RowSearch)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("columns", "n_rows", "how", "search")}  # the rest is recomputed

    @cached_property
    def numbers(self) -> dict[int, StoredNumbers]:
        """The numeric columns."""
        return {at: one for at, one in self.columns.items() if isinstance(one, StoredNumbers)}

    @cached_property
    def levels(self) -> dict[int, StoredLevels]:
        """The nominal columns."""
        return {at: one for at, one in self.columns.items() if isinstance(one, StoredLevels)}

    @cached_property
    def text_columns(self) -> dict[int, StoredTexts]:
        """The text columns."""
        return {at: one for at, one in self.columns.items() if isinstance(one, StoredTexts)}

    @cached_property
    def texts_weight(self) -> float:
        """What all text columns count."""
        return float(sum(self.how.weights[at] for at in self.text_columns))

    @property
    def has_only_texts(self) -> bool:
        """Whether only texts are compared."""
        return 0 < len(self.text_columns) == len(self.columns)

    # -- layout ---------------------------------------------------------------------------------------------

    @cached_property
    def texts(self) -> TermVectors:
        """The vectors of all text columns, put together."""
        return self._join_vectors({at: one.vectors for at, one in self.text_columns.items()}, self.n_rows)

    def _join_vectors(self, vectors: dict[int, TermVectors], n_rows: int) -> TermVectors:
        """Return vectors put together, each counting by the weight of its column."""
        weighed = [
            one if self.how.weights[at] == 1 else replace(one, values=one.values * np.sqrt(self.how.weights[at]))
            for at, one in vectors.items()
        ]
        return join_term_vectors(weighed, n_rows)

    @cached_property
    def mixed(self) -> MixedRows:
        """Numbers and codes of the rows, column by column."""
        numbers = {at: one.values for at, one in self.numbers.items()}
        codes = {at: one.codes for at, one in self.levels.items()}
        return self._mix_columns(numbers, codes, self.n_rows)

    def _mix_columns(self, numbers: dict[int, Numbers], codes: dict[int, Codes], n_rows: int) -> MixedRows:
        if self.how.metric == HAMMING:
            coded = [self.numbers[at].encode_numbers(values) for at, values in numbers.items()]
            return stack_columns([], n_rows, np.float64), stack_columns([*coded, *codes.values()], n_rows, np.int32)
        results = [np.clip(self.how.scale_numbers(at, values), -LARGEST, LARGEST) for at, values in numbers.items()]
        results = [values * self.how.factor(at) for at, values in zip(numbers, results, strict=True)]
        if self.how.metric == COSINE:
            return _directions(results, list(self._level_positions(codes, n_rows)), n_rows), stack_columns(
                [], n_rows, np.int32
            )
        return stack_columns(results, n_rows, np.float64), stack_columns(list(codes.values()), n_rows, np.int32)

    def _level_positions(self, codes: dict[int, Codes], n_rows: int) -> Iterator[Numbers]:
        """Yield a position for every level."""
        for at, own in codes.items():
            for level in range(self.levels[at].width):
                place = np.zeros(n_rows)
                place[own == level] = self.how.factor(at)
                yield place

    @cached_property
    def distance(self) -> Distance:
        """How numbers and codes are compared."""
        weights, none = self.how.weights, np.empty(0)
        if self.how.metric == HAMMING:
            return False, none, np.array([weights[at] for at in [*self.numbers, *self.levels]], dtype=np.float64)
        if self.how.metric == COSINE:
            return True, np.ones(len(self.mixed[0])), none
        power = 2 if self.how.squares else 1
        gaps = [weights[at] * self.gap(at) ** power for at in self.numbers]
        steps = [weights[at] for at in self.levels]
        return self.how.squares, np.array(gaps, dtype=np.float64), np.array(steps, dtype=np.float64)

    def gap(self, at: int) -> float:
        """Return the difference of two numbers of which one is missing: that of the smallest and the largest."""
        low, high = self.numbers[at].range
        width = 2 * (high / 2 - low / 2) / float(self.how.units[at])  # infinite if it is too large
        return min(width, LARGEST) if width > 0 else 1.0

    @cached_property
    def _text_arrays(self) -> tuple[Any, ...]:
        texts = self.texts
        by_row = (texts.row_starts, texts.ids, texts.values)
        *by_term, norms = _kernels.build_postings(*by_row, texts.n_terms)
        return (*by_row, *by_term, norms.reshape(-1, self.n_rows), self.texts_weight)

    def arrays(self, n_queries: int) -> tuple[Any, ...]:
        """Return all that the kernels need of the rows to search for so many new ones."""
        return (*self._text_arrays, self.mixed, self.distance, *self._structure(n_queries))

    def prepare_queries(self, table: Table) -> NewRows:
        """Return new rows as the kernels take them."""
        n = table.n_rows
        texts = self._join_vectors({at: one.vectors_of(table, at) for at, one in self.text_columns.items()}, n)
        numbers = {at: table.numbers(at) for at in self.numbers}
        codes = {at: table.codes(at) for at in self.levels}
        read = np.concatenate([[0], np.cumsum(texts.values != 0)])
        known = read[texts.row_starts[1:]] > read[texts.row_starts[:-1]]
        for values in numbers.values():
            known = known | ~np.isnan(values)
        for own in codes.values():
            known = known | (own >= 0)
        return NewRows(texts.row_starts, texts.ids, texts.values, self._mix_columns(numbers, codes, n), known)

    # -- structures -----------------------------------------------------------------------------------------

    def _structure(self, n_queries: int) -> tuple[Tree | None, MixedRows | None]:
        """Return a tree or the rows by row for products, or neither: then rows are compared one by one."""
        if self.text_columns or not self.columns:
            return None, None
        chosen = self.search.algorithm
        if chosen == AUTO:
            worth = self.n_rows > FEW_ROWS and (n_queries >= FEW_QUERIES or "quickest" in vars(self))
            chosen = self.quickest if worth else BRUTE
        if chosen == BRUTE:
            return None, self._row_major
        return self.tree(chosen), None

    def tree(self, algorithm: str) -> Tree:
        """Return the rows in boxes, or in balls."""
        return self.kd_tree if algorithm == KD_TREE else self.ball_tree

    @cached_property
    def kd_tree(self) -> Tree:
        """The rows in boxes."""
        return self.search.tree(KD_TREE, self.mixed, self.distance)

    @cached_property
    def ball_tree(self) -> Tree:
        """The rows in balls."""
        return self.search.tree(BALL_TREE, self.mixed, self.distance)

    @cached_property
    def _row_major(self) -> MixedRows | None:
        """The rows by row, if products are worthwhile: positions of many levels cost more than they save."""
        if not self.distance[0] or self._n_product_positions > ONE_BY_ONE * self._width:
            return None
        numbers, codes = self.mixed
        return np.ascontiguousarray(numbers.T), np.ascontiguousarray(codes.T)

    @property
    def _width(self) -> int:
        return len(self.mixed[0]) + len(self.mixed[1])

    @cached_property
    def _n_product_positions(self) -> int:
        numbers, codes = self.mixed
        missing = np.isnan(numbers).any(axis=1)
        return 1 + int(np.where(missing, 3, 1).sum()) + int((codes.max(axis=1, initial=-1) + 1).sum())

    @cached_property
    def quickest(self) -> str:
        """The algorithm that compares least, estimated by some searches among the rows themselves."""
        scan = self._n_product_positions if self._row_major is not None else ONE_BY_ONE * self._width
        costs = {BRUTE: float(scan)}
        for algorithm in (KD_TREE, BALL_TREE):
            if not self._may_pay(algorithm):
                continue
            share = _kernels.compute_compared_share(self.tree(algorithm), min(TRIED_NEIGHBORS, self.n_rows), PROBES)
            costs[algorithm] = IN_TREE * self._width * share
            if 4 * costs[algorithm] < costs[BRUTE]:
                break
        return min(costs, key=lambda name: (costs[name], name))

    def _may_pay(self, algorithm: str) -> bool:
        """Return whether a tree of a few of the rows spares most comparisons: one of many columns seldom does."""
        step = self.n_rows // SAMPLE
        if step < 2:
            return True
        numbers, codes = self.mixed
        some = np.ascontiguousarray(numbers[:, ::step]), np.ascontiguousarray(codes[:, ::step])
        tree = self.search.tree(algorithm, some, self.distance)
        return _kernels.compute_compared_share(tree, TRIED_NEIGHBORS, PROBES) < 0.5

    # -- searches --------------------------------------------------------------------------------------------

    def nearest(self, queries: NewRows, k: int) -> tuple[Codes, Numbers]:
        """Return the `k` nearest rows of every new row, and their scores; `k` is no more than there are rows."""
        rows, scores = np.empty((queries.n_rows, k), dtype=np.int32), np.empty((queries.n_rows, k))
        _kernels.find_nearest_rows(self.arrays(queries.n_rows), queries.arrays, rows, scores, n_threads())
        return rows, scores

    @property
    def parts(self) -> float:
        """How many cosines a distance is the mean of; 1 for other metrics."""
        others = self.numbers or self.levels
        return self.texts_weight + 1 if self.how.metric == COSINE and others else 1.0

    @cached_property
    def widest(self) -> float:
        """The largest distance of rows within the ranges of the columns."""
        if self.has_only_texts or not self.columns or self.how.metric == COSINE:
            return 1.0
        _, gaps, steps = self.distance
        total = self.texts_weight + float(gaps.sum()) + float(steps.sum())
        return float(np.sqrt(total)) if self.how.is_root else total

    def distances(self, scores: Numbers) -> Numbers:
        """Return the distances that belong to scores."""
        if self.has_only_texts:
            far: Numbers = np.maximum(0.0, 1 - scores / self.texts_weight)
            return np.where(far <= EQUAL_TEXTS, 0.0, far)
        apart = np.where(-scores <= EQUAL_TEXTS * self.texts_weight, 0.0, -scores)
        return np.sqrt(apart) if self.how.is_root else apart / self.parts

    def similarities(self, distances: Numbers) -> Numbers:
        """Return 1 for equal rows, 0 for those at the largest distance."""
        return np.maximum(0.0, 1 - distances / self.widest)


def _directions(numbers: list[Numbers], places: list[Numbers], n_rows: int) -> Numbers:
    """Return vectors of such a length that their squared distance is 1 - cosine; missing values add nothing.

    Rows of zeros have no direction: a place of their own keeps them at distance 1 from all others.
    """
    matrix = stack_columns([np.nan_to_num(values) for values in numbers] + places, n_rows, np.float64)
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    none = largest == 0
    matrix = matrix / np.where(none, 1.0, largest)
    lengths = np.sqrt(2 * np.square(matrix).sum(axis=0))
    matrix = matrix / np.where(none, 1.0, lengths)
    return np.ascontiguousarray(np.vstack([matrix, np.where(none, np.sqrt(0.5), 0.0)[None]]))
