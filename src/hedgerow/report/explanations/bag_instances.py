"""The instances of a bag in an explanation: the contribution of each to the prediction."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_count, format_counted, format_probability, format_signed
from hedgerow.report import blocks as b
from hedgerow.report.explanations.decision_article import why_blocks
from hedgerow.report.schema import DecidedPart, InstanceReport, StrongestInstance, WhyInstances

MOST_INSTANCES = 10
LONGEST = 24  # cells of a value
RULES = {
    "average": "the probabilities of the bag are the means of theirs",
    "geometric": "the probabilities of the bag are the geometric means of theirs",
    "vote": "each has one vote",
}
EMPTY = "The bag has no instances: the prediction is the class distribution of the training data."


def instances_blocks(told: DecidedPart, found: WhyInstances) -> list[b.Block]:
    """Return the explanation of the prediction for a bag."""
    if not found["size"] or found["strongest"] is None:
        return [b.Paragraph((EMPTY,))]
    strongest = found["strongest"]
    inner = b.Article((b.StyledWords(_strongest(strongest)),), tuple(why_blocks(strongest, strongest["why"])))
    return [_tally_table(found), _instances(told, found), inner]


def _tally_table(found: WhyInstances) -> b.TableBlock:
    tally = sorted(found["tally"], key=lambda one: -one["share"])
    rows = tuple((one["class"], format_count(one["instances"]), format_probability(one["share"])) for one in tally)
    columns = b.TableColumn("class", longest=LONGEST), b.TableColumn("instances", "r"), b.TableColumn("share", "r")
    title = f"{format_counted(found['size'], 'instance')}; {RULES[found['rule']]}:"
    return b.TableBlock(columns, rows, title, indent=True)


def _instances(told: DecidedPart, found: WhyInstances) -> b.TableBlock:
    """Return the instances with the largest contributions for and against the prediction."""
    instances, half = found["instances"], MOST_INSTANCES // 2
    left = len(instances) - MOST_INSTANCES
    shown = instances if left <= 0 else [*instances[:half], *instances[-half:]]
    decision, names = told["decision"], found["columns"]
    share = () if decision is None else (b.TableColumn(f"P({decision})", "r"),)
    columns = (
        b.TableColumn("instance", "r"),
        b.TableColumn("prediction", longest=LONGEST),
        *share,
        b.TableColumn("contribution", "r"),
    )
    columns += tuple(b.TableColumn(shorten(name, LONGEST), "r") for name in names)
    rows = tuple(_instance(one, decision) for one in shown)
    note = f"{format_count(left)} instances between these are not shown; see the JSON report" if left > 0 else ""
    optional = tuple(range(len(columns) - len(names), len(columns)))
    said = "({n} {columns} not shown)"
    return b.TableBlock(
        columns, rows, _title(told), fit="keep", optional=optional, left_out=said, note=note, indent=True
    )


def _title(told: DecidedPart) -> str:
    if told["against"] is None or told["decision"] is None:
        return "Contribution of each instance:"
    return f"Contribution of each instance to {told['decision']} (+) or to {told['against']} (-):"


def _instance(one: InstanceReport, decision: str | None) -> b.Row:
    share = () if decision is None else (format_probability(one["probabilities"][decision]),)
    values: Sequence[str] = [shorten(value, LONGEST) for value in one["values"]]
    return (format_count(one["instance"]), one["says"] or "none", *share, format_signed(one["adds"]), *values)


def _strongest(one: StrongestInstance) -> str:
    said = "no prediction" if one["decision"] is None else one["decision"]
    return (
        f"Instance {format_count(one['instance'])} supports the prediction most; its own prediction is {said}, because:"
    )
