"""Class association rules: all rules column = value and ... => class of enough support and confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.discretize import Discretizer
from hedgerow.data.schema import Column
from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.data.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.learn.rules.coded import Coded
from hedgerow.learn.rules.limits import at_most, labels_of
from hedgerow.learn.rules.ticks import Ticks
from hedgerow.models.condition import Condition, nearest

NEVER = np.iinfo(np.int64).max  # no class weighs that much
FINEST = 10**17  # denominator of a confidence: what the kernel compares stays within 128 bits
STEP, STRIDE = Fraction(5, 4), 2  # the least support rises by these if there is too much to look at
SMALL_STEPS = 4
SHORT = 3  # tests of a rule: before rules become shorter than that, the least support rises


@dataclass(frozen=True)
class CarOptions:
    """What rules are asked for.

    With `of_class` supports are shares of the rows of the rule's class, not of all rows; `general` leaves out rules
    that a more general rule of the same class stands before.
    """

    min_support: float = 0.01
    min_supports: Mapping[str, Any] | None = None
    of_class: bool = False
    min_confidence: float = 0.5
    max_length: int | None = None
    max_candidates: int | None = None
    general: bool = False


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows as the kernels take them: columns as codes, classes, and weights in ticks."""

    coded: Coded
    labels: Codes
    target: Column
    ticks: Ticks
    total: NDArray[np.int64]  # ticks by class, of all rows that support is a share of

    @classmethod
    def of(cls, table: Table, positions: Sequence[int], how: Discretizer, rows: Rows | None = None) -> CodedRows:
        """Return some rows of a table, or all; numbers are cut by all rows, of which supports are shares, too."""
        target, labels, ticks = table.schema.target_column, labels_of(table), Ticks.of(table.row_weights)
        coded = Coded.of(table, positions, how)
        total = np.zeros(len(target.levels), dtype=np.int64)
        np.add.at(total, labels, ticks.weight if len(ticks.weight) else 1)
        if rows is not None:
            coded = replace(coded, codes=tuple(codes[rows] for codes in coded.codes))
            labels, ticks = (
                labels[rows],
                replace(ticks, weight=ticks.weight[rows] if len(ticks.weight) else ticks.weight),
            )
        return cls(coded, labels, target, ticks, total)

    @property
    def n_classes(self) -> int:
        """How many classes the target has."""
        return len(self.target.levels)

    @property
    def arrays(self) -> tuple[list[Codes], list[int], Codes, int, NDArray[np.int64]]:
        """The first arguments of every kernel."""
        return list(self.coded.codes), self.coded.levels, self.labels, self.n_classes, self.ticks.weight

    def by_class(self) -> NDArray[np.int64]:
        """Return the ticks of these rows by class."""
        weights = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(weights, self.labels, self.ticks.weight if len(self.ticks.weight) else 1)
        return weights


@dataclass(frozen=True, eq=False)
class Cars:
    """Class association rules in the order of generation: fewer tests first, then by columns, levels and classes.

    Parameters
    ----------
    starts, columns, codes
        The tests of rule i stand at starts[i] up to starts[i + 1].
    decisions, hits, covered
        The class of each rule, and the ticks of the rows that it covers, of its class and of all.
    sets
        How many sets of tests were looked at.
    limited, raised
        How many tests rules have at most, and by what the least support was multiplied, so that there were not more of
        them than asked for; 0 and 1 if there was no need.
    """

    rows: CodedRows
    starts: Codes
    columns: Codes
    codes: Codes
    decisions: Codes
    hits: NDArray[np.int64]
    covered: NDArray[np.int64]
    sets: int = 0
    limited: int = 0
    raised: float = 1.0

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def tests(self) -> tuple[Codes, Codes, Codes, Codes]:
        """The rules as the kernels take them."""
        return self.starts, self.columns, self.codes, self.decisions

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tests each rule has."""
        return np.diff(self.starts).astype(np.int64)

    @cached_property
    def order(self) -> Codes:
        """The rules by precedence: the surer first, then those of more support, then those generated earlier."""
        return _kernels.car_order(self.hits, self.covered, self.rows.ticks.rounded)

    def take(self, numbers: Codes | NDArray[np.int64]) -> Cars:
        """Return some of the rules."""
        lengths = self.lengths[numbers]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], lengths)
        return replace(
            self,
            starts=starts.astype(np.int32),
            columns=self.columns[places],
            codes=self.codes[places],
            decisions=self.decisions[numbers],
            hits=self.hits[numbers],
            covered=self.covered[numbers],
        )

    def bodies(self) -> Iterator[tuple[Condition, ...]]:
        """Yield the conditions of every rule."""
        known = self.rows.coded.conditions
        tests = list(zip(self.columns.tolist(), self.codes.tolist(), strict=True))
        bounds = self.starts.tolist()
        for start, stop in pairwise(bounds):
            yield tuple(one for column, code in tests[start:stop] for one in known[column][code])

    def pruned(self, confidence: float) -> Cars:
        """Return the rules whose pessimistic error is not above that of the same rule without one of its tests."""
        z = NormalDist().inv_cdf(1 - confidence)
        ticks = self.rows.ticks.tick
        kept = _kernels.car_pessimistic(*self.rows.arrays, *self.tests, confidence, z, ticks, n_threads())
        return self.take(np.flatnonzero(kept))

    def by_generality(self, same_class: bool) -> Codes:
        """Return the rules by precedence, without those that a more general one, of the same class or any, precedes."""
        kept = _kernels.car_general(*self.tests, self.order, same_class)
        return self.order[kept[self.order] > 0]

    def weights(self) -> Numbers:
        """Return the weight by class of all rows that each rule covers."""
        counts = _kernels.car_counts(*self.rows.arrays, *self.tests, n_threads())
        return self.rows.ticks.weights(counts).reshape(-1, self.rows.n_classes)

    def chosen(self, two_scans: bool, most: int | None) -> tuple[Codes, NDArray[np.int64]]:
        """Return the rules that CBA chooses in order, and the ticks by class that each is the first to cover."""
        rules, covered = _kernels.car_list(*self.rows.arrays, *self.tests, self.order, two_scans, at_most(most))
        return rules, covered.reshape(-1, self.rows.n_classes)


def mine_cars(rows: CodedRows, options: CarOptions) -> Cars:
    """Return all rules of enough support and confidence.

    If that takes looking at too many sets of tests, rules are at most as long as can be afforded, and if not even rules
    of three tests can be, the least support rises. Long rules add least to what a classifier knows.
    """
    bounds, longest = least_ticks(rows, options), at_most(options.max_length)
    found = _mined(rows, options, bounds, longest)
    if found is not None:
        return found
    length, shorter = SHORT, None
    while length < longest and (more := _mined(rows, options, bounds, length)) is not None:
        shorter, length = more, length + 1
    if shorter is not None:
        return replace(shorter, limited=length - 1)
    raised, longest = STEP, min(longest, SHORT)
    while (found := _mined(rows, options, [_times(bound, raised) for bound in bounds], longest)) is None:
        raised *= STEP if raised < STEP**SMALL_STEPS else STRIDE
    return replace(found, limited=longest, raised=float(raised))


def _mined(rows: CodedRows, options: CarOptions, bounds: list[int], longest: int) -> Cars | None:
    """Return the rules of at most so many tests; None if there is too much to look at."""
    confidence = Fraction(repr(float(options.min_confidence))).limit_denominator(FINEST)
    found = _kernels.mine_cars(
        *rows.arrays,
        np.array(bounds, dtype=np.int64),
        (confidence.numerator, confidence.denominator),
        longest,
        at_most(options.max_candidates),
        options.general,
        n_threads(),
    )
    ended, sets = found.pop("ended"), found.pop("sets")
    return None if ended else Cars(rows, **found, sets=sets)


def least_ticks(rows: CodedRows, options: CarOptions) -> list[int]:
    """Return the ticks by class that a rule needs: of 1 % of 150 rows, 2; a share of 1 or more allows no rules."""
    shares = dict.fromkeys(rows.target.levels, options.min_support)
    for label, share in (options.min_supports or {}).items():
        if label not in shares:
            hint = nearest(label, shares, "classes")
            raise UsageError(f"min_supports names {label!r}, which is none of the classes; {hint}")
        shares[label] = _share(label, share)
    totals = rows.total.tolist() if options.of_class else [int(rows.total.sum())] * rows.n_classes
    each = zip(shares.values(), totals, strict=True)
    return [int(NEVER) if share >= 1 else _ticks(share, total, rows.ticks.rounded) for share, total in each]


def _share(label: str, given: Any) -> float:
    try:
        share = float(given)
    except (TypeError, ValueError):
        share = math.nan
    if not share > 0:
        raise UsageError(f"min_supports of class {label!r} is {given!r}; it must be a share above 0, as 0.01 is")
    return share


def _ticks(share: float, total: int, rounded: bool) -> int:
    """Return the least ticks that are a share of all; of the share as it is written, 0.07 of 100 is 7, 1/15 of 15 1."""
    whole = round(share * total)
    if whole and total and whole / total == share:
        return whole
    exact = Fraction(repr(float(share))) * total
    return max(1, math.ceil(exact * (1 - Fraction(1, 10**12)) if rounded else exact))


def _times(bound: int, factor: Fraction) -> int:
    return int(min(math.ceil(bound * factor), int(NEVER)))
