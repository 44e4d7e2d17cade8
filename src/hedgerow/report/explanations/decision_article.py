"""The section on explanations: the prediction, the texts with marked words, and the reasons."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

from hedgerow.layout.numbers import (
    format_count,
    format_counted,
    format_probability,
    format_share,
    format_short,
    format_signed,
    format_weight,
)
from hedgerow.report import blocks as b
from hedgerow.report.explanations.explanation_words import (
    adds_decimals,
    leaf_sentence,
    left_out_sentence,
    more_sentence,
    nearest_sentence,
    row_has,
    row_name,
    rule_words,
    shares_pieces,
    step_value,
    strongest,
    title_of_explanations,
    total_words,
    unit_sentence,
    verdict_text,
    vote_titles,
)
from hedgerow.report.explanations.neighbor_rows import neighbors_table
from hedgerow.report.explanations.support import support_blocks
from hedgerow.report.schema import (
    DecidedPart,
    DecisionReport,
    ExplanationsReport,
    MemberReport,
    PathReport,
    RuleReason,
    TextReport,
    Why,
    WhyInstances,
    WhyPath,
    WhyRules,
    WhySum,
    WhyUntold,
    WhyVotes,
)

MOST_GROUNDS, MOST_CLASSES, MOST_MEMBERS, MOST_RULES = 12, 6, 10, 10
LONGEST_NAME = 56
BAR = 20  # cells


def explanations_section(report: ExplanationsReport) -> b.Section:
    """Return the section on all predictions."""
    blocks: list[b.Block] = [b.Lead(title_of_explanations(report))]
    is_explained = False
    for told in report["decisions"]:
        blocks.append(decision_article(told, legend=not is_explained))
        is_explained = is_explained or any(amount for text in told["texts"] for _, amount in text["pieces"])
    blocks += [b.Paragraph((more_sentence(report),))] if report["more"] else []
    return b.Section("explanations", "Decisions", tuple(blocks))


def decision_article(told: DecisionReport, *, legend: bool = True) -> b.Article:
    """Return the explanation of one prediction; `legend` adds a legend of the marks."""
    texts = tuple(_marked(told, text, legend and not place) for place, text in enumerate(told["texts"]))
    near = (neighbors_table(told),) if told.get("neighbors") else ()
    notes = (b.Notes(tuple(told["notes"])),) if told["notes"] else ()
    chips = b.Chips(tuple(shares_pieces(told, MOST_CLASSES)))
    return b.Article(
        _head(told), (chips, *notes, *texts, *near, *why_blocks(told, told["why"])), f"row-{told['row'] or 0}"
    )


def _head(told: DecisionReport) -> tuple[b.StyledWords, ...]:
    """Return the prediction and the actual class."""
    if told["decision"] is None:
        said = [b.StyledWords(f"{row_name(told)}: no prediction of {told['target']}")]
    else:
        kind = b.StyledWords(told["decision"], "pro" if told.get("value") is None else "number")
        said = [b.StyledWords(f"{row_name(told)}: {told['target']} = "), kind]
        said += (
            [b.StyledWords(" rather than "), b.StyledWords(told["against"], "con")]
            if told["against"] is not None
            else []
        )
    if told["actual"] is None:
        return tuple(said)
    return (*said, b.StyledWords(verdict_text(told), "dim tag" if told["actual"] == told["decision"] else "tag"))


def _marked(told: DecisionReport, text: TextReport, legend: bool) -> b.MarkedWords:
    one = "the prediction" if told["decision"] is None else told["decision"]
    other = "other classes" if told["against"] is None else told["against"]
    if told.get("value") is not None:
        one, other = f"a higher {told['target']}", "a lower one"
    note = left_out_sentence(text) if text.get("bytes_left_out") else ""
    pieces = tuple((piece, amount) for piece, amount in text["pieces"])
    return b.MarkedWords(text["column"], pieces, (one, other), note, legend)


def why_blocks(told: DecidedPart, why: Why) -> list[b.Block]:
    """Return the reasons for a prediction."""
    if why["way"] == "instances":
        from hedgerow.report.explanations.bag_instances import instances_blocks

        return instances_blocks(told, cast("WhyInstances", why))
    return WAYS[why["way"]](told, why)


# -- sums -----------------------------------------------------------------------------------------------------


def _sum(told: DecidedPart, found: WhySum) -> list[b.Block]:
    named, (n_left, left) = strongest(found, MOST_GROUNDS)
    decimals, prior = adds_decimals(told, found), [(one["name"], one["adds"]) for one in found["prior"]]
    most = max((abs(amount) for _, amount in named if math.isfinite(amount)), default=0.0)

    def row(name: str, amount: float, most: float = most) -> b.Row:
        return (name, b.Figure(format_signed(amount, decimals), bar=_lane(amount, most)))

    others = [row(f"{format_count(n_left)} others", left, 0.0)] if n_left else []
    rows = (*(row(*one) for one in named), *others, *(row(*one) for one in prior))
    columns = (
        b.TableColumn("", longest=LONGEST_NAME, label="part"),
        b.TableColumn("", "r", bar=BAR, label="contribution"),
    )
    total = row("total", found["total"], 0.0)
    return [
        b.TableBlock(columns, rows, unit_sentence(told, found), total=total, note=total_words(told, found), indent=True)
    ]


def _lane(amount: float, most: float) -> b.Bar | None:
    if not most and math.isfinite(amount):
        return None
    return b.Bar(
        math.copysign(1.0, amount) if not math.isfinite(amount) else max(min(amount / most, 1.0), -1.0), signed=True
    )


# -- trees and rules ------------------------------------------------------------------------------------------


def _path(told: DecidedPart, found: WhyPath) -> list[b.Block]:
    paths = found["paths"]
    several = len(paths) > 1
    ways = f"The row follows {format_count(len(paths))} paths, since a value is missing:"
    blocks: list[b.Block] = [b.Paragraph((ways,))] if several else []
    blocks += [_steps(told, path, several) for path in paths[:MOST_RULES]]
    if len(paths) > MOST_RULES:
        blocks.append(b.Paragraph((f"{format_count(len(paths) - MOST_RULES)} more paths not shown",)))
    return [*blocks, *_nearest(told, found)]


def _steps(told: DecidedPart, path: PathReport, several: bool) -> b.Steps:
    steps = tuple(b.Step(step["test"], step_value(step)) for step in path["steps"])
    title = f"{format_share(path['share'])} of the row:" if several else ""
    return b.Steps(steps, title, leaf_sentence(told, path))


def _rules(told: DecidedPart, found: WhyRules) -> list[b.Block]:
    blocks: list[b.Block] = [b.Paragraph((found["told"],))]
    blocks.append(b.Steps(tuple(_rule(told, rule) for rule in found["rules"][:MOST_RULES])))
    if len(found["rules"]) > MOST_RULES:
        blocks.append(b.Paragraph((f"{format_count(len(found['rules']) - MOST_RULES)} more rules not shown",)))
    return [*blocks, *_nearest(told, found)]


def _rule(told: DecidedPart, rule: RuleReason) -> b.Step:
    number = "default" if rule["default"] else f"rule {format_count(rule['number'])}"
    vote = f", vote {format_short(rule['vote'])}" if "vote" in rule else ""
    side = b.StyledWords(number + vote, "pro" if rule["says"] == told["decision"] else "con")
    return b.Step(rule["rule"], row_has(rule["tests"]), side)


def _nearest(told: DecidedPart, found: WhyPath | WhyRules) -> list[b.Block]:
    near = nearest_sentence(told, found)
    return [b.Paragraph((near,), soft=True)] if near else []


# -- votes ----------------------------------------------------------------------------------------------------


def _votes(_told: DecidedPart, found: WhyVotes) -> list[b.Block]:
    members, (share, vote) = found["members"], vote_titles(found)
    tally = sorted(found["tally"], key=lambda one: -one["share"])
    rows = tuple(
        (
            one["class"],
            format_count(one["members"]),
            b.Figure(format_probability(one["share"]), bar=b.Bar(one["share"])),
        )
        for one in tally
    )
    columns = (
        b.TableColumn("class", longest=LONGEST_NAME),
        b.TableColumn("members", "r"),
        b.TableColumn(share, "r", bar=BAR),
    )
    title = f"{format_counted(len(members), 'member')}; {rule_words(found)}:"
    blocks: list[b.Block] = [b.TableBlock(columns, rows, title, indent=True, most=MOST_GROUNDS, what="classes")]
    if found["columns"]:
        listed = ", ".join(f"{one['column']} {format_count(one['members'])}" for one in found["columns"][:MOST_GROUNDS])
        blocks.append(b.Paragraph((f"Columns by the number of members that use them for this row: {listed}",)))
    heads = (
        b.TableColumn("member", "r"),
        b.TableColumn("kind"),
        b.TableColumn(vote, "r"),
        b.TableColumn("prediction", longest=LONGEST_NAME),
    )
    votes = tuple(map(_member, members))
    blocks.append(b.TableBlock(heads, votes, label="Members", indent=True, most=MOST_MEMBERS, what="members"))
    return blocks


def _member(one: MemberReport) -> b.Row:
    vote = one["vote"]
    shown = "" if vote is None else format_weight(vote) if float(vote).is_integer() else format_short(vote)
    return format_count(one["member"]), one["kind"], shown, one["says"] or "no prediction"


def _untold(_told: DecidedPart, found: WhyUntold) -> list[b.Block]:
    told = found["told"]
    return [b.Paragraph((told[:1].upper() + told[1:],))]


WAYS: dict[str, Callable[[DecidedPart, Any], list[b.Block]]] = {
    "sum": _sum,
    "path": _path,
    "rules": _rules,
    "votes": _votes,
    "support": support_blocks,
    "untold": _untold,
}
