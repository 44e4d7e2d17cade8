"""Coded: many classes by models of two sides, one for each row of a class code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.schema import Kind, Schema, listing
from hedgerow.data.table import Codes, Held, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models import class_codes
from hedgerow.models.class_codes import LOSSES, MOST_MACHINES, CodeMatrix, coupled, hamming, largest, loss_based, votes
from hedgerow.models.composite import Composite
from hedgerow.models.model import About, ClassModel, Scored, decisions

LARGEST, VOTES, COUPLED, HAMMING = "largest", "votes", "coupled", "hamming"
DECODINGS = (LARGEST, VOTES, COUPLED, HAMMING, *LOSSES)
LONGEST_SIDE = 40  # letters of the classes of a side, if its name lists them
LEAST = float(np.finfo(np.float64).tiny)  # a value that is all but 0
SUREST = 8.0  # log-odds of a class whose code all machines say for sure, against the one with the nearest code
AHEAD = 1e-9  # the share by which the decided class is more probable than another that was as probable


@dataclass(frozen=True, eq=False)
class Said:
    """What the members say of rows, a row a member: P of the side +1, the value (0 or more: +1; NaN: no answer)."""

    shares: Numbers
    values: Numbers
    silent: NDArray[np.bool_] | None = None  # rows that hold nothing that any member knows, if all tell


@dataclass(frozen=True, eq=False)
class Coded(Composite):
    """Models of two sides, and the code that says which classes are on them.

    Parameters
    ----------
    members
        A model a row of the code, of the same columns and a target of two levels: its side of -1, then that of +1.
    codes
        The code.
    decoding
        How the members' answers become a class. "largest" (each class against the rest): the class whose member has the
        largest value. "votes" (pairs): each member votes for one of its two classes; the sum of the values parts ties.
        "coupled" (pairs): the most probable class. "hamming", or a loss "hinge", "exp", "logistic": the class whose
        code is nearest to the answers, or makes the values lose least.

    Notes
    -----
    A member's value is its margin, or if it has none 2 p - 1, p its probability of the side +1; its sign is that of the
    member's decision. Probabilities are those of members, divided by their sum ("largest") or coupled (pairs), or fall
    with the loss of the code. The most probable class is always the decided one: where another would be, the two
    exchange their probabilities. A row on which no member has an answer has none.
    """

    codes: CodeMatrix
    decoding: str = VOTES

    kind: ClassVar[str] = "coded"
    called: ClassVar[str] = "a coded model"
    own: ClassVar[tuple[str, ...]] = ("codes", "decoding", "members")

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        self._check()
        alike = (self.share_schema(i, side_schema(self.schema, self.codes, i)) for i in range(len(self.members)))
        object.__setattr__(self, "members", tuple(alike))

    def _check(self) -> None:
        _check_classes(self.schema)
        if not isinstance(self.codes, CodeMatrix) or self.codes.n_classes != len(self.classes):
            raise ModelError(f"a coded model of {len(self.classes)} classes needs a code of so many")
        self.check_members(MOST_MACHINES)
        if len(self.members) != len(self.codes):
            raise ModelError(f"a code of {len(self.codes)} rows needs so many members, not {len(self.members)}")
        if not isinstance(self.decoding, str) or self.decoding not in DECODINGS:
            raise ModelError(f"a coded model decides by {listing(DECODINGS)}, not by {self.decoding!r}")
        fits = {LARGEST: self.codes.is_rest, VOTES: _is_paired(self.codes), COUPLED: _is_paired(self.codes)}
        if not fits.get(self.decoding, True):
            wanted = "one member a class" if self.decoding == LARGEST else "one member a pair of classes"
            raise ModelError(f"deciding by {self.decoding!r} needs {wanted}")

    def __str__(self) -> str:
        from hedgerow.models.coded_text import coded_text

        return coded_text(self)

    def told_of(self, number: int) -> str:
        """Return what a member tells apart."""
        from hedgerow.models.coded_text import told_apart

        return told_apart(self, number)

    @property
    def abstains(self) -> bool:
        """Whether the model may leave rows without an answer, as its members do."""
        return any(one.abstains for one in self.members)

    # -- what the members say -------------------------------------------------------------------------------

    def values(self, table: Any) -> Numbers:
        """Return the value of each member (rows) for each row (columns) of a table or frame."""
        return self.said(self.aligned(table)).values

    def decision_values(self, table: Any) -> Numbers:
        """Return what decides: a score a class (columns) for every row; -inf for classes that were never seen."""
        aligned = self.aligned(table)
        return self._decision_values(self.said(aligned))

    def said(self, table: Table) -> Said:
        """Return what all members say of a table that is aligned already."""
        data = self._without_target(table)
        shape = (len(self.members), table.n_rows)
        found = Said(np.empty(shape), np.empty(shape))
        silent: NDArray[np.bool_] | None = np.ones(table.n_rows, dtype=np.bool_)
        for number, one in enumerate(self.members):
            share, value, mute = said_by(one, Table(one.schema, data, table.n_rows))
            found.shares[number], found.values[number] = share, value
            silent = None if silent is None or mute is None else silent & mute
        return replace(found, silent=silent)

    def seen_by(self, number: int, table: Table) -> Table:
        """Return a table that is aligned already as a member is asked about it."""
        return Table(self.members[number].schema, self._without_target(table), table.n_rows)

    def _without_target(self, table: Table) -> tuple[Held, ...]:
        """Return the columns with no class told; the levels of the target are those of a member's own."""
        position = self.schema.index(self.schema.target_column.name)
        unknown: Codes = np.full(table.n_rows, -1, dtype=np.int32)
        return (*table.data[:position], unknown, *table.data[position + 1 :])

    # -- what follows from it -------------------------------------------------------------------------------

    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""
        return self.scored(table).distribution

    def scored(self, table: Table) -> Scored:
        """Return the same, and which rows hold nothing that any member knows, if all of them tell."""
        said = self.said(table)
        winners = class_codes.decided(self.codes, said.values, self._decision_values(said))
        return Scored(ahead(self._shares(said), winners), said.silent)

    def decided(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of every row of an aligned table, -1 where no member has an answer."""
        if scores is not None and not self.abstains:
            return decisions(scores)  # the most probable class is the decided one
        said = self.said(table)
        found = class_codes.decided(self.codes, said.values, self._decision_values(said))
        found[np.isnan(said.values).all(axis=0)] = -1
        return found

    def _decision_values(self, said: Said) -> Numbers:
        """Return a score a class and row, of which the largest decides."""
        values = said.values
        if len(self.codes) == 1 or self.decoding == VOTES:
            return votes(self.codes, values)
        if self.decoding == COUPLED:
            return self._spread(coupled(answered(said), self.codes.n_used), -np.inf)
        if self.decoding == LARGEST:
            return largest(self.codes, values)
        return (
            hamming(self.codes, values) if self.decoding == HAMMING else loss_based(self.codes, values, self.decoding)
        )

    def _shares(self, said: Said) -> Numbers:
        """Return the distribution before it is brought in line with the decision."""
        if self.codes.n_used == 1:
            return self._spread(np.ones((said.values.shape[1], 1)))
        if len(self.codes) == 1:
            share = said.shares[0]
            return self._spread(np.stack([1 - share, share], axis=1))
        if self.decoding in (VOTES, COUPLED):
            return self._spread(coupled(answered(said), self.codes.n_used))
        if self.decoding == LARGEST:
            return self._spread(_normalized(answered(said, 0.0).T))
        scores = self._decision_values(said)[:, self.codes.used]
        powers = np.exp(self._steepness * (scores - scores.max(axis=1, keepdims=True)))
        return self._spread(powers / powers.sum(axis=1, keepdims=True))

    @cached_property
    def _steepness(self) -> float:
        """By what the loss is multiplied: all machines sure of a code, the class of the nearest is e^-SUREST of it."""
        far = self.codes.distances
        nearest = far[~np.eye(len(far), dtype=np.bool_)].min()
        loss = {HAMMING: 1.0, "hinge": 2.0, "exp": float(np.e - 1 / np.e), "logistic": 1.0}[self.decoding]
        return float(SUREST / (loss * nearest))

    def _spread(self, shares: Numbers, unseen: float = 0.0) -> Numbers:
        """Return shares of the used classes as those of all."""
        if self.codes.n_used == len(self.classes):
            return shares
        out = np.full((len(shares), len(self.classes)), unseen)
        out[:, self.codes.used] = shares
        return out

    # -- files ----------------------------------------------------------------------------------------------

    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong."""
        return {"codes": self.codes.to_dict(), "decoding": self.decoding, "members": self.member_parts()}

    @classmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the model from its parts, checking every one of them."""
        listed = cls.listed(parts, MOST_MACHINES)
        _check_classes(schema)
        codes = CodeMatrix.from_dict(parts["codes"], len(schema.target_column.levels))
        if len(listed) != len(codes):
            raise ModelError(f"a code of {len(codes)} rows needs so many members, not {len(listed)}")
        members = (cls.member_of(one, side_schema(schema, codes, number)) for number, one in enumerate(listed))
        return cls(schema, tuple(members), codes, parts["decoding"], about=about)


def _check_classes(schema: Schema) -> None:
    if schema.target is None or schema.target_column.kind is not Kind.NOMINAL or not schema.target_column.levels:
        raise ModelError("a coded model predicts a class, but its target has no classes")


def _is_paired(codes: CodeMatrix) -> bool:
    """Tell whether there is a machine a pair, or the one machine of a single class."""
    return codes.is_pairs or codes.n_used == 1


def side_schema(schema: Schema, codes: CodeMatrix, machine: int) -> Schema:
    """Return the schema of a member: the target has its two sides as levels."""
    column = schema.target_column
    levels = side_names(codes, machine, column.levels)
    return schema.with_columns({column.name: replace(column, levels=levels, ordered=False)})


def side_names(codes: CodeMatrix, machine: int, classes: tuple[str, ...]) -> tuple[str, str]:
    """Return what a machine's side of -1 and its side of +1 are called.

    >>> codes, classes = CodeMatrix.rest(3), ("red", "blue", "green")
    >>> side_names(codes, 1, classes), side_names(CodeMatrix.pairs(3), 1, classes)
    (('not blue', 'blue'), ('red', 'green'))
    """
    minus, plus = codes.sides(machine)
    if len(plus) == 1 and len(minus) + 1 == codes.n_used and len(minus) != 1:
        names = f"not {classes[plus[0]]}", classes[plus[0]]
    else:
        names = _side_name(minus, classes), _side_name(plus, classes)
    return names if names[0] != names[1] else (f"not {names[1]}", names[1])


def _side_name(side: tuple[int, ...], classes: tuple[str, ...]) -> str:
    listed = ", ".join(classes[code] for code in side[:LONGEST_SIDE])
    if len(side) > 1 and len(listed) > LONGEST_SIDE:
        return f"{len(side)} classes with {classes[side[0]]}"
    return listed


def side_codes(codes: CodeMatrix, machine: int, labels: Codes) -> Codes:
    """Return the side of every row by its class: 0 for -1, 1 for +1, -1 for classes that the machine does not see."""
    of_class = np.array([0, -1, 1], dtype=np.int32)[codes.entries[machine] + 1]
    return np.asarray(of_class[labels])


def said_by(member: ClassModel, table: Table) -> tuple[Numbers, Numbers, NDArray[np.bool_] | None]:
    """Return a member's share of the side +1, its value, and where it knows nothing, for rows under its schema."""
    margins = member.margins(table)
    scored = member.scored(table)
    shares = scored.distribution[:, 1]
    if margins is not None:
        return shares, margins, scored.silent
    said = member.decided(table, scored.distribution)
    values = 2 * shares - 1
    # Costs, or a tie, may decide for the side of less than half: the sign is the decision's.
    values = np.where(said == 1, np.maximum(values, 0.0), np.minimum(values, -LEAST))
    return shares, np.where(said < 0, np.nan, values), scored.silent


def answered(said: Said, silence: float = np.nan) -> Numbers:
    """Return the shares where members have an answer; all of them in rows where none has."""
    mute = np.isnan(said.values)
    if not mute.any():
        return said.shares
    return np.where(mute & ~mute.all(axis=0), silence, said.shares)


def _normalized(shares: Numbers) -> Numbers:
    """Return shares of classes divided by their sum; the same for all where none is above 0."""
    sums = shares.sum(axis=1, keepdims=True)
    return np.where(sums > 0, shares / np.where(sums > 0, sums, 1.0), 1 / shares.shape[1])


def ahead(shares: Numbers, winners: Codes) -> Numbers:
    """Return a distribution in which the winner of every row is the most probable class.

    Where another is, the two exchange their probabilities; a winner that ties with an earlier class gets a trifle more.

    >>> ahead(np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]), np.array([1, 2], dtype=np.int32)).tolist()
    [[0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]
    """
    rows = np.flatnonzero((decisions(shares) != winners) | (shares.argmax(axis=1) != winners))
    if not len(rows):
        return shares
    shares = shares.copy()
    won, most = winners[rows], shares[rows].argmax(axis=1)
    shares[rows, won], shares[rows, most] = shares[rows, most], shares[rows, won]
    tied = rows[(decisions(shares[rows]) != won) | (shares[rows].argmax(axis=1) != won)]
    shares[tied, winners[tied]] *= 1 + AHEAD
    shares[tied] /= shares[tied].sum(axis=1, keepdims=True)
    return shares
