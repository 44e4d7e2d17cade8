"""Codes that are searched for: random ones, of which the best of many draws is taken, and words of BCH codes."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import UsageError
from hedgerow.models.many.class_codes import Entries, all_partitions, count_separating_machines, distances

DRAWS = 10_000  # as Allwein and others
MOST_WORK = 1 << 26  # entries that are drawn in all, times classes; many classes have fewer draws
AT_ONCE = 1 << 20  # entries
LISTED = 4096  # ways to part the classes, up to which a draw picks from all of them
FEWEST_FOR_BCH = 8  # classes: below, words of 15 bits would repeat columns
SMALLEST_FIELD, LARGEST_FIELD = 4, 10  # words of 15 to 1023 bits
PRIMITIVE = {4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101, 9: 0b1000010001, 10: 0b10000001001}


def random_code(n: int, columns: int | None, kind: str, seed: int | np.random.SeedSequence) -> Entries:
    """Return a code (columns, n) without repeated columns: the draw with the largest minimum distance out of many."""
    if kind not in ("dense", "sparse"):
        raise UsageError(f"a random code is 'dense' or 'sparse', not {kind!r}")
    there = (2 ** (n - 1)) - 1 if kind == "dense" else (3**n - 2 ** (n + 1) + 1) // 2
    wanted = min(default_columns(n, kind) if columns is None else columns, there)
    least = math.ceil(math.log2(n))
    if wanted < least:
        raise UsageError(f"{n} classes need at least {least} columns to be distinguished, not {wanted}")
    random = np.random.default_rng(seed)
    listed = _every_column(n, kind) if there <= LISTED else None
    if listed is not None and wanted == there:
        return listed
    draws = max(20, min(DRAWS, MOST_WORK // (wanted * n * n)))
    best, quality = None, 0.0
    for start in range(0, draws, max(1, AT_ONCE // (wanted * n))):
        count = min(max(1, AT_ONCE // (wanted * n)), draws - start)
        drawn = _draw_codes(random, count, wanted, n, kind, listed)
        far = _closest(drawn)
        for at in np.argsort(-far, kind="stable"):
            if far[at] <= quality:
                break
            if _is_proper(drawn[at]):
                best, quality = drawn[at], float(far[at])
                break
    if best is None:
        raise UsageError(
            f"no {kind} code of {wanted} columns was found that distinguishes {n} classes; use more columns"
        )
    return np.ascontiguousarray(best)


def default_columns(n: int, kind: str) -> int:
    """Return how many columns Allwein and others give a random code: 10 log2 n if dense, 15 log2 n if sparse."""
    return max(1, round((10 if kind == "dense" else 15) * math.log2(n)))


def _every_column(n: int, kind: str) -> Entries:
    """Return all splits of classes into two sides, opposite ones once: those whose first entry other than 0 is 1."""
    if kind == "dense":
        return all_partitions(n)
    every = np.array(list(itertools.product((0, 1, -1), repeat=n)), dtype=np.int8)
    leading = every[np.arange(len(every)), (every != 0).argmax(axis=1)]
    return np.asarray(every[(leading > 0) & (every.min(axis=1) < 0)])


def _draw_codes(
    random: np.random.Generator, count: int, columns: int, n: int, kind: str, listed: Entries | None
) -> Entries:
    """Return so many codes (count, columns, n)."""
    if listed is not None:
        order = random.random((count, len(listed))).argpartition(columns - 1, axis=1)[:, :columns]
        return np.asarray(listed[np.sort(order, axis=1)])
    values = np.array([-1, 1] if kind == "dense" else [-1, 0, 0, 1], dtype=np.int8)
    drawn = values[random.integers(len(values), size=(count * columns, n), dtype=np.uint8)]
    while len(lacking := np.flatnonzero((drawn.max(axis=1) < 1) | (drawn.min(axis=1) > -1))):  # a side
        drawn[lacking] = values[random.integers(len(values), size=(len(lacking), n), dtype=np.uint8)]
    return np.asarray(drawn.reshape(count, columns, n))


def _closest(codes: Entries) -> NDArray[np.float32]:
    """Return the minimum distance of two rows of each code."""
    real = codes.astype(np.float32)
    products = real.transpose(0, 2, 1) @ real
    at = np.arange(codes.shape[2])
    products[:, at, at] = -codes.shape[1]
    return np.asarray((codes.shape[1] - products.max(axis=(1, 2))) / 2)


def _is_proper(code: Entries) -> bool:
    """Return whether all columns have two sides, none repeats another or its opposite, and all classes are parted."""
    if not ((code.max(axis=1) > 0) & (code.min(axis=1) < 0)).all() or not (count_separating_machines(code) > 0).all():
        return False
    leading = code[np.arange(len(code)), (code != 0).argmax(axis=1)]
    return len(np.unique(code * leading[:, None], axis=0)) == len(code)


def bch_code(n: int, seed: int | np.random.SeedSequence) -> Entries:
    """Return n words of a BCH code as a code (bits, n): the draw with the largest minimum distance out of many.

    The words have 2^m - 1 bits, at least 10 log2 n; the code is the one of fewest words that has 2 n of them, and so of
    the largest distance. Half its words are the opposites of the others; of every two opposites at most one is taken.
    """
    field = next(
        (m for m in range(SMALLEST_FIELD, LARGEST_FIELD + 1) if 2**m - 1 >= min(default_columns(n, "dense"), 1023)),
        LARGEST_FIELD,
    )
    words = bch_code_words(field, math.ceil(math.log2(2 * n)))
    random, best, quality = np.random.default_rng(seed), None, -1.0
    draws = max(20, min(1000, MOST_WORK // (words.bits * n * n)))
    for _ in range(draws):
        code = (2 * words.sample(random, n) - 1).T.astype(np.int8)
        if not _is_proper(code):
            continue
        far = distances(code)
        far[np.arange(n), np.arange(n)] = np.inf
        if far.min() > quality:
            best, quality = code, float(far.min())
    if best is None:
        return random_code(n, None, "dense", seed)
    return np.ascontiguousarray(best)


class CodeWords:
    """The words of a cyclic code that has the opposite of each of its words."""

    def __init__(self, generator: int, bits: int) -> None:
        self.bits = bits
        self.dimension = bits - (generator.bit_length() - 1)
        shifted = [generator << shift for shift in range(self.dimension)]
        self.basis = np.array([[word >> bit & 1 for bit in range(bits)] for word in shifted], dtype=np.uint8)

    def sample(self, random: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Return n words (n, bits), no two the same or opposite."""
        # Bit 0 of a word is that of its first basis word alone: those that have it are one of every two opposites,
        # and any of them may be turned into the other.
        half = self.dimension - 1
        picks = random.choice(2**half, n, replace=False) if half <= 20 else _different(random, 2 ** min(half, 62), n)
        chosen = np.concatenate([np.ones((n, 1), dtype=np.int64), picks[:, None] >> np.arange(half) & 1], axis=1)
        words = chosen @ self.basis.astype(np.int64) & 1
        return np.asarray(words ^ random.integers(2, size=(n, 1)))


def _different(random: np.random.Generator, below: int, n: int) -> NDArray[np.int64]:
    picks = np.unique(random.integers(below, size=2 * n))
    return random.permutation(picks)[:n]


def bch_code_words(field: int, dimension: int) -> CodeWords:
    """Return the BCH code of 2^field - 1 bits that has the largest distance by design, of this dimension at least.

    Its generator is the product of the minimal polynomials of a, a^2, ... a^(d - 1), a a primitive element of GF(2^m).
    """
    bits = 2**field - 1
    powers, value = [], 1
    for _ in range(bits):
        powers.append(value)
        value <<= 1
        value = value ^ PRIMITIVE[field] if value >> field else value
    logs = {value: power for power, value in enumerate(powers)}
    roots: set[int] = set()
    generator = 1
    for power in range(1, bits):
        if power in roots:
            continue
        orbit = {power * 2**step % bits for step in range(field)}  # conjugates
        polynomial = _minimal(sorted(orbit), powers, logs, bits)
        larger = _product(generator, polynomial)
        if bits - (larger.bit_length() - 1) < dimension:
            break
        generator, roots = larger, roots | orbit
    return CodeWords(generator, bits)


def _minimal(orbit: list[int], powers: list[int], logs: dict[int, int], bits: int) -> int:
    """Return the product of (x - a^i) over conjugates i, a polynomial over GF(2), as the bits of a number."""
    coefficients = [1]  # of x^0 first
    for root in orbit:
        times_root = [powers[(logs[c] + root) % bits] if c else 0 for c in coefficients]
        coefficients = [a ^ b for a, b in zip([0, *coefficients], [*times_root, 0], strict=True)]
    return sum(c << power for power, c in enumerate(coefficients))


def _product(one: int, other: int) -> int:
    """Return the product of two polynomials over GF(2)."""
    result = 0
    while other:
        result ^= one if other & 1 else 0
        one, other = one << 1, other >> 1
    return result
