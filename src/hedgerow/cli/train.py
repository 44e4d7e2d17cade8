"""hedgerow train: from a table to a printed, tested and saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hedgerow.cli.decisions import (
    check_wanted,
    learner_costs_option,
    wanted_options,
    wanted_thresholds,
    with_costs,
)
from hedgerow.cli.evaluation import LEARNER_OPTION, fold_options
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
from hedgerow.cli.output import show, show_reading_progress
from hedgerow.cli.pictures import PLOT_OPTION, check_folder, check_plot, draw_model, picture_title, write_plot
from hedgerow.cli.progress import TerminalMonitor, one_bar, rough_time
from hedgerow.cli.tuning import GROUP_OPTION, make_tuned_learner, tune_options
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn.base import Learner
from hedgerow.models.base.model import Model
from hedgerow.models.files.model_file import check_ending
from hedgerow.training.train import (
    ChosenEvaluation,
    EvaluationOptions,
    evaluate_choice,
    train_learner,
    trained_model_part,
)

if TYPE_CHECKING:
    from hedgerow.evaluate.tune import TunedLearner
    from hedgerow.learn.choosing.selection import Selection
    from hedgerow.report.evaluation.thresholds import WantedThresholds

LONG = 15.0  # seconds from which on the time is said beforehand
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
@learner_costs_option
@wanted_options
@click.option("--no-sketch", is_flag=True, help="Save the model without the sketch of its training rows.")
@click.option("--stream", is_flag=True, help="Train in passes over the file, which can be larger than memory.")
@click.option("--full", is_flag=True, help="Print everything: all candidates, the whole model, all figures.")
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
    decision_costs: str | None,
    wanted_recall: tuple[str, ...],
    wanted_precision: tuple[str, ...],
    no_sketch: bool,
    stream: bool,
    full: bool,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Train a model on DATA, print it, test it by cross-validation, and save it with -o.

    The metrics come from cross-validation (--folds 0 skips it); the printed and saved model is trained on all rows. Of
    a large model only the most important part is printed; --full prints everything.
    Parameters named by --tune are also chosen by cross-validation: for the model on all rows, for the metrics again in
    every fold, on its training rows only. The model file has a sketch of the training rows (hashes of at most 4096),
    by which tests recognize them; --no-sketch leaves it out. `hedgerow learners` lists the learners, `hedgerow train
    DATA --learner NAME --help` also the options of one.

    \b
      hedgerow train loans.csv -o loans.hedge
      hedgerow train loans.csv --target paid --learner c45 --full
    """  # noqa: D301
    from hedgerow.evaluate.validate import keep_groups_inside
    from hedgerow.report.data.training_data import training_data

    if output == "-":
        raise UsageError("a model file cannot go to standard output; name a file with -o")
    check_folder(output)
    check_ending(output)
    check_plot(plot)
    selection: Selection | None = None
    wanted = wanted_thresholds(wanted_recall, wanted_precision, settings.get("costs", decision_costs))
    if wanted.classes and (stream or not folds):
        raise UsageError("--recall and --precision need a test; leave out --folds 0 and --stream")
    if stream:
        _refuse_in_stream(show_work, bool(tune) or group is not None)
        trained_model, evaluation = train_from_stream(data, learner, settings, reading, quiet, decision_costs), {}
        picture = draw_model(trained_model.model, plot) if plot else b""
    else:
        table, notes = read_data(data, reading, quiet)
        chosen = with_costs(learner_from(learner, settings, table), decision_costs)
        check_wanted(wanted, chosen, table)
        work = {"work": work_text(chosen, table, quiet)} if show_work else {}
        chosen_learner = keep_groups_inside(
            make_tuned_learner(chosen, tune, tune_rule, tune_by, tune_folds, group), group
        )
        options = EvaluationOptions(folds, runs, seed, group, TerminalMonitor(quiet))
        with one_bar(quiet):
            announce(chosen_learner, table, options, quiet)
            model, selection = train_learner(chosen_learner, table, options)
            trained_model = TrainedModel(model, notes, {**work, "trained_on": training_data(table)})
            if plot:  # before the longer part: not every model can be drawn
                picture = draw_model(model, plot)
            evaluated = evaluate_choice(chosen_learner, selection, table, options)
        notes += evaluated.notes
        evaluation = evaluation_parts(selection, evaluated, wanted)
    if plot:
        write_plot(picture, plot)
    report = {
        "report": "training",
        "version": 1,
        "source": data,
        **trained_model.report(output, selection is not None),
        **evaluation,
    }
    if output:
        trained_model.model.save(output, sketch=not no_sketch)
    show(report, as_json, full=full)
    if plot:
        print_note(f"the picture of the {picture_title(trained_model.model)} is in {plot}", quiet)
    if not as_json and not output:
        print_note("the model was not saved; add -o FILE to keep it", quiet)


class TrainedModel(NamedTuple):
    """A trained model, notes on its data, and the training part of the report."""

    model: Model
    notes: list[str]
    parts: dict[str, Any]

    def report(self, file: str | None, selected: bool = False) -> dict[str, Any]:
        """Return the report before any test; `file` is the file of the model, `selected` whether its learner was."""
        kept = {} if file is None else {"file": file}
        return {**self.parts, "model": {**trained_model_part(self.model, selected), **kept}, "data_notes": self.notes}


def _refuse_in_stream(show_work: bool, chooses: bool) -> None:
    """Raise an error if an option needs all rows at once."""
    if show_work:
        raise UsageError("--show-work needs all rows at once; leave out --stream")
    if chooses:
        raise UsageError("--tune and --group need all rows at once; leave out --stream")


def train_from_stream(
    data: str,
    learner: str | None,
    settings: dict[str, Any],
    reading: dict[str, Any],
    quiet: bool,
    costs: str | None = None,
) -> TrainedModel:
    """Return the model of a file that is read in batches."""
    from hedgerow.learn.registry import find_learner

    chosen = with_costs(make_learner(find_learner(learner or STREAMED_LEARNER), settings), costs)
    source = open_data(data, reading)
    check_learnable(source)
    with show_reading_progress(source, "learning", quiet):
        model = chosen.train(source)
    untested = "not tested: cross-validation needs the rows in memory; test it on other rows"
    return TrainedModel(model, [*source.notes, untested], {})


def announce(learner: Learner | TunedLearner, table: Table, options: EvaluationOptions, quiet: bool) -> None:
    """Say beforehand how long a long job will take."""
    from hedgerow.data.rows.row_groups import ignore_group_column
    from hedgerow.data.table.threads import n_threads
    from hedgerow.learn.choosing.selector import ModelSelector
    from hedgerow.learn.choosing.work import known_work
    from hedgerow.training.model_selection import WorkPlan

    if isinstance(learner, ModelSelector):
        work, shorter = WorkPlan.before(learner, table, options).total, "--budget 10s takes less time"
    else:
        used = table if options.group is None else ignore_group_column(table, options.group)
        work, shorter = known_work(learner, used) * (1 + options.trainings), "--folds 0 skips the test"
    if (seconds := work / n_threads()) > LONG:
        print_note(f"this takes about {rough_time(seconds)}; {shorter}", quiet)


def evaluation_parts(
    selection: Selection | None, evaluation: ChosenEvaluation, wanted: WantedThresholds
) -> dict[str, Any]:
    """Return the parts of the report on a model selection, if there was one, and on the evaluation."""
    from hedgerow.report.comparison.model_selection import selection_report
    from hedgerow.report.evaluation.build import evaluation_report

    parts: dict[str, Any] = {}
    if selection is not None:
        parts["selection"] = {**selection_report(selection), "procedure": evaluation.procedure}
    if evaluation.tested is not None:
        parts["evaluation"] = evaluation_report(*evaluation.tested, wanted)
    return parts


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
