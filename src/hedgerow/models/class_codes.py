"""Class codes: many classes told apart by machines that know two sides, and how their answers become one class.

A code matrix has a row a machine and a column a class: +1 and -1 are a machine's two sides, 0 a class it does not see.
Values are what the machines say: (machines, rows), 0 or more for the side of +1, NaN where a machine has no answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table import Codes, Numbers
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.model import TIE
from hedgerow.models.parts import array_part, expect_parts

Entries = NDArray[np.int8]

MOST_MACHINES = 100_000
MOST_ENTRIES = 1 << 27
MOST_EXHAUSTIVE = 12  # classes: 2047 machines
BLOCK = 1 << 20  # numbers that are worked on at a time
LOSSES = ("hinge", "exp", "logistic")
STEEPEST = 500.0  # of the exponential loss, so that sums of it stay finite
SURE = 1e-7  # pair probabilities are kept this far from 0 and 1, as libsvm does: then there is one solution
WEAK = 1e-2  # how hard a pair without an answer pulls its classes together, where one with an answer pulls as 1/2


@dataclass(frozen=True, eq=False)
class CodeMatrix:
    """Which classes each machine has on which side.

    Every machine has classes on both sides, and some machine parts any two classes that have a code. A class without
    a code (all 0) is never answered. A single class with a code has one machine, which always answers +1.

    Examples
    --------
    >>> CodeMatrix.pairs(3).entries.tolist()
    [[-1, 1, 0], [-1, 0, 1], [0, -1, 1]]
    >>> CodeMatrix.rest(3).entries.tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> CodeMatrix.rest(2).entries.tolist()
    [[-1, 1]]
    """

    entries: Entries

    def __post_init__(self) -> None:
        entries = np.ascontiguousarray(self.entries)
        if entries.ndim != 2 or entries.dtype != np.int8:
            raise ModelError("a code matrix is a table of small whole numbers (int8), a row a machine")
        if not 0 < len(entries) <= MOST_MACHINES or not 0 < entries.size <= MOST_ENTRIES:
            raise ModelError(
                f"a code matrix has 1 to {MOST_MACHINES:,} machines and at most {MOST_ENTRIES:,} entries, "
                f"not {entries.shape[0]:,} machines for {entries.shape[1]:,} classes"
            )
        if entries.min() < -1 or entries.max() > 1:
            raise ModelError("the entries of a code matrix are -1, 0 and 1")
        object.__setattr__(self, "entries", entries)
        entries.flags.writeable = False
        self._check()

    def _check(self) -> None:
        if self.n_used == 1:
            if len(self) != 1 or self.entries.max() != 1:
                raise ModelError("a single class has one machine, which says +1")
            return
        both = (self.entries.max(axis=1) > 0) & (self.entries.min(axis=1) < 0)
        if not both.all():
            raise ModelError(f"machine {int(both.argmin())} of a code matrix does not have classes on both sides")
        if not self.is_pairs and not (parted(self.entries[:, self.used]) > 0).all():
            raise ModelError("no machine of a code matrix parts some two of its classes")

    def __len__(self) -> int:
        """Return the number of machines."""
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        """Tell whether another matrix has the same entries."""
        return isinstance(other, CodeMatrix) and np.array_equal(self.entries, other.entries)

    def __hash__(self) -> int:
        return hash(self.entries.tobytes())

    @property
    def n_classes(self) -> int:
        """The number of classes, those without a code among them."""
        return int(self.entries.shape[1])

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The classes that have a code."""
        return np.flatnonzero(self.entries.any(axis=0))

    @property
    def n_used(self) -> int:
        """The number of classes that have a code."""
        return len(self.used)

    @cached_property
    def is_pairs(self) -> bool:
        """Whether the machines are those of all pairs, in order."""
        n = self.n_used
        return len(self) == n * (n - 1) // 2 and bool((self.entries == _pairs(self.n_classes, self.used)).all())

    @cached_property
    def is_rest(self) -> bool:
        """Whether each class has a machine that parts it from all others; for two classes it is one machine."""
        if self.n_used <= 2:
            return len(self) == 1
        return len(self) == self.n_used and bool((self.entries == _rest(self.n_classes, self.used)).all())

    def sides(self, machine: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the classes on a machine's side of -1, and those on its side of +1."""
        row = self.entries[machine]
        return tuple(np.flatnonzero(row < 0).tolist()), tuple(np.flatnonzero(row > 0).tolist())

    @cached_property
    def distances(self) -> Numbers:
        """How far the codes of the used classes are apart, by Allwein and others: 1 a machine that parts, 1/2 a 0."""
        return distances(self.entries[:, self.used])

    @classmethod
    def rest(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return one machine a class, +1 for it and -1 for the others; of two classes -1 for the first, +1 the second.

        `used` are the classes that have a code, ascending; all of them if it is left out.
        """
        codes = _used(n, used)
        return cls(_pairs(n, codes) if len(codes) == 2 else _rest(n, codes))

    @classmethod
    def pairs(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return one machine a pair of classes, -1 for the first and +1 for the second: (0, 1), (0, 2) and so on."""
        codes = _used(n, used)
        return cls(_rest(n, codes) if len(codes) == 1 else _pairs(n, codes))

    @classmethod
    def exhaustive(cls, n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> CodeMatrix:
        """Return all ways to part the classes into two sides: 2^(n - 1) - 1 machines (Dietterich and Bakiri 1995).

        The first class is always on the side of +1, but for two classes, whose only machine is that of `pairs`.
        """
        codes = _used(n, used)
        if len(codes) > MOST_EXHAUSTIVE:
            raise UsageError(
                f"an exhaustive code of {len(codes)} classes has {2 ** (len(codes) - 1) - 1:,} columns; "
                f"it is for at most {MOST_EXHAUSTIVE} classes"
            )
        if len(codes) <= 2:
            return cls.pairs(n, codes)
        return cls(spread(all_ways(len(codes)), n, codes))

    @classmethod
    def random(
        cls,
        n: int,
        columns: int | None = None,
        kind: str = "dense",
        seed: int | np.random.SeedSequence = 1,
        used: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> CodeMatrix:
        """Return a random code, "dense" (-1, +1) or "sparse" (half 0), of many draws the one whose rows are farthest.

        As many columns as Allwein, Schapire and Singer (2000) take, 10 log2 n or 15 log2 n, unless they are given; no
        two are the same or opposite, so that small numbers of classes have fewer.
        """
        from hedgerow.models.code_search import random_code

        codes = _used(n, used)
        if len(codes) <= 2:
            return cls.pairs(n, codes)
        return cls(spread(random_code(len(codes), columns, kind, seed), n, codes))

    @classmethod
    def bch(
        cls,
        n: int,
        seed: int | np.random.SeedSequence = 1,
        used: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> CodeMatrix:
        """Return words of a BCH code, far apart by construction; for few classes, the exhaustive code."""
        from hedgerow.models.code_search import FEWEST_FOR_BCH, bch_code

        codes = _used(n, used)
        if len(codes) < FEWEST_FOR_BCH:
            return cls.exhaustive(n, codes)
        return cls(spread(bch_code(len(codes), seed), n, codes))

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for a file: the entries and 1, which are not negative."""
        return {"entries": (self.entries + 1).astype(np.uint8)}

    @classmethod
    def from_dict(cls, parts: Any, n_classes: int) -> CodeMatrix:
        """Build the matrix from its parts, checking them."""
        expect_parts(parts, "entries")
        entries = array_part(parts, "entries", np.uint8, None, n_classes)
        if entries.size and entries.max() > 2:
            raise ModelError("the entries of a code matrix are kept as 0, 1 and 2, for -1, 0 and 1")
        return cls(entries.astype(np.int8) - np.int8(1))


def _used(n: int, used: Sequence[int] | NDArray[np.integer[Any]] | None) -> NDArray[np.int64]:
    codes = np.arange(n, dtype=np.int64) if used is None else np.asarray(used, dtype=np.int64)
    if not len(codes) or codes[0] < 0 or codes[-1] >= n or (np.diff(codes) <= 0).any():
        raise UsageError("a code needs at least one class, and its classes in ascending order")
    return codes


def _pairs(n: int, used: NDArray[np.int64]) -> Entries:
    first, second = np.triu_indices(len(used), 1)
    if len(first) > MOST_MACHINES or len(first) * n > MOST_ENTRIES:
        raise UsageError(
            f"{len(used):,} classes have {len(first):,} pairs, which are too many; part each from the rest"
        )
    entries = np.zeros((len(first), n), dtype=np.int8)
    machine = np.arange(len(first))
    entries[machine, used[first]], entries[machine, used[second]] = -1, 1
    return entries


def _rest(n: int, used: NDArray[np.int64]) -> Entries:
    return spread((2 * np.eye(len(used)) - 1).astype(np.int8), n, used)


def spread(entries: Entries, n: int, used: NDArray[np.int64]) -> Entries:
    """Return the entries of some classes as those of all n, 0 for the others."""
    if len(used) == n:
        return entries
    all_of_them = np.zeros((len(entries), n), dtype=np.int8)
    all_of_them[:, used] = entries
    return all_of_them


def all_ways(n: int) -> Entries:
    """Return every way to part n classes into two sides, the first class on the side of +1: a row a way.

    As Dietterich and Bakiri write them: in the row of class i runs of 2^(n - i) zeros and ones take turns.
    """
    bits = np.arange((1 << (n - 1)) - 1)[:, None] >> np.arange(n - 2, -1, -1) & 1
    return np.concatenate([np.ones((len(bits), 1)), 2 * bits - 1], axis=1).astype(np.int8)


def parted(entries: Entries) -> Numbers:
    """Return how many machines part each two classes, and 1 on the diagonal."""
    real = entries.astype(np.float32)
    seen = np.abs(real)
    apart = (seen.T @ seen - real.T @ real) / 2
    np.fill_diagonal(apart, 1)
    return np.asarray(apart, dtype=np.float64)


def distances(entries: Entries) -> Numbers:
    """Return how far the codes of each two classes are apart: sums of (1 - product) / 2; 0 of a class and itself."""
    real = entries.astype(np.float32)
    apart = (len(real) - real.T @ real).astype(np.float64) / 2
    np.fill_diagonal(apart, 0)
    return apart


# Decoding: every function returns scores (rows, classes), the largest of a row its class (`best`); a class without a
# code has -inf.


def best(scores: Numbers) -> Codes:
    """Return the class with the largest score of every row; the first wins a tie, rounding aside."""
    top = scores.max(axis=1, initial=-np.inf)
    least = top - TIE * np.maximum(np.abs(top), 1)
    codes: Codes = (scores >= least[:, None]).argmax(axis=1).astype(np.int32)
    return codes


def decided(codes: CodeMatrix, values: Numbers, scores: Numbers) -> Codes:
    """Return the class of every row: that of the largest score, but of the one machine of two classes its side."""
    if len(codes) == 1 and codes.n_used == 2:
        first, second = codes.used.tolist()
        side: Codes = np.where(values[0] >= 0, second, first).astype(np.int32)  # no answer: the first class
        return side
    return best(scores)


def votes(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the votes of every class, and between -1/3 and 1/3 the sum of the values for it, which parts ties.

    A machine votes for all classes on the side it answers, and not at all without an answer. The sum s is squeezed to
    s / (3 (|s| + 1)), as scikit-learn does.
    """

    def scored(said: Numbers) -> Numbers:
        silent = np.isnan(said)
        won = np.where(silent, 0.0, np.where(said >= 0, 1.0, -1.0))
        sums = _sums(codes, np.where(silent, 0.0, said))
        # the votes of a class: machines that see and answer, (1 + entry * sign) / 2 each
        count = (_sums(codes, won) + _seen(codes, ~silent)) / 2
        return np.asarray(count + sums / (3 * (np.abs(sums) + 1)))

    return _by_blocks(codes, values, scored)


def largest(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the value of each class's own machine, of the one machine of two classes -f and f."""
    if not codes.is_rest:
        raise ModelError("the largest value decides where each class has a machine that parts it from the rest")

    def scored(said: Numbers) -> Numbers:
        if codes.n_used == 2:
            return np.concatenate([-said, said]).T
        return said.T

    spoken = np.where(np.isnan(values), 0.0 if codes.n_used <= 2 else _low(values), values)
    return _by_blocks(codes, spoken, scored)


def hamming(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return minus the distance of each class's code to the machines' answers; 0 and no answer are 1/2 away."""

    def scored(said: Numbers) -> Numbers:
        signs = np.where(np.isnan(said), 0.0, np.where(said >= 0, 1.0, -1.0))
        return (_sums(codes, signs) - len(codes)) / 2

    return _by_blocks(codes, values, scored)


def loss_based(codes: CodeMatrix, values: Numbers, loss: str = "hinge") -> Numbers:
    """Return minus the loss of each class's code, summed over machines (Allwein, Schapire and Singer 2000).

    With z = entry * value it is max(0, 1 - z), exp(-z) or log(1 + exp(-z)); no answer counts as z = 0.
    """
    if loss not in LOSSES:
        raise UsageError(f"the loss is one of {', '.join(LOSSES)}, not {loss!r}")

    def scored(said: Numbers) -> Numbers:
        known = np.where(np.isnan(said), 0.0, said)
        plus, minus, zero = _loss(loss, known), _loss(loss, -known), float(_loss(loss, np.zeros(1))[0])
        # an entry e in -1, 0, 1 costs  zero + e (plus - minus) / 2 + |e| ((plus + minus) / 2 - zero)
        odd, even = (plus - minus) / 2, (plus + minus) / 2 - zero
        return -(_sums(codes, odd) + _seen(codes, even) + zero * len(codes))

    return _by_blocks(codes, values, scored)


def _loss(name: str, z: Numbers) -> Numbers:
    if name == "hinge":
        return np.maximum(0.0, 1 - z)
    if name == "exp":
        return np.exp(np.minimum(-z, STEEPEST))
    return np.logaddexp(0.0, -z)


def _low(values: Numbers) -> Numbers:
    """Return for every row a value below that of any machine that answers: a machine without an answer never wins."""
    known = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return np.where(np.isinf(known), 0.0, known - 1)


def _by_blocks(codes: CodeMatrix, values: Numbers, scored: Any) -> Numbers:
    """Return the scores of all classes, those of the used ones by `scored` of some rows at a time."""
    if values.ndim != 2 or len(values) != len(codes):
        raise ModelError(f"{len(codes)} machines need values in so many rows, not in the shape {values.shape}")
    out = np.full((values.shape[1], codes.n_classes), -np.inf)
    whole = codes.n_used == codes.n_classes
    for part in _blocks(values.shape[1], len(codes)):
        if whole:
            out[part] = scored(values[:, part])
        else:
            out[part, codes.used] = scored(values[:, part])
    return out


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK // max(width, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _sums(codes: CodeMatrix, numbers: Numbers) -> Numbers:
    """Return for every row and used class the sum of entry * number over the machines."""
    if codes.is_pairs:
        return _pair_sums(codes.n_used, numbers, -1.0)
    return np.asarray(numbers.T @ codes.entries[:, codes.used].astype(np.float64))


def _seen(codes: CodeMatrix, numbers: NDArray[Any]) -> Numbers:
    """Return the same with |entry|."""
    if codes.is_pairs:
        return _pair_sums(codes.n_used, numbers, 1.0)
    return np.asarray(numbers.T.astype(np.float64) @ np.abs(codes.entries[:, codes.used]).astype(np.float64))


def _pair_sums(n: int, numbers: NDArray[Any], first: float) -> Numbers:
    """Return the sums for machines of all pairs, which touch two classes each: for the first one times `first`."""
    sums = np.zeros((n, numbers.shape[1]))
    start = 0
    for code in range(n - 1):
        mine = numbers[start : start + n - 1 - code]
        sums[code] += first * mine.sum(axis=0)
        sums[code + 1 :] += mine
        start += len(mine)
    return sums.T


def coupled(pair_probabilities: Numbers, n: int) -> Numbers:
    """Return the probabilities of n classes (rows, n) that fit those of all pairs best: Wu, Lin and Weng's second way.

    `pair_probabilities` are (pairs, rows), in the order of `CodeMatrix.pairs`: of the pair (a, b) the probability of b,
    NaN without an answer. With r_ij the probability of i in the pair (i, j) they minimize, over p that sum to 1,
    sum over i and j of (r_ji p_i - r_ij p_j)^2 = 2 p'Qp: one linear system a row, solved directly.

    References
    ----------
    T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise coupling.
    Journal of Machine Learning Research 5 (2004).
    """
    if pair_probabilities.ndim != 2 or len(pair_probabilities) != n * (n - 1) // 2:
        raise ModelError(f"{n} classes have {n * (n - 1) // 2} pairs, not {len(pair_probabilities)}")
    rows = pair_probabilities.shape[1]
    if n == 1:
        return np.ones((rows, 1))
    out = np.empty((rows, n))
    first, second = np.triu_indices(n, 1)
    for part in _blocks(rows, (n + 1) ** 2):
        given = pair_probabilities[:, part].T
        silent = np.isnan(given)
        ahead = np.where(silent, 0.5, np.clip(given, SURE, 1 - SURE))  # of the second class
        pull = np.where(silent, 2 * WEAK, 1.0)
        out[part] = _solved(n, first, second, pull * ahead, pull * (1 - ahead))
    return out


def _solved(n: int, first: NDArray[np.int64], second: NDArray[np.int64], ahead: Numbers, behind: Numbers) -> Numbers:
    """Return the solutions of [Q 1; 1' 0] [p; b] = [0; 1], Q_tt = sum of r_st^2, Q_st = -r_st r_ts."""
    if n == 2:
        return np.concatenate([behind, ahead], axis=1) / (ahead + behind)
    squares = np.zeros((len(ahead), n, n))
    squares[:, first, second], squares[:, second, first] = behind**2, ahead**2  # [s, t]: r_st^2
    system = np.zeros((len(ahead), n + 1, n + 1))
    product = -ahead * behind
    system[:, first, second], system[:, second, first] = product, product
    at = np.arange(n)
    system[:, at, at] = squares.sum(axis=1)
    system[:, :n, n] = system[:, n, :n] = 1.0
    right = np.zeros((len(ahead), n + 1, 1))
    right[:, n] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :n, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def default_columns(n: int, kind: str) -> int:
    """Return how many columns Allwein and others give a random code: 10 log2 n if dense, 15 log2 n if sparse."""
    return max(1, round((10 if kind == "dense" else 15) * math.log2(n)))
