"""hedgerow train: from a table to a printed, tested and saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hedgerow.cli.evaluation import LEARNER_OPTION, cross_validate_with_baseline, fold_options
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    STREAMED_LEARNER,
    LearnerCommand,
    check_learnable,
    data_options,
    learner_from,
    make_learner,
    open_data,
    print_note,
    read_data,
)
from hedgerow.cli.output import progress, show, show_reading_progress
from hedgerow.cli.pictures import PLOT_OPTION, check_folder, check_plot, draw_model, picture_title, write_plot
from hedgerow.cli.tuning import GROUP_OPTION, make_tuned_learner, train_with_progress, tune_options
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn.base import Learner
from hedgerow.models.base.model import Model
from hedgerow.models.files.model_file import check_ending

if TYPE_CHECKING:
    from hedgerow.evaluate.tune import TunedLearner
    from hedgerow.learn.choosing.selection import Selection

MUCH_WORK = 2000  # rows from which on showing the work is announced


@click.command("train", cls=LearnerCommand)
@click.argument("data")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Save the model here.")
@PLOT_OPTION
@LEARNER_OPTION
@fold_options
@GROUP_OPTION
@tune_options
@click.option("--show-work", is_flag=True, help="Show the steps of training: gains, pruning, descent (slow).")
@click.option("--no-sketch", is_flag=True, help="Save the model without the sketch of its training rows.")
@click.option("--stream", is_flag=True, help="Train in passes over the file, which can be larger than memory.")
@data_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: str,
    output: str | None,
    plot: str | None,
    learner: str | None,
    folds: int,
    runs: int,
    seed: int,
    group: str | None,
    tune: tuple[str, ...],
    tune_rule: str,
    tune_by: str | None,
    tune_folds: int,
    show_work: bool,
    no_sketch: bool,
    stream: bool,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Train a model on DATA, print it, test it by cross-validation, and save it with -o.

    The metrics come from cross-validation (--folds 0 skips it); the printed and saved model is trained on all rows.
    Parameters named by --tune are also chosen by cross-validation: for the model on all rows, for the metrics again in
    every fold, on its training rows only. The model file has a sketch of the training rows (hashes of at most 4096),
    by which tests recognize them; --no-sketch leaves it out. `hedgerow learners` lists the learners, `hedgerow train
    DATA --learner NAME --help` also the options of one.
    """
    from hedgerow.evaluate.validate import keep_groups_inside

    if output == "-":
        raise UsageError("a model file cannot go to standard output; name a file with -o")
    check_folder(output)
    check_ending(output)
    check_plot(plot)
    selection: Selection | None = None
    if stream:
        _refuse_in_stream(show_work, bool(tune) or group is not None)
        trained_model = train_from_stream(data, learner, settings, reading, quiet)
    else:
        table, notes = read_data(data, reading, quiet)
        chosen = learner_from(learner, settings, table)
        work = {"work": work_text(chosen, table, quiet)} if show_work else {}
        chosen_learner = keep_groups_inside(
            make_tuned_learner(chosen, tune, tune_rule, tune_by, tune_folds, group), group
        )
        model, selection = train_learner(chosen_learner, table, group, quiet)
        trained_model = TrainedModel(model, notes, work)
    picture = (
        draw_model(trained_model.model, plot) if plot else b""
    )  # before the long part: not every model can be drawn
    evaluation = {}
    if not stream:
        options = EvaluationOptions(folds, runs, seed, group, quiet)
        evaluation = evaluate_choice(chosen_learner, selection, table, options, trained_model.notes)
    if plot:
        write_plot(picture, plot)
    report = {"report": "training", "version": 1, "source": data, **trained_model.report(output), **evaluation}
    if output:
        trained_model.model.save(output, sketch=not no_sketch)
    show(report, as_json)
    if plot:
        print_note(f"the picture of the {picture_title(trained_model.model)} is in {plot}", quiet)
    if not as_json and not output:
        print_note("the model was not saved; add -o FILE to keep it", quiet)


class TrainedModel(NamedTuple):
    """A trained model, notes on its data, and the training part of the report."""

    model: Model
    notes: list[str]
    parts: dict[str, Any]

    def report(self, file: str | None) -> dict[str, Any]:
        """Return the report before any test; `file` is the file of the model."""
        from hedgerow.report.about.model_report import model_report

        kept = {} if file is None else {"file": file}
        return {**self.parts, "model": {**model_report(self.model), **kept}, "data_notes": self.notes}


def _refuse_in_stream(show_work: bool, chooses: bool) -> None:
    """Raise an error if an option needs all rows at once."""
    if show_work:
        raise UsageError("--show-work needs all rows at once; leave out --stream")
    if chooses:
        raise UsageError("--tune and --group need all rows at once; leave out --stream")


def train_from_stream(
    data: str, learner: str | None, settings: dict[str, Any], reading: dict[str, Any], quiet: bool
) -> TrainedModel:
    """Return the model of a file that is read in batches."""
    from hedgerow.learn.registry import find_learner

    chosen = make_learner(find_learner(learner or STREAMED_LEARNER), settings)
    source = open_data(data, reading)
    check_learnable(source)
    with show_reading_progress(source, "learning", quiet):
        model = chosen.train(source)
    untested = "not tested: cross-validation needs the rows in memory; test it on other rows"
    return TrainedModel(model, [*source.notes, untested], {})


class EvaluationOptions(NamedTuple):
    """How the trained learner is evaluated."""

    folds: int
    runs: int
    seed: int
    group: str | None
    quiet: bool


def evaluate_choice(
    learner: Learner | TunedLearner,
    selection: Selection | None,
    table: Table,
    options: EvaluationOptions,
    notes: list[str],
) -> dict[str, Any]:
    """Return the model selection, if there was one, and the evaluation for the report.

    Of a model selection the chosen learner is evaluated, and the whole procedure beside it.
    """
    from hedgerow.cli.model_selection import evaluate_chosen, evaluate_procedure
    from hedgerow.evaluate.run_split import target_values, to_learner_table
    from hedgerow.evaluate.splits import usable
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.report.comparison.model_selection import selection_report

    parts: dict[str, Any] = {} if selection is None else {"selection": selection_report(selection)}
    if not options.folds:
        return parts
    if len(usable(target_values(to_learner_table(learner, table)))) < 2:
        notes.append("not tested, since that needs at least two rows with a target")
        return parts
    if selection is None or not isinstance(learner, ModelSelector):
        given = (table, options.folds, options.runs, options.seed, options.quiet, options.group)
        return {"evaluation": cross_validate_with_baseline(learner, *given)}
    parts["selection"]["procedure"] = evaluate_procedure(learner, selection, table, options)
    return {**parts, "evaluation": evaluate_chosen(learner, selection, table, options)}


def train_learner(
    learner: Learner | TunedLearner, table: Table, group: str | None, quiet: bool
) -> tuple[Model, Selection | None]:
    """Return the model of a table, and the model selection of a learner that chooses among others."""
    from hedgerow.data.table.row_groups import ignore_group_column
    from hedgerow.learn.choosing.selector import ModelSelector

    if not isinstance(learner, ModelSelector):
        table = table if group is None else ignore_group_column(table, group)
        return train_with_progress(learner, table, quiet), None
    with progress("model selection", quiet) as tell:
        return learner.choose_and_train(table, tell)


def work_text(learner: Learner, table: Table, quiet: bool) -> str:
    """Return the steps of training as text; raise an error for a learner without such steps."""
    from hedgerow.learn.registry import learners

    if table.n_rows > MUCH_WORK:
        print_note(f"showing the work on {table.n_rows} rows is slow and long; fewer rows are enough", quiet)
    if not learner.shows_work:
        known = (info for info in learners().values() if info.learner.target_is_classes is not None)
        others = ", ".join(info.name for info in known if info.learner.shows_work)
        raise UsageError(
            f"{learner.name} has no intermediate steps to show beyond its printed model; --show-work is for {others}"
        )
    return str(learner.show_work(table))
