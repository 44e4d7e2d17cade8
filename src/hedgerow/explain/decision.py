"""Decision: the reason why a model predicts a class for a row, and not another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.bags.align import align
from hedgerow.data.frames.objects import table_from
from hedgerow.data.frames.text_lists import parse_texts
from hedgerow.data.rows.row_values import label_of
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Table, Text
from hedgerow.data.text.marked_terms import MarkedText, text_of, unmarked_text
from hedgerow.errors import DataError, UsageError
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.model import ClassModel, Model, NumberModel
from hedgerow.models.base.reason import NUMBER, ComparedClasses, Reason, SumReason
from hedgerow.models.base.unknown_rows import unknown_row_note

IMPOSSIBLE = "parts that add inf were never seen with {against}, which makes that class impossible"
OVERRULED = "{best} is more probable, but the {overruling} decide for {decided}"


@dataclass(frozen=True, eq=False)
class Decision:
    """The reason why a model predicts a class for a row, and not another one.

    Parameters
    ----------
    number
        The row's number, counted from 1; 0 if it is from no data.
    target
        The column that is predicted.
    classes
        Its classes.
    probabilities
        What the model gives each of them.
    sides
        The codes of the class that is decided for, and of the one that it is set against; -1 is none.
    actual
        The class that the data tell; None if they tell none.
    why
        What the decision rests on.
    texts
        The row's texts, with the words that carried the decision.
    silent
        Whether the row holds nothing that the model knows, so that the prior or the intercept decides.
    notes
        What there is to know besides, a sentence each.
    file
        The file of a folder that the row is; None if it is none.
    bag
        The name of the bag that the row is, if it was made of rows; None otherwise.
    value
        The number that a model of numbers predicts, which has no classes; None of a decision for a class.
    neighbors
        The nearest training rows and their values, of a model that keeps them; None otherwise.
    """

    number: int
    target: str
    classes: tuple[str, ...]
    probabilities: Numbers
    sides: ComparedClasses
    actual: str | None
    reason: Reason
    texts: tuple[MarkedText, ...]
    silent: bool
    notes: tuple[str, ...]
    file: str | None = None
    bag: str | None = None
    value: float | None = None
    neighbors: dict[str, Any] | None = None

    @property
    def decision(self) -> str | None:
        """The class that is decided for, or the number; None if the model leaves the row without a prediction."""
        if self.value is not None:
            return f"{self.value:.6g}"
        return None if self.sides.winner < 0 else self.classes[self.sides.winner]

    @property
    def against(self) -> str | None:
        """The class that it is set against; None if there is none."""
        return None if self.sides.against < 0 else self.classes[self.sides.against]

    def to_dict(self, most_bytes: int | None = None) -> dict[str, Any]:
        """Return plain JSON values; of texts that have more bytes than `most_bytes`, if given, only an excerpt."""
        return {
            "row": self.number or None,
            **({} if self.file is None else {"file": self.file}),
            **({} if self.bag is None else {"bag": self.bag}),
            "target": self.target,
            "decision": self.decision,
            **({} if self.value is None else {"value": self.value}),
            "against": self.against,
            "actual": self.actual,
            "probabilities": dict(zip(self.classes, self.probabilities.tolist(), strict=True)),
            "silent": self.silent,
            "why": self.reason.to_dict(),
            **({} if self.neighbors is None else {"neighbors": self.neighbors}),
            "texts": [_text_dict(one, most_bytes) for one in self.texts],
            "notes": list(self.notes),
        }


def _text_dict(text: MarkedText, most_bytes: int | None) -> dict[str, Any]:
    pieces, left_out = text.excerpt(len(text.raw) if most_bytes is None else most_bytes)
    entries = {"column": text.column, "pieces": [list(piece) for piece in pieces]}
    return {**entries, "bytes_left_out": left_out} if left_out else entries


def explain_rows(
    model: Any, data: Any, rows: Iterable[int] | None = None, against: str | None = None
) -> list[Decision]:
    """Return why a model decides as it does on some rows of data, all by default; rows are positions from 0.

    `model` may be a fitted learner; `data` a table, a frame, or a list of texts for a model of one text column.
    """
    model = getattr(model, "model_", model)
    check_explains(model, against)
    table = to_model_table(model, data)
    chosen = np.arange(table.n_rows) if rows is None else positions(rows, table.n_rows)
    return explain_class_rows(model, table.take(chosen), (chosen + 1).tolist(), against)


def explain_class_rows(
    model: ClassModel | NumberModel, table: Table, numbers: Sequence[int], against: str | None = None
) -> list[Decision]:
    """Return the decisions on all rows of a table, which have these numbers."""
    if not table.n_rows:
        return []
    aligned = align(table, model.schema).table
    if isinstance(model, NumberModel):
        return _explain_number_rows(model, table, aligned, numbers)
    scored = model.score_rows(aligned)
    codes = model.decide_rows(aligned, scored.distribution)
    other = -1 if against is None else model.classes.index(against)
    target = model.schema.target_column.name
    decisions = []
    for place, number in enumerate(numbers):
        row = aligned.slice(place, place + 1)
        shares = scored.distribution[place]
        sides = ComparedClasses(int(codes[place]), _against(shares, int(codes[place]), other))
        silent = bool(scored.is_unknown[place]) if scored.is_unknown is not None else False
        reason = model.reason(row, sides)
        notes = _notes(model, row, shares, sides, reason, silent, against)
        actual = label_of(table.slice(place, place + 1), target)
        every = _complete_texts(model, row, reason.texts)
        decisions.append(
            Decision(
                *(number, target, model.classes, shares, sides, actual, reason, every, silent, tuple(notes)),
                neighbors=model.neighbor_rows(row),
            )
        )
    return decisions


def _explain_number_rows(model: NumberModel, table: Table, aligned: Table, numbers: Sequence[int]) -> list[Decision]:
    """Return the reasons for a model's numeric predictions."""
    target = model.schema.target_column.name
    decisions = []
    for place, (number, value) in enumerate(zip(numbers, model.values(aligned).tolist(), strict=True)):
        row = aligned.slice(place, place + 1)
        reason = model.reason(row, NUMBER)
        actual = label_of(table.slice(place, place + 1), target)
        every, notes = _complete_texts(model, row, reason.texts), tuple(model.row_notes(row))
        decisions.append(
            Decision(
                *(number, target, (), np.zeros(0), ComparedClasses(-1, -1), actual, reason, every, False, notes),
                value=value,
                neighbors=model.neighbor_rows(row),
            )
        )
    return decisions


def check_explains(model: Any, against: str | None) -> None:
    """Raise an error unless a model predicts numbers, or classes of which this is one."""
    if not isinstance(model, Model):
        raise UsageError(f"a {type(model).__name__} is neither a model nor a fitted learner")
    if isinstance(model, NumberModel) and against is not None:
        raise UsageError(f"the model predicts numbers: there is no class {against!r} to compare with")
    if isinstance(model, NumberModel):
        return
    if not isinstance(model, ClassModel):
        raise UsageError(f"a model of kind {model.kind!r} predicts neither a class nor a number to explain")
    if against is not None and against not in model.classes:
        raise UsageError(f"there is no class {against!r} to compare with; {nearest(against, model.classes, 'classes')}")


def to_model_table(model: ClassModel | NumberModel, data: Any) -> Table:
    """Return data as a table; texts become the column that the model reads, and its other columns are missing."""
    if isinstance(data, str | bytes):
        raise DataError("give a list of texts, or a table; `hedgerow.read` reads one from a file")
    reads = any(model.schema.columns[position].kind is Kind.TEXT for position in model.schema.predictors)
    texts = None if isinstance(data, Table) else parse_texts(data, expected=reads)
    return table_from(data) if texts is None else text_rows(model, texts)


def text_rows(model: ClassModel | NumberModel, texts: Text) -> Table:
    """Return a table of texts for a model: its text column holds them, all its other columns are missing."""
    schema, used = model.schema, model.columns_used()
    names = [column.name for column in schema.columns if column.kind is Kind.TEXT and column.name != schema.target]
    read = [name for name in names if used is None or name in used] or names
    if not read:
        raise UsageError("the model does not use texts; give it a table with its columns")
    if len(read) > 1:
        raise UsageError(f"the model uses several text columns ({', '.join(read)}); give it a table with these columns")
    columns, data = [], []
    for column in schema.columns:
        columns.append(column)
        data.append(texts if column.name == read[0] else _missing(column, len(texts)))
    return Table(Schema(tuple(columns), schema.target), tuple(data), len(texts))


def positions(rows: Iterable[int], n_rows: int) -> Any:
    """Return positions of rows as an array; one that is not there raises."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise UsageError(f"rows={rows!r} is not allowed: give a list of positions, counted from 0")
    chosen = []
    for row in rows:
        if not isinstance(row, int | np.integer) or isinstance(row, bool):
            raise UsageError(f"{row!r} is not a position of a row: give whole numbers of at least 0")
        if not 0 <= row < n_rows:
            raise UsageError(f"there is no row at position {row}; the data have {n_rows:,} rows, counted from 0")
        chosen.append(int(row))
    return np.array(chosen, dtype=np.int64)


def _missing(column: Column, n_rows: int) -> Any:
    if column.kind is Kind.NUMERIC:
        return np.full(n_rows, np.nan)
    if column.kind is Kind.NOMINAL:
        return np.full(n_rows, -1, dtype=np.int32)
    if column.kind is Kind.TEXT:
        return Text.of([None] * n_rows)
    raise UsageError(f"the model needs the {column.kind} {column.name!r}; give it a table")


def _against(shares: Numbers, decided: int, wanted: int) -> int:
    """Return the class to compare with: the given one or, if that is the prediction itself, the second best."""
    if wanted >= 0 and wanted != decided:
        return wanted
    others = [code for code in range(len(shares)) if code != decided]
    return max(others, key=lambda code: (shares[code], -code), default=-1) if decided >= 0 else -1


def _notes(
    model: ClassModel,
    row: Table,
    shares: Numbers,
    sides: ComparedClasses,
    reason: Reason,
    silent: bool,
    text: str | None,
) -> list[str]:
    notes = []
    if silent:
        notes.append(_unknown_row_note(model, row))
    if sides.winner >= 0 and text == model.classes[sides.winner] and sides.against >= 0:
        notes.append(f"{text} is the predicted class itself, so it is compared with the second best class")
    if sides.against < 0 <= sides.winner:
        notes.append("the model knows only one class")
    if sides.winner >= 0 and shares[sides.winner] < shares.max() * (1 - 1e-9):
        best = model.classes[int(shares.argmax())]
        decided = model.classes[sides.winner]
        overruling = model.overruling if model.decides_by is None else model.decides_by.overruling
        notes.append(OVERRULED.format(best=best, overruling=overruling, decided=decided))
    if isinstance(reason, SumReason) and np.isinf(reason.adds).any() and sides.against >= 0:
        notes.append(IMPOSSIBLE.format(against=model.classes[sides.against]))
    return notes + model.row_notes(row)


def _unknown_row_note(model: ClassModel, row: Table) -> str:
    """Return the note on a row without known values."""
    used = model.columns_used() or [one.name for one in model.schema.columns if one.name != model.schema.target]
    texts = [name for name in used if model.schema[name].kind is Kind.TEXT]
    missing = all(text_of(row, name) is None for name in texts)
    return unknown_row_note({model.schema[name].kind for name in used}, missing, model.decider)


def _complete_texts(model: ClassModel | NumberModel, row: Table, texts: Sequence[MarkedText]) -> tuple[MarkedText, ...]:
    """Return the row's texts in the order of its columns, those too of which nothing is marked."""
    known = {text.column: text for text in texts}
    used, marked_texts = model.columns_used(), []
    for column in model.schema.columns:
        if column.kind is not Kind.TEXT or column.name == model.schema.target:
            continue
        if used is not None and column.name not in used:
            continue
        raw = text_of(row, column.name)
        if raw is not None:
            marked_texts.append(known.get(column.name, unmarked_text(column.name, raw)))
    return tuple(marked_texts)
