"""fit: from data to a trained and tested model in one call, as `hedgerow train` does it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from hedgerow.data.read import open_source, to_table
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, DataWarning, UsageError
from hedgerow.evaluate.metrics.catalog import main_measure
from hedgerow.evaluate.metrics.intervals import estimate
from hedgerow.evaluate.results import Results
from hedgerow.evaluate.validate import keep_groups_inside
from hedgerow.layout.shown import NotebookDisplay
from hedgerow.learn.adapt import adapt
from hedgerow.learn.choosing.selection import Selection
from hedgerow.models.base.model import ClassModel, Model, NumberModel
from hedgerow.report.schema import AnyReport, ProcedureReport
from hedgerow.report.whole.document import ReportDocument
from hedgerow.training.train import (
    EvaluationOptions,
    default_learner,
    evaluate_choice,
    train_learner,
    trained_model_part,
)


@dataclass(frozen=True, eq=False, repr=False)
class Fit(NotebookDisplay):
    """What `hedgerow.fit` found; `print` shows it as `hedgerow train` does.

    Parameters
    ----------
    model
        The model, trained on all rows.
    results
        The test of the learner, by cross-validation or on rows held out; None if it was not tested.
    baseline
        The same of the majority class or the mean.
    league
        The comparison of the learners that were tried; None if a learner was given.
    procedure
        How well the choice among learners does, in a report; None if there was none or no time for it.
    table
        The rows.
    notes
        Notes on the data, one sentence each.
    source
        The path of the file; empty for other data.
    """

    model: Model
    results: Results | None
    baseline: Results | None
    league: Selection | None
    procedure: ProcedureReport | None
    table: Table
    notes: tuple[str, ...] = ()
    source: str = ""

    def __repr__(self) -> str:
        name = self.model.about.learner if self.league is None else self.league.chosen.name
        if self.results is None:
            return f"<Fit: {name} for {self.model.schema.target!r}, not tested>"
        measure = "accuracy" if self.results.has_classes else main_measure(False)
        value = estimate(self.results, measure).value
        return f"<Fit: {name} for {self.model.schema.target!r}, {measure} {value:.4g} by {self.results.method}>"

    def __str__(self) -> str:
        from hedgerow.report.whole.text import render

        return render(self._training_report(), full=False, options=False).rstrip("\n")

    def _repr_html_(self) -> str:
        from hedgerow.report.notebook.training_view import training_view

        return training_view(self._training_report(), self.model, self.results, self.league)

    def report(self) -> ReportDocument:
        """Return the full report: the data, the model, the comparison of learners, and the test with all curves.

        It prints itself, a notebook shows it, and `.save("report.html")` writes a page (or .md, .json, .txt).
        """
        from hedgerow.report.whole.full_report import full_report

        report = full_report(self.model, self.table, self.results, self.baseline, picture=True)
        return ReportDocument({**report, **self._selection_part()})

    def predict(self, data: Any) -> Any:
        """Return the predicted class, or number, of every row of a table, a frame or a file."""
        if isinstance(data, str | PathLike):
            data = open_source(data, schema=self.model.schema).read()
        if isinstance(self.model, ClassModel | NumberModel):
            return self.model.predict(data)
        raise UsageError(f"a model of kind {self.model.kind!r} predicts neither a class nor a number")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `hedgerow.load` and `hedgerow predict` read."""
        self.model.save(fspath(path))

    def _selection_part(self) -> dict[str, Any]:
        from hedgerow.report.comparison.model_selection import selection_report

        if self.league is None:
            return {}
        return {"selection": {**selection_report(self.league), "procedure": self.procedure}}

    def _training_report(self) -> AnyReport:
        from hedgerow.report.data.training_data import training_data
        from hedgerow.report.evaluation.build import evaluation_report

        report: dict[str, Any] = {"report": "training", "version": 1, "trained_on": training_data(self.table)}
        if self.source:
            report["source"] = self.source
        report |= {"model": trained_model_part(self.model), "data_notes": list(self.notes), **self._selection_part()}
        if self.results is not None:
            report["evaluation"] = evaluation_report(self.results, self.baseline)
        return report


def fit(
    data: Any,
    target: str | None = None,
    learner: Any = None,
    *,
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    group: str | None = None,
) -> Fit:
    """Train a model on data, and test its learner by cross-validation: what `hedgerow train` does.

    Parameters
    ----------
    data
        A data frame, a Table, the path of a file, or anything else that `read` takes.
    target
        The column to predict; by default it is that of the table, or the last column.
    learner
        A learner, an estimator of scikit-learn, or the name of a learner. By default several learners are compared, and
        the simplest that is about as good as the best is trained.
    folds, runs, seed
        The cross-validation; with `folds=0` nothing is tested.
    group
        A column whose rows with the same value stay together in the folds; it is not used in training.

    Examples
    --------
    >>> import hedgerow
    >>> found = hedgerow.fit(hedgerow.examples.weather(), "Play", "one_r", folds=0)
    >>> found
    <Fit: one_r for 'Play', not tested>
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        table = to_table(data, target)
    for one in caught:
        if not issubclass(one.category, DataWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    notes = [str(one.message) for one in caught if issubclass(one.category, DataWarning)]
    _check_target(table)
    chosen = keep_groups_inside(_learner(learner, table), group)
    options = EvaluationOptions(folds, runs, seed, group)
    model, selection = train_learner(chosen, table, options)
    evaluated = evaluate_choice(chosen, selection, table, options)
    results, baseline = evaluated.tested or (None, None)
    source = fspath(data) if isinstance(data, str | PathLike) else ""
    return Fit(model, results, baseline, selection, evaluated.procedure, table, (*notes, *evaluated.notes), str(source))


def _learner(learner: Any, table: Table) -> Any:
    """Return the learner that is given, by name or as an object, or the default."""
    made = adapt(default_learner(table) if learner is None else learner)
    if getattr(made, "target_is_classes", True) is None:
        raise UsageError(f"{made.name!r} is not a learner that predicts; call its own train")
    return made


def _check_target(table: Table) -> None:
    """Raise an error if the target cannot be predicted."""
    column = table.schema.target_column
    if column.kind in (Kind.TEXT, Kind.BAG):
        others = (one.name for one in table.schema.columns if one.kind is Kind.NOMINAL and not one.ignored)
        such_as = "".join(f", as in target={other!r}" for other in list(others)[:1])
        raise DataError(f"the target {column.name!r} is {column.kind}; name the column to predict{such_as}")
