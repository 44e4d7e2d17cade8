"""Reasons of models of models: the predictions of the members, and the columns that these use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.text.marked_terms import MarkedText, together
from hedgerow.models.base.reason import MOST_STUDIED, ComparedClasses, Reason
from hedgerow.models.many.two_sides import side_names

if TYPE_CHECKING:
    from hedgerow.models.many.committee import Committee
    from hedgerow.models.many.output_code import OutputCodeModel


@dataclass(frozen=True, eq=False)
class VotesReason(Reason):
    """The predictions of the members of a committee."""

    model: Committee
    member_classes: Codes
    votes: Numbers
    shares: Numbers  # of each class in the votes
    member_columns: Counter[str]  # in how many members' reasons each column is

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        classes = self.model.classes
        tally = [
            {"class": label, "members": int((self.member_classes == code).sum()), "share": float(self.shares[code])}
            for code, label in enumerate(classes)
        ]
        members = [
            {"member": number, "kind": one.kind, "vote": vote, "says": classes[code] if code >= 0 else None}
            for number, (one, vote, code) in enumerate(
                zip(self.model.members, self.votes.tolist(), self.member_classes.tolist(), strict=True)
            )
        ]
        columns = [{"column": name, "members": n} for name, n in self.member_columns.most_common()]
        return {"way": "votes", "rule": self.model.rule, "tally": tally, "members": members, "columns": columns}


@dataclass(frozen=True, eq=False)
class CodeReason(Reason):
    """The predictions of the members of a coded model, each for one of its two sides."""

    model: OutputCodeModel
    values: Numbers  # of each member
    shares: Numbers  # of each class
    member_columns: Counter[str]  # in how many members' reasons each column is

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; a class is said by the members that have it on the side they answer."""
        model, entries = self.model, self.model.codes.entries
        signs = np.where(np.isnan(self.values), 0, np.where(self.values >= 0, 1, -1))
        result = (entries * signs[:, None] > 0).sum(axis=0)
        tally = [
            {"class": label, "members": int(result[code]), "share": float(self.shares[code])}
            for code, label in enumerate(model.classes)
        ]
        members = [
            {
                "member": number,
                "kind": one.kind,
                "vote": None if np.isnan(value) else abs(float(value)),
                "says": _format_answer(model, number, value),
            }
            for number, (one, value) in enumerate(zip(model.members, self.values.tolist(), strict=True))
        ]
        columns = [{"column": name, "members": n} for name, n in self.member_columns.most_common()]
        return {"way": "votes", "rule": model.decoding, "tally": tally, "members": members, "columns": columns}


def votes_reason(model: Committee, votes: Numbers, table: Table, sides: ComparedClasses) -> VotesReason:
    """Return the votes of a committee; for some members also the columns and words that they use."""
    codes = np.array([int(one.decide_rows(table)[0]) for one in model.members], dtype=np.int32)
    columns: Counter[str] = Counter()
    texts: list[MarkedText] = []
    for one, vote, code in list(zip(model.members, votes.tolist(), codes.tolist(), strict=True))[:MOST_STUDIED]:
        if not vote:
            continue
        own = ComparedClasses(code, sides.against if code == sides.winner else sides.winner)
        reason = one.reason(table, own, contrast=False)
        columns.update(reason.columns)
        for text in reason.texts:
            amounts = text.amounts * vote * (1 if code == sides.winner else -1)
            texts.append(MarkedText(text.column, text.raw, text.begins, text.ends, amounts))
    shares = model.scores(table)[0]
    return VotesReason(model, codes, votes, shares, columns, texts=together(texts))


def code_reason(model: OutputCodeModel, table: Table, sides: ComparedClasses) -> CodeReason:
    """Return the predictions of the members; for those trained with the class also the columns that they use."""
    member_answers = model.member_answers(table)
    values, shares = member_answers.values[:, 0], model.scores(table)[0]
    columns: Counter[str] = Counter()
    texts: list[MarkedText] = []
    for number in np.flatnonzero(model.codes.entries[:, max(sides.winner, 0)])[:MOST_STUDIED].tolist():
        if np.isnan(values[number]):
            continue
        code = int(values[number] >= 0)
        seen = model.table_for_member(number, table)
        reason = model.members[number].reason(seen, ComparedClasses(code, 1 - code), contrast=False)
        columns.update(reason.columns)
        side = 1 if (model.codes.entries[number, sides.winner] > 0) == (code == 1) else -1
        texts += [replace(text, amounts=text.amounts * side) for text in reason.texts]
    return CodeReason(model, values, shares, columns, texts=together(texts))


def _format_answer(model: OutputCodeModel, number: int, value: float) -> str | None:
    """Return the side that a member predicts by this value; None if it makes no prediction."""
    return None if np.isnan(value) else side_names(model.codes, number, model.classes)[int(value >= 0)]
