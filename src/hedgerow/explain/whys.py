"""Whys: what the decision on one row rests on, for every kind of model. Plain values; the report room draws them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.decimals import number_text
from hedgerow.data.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.explain.instances import Carried, added, decided_instances
from hedgerow.explain.marks import MarkedText, hashed_words, marked_terms, text_of, together
from hedgerow.explain.nearest import Nearest, nearest_leaf, nearest_rule
from hedgerow.explain.paths import Path, paths_of
from hedgerow.explain.ruled import Ruled, rule_marks, ruled_by
from hedgerow.explain.supported import Supported
from hedgerow.models.bag_summaries import BagSummaries
from hedgerow.models.bag_votes import BagVotes
from hedgerow.models.coded import Coded
from hedgerow.models.coded_text import side_said
from hedgerow.models.committee import Committee, counted_votes
from hedgerow.models.grounds import Ground, Grounds
from hedgerow.models.machine_forms import NONE
from hedgerow.models.machine_functions import KernelFunctions
from hedgerow.models.machine_grounds import machine_grounds
from hedgerow.models.machine_support import support_of
from hedgerow.models.machines import Machines
from hedgerow.models.memberships import Memberships
from hedgerow.models.model import ClassModel, NumberModel
from hedgerow.models.rule import counts_text
from hedgerow.models.rule_model import RuleModel
from hedgerow.models.tree import NumberTree, Tree

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
        prior = part.starts or (not part.column and part.name == "P(class)")
        return {**told, "adds": self.added(part), "prior": prior}


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
class NumberWay:
    """The way down a tree of numbers, or several where a value is missing."""

    tree: NumberTree
    paths: tuple[Path, ...]
    what: str = ""  # that the number is, if not the target

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"way": "path", "paths": list(map(self._path, self.paths)), "leaves": self.tree.size, "nearest": None}

    def _path(self, path: Path) -> dict[str, Any]:
        rows, deviation = float(self.tree.weights[path.leaf]), float(self.tree.deviations[path.leaf])
        counts = f"({number_text(rows)} row{'' if rows == 1 else 's'}, deviation {number_text(deviation)})"
        return {
            "steps": [step.to_dict() for step in path.steps],
            "share": path.share,
            "says": number_text(float(self.tree.numbers[path.leaf])),
            "counts": counts if rows or deviation else "",
            **({"what": self.what} if self.what else {}),
            "leaf": {},
        }


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


@dataclass(frozen=True, eq=False)
class Parted:
    """What the members of a coded model say, each for one of its two sides."""

    model: Coded
    values: Numbers  # of each member
    shares: Numbers  # of each class
    columns: Counter[str]  # in how many members' reasons each column is

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; a class is said by the members that have it on the side they answer."""
        model, entries = self.model, self.model.codes.entries
        signs = np.where(np.isnan(self.values), 0, np.where(self.values >= 0, 1, -1))
        said = (entries * signs[:, None] > 0).sum(axis=0)
        tally = [
            {"class": label, "members": int(said[code]), "share": float(self.shares[code])}
            for code, label in enumerate(model.classes)
        ]
        members = [
            {
                "member": number,
                "kind": one.kind,
                "vote": None if np.isnan(value) else abs(float(value)),
                "says": side_said(model, number, value),
            }
            for number, (one, value) in enumerate(zip(model.members, self.values.tolist(), strict=True))
        ]
        columns = [{"column": name, "members": n} for name, n in self.columns.most_common()]
        return {"way": "votes", "rule": model.decoding, "tally": tally, "members": members, "columns": columns}


@dataclass(frozen=True)
class Untold:
    """A model that cannot tell what its decision rests on, and why."""

    told: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"way": "untold", "told": self.told}


Why = Sum | Way | NumberWay | Ruled | Voted | Supported | Parted | Carried | Untold
ONE = Sides(0, -1)  # of a number, which has no classes


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
        ruled = replace(ruled_by(model, table), nearest=near)
        return ruled, rule_marks(ruled, table, sides.decided)
    if isinstance(model, Committee):
        return _voted(model, table, sides)
    if isinstance(model, Coded):
        return _parted(model, table, sides)
    if isinstance(model, BagSummaries):
        return why(model.base, model.figures(table), sides, contrast=contrast)
    if isinstance(model, BagVotes):
        return _carried(model, table, sides), ()
    if isinstance(model, Memberships) and isinstance(tree := model.members[sides.decided], NumberTree):
        return NumberWay(tree, tuple(paths_of(tree, table)), f"membership of {model.classes[sides.decided]}"), ()
    try:
        if isinstance(model, Machines) and model.form != NONE and isinstance(model.functions, KernelFunctions):
            return Supported(model, support_of(model, table, sides.decided, sides.against)), ()
        found = Sum(_with_own_words(model, _grounds(model, table, sides), table), sides)
    except ModelError as error:
        return Untold(str(error)), ()
    return found, _term_marks(model, found, table)


def _grounds(model: ClassModel, table: Table, sides: Sides) -> Grounds:
    """Return what a decision rests on; of machines a pair each, what the machine of these two classes says."""
    if isinstance(model, Machines):
        return machine_grounds(model, table, sides.decided, sides.against)
    return model.grounds(table)


def number_why(model: NumberModel, table: Table) -> tuple[Why, tuple[MarkedText, ...]]:
    """Return what the number of the only row of an aligned table rests on, and the texts with what carried it."""
    if isinstance(model, NumberTree):
        return NumberWay(model, tuple(paths_of(model, table))), ()
    try:
        found = Sum(_with_own_words(model, model.grounds(table), table), ONE)
    except ModelError as error:
        return Untold(str(error)), ()
    return found, _term_marks(model, found, table)


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


def _parted(model: Coded, table: Table, sides: Sides) -> tuple[Why, tuple[MarkedText, ...]]:
    """Return what the members of a coded model say; of those that see the class also what they look at."""
    said = model.said(table)
    values, shares = said.values[:, 0], model.scores(table)[0]
    columns: Counter[str] = Counter()
    texts: list[MarkedText] = []
    for number in np.flatnonzero(model.codes.entries[:, max(sides.decided, 0)])[:MOST_STUDIED].tolist():
        if np.isnan(values[number]):
            continue
        code = int(values[number] >= 0)
        reason, marks = why(model.members[number], model.seen_by(number, table), Sides(code, 1 - code), contrast=False)
        columns.update(_columns_in(reason))
        side = 1 if (model.codes.entries[number, sides.decided] > 0) == (code == 1) else -1
        texts += [replace(text, amounts=text.amounts * side) for text in marks]
    return Parted(model, values, shares, columns), together(texts)


def _carried(model: BagVotes, table: Table, sides: Sides) -> Carried:
    """Return what the instances of a bag say, and why the strongest of them does."""
    found = model.instances(table)
    said, shares = decided_instances(model, found.table), model.said(found)[0]
    adds, whole = added(model, shares, sides.decided, sides.against), model.scores(table)[0]
    if not len(adds):
        return Carried(model, found, said, shares, adds, whole, None)
    place = int(adds.argmax())
    row, code = found.table.slice(place, place + 1), int(said[place])
    other = sides.against if code == sides.decided else sides.decided
    reason, _ = why(model.base, row, Sides(code, other))
    told = {
        "instance": place + 1,
        "target": model.schema.target,
        "decision": model.classes[code] if code >= 0 else None,
        "against": model.classes[other] if other >= 0 else None,
        "probabilities": dict(zip(model.classes, model.base.scores(row)[0].tolist(), strict=True)),
        "why": reason.to_dict(),
    }
    return Carried(model, found, said, shares, adds, whole, (place, told))


def _columns_in(reason: Why) -> set[str]:
    """Return the columns that a member looks at for this row."""
    if isinstance(reason, Way):
        return {step.condition.column for path in reason.paths for step in path.steps}
    if isinstance(reason, Ruled):
        return {condition.column for rule in reason.rules for condition in rule.conditions}
    if isinstance(reason, Sum):
        return {part.column for part in reason.grounds.parts if part.column}
    return set()


def _with_own_words(model: ClassModel | NumberModel, grounds: Grounds, table: Table) -> Grounds:
    """Return grounds of which hashed terms are called by the words of this very text, not by the usual ones."""
    own: dict[str, dict[int, list[str]]] = {}
    for column, space in model.term_spaces.items():
        if space.tokens.bits is not None and (raw := text_of(table, column)) is not None:
            own[column] = hashed_words(raw, space.tokens)
    if not own:
        return grounds
    parts = [
        replace(part, name=f"#{part.term} {' '.join(words)}")
        if part.term >= 0 and (words := own.get(part.column, {}).get(part.term))
        else part
        for part in grounds.parts
    ]
    return replace(grounds, parts=tuple(parts))


def _term_marks(model: ClassModel | NumberModel, found: Sum, table: Table) -> tuple[MarkedText, ...]:
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
