"""Judge: the base class of learners that choose among others."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

from hedgerow.data.table.row_groups import ignore_group_column, number_groups
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Rows, Table
from hedgerow.data.table.threads import one_blas_thread
from hedgerow.learn.choosing.contest import ContestRows, Progress, Ranking, hold_league, hold_race
from hedgerow.learn.params import fitted_attribute, integer, real, seed
from hedgerow.learn.prepare import PreparedTable, ready, set_target_kind, usable_rows
from hedgerow.learn.registry import find_learner
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.model import Model

Candidate = tuple[str, dict[str, Any]]  # a learner's name and its settings


def candidates(declared: Sequence[Candidate]) -> list[tuple[str, Supervised]]:
    """Return learners made from their names and settings, each with both as its name: `c45(max_depth=3)`."""
    return [(_candidate_name(name, settings), _make_learner(name, settings)) for name, settings in declared]


def _make_learner(name: str, settings: dict[str, Any]) -> Supervised:
    learner = find_learner(name)(**settings)
    assert isinstance(learner, Supervised)
    return learner


def _candidate_name(name: str, settings: dict[str, Any]) -> str:
    inner = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({inner})" if inner else name


@dataclass(frozen=True)
class ContestOutcome:
    """The result of a choice: the league, and the chosen model of a table."""

    judge: Chooser
    league: Ranking

    @property
    def text(self) -> str:
        """The learner that is kept."""
        return self.league.entries[self.league.kept_index].name

    def train(self, data: Table) -> Model:
        """Return the model of a table."""
        return self.judge.train_chosen(self.league, data)


class Chooser(Supervised):
    """Compares its candidates and trains the one that is kept; `fit` stores the comparison in `league_`."""

    league_folds: int = integer(5, "number of folds of the cross-validation that compares the learners", low=2)
    within: float = real(
        1.0, "number of standard errors by which the error may exceed the lowest; 0 chooses the best", low=0
    )
    most_rows: int = integer(5000, "maximum number of rows to choose by; a larger table is sampled", low=10)
    random_state: Any = seed()

    poor_score = True  # simplicity matters more than accuracy
    declared: ClassVar[Sequence[Candidate]] = ()  # the simplest first
    costly: ClassVar[frozenset[str]] = frozenset()  # those that are by far the slowest

    league_: Ranking = fitted_attribute()
    _group = cast("str | None", None)  # the column whose groups stay together; not annotated, since it is no parameter

    def candidates(self, schema: Schema | None = None) -> Sequence[tuple[str, Supervised]]:
        """Return the learners by name, the simplest first; given a schema, those that apply to it."""
        return candidates(self.candidates_for(schema))

    def candidates_for(self, schema: Schema | None) -> Sequence[Candidate]:  # noqa: ARG002
        """Return the names and settings of the learners to try on tables of a schema."""
        return self.declared

    def within_groups(self, group: str) -> Self:
        """Return a copy that keeps rows with equal values of this column together in its folds.

        The column itself is left out of learning.
        """
        made = copy(self)
        made._group = group  # noqa: SLF001
        return made

    def choose(self, data: Table) -> ContestOutcome:
        """Return the learner chosen for the rows of a table; the comparison stops once this is known (`hold_race`)."""
        field = self._field(data)
        tried = self.candidates(field.table.schema)
        return ContestOutcome(self, hold_race(tried, field, float(self.within), self.costly))

    def choose_and_train(self, data: Table, progress: Progress | None = None) -> tuple[Model, Ranking]:
        """Return the model of a table together with the complete comparison that chose its learner."""
        field = self._field(data)
        league = hold_league(self.candidates(field.table.schema), field, float(self.within), progress)
        return self.train_chosen(league, data), league

    def train_chosen(self, league: Ranking, data: Table) -> Model:
        """Return the model of a table trained by the kept learner, with a note on the choice."""
        prepared, entry = self._ready(data), league.entries[league.kept_index]
        table = prepared.table
        model = entry.learner.train(table)
        notes = tuple(note for note in prepared.notes if note not in model.about.notes)
        model = self.add_about(model, table.n_rows, table.total_weight, notes)
        parameters = {**model.about.parameters, "chose": entry.name}
        return model.replace_about(replace(model.about, parameters=parameters))

    def learn(self, table: Table) -> Model:
        """Return the model of the learner that is kept for a prepared table."""
        league = self.choose(table).league
        return league.entries[league.kept_index].learner.train(table)

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that at least one candidate takes."""
        return frozenset().union(*(learner.accepted_kinds() for _, learner in self.candidates()))

    def _train_data(self, data: Table | Source, counted: Any = None) -> Model:
        if isinstance(data, Source):
            return super()._train_data(data, counted)  # this raises the error that all rows are needed
        with one_blas_thread():
            return self.choose_and_train(data)[0]

    def _train_for_fit(self, data: Table | Source) -> Model:
        if isinstance(data, Source):
            return self.train(data)
        with one_blas_thread():
            model, self.league_ = self.choose_and_train(data)
        return model

    def _ready(self, data: Table) -> PreparedTable:
        learned = data if self._group is None else ignore_group_column(data, self._group)
        return ready(learned, self.accepted_kinds(), self.target_is_classes)

    def _groups(self, data: Table) -> Rows | None:
        """Return the group of every training row; None if there are no groups."""
        if self._group is None:
            return None
        assert self.target_is_classes is not None
        return number_groups(usable_rows(set_target_kind(data, self.target_is_classes)[0])[0], self._group)

    def _field(self, data: Table) -> ContestRows:
        """Return the rows of a table that are used for the comparison."""
        self.check_params()
        table, groups = self._ready(data).table, self._groups(data)
        return ContestRows.of(table, self.league_folds, self.most_rows, self.random_state, groups)
