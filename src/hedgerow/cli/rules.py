"""hedgerow rules: the rules of a model with their statistics, and rule cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, SAFE_CELLS_OPTION, layout_options, print_note
from hedgerow.cli.output import read_all, show
from hedgerow.cli.progress import progress
from hedgerow.cli.test import open_model_and_source, open_test_source
from hedgerow.cli.tuning import GROUP_OPTION
from hedgerow.errors import UsageError
from hedgerow.models.rules.choice import SORTS, RuleChoice

if TYPE_CHECKING:
    from hedgerow.explain.card import Cards
    from hedgerow.models.base.model import Model


@click.command("rules")
@click.argument("model")
@click.argument("data", required=False)
@click.option("--class", "label", metavar="CLASS", help="Only rules that predict this class.")
@click.option(
    "--min-confidence", type=float, metavar="SHARE", help="Only rules with at least this confidence in training."
)
@click.option("--min-support", type=float, metavar="SHARE", help="Only rules with at least this support in training.")
@click.option("--max-length", type=int, metavar="N", help="Only rules of at most N conditions.")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="order",
    show_default=True,
    help="Sort the rules by this measure, the best first.",
)
@click.option(
    "--holdout",
    type=float,
    metavar="SHARE",
    help="Hold out this share of DATA for testing, and train again on the rest.",
)
@click.option("--folds", type=int, metavar="N", help="Train again on DATA without each of N folds in turn.")
@GROUP_OPTION
@click.option("--seed", default=1, show_default=True, help="Seed of the random splits.")
@click.option("--csv", metavar="FILE", help="Write the rules as a CSV table; - is standard output.")
@SAFE_CELLS_OPTION
@layout_options
@JSON_OPTION
@QUIET_OPTION
def command(
    model: str,
    data: str | None,
    label: str | None,
    min_confidence: float | None,
    min_support: float | None,
    max_length: int | None,
    sort: str,
    holdout: float | None,
    folds: int | None,
    group: str | None,
    seed: int,
    csv: str | None,
    safe_cells: bool,
    reading: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the rules of the model saved in MODEL, or the paths of a tree, with their statistics.

    MODEL may also be rules in a text file. Filters and --sort use training statistics. With DATA a card is printed
    for each rule: its coverage and precision on training rows and on unseen ones, with 95 % intervals.

    \b
      hedgerow rules loans.hedge --class No --sort lift
      hedgerow rules loans.hedge new.csv              statistics on new rows
      hedgerow rules loans.hedge loans.csv --folds 10 do the rules recur?
    """  # noqa: D301
    from hedgerow.report.rules.rules import rules_report

    if csv == "-" and as_json:
        raise UsageError("--csv - and --json would both go to standard output; write one of them to a file")
    choice = RuleChoice(label, min_confidence, min_support, max_length, sort)
    notes, model_or_cards = _make_rules(model, data, choice, holdout, folds, group, seed, reading, quiet)
    report = rules_report(model_or_cards, choice)
    if csv is not None:
        notes += _write_csv(model_or_cards, choice, csv, safe_cells)
        if csv == "-":
            for note in (*notes, *report["notes"]):
                print_note(note, quiet)
            return
    source = {} if data is None else {"source": data}
    show({**report, **source, "file": model, "notes": list(dict.fromkeys([*notes, *report["notes"]]))}, as_json)
    if csv is not None:
        print_note(f"the table of the rules is in {csv}", quiet)


def _make_rules(
    model: str,
    data: str | None,
    choice: RuleChoice,
    holdout: float | None,
    folds: int | None,
    group: str | None,
    seed: int,
    reading: dict[str, Any],
    quiet: bool,
) -> tuple[list[str], Model | Cards]:
    """Return notes on the data, and the model or its cards; contradicting options fail early."""
    from hedgerow.data.rows.row_groups import group_column_from_notes
    from hedgerow.explain.cards import rule_cards
    from hedgerow.models.files.model_file import load

    if data is None:
        if holdout is not None or folds is not None:
            raise UsageError("--holdout and --folds need the data to train on again; name them after the model")
        loaded = load(model)
        return [], loaded
    if holdout is not None and folds is not None:
        raise UsageError("choose one of --holdout and --folds: each is a different way to get unseen rows")
    loaded, source = open_model_and_source(model, data, reading)
    choice.check(loaded.rule_rows()[0].target.levels)
    again = holdout is not None or folds is not None
    if group is not None and not again:
        raise UsageError("--group keeps groups of rows together in training or in testing; add --holdout or --folds")
    group = (group or group_column_from_notes(loaded.about.notes)) if again else None
    source = open_test_source(source, loaded, group)
    table = read_all(source, quiet)
    with progress("rules of the folds", quiet) as tell:
        cards = rule_cards(loaded, table, holdout=holdout, folds=folds, seed=seed, progress=tell, group=group)
    return list(source.notes), cards


def _write_csv(model_or_cards: Model | Cards, choice: RuleChoice, path: str, safe_cells: bool) -> list[str]:
    """Write the chosen rules as CSV; return notes on what CSV cannot represent."""
    import numpy as np

    from hedgerow.data.frames.arrow import table_from_arrow
    from hedgerow.data.write import Writer
    from hedgerow.explain.card import Cards
    from hedgerow.models.base.rule_figures import figures_table

    model = model_or_cards.model if isinstance(model_or_cards, Cards) else model_or_cards
    table = (
        model_or_cards.to_arrow() if isinstance(model_or_cards, Cards) else figures_table(model_or_cards.rule_rows())
    )
    places = np.array(choice.select_rules(model.rule_rows()), dtype=np.int64)
    with Writer(path, "csv", safe_cells=safe_cells) as writer:
        writer.add(table_from_arrow(table.take(places)))
    return list(writer.notes)
