"""Evaluating a model selection: the chosen learner, and the procedure that chose it, within shares of the budget."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hedgerow.cli.output import progress

if TYPE_CHECKING:
    from hedgerow.cli.train import EvaluationOptions
    from hedgerow.data.table.table import Table
    from hedgerow.learn.choosing.selection import Selection
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.report.schema import EvaluationReport, ProcedureReport

FOLDS = 5  # of the evaluation of the procedure
TEST_SHARE = 1 / FOLDS  # of the rows of large tables, which are held out once


def evaluate_chosen(
    selector: ModelSelector, selection: Selection, table: Table, options: EvaluationOptions
) -> EvaluationReport:
    """Return the evaluation of the chosen learner: by cross-validation, or on large tables on rows held out once."""
    from hedgerow.cli.evaluation import evaluate_with_baseline
    from hedgerow.learn.choosing.work import TableShape, training_work
    from hedgerow.report.evaluation.build import evaluation_report

    learner = selection.chosen.learner
    work = options.folds * options.runs * training_work(learner, TableShape.of(selector.prepare(table)))
    test: tuple[str, Table, float] = ("cross-validation", table, options.folds)
    if work > selector.seconds / 2:
        test = ("holdout", table, TEST_SHARE)
    arguments = (*test, options.runs, options.seed)
    return evaluation_report(*evaluate_with_baseline(learner, options.quiet, *arguments, group=options.group))


def evaluate_procedure(
    selector: ModelSelector, selection: Selection, table: Table, options: EvaluationOptions
) -> ProcedureReport | None:
    """Return how well the whole procedure does when it chooses again without the rows that are tested."""
    from hedgerow.evaluate import validate
    from hedgerow.learn.choosing.losses import Predictions, mean_loss, smooth

    seconds = selector.seconds / 2
    repeated = FOLDS * selection.work <= seconds
    again = selector.with_budget(seconds / FOLDS if repeated else seconds)
    with progress("model selection on parts of the rows", options.quiet) as tell:
        if repeated:
            results = validate.cross_validate(again, table, FOLDS, 1, options.seed, None, tell, options.group)
        else:
            results = validate.holdout(again, table, TEST_SHARE, 1, options.seed, None, tell, options.group)
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
