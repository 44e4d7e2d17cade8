"""Answers: the predictions of binary models, as probabilities of the side +1 and as values to decode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Table
from hedgerow.models.base.model import ClassModel

LEAST = float(np.finfo(np.float64).tiny)  # a value that is all but 0


@dataclass(frozen=True, eq=False)
class MemberAnswers:
    """The members' predictions, one line per member: P of the side +1, the value (0 or more: +1; NaN: none)."""

    shares: Numbers
    values: Numbers
    is_unknown: NDArray[np.bool_] | None = None  # rows without any value known to a member, if all report it


def answers_of_member(member: ClassModel, table: Table) -> tuple[Numbers, Numbers, NDArray[np.bool_] | None]:
    """Return a member's share of the side +1, its value, and unknown rows, for rows of its schema."""
    margins = member.margins(table)
    scored = member.score_rows(table)
    shares = scored.distribution[:, 1]
    if margins is not None:
        return shares, margins, scored.is_unknown
    codes = member.decide_rows(table, scored.distribution)
    values = 2 * shares - 1
    # Costs, or a tie, may decide for the side of less than half: the sign is the decision's.
    values = np.where(codes == 1, np.maximum(values, 0.0), np.minimum(values, -LEAST))
    return shares, np.where(codes < 0, np.nan, values), scored.is_unknown


def mask_unanswered(member_answers: MemberAnswers, silence: float = np.nan) -> Numbers:
    """Return the shares where members make a prediction; all of them in rows where none does."""
    mute = np.isnan(member_answers.values)
    if not mute.any():
        return member_answers.shares
    return np.where(mute & ~mute.all(axis=0), silence, member_answers.shares)
