"""OutputCodeModel: many classes by models of two sides, one for each row of a class code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, Schema, listing
from hedgerow.data.table.table import Codes, Numbers, StoredValues, Table
from hedgerow.errors import ModelError
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import About, RowScores
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.foreign.foreign_models import share_matrix
from hedgerow.models.many import decoding
from hedgerow.models.many.class_codes import MOST_MACHINES, CodeMatrix
from hedgerow.models.many.composite import Composite
from hedgerow.models.many.coupling import couple_probabilities
from hedgerow.models.many.decoding import LOSSES, hamming, largest, loss_based, put_winner_first, votes
from hedgerow.models.many.reason import code_reason
from hedgerow.models.many.side_answers import MemberAnswers, answers_of_member, mask_unanswered
from hedgerow.models.many.two_sides import side_schema

LARGEST, VOTES, COUPLED, HAMMING = "largest", "votes", "coupled", "hamming"
DECODINGS = (LARGEST, VOTES, COUPLED, HAMMING, *LOSSES)
SUREST = 8.0  # log-odds of a class whose code is predicted with certainty, against that of the nearest code


@dataclass(frozen=True, eq=False)
class OutputCodeModel(Composite):
    """Binary models, and the code that assigns each class to one of their sides.

    Parameters
    ----------
    members
        One model per row of the code, of the same columns and a target of two levels: its side of -1, then that of +1.
    codes
        The code.
    decoding
        How the members' predictions are combined into a class. "largest" (each class against the rest): the class whose
        member has the largest value. "votes" (pairs): each member votes for one of its two classes; the sum of the
        values parts ties. "coupled" (pairs): the most probable class. "hamming", or a loss "hinge", "exp", "logistic":
        the class whose code is nearest to the answers, or makes the values lose least.

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
    display_name: ClassVar[str] = "a coded model"
    own_fields: ClassVar[tuple[str, ...]] = ("codes", "decoding", "members")

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        self._check()
        alike = (self.share_schema(i, side_schema(self.schema, self.codes, i)) for i in range(len(self.members)))
        object.__setattr__(self, "members", tuple(alike))

    def _check(self) -> None:
        _check_classes(self.schema)
        if not isinstance(self.codes, CodeMatrix) or self.codes.n_classes != len(self.classes):
            raise ModelError(f"a coded model of {len(self.classes)} classes needs a code with as many classes")
        self.check_members(MOST_MACHINES)
        if len(self.members) != len(self.codes):
            raise ModelError(f"a code of {len(self.codes)} rows needs as many members, not {len(self.members)}")
        if not isinstance(self.decoding, str) or self.decoding not in DECODINGS:
            raise ModelError(f"the decoding of a coded model must be {listing(DECODINGS)}, not {self.decoding!r}")
        fits = {LARGEST: self.codes.is_one_vs_rest, VOTES: _is_pairwise(self.codes), COUPLED: _is_pairwise(self.codes)}
        if not fits.get(self.decoding, True):
            wanted = "one member per class" if self.decoding == LARGEST else "one member per pair of classes"
            raise ModelError(f"deciding by {self.decoding!r} needs {wanted}")

    def __str__(self) -> str:
        from hedgerow.models.many.output_code_text import summary_text

        return summary_text(self)

    def describe_member(self, number: int) -> str:
        """Return the classes that a member separates."""
        from hedgerow.models.many.output_code_text import describe_sides

        return describe_sides(self, number)

    @property
    def abstains(self) -> bool:
        """Whether the model may leave rows without a prediction, as its members do."""
        return any(one.abstains for one in self.members)

    # -- predictions of the members -----------------------------------------------------------------------------

    def values(self, table: Any) -> Numbers:
        """Return the value of each member (rows) for each row (columns) of a table or frame."""
        return self.member_answers(self.align(table)).values

    def decision_values(self, table: Any) -> Numbers:
        """Return the scores: one per class (columns) for every row; -inf for classes that were never seen."""
        aligned = self.align(table)
        return self._decision_values(self.member_answers(aligned))

    def member_answers(self, table: Table) -> MemberAnswers:
        """Return the predictions of all members for an aligned table."""
        data = self._columns_without_target(table)
        shape = (len(self.members), table.n_rows)
        member_answers = MemberAnswers(np.empty(shape), np.empty(shape))
        silent: NDArray[np.bool_] | None = np.ones(table.n_rows, dtype=np.bool_)
        with share_matrix(data):
            for number, one in enumerate(self.members):
                share, value, mute = answers_of_member(one, Table(one.schema, data, table.n_rows))
                member_answers.shares[number], member_answers.values[number] = share, value
                silent = None if silent is None or mute is None else silent & mute
        return replace(member_answers, is_unknown=silent)

    def table_for_member(self, number: int, table: Table) -> Table:
        """Return an aligned table in the form for a member."""
        return Table(self.members[number].schema, self._columns_without_target(table), table.n_rows)

    def _columns_without_target(self, table: Table) -> tuple[StoredValues, ...]:
        """Return the columns without classes; the levels of the target are those of a member's own."""
        position = self.schema.index(self.schema.target_column.name)
        unknown: Codes = np.full(table.n_rows, -1, dtype=np.int32)
        return (*table.data[:position], unknown, *table.data[position + 1 :])

    # -- derived from them -------------------------------------------------------------------------------

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the predictions of the members, each for one of its two sides."""
        return code_reason(self, table, classes)

    def scores(self, table: Table) -> Numbers:
        """Return the distribution for a table that is aligned already."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which rows have no value known to any member, if all report it."""
        member_answers = self.member_answers(table)
        winners = decoding.decode_classes(self.codes, member_answers.values, self._decision_values(member_answers))
        return RowScores(put_winner_first(self._shares(member_answers), winners), member_answers.is_unknown)

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of every row of an aligned table, -1 where no member makes a prediction."""
        if scores is not None and not self.abstains:
            return decisions(scores)  # the most probable class is the decided one
        member_answers = self.member_answers(table)
        indices = decoding.decode_classes(self.codes, member_answers.values, self._decision_values(member_answers))
        indices[np.isnan(member_answers.values).all(axis=0)] = -1
        return indices

    def _decision_values(self, member_answers: MemberAnswers) -> Numbers:
        """Return one score per class and row, of which the largest decides."""
        values = member_answers.values
        if len(self.codes) == 1 or self.decoding == VOTES:
            return votes(self.codes, values)
        if self.decoding == COUPLED:
            return self._spread(couple_probabilities(mask_unanswered(member_answers), self.codes.n_used), -np.inf)
        if self.decoding == LARGEST:
            return largest(self.codes, values)
        return (
            hamming(self.codes, values) if self.decoding == HAMMING else loss_based(self.codes, values, self.decoding)
        )

    def _shares(self, member_answers: MemberAnswers) -> Numbers:
        """Return the distribution before it is brought in line with the decision."""
        if self.codes.n_used == 1:
            return self._spread(np.ones((member_answers.values.shape[1], 1)))
        if len(self.codes) == 1:
            share = member_answers.shares[0]
            return self._spread(np.stack([1 - share, share], axis=1))
        if self.decoding in (VOTES, COUPLED):
            return self._spread(couple_probabilities(mask_unanswered(member_answers), self.codes.n_used))
        if self.decoding == LARGEST:
            return self._spread(_normalize_shares(mask_unanswered(member_answers, 0.0).T))
        scores = self._decision_values(member_answers)[:, self.codes.used]
        powers = np.exp(self._loss_scale * (scores - scores.max(axis=1, keepdims=True)))
        return self._spread(powers / powers.sum(axis=1, keepdims=True))

    @cached_property
    def _loss_scale(self) -> float:
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
        listed = cls.check_member_list(parts, MOST_MACHINES)
        _check_classes(schema)
        codes = CodeMatrix.from_dict(parts["codes"], len(schema.target_column.levels))
        if len(listed) != len(codes):
            raise ModelError(f"a code of {len(codes)} rows needs as many members, not {len(listed)}")
        members = (cls.build_member(one, side_schema(schema, codes, number)) for number, one in enumerate(listed))
        return cls(schema, tuple(members), codes, parts["decoding"], about=about)


def _check_classes(schema: Schema) -> None:
    if schema.target is None or schema.target_column.kind is not Kind.NOMINAL or not schema.target_column.levels:
        raise ModelError("a coded model predicts a class, but its target has no classes")


def _is_pairwise(codes: CodeMatrix) -> bool:
    """Return whether there is one machine per pair, or the one machine of a single class."""
    return codes.is_pairs or codes.n_used == 1


def _normalize_shares(shares: Numbers) -> Numbers:
    """Return shares of classes divided by their sum; the same for all where none is above 0."""
    sums = shares.sum(axis=1, keepdims=True)
    return np.where(sums > 0, shares / np.where(sums > 0, sums, 1.0), 1 / shares.shape[1])
