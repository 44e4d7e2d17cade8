"""hedgerow online: train row by row on a file or standard input, and predict along the way."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import IO, Any

import click

from hedgerow.cli.options import (
    QUIET_OPTION,
    LearnerCommand,
    _option_value,
    data_options,
    make_learner,
    print_note,
    read_options,
)
from hedgerow.cli.output import print_safely
from hedgerow.cli.pictures import check_folder
from hedgerow.data.table.atomic_write import naming
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError
from hedgerow.models.base.model import Model

CLASSES, NUMBERS = "online_linear", "online_linear_regressor"
FIRST = 1000  # rows of standard input that its schema is found from


class OnlineCommand(LearnerCommand):
    """A command with the options of the online learner: of the regressor if its loss is given."""

    def _learner(self, args: Sequence[str]) -> str:
        text = _option_value(args, "--learner", "-l")
        if text is not None and text.replace("-", "_") not in (CLASSES, NUMBERS):
            raise UsageError(f"{text!r} cannot be trained row by row; use {CLASSES} for classes, {NUMBERS} for numbers")
        return text or (NUMBERS if _option_value(args, "--loss") == "quantile" else CLASSES)


@click.command("online", cls=OnlineCommand)
@click.argument("data", default="-")
@click.option(
    "-l", "--learner", metavar="NAME", help=f"The learner: {CLASSES} or {NUMBERS} (default: depends on the target)."
)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Save the final model here.")
@click.option(
    "--predictions",
    metavar="FILE",
    help='Write predictions for rows without a target here, one line per row ("-": immediately to standard output).',
)
@click.option("--probabilities", is_flag=True, help="Add the probability of every class to each prediction.")
@click.option("--checkpoint", metavar="FILE", help="Save the state of training here, periodically and at the end.")
@click.option(
    "--every", metavar="ROWS", type=click.IntRange(1), default=100_000, help="Interval between checkpoints, in rows."
)
@click.option("--resume", metavar="FILE", help="Resume from a checkpoint, with its columns, classes and settings.")
@click.option("--like", metavar="MODEL", help="Take columns, kinds and classes from a saved model.")
@click.option(
    "--first", metavar="ROWS", type=click.IntRange(1), help="Number of first rows from which the columns are inferred."
)
@click.option("--classes", metavar="NAMES", help="All classes, separated by commas.")
@data_options
@QUIET_OPTION
def command(
    data: str,
    learner: str | None,
    output: str | None,
    predictions: str | None,
    probabilities: bool,
    checkpoint: str | None,
    every: int,
    resume: str | None,
    like: str | None,
    first: int | None,
    classes: str | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
    quiet: bool,
) -> None:
    """Train on the rows of DATA one by one, in constant memory; "-", the default, is standard input.

    Every row is predicted before training on it; the error so far is reported at doubling numbers of rows. Rows without
    a target are predicted immediately and in their order, by the model trained on the rows before them. Ctrl-C, SIGTERM
    or a closed terminal stops training cleanly, with model and checkpoint saved. The columns of standard input (CSV
    with a header, or with --format VW's or svmlight's lines) are inferred from its first 1000 rows, unless --like,
    --resume or --first specify otherwise.

    \b
      hedgerow online clicks.csv -o clicks.hedge
      cat clicks.csv | hedgerow online --target clicked
    """  # noqa: D301
    from hedgerow.models.files.model_file import check_ending

    for path in (output, checkpoint, None if predictions == "-" else predictions):
        check_folder(path)
    check_ending(output)
    if output == "-" or checkpoint == "-":
        raise UsageError("models and checkpoints cannot go to standard output; name a file")
    passes = settings.pop("passes", None)
    if resume is not None and (like is not None or classes is not None or settings):
        text = next(iter(settings), "like" if like is not None else "classes")
        raise UsageError(f"--resume uses the settings of its checkpoint; leave out --{text.replace('_', '-')}")
    if (passes or 1) > 1 and data == "-":
        raise UsageError("standard input can be read only once; leave out --passes, or name a file")
    online_options = OnlineOptions(reading, learner, settings, like, first, classes, quiet)
    with ExitStack() as stack:
        stop = stack.enter_context(_handle_signals())
        answer = stack.enter_context(_answers(predictions)) if predictions else None
        run = OnlineSession(data, online_options, resume, checkpoint, every, passes, answer, probabilities, quiet)
        status = run.go(stop)
        run.end(output)
    sys.exit(status)


class OnlineOptions:
    """The columns, classes and learner that the options specify."""

    def __init__(
        self,
        reading: dict[str, Any],
        learner: str | None,
        settings: dict[str, Any],
        like: str | None,
        first: int | None,
        classes: str | None,
        quiet: bool,
    ) -> None:
        from hedgerow.learn.params import parse_names

        self.reading, self.learner, self.settings, self.first = reading, learner, settings, first
        self.quiet = quiet
        self.classes = tuple(parse_names(classes)) if classes is not None else None
        self.like = None if like is None else _read_schema(like)

    def options(self, schema: Schema | None) -> ReadOptions:
        """Return the options for reading."""
        return read_options(self.reading, schema=schema or self.like)

    def set_target_kind(self, schema: Schema, few: Callable[[str], tuple[str, ...]]) -> Schema:
        """Return the schema with a target of the right kind; `few` finds numbers that may be classes."""
        target = schema.target_column
        if self.classes is not None:
            if target.kind is Kind.NOMINAL and (
                strange := [level for level in target.levels if level not in self.classes]
            ):
                raise UsageError(f"--classes lacks {strange[0]!r}, which occurs in the first rows")
            return schema.with_columns({target.name: replace(target, kind=Kind.NOMINAL, levels=self.classes)})
        wants_numbers = self.learner is not None and self.learner.replace("-", "_") == NUMBERS
        if wants_numbers or self.settings.get("loss") == "quantile":
            if target.kind is not Kind.NUMERIC:
                raise DataError(f"the target {target.name!r} is {target.kind}, but {NUMBERS} predicts numbers")
            return schema
        if target.kind is Kind.NUMERIC and target.name not in self.reading["numeric"]:
            levels = few(target.name)
            if levels:
                return schema.with_columns({target.name: replace(target, kind=Kind.NOMINAL, levels=levels)})
        if target.kind is Kind.NUMERIC and self.learner is not None:
            raise DataError(f"the target {target.name!r} is numeric; use --learner {NUMBERS}, or name --classes")
        return schema

    def state(self, schema: Schema) -> tuple[Any, str]:
        """Return an untrained state, and the name of its learner."""
        from hedgerow.data.formats.vw import TAGS
        from hedgerow.learn.prepare import usable_schema
        from hedgerow.learn.registry import find_learner

        is_classes = schema.target_column.kind is Kind.NOMINAL
        name = CLASSES if is_classes else NUMBERS
        result: Any = make_learner(find_learner(name), self.settings)
        tags = [column.exclusion_note for column in schema.columns if column.ignored == TAGS]
        for note in usable_schema(schema, result.accepted_kinds())[1]:
            print_note(note, self.quiet or note in tags)
        return result.initial_state(schema), name


class OnlineSession:
    """Learning from a file or standard input, from its beginning or from a checkpoint."""

    def __init__(
        self,
        data: str,
        online_options: OnlineOptions,
        resume: str | None,
        checkpoint: str | None,
        every: int,
        passes: int | None,
        answer: Callable[[list[str]], None] | None,
        shares: bool,
        quiet: bool,
    ) -> None:
        from hedgerow.learn.linear.online.checkpoint import Checkpoint

        self.data, self.asked, self.quiet = data, online_options, quiet
        self.grows = not (
            online_options.first is None and online_options.like is None and resume is None
        )  # not all levels are known
        self.checkpoint, self.every, self.answer, self.shares = checkpoint, every, answer, shares
        self.kept = None if resume is None else Checkpoint.load(resume)
        self.passes = passes or (1 if self.kept is None else self.kept.of)
        self.run: Any = None
        self.notes: dict[str, None] = {}
        self.saved = 0
        self.done = False

    def go(self, stop: StopSignal) -> int:
        """Train until there are no more rows; return the exit status, which shows whether a signal ended it."""
        if self.kept is not None:
            self._start(self.kept.state, self.kept)
        begun = min(self.kept.passes, self.passes - 1) if self.kept is not None else 0
        skip = self.kept.rows if self.kept is not None and self.data != "-" else 0
        for number in range(begun, self.passes):
            for table, ready in stop.stop_on_signal(self._tables()):
                if skip >= table.n_rows:
                    skip -= table.n_rows
                    continue
                if skip:
                    if ready is not None:
                        self.run.state.add_spellings(ready)
                    table, ready, skip = table.slice(skip, table.n_rows), None, 0
                self._learn_table(table, ready, number)
                if stop.status:
                    return stop.status
            if stop.status:
                return stop.status
            if self.kept is not None and number + 1 < self.passes:
                self.kept.passes, self.kept.rows = number + 1, 0
        self.done = True
        return 0

    def end(self, output: str | None) -> None:
        """Save the requested files and report the progress."""
        if self.run is None:
            if self.done:
                raise DataError("there were no rows to learn from")
            print_safely("stopped before any row was processed; nothing is saved")
            return
        if self.checkpoint is not None:
            self._save()
        if output is not None:
            self._model().save(output)
        for note in (*self.notes, *self.run.state.validated.runs.notes()):
            print_note(note, self.quiet)
        if not self.quiet:
            print_safely(f"{'done' if self.done else 'stopped'}: {self.run.summary()}")
            if not self.done and self.checkpoint is not None:
                print_safely(f"the state is saved in {self.checkpoint}; continue with --resume {self.checkpoint}")

    def _model(self) -> Model:
        """Return the current model, which records its learner and its number of training rows."""
        from hedgerow.learn.registry import find_learner

        assert self.kept is not None
        model = self.run.state.model()
        learner = make_learner(find_learner(self.kept.learner), self.kept.settings)
        return learner.add_about(model, model.figures.rows, model.figures.weight)

    def _start(self, state: Any, kept: Any) -> None:
        from hedgerow.learn.linear.online.progressive_validation import progress_head
        from hedgerow.learn.linear.online.run import OnlineRun

        self.kept = kept
        self.run = OnlineRun(state, None if self.quiet else print_safely, self.answer, self.shares)
        if not self.quiet:
            print_safely(progress_head())

    def _begin(self, schema: Schema) -> None:
        """Create an untrained state, unless there is one."""
        from hedgerow.learn.linear.online.checkpoint import Checkpoint

        if self.run is None:
            state, name = self.asked.state(schema)
            self._start(state, Checkpoint(state, name, self.asked.settings, of=self.passes))

    def _learn_table(self, table: Table, ready: Any, number: int) -> None:
        from hedgerow.learn.linear.online.run import check_classes

        check_classes(self.notes, table.schema.target, self._position_text())
        self.run.learn_table(table, ready, known=number > 0)
        assert self.kept is not None
        self.kept.passes = number
        self.kept.rows += table.n_rows
        if self.checkpoint is not None and self.run.read - self.saved >= self.every:
            self._save()

    def _save(self) -> None:
        assert self.kept is not None
        assert self.checkpoint is not None
        self.kept.save(self.checkpoint)
        self.saved = self.run.read

    def _position_text(self) -> str:
        return f"standard input, line {self.live.line} or below" if self.data == "-" else self.data

    # -- rows -----------------------------------------------------------------------------------------------

    def _tables(self) -> Iterator[tuple[Table, Any]]:
        """Yield tables, each with its part that is already prepared for training."""
        schema = None if self.run is None else self.run.state.schema
        return self._stream_tables(schema) if self.data == "-" else self._file(schema)

    def _stream_tables(self, schema: Schema | None) -> Iterator[tuple[Table, Any]]:
        from hedgerow.data.stream_stdin import StreamedVw, open_stream
        from hedgerow.learn.linear.online.online_linear import make_hashing

        self.live = open_stream(
            self.asked.options(schema), self.asked.reading["file_format"], self.asked.first or FIRST
        )
        self.live.typed = self.asked.set_target_kind
        self.notes = self.live.notes
        for table in self.live.tables():
            self._begin(table.schema)
            if isinstance(self.live, StreamedVw) and self.live.hashing is None:
                self.live.set_hashing(make_hashing(self.run.state))
            yield table, None

    def _file(self, schema: Schema | None) -> Iterator[tuple[Table, Any]]:
        from hedgerow.data.formats.csv import CsvSource
        from hedgerow.data.stream_stdin import add_new_levels
        from hedgerow.learn.linear.online.online_linear import hash_source
        from hedgerow.learn.passes import prefetch

        source = self._source(schema)
        self.notes = source.notes
        self._begin(source.schema)
        if self.grows and isinstance(source, CsvSource):
            for table in prefetch(source.growing(add_new_levels)):
                yield table, None  # its levels have to be known before it can be made ready
            return
        source = hash_source(source, self.run.state)
        pairs: Any = ((table, self.run.ready(table)) for table in source.batches())
        result: Any = prefetch(pairs)
        yield from result

    def _source(self, schema: Schema | None) -> Source:
        from hedgerow.data.formats.vw import FeaturesSource
        from hedgerow.data.read import FORMATS, make_source
        from hedgerow.data.stream_stdin import few_numbers, first_rows
        from hedgerow.data.table.files import suffix

        reading = self.asked.reading
        options = self.asked.options(schema)
        is_pairs = (reading["file_format"] or suffix(self.data)) in ("svmlight", *FORMATS["svmlight"][0])
        source = (
            FeaturesSource(self.data, options) if is_pairs else make_source(self.data, options, reading["file_format"])
        )
        if options.schema is None and self.asked.first is not None:
            source = source.reopen(schema=first_rows(source, self.asked.first))
        if schema is not None:
            return source
        result_schema = source.schema
        typed = self.asked.set_target_kind(result_schema, lambda name: few_numbers(source, name))
        return source if typed is result_schema else source.reopen(schema=typed, kinds={})


def _read_schema(path: str) -> Schema:
    from hedgerow.models.files.model_file import load

    return load(path).schema


class StopSignal:
    """Whether Ctrl-C was pressed, or SIGTERM or SIGHUP was sent.

    While waiting for rows the signal ends the wait, otherwise the current step is completed first. `status` is the exit
    status for the signal, 0 if there was none.
    """

    def __init__(self) -> None:
        self.status, self.waits = 0, False

    def __call__(self, number: int, *_: Any) -> None:
        """Record a signal."""
        self.status = 128 + number
        if self.waits:
            raise KeyboardInterrupt

    def stop_on_signal(self, tables: Iterator[tuple[Table, Any]]) -> Iterator[tuple[Table, Any]]:
        """Yield tables; a signal while waiting for one ends the iteration."""
        while True:
            self.waits = True
            try:
                table = None if self.status else next(tables, None)
            except KeyboardInterrupt:
                self.status = self.status or 128 + signal.SIGINT
                return
            finally:
                self.waits = False
            if table is None:
                return
            yield table


@contextmanager
def _handle_signals() -> Iterator[StopSignal]:
    """Let Ctrl-C, SIGTERM and SIGHUP (the terminal was closed) stop training cleanly."""
    stop = StopSignal()
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _answers(path: str) -> Iterator[Callable[[list[str]], None]]:
    """Yield a writer of predictions, which writes each immediately."""
    with ExitStack() as stack:
        with naming(path):
            stream: IO[str] = sys.stdout if path == "-" else open(path, "w", encoding="utf-8")  # noqa: SIM115

        def close() -> None:
            with naming(path):  # closing writes what could not be written before
                stream.close()

        if path != "-":
            stack.callback(close)

        def answer(lines: list[str]) -> None:
            with naming("standard output" if path == "-" else path):
                stream.write("".join(f"{line}\n" for line in lines))
                stream.flush()

        yield answer
