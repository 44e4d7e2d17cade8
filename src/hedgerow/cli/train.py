"""hedgerow train: from a table to a printed, tested and saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hedgerow.cli.evaluation import LEARNER_OPTION, beside_baseline, fold_options
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    STREAMED_LEARNER,
    LearnerCommand,
    check_learnable,
    data_options,
    learner_from,
    learner_with,
    say,
    source_of,
    table_of,
)
from hedgerow.cli.output import progress, show, watched
from hedgerow.cli.pictures import PLOT_OPTION, check_folder, check_plot, drawn, pictured, write_plot
from hedgerow.cli.tuning import GROUP_OPTION, trained, tune_options, tuned
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn.base import Learner
from hedgerow.models.base.model import Model
from hedgerow.models.files.model_file import check_ending

if TYPE_CHECKING:
    from hedgerow.evaluate.tune import Tuned

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
    stream: bool,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Train a model on DATA, print it, test it by cross-validation, and save it with -o.

    The metrics come from cross-validation (--folds 0 skips it); the printed and saved model is trained on all rows.
    Parameters named by --tune are also chosen by cross-validation: for the model on all rows, for the metrics again in
    every fold, on its training rows only. `hedgerow learners` lists the learners, `hedgerow train DATA --learner NAME
    --help` also the options of one.
    """
    from hedgerow.evaluate.validate import within_groups

    if output == "-":
        raise UsageError("a model file cannot go to standard output; name a file with -o")
    check_folder(output)
    check_ending(output)
    check_plot(plot)
    if stream:
        _refuse_in_stream(show_work, bool(tune) or group is not None)
        made = streamed(data, learner, settings, reading, quiet)
    else:
        table, notes = table_of(data, reading, quiet)
        chosen = learner_from(learner, settings, table)
        work = {"work": work_of(chosen, table, quiet)} if show_work else {}
        asked = within_groups(tuned(chosen, tune, tune_rule, tune_by, tune_folds, group), group)
        model, league = learned(asked, table, group, quiet)
        made = TrainedModel(model, notes, work | league)
    picture = drawn(made.model, plot) if plot else b""  # before the long part: not every model can be drawn
    evaluation = {} if stream or not folds else tested(asked, table, folds, runs, seed, quiet, group, made.notes)
    if plot:
        write_plot(picture, plot)
    report = {"report": "training", "version": 1, "source": data, **made.report(output), **evaluation}
    if output:
        made.model.save(output)
    show(report, as_json)
    if plot:
        say(f"the picture of the {pictured(made.model)} is in {plot}", quiet)
    if not as_json and not output:
        say("the model was not saved; add -o FILE to keep it", quiet)


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


def streamed(
    data: str, learner: str | None, settings: dict[str, Any], reading: dict[str, Any], quiet: bool
) -> TrainedModel:
    """Return the model of a file that is read in batches."""
    from hedgerow.learn.registry import learner_named

    chosen = learner_with(learner_named(learner or STREAMED_LEARNER), settings)
    source = source_of(data, reading)
    check_learnable(source)
    with watched(source, "learning", quiet):
        model = chosen.train(source)
    untested = "not tested: cross-validation needs the rows in memory; test it on other rows"
    return TrainedModel(model, [*source.notes, untested], {})


def tested(
    learner: Learner | Tuned,
    table: Table,
    folds: int,
    runs: int,
    seed: int,
    quiet: bool,
    group: str | None,
    notes: list[str],
) -> dict[str, Any]:
    """Return the evaluation for the report; where there are too few rows, a note is added instead."""
    from hedgerow.evaluate.run_split import suited, target_of
    from hedgerow.evaluate.splits import usable

    if len(usable(target_of(suited(learner, table)))) < 2:
        notes.append("not tested, since that needs at least two rows with a target")
        return {}
    return {"evaluation": beside_baseline(learner, table, folds, runs, seed, quiet, group)}


def learned(learner: Learner | Tuned, table: Table, group: str | None, quiet: bool) -> tuple[Model, dict[str, Any]]:
    """Return the model of a table, and for the report the ranking of a learner that chooses among others."""
    from hedgerow.data.table.row_groups import set_aside
    from hedgerow.learn.choosing.judge import Judge

    table = table if group is None else set_aside(table, group)
    if not isinstance(learner, Judge):
        return trained(learner, table, quiet), {}
    from hedgerow.report.comparison.contest import league_report

    with progress("league", quiet) as tell:
        model, league = learner.judged(table, tell)
    return model, {"league": league_report(league)}


def work_of(learner: Learner, table: Table, quiet: bool) -> str:
    """Return the steps of training as text; raise an error for a learner without such steps."""
    from hedgerow.learn.registry import learners

    if table.n_rows > MUCH_WORK:
        say(f"showing the work on {table.n_rows} rows is slow and long; fewer rows are enough", quiet)
    if not learner.shows_work:
        known = (info for info in learners().values() if info.learner.target_is_classes is not None)
        others = ", ".join(info.name for info in known if info.learner.shows_work)
        raise UsageError(
            f"{learner.name} has no intermediate steps to show beyond its printed model; --show-work is for {others}"
        )
    return str(learner.show_work(table))
