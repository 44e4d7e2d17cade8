"""The steps of training: the default learner, the model of all rows, and the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.base import Learner
from hedgerow.models.base.model import Model
from hedgerow.training.evaluation import TestedLearner, evaluate_with_baseline
from hedgerow.training.monitor import Monitor

if TYPE_CHECKING:
    from hedgerow.evaluate.tune import TunedLearner
    from hedgerow.learn.choosing.selection import Selection
    from hedgerow.report.schema import ProcedureReport

DEFAULT_LEARNER, DEFAULT_REGRESSOR = "simplest", "simplest_regressor"
BAG_LEARNER = "bag_summary"  # where rows are bags
MOST_LINES, MODEL_LINES = 40, 32  # of a model that is shown whole, and of the outline of a larger one


class EvaluationOptions(NamedTuple):
    """How the trained learner is evaluated."""

    folds: int = 10
    runs: int = 1
    seed: int = 1
    group: str | None = None
    monitor: Monitor = Monitor()

    @property
    def trainings(self) -> float:
        """How many times the work of training on all rows it is."""
        return self.runs * max(self.folds - 1, 0)


class ChosenEvaluation(NamedTuple):
    """The test of a learner, if there was one, how well the choice among learners does, and notes."""

    tested: TestedLearner | None = None
    procedure: ProcedureReport | None = None
    notes: tuple[str, ...] = ()


def predicts_number(table: Table) -> bool:
    """Return whether the target is a number, not a class; few whole numbers may be classes."""
    from hedgerow.learn.prepare import are_classes

    column = table.schema.target_column
    return column.kind is Kind.NUMERIC and not are_classes(table.numbers(table.schema.index(column.name)))


def default_learner(table: Table) -> str:
    """Return the name of the learner for a table: the simplest good one for its kind of target."""
    if predicts_number(table):
        return DEFAULT_REGRESSOR
    has_bags = any(table.schema.columns[at].kind is Kind.BAG for at in table.schema.predictors)
    return BAG_LEARNER if has_bags else DEFAULT_LEARNER


def train_learner(
    learner: Learner | TunedLearner, table: Table, options: EvaluationOptions
) -> tuple[Model, Selection | None]:
    """Return the model of a table, and the model selection of a learner that chooses among others."""
    from hedgerow.data.rows.row_groups import ignore_group_column
    from hedgerow.learn.choosing.halving import THOUSANDTHS
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.training.model_selection import WorkPlan

    monitor = options.monitor
    if not isinstance(learner, ModelSelector):
        table = table if options.group is None else ignore_group_column(table, options.group)
        return train_monitored(learner, table, monitor, options.trainings), None
    work = WorkPlan.before(learner, table, options)
    with monitor.stage("comparing learners", work.selection, work.after_selection, THOUSANDTHS) as tell:
        selection = learner.select(table, tell)
    work = WorkPlan.after(learner, selection, table, options)
    with monitor.stage("training", work.training, work.evaluation + work.procedure):
        return learner.train_chosen(selection, table), selection


def train_monitored(learner: Learner | TunedLearner, table: Table, monitor: Monitor, rest: float = 0.0) -> Model:
    """Return the model of a table, following the choice of parameters, if there is one.

    `rest` is how many times the work of the training follows it.
    """
    from hedgerow.evaluate.tune import TunedLearner

    if isinstance(learner, TunedLearner):
        with monitor.stage("tuning", 1.0, rest) as tell:
            return learner.choose(table, tell).train(table)
    with monitor.stage("training", 1.0, rest):
        return learner.train(table)


def evaluate_choice(
    learner: Learner | TunedLearner, selection: Selection | None, table: Table, options: EvaluationOptions
) -> ChosenEvaluation:
    """Return the evaluation of a learner; of a model selection, the chosen learner is evaluated, and the procedure."""
    from hedgerow.evaluate.run_split import target_values, to_learner_table
    from hedgerow.evaluate.splits import usable
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.training.model_selection import WorkPlan, evaluate_chosen, evaluate_procedure

    if not options.folds:
        return ChosenEvaluation()
    if len(usable(target_values(to_learner_table(learner, table)))) < 2:
        return ChosenEvaluation(notes=("not tested, since that needs at least two rows with a target",))
    if selection is None or not isinstance(learner, ModelSelector):
        given = options.folds, options.runs, options.seed
        tested = evaluate_with_baseline(
            learner, options.monitor, "cross-validation", table, *given, group=options.group, work=options.trainings
        )
        return ChosenEvaluation(tested)
    work = WorkPlan.after(learner, selection, table, options)
    procedure = evaluate_procedure(learner, selection, table, options, work)
    return ChosenEvaluation(evaluate_chosen(learner, selection, table, options, work), procedure)


def trained_model_part(model: Model, selected: bool = False) -> dict[str, Any]:
    """Return the report on a model with its outline, which is the whole model if that is short.

    If its learner was `selected`, the report on the selection tells which it is, not a note.
    """
    from hedgerow.report.about.model_report import model_report

    part: dict[str, Any] = {**model_report(model)}
    if selected:
        part["notes"] = [note for note in part["notes"] if not note.startswith(f"{part['learner']} chose ")]
    whole = part["text"].count("\n") < MOST_LINES
    return {**part, "outline": part["text"] if whole else model.outline(MODEL_LINES)}
