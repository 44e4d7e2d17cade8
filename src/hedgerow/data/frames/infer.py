"""Inference of the kinds of columns of delimited text from their values, and of columns that are identifiers.

The rules look at the whole of the data, so the answer does not depend on a sample or on block sizes:

* all present values are numbers, or none is present: numeric. The numbers may be written with decimal commas, thousands
  separators, one unit or currency sign; words such as `unknown` beside them are missing values;
* digits with leading zeros are words, and eight digits that are all dates are dates;
* at most a tenth are words: an error that lists the first three, since most likely they are slips;
* otherwise words. They are text if most differ and they average four words or more; else nominal, with the
  levels in the order of their first appearance;
* a nominal column whose values all differ, and whole numbers that all differ and are consecutive or are
  called something like "id", identify rows: learners leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from hedgerow import _kernels
from hedgerow.data.frames.number_columns import (
    COMPACT,
    NumberShape,
    arrow_words,
    code_notes,
    conversion_notes,
    drop_codes,
    read_numbers,
    seconds_of_digits,
)
from hedgerow.data.table.date_forms import DateTally, detect_pattern
from hedgerow.data.table.dates import fit_dates, parser
from hedgerow.data.table.delimited import (
    InvalidNumbers,
    LevelColumn,
    Mode,
    ParsedColumns,
    decode_levels,
    encode_text,
    parse_numbers,
)
from hedgerow.data.table.delimited_errors import FEW, FileSection, word_in_numbers_error
from hedgerow.data.table.level_codes import date_numbers, number_levels
from hedgerow.data.table.number_forms import (
    FIRST,
    Counts,
    Locate,
    NumberForm,
    NumberTally,
    NumberVerdict,
    prevailing_decimal,
)
from hedgerow.data.table.schema import IDENTIFIER, Column, Kind, Schema, listing
from hedgerow.data.table.schema_notes import BY_REQUEST, PROSE
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Numbers, Table, Text, Values
from hedgerow.errors import DataError, UsageError
from hedgerow.layout.quotes import quote_for_shell

MOST_LEVELS = 100_000  # a column of more different words is text, and of no use unless it is prose
MOST_LETTERS = 1 << 24  # of all levels together; a column of more is text likewise
LEAST_ROWS = 10  # fewer rows may differ by chance
IDS = 1_000_000  # how many whole numbers are compared before they count as all different
FEW_LEVELS = 1_000  # number of levels that are passed to the parser in advance

_CODE_NAME = re.compile(r"(?i)(.*[\W_])?(zip|plz|postal|post|phone|tel|telephone|mobile|fax|ean|isbn|iban|sku|fips|cap)"
                        r"([\W_]?(code|no|nr|number))?")  # fmt: skip
_ID = re.compile(r".*[a-z0-9](?:ID|Id)|(?i:(?:.*[_\s.-])?(?:id|nr|no|key|index))")

KindResult = Numbers | LevelColumn | Text


@dataclass
class IdentifierTracker:
    """Whole numbers that have all been different so far; `alive` until shown otherwise."""

    parts: list[Numbers] = field(default_factory=list)
    count: int = 0
    alive: bool = True

    def add(self, values: Numbers) -> None:
        """Take in more values."""
        for part in (values[:1000], values):  # a few values are enough to rule most columns out
            if not self.alive or self.count >= IDS:
                return
            present = part[~np.isnan(part)][: IDS - self.count]
            self.alive = bool((present == np.floor(present)).all()) and _all_differ(present)
        self.parts = [*self.parts, present] if self.alive else []
        self.count += len(present)

    def identify(self, name: str) -> bool:
        """Whether the values, of a column called `name`, are those of an identifier."""
        if not self.alive or self.count < LEAST_ROWS:
            return False
        values = np.concatenate(self.parts)
        consecutive = values.max() - values.min() + 1 == len(values)
        return bool(consecutive or _ID.fullmatch(name)) and _all_differ(values)


def _all_differ(values: Numbers) -> bool:
    return len(np.unique(values)) == len(values)


@dataclass
class ColumnTally:
    """The statistics of one column, collected block by block."""

    name: str
    mode: Mode
    requested_kind: Kind | None = None
    present: int = 0
    n_words: int = 0
    infinite: int = 0
    first: tuple[tuple[int, str], ...] = ()  # line and word of the first three strays of a numeric column
    levels: dict[str, None] = field(default_factory=dict)
    letters: int = 0  # of the levels
    ids: IdentifierTracker = field(default_factory=IdentifierTracker)
    shape: NumberShape = field(default_factory=NumberShape)
    numbers: NumberTally | None = None  # how numbers are written among the words
    dates: DateTally | None = None
    verdict: NumberVerdict | None = None
    pattern: str | None = None  # of the dates, once it is decided
    doubt: str = ""  # a sentence if it is not
    decimal: str | None = None  # the decimal point by request
    may_be_codes: bool = False  # the digits may have leading zeros, so they must be seen as words
    is_final: bool = False  # plain numbers, too, are kept as words

    def add(self, values: KindResult, strays: InvalidNumbers, place: FileSection) -> None:
        """Take in the values of a block."""
        if isinstance(values, Text):
            self._add_text(values, place.dialect.decimal)
            if self.is_open:
                head = [values[row] for row in range(min(FIRST, len(values)))]
                self._add_words(head, (~values.missing).astype(np.int64), place.line_of, values)
        elif isinstance(values, LevelColumn):
            self._add_levels(values, place.dialect.decimal)
            if self.is_open:
                codes = values.codes
                counts = np.bincount(codes[codes >= 0], minlength=len(values.levels))

                def line(code: int) -> int:
                    return place.line_of(int(np.argmax(codes == code)))

                self._add_words(values.levels[:FIRST], counts, line, values.levels)
        else:
            self.present += int(np.count_nonzero(~np.isnan(values))) + strays.n_words + strays.infinite
            self.n_words += strays.n_words
            self.infinite += strays.infinite
            told = strays.first[: 3 - len(self.first)]
            self.first += tuple((place.line_of(row), word) for row, word in told)
            self.ids.add(values)
            self.shape.add(values)

    @property
    def is_open(self) -> bool:
        """Whether the words may be numbers or dates."""
        return (self.numbers is not None and self.numbers.alive) or (self.dates is not None and self.dates.alive)

    def _add_words(self, head: Sequence[str | None], counts: Counts, line: Locate, words: Sequence[str] | Text) -> None:
        if self.numbers is not None and self.numbers.alive:
            self.numbers.add(head, counts, line, lambda: arrow_words(words))
        if self.dates is not None and self.dates.alive:
            self.dates.add(head, counts, lambda: arrow_words(words))

    def _add_text(self, text: Text, decimal: str) -> None:
        if self.requested_kind is Kind.TEXT:
            return
        numbers = _kernels.read_numbers(text.data, text.offsets, ord(decimal))
        present = int(np.count_nonzero(~text.missing))
        self.present += present
        self.n_words += present - int(np.count_nonzero(~np.isnan(numbers)))
        self.infinite += int(np.count_nonzero(np.isinf(numbers)))
        if self.requested_kind is Kind.NOMINAL or not self.is_full:
            self.keep(encode_text(text, None if self.requested_kind is Kind.NOMINAL else MOST_LEVELS + 1).levels)

    def _add_levels(self, column: LevelColumn, decimal: str) -> None:
        numbers = parse_numbers(column.levels, decimal)
        present = int(np.count_nonzero(column.codes >= 0))
        self.present += present
        if np.isnan(numbers).all():
            self.n_words += present
        else:
            counts = np.bincount(column.codes[column.codes >= 0], minlength=len(numbers))
            self.n_words += int(counts[np.isnan(numbers)].sum())
            self.infinite += int(counts[np.isinf(numbers)].sum())
        self.keep(column.levels)

    def keep(self, levels: Iterable[str]) -> None:
        """Record levels, as long as they are not too many; the result does not depend on blocks."""
        if self.requested_kind is Kind.NOMINAL:
            self.levels.update(dict.fromkeys(levels))
            return
        for level in levels:
            if self.is_full:
                return
            if level not in self.levels:
                self.levels[level] = None
                self.letters += len(level)

    @property
    def is_full(self) -> bool:
        """Whether there are too many levels for a nominal column."""
        return len(self.levels) > MOST_LEVELS or self.letters > MOST_LETTERS

    @property
    def next_mode(self) -> Mode | None:
        """The mode in which the column must be parsed once more; None if it is determined."""
        if self.requested_kind in (Kind.NOMINAL, Kind.TEXT) or self.is_final:
            return None
        if self.mode is Mode.NUMERIC:
            return Mode.NOMINAL if self.n_words or (self.may_be_codes and not self.requested_kind) else None
        is_plain = not self.n_words and not (self._are_codes and self.requested_kind is None)
        return Mode.NUMERIC if is_plain else None

    @property
    def _are_codes(self) -> bool:
        return self.numbers is not None and self.numbers.are_codes

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, perhaps with a few others, which are an error."""
        if self.mode is Mode.NUMERIC:
            return True
        if self.verdict is None or self.requested_kind in (Kind.NOMINAL, Kind.TEXT):
            return False
        if self.requested_kind is Kind.NUMERIC:
            return True
        if self._are_codes:
            return False
        has_unit = bool(self.verdict.form.before or self.verdict.form.after)
        return self.verdict.bad <= (0 if has_unit else FEW * self.present)

    def check(self, file: str) -> None:
        """Raise an error if a numeric column contains words or infinite values."""
        if self.mode is Mode.NUMERIC:
            bad, first = self.n_words, self.first
        elif self.is_numeric and self.verdict is not None:
            bad, first = self.verdict.bad, self.verdict.first
        else:
            bad, first = 0, ()
            if self.requested_kind is Kind.NUMERIC and self.present:
                bad, first = self.n_words, tuple((line, w) for w, (_, line) in self._words()[:3])
        if bad or (self.infinite and self.mode is Mode.NUMERIC):
            strays = InvalidNumbers(bad, self.infinite, first)
            raise word_in_numbers_error(self.name, strays, [line for line, _ in first], file, can_have_header=True)

    def _words(self) -> list[tuple[str, list[int]]]:
        return [] if self.numbers is None else list(self.numbers.words.items())

    @property
    def is_prose(self) -> bool:
        """Whether the values average so many words that they are text."""
        return sum(len(level.split()) for level in self.levels) >= PROSE * len(self.levels)

    @property
    def column(self) -> Column:
        """The column that these values make."""
        if self.mode is Mode.NUMERIC:
            if self.present and self.shape.is_compact and self.requested_kind is None:
                return Column(self.name, Kind.NUMERIC, date=COMPACT)
            form = NumberForm(self.decimal) if self.decimal == "," else None
            reason = identifier_reason(self.present, self.ids.identify(self.name))
            return Column(self.name, Kind.NUMERIC, ignored=reason, form=form)
        if self.is_numeric:
            return self._written_numbers()
        if self.requested_kind is Kind.TEXT:
            return Column(self.name, Kind.TEXT)
        distinct, levels = len(self.levels), tuple(self.levels)
        if self.requested_kind is not Kind.NOMINAL:
            pattern = self.pattern if self.dates is not None or self.is_full else detect_pattern(levels)
            if pattern is not None:
                missing = () if self.dates is None else tuple(self.dates.missing)
                return Column(self.name, Kind.NUMERIC, date=pattern, missing=missing)
            if self.is_full:
                many = f"more than {MOST_LEVELS:,}" if distinct > MOST_LEVELS else f"at least {distinct:,}"
                reason = "" if self.is_prose else f"{many} different values"
                return Column(self.name, Kind.TEXT, ignored=reason)
            if self.present >= LEAST_ROWS and 2 * distinct > self.present and self.is_prose:
                return Column(self.name, Kind.TEXT)
        same = LEAST_ROWS <= distinct == self.present
        return Column(self.name, Kind.NOMINAL, levels, ignored=identifier_reason(distinct, same))

    def _written_numbers(self) -> Column:
        """Return the column of numbers that were read as words; it has a form if they are not plain."""
        assert self.verdict is not None
        missing = sum(count for word, count in self.numbers.missing.items()) if self.numbers is not None else 0
        is_plain = self.verdict.form == NumberForm() and self.n_words <= missing
        form = None if is_plain else self.verdict.form
        return Column(self.name, Kind.NUMERIC, form=form, missing=self.verdict.missing)


def identifier_reason(count: int, is_identifier: bool) -> str:
    """Return why learners leave a column out: all its values differ. Empty if it is no identifier."""
    return f"{IDENTIFIER}: all {count:,} values differ" if is_identifier else ""


class KindSurvey:
    """The kinds of all columns, found in passes over the data: modes for a pass, then what it showed."""

    def __init__(
        self,
        file: str,
        names: Sequence[str],
        options: ReadOptions,
        delimiter: str | None = ",",
        *,
        codes: Iterable[str] = (),
        unnamed: Iterable[str] = (),
    ) -> None:
        self.file = file
        self.options = options
        self.delimiter = delimiter
        self.unnamed = frozenset(unnamed)  # columns that are left out if they are empty
        unknown = Schema(tuple(Column(name, Kind.NUMERIC) for name in names))
        for name in (*options.kinds, *options.ignore, *options.keep, *filter(None, [options.target])):
            unknown.index(name)
        bags = [name for name, kind in options.kinds.items() if kind is Kind.BAG]
        if bags:
            raise DataError(f"{file}: column {bags[0]!r} cannot be a bag; only ARFF files hold bags")
        self.tallies = [self._tally(name, Mode.NUMERIC) for name in names]
        for tally in self.tallies:
            tally.may_be_codes = tally.name in codes or bool(_CODE_NAME.fullmatch(tally.name))
        self.pending = set(range(len(names)))
        self.known: dict[int, list[str]] = {}
        self.notes: list[str] = []
        self._compared = options.decimal is not None  # whether columns have been compared on how they write numbers

    def _tally(self, name: str, mode: Mode) -> ColumnTally:
        wanted = self.options.kinds.get(name)
        if wanted in (Kind.NOMINAL, Kind.TEXT):
            return ColumnTally(name, Mode[wanted.name], wanted)
        if mode is Mode.NUMERIC:
            return ColumnTally(name, mode, wanted, decimal=self.options.decimal)
        return ColumnTally(name, mode, wanted, numbers=NumberTally(), dates=None if wanted else DateTally())

    @property
    def modes(self) -> list[Mode]:
        """The modes of the next pass; columns that are determined are skipped."""
        return [t.mode if i in self.pending else Mode.SKIP for i, t in enumerate(self.tallies)]

    def guess_numbers(self, sample: ParsedColumns) -> list[Mode]:
        """Tell words from numbers by a sample parsed as numbers; return modes to look at the words with.

        A good guess saves a pass over the data, a bad one changes nothing else.
        """
        for tally, values, strays in zip(self.tallies, sample.columns, sample.strays, strict=True):
            assert isinstance(values, np.ndarray)
            present = np.count_nonzero(~np.isnan(values)) + strays.n_words + strays.infinite
            if tally.requested_kind is None and strays.n_words > FEW * present:
                tally.mode, tally.numbers, tally.dates = Mode.NOMINAL, NumberTally(), DateTally()
        return [Mode.NOMINAL if t.mode is Mode.NOMINAL else Mode.SKIP for t in self.tallies]

    def guess_words(self, sample: ParsedColumns) -> None:
        """Tell words that repeat from texts that do not."""
        for position, (tally, column) in enumerate(zip(self.tallies, sample.columns, strict=True)):
            if not isinstance(column, LevelColumn):
                continue
            distinct = len(column.levels)
            if distinct <= FEW_LEVELS:
                self.known[position] = column.levels
            if tally.requested_kind is None and distinct > 100 and 2 * distinct > np.count_nonzero(column.codes >= 0):
                tally.mode = Mode.TEXT

    def add(self, parsed: ParsedColumns, place: FileSection) -> None:
        """Take in a block of the pass."""
        for position in self.pending:
            values = parsed.columns[position]
            assert values is not None
            self.tallies[position].add(values, parsed.strays[position], place)

    def end_pass(self) -> None:
        """Settle the columns that were parsed in the right mode; the others need one more pass."""
        for position in sorted(self.pending):
            mode = self.tallies[position].next_mode
            if mode is None:
                self.pending.discard(position)
            else:
                self.tallies[position] = self._tally(self.tallies[position].name, mode)
        if not self.pending and not self._compared:
            self._compared = True
            self._look_for_thousands()

    def _look_for_thousands(self) -> None:
        """Read plain numbers as words if, by the rest of the file, 1.234 might mean 1234."""
        lean = self._lean
        for position, tally in enumerate(self.tallies):
            is_fraction = tally.shape.can_be_thousands and tally.shape.has_fraction
            if tally.mode is Mode.NUMERIC and is_fraction and (lean == "," or self.delimiter != ","):
                new = self._tally(tally.name, Mode.TEXT)
                new.is_final = True
                self.tallies[position] = new
                self.pending.add(position)

    @property
    def _lean(self) -> str | None:
        """The decimal point that most columns prove to have."""
        proven = [tally.numbers.decimals for tally in self.tallies if tally.numbers is not None]
        plain = [t.shape for t in self.tallies if t.mode is Mode.NUMERIC and t.shape.has_fraction]
        return prevailing_decimal([*proven, *({"."} for shape in plain if not shape.can_be_thousands)])

    def schema(self) -> Schema:
        """Return the schema, when all kinds are determined."""
        lean = self._lean
        for tally in self.tallies:
            if tally.numbers is not None:
                tally.verdict = tally.numbers.verdict(self.options.decimal, lean, self.delimiter)
            tally.check(self.file)
        self._decide_dates(lean)
        full = [tally for tally in self.tallies if tally.present or tally.name not in self.unnamed]
        self.tallies = full or self.tallies
        schema = finish_schema(Schema(tuple(tally.column for tally in self.tallies)), self.options)
        self.notes = [*conversion_notes(schema), *self._doubts(schema)]
        return schema

    def _decide_dates(self, decimal: str | None) -> None:
        """Decide how dates are written; columns whose order of day and month is certain decide for the others."""
        tallies = [tally for tally in self.tallies if tally.dates is not None and tally.dates.patterns]
        orders = {tally.dates.order for tally in tallies if tally.dates is not None} & {"dmy", "mdy"}
        lean = next(iter(orders)) if len(orders) == 1 else None
        point = self.options.decimal or decimal or ("," if self.delimiter == ";" else None)
        for tally in tallies:
            assert tally.dates is not None
            tally.pattern, tally.doubt = tally.dates.decide(self.options.dates, lean, point)

    def _doubts(self, schema: Schema) -> list[str]:
        """Return sentences on decisions about numbers that might be wrong."""
        notes = []
        for tally in self.tallies:
            column, name = schema[tally.name], quote_for_shell(tally.name)
            if tally.requested_kind is not None:
                continue
            if tally.doubt:
                notes.append(f"column {tally.name!r}: {tally.doubt}")
            if tally.is_numeric and tally.verdict is not None:
                if tally.verdict.missing:
                    be = "are" if len(tally.verdict.missing) > 1 else "is"
                    notes.append(f"column {tally.name!r}: {listing(tally.verdict.missing)} {be} read as missing")
                if tally.verdict.doubt:
                    notes.append(f"column {tally.name!r}: {tally.verdict.doubt}")
            elif tally.numbers is not None and tally.numbers.are_codes and column.kind is Kind.NOMINAL:
                notes.append(
                    f"column {tally.name!r} has leading zeros, so its values are words; --numeric {name} (in Python, "
                    f"kinds={{{tally.name!r}: 'numeric'}}) reads them as numbers"
                )
        shapes = [tally for tally in self.tallies if tally.mode is Mode.NUMERIC and not schema[tally.name].ignored]
        found = [(t.name, code, t.shape.codes[code]) for t in shapes for code in t.shape.likely_missing]
        return [*notes, *code_notes(found)]


def as_column(values: KindResult, column: Column) -> Values:
    """Return parsed values as the array of a column: words of a date column become seconds, words in a form numbers."""
    if column.date is not None:
        if isinstance(values, np.ndarray):
            return seconds_of_digits(values)
        return _seconds_of_text(values, column) if isinstance(values, Text) else _seconds(values, column)
    if column.kind is Kind.NOMINAL:
        return encode_text(values).codes if isinstance(values, Text) else _codes(values)
    if column.kind is Kind.TEXT and isinstance(values, LevelColumn):
        return decode_levels(values)
    if column.kind is Kind.NUMERIC:
        return drop_codes(values, column) if isinstance(values, np.ndarray) else read_numbers(values, column)[0]
    assert not isinstance(values, LevelColumn)
    return values


def _seconds_of_text(values: Text, column: Column) -> Numbers:
    """Return dates that are mostly different: those of the column's form together, the others one by one."""
    assert column.date is not None
    seconds = fit_dates(arrow_words(values), column.date)
    odd = np.flatnonzero(np.isnan(seconds) & ~values.missing)
    if len(odd):
        seconds[odd] = _seconds(encode_text(values.take(odd)), column)
    return seconds


def _seconds(values: LevelColumn, column: Column) -> Numbers:
    assert column.date is not None
    return np.append(date_numbers(values.levels, column), np.nan)[values.codes]


def known_dates(values: LevelColumn, column: Column) -> Numbers:
    """Return the words of a date column as seconds, those that are no dates as missing values."""
    read = parser(str(column.date))
    seconds = np.full(len(values.levels) + 1, np.nan)
    for position, word in enumerate(values.levels):
        with suppress(ValueError):
            seconds[position] = read(word)
    out: Numbers = seconds[values.codes]
    return out


def _codes(values: KindResult) -> Values:
    assert isinstance(values, LevelColumn)
    return values.codes


def finish_schema(schema: Schema, options: ReadOptions) -> Schema:
    """Return the schema with its target and with the columns that learners shall leave out.

    The target is what the options name, else the schema's own, else the last column.
    """
    for name in (*options.kinds, *options.ignore, *options.keep):
        schema.index(name)
    if not schema.columns:
        raise DataError("there are no columns to learn from; give a table with some")
    target = options.target if options.target is not None else schema.target or schema.columns[-1].name
    if target in options.ignore:
        raise UsageError(
            f"column {target!r} is the target, so it cannot also be excluded from training; name another column to "
            "predict with --target (in Python, target=)"
        )
    both = [name for name in options.ignore if name in options.keep]
    if both:
        raise UsageError(f"column {both[0]!r} cannot be both kept and excluded from training")
    schema = schema.with_target(target or None)
    used = {*options.keep, *filter(None, [target])}
    columns = {name: replace(schema[name], ignored="") for name in used}
    schema = schema.with_columns(columns)
    if options.missing:
        numeric = [column for column in schema.columns if column.kind is Kind.NUMERIC]
        words = {c.name: tuple(dict.fromkeys((*c.missing, *options.missing))) for c in numeric}
        schema = schema.with_columns({name: replace(schema[name], missing=words[name]) for name in words})
    return schema.ignoring(dict.fromkeys(options.ignore, BY_REQUEST))


def settle_table(table: Table, options: ReadOptions) -> Table:
    """Return a whole table, of any format, with its kinds, target and left-out columns as the options ask."""
    for name, kind in options.kinds.items():
        table = _recast(table, table.schema.index(name), kind)
    result = {
        column.name: reason
        for position, column in enumerate(table.schema.columns)
        if not column.ignored and (reason := _identifier(table, position))
    }
    return table.with_schema(finish_schema(table.schema.ignoring(result), options))


def _identifier(table: Table, position: int) -> str:
    column, values = table.schema.columns[position], table.data[position]
    if column.kind is Kind.NUMERIC and isinstance(values, np.ndarray) and column.date is None:
        ids = IdentifierTracker()
        ids.add(table.numbers(position))
        return identifier_reason(int(np.count_nonzero(~np.isnan(values))), ids.identify(column.name))
    if column.kind is Kind.NOMINAL:
        codes = table.codes(position)
        present = int(np.count_nonzero(codes >= 0))
        if present < LEAST_ROWS or len(column.levels) < present:  # some level must occur twice
            return ""
        return identifier_reason(present, len(np.unique(codes[codes >= 0])) == present)
    return ""


def _recast(table: Table, position: int, kind: Kind) -> Table:
    """Return the table with one column turned into another kind."""
    column, values = table.schema.columns[position], table.values(position)
    if column.kind is kind:
        return table
    if column.kind is Kind.NUMERIC:
        codes, names = number_levels(table.numbers(position))
        level_column = LevelColumn(codes, list(names))
    elif isinstance(values, Text):
        level_column = encode_text(values)
    elif column.kind is Kind.NOMINAL:
        level_column = LevelColumn(table.codes(position), list(column.levels))
    else:
        raise DataError(f"column {column.name!r} is {column.kind} and cannot be converted to {kind}")
    if kind is Kind.NUMERIC:
        return table.with_column(Column(column.name, kind), _numbers(column.name, level_column))
    levels = tuple(level_column.levels) if kind is Kind.NOMINAL else ()
    return table.with_column(
        Column(column.name, kind, levels), as_column(level_column, Column(column.name, kind, levels))
    )


def _numbers(name: str, column: LevelColumn) -> Numbers:
    numbers = parse_numbers(column.levels)
    words = [column.levels[position] for position in np.flatnonzero(~np.isfinite(numbers))]
    if words:
        raise DataError(f"column {name!r} cannot be numeric: it holds {words[0]!r}; read it as nominal")
    return np.append(numbers, np.nan)[column.codes]
