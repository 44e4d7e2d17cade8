"""Cobweb by hand: every utility computed by its definition, and every step recorded.

The kernel (`kernels/clusters/cobweb.cpp`) grows the same tree from running sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from hedgerow.models.clusters.category_utility import DENSITY, UtilityScale


@dataclass(frozen=True)
class Row:
    """A row: its number, its numbers and codes (NaN and -1 are missing), and its weight."""

    number: int
    numbers: tuple[float, ...]
    codes: tuple[int, ...]
    weight: float = 1.0


@dataclass
class Concept:
    """A concept: the weight of its rows, the sums of their columns, and its children."""

    measure: UtilityScale
    weight: float = 0.0
    known: list[float] = field(default_factory=list)  # weight of the known numbers of each numeric column
    means: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)  # sums of squared differences from the mean
    counts: list[dict[int, float]] = field(default_factory=list)  # weights of the levels of each nominal column
    rows: list[int] = field(default_factory=list)
    children: list[Concept] = field(default_factory=list)

    @classmethod
    def empty(cls, measure: UtilityScale) -> Concept:
        """Return a concept without rows."""
        zeros = [0.0] * len(measure.numbers)
        return cls(measure, 0.0, zeros[:], zeros[:], zeros[:], [{} for _ in measure.nominal])

    def copy(self) -> Concept:
        """Return a leaf of the same rows."""
        counts = [dict(one) for one in self.counts]
        return replace(
            self,
            known=self.known[:],
            means=self.means[:],
            squares=self.squares[:],
            counts=counts,
            rows=self.rows[:],
            children=[],
        )

    def add(self, row: Row) -> None:
        """Add a row."""
        for i, value in enumerate(row.numbers):
            if not math.isnan(value):
                n, apart = self.known[i] + row.weight, value - self.means[i]
                self.squares[i] += apart * (self.known[i] * row.weight / n) * apart
                self.means[i] += apart * (row.weight / n)
                self.known[i] = n
        for counts, code in zip(self.counts, row.codes, strict=True):
            if code >= 0:
                counts[code] = counts.get(code, 0.0) + row.weight
        self.weight += row.weight
        self.rows.append(row.number)

    def plus(self, row: Row) -> Concept:
        """Return a leaf of the same rows and one more."""
        more = self.copy()
        more.add(row)
        return more

    def merge(self, other: Concept) -> Concept:
        """Return a concept of the rows of two, which are its children."""
        both = self.copy()
        for i, n in enumerate(other.known):
            if n > 0:
                total, apart = both.known[i] + n, other.means[i] - both.means[i]
                both.squares[i] += other.squares[i] + apart * (both.known[i] * (n / total)) * apart
                both.means[i] += apart * (n / total)
                both.known[i] = total
        for counts, more in zip(both.counts, other.counts, strict=True):
            for code, n in more.items():
                counts[code] = counts.get(code, 0.0) + n
        both.weight += other.weight
        both.rows += other.rows
        both.children = [self, other]
        return both

    def score(self) -> float:
        """Return Q: over the columns, the known weight times the probability of guessing a value correctly."""
        acuity, lacking, total = self.measure.acuity, self.measure.lacking, 0.0
        for n, squares in zip(self.known, self.squares, strict=True):
            deviation = math.sqrt(squares / (n - lacking)) if n > lacking else 0.0
            total += n * DENSITY / max(deviation, acuity)
        for counts in self.counts:
            if counts:
                total += sum(n * n for n in counts.values()) / sum(counts.values())
        return total


def utility(whole: Concept, parts: list[Concept]) -> float:
    """Return the category utility of the children of a concept."""
    return (sum(part.score() for part in parts) - whole.score()) / (len(parts) * whole.weight)


@dataclass(frozen=True)
class CobwebAction:
    """An operation for a row at a concept, its category utility, and the resulting children."""

    name: str  # "host", "alone", "merge" or "split"
    about: tuple[tuple[int, ...], ...]  # the rows of the children that it changes
    utility: float


@dataclass(frozen=True)
class CobwebStep:
    """The operations for a row at a concept, and the one chosen: -1 if none is above the cutoff."""

    row: int
    candidates: tuple[tuple[int, ...], ...]
    choices: tuple[CobwebAction, ...]
    chosen_index: int


class CobwebByHand:
    """A tree that is built one row at a time."""

    def __init__(self, measure: UtilityScale, cutoff: float) -> None:
        self.root = Concept.empty(measure)
        self.tie = measure.tie
        self.least = cutoff + measure.tie
        self.steps: list[CobwebStep] = []

    def insert_row(self, row: Row) -> None:
        """Add a row, from the root down."""
        node = self.root
        if not node.weight:
            node.add(row)
            return
        while node.children:
            node.add(row)
            below = self._place_in_child(node, row)
            if below is None:
                return
            node = below
        self._divide(node, row)

    def _divide(self, leaf: Concept, row: Row) -> None:
        """Separate a leaf and a row if that increases the utility."""
        parts = [leaf.copy(), Concept.empty(leaf.measure).plus(row)]
        leaf.add(row)
        worth = utility(leaf, parts)
        taken = worth > self.least
        about = tuple(tuple(part.rows) for part in parts[:1])
        self.steps.append(CobwebStep(row.number, about, (CobwebAction("alone", (), worth),), 0 if taken else -1))
        if taken:
            leaf.children = parts

    def _place_in_child(self, node: Concept, row: Row) -> Concept | None:
        """Place a row among the children of a concept that contains it; return the child in which to continue."""
        while True:
            children = node.children
            alone = Concept.empty(node.measure).plus(row)
            hosts = [
                utility(node, [*_remove_children(children, i), child.plus(row)]) for i, child in enumerate(children)
            ]
            best, second = self._best_two(hosts)
            host, runner_up = children[best], children[second]
            choices = [CobwebAction("host", (tuple(one.rows),), hosts[i]) for i, one in enumerate(children)]
            choices.append(CobwebAction("alone", (), utility(node, [*children, alone])))
            taken = best if hosts[best] >= choices[-1].utility - self.tie else len(choices) - 1
            older, younger = children[min(best, second)], children[max(best, second)]
            if len(children) > 2:
                both = older.merge(younger)
                rest = [one for one in children if one is not host and one is not runner_up]
                about = (tuple(older.rows), tuple(younger.rows))
                choices.append(CobwebAction("merge", about, utility(node, [*rest, both.plus(row)])))
                taken = self._choose_better(choices, taken)
            if host.children:
                choices.append(CobwebAction("split", (tuple(host.rows),), self._split_utility(node, best, row, alone)))
                taken = self._choose_better(choices, taken)
            worth = choices[taken].utility > self.least
            among = tuple(tuple(child.rows) for child in children)
            self.steps.append(CobwebStep(row.number, among, tuple(choices), taken if worth else -1))
            if not worth:
                node.children = []
                return None
            match choices[taken].name:
                case "host":
                    return host
                case "alone":
                    children.append(alone)
                    return None
                case "merge":
                    children[min(best, second)] = both
                    del children[max(best, second)]
                    return both
            children[best : best + 1] = host.children  # split: the row is placed again

    def _best_two(self, worths: list[float]) -> tuple[int, int]:
        """Return the best host and the runner-up; of equal ones the older."""
        best = second = 0
        for i, worth in enumerate(worths[1:], start=1):
            if worth > worths[best] + self.tie:
                best, second = i, best
            elif i == 1 or worth > worths[second] + self.tie:
                second = i
        return best, second

    def _choose_better(self, choices: list[CobwebAction], taken: int) -> int:
        """Return the last choice if it is better than the one taken so far."""
        return len(choices) - 1 if choices[-1].utility > choices[taken].utility + self.tie else taken

    def _split_utility(self, node: Concept, at: int, row: Row, alone: Concept) -> float:
        """Return the utility with a child replaced by its children, and the row in the best of them or alone."""
        rest, inner = _remove_children(node.children, at), node.children[at].children
        ways = [[*rest, *_remove_children(inner, i), child.plus(row)] for i, child in enumerate(inner)]
        return max(utility(node, way) for way in (*ways, [*rest, *inner, alone]))


def _remove_children(parts: list[Concept], at: int) -> list[Concept]:
    return [*parts[:at], *parts[at + 1 :]]
