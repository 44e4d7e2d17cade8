"""Reference implementations of kernels/rules/prism and kernels/rules/beam, with rows as lists."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from hedgerow.layout.rounding import choose_threshold


def prism(columns, levels, labels, classes, weights, taken=None, most_rules=math.inf, most_tests=math.inf):
    """Return PRISM's rules as (class, [(column, code), ...], weight of all covered rows by class).

    `columns` are lists of codes, -1 for missing; weights are whole; `taken[class]` are the rows covered already.
    """
    found = []
    for wanted in range(classes):
        left = {row for row in range(len(labels)) if not taken or row not in taken[wanted]}
        made = 0
        while made < most_rules and any(labels[row] == wanted for row in left):
            tests, rows = [], left
            while len(tests) < min(most_tests, len(columns)) and not (tests and _all(rows, labels, wanted)):
                best = _best_test(columns, levels, labels, weights, rows, wanted, {column for column, _ in tests})
                if best is None:
                    break
                tests.append(best)
                rows = {row for row in rows if columns[best[0]][row] == best[1]}
            if not tests:
                break
            every = [r for r in range(len(labels)) if all(columns[c][r] == code for c, code in tests)]
            covered = [sum(weights[r] for r in every if labels[r] == c) for c in range(classes)]
            found.append((wanted, tests, covered))
            left = left - rows
            made += 1
    return found


def _all(rows, labels, wanted):
    return all(labels[row] == wanted for row in rows)


def _pt(rows, labels, weights, wanted):
    return sum(weights[r] for r in rows if labels[r] == wanted), sum(weights[r] for r in rows)


def _best_test(columns, levels, labels, weights, rows, wanted, used):
    best, most = None, (0, 0)
    for column, codes in enumerate(columns):
        for code in range(levels[column] if column not in used else 0):
            p, t = _pt([row for row in rows if codes[row] == code], labels, weights, wanted)
            if p and (Fraction(p, t), p) > most:
                best, most = (column, code), (Fraction(p, t), p)
    return best


class Plain:
    """Sequential covering with a beam, one candidate after the other.

    A test is (column, kind, level, threshold) with kind 0 for =, 1 for <= and 2 for >. `levels[column]` is -1 for
    numbers, which may be NaN; weights are whole.
    """

    def __init__(self, columns, levels, ways, labels, classes, weights, **options):
        self.columns, self.levels, self.ways, self.labels = columns, levels, ways, labels
        self.classes, self.weights = classes, weights
        self.value_by, self.width = options.get("value", "entropy"), options.get("width", 5)
        self.m, self.k = options.get("m", 2.0), options.get("k", classes)
        self.threshold, self.critical = options.get("threshold", 0.0), options.get("critical", 0.0)
        self.least, self.wanted = options.get("least", 1), options.get("wanted", -1)
        self.most_rules = options.get("most_rules", math.inf)
        self.most_tests = options.get("most_tests", math.inf)
        self.left = list(range(len(labels)))

    def rules(self):
        """Return the rules as (tests, counts by class), and the counts of what is left."""
        found = []
        while len(found) < self.most_rules and self.left:
            rule = self.one_rule()
            if rule is None:
                break
            tests, rows = rule
            found.append((tests, self.counts(rows)))
            gone = {row for row in rows if self.wanted < 0 or self.labels[row] == self.wanted}
            self.left = [row for row in self.left if row not in gone]
        return found, self.counts(self.left)

    def one_rule(self):
        """Return the tests and rows of the best rule for the rows left, or None."""
        empty = self.value(self.left)
        best, best_rows, best_value = None, None, empty
        beam = [((), self.left)]
        while beam:
            new = self.specialised(beam)
            for _, tests, rows in new:
                value = self.value(rows)
                if key(value) > key(best_value) and self.suits(rows) and self.ratio(rows) >= self.critical:
                    best, best_rows, best_value = tests, rows, value
            beam = []
            for _, tests, rows in new:
                if len(beam) < self.width and all(rows != other for _, other in beam):
                    beam.append((tests, rows))
        return None if best is None or not best_value - empty > self.threshold else (best, best_rows)

    def specialised(self, beam):
        """Return all candidates with one more test as (order, tests, rows), the best first."""
        new = []
        for parent, (tests, rows) in enumerate(beam):
            if len(tests) >= self.most_tests:
                continue
            for test in self.tests(rows, tests):
                some = [row for row in rows if self.passes(test, row)]
                weight = self.weight(some)
                if 0 < weight < self.weight(rows) and weight >= self.least:
                    column, kind, level, threshold = test
                    order = (-key(self.value(some)), -weight, column, level, threshold, kind, parent)
                    new.append((order, (*tests, test), some))
        return sorted(new, key=lambda candidate: candidate[0])

    def tests(self, rows, tests):
        """Yield the tests that may be added to a candidate."""
        used = {(column, kind) for column, kind, _, _ in tests}
        for column, values in enumerate(self.columns):
            if not self.ways[column]:
                continue
            if self.levels[column] >= 0:
                yield from ((column, 0, level, 0.0) for level in range(self.levels[column]))
                continue
            known = sorted({values[row] for row in rows if not math.isnan(values[row])})
            for low, high in pairwise(known):
                for kind in (1, 2):
                    if self.ways[column] & kind and (column, kind) not in used:
                        yield column, kind, 0, choose_threshold(low, high)

    def passes(self, test, row):
        """Tell whether a row passes a test; a missing value does not."""
        column, kind, level, threshold = test
        value = self.columns[column][row]
        return (value == level, value <= threshold, value > threshold)[kind]

    def weight(self, rows):
        """Return the weight of some rows."""
        return sum(self.weights[row] for row in rows)

    def counts(self, rows):
        """Return the weight of some rows by class."""
        return [sum(self.weights[row] for row in rows if self.labels[row] == c) for c in range(self.classes)]

    def shares(self):
        """Return the share of each class in the rows left."""
        counts = self.counts(self.left)
        return [count / sum(counts) for count in counts]

    def value(self, rows):
        """Return what a candidate of these rows is worth."""
        counts = self.counts(rows)
        n = sum(counts)
        if self.value_by == "entropy":
            if self.wanted < 0:
                return -entropy(counts)
            p = counts[self.wanted]
            bits = entropy([p, n - p])
            return -bits if 2 * p >= n else bits - 2
        c = self.wanted if self.wanted >= 0 else counts.index(max(counts))
        if self.value_by == "laplace":
            return (counts[c] + 1) / (n + self.k)
        return (counts[c] + self.m * self.shares()[c]) / (n + self.m)

    def suits(self, rows):
        """Tell whether the wanted class has a larger share here than in all rows left."""
        if self.wanted < 0:
            return True
        here, all_left = self.counts(rows), self.counts(self.left)
        return here[self.wanted] * sum(all_left) > all_left[self.wanted] * sum(here)

    def ratio(self, rows):
        """Return the likelihood ratio against the rows left."""
        counts, shares = self.counts(rows), self.shares()
        n = sum(counts)
        return 2 * sum(c * math.log(c / (n * share)) for c, share in zip(counts, shares, strict=True) if c)


def key(value):
    """Return a value as it is compared: those that agree to 1e-12 are equal."""
    return round(value * 1e12)


def entropy(counts):
    """Return the entropy of counts in bits."""
    n = sum(counts)
    return max(0.0, (n * math.log2(n) - sum(c * math.log2(c) for c in counts if c)) / n)
