"""hedgerow show: print a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.options import JSON_OPTION, say
from hedgerow.cli.output import show
from hedgerow.cli.plot import PLOT_OPTION, check_plot, drawn, write_plot
from hedgerow.errors import UsageError

if TYPE_CHECKING:
    from hedgerow.models.model import Model


@click.command("show")
@click.argument("model")
@click.option("--member", type=int, metavar="NUMBER", help="Print one member of a committee, counted from 0.")
@click.option("--rules", is_flag=True, help="Print a tree as rules, a rule a leaf, with support and confidence.")
@PLOT_OPTION
@JSON_OPTION
def command(model: str, member: int | None, rules: bool, plot: str | None, as_json: bool) -> None:
    """Print the model saved in the file MODEL, and how it came about; with --plot also draw it."""
    from hedgerow.models.committee import Committee
    from hedgerow.models.files import load
    from hedgerow.report.build import model_report

    check_plot(plot)
    loaded = load(model)
    report, chosen = model_report(loaded), loaded
    if member is not None:
        if not isinstance(loaded, Committee):
            raise UsageError(f"{model} holds a model of kind {loaded.kind!r}, which has no members")
        report["text"], chosen = loaded.member(member), loaded.members[member]
    if rules:
        report |= _as_rules(chosen, model if member is None else f"member {member} of {model}")
    if plot:
        if isinstance(chosen, Committee):
            raise UsageError(f"{model} holds a committee; --member NUMBER draws one of its members")
        write_plot(drawn(chosen, plot), plot)
    show({**report, "file": model}, as_json)
    if plot:
        say(f"the picture of the tree is in {plot}")


def _as_rules(model: Model, where: str) -> dict[str, Any]:
    """Return what a report says of a tree as rules."""
    from hedgerow.models.rules import RuleList
    from hedgerow.models.tree import Tree

    if isinstance(model, RuleList):
        raise UsageError(f"{where} holds rules already; leave out --rules to print them")
    if not isinstance(model, Tree):
        raise UsageError(f"{where} holds a model of kind {model.kind!r}; only a tree of classes prints as rules")
    made = model.rules()
    target, total = model.schema.target_column, made.total
    rules = [
        {
            "rule": rule.text(target),
            "n": rule.n,
            "errors": rule.errors,
            "support": rule.support(total) if total else None,
            "confidence": rule.confidence if rule.n else None,
        }
        for rule in made
    ]
    return {"text": str(made), "rules": rules}
