"""AprioriWork: the steps of Apriori as in textbooks: join, prune, count; then growing consequents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hedgerow.layout.cell_width import shorten_middle
from hedgerow.layout.numbers import format_measure, format_number, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.layout.wrapping import LINE_WIDTH
from hedgerow.learn.associations.falling_support import SupportStep
from hedgerow.learn.associations.levels import SearchLevel
from hedgerow.learn.associations.rows import TableRows
from hedgerow.learn.associations.rules import RuleLimits
from hedgerow.learn.associations.search_limits import ANTECEDENT, CONSEQUENT, SetLimits
from hedgerow.models.base.rule import percent_text

SHOWN = 60  # numbers of sets shown per level, and of sets whose rules are shown
Set = tuple[int, ...]


@dataclass(frozen=True)
class TriedConsequent:
    """A candidate consequent of a set: the count of the antecedent, and whether the consequent may grow."""

    consequent: Set
    count: float
    confidence: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class AprioriWork:
    """The levels of item sets and the rules of each set; its text shows all counts."""

    rows: TableRows
    bound: float
    levels: tuple[SearchLevel, ...]
    limits: RuleLimits
    n_rules: int
    falling: tuple[SupportStep, ...] = ()

    @classmethod
    def of(
        cls, rows: TableRows, wanted: SetLimits, wish: RuleLimits, n_rules: int, falling: tuple[SupportStep, ...]
    ) -> AprioriWork:
        """Return the work of a search, level by level."""
        sought = rows.search_by_levels(wanted)
        order = np.argsort(wanted.bounds, kind="stable").astype(np.int32)
        levels = tuple(_sort_by_code(level, order) for level in sought.levels)
        return cls(rows, wanted.min_bound, levels, wish, n_rules, falling)

    def __str__(self) -> str:
        blocks = [self._falling_text()] if self.falling else []
        least = f"{format_number(float(self.bound))} of {format_number(float(self.rows.total))}"
        blocks.append(f"Item sets contained in at least {least} rows")
        blocks += [self._level_text(level) for level in self.levels]
        blocks.append(self._end_text())
        confidence = percent_text(self.limits.limits["confidence"])
        blocks.append(f"Rules with a confidence of at least {confidence}: consequents grow while they reach it")
        blocks += self._rule_blocks() or ["No set yields a rule."]
        blocks.append(f"{self.n_rules:,} rules in total")
        return "\n\n".join(blocks)

    def _rule_blocks(self) -> list[str]:
        blocks: list[str] = []
        sets = list(self._sets())
        for number, (whole, count) in enumerate(sets):
            if len(blocks) == SHOWN:
                return [*blocks, f"… and so on for {len(sets) - number:,} more sets"]
            text = self._rules_text(whole, count)
            blocks += [text] if text else []
        return blocks

    # -- item sets ------------------------------------------------------------------------------------------

    def _falling_text(self) -> str:
        rows = [["support", "minimum count", "item sets", "rules"]]
        for one in self.falling:
            share = percent_text(one.bound / self.rows.total)
            rows.append([share, format_quantity(one.bound), f"{one.n_sets:,}", f"{len(one.rules):,}"])
        return "\n".join(["The support is lowered until there are enough rules", *align_numbers(rows, left=())])

    def _level_text(self, level: SearchLevel) -> str:
        if level.size == 1:
            title = f"Level 1: {level.n_counted} items counted, {len(level.sets)} frequent"
        else:
            dropped = level.n_joined - level.n_counted
            title = (
                f"Level {level.size}: {level.n_joined:,} candidates joined, {dropped:,} dropped because a "
                "subset is not "
                f"frequent, {level.n_counted:,} counted, {len(level.sets):,} frequent"
            )
        return "\n".join([title, *self._set_lines(level)])

    def _set_lines(self, level: SearchLevel) -> list[str]:
        lines = [[self._text(tuple(codes)), format_quantity(count)] for codes, count in _pairs(level)][:SHOWN]
        more = len(level.sets) - len(lines)
        return [*(align_numbers(lines, left={0}) if lines else []), *([f"… and {more:,} more"] if more else [])]

    def _end_text(self) -> str:
        last = self.levels[-1]
        if not len(last.sets):
            return f"No set of {last.size} items is frequent: the search is over."
        return f"No two sets of {last.size} items can be joined, or the maximum length is reached: the search is over."

    def _text(self, codes: Set, room: int = LINE_WIDTH - 12) -> str:
        return shorten_middle(self.rows.items.text(codes), room)

    # -- rules ----------------------------------------------------------------------------------------------

    def _sets(self) -> Iterator[tuple[Set, float]]:
        for level in self.levels:
            for codes, count in _pairs(level):
                if level.size + (self.limits.limits["min_antecedent"] == 0) > 1:
                    yield tuple(codes), count

    def _rules_text(self, whole: Set, count: float) -> str:
        levels = list(self.tried_consequents(whole, count))
        if not any(tried.is_kept for level in levels for tried in level):
            return ""
        lines = [f"{self._text(whole)}: {format_quantity(count)} rows"]
        for level in levels:
            rows = [
                [
                    f"  {self._text(_remove_items(whole, tried.consequent), 44)} => {self._text(tried.consequent, 40)}",
                    f"{format_quantity(count)}/{format_quantity(tried.count)}",
                    format_measure(tried.confidence),
                    ("" if self._is_rule(whole, count, tried) else "no rule") if tried.is_kept else "dropped",
                ]
                for tried in level
            ]
            lines += align_numbers(rows, left={0, 3})
        return "\n".join(lines)

    def tried_consequents(self, whole: Set, count: float) -> Iterator[list[TriedConsequent]]:
        """Yield the candidate consequents of a set, those of one item first."""
        limits, roles = self.limits.limits, self.limits.roles
        most = min(limits["max_consequent"], len(whole) - limits["min_antecedent"])
        consequents: list[Set] = [(item,) for item in whole if roles[item] & CONSEQUENT]
        for _ in range(most):
            tried = [self._evaluate_consequent(whole, count, consequent) for consequent in consequents]
            if not tried:
                return
            yield tried
            kept = [one.consequent for one in tried if one.is_kept]
            consequents = [(*a, b[-1]) for a, b in combinations(kept, 2) if a[:-1] == b[:-1]]

    def _evaluate_consequent(self, whole: Set, count: float, consequent: Set) -> TriedConsequent:
        antecedent = _remove_items(whole, consequent)
        of = self._count(antecedent)
        return TriedConsequent(consequent, of, count / of, count / of >= self.limits.limits["confidence"])

    def _count(self, codes: Set) -> float:
        if not codes:
            return self.rows.total
        known = self._set_counts
        if codes not in known:
            offsets = np.array([0, len(codes)], dtype=np.int64)
            known[codes] = float(self.rows.count(offsets, np.array(codes, dtype=np.int32))[0])
        return known[codes]

    @property
    def _set_counts(self) -> dict[Set, float]:
        """The counts of sets, computed once."""
        if "_counts" not in self.__dict__:
            counts = {tuple(codes): count for level in self.levels for codes, count in _pairs(level)}
            object.__setattr__(self, "_counts", counts)
        result: dict[Set, float] = self.__dict__["_counts"]
        return result

    def _is_rule(self, whole: Set, count: float, tried: TriedConsequent) -> bool:
        """Return whether roles, lengths and measures allow the rule of a consequent that is confident enough."""
        limits, antecedent = self.limits.limits, _remove_items(whole, tried.consequent)
        if len(antecedent) > limits["max_antecedent"] or not all(self.limits.roles[i] & ANTECEDENT for i in antecedent):
            return False
        c, a, b, n = count, tried.count, self._count(tried.consequent), self.rows.total
        conviction = a * (n - b) / (n * (a - c)) if a > c else np.inf
        lift, leverage = c * n / (a * b), (c * n - a * b) / (n * n)
        least: bool = lift >= limits["lift"] and leverage >= limits["leverage"] and conviction >= limits["conviction"]
        return least


def _remove_items(whole: Set, part: Set) -> Set:
    return tuple(item for item in whole if item not in part)


def _pairs(level: SearchLevel) -> Iterator[tuple[list[int], float]]:
    return zip(level.sets.tolist(), level.counts.tolist(), strict=True)


def _sort_by_code(level: SearchLevel, order: np.ndarray[tuple[int], np.dtype[np.int32]]) -> SearchLevel:
    """Return a level with its sets as item codes, in the order of the codes."""
    sets = np.sort(order[level.sets], axis=1)
    place = np.lexsort(sets.T[::-1])
    return SearchLevel(level.size, level.n_joined, level.n_counted, sets[place], level.counts[place])
