"""hedgerow associate: item sets and association rules, and recommendations for baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import click

from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    READING,
    LearnerCommand,
    open_data,
    print_note,
    table_options,
)
from hedgerow.cli.output import show
from hedgerow.cli.pictures import check_folder
from hedgerow.cli.progress import progress
from hedgerow.errors import DataError, UsageError

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Table
    from hedgerow.learn.associations.first_look import FirstLook
    from hedgerow.models.associations.association_rules import AssociationRules
    from hedgerow.models.base.model import Model

SHOWN = 20  # rules or sets that are printed
OFFERS = 3  # recommendations a basket


class AssociateCommand(LearnerCommand):
    """A command with the options of `Apriori`."""

    fixed: ClassVar[str] = "apriori"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options by their purpose."""
        own = self.learner_keys(ctx)
        parts: dict[str, list[tuple[str, str]]] = {"Options": [], "What to find": [], "How to read the data": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = "What to find" if param.name in own else "Options"
                parts["How to read the data" if param.name in READING else title].append(record)
        for title, records in parts.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


@click.command("associate", cls=AssociateCommand)
@click.argument("data")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Save everything found: as a model (.hedge), as JSON, or as a table (.csv, .arrow, .parquet).",
)
@click.option("--only-sets", is_flag=True, help="Find item sets without deriving rules from them.")
@click.option("--sets", type=click.Choice(["all", "closed", "maximal"]), help="Which item sets; implies --only-sets.")
@click.option("--recommend", metavar="BASKETS", help="Recommend items for these baskets, with the saved rules in DATA.")
@click.option(
    "--offers", default=OFFERS, show_default=True, help="With --recommend, number of items to recommend per basket."
)
@click.option(
    "--show", "shown", default=SHOWN, show_default=True, help="Number of rules or sets to print; 0 prints all."
)
@click.option("--show-work", is_flag=True, help="Show the steps of the search, level by level (slow).")
@click.option("--stream", is_flag=True, help="Search in passes over the file, which can be larger than memory.")
@table_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: str,
    output: str | None,
    only_sets: bool,
    sets: str | None,
    recommend: str | None,
    offers: int,
    shown: int,
    show_work: bool,
    stream: bool,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Find frequent item sets in DATA, and rules such as {bread, butter} => {milk}.

    DATA may be baskets, one per line with items separated by commas or spaces, pairs of a basket and an item (--id,
    --item), or a table, whose items are column=value. Without a minimum support the support is lowered until some rules
    are found.

    \b
      hedgerow associate groceries.csv
      hedgerow associate groceries.csv --min-support 0.01 --by lift -o rules.json
      hedgerow associate loans.csv --consequent Class --min-support 0.05
      hedgerow associate rules.json --recommend cart.dat
    """  # noqa: D301
    only_sets = only_sets or sets is not None
    _refuse(data, output, recommend, only_sets, offers, shown, show_work, stream)
    most = None if as_json or shown == 0 else shown
    if recommend is not None:
        _recommend(data, recommend, offers, most, reading, as_json)
        return
    source = _open_data(data, reading)
    first_look = _explore(source, stream, settings, sets or "all" if only_sets else None, quiet)
    work = {"work": _work(source, first_look)} if show_work else {}
    kept = first_look.sets if first_look.rules is None else first_look.rules
    if output:
        from hedgerow.export.associations import write_associations

        write_associations(kept, output)
    show({**_report(first_look, most, list(source.notes)), "source": data, **work, **_file(output)}, as_json)
    if not as_json and not output and len(kept):
        print_note(f"nothing was saved; add -o FILE to keep the {'item sets' if only_sets else 'rules'}", quiet)


def _refuse(
    data: str,
    output: str | None,
    recommend: str | None,
    only_sets: bool,
    offers: int,
    shown: int,
    show_work: bool,
    stream: bool,
) -> None:
    """Raise an error if options contradict each other."""
    if output == "-":
        raise UsageError("rules and item sets cannot go to standard output; name a file with -o, or print --json")
    from hedgerow.export.associations import MODEL_ENDINGS, check_ending

    if output:
        check_ending(output)
        check_folder(output)
    if shown < 0 or offers < 1:
        raise UsageError("--show must be 0 or more, and --offers 1 or more")
    if show_work and (only_sets or stream):
        raise UsageError("--show-work shows the search for rules in memory; leave out --only-sets, --sets and --stream")
    if recommend is None and data.lower().endswith(MODEL_ENDINGS):
        raise UsageError(
            f"{data} is not data to search, but a model; print it with hedgerow show {data}, or name baskets to apply "
            "its rules to: --recommend BASKETS"
        )
    if recommend is not None and (only_sets or show_work or stream or output):
        raise UsageError("--recommend uses saved rules; leave out -o and the options of the search")


def _open_data(data: str, reading: dict[str, Any]) -> Source:
    """Open data without a target; baskets are distinguished from tables by their first lines."""
    from hedgerow.data.formats.basket_detect import basket_delimiter

    if reading["file_format"] is None and reading["header"] is None:
        delimiter = basket_delimiter(data, reading["encoding"])
        if delimiter is not None:
            reading = {**reading, "file_format": "basket", "delimiter": reading["delimiter"] or delimiter}
    return open_data(data, reading, target="")


def _explore(source: Source, stream: bool, settings: dict[str, Any], which: str | None, quiet: bool) -> FirstLook:
    """Return the rules or sets; all rows are read at once unless they are streamed."""
    from hedgerow.learn.associations.first_look import explore_rules, explore_sets

    data = source if stream else _read(source)
    with progress("levels of support", quiet) as tell:
        if which is not None:
            return explore_sets(data, settings, which, tell)
        return explore_rules(data, settings, tell)


def _read(source: Source) -> Any:
    try:
        return source.read()
    except DataError as error:
        if "fields instead of" in str(error):
            raise DataError(f"{error}; if every line is a basket, use --format basket") from None
        raise


def _work(source: Source, first_look: FirstLook) -> str:
    from hedgerow.learn.associations.apriori import Apriori

    assert first_look.rules is not None
    return str(Apriori(**first_look.rules.about.parameters).show_work(source.read()))


def _report(first_look: FirstLook, most: int | None, notes: list[str]) -> dict[str, Any]:
    from hedgerow.layout.wrapping import drop_repeated_notes
    from hedgerow.report.associations.associations import look_report

    report = look_report(first_look, most)
    return {**report, "notes": drop_repeated_notes([*notes, *report["notes"]])}


def _file(output: str | None) -> dict[str, str]:
    return {} if output is None else {"file": output}


def _recommend(rules: str, baskets: str, offers: int, most: int | None, reading: dict[str, Any], as_json: bool) -> None:
    """Print what saved rules recommend for baskets."""
    from hedgerow.report.associations.associations import recommendations_report

    loaded = _load_rules(rules)
    source, table = _read_rule_data(baskets, reading, loaded)
    report = recommendations_report(loaded, table, offers, most)
    show({**report, "source": baskets, "file": rules, "notes": list(source.notes)}, as_json)


def _read_rule_data(path: str, reading: dict[str, Any], rules: AssociationRules) -> tuple[Source, Table]:
    """Read the rows to apply rules to; baskets that look like a table are recognized by their items."""
    source = _open_data(path, reading)
    table = source.read()
    if reading["file_format"] is None and not any(rules.items.columns) and path != "-":
        try:
            rules.items.baskets(table)
        except DataError:
            source = _open_data(path, {**reading, "file_format": "basket"})
            table = source.read()
            if not len(rules.items.baskets(table).codes):
                raise  # baskets of which no item is known are more likely a table of something else
    return source, table


def _load_rules(path: str) -> AssociationRules:
    from hedgerow.models.associations.association_rules import AssociationRules
    from hedgerow.models.associations.item_sets import ItemSets
    from hedgerow.models.files.model_file import load

    loaded: Model = load(path)
    if isinstance(loaded, ItemSets):
        raise UsageError(f"{path} holds item sets; to recommend items, save rules instead, without --only-sets")
    if not isinstance(loaded, AssociationRules):
        raise UsageError(f"{path} holds no association rules, but a model of kind {loaded.kind!r}")
    return loaded
