"""ModelSelector: what the learners that select among others share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

from hedgerow.data.rows.row_groups import ignore_group_column, number_groups
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.table.threads import one_blas_thread
from hedgerow.learn.choosing.halving import Progress, expected_work, select
from hedgerow.learn.choosing.rounds import Settings
from hedgerow.learn.choosing.selection import Selection
from hedgerow.learn.params import duration, fitted_attribute, flag, integer, real, seed, to_amount
from hedgerow.learn.prepare import PreparedTable, ready, set_target_kind, usable_rows
from hedgerow.learn.registry import find_learner
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.model import Model

Declared = tuple[str, dict[str, Any]]  # a learner's name and its settings
SECONDS = 60.0  # of the budget, if none is given


def make_candidates(declared: Sequence[Declared]) -> list[tuple[str, Supervised]]:
    """Return learners made from their names and settings, each with both as its name: `c45(max_depth=3)`."""
    return [(_title(name, settings), _learner(name, settings)) for name, settings in declared]


def _learner(name: str, settings: dict[str, Any]) -> Supervised:
    learner = find_learner(name)(**settings)
    assert isinstance(learner, Supervised)
    return learner


def _title(name: str, settings: dict[str, Any]) -> str:
    inner = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({inner})" if inner else name


@dataclass(frozen=True)
class SelectedLearner:
    """What a selector chose: the comparison of its candidates, and the model that its choice makes of a table."""

    selector: ModelSelector
    selection: Selection

    @property
    def text(self) -> str:
        """The name of the chosen learner."""
        return self.selection.chosen.name

    def train(self, data: Table) -> Model:
        """Return the model of a table."""
        return self.selector.train_chosen(self.selection, data)


class ModelSelector(Supervised):
    """Compares its candidates and trains the chosen one; `selection_` is what `fit` found."""

    selection_folds: int = integer(5, "number of folds of the cross-validation that compares the candidates", low=2)
    within: float = real(
        1.0, "standard errors of the difference by which the loss may exceed the lowest; 0 chooses the best", low=0
    )
    margin: float = real(
        0.01,
        "by how much the loss may exceed the lowest at most, as a share of the loss of the first candidate, which uses "
        "no column",
        low=0,
    )
    budget: Any = duration("work of the comparison, in seconds of one core; 60s if none")
    best: bool = flag(False, "choose the candidate with the lowest loss, even the forest, however large it is")
    random_state: Any = seed()

    poor_score = True  # simple before accurate
    declared: ClassVar[Sequence[Declared]] = ()  # the simplest first
    yardstick: ClassVar[Declared | None] = None  # accurate, but not readable: what the candidates are measured against

    selection_: Selection = fitted_attribute()
    _progress = cast("Any", None)  # as `progress` of `select`
    _group = cast("str | None", None)  # the column whose groups stay together; not annotated, since it is no parameter

    def candidates(self, schema: Schema | None = None) -> Sequence[tuple[str, Supervised]]:
        """Return the learners by name, the simplest first; of a table's schema, those that it calls for."""
        return make_candidates(self.candidates_for(schema))

    def candidates_for(self, schema: Schema | None) -> Sequence[Declared]:  # noqa: ARG002
        """Return the names and settings of the candidates for tables of a schema."""
        return self.declared

    @property
    def criterion(self) -> str:
        """What candidates are compared by: a key of `losses.LOSSES`."""
        raise NotImplementedError

    def cost_matrix(self, schema: Schema) -> Numbers | None:  # noqa: ARG002
        """Return what wrong decisions cost, if that is what candidates are compared by."""
        return None

    @property
    def seconds(self) -> float:
        """The budget in seconds of work."""
        return to_amount("duration", self.budget) or SECONDS

    def within_groups(self, group: str) -> Self:
        """Return the same selector, but rows with one value of this column stay together in its folds.

        The column itself is left out of learning.
        """
        made = copy(self)
        made._group = group  # noqa: SLF001
        return made

    def with_progress(self, progress: Progress | None) -> Self:
        """Return the same selector, which tells of its progress whenever it compares its candidates."""
        made = copy(self)
        made._progress = progress  # noqa: SLF001
        return made

    def with_budget(self, seconds: float) -> Self:
        """Return the same selector with another budget."""
        made = copy(self)
        made.budget = seconds
        return made

    def expected_work(self, data: Table) -> float:
        """Return about how much work the comparison of the candidates is, before any of them drops out."""
        table = self.prepare(data)
        beside = self._yardstick_for(table.schema)
        return expected_work(self.candidates(table.schema), beside, table, self.selection_folds, self.seconds)

    def chosen_learner(self, selection: Selection) -> Supervised:
        """Return the learner that a selection chose, as its model decides."""
        return selection.chosen.learner

    def prepare(self, data: Table) -> Table:
        """Return the rows and columns of a table that the candidates are trained on."""
        return self._ready(data).table

    def choose(self, data: Table) -> SelectedLearner:
        """Return which learner the rows of a table suggest."""
        return SelectedLearner(self, self.select(data, with_yardstick=False))

    def select(self, data: Table, progress: Progress | None = None, *, with_yardstick: bool = True) -> Selection:
        """Return the comparison of the candidates on the rows of a table."""
        self.check_params()
        table, groups = self._ready(data).table, self._groups(data)
        schema = table.schema
        settings = Settings(
            self.criterion,
            self.selection_folds,
            float(self.within),
            float(self.margin),
            self.seconds,
            seed_number(self.random_state),
            self.cost_matrix(schema),
        )
        beside = self._yardstick_for(schema) if with_yardstick or self.best else None
        found = select(self.candidates(schema), table, settings, groups, beside, progress or self._progress)
        return found.with_best() if self.best else found

    def _yardstick_for(self, schema: Schema) -> tuple[str, Supervised] | None:
        """Return the yardstick, unless it cannot use all the columns that the candidates use, such as texts."""
        if self.yardstick is None:
            return None
        name, learner = make_candidates([self.yardstick])[0]
        kinds = {schema.columns[position].kind for position in schema.predictors}
        return (name, learner) if kinds <= learner.accepted_kinds() else None

    def choose_and_train(self, data: Table, progress: Progress | None = None) -> tuple[Model, Selection]:
        """Return the model of a table together with the comparison that chose its learner."""
        selection = self.select(data, progress)
        return self.train_chosen(selection, data), selection

    def train_chosen(self, selection: Selection, data: Table) -> Model:
        """Return the model that the chosen learner makes of a table; a note names the learner."""
        prepared, chosen = self._ready(data), selection.chosen
        table = prepared.table
        model = chosen.learner.train(table)
        notes = tuple(note for note in prepared.notes if note not in model.about.notes)
        return self.add_about(model, table.n_rows, table.total_weight, (self._choice(selection), *notes))

    def _choice(self, selection: Selection) -> str:
        return f"{self.name} chose {selection.chosen.name} from {len(selection.candidates)} candidates"

    def _warn(self, notes: Iterable[str]) -> None:
        """Warn of what the notes say about the data; what was chosen is no warning."""
        super()._warn(note for note in notes if note != self._choice(self.selection_))

    def learn(self, table: Table) -> Model:
        """Return the model that the chosen learner makes of a prepared table."""
        return self.select(table).chosen.learner.train(table)

    def accepted_kinds(self) -> frozenset[Kind]:
        """Return the kinds of columns that one of the candidates takes."""
        return frozenset().union(*(learner.accepted_kinds() for _, learner in self.candidates()))

    def _train_data(self, data: Table | Source, counted: Any = None) -> Model:
        if isinstance(data, Source):
            return super()._train_data(data, counted)  # which says that all rows are needed
        with one_blas_thread():
            return self.choose_and_train(data)[0]

    def _train_for_fit(self, data: Table | Source) -> Model:
        if isinstance(data, Source):
            return self.train(data)
        with one_blas_thread():
            model, self.selection_ = self.choose_and_train(data)
        return model

    def _ready(self, data: Table) -> PreparedTable:
        learned = data if self._group is None else ignore_group_column(data, self._group)
        return ready(learned, self.accepted_kinds(), self.target_is_classes)

    def _groups(self, data: Table) -> Rows | None:
        """Return the group of every row that is learned from; None if rows do not belong together."""
        if self._group is None:
            return None
        assert self.target_is_classes is not None
        return number_groups(usable_rows(set_target_kind(data, self.target_is_classes)[0])[0], self._group)
