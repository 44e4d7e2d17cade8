"""Committee: several models that predict together, by votes or by the mean of their distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import array_part
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.many.composite import Composite
from hedgerow.models.many.reason import votes_reason
from hedgerow.models.trees.descent import Descent, DescentOutput
from hedgerow.models.trees.tree import Tree

RULES = ("vote", "average")
MOST_MEMBERS = 10_000
LARGEST_VOTE = 1e100  # larger ones count as shares of the largest
MOST_REMARKS = 20
LONGEST_REMARK = 400


@dataclass(frozen=True, slots=True)
class OutOfBag:
    """The error on training rows, each predicted only by the members that had not learned from it."""

    error: float  # share of the tested weight
    weight: float  # of the rows that some member had not learned from

    def __post_init__(self) -> None:
        for name in ("error", "weight"):
            object.__setattr__(self, name, round_digits(getattr(self, name)))
        if not (0 <= self.error <= 1 and 0 <= self.weight < math.inf):
            raise ModelError(f"an out-of-bag error cannot be {self.error} of a total weight of {self.weight}")

    def __str__(self) -> str:
        return (
            f"Out-of-bag error: {format_number(self.error)} (total weight of the tested rows: "
            f"{format_number(self.weight)})"
        )


@dataclass(frozen=True, eq=False)
class Committee(Composite):
    """Models of one schema that predict together.

    Parameters
    ----------
    members
        The models, of any kind that predicts classes.
    votes
        The weight of each member's vote, rounded to six digits. A member with an infinite vote decides: finite
        votes are then ignored, and several infinite ones are equal. If all votes are 0, all are equal.
    rule
        "vote": a member votes for the class it predicts. "average": it distributes its vote over the classes by
        its probabilities. Either way the distribution is each class's share of the votes.
    out_of_bag
        The error on the training rows that members were not trained on, if the learner left any out.
    remarks
        Sentences on the training of the members.

    Examples
    --------
    >>> from hedgerow.models.rules.rule_list import Rule, RuleList
    >>> schema = Table.of({"Wind": ["weak"], "Play": ["yes"]}, "Play", {"Play": ["no", "yes"]}).schema
    >>> yes, no = (RuleList(schema, (), Rule((), weights)) for weights in [(1, 3), (2, 1)])
    >>> model = Committee(schema, (yes, no), (2, 1))
    >>> model.distribution(Table.of({"Wind": ["weak"]})).round(3).tolist()
    [[0.333, 0.667]]
    >>> print(model.member(1))
    Member 1 of 2, vote 1
    <BLANKLINE>
    otherwise Play = no (3/1)  # support 66.7 %, confidence 66.7 %
    """

    votes: Numbers
    rule: str = "vote"
    out_of_bag: OutOfBag | None = None
    remarks: tuple[str, ...] = ()

    kind: ClassVar[str] = "committee"
    display_name: ClassVar[str] = "a committee"
    own_fields: ClassVar[tuple[str, ...]] = ("members", "out_of_bag", "remarks", "rule", "votes")

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "votes", np.array([round_digits(float(vote)) for vote in self.votes]))
        object.__setattr__(self, "remarks", tuple(self.remarks))
        self._check()
        alike = tuple(self.share_schema(number, self.schema) for number in range(len(self.members)))
        object.__setattr__(self, "members", alike)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the votes of the members, and the columns that their own reasons use."""
        return votes_reason(self, finite_votes(self.votes), table, classes)

    def importance(self) -> dict[str, float]:
        """Return the share of each predictor in the decrease of the Gini index by splits; all members must be trees."""
        return super().importance() if self.split_shares is None else self.by_predictor(self.split_shares)

    @cached_property
    def split_shares(self) -> Numbers | None:
        """Shares of the predictors in the decrease of the Gini index by splits; None unless all members are trees."""
        found = [getattr(one, "split_shares", None) for one in self.members]
        if any(one is None for one in found):
            return None
        sums = finite_votes(self.votes) @ np.array(found)
        shares: Numbers = sums / sums.sum() if sums.any() else sums
        return shares

    def __str__(self) -> str:
        from hedgerow.models.many.committee_text import committee_text

        return committee_text(self)

    def describe_member(self, number: int) -> str:
        """Return a member's vote."""
        from hedgerow.models.many.committee_text import vote_text

        return f"vote {vote_text(float(self.votes[number]))}"

    def member_votes(self, table: Any) -> Codes:
        """Return the code of the class that each member (columns) decides for each row of a table or frame."""
        aligned = self.align(table)
        return np.stack([one.decide(aligned) for one in self.members], axis=1)

    def scores(self, table: Table) -> Numbers:
        """Return each class's share of the votes, for a table that is aligned already."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows have no value known to any voting member, if all members report it."""
        voices, forest = finite_votes(self.votes), self._forest
        if forest is None:
            sums, silent = count_votes(self.members, voices, self.rule, table)
        else:
            sums, silent = forest.count_votes(table), None
        sums /= voices.sum()
        return RowScores(sums, silent)

    @cached_property
    def _forest(self) -> Forest | None:
        """The members in shared arrays, if all are trees whose divided rows are decided without costs."""
        trees = [one for one in self.members if isinstance(one, Tree) and one.costs is None and one.decides_by is None]
        if len(trees) < len(self.members):
            return None
        return Forest(trees, finite_votes(self.votes), self.rule)

    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong."""
        return {
            "members": self.member_parts(),
            "votes": self.votes,
            "rule": self.rule,
            "out_of_bag": None if self.out_of_bag is None else [self.out_of_bag.error, self.out_of_bag.weight],
            "remarks": list(self.remarks),
        }

    @classmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the committee from its parts, checking every one of them."""
        listed = cls.check_member_list(parts, MOST_MEMBERS)
        remarks = parts["remarks"]
        if not isinstance(remarks, list) or not all(isinstance(one, str) for one in remarks):
            raise ModelError("the remarks of a committee must be a list of sentences")
        votes = array_part(parts, "votes", np.float64, len(listed))
        members = tuple(cls.build_member(one, schema) for one in listed)
        rested = _read_out_of_bag(parts["out_of_bag"])
        return cls(schema, members, votes, parts["rule"], rested, tuple(remarks), about=about)

    def _check(self) -> None:
        if not self.schema.target_column.levels:
            raise ModelError(f"a committee predicts a class, but the target {self.schema.target!r} has no classes")
        self.check_members(MOST_MEMBERS)
        if len(self.votes) != len(self.members) or not (self.votes >= 0).all():
            raise ModelError("a committee needs one vote per member, none of them below 0")
        if not isinstance(self.rule, str) or self.rule not in RULES:
            raise ModelError(f"the decision rule of a committee must be {listing(RULES)}, not {self.rule!r}")
        if len(self.remarks) > MOST_REMARKS or not all(map(_is_remark, self.remarks)):
            raise ModelError(f"a committee has at most {MOST_REMARKS} remarks, which are printable sentences")


def finite_votes(votes: Numbers) -> Numbers:
    """Return the effective votes: with infinite ones, only those count; if all are 0, all are equal.

    Very large and very small ones are shares of the largest, so that their sums and products stay numbers.
    """
    endless = np.isinf(votes)
    if endless.any():
        return endless.astype(np.float64)
    largest = votes.max(initial=0.0)
    if not largest:
        return np.ones_like(votes)
    return votes if 1 / LARGEST_VOTE <= largest <= LARGEST_VOTE else votes / largest


def count_votes(
    members: Sequence[ClassModel], votes: Numbers, rule: str, table: Table
) -> tuple[Numbers, NDArray[np.bool_] | None]:
    """Return the votes for every class (columns) and row of an aligned table, added in the members' order.

    Also return the rows without any value known to a member; None if one does not report it. Finite votes; members
    without one are not asked.
    """
    sums = np.zeros((table.n_rows, len(table.schema.target_column.levels)))
    silent: NDArray[np.bool_] | None = np.ones(table.n_rows, dtype=np.bool_)
    for one, vote in zip(members, votes.tolist(), strict=True):
        if vote:
            mute = add_votes(sums, one, vote, rule, table)
            silent = None if silent is None or mute is None else silent & mute
    return sums, silent


class Forest:
    """Trees that predict together: one descent of all rows through all trees."""

    def __init__(self, trees: Sequence[Tree], votes: Numbers, rule: str) -> None:
        used = [(tree, vote) for tree, vote in zip(trees, votes.tolist(), strict=True) if vote]
        self.rule, self.votes = rule, np.array([vote for _, vote in used])
        self.descent = Descent.of(
            trees[0].schema, [t.nodes for t, _ in used], [t.missing_value_routes for t, _ in used]
        )
        factors = self.votes if rule == "average" else np.ones(len(used))
        self.payload = np.concatenate([factor * t.leaf_shares for factor, (t, _) in zip(factors, used, strict=True)])
        self.decisions = np.concatenate([t.decisions for t, _ in used])

    def count_votes(self, table: Table) -> Numbers:
        """Return the votes for every class and row of an aligned table."""
        sums = np.zeros((table.n_rows, self.payload.shape[1]))
        self.add(sums, table)
        return sums

    def add(self, sums: Numbers, table: Table, rows: Rows | None = None, asked: DescentOutput = ()) -> None:
        """Add the votes for every class and row, or some rows; `asked` marks the rows on which each tree votes."""
        if self.rule == "average":
            self.descent.add_sums(sums, table, self.payload, rows, asked)
        else:
            self.descent.add_votes(sums, table, self.payload, self.decisions, self.votes, rows, asked)


def add_votes(sums: Numbers, member: ClassModel, vote: float, rule: str, table: Table) -> NDArray[np.bool_] | None:
    """Add one member's vote to the sums of the classes, and return the rows without known values, if reported."""
    tells = (
        type(member).score_rows is not ClassModel.score_rows
    )  # others decide without scores, where that is less work
    scored = member.score_rows(table) if tells or rule == "average" else None
    if scored is not None and rule == "average":
        sums += vote * scored.distribution
    else:
        codes = member.decide(table) if scored is None else member.decide_rows(table, scored.distribution)
        answered = np.flatnonzero(codes >= 0)
        sums[answered, codes[answered]] += vote
        if len(answered) < len(codes):  # a member without a decision divides its vote by its distribution
            shares = member.scores(table) if scored is None else scored.distribution
            sums[codes < 0] += vote * shares[codes < 0]
    return None if scored is None else scored.is_unknown


def _is_remark(text: Any) -> bool:
    return isinstance(text, str) and text.isprintable() and len(text) <= LONGEST_REMARK


def _read_out_of_bag(part: Any) -> OutOfBag | None:
    if part is None:
        return None
    if not isinstance(part, list) or len(part) != 2 or not all(type(number) is float for number in part):
        raise ModelError("an out-of-bag error must be two numbers, or none")
    return OutOfBag(*part)
