"""Evaluating a model selection: the chosen learner, and the procedure that chose it, within shares of the budget."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.training.evaluation import TestedLearner, evaluate_with_baseline

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.learn.choosing.selection import Selection
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.report.schema import ProcedureReport
    from hedgerow.training.train import EvaluationOptions

FOLDS = 5  # of the evaluation of the procedure
TEST_SHARE = 1 / FOLDS  # of the rows of large tables, which are held out once


class WorkPlan(NamedTuple):
    """The work of all steps after each other, in seconds of one core."""

    selection: float
    training: float
    evaluation: float
    procedure: float

    @property
    def after_selection(self) -> float:
        """The work that follows the selection."""
        return self.training + self.evaluation + self.procedure

    @property
    def total(self) -> float:
        """All work."""
        return self.selection + self.after_selection

    @classmethod
    def before(cls, selector: ModelSelector, table: Table, options: EvaluationOptions) -> WorkPlan:
        """Return what is expected before anything is known."""
        selection, most = selector.expected_work(table), selector.seconds / 2
        one = selection / 10  # training and testing one of about ten candidates
        tested = bool(options.folds)
        return cls(selection, one / 4, tested * min(2 * one, most), tested * min(FOLDS * selection, most))

    @classmethod
    def after(cls, selector: ModelSelector, selection: Selection, table: Table, options: EvaluationOptions) -> WorkPlan:
        """Return the work once the learner is chosen."""
        from hedgerow.learn.choosing.work import TableShape, training_work

        training, most = (
            training_work(selection.chosen.learner, TableShape.of(selector.prepare(table))),
            selector.seconds / 2,
        )
        evaluation = options.folds * options.runs * training
        procedure = again_work(selection) * (FOLDS if is_repeated(selector, selection) else 1)
        tested = bool(options.folds)
        if evaluation > most:
            evaluation = training
        return cls(selection.work, training, tested * evaluation, tested * procedure)


def evaluate_chosen(
    selector: ModelSelector, selection: Selection, table: Table, options: EvaluationOptions, work: WorkPlan
) -> TestedLearner:
    """Return the evaluation of the chosen learner: by cross-validation, or on large tables on rows held out once."""
    learner = selector.chosen_learner(selection)
    test: tuple[str, Table, float] = ("cross-validation", table, options.folds)
    if options.folds * options.runs * work.training > selector.seconds / 2:
        test = ("holdout", table, TEST_SHARE)
    arguments = (*test, options.runs, options.seed)
    return evaluate_with_baseline(learner, options.monitor, *arguments, group=options.group, work=work.evaluation)


def again_work(selection: Selection) -> float:
    """Return the work of choosing once more, without the yardstick."""
    return selection.work - selection.yardstick_work


def is_repeated(selector: ModelSelector, selection: Selection) -> bool:
    """Whether half the budget is enough to choose again in each of the folds."""
    return FOLDS * again_work(selection) <= selector.seconds / 2


def evaluate_procedure(
    selector: ModelSelector, selection: Selection, table: Table, options: EvaluationOptions, work: WorkPlan
) -> ProcedureReport | None:
    """Return how well the whole procedure does when it chooses again without the rows that are tested."""
    from hedgerow.evaluate import validate
    from hedgerow.learn.choosing.losses import Predictions, mean_loss, smooth

    seconds, repeated = selector.seconds / 2, is_repeated(selector, selection)
    again = selector.with_budget(seconds / FOLDS if repeated else seconds)
    with options.monitor.stage("choosing again without test rows", work.procedure, work.evaluation) as tell:
        if repeated:
            results = validate.cross_validate(again, table, None, FOLDS, 1, options.seed, None, tell, options.group)
        else:
            again = again.with_progress(tell)
            results = validate.holdout(again, table, None, TEST_SHARE, 1, options.seed, None, None, options.group)
    decided = results.decided if results.has_classes else None
    training_weight = table.total_weight * (1 - TEST_SHARE)
    predicted = smooth(results.predicted, training_weight) if results.has_classes else results.predicted
    predictions = Predictions(results.actual, results.weight, predicted, decided)
    costs = selector.cost_matrix(selector.prepare(table).schema) if results.has_classes else None
    return {
        "folds": len(results.folds),
        "loss": mean_loss(selector.criterion, predictions, costs),
        "error": mean_loss("error", predictions) if results.has_classes else None,
        "chosen": dict(Counter(fold.chosen for fold in results.folds).most_common()),
    }
