"""Functions: the coefficients of an online learner in plain arrays, and the calls of the kernels that update them.

Cells hold coefficients and sums of squares of every slot (see online_updates.hpp). Two classes have one function,
of the second class; more have one each, distinguished from all others. Functions are learned independently of each
other, in groups that are distributed over threads; the result is the same for any number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.hashed_slots import Arrays
from hedgerow.errors import ModelError
from hedgerow.learn.linear.online.update_rule import OnlineRule

FEW_CLASSES = 32  # functions per group: reading a row once costs less than distributing the functions
T, N, SHRUNK, LARGEST_ROW = range(4)  # of `sums`

Cells = NDArray[np.float32]


class OnlineFunctions:
    """The functions of some classes, or the one of a number, over `n` slots.

    Attributes
    ----------
    told
        Which classes have functions, one group each of the following.
    cells
        (slots, stride): coefficients and sums of squares.
    seen
        The regularization already applied to every slot; empty without it.
    sums
        The weight of the rows, N, regularisation so far, and the largest row.
    """

    def __init__(self, rule: OnlineRule, classes: tuple[str, ...] | None, n: int) -> None:
        self.rule, self.classes = rule, classes
        self.told = groups(classes)
        self.cells = [_empty_cells(n, len(class_codes)) for class_codes in self.told]
        self.seen = [self._empty_seen(n) for _ in self.told]
        self.sums = [np.zeros(4) for _ in self.told]

    def _empty_seen(self, slots: int) -> Numbers:
        return np.zeros(slots if self.rule.regular else 0)

    # -- memory ---------------------------------------------------------------------------------------------

    def resize(self, classes: tuple[str, ...] | None, n: int) -> None:
        """Enlarge the arrays for the current classes and slots, keeping their values."""
        more = n - len(self.cells[0])
        if more > 0:
            self.cells = [np.concatenate([own, np.zeros((more, own.shape[1]), np.float32)]) for own in self.cells]
            fresh = [self._empty_seen(more) + sums[SHRUNK] for sums in self.sums]
            self.seen = [np.concatenate([own, new]) for own, new in zip(self.seen, fresh, strict=True)]
        if classes is not None and classes != self.classes:
            self._regroup(classes)

    def _regroup(self, classes: tuple[str, ...]) -> None:
        """Give functions to new classes; where two classes had one function, the first gets its opposite."""
        for class_codes, cells, seen, sums in self.parts:
            _kernels.finish_online(self.rule.kernel, cells, seen, sums, len(class_codes))
        known = self._cells_by_class()
        scale = self.cells[0][:, 2 * len(self.told[0])].copy()
        sums, n = self.sums[0], len(scale)
        self.told, self.cells, self.classes = groups(classes), [], classes
        for class_codes in self.told:
            cells, k = _empty_cells(n, len(class_codes)), len(class_codes)
            for place, code in enumerate(class_codes.tolist()):
                name = classes[code] if code < len(classes) else None
                if name in known:
                    cells[:, place], cells[:, k + place] = known[name]
                elif len(classes) <= 2 and classes[0] in known:
                    weights, squares = known[classes[0]]
                    cells[:, place], cells[:, k + place] = -weights, squares
            cells[:, 2 * k] = scale
            self.cells.append(cells)
        self.seen = [self._empty_seen(n) + sums[SHRUNK] for _ in self.told]
        self.sums = [sums.copy() for _ in self.told]

    def _cells_by_class(self) -> dict[str, tuple[Cells, Cells]]:
        """Return coefficients and sums of squares of every previous class; one function describes two classes."""
        out: dict[str, tuple[Cells, Cells]] = {}
        names = self.classes or ()
        for class_codes, cells in zip(self.told, self.cells, strict=True):
            for place, code in enumerate(class_codes.tolist()):
                if code < len(names):
                    out[names[code]] = cells[:, place].copy(), cells[:, len(class_codes) + place].copy()
        if len(names) in (1, 2):
            cells = self.cells[0]
            out[names[0]] = -cells[:, 0], cells[:, 1].copy()
        return out

    @property
    def parts(self) -> list[tuple[Codes, Cells, Numbers, Numbers]]:
        """Groups of functions, each with its cells, applied regularization, and sums."""
        return list(zip(self.told, self.cells, self.seen, self.sums, strict=True))

    def restore(
        self, class_codes: list[Codes], cells: list[Cells], seen: list[Numbers], sums: list[Numbers], n: int
    ) -> None:
        """Restore values from a file; inconsistent ones raise an error."""
        if [own.tolist() for own in class_codes] != [own.tolist() for own in self.told]:
            raise ModelError("its functions do not match its classes")
        for own, cell, caught, total in zip(class_codes, cells, seen, sums, strict=True):
            fits = cell.shape == (n, _kernels.online_stride(len(own))) and total.shape == (4,)
            if not fits or caught.ndim != 1 or len(caught) != (n if self.rule.regular else 0):
                raise ModelError("its cells do not match its slots")
            if not all(np.isfinite(numbers).all() for numbers in (cell, caught, total)):
                raise ModelError("its cells hold values that are not finite numbers")
        self.cells, self.seen, self.sums = cells, seen, sums

    # -- rows -----------------------------------------------------------------------------------------------

    def learn(
        self,
        arrays: Arrays,
        n_rows: int,
        order: Rows,
        target: Numbers | None,
        codes: Codes | None,
        weights: Numbers | None,
    ) -> tuple[int, Numbers]:
        """Learn rows in an order until a prediction overflows; return their number and the predictions."""
        scores = [np.empty((len(order), len(class_codes))) for class_codes in self.told]
        rows = (*arrays, n_rows, order, target, codes)
        threads = n_threads() if len(self.told) == 1 else 1  # for delayed updates; others distribute groups

        def one(group: int) -> int:
            class_codes, cells, seen, sums = self.parts[group]
            state = (class_codes, weights, cells, seen, sums, scores[group])
            return int(_kernels.learn_online(self.rule.kernel, *rows, *state, threads))

        done = min(_map_groups(one, len(self.told)))
        return done, np.concatenate(scores, axis=1)

    def predict(self, arrays: Arrays, n_rows: int) -> Numbers:
        """Return the values of all functions for rows, one column each."""
        scores = [np.empty((n_rows, len(class_codes))) for class_codes in self.told]
        for (_, cells, seen, sums), out in zip(self.parts, scores, strict=True):
            _kernels.predict_online(self.rule.kernel, *arrays, n_rows, cells, seen, sums, out)
        return np.concatenate(scores, axis=1)

    def coefficients(self, slots: Codes) -> list[Numbers]:
        """Return all lines of `lines`."""
        return list(self.lines(slots))

    def lines(self, slots: Codes) -> Iterator[Numbers]:
        """Yield the coefficients of some slots, a line for each function, after pending regularization."""
        for class_codes, cells, seen, sums in self.parts:
            if self.rule.regular:
                cells = cells.copy()
                _kernels.finish_online(self.rule.kernel, cells, seen.copy(), sums, len(class_codes))
            picked = np.ascontiguousarray(cells[:, : len(class_codes)].T)  # row by row is faster to select from
            for line in picked:
                yield line[slots].astype(np.float64)

    @property
    def largest_row(self) -> float:
        """The largest sum of squares of a row."""
        return max(float(sums[LARGEST_ROW]) for sums in self.sums)


def groups(classes: tuple[str, ...] | None) -> list[Codes]:
    """Return the classes with functions in groups, at most one group per thread, and few groups."""
    if classes is None:
        return [np.zeros(1, dtype=np.int32)]
    k = len(classes)
    if k <= 2:
        return [np.array([1], dtype=np.int32)]
    n = 1 if k < FEW_CLASSES else min(8, k // (FEW_CLASSES // 2))
    return [part.astype(np.int32) for part in np.array_split(np.arange(k), n)]


def _map_groups(one: Callable[[int], int], n: int) -> list[int]:
    """Return the result for each of n groups, computed by several threads if available.

    All groups are completed even after Ctrl-C, which then raises: no group may have learned rows that others have not.
    So several groups do not run in the main thread, the only one that is interrupted.
    """
    if n == 1:
        return [one(0)]
    groups, results, ended = iter(range(n)), [0] * n, []

    def work() -> None:
        for group in groups:  # each is given out once
            try:
                results[group] = one(group)
            finally:
                ended.append(group)

    with ThreadPoolExecutor(n_threads()) as pool:
        try:
            for coming in [pool.submit(work) for _ in range(min(n, n_threads()))]:
                coming.result()
        except KeyboardInterrupt:
            work()
            while len(ended) < n:
                time.sleep(0.001)
            raise
    return results


def _empty_cells(slots: int, functions: int) -> Cells:
    return np.zeros((slots, _kernels.online_stride(functions)), dtype=np.float32)
