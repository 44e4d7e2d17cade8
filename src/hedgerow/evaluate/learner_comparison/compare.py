"""compare: several learners on several data sets, all on the same folds, every finished fold kept."""

from __future__ import annotations

import json
import os
import random
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hedgerow
from hedgerow.data.rows.fingerprint import fingerprint
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import DataError, HedgerowError, UsageError
from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.learner_comparison.comparison import Cell, Comparison
from hedgerow.evaluate.learner_comparison.fold_outcome import COSTS, Outcome, measure_title_and_direction, outcome
from hedgerow.evaluate.learner_comparison.outcome_store import Key, OutcomeStore, StoreError
from hedgerow.evaluate.learner_comparison.significance import check_level
from hedgerow.evaluate.metrics.catalog import main_measure
from hedgerow.evaluate.run_split import Progress, Trainable, target_notes, target_values, to_learner_table
from hedgerow.evaluate.splits import Split
from hedgerow.learn.adapt import adapt

MOST_SEED = 2**63 - 1  # of the integers of a results file


@dataclass(frozen=True, eq=False)
class _Set:
    """A data set that is ready: its name, table, fingerprint and folds."""

    name: str
    table: Table
    hash: str
    parts: tuple[Split, ...]
    notes: tuple[str, ...]


def compare(
    learners: Any,
    data: Any,
    target: str | None = None,
    runs: int = 10,
    folds: int = 10,
    base: Any = None,
    measure: str | None = None,
    seed: int = 1,
    level: float = 0.05,
    store: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare learners on data sets by repeated cross-validation, all on the same folds.

    Parameters
    ----------
    learners
        A list of learners, of estimators with `fit` and `predict` (any classifier or regressor of scikit-learn, a
        pipeline), or of names such as "c45(min_leaf=5)"; or a dict that names them.
    data
        A data set or a list of them, each anything that `read` takes; or a dict that names them.
    target
        The column to predict, in all data sets; by default it is that of the table, or the last column.
    runs, folds, seed
        Each run assigns the rows to new stratified folds.
    base
        The learner that the others are tested against: its name, or its position from 0; the first one by default.
    measure
        The measure to compare by: "error", "auc", "log_loss", "train_seconds", "model_size" ...; by default the error
        rate, or the mean absolute error of a numeric target.
    level
        The significance level.
    store
        A file (SQLite) that stores every finished fold immediately. The same call with the same file resumes where the
        last one stopped, even if it was killed. Several processes may share the file, and so the work.
    progress
        Called as `progress(done, total)` after every fold.

    Notes
    -----
    If a learner fails on a data set, its cell stays empty, with a note, and the comparison continues.

    Examples
    --------
    >>> from hedgerow import examples
    >>> found = compare(["majority", "one_r"], {"loan": examples.loan()}, runs=2, folds=5)
    >>> found
    <Comparison: 2 learners on 1 data sets by error rate, 2 runs of stratified 5-fold cross-validation>
    """
    check_level(level)
    if seed > MOST_SEED:
        raise UsageError(f"the seed of a comparison must be at most {MOST_SEED}, but is {seed}")
    tried = _name_learners(learners)
    tables = _name_tables(data, target, list(tried.values()))
    place = _base_position(base, tuple(tried), list(tried.values()))
    classes = _kind_of_target(tables)
    measure = measure or main_measure(classes)
    title, larger = measure_title_and_direction(measure, classes)
    with OutcomeStore(store) as kept:
        sets = [_ready(name, table, folds, runs, seed) for name, table in tables.items()]
        work = _Work(kept, folds, seed, measure, threads, progress, sum(len(s.parts) for s in sets) * len(tried))
        cells = tuple(tuple(work.cell(one, learner) for learner in tried.values()) for one in sets)
    told = [f"{one.name}: {note}" for one in sets for note in one.notes]
    told += [*_learner_notes(tried, sets, store is not None), *_failures(tuple(tried), sets, cells), *work.notes]
    told += _unanswered_notes(tuple(tried), sets, cells)
    used = max(len(one.parts) for one in sets) // runs
    return Comparison(
        tuple(tried),
        tuple(one.name for one in sets),
        cells,
        place,
        measure,
        title,
        larger,
        level,
        _method(runs, used, classes),
        runs,
        used,
        seed,
        tuple(dict.fromkeys(told)),
    )


def _failures(names: Sequence[str], sets: Sequence[_Set], cells: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the failures by learner and data set; if there are only failures, raise an error."""
    failed = [
        f"{name} failed on {one.name}: {cell.failure}"
        for one, line in zip(sets, cells, strict=True)
        for name, cell in zip(names, line, strict=True)
        if cell.failure
    ]
    if len(failed) == len(sets) * len(names):
        raise HedgerowError(f"no learner could be trained: {failed[0]}")
    return failed


def _unanswered_notes(names: Sequence[str], sets: Sequence[_Set], cells: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the learners that left rows without a prediction, since metrics of different rows are not comparable."""
    return [
        (
            f"{name} on {one.name}: only {cell.answered:.1%} of the rows were predicted; its metrics refer to these "
            "rows only and are not comparable with those of the others"
        )
        for one, line in zip(sets, cells, strict=True)
        for name, cell in zip(names, line, strict=True)
        if cell.answered < 1
    ]


def _method(runs: int, folds: int, classes: bool) -> str:
    """Return how the learners were tried, in words."""
    spread = "stratified " if classes else ""
    return (f"{runs} runs of " if runs > 1 else "") + f"{spread}{folds}-fold cross-validation"


class _Work:
    """The computation of the cells; results in the store are not computed again."""

    def __init__(
        self,
        store: OutcomeStore,
        folds: int,
        seed: int,
        measure: str,
        threads: int | None,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.store, self.folds, self.seed, self.measure = store, folds, seed, measure
        self.threads, self.progress, self.total, self.done = threads, progress, total, 0
        self.notes: list[str] = []
        # Processes that share a file go through the folds in different orders, and so rarely do the same one.
        self.order = random.Random(os.getpid())  # noqa: S311

    def cell(self, data: _Set, learner: Trainable) -> Cell:
        """Return the outcomes of a learner on a data set, after doing those that are not there yet."""
        key = Key(data.hash, learner.name, _parameters(learner), self.folds, self.seed, _version(learner))
        wanted = {(part.run, part.fold) for part in data.parts}
        known = self._usable(key)
        missing = [part for part in data.parts if (part.run, part.fold) not in known]
        self.order.shuffle(missing)
        left = len(missing)
        self._report_progress(len(data.parts) - left)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                for _ in map_in_order(lambda part: self._fold(key, data, learner, part), missing, self.threads):
                    self._report_progress(1)
                    left -= 1
            except StoreError:
                raise
            except HedgerowError as error:
                self._report_progress(left)
                return Cell((), str(error))
        self.notes += [f"{learner.name} on {data.name}: {text}" for text in _texts(heard)]
        known = self._usable(key)  # as they are in the store, so that all who share it say the same
        return Cell(tuple(known[where] for where in sorted(wanted)))

    def _fold(self, key: Key, data: _Set, learner: Trainable, part: Split) -> None:
        """Try one fold and keep its outcome, unless another process was faster."""
        known = self.store.outcome(key, part.run, part.fold)
        if self._fits(known):
            return
        lacks_measure = known is not None  # written before there was such a measure
        self.store.add(
            key, data.name, outcome(run_split.evaluate_split(learner, data.table, part)), replaces=lacks_measure
        )

    def _usable(self, key: Key) -> dict[tuple[int, int], Outcome]:
        return {where: one for where, one in self.store.outcomes(key).items() if self._fits(one)}

    def _fits(self, one: Outcome | None) -> bool:
        return one is not None and (self.measure in one.measures or self.measure in COSTS)

    def _report_progress(self, n: int) -> None:
        self.done += n
        if self.progress is not None and n:
            self.progress(self.done, self.total)


def _ready(name: str, table: Table, folds: int, runs: int, seed: int) -> _Set:
    target = target_values(table)
    try:
        parts = tuple(splits.repeated_folds(target, folds, runs, seed))
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    notes = (*target_notes(table.schema.target_column.name, target), *splits.fold_notes(target, folds))
    return _Set(name, table, fingerprint(table), parts, notes)


def _name_learners(learners: Any) -> dict[str, Trainable]:
    """Return learners by name; if two have one name, their differences are added."""
    if isinstance(learners, Mapping):
        named = {str(name): adapt(learner) for name, learner in learners.items()}
    else:
        if isinstance(learners, str) or not isinstance(learners, Iterable):
            learners = [learners]
        given = [adapt(learner) for learner in learners]
        count = Counter(learner.name for learner in given)
        labels = [one.name + (_changed_settings(one) if count[one.name] > 1 else "") for one in given]
        named = dict(zip(_distinct(labels), given, strict=True))
    if not named:
        raise UsageError("there is nothing to compare: give at least one learner")
    kinds = {getattr(learner, "target_is_classes", True) for learner in named.values()}
    if None in kinds:
        strange = next(name for name, one in named.items() if getattr(one, "target_is_classes", True) is None)
        raise UsageError(f"{strange!r} is not a learner that predicts, so it cannot be compared")
    if len(kinds) > 1:
        raise UsageError("some of the learners predict classes and others numbers; compare them separately")
    for learner in named.values():
        getattr(learner, "check_params", lambda: None)()
    return named


def _name_tables(data: Any, target: str | None, learners: Sequence[Trainable]) -> dict[str, Table]:
    """Return tables by name."""
    if isinstance(data, Mapping):
        parameters = {str(name): one for name, one in data.items()}
    else:
        many = list(data) if isinstance(data, list | tuple) else [data]
        parameters = dict(zip(data_names(many), many, strict=True))
    if not parameters:
        raise UsageError("there is nothing to compare on: give at least one data set")
    tables = {}
    for name, one in parameters.items():
        try:
            tables[name] = to_learner_table(learners[0], one, target)
        except DataError as error:
            raise DataError(f"{name}: {error}") from None
    return tables


def data_names(data: Sequence[Any]) -> list[str]:
    """Return a name for every data set: that of its file without the extension, or a number."""
    named = enumerate(data, start=1)
    return _distinct([_stem(one) if isinstance(one, str | os.PathLike) else f"data {n}" for n, one in named])


def _kind_of_target(tables: Mapping[str, Table]) -> bool:
    kinds = {table.schema.target_column.kind is Kind.NOMINAL for table in tables.values()}
    if len(kinds) > 1:
        raise UsageError("some data sets have classes to predict and others numbers; use them in separate comparisons")
    return kinds.pop()


def _base_position(base: Any, names: tuple[str, ...], learners: Sequence[Trainable]) -> int:
    """Return the position of the base."""
    if base is None:
        return 0
    if isinstance(base, int) and not isinstance(base, bool):
        if not 0 <= base < len(names):
            raise UsageError(f"base={base} is not a position among {len(names)} learners, counted from 0")
        return base
    if isinstance(base, str):
        short = [one.name for one in learners]
        fitting = [at for at in range(len(names)) if base.replace("-", "_") in (names[at], short[at])]
        if len(fitting) != 1:
            wrong = "not one" if not fitting else "more than one"
            raise UsageError(f"base {base!r} is {wrong} of the learners compared: {', '.join(names)}")
        return fitting[0]
    for at, one in enumerate(learners):
        if one is base or getattr(one, "estimator", None) is base:
            return at
    raise UsageError(f"the base {base!r} is not among the learners compared: {', '.join(names)}")


def _parameters(learner: Trainable) -> str:
    """Return all parameters as one text, the same for the same values."""
    return json.dumps({name: repr(value) for name, value in sorted(learner.get_params().items())})


def _version(learner: Trainable) -> str:
    """Return what a learner's results depend on besides its parameters: package versions, or a foreign class."""
    own, kind = f"hedgerow {hedgerow.__version__}", type(learner)
    stranger = "" if kind.__module__.startswith("hedgerow.") else f"{kind.__module__}.{kind.__qualname__}"
    other = getattr(learner, "version", stranger)
    return f"{own}, {other}" if other else own


def _learner_notes(learners: Mapping[str, Trainable], sets: Sequence[_Set], stored: bool) -> list[str]:
    """Return notes of the learners."""
    weighted = any(one.table.weights is not None for one in sets)
    deaf = [name for name, one in learners.items() if weighted and not getattr(one, "takes_weights", True)]
    lost = [name for name, one in learners.items() if stored and " at 0x" in _parameters(one)]
    return [
        *(f"{name} does not use row weights in its training" for name in deaf),
        *(
            f"{name} has parameters without a stable text form, so its saved folds cannot be found in the file again"
            for name in lost
        ),
    ]


def _changed_settings(learner: Trainable) -> str:
    """Return the settings of a learner that are not its defaults, in brackets."""
    text = repr(getattr(learner, "estimator", learner))
    inner = text.partition("(")[2].removesuffix(")")
    return f"({inner})" if inner and text.endswith(")") and "\n" not in text else ""


def _distinct(labels: Sequence[str]) -> list[str]:
    """Return the labels, a second one of the same name with a number."""
    seen: Counter[str] = Counter()
    out = []
    for label in labels:
        seen[label] += 1
        out.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return out


def _stem(path: str | os.PathLike[str]) -> str:
    name = Path(path).name
    if name == "-":
        return "standard input"
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return Path(name).stem or name


def _texts(heard: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return the first lines of warnings without repeats."""
    lines = (str(one.message).strip().partition("\n")[0].rstrip(":") for one in heard)
    return list(dict.fromkeys(lines))
