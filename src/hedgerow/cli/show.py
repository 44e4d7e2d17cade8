"""hedgerow show: print a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.options import JSON_OPTION, print_note
from hedgerow.cli.output import show
from hedgerow.cli.pictures import PLOT_OPTION, check_plot, draw_model, picture_title, write_plot
from hedgerow.errors import UsageError

if TYPE_CHECKING:
    from hedgerow.models.base.model import Model


@click.command("show")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "--member",
    type=int,
    metavar="NUMBER",
    help="Print one member of an ensemble, a coded model or memberships, or one of several machines, counted from 0.",
)
@click.option("--rules", is_flag=True, help="Print a tree as rules, one rule per leaf, with support and confidence.")
@click.option(
    "--rules-out",
    metavar="FILE",
    help="Write the rules, and the columns they use, to a file that can be edited and used as a model.",
)
@click.option("--terms", metavar="N|all", help="Number of most informative terms of texts to print for each class.")
@PLOT_OPTION
@JSON_OPTION
def command(
    model: str,
    data: str | None,
    member: int | None,
    rules: bool,
    rules_out: str | None,
    terms: str | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Print the model saved in the file MODEL, and how it was trained; with --plot also draw it.

    MODEL may also be rules in a text file; DATA then supply the kinds and levels of columns, unless the text does.

    \b
      hedgerow show loans.hedge
      hedgerow show loans.hedge --plot tree.svg
    """  # noqa: D301
    from hedgerow.models.files.model_file import load
    from hedgerow.report.about.model_report import model_report
    from hedgerow.report.linear.telling_terms import require_terms

    check_plot(plot)
    loaded = load(model, data)
    report: dict[str, Any] = {**model_report(loaded)}
    chosen = loaded
    if member is not None:
        if not loaded.has_members:
            raise UsageError(f"{model} holds a model of kind {loaded.kind!r}, which has no members")
        report["text"] = loaded.member(member)
        chosen = loaded.member_model(member)
    if rules:
        report |= _tree_as_rules(chosen, model if member is None else f"member {member} of {model}")
    if terms is not None:
        report |= {**require_terms(chosen, _parse_term_count(terms), model), "only_terms": True}
    if rules_out is not None:
        _write_rules(chosen, model, rules_out)
    if plot:
        if chosen.has_members and chosen.member_model(0) is not chosen:
            raise UsageError(f"{model} holds {chosen.display_name}; --member NUMBER draws one of its members")
        write_plot(draw_model(chosen, plot), plot)
    if rules_out != "-":
        show({**report, "file": model}, as_json)
    if plot:
        print_note(f"the picture of the {picture_title(chosen)} is in {plot}")


def _parse_term_count(terms: str) -> int | None:
    """Return the number of terms given by `--terms`; None for all."""
    if terms == "all":
        return None
    if not terms.isdecimal() or not int(terms):
        raise UsageError(f"--terms {terms}: give a number of at least 1, or all")
    return int(terms)


def _write_rules(model: Model, where: str, path: str) -> None:
    """Write the rules of a list, a set or a tree as a text that can be used as a model."""
    from hedgerow.models.files.model_file import write_atomic
    from hedgerow.models.rules.text_header import with_columns

    if not model.rule_order:
        raise UsageError(f"{where} holds a model of kind {model.kind!r}; only rules and trees of classes become rules")
    text = with_columns(model.as_rules())
    if path == "-":
        click.echo(text, nl=False)
        return
    write_atomic(path, text.encode())
    print_note(f"the rules are in {path}; edit them and test them: hedgerow test {path} DATA")


def _tree_as_rules(model: Model, where: str) -> dict[str, Any]:
    """Return the report of a tree as rules."""
    if not model.rule_order:
        raise UsageError(f"{where} holds a model of kind {model.kind!r}; only a tree of classes prints as rules")
    result = model.as_rules()
    if result is model:
        raise UsageError(f"{where} already holds rules; leave out --rules to print them")
    target, total = model.schema.target_column, result.total
    rules = [
        {
            "rule": rule.text(target),
            "n": rule.n,
            "errors": rule.errors,
            "support": rule.support(total) if total else None,
            "confidence": rule.confidence if rule.n else None,
        }
        for rule in result
    ]
    return {"text": str(result), "rules": rules}
