"""Whys: what the decision on one row rests on, for every kind of model. Plain values; the report room draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.explain.marks import MarkedText, marked, marked_terms, text_of, together
from hedgerow.explain.paths import Path, paths_of
from hedgerow.explain.values import value_text
from hedgerow.models.committee import Committee, counted_votes
from hedgerow.models.condition import Condition, LevelCodes
from hedgerow.models.grounds import Ground, Grounds
from hedgerow.models.model import ClassModel
from hedgerow.models.rule import Rule, counts_text
from hedgerow.models.rule_model import RuleModel
from hedgerow.models.rule_set import RuleSet
from hedgerow.models.rule_vote import RuleVote
from hedgerow.models.term_hits import ANY_WORD
from hedgerow.models.tree import Tree
from hedgerow.models.tree_rules import tightest
from hedgerow.models.tree_text import branch

MOST_NODES = 20_000  # of a tree whose leaves are searched for the nearest
MOST_STUDIED = 1000  # members of a committee whose own reasons are looked at


@dataclass(frozen=True)
class Sides:
    """The codes of the class that is decided for and of the one that it is set against; -1 is none."""

    decided: int
    against: int


@dataclass(frozen=True, eq=False)
class Sum:
    """Grounds that add up: what each adds to the score of the class, less what it adds to that of the other."""

    grounds: Grounds
    sides: Sides

    @property
    def adds(self) -> Numbers:
        """What each ground adds; 0 where it makes both classes impossible."""
        return np.array([self.added(part) for part in self.grounds.parts])

    @property
    def total(self) -> float:
        """The difference of the classes' scores."""
        return float(self.adds.sum())

    def added(self, part: Ground) -> float:
        """Return what a ground adds."""
        one = float(part.scores[self.sides.decided])
        if self.sides.against < 0:
            return one
        other = float(part.scores[self.sides.against])
        return 0.0 if one == other else one - other

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the strongest grounds first; the prior is told apart."""
        parts = [self._part(part) for part in self.grounds.parts]
        parts.sort(key=lambda part: -abs(part["adds"]))
        return {
            "way": "sum",
            "unit": self.grounds.unit,
            "grounds": [part for part in parts if not part["prior"]],
            "prior": [part for part in parts if part["prior"]],
            "total": self.total,
        }

    def _part(self, part: Ground) -> dict[str, Any]:
        told: dict[str, Any] = {"name": part.name, "column": part.column, "is_term": part.term >= 0}
        told["score"] = float(part.scores[self.sides.decided])
        told["other_score"] = None if self.sides.against < 0 else float(part.scores[self.sides.against])
        return {**told, "adds": self.added(part), "prior": not part.column and part.name == "P(class)"}


@dataclass(frozen=True)
class Nearest:
    """What would have said the other class, and the tests of it that the row fails: as few as there are."""

    counts: str
    fails: tuple[tuple[Condition, str], ...]  # tests, and the values that failed them
    number: int | None = None  # of a rule, from 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        fails = [{"test": str(test), "column": test.column, "value": value} for test, value in self.fails]
        told = {"counts": self.counts, "fails": fails}
        return told if self.number is None else {"number": self.number, **told}


@dataclass(frozen=True, eq=False)
class Way:
    """The way down a tree, or several where a value is missing."""

    tree: Tree
    paths: tuple[Path, ...]
    nearest: Nearest | None  # leaf that says the class set against

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        paths = [self._path(path) for path in self.paths]
        near = None if self.nearest is None else self.nearest.to_dict()
        return {"way": "path", "paths": paths, "leaves": self.tree.size, "nearest": near}

    def _path(self, path: Path) -> dict[str, Any]:
        tree, classes = self.tree, self.tree.classes
        weights, says = tree.weights[path.leaf].tolist(), int(tree.decisions[path.leaf])
        return {
            "steps": [step.to_dict() for step in path.steps],
            "share": path.share,
            "says": classes[says],
            "counts": counts_text(weights, says, classes) if sum(weights) else "",
            "leaf": dict(zip(classes, tree.leaf_shares[path.leaf].tolist(), strict=True)),
        }


@dataclass(frozen=True, eq=False)
class Ruled:
    """The rules that decide: their numbers from 0, the default last, and what each of them weighs."""

    model: RuleModel
    table: Table
    numbers: tuple[int, ...]
    weights: tuple[float, ...] | None  # votes; None if none are cast
    covering: int  # rules that cover the row, or -1: only the first was looked for
    told: str
    nearest: Nearest | None = None  # rule that says the class set against

    @property
    def rules(self) -> list[Rule]:
        """The deciding rules."""
        every = list(self.model)
        return [every[number] for number in self.numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "way": "rules",
            "told": self.told,
            "n_rules": len(self.model),
            "covering": None if self.covering < 0 else self.covering,
            "rules": [self._rule(place) for place in range(len(self.numbers))],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
        }

    def _rule(self, place: int) -> dict[str, Any]:
        rule, target = self.rules[place], self.model.schema.target_column
        told: dict[str, Any] = {
            "number": self.numbers[place] + 1,
            "default": self.numbers[place] == len(self.model.rules),
            "rule": rule.text(target),
            "says": None if rule.decision is None else target.levels[rule.decision],
            "tests": [
                {"test": str(c), "column": c.column, "value": value_text(self.table, c.column)} for c in rule.conditions
            ],
        }
        return told if self.weights is None else {**told, "vote": self.weights[place]}


@dataclass(frozen=True, eq=False)
class Voted:
    """What the members of a committee say."""

    model: Committee
    said: Codes
    votes: Numbers
    shares: Numbers  # of each class in the votes
    columns: Counter[str]  # in how many members' reasons each column is

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        classes = self.model.classes
        tally = [
            {"class": label, "members": int((self.said == code).sum()), "share": float(self.shares[code])}
            for code, label in enumerate(classes)
        ]
        members = [
            {"member": number, "kind": one.kind, "vote": vote, "says": classes[code] if code >= 0 else None}
            for number, (one, vote, code) in enumerate(
                zip(self.model.members, self.votes.tolist(), self.said.tolist(), strict=True)
            )
        ]
        columns = [{"column": name, "members": n} for name, n in self.columns.most_common()]
        return {"way": "votes", "rule": self.model.rule, "tally": tally, "members": members, "columns": columns}


@dataclass(frozen=True)
class Untold:
    """A model that cannot tell what its decision rests on, and why."""

    told: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"way": "untold", "told": self.told}


Why = Sum | Way | Ruled | Voted | Untold


def why(model: ClassModel, table: Table, sides: Sides, *, contrast: bool = True) -> tuple[Why, tuple[MarkedText, ...]]:
    """Return what the decision on the only row of an aligned table rests on, and the texts with what carried it.

    With `contrast`, of trees and rules also what comes nearest to saying the other class.
    """
    if isinstance(model, Tree):
        paths = tuple(paths_of(model, table))
        near = nearest_leaf(model, table, sides.against) if contrast and len(paths) == 1 else None
        return Way(model, paths, near), ()
    if isinstance(model, RuleModel):
        near = nearest_rule(model, table, sides.against) if contrast else None
        ruled = replace(_ruled(model, table), nearest=near)
        return ruled, _rule_marks(ruled, table, sides)
    if isinstance(model, Committee):
        return _voted(model, table, sides)
    try:
        found = Sum(model.grounds(table), sides)
    except ModelError as error:
        return Untold(str(error)), ()
    return found, _term_marks(model, found, table)


def _ruled(model: RuleModel, table: Table) -> Ruled:
    """Return the deciding rules of a list, of a set or of rules that vote."""
    last = len(model.rules)
    if not model.rules:
        return Ruled(model, table, (last,), None, 0, "The model has no rules: it says the same of every row.")
    every = [number for number, rule in enumerate(model.rules) if rule.covers(table)[0]]
    none = f"None of the {last:,} rules covers the row: the default decides."
    if last == 1:
        none = "The only rule does not cover the row: the default decides."
    if isinstance(model, RuleVote):
        if not every:
            return Ruled(model, table, (last,), None, 0, none)
        voters = tuple(every[: model.voters])
        told = f"{_rules(len(every))} of {last:,} cover the row; " + (
            f"the first {len(voters)} vote by their odds." if len(voters) > 1 else "the first decides."
        )
        return Ruled(model, table, voters, tuple(float(model.votes[n]) for n in voters), len(every), told)
    if isinstance(model, RuleSet):
        return _of_set(model, table, every, none)
    if not every:
        return Ruled(model, table, (last,), None, 0, none)
    first = every[0]
    return Ruled(model, table, (first,), None, -1, f"Rule {first + 1} of {last:,} is the first that covers the row.")


def nearest_rule(model: RuleModel, table: Table, code: int) -> Nearest | None:
    """Return the rule for a class whose fewest tests the row fails, of equals the first; None if one covers it."""
    best: Nearest | None = None
    target = model.schema.target_column
    for number, rule in enumerate(model.rules, start=1):
        if rule.code != code or (best is not None and len(best.fails) == 1):
            continue
        fails = _failed(rule.conditions, table)
        if not fails:
            return None
        if best is None or len(fails) < len(best.fails):
            counts = counts_text(rule.weights, rule.decision, target.levels) if rule.n else ""
            best = Nearest(counts, fails, number)
    return best


def nearest_leaf(tree: Tree, table: Table, code: int) -> Nearest | None:
    """Return the leaf for a class whose fewest tests the row fails, of equals the heaviest."""
    if code < 0 or len(tree.nodes) > MOST_NODES:
        return None
    best: tuple[int, float, int, tuple[tuple[Condition, str], ...]] | None = None
    for leaf, path in tree.nodes.paths():
        if tree.decisions[leaf] != code or not tree.totals[leaf]:
            continue
        tests = tightest(
            [branch(tree.nodes, tree.schema, *step) for step in path], tree.schema, LevelCodes(tree.schema)
        )
        fails = _failed(tests, table)
        found = (len(fails), -float(tree.totals[leaf]), leaf, fails)
        if best is None or found[:3] < best[:3]:
            best = found
    if best is None or not best[3]:
        return None
    return Nearest(counts_text(tree.weights[best[2]].tolist(), code, tree.classes), best[3])


def _failed(tests: Sequence[Condition], table: Table) -> tuple[tuple[Condition, str], ...]:
    return tuple((test, value_text(table, test.column)) for test in tests if not test.covers(table)[0])


def _of_set(model: RuleSet, table: Table, every: list[int], none: str) -> Ruled:
    last = len(model.rules)
    if not every:
        return Ruled(model, table, (last,), None, 0, none)
    covering = f"{_rules(len(every))} of {last:,} cover{'s' if len(every) == 1 else ''} the row"
    classes = {model.rules[number].code for number in every}
    if model.conflict == "default":
        if len(classes) > 1:
            told = f"{covering} and disagree: the default decides."
            return Ruled(model, table, (*every, last), None, len(every), told)
        agree = " and agree" if len(every) > 1 else ""
        return Ruled(model, table, tuple(every), None, len(every), f"{covering}{agree}.")
    told = f"{covering}; their counts are added, and the heaviest class is said."
    if len(every) == 1:
        told = f"{covering}."
    return Ruled(model, table, tuple(every), None, len(every), told)


def _rules(n: int) -> str:
    return "1 rule" if n == 1 else f"{n:,} rules"


def _rule_marks(ruled: Ruled, table: Table, sides: Sides) -> tuple[MarkedText, ...]:
    """Return the texts in which deciding rules look for words: 1 a rule for the class, -1 a rule for another."""
    adds: dict[str, dict[str, float]] = {}
    for place, rule in enumerate(ruled.rules):
        weight = 1.0 if ruled.weights is None else abs(ruled.weights[place])
        weight = weight if rule.code == sides.decided else -weight
        for condition in rule.conditions:
            if condition.term:
                words = adds.setdefault(condition.column, {})
                words[condition.term] = words.get(condition.term, 0.0) + weight
    found = []
    for column, words in adds.items():
        raw = text_of(table, column)
        if raw is not None:
            text = marked(column, raw, ANY_WORD, list(words), list(words.values()))
            found.append(text)
    return tuple(found)


def _voted(model: Committee, table: Table, sides: Sides) -> tuple[Why, tuple[MarkedText, ...]]:
    """Return the votes of a committee; of some members also what they look at, and which words."""
    votes = counted_votes(model.votes)
    said = np.array([int(one.decided(table)[0]) for one in model.members], dtype=np.int32)
    columns: Counter[str] = Counter()
    texts: list[MarkedText] = []
    for one, vote, code in list(zip(model.members, votes.tolist(), said.tolist(), strict=True))[:MOST_STUDIED]:
        if not vote:
            continue
        own = Sides(code, sides.against if code == sides.decided else sides.decided)
        reason, marks = why(one, table, own, contrast=False)
        columns.update(_columns_in(reason))
        for text in marks:
            amounts = text.amounts * vote * (1 if code == sides.decided else -1)
            texts.append(MarkedText(text.column, text.raw, text.begins, text.ends, amounts))
    shares = model.scores(table)[0]
    return Voted(model, said, votes, shares, columns), together(texts)


def _columns_in(reason: Why) -> set[str]:
    """Return the columns that a member looks at for this row."""
    if isinstance(reason, Way):
        return {step.condition.column for path in reason.paths for step in path.steps}
    if isinstance(reason, Ruled):
        return {condition.column for rule in reason.rules for condition in rule.conditions}
    if isinstance(reason, Sum):
        return {part.column for part in reason.grounds.parts if part.column}
    return set()


def _term_marks(model: ClassModel, found: Sum, table: Table) -> tuple[MarkedText, ...]:
    """Return the texts of a row, marked by what their terms add."""
    texts = []
    for column, space in model.term_spaces.items():
        raw = text_of(table, column)
        if raw is None:
            continue
        adds: dict[int, float] = {}
        for part in found.grounds.parts:
            if part.column == column and part.term >= 0:
                adds[part.term] = adds.get(part.term, 0.0) + found.added(part)
        texts.append(marked_terms(column, raw, space, _finite(adds)))
    return tuple(texts)


def _finite(adds: dict[int, float]) -> dict[int, float]:
    """Return what terms add; where one makes a class impossible, twice as much as any other does."""
    most = max((abs(one) for one in adds.values() if np.isfinite(one)), default=0.0)
    return {term: one if np.isfinite(one) else float(np.sign(one)) * (2 * most or 1.0) for term, one in adds.items()}
