"""CoveringWork: the candidates of a beam search round by round, as in a textbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_measure, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.condition import Condition, Operator, conjunction
from hedgerow.models.base.rule import format_target_class

Listing = dict[str, NDArray[Any]]  # conjunctions of tests as the kernel gives them
KINDS = (Operator.IS, Operator.AT_MOST, Operator.ABOVE)


@dataclass(frozen=True)
class Beams:
    """One search: of rules of any class, or of a wanted one, and the weight of a tick."""

    target_class: int | None
    trace: Listing
    rules: Listing
    tick: float


@dataclass(frozen=True)
class BeamCandidate:
    """A candidate of a round: its tests, the weight by class that it covers, its evaluation and likelihood ratio."""

    conditions: tuple[Condition, ...]
    weights: tuple[float, ...]
    value: float
    ratio: float


@dataclass
class CoveringWork:
    """The rounds of the search for every rule; its text shows them all."""

    schema: Schema
    beams: list[Beams] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n\n".join(self._beams_text(beams) for beams in self.beams)

    def _beams_text(self, beams: Beams) -> str:
        candidates = read_candidates(beams.trace, self.schema, beams.tick)
        rules = read_candidates(beams.rules, self.schema, beams.tick)
        places = zip(beams.trace["rules"].tolist(), beams.trace["rounds"].tolist(), candidates, strict=True)
        blocks = []
        for number, group in groupby(places, key=lambda place: place[0]):
            rounds = [(round_, one) for _, round_, one in group]
            rule = rules[number] if number < len(rules) else None
            blocks.append(self._search_text(beams, number, rounds, rule))
        return "\n\n".join(blocks)

    def _search_text(
        self, beams: Beams, number: int, rounds: Sequence[tuple[int, BeamCandidate]], rule: BeamCandidate | None
    ) -> str:
        (_, empty), *later = rounds
        of = "" if beams.target_class is None else f" for {self._decision_text(beams.target_class)}"
        lines = [
            f"Rule {number + 1}{of}: {self._rows_text(empty, beams)}, the empty rule {format_measure(empty.value)}"
        ]
        for round_, group in groupby(later, key=lambda place: place[0]):
            rows = [["", "evaluation", *self._classes(beams), "likelihood ratio", "candidate"]]
            for _, one in group:
                mark = "*" if rule is not None and one.conditions == rule.conditions else ""
                counts = [format_quantity(weight) for weight in one.weights]
                rows.append(
                    [mark, format_measure(one.value), *counts, format_measure(one.ratio), conjunction(one.conditions)]
                )
            lines += [f"Round {round_}", *align_numbers(rows, left={0, len(rows[0]) - 1})]
        return "\n".join([*lines, self._end_text(beams, rule)])

    def _end_text(self, beams: Beams, rule: BeamCandidate | None) -> str:
        if rule is None:
            return "No candidate exceeds the empty rule by more than the threshold: no rule"
        decision = rule.weights.index(max(rule.weights)) if beams.target_class is None else beams.target_class
        return (
            f"Found: if {conjunction(rule.conditions)} then {self._decision_text(decision)}, "
            f"{format_measure(rule.value)}"
        )

    def _rows_text(self, one: BeamCandidate, beams: Beams) -> str:
        counts = zip(self._classes(beams), one.weights, strict=True)
        text = ", ".join(f"{name} {format_quantity(weight)}" for name, weight in counts)
        return f"{format_quantity(sum(one.weights))} rows left ({text})"

    def _classes(self, beams: Beams) -> list[str]:
        """Return the names of the classes that a search counts."""
        levels = [format_level(level) for level in self.schema.target_column.levels]
        return levels if beams.target_class is None else ["others", levels[beams.target_class]]

    def _decision_text(self, decision: int) -> str:
        return format_target_class(self.schema.target_column, decision)


def read_candidates(listing: Listing, schema: Schema, tick: float) -> list[BeamCandidate]:
    """Return the conjunctions of a listing with their counts."""
    each = len(listing["values"])
    counts = (listing["counts"] * tick).reshape(each, -1).tolist() if each else []
    figures = zip(listing["values"].tolist(), listing["ratios"].tolist(), strict=True)
    pairs = zip(bodies(listing, schema), counts, figures, strict=True)
    return [BeamCandidate(body, tuple(weights), *both) for body, weights, both in pairs]


def bodies(listing: Listing, schema: Schema) -> list[tuple[Condition, ...]]:
    """Return the conditions of every conjunction of a listing.

    They are in the order found, but the bounds of a column beside each other, the lower one first: an interval.
    """
    names = ("columns", "kinds", "levels", "thresholds")
    tests = list(zip(*(listing[name].tolist() for name in names), strict=True))
    pairs = []
    for start, stop in pairwise(listing["starts"].tolist()):
        order = {column: place for place, (column, *_) in reversed(list(enumerate(tests[start:stop])))}
        entries = sorted(tests[start:stop], key=lambda test: (order[test[0]], -test[1]))
        pairs.append(tuple(_condition(schema, *test) for test in entries))
    return pairs


def _condition(schema: Schema, place: int, kind: int, level: int, threshold: float) -> Condition:
    column, operator = schema.columns[schema.predictors[place]], KINDS[kind]
    return Condition(column.name, operator, column.levels[level] if operator is Operator.IS else threshold)
