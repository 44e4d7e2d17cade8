"""Schema: the names, kinds and levels of a table's columns, and which of them is the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from typing import Any

from hedgerow.data.table.number_forms import NumberForm
from hedgerow.errors import DataError

MAIL_PARTS = ("headers", "signatures", "quotes")  # of texts, in the order in which they are removed
IDENTIFIER = "identifier"
NAMES = "names of files"  # why a column is ignored that tells which file each document is


class Kind(StrEnum):
    """The kind of a column."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    TEXT = "text"
    BAG = "bag"


_KINDS = frozenset(Kind)  # made once: a model file may have hundreds of thousands of columns


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its kind, and the details of that kind.

    Parameters
    ----------
    levels
        The values of a nominal column in code order; some may not occur in the data.
    ordered
        Whether the order of the levels is meaningful.
    date
        For a numeric column read from dates: the format it was written in (Java's letters, as in ARFF).
        The numbers are seconds since 1970-01-01 in UTC.
    inner
        The schema of the rows inside a bag.
    by
        For a bag made of single rows: the column that identifies the rows of a bag. New rows are grouped in the same
        way before prediction.
    ignored
        Why learners do not use this column; empty if they use it.
    stripped
        For a text column: the parts of mails that are removed from its texts, in the order of removal. New rows
        are stripped in the same way before prediction.
    features
        For a text column: whether its texts are features separated by spaces, as in VW: `red` has the value 1,
        `price:0.23` the value 0.23.
    form
        For a numeric column: how its numbers are written, if not plainly, as 1.234,56 € is. New rows are read in the
        same way before prediction.
    missing
        Words and numbers that stand for a missing value in this column, besides the usual words.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    ordered: bool = False
    date: str | None = None
    inner: Schema | None = None
    ignored: str = ""
    stripped: tuple[str, ...] = ()
    features: bool = False
    by: str = ""
    form: NumberForm | None = field(default=None, compare=False)
    missing: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        levels = f", {len(self.levels)} levels" if self.kind is Kind.NOMINAL else ""
        return f"<Column: {self.name!r}, {self.kind}{levels}>"

    @property
    def is_identifier(self) -> bool:
        """Whether learners do not use the column because it looks like an identifier."""
        return self.ignored.startswith(IDENTIFIER)

    @property
    def exclusion_note(self) -> str:
        """The note that learners do not use the column, with the reason."""
        return f"column {self.name!r} is not used in training ({self.ignored})"

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain JSON values, defaults left out."""
        out: dict[str, Any] = {"name": self.name, "kind": str(self.kind)}
        if self.kind is Kind.NOMINAL:
            out["levels"] = list(self.levels)
        if self.ordered:
            out["ordered"] = True
        if self.date is not None:
            out["date"] = self.date
        if self.inner is not None:
            out["inner"] = self.inner.to_dict()
        if self.ignored:
            out["ignored"] = self.ignored
        if self.stripped:
            out["stripped"] = list(self.stripped)
        if self.features:
            out["features"] = True
        if self.by:
            out["by"] = self.by
        if self.form is not None:
            out["form"] = self.form.to_dict()
        if self.missing:
            out["missing"] = list(self.missing)
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Column:
        """Build a column from `to_dict`'s values; a value of the wrong type raises an error."""
        _expect(data, "a column", name=str, kind=str)
        if data["kind"] not in _KINDS:
            raise DataError(f"column {data['name']!r} has the unknown kind {data['kind']!r}")
        if len(data) == 2 and data["kind"] != Kind.BAG:  # a plain column: there may be hundreds of thousands
            return cls(data["name"], Kind(data["kind"]))
        levels = data.get("levels", [])
        if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
            raise DataError(f"the levels of column {data['name']!r} must be a list of words")
        if len(set(levels)) != len(levels):
            raise DataError(f"column {data['name']!r} lists a level twice")
        inner, date = data.get("inner"), data.get("date")
        if date is not None and not isinstance(date, str):
            raise DataError(f"the date format of column {data['name']!r} must be a word")
        kind = Kind(data["kind"])
        if (inner is not None) != (kind is Kind.BAG):
            raise DataError(f"column {data['name']!r}: bags have inner columns, and no other kind has")
        stripped = data.get("stripped", [])
        if not isinstance(stripped, list) or (
            stripped and stripped != [part for part in MAIL_PARTS if part in stripped]
        ):
            parts = f"the parts are {listing(MAIL_PARTS)}, in this order"
            raise DataError(f"column {data['name']!r} has {stripped!r} stripped; {parts}")
        if stripped and kind is not Kind.TEXT:
            raise DataError(f"column {data['name']!r} is {kind}, and only texts can be stripped")
        if data.get("features", False) not in ((True, False) if kind is Kind.TEXT else (False,)):
            raise DataError(f"column {data['name']!r} is {kind}, and only texts can be features")
        by = data.get("by", "")
        if not isinstance(by, str) or (by and kind is not Kind.BAG):
            raise DataError(f"column {data['name']!r} is {kind}; only bags are made of rows, by a named column")
        form, missing = data.get("form"), data.get("missing", [])
        if form is not None and kind is not Kind.NUMERIC:
            raise DataError(f"column {data['name']!r} is {kind}, and only numbers have a form")
        if not isinstance(missing, list) or not all(isinstance(word, str) for word in missing):
            raise DataError(f"the words for a missing value of column {data['name']!r} must be a list of words")
        return cls(
            name=data["name"],
            kind=kind,
            levels=tuple(levels),
            ordered=bool(data.get("ordered", False)),
            date=date,
            inner=None if inner is None else Schema.from_dict(inner),
            ignored=str(data.get("ignored", "")),
            stripped=tuple(stripped),
            features=bool(data.get("features", False)),
            by=by,
            form=None if form is None else NumberForm.from_dict(form),
            missing=tuple(missing),
        )


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order, and the name of the target (the class or value to predict)."""

    columns: tuple[Column, ...]
    target: str | None = None
    _index: dict[str, int] = field(init=False, repr=False, compare=False)
    _level_codes: dict[str, dict[str, int]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        index = {column.name: position for position, column in enumerate(self.columns)}
        if len(index) != len(self.columns):
            twice = first_repeated(column.name for column in self.columns)
            raise DataError(f"the column name {twice!r} occurs twice; give every column its own name")
        object.__setattr__(self, "_index", index)
        if self.target is not None:
            self.index(self.target)

    def __repr__(self) -> str:
        target = "" if self.target is None else f", target {self.target!r}"
        return f"<Schema: {len(self)} columns{target}>"

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.index(name)]

    def level_codes(self, name: str) -> dict[str, int]:
        """Return the code of every level of a column, cached."""
        if name not in self._level_codes:
            self._level_codes[name] = {level: code for code, level in enumerate(self[name].levels)}
        return self._level_codes[name]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """Return the position of the column called `name`; an error for an unknown name suggests one."""
        try:
            return self._index[name]
        except KeyError:
            near = get_close_matches(name, self._index, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the columns are {listing(self._index)}"
            raise DataError(f"there is no column {name!r}; {hint}") from None

    @property
    def target_column(self) -> Column:
        """The target's column."""
        if self.target is None:
            raise DataError("the table has no target column; name one with target=")
        return self[self.target]

    @cached_property
    def predictors(self) -> tuple[int, ...]:
        """Positions of the columns that learners use: neither the target nor ignored."""
        return tuple(
            position
            for position, column in enumerate(self.columns)
            if column.name != self.target and not column.ignored
        )

    def with_target(self, target: str | None) -> Schema:
        """Return the same columns with another target."""
        return Schema(self.columns, target)

    def with_columns(self, changed: Mapping[str, Column]) -> Schema:
        """Return the schema with the named columns replaced."""
        target = self.target
        if target is not None and target in changed:
            target = changed[target].name
        return Schema(tuple(changed.get(column.name, column) for column in self.columns), target)

    def select(self, positions: Iterable[int]) -> Schema:
        """Return the schema of some columns; the target stays the target if it is among them."""
        columns = tuple(self.columns[position] for position in positions)
        kept = self.target if any(column.name == self.target for column in columns) else None
        return Schema(columns, kept)

    def ignoring(self, reasons: Mapping[str, str]) -> Schema:
        """Return the schema with the named columns marked as not used in training, each with its reason."""
        changed = {name: replace(self[name], ignored=reason) for name, reason in reasons.items()}
        return self.with_columns(changed)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as plain JSON values."""
        out: dict[str, Any] = {"columns": [column.to_dict() for column in self.columns]}
        if self.target is not None:
            out["target"] = self.target
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Build a schema from `to_dict`'s values; a value of the wrong type raises an error."""
        _expect(data, "a schema", columns=list)
        target = data.get("target")
        if target is not None and not isinstance(target, str):
            raise DataError("the target of a schema must be a column name")
        return cls(tuple(Column.from_dict(column) for column in data["columns"]), target)


def listing(names: Iterable[str], most: int = 8) -> str:
    """Return names for an error message, the first few of them."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def missing_target_notes(name: str | None, missing: int, rows: int) -> list[str]:
    """Return the note on rows without a value of the target, worded the same everywhere."""
    if not missing:
        return []
    are = "is left out, for its" if missing == 1 else "are left out, for their"
    return [f"{missing} of {rows} rows {are} {name!r} is missing"]


def first_repeated(words: Iterable[str]) -> str | None:
    """Return the first word that occurs more than once; None if all are different.

    >>> first_repeated(["a", "b", "c", "b"])
    'b'
    """
    return next((word for word, n in Counter(words).items() if n > 1), None)


def _expect(data: Any, what: str, **types: type) -> None:
    if not isinstance(data, Mapping):
        raise DataError(f"{what} must be an object with named values, not {type(data).__name__}")
    for key, wanted in types.items():
        if not isinstance(data.get(key), wanted):
            raise DataError(f"{what} needs {key!r} of type {wanted.__name__}")
