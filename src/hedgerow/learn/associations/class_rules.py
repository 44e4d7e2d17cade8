"""Class association rules: all rules `column = value and ... => class` of minimum support and confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.items.baskets import ranges, starts_from_sizes
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.associations.class_rule_options import NEVER, ClassRuleOptions, min_ticks_by_class
from hedgerow.learn.associations.coded_rows import EncodedRows
from hedgerow.learn.associations.search_limits import half_of_memory
from hedgerow.learn.rules.user_constraints import kernel_limit
from hedgerow.models.base.condition import Condition
from hedgerow.models.base.rule import Rule

FINEST = 10**17  # denominator of a confidence: the products that the kernel compares fit in 128 bits
STEP, STRIDE = Fraction(5, 4), 2  # factors of the minimum support if there are too many candidates
SMALL_STEPS = 4
MOST_BYTES = 12 * (2**31 - 1)  # bytes: a test takes twelve, and positions of tests are 32-bit numbers
SHORT = 2  # tests of a rule: the minimum support rises before rules become shorter than this


@dataclass(frozen=True, eq=False)
class ClassRules:
    """Class association rules in the order of generation: fewer tests first, then by columns, levels and classes.

    Parameters
    ----------
    starts, columns, codes
        The tests of rule i are at starts[i] up to starts[i + 1].
    decisions, hits, covered
        The class of each rule, and the ticks of the rows that it covers, of its class and of all.
    sets
        How many sets of tests were examined.
    limited, raised, full
        The maximum number of tests per rule, and the factor of the minimum support, chosen so that there were not more
        rules than requested, or than fit in memory (`full`); 0 and 1 if there was no need.
    """

    rows: EncodedRows
    starts: Codes
    columns: Codes
    codes: Codes
    decisions: Codes
    hits: NDArray[np.int64]
    covered: NDArray[np.int64]
    sets: int = 0
    max_tests: int = 0
    raised_support: float = 1.0
    full: bool = False

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def tests(self) -> tuple[Codes, Codes, Codes, Codes]:
        """The rules in the form that the kernels take."""
        return self.starts, self.columns, self.codes, self.decisions

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tests each rule has."""
        return np.diff(self.starts).astype(np.int64)

    @cached_property
    def order(self) -> Codes:
        """The rules by precedence: highest confidence first, then highest support, then those generated earlier."""
        return _kernels.order_class_rules(self.hits, self.covered, self.rows.ticks.is_rounded)

    def take(self, numbers: Codes | NDArray[np.int64]) -> ClassRules:
        """Return some of the rules."""
        lengths = self.lengths[numbers]
        places = ranges(self.starts[numbers], lengths)
        return replace(
            self,
            starts=starts_from_sizes(lengths).astype(np.int32),
            columns=self.columns[places],
            codes=self.codes[places],
            decisions=self.decisions[numbers],
            hits=self.hits[numbers],
            covered=self.covered[numbers],
        )

    def bodies(self) -> Iterator[tuple[Condition, ...]]:
        """Yield the conditions of every rule."""
        known = self.rows.columns.conditions
        tests = list(zip(self.columns.tolist(), self.codes.tolist(), strict=True))
        bounds = self.starts.tolist()
        for start, stop in pairwise(bounds):
            yield tuple(one for column, code in tests[start:stop] for one in known[column][code])

    def as_rules(self, weights: Numbers | None = None) -> list[Rule]:
        """Return the rules as a model's rules; `weights` by class, by default those of all rows that each covers."""
        weights = self.weights() if weights is None else weights
        each = zip(self.bodies(), weights.tolist(), self.decisions.tolist(), strict=True)
        return [Rule(body, tuple(counts), decision) for body, counts, decision in each]

    def prune(self, confidence: float) -> ClassRules:
        """Return the rules whose pessimistic error is not above that of the same rule without one of its tests."""
        z = NormalDist().inv_cdf(1 - confidence)
        ticks = self.rows.ticks.tick
        kept = _kernels.mark_pessimistic_rules(*self.rows.arrays, *self.tests, confidence, z, ticks, n_threads())
        return self.take(np.flatnonzero(kept))

    def order_by_generality(self, same_class: bool) -> Codes:
        """Return the rules by precedence, without those that a more general one, of the same class or any, precedes."""
        kept = _kernels.mark_general_rules(*self.tests, self.order, same_class)
        return self.order[kept[self.order] > 0]

    def weights(self) -> Numbers:
        """Return the weight by class of all rows that each rule covers."""
        counts = _kernels.count_class_rules(*self.rows.arrays, *self.tests, n_threads())
        return self.rows.ticks.weights(counts).reshape(-1, self.rows.n_classes)

    def choose(self, two_scans: bool, most: int | None) -> tuple[Codes, NDArray[np.int64]]:
        """Return the rules that CBA chooses in order, and the ticks by class that each is the first to cover."""
        rules, covered = _kernels.select_class_rules(
            *self.rows.arrays, *self.tests, self.order, two_scans, kernel_limit(most)
        )
        return rules, covered.reshape(-1, self.rows.n_classes)


def mine_class_rules(rows: EncodedRows, options: ClassRuleOptions) -> ClassRules:
    """Return all rules of minimum support and confidence.

    If that means examining too many sets of tests, the length of rules is limited, and if even rules
    of two tests are too many, the minimum support rises. Long rules contribute least to a classifier.
    """
    bounds, longest = min_ticks_by_class(rows, options), kernel_limit(options.max_length)
    memory = half_of_memory() // 4 if options.memory is None else options.memory  # rules are copied and sorted
    class_rules, full = _mine_up_to(rows, options, bounds, longest, memory)
    if class_rules is not None:
        return class_rules
    length, shorter = SHORT, None
    while length < longest and (more := _mine_up_to(rows, options, bounds, length, memory)[0]) is not None:
        shorter, length = more, length + 1
    if shorter is not None:
        return replace(shorter, max_tests=length - 1, full=full)
    raised, longest = STEP, min(longest, SHORT)
    while True:
        class_rules, _ = _mine_up_to(rows, options, [_times(bound, raised) for bound in bounds], longest, memory)
        if class_rules is not None:
            return replace(class_rules, max_tests=longest, raised_support=float(raised), full=full)
        raised *= STEP if raised < STEP**SMALL_STEPS else STRIDE


def _mine_up_to(
    rows: EncodedRows, options: ClassRuleOptions, bounds: list[int], longest: int, memory: int
) -> tuple[ClassRules | None, bool]:
    """Return the rules with a maximum number of tests; none if there are too many to examine (or store)."""
    confidence = Fraction(repr(float(options.min_confidence))).limit_denominator(FINEST)
    result = _kernels.mine_class_rules(
        *rows.arrays,
        np.array(bounds, dtype=np.int64),
        (confidence.numerator, confidence.denominator),
        longest,
        kernel_limit(options.max_candidates),
        min(memory, MOST_BYTES),
        options.general,
        n_threads(),
    )
    ended, full, sets = (result.pop(name) for name in ("ended", "full", "sets"))
    return None if ended else ClassRules(rows, **result, sets=sets), full


def _times(bound: int, factor: Fraction) -> int:
    return int(min(math.ceil(bound * factor), NEVER))
