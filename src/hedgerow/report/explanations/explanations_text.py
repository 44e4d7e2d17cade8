"""The text form of explanations: the decision, the document with its words marked, and what adds how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.layout.bars import draw_bar
from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_short, format_weight
from hedgerow.layout.rule_folding import fold_rule
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import list_sentences, wrap_list, wrap_text
from hedgerow.report.explanations.explanation_words import (
    adds_decimals,
    adds_text,
    headline,
    leaf_sentence,
    left_out_sentence,
    more_sentence,
    nearest_sentence,
    row_has,
    rule_words,
    share_text,
    shares_pieces,
    step_value,
    strongest,
    title_of_explanations,
    total_words,
    unit_sentence,
    vote_titles,
)
from hedgerow.report.explanations.marked_text import colored, signed, text_lines
from hedgerow.report.explanations.neighbor_rows import neighbors_lines
from hedgerow.report.explanations.support import support_lines

Report = Mapping[str, Any]
INDENT = "  "
MOST_GROUNDS = 12
MOST_CLASSES = 6
MOST_MEMBERS = 10
MOST_RULES = 10
LONGEST_NAME = 56
BAR = 20


def explanations_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of all decisions, one after the other."""
    in_color = bool(report.get("colored"))
    lines = wrap_text(title_of_explanations(report), columns)
    explained = False
    for told in report["decisions"]:
        lines += ["", "", *decision_lines(told, columns, in_color, legend=not explained)]
        explained = explained or any(amount for text in told["texts"] for _, amount in text["pieces"])
    if report["more"]:
        lines += ["", "", *wrap_text(more_sentence(report), columns)]
    return lines


def decision_lines(told: Report, columns: int, in_color: bool = False, legend: bool = True) -> list[str]:
    """Return the lines of one decision."""
    lines = [*wrap_text(headline(told), columns)]
    lines += wrap_list(shares_pieces(told, MOST_CLASSES), columns, INDENT) if told["probabilities"] else []
    for note in told["notes"]:
        lines += wrap_text(f"Note: {clean_text(note)}", columns, INDENT)
    for text in told["texts"]:
        lines += ["", *_document(told, text, columns, in_color, legend)]
        legend = False
    near = neighbors_lines(told, columns) if told.get("neighbors") else []
    return [*lines, *near, "", *why_lines(told, columns)]


def why_lines(told: Report, columns: int) -> list[str]:
    """Return the lines of what a decision rests on."""
    if told["why"]["way"] == "instances":
        from hedgerow.report.explanations.bag_instances import instances_lines

        return instances_lines(told, columns)
    makers = {"sum": _sum, "path": _path, "rules": _rules, "votes": _votes, "support": support_lines, "untold": _untold}
    return makers[told["why"]["way"]](told, columns)


def _document(told: Report, text: Report, columns: int, in_color: bool, legend: bool) -> list[str]:
    lines, hidden = text_lines(((one, amount) for one, amount in text["pieces"]), columns, in_color, INDENT * 2)
    top = [f"{INDENT}{clean_text(text['column'])}:"]
    if not lines:
        return [f"{top[0]} an empty text"]
    below = []
    if hidden and not text.get("bytes_left_out"):
        those = "1 line that carries" if hidden == 1 else f"{hidden:,} lines that carry"
        below += wrap_text(f"({those} less left out; --html FILE shows the whole text)", columns, INDENT)
    if text.get("bytes_left_out"):
        below += wrap_text(left_out_sentence(text), columns, INDENT)
    if legend and any(amount for _, amount in text["pieces"]):
        below += (
            wrap_text(_legend(told, columns, in_color), columns, INDENT)
            if not in_color
            else [INDENT + _legend(told, columns, True)]
        )
    return [*top, *lines, *below]


def _legend(told: Report, columns: int, in_color: bool) -> str:
    one = "the decision" if told["decision"] is None else clean_text(told["decision"])
    other = "other classes" if told["against"] is None else clean_text(told["against"])
    if told.get("value") is not None:
        one, other = f"a higher {clean_text(told['target'])}", "a lower one"
    if in_color:
        pairs = [(colored(shorten(name, (columns - 34) // 2), sign, 1.0)) for name, sign in ((one, 0.3), (other, -0.3))]
        return f"({pairs[0]} or {pairs[1]}: the brighter, the more)"
    marks = signed("word", 0.3, 1.0), signed("word", -0.3, 1.0), signed("word", 1.0, 1.0)
    return (
        f"({marks[0]} speaks for {one}, {marks[1]} for {other}; {marks[2]}: at least half as strong as the strongest)"
    )


def _sum(told: Report, columns: int) -> list[str]:
    named, (n_left, left) = strongest(told, MOST_GROUNDS)
    most = max((abs(amount) for _, amount in named if math.isfinite(amount)), default=0.0)
    decimals = adds_decimals(told)
    prior = told["why"]["prior"]
    all_ = (*(amount for _, amount in named), *(one["adds"] for one in prior), left, told["why"]["total"])
    wide = max(len(adds_text(amount, decimals)) for amount in all_)
    room = min(LONGEST_NAME, columns - count_cells(INDENT * 4) - wide - BAR)
    rows = [[shorten(name, room), adds_text(amount, decimals), _bar(amount, most)] for name, amount in named]
    if n_left:
        rows.append([f"{n_left:,} others", adds_text(left, decimals), ""])
    rows += [[clean_text(one["name"]), adds_text(one["adds"], decimals), _bar(one["adds"], most)] for one in prior]
    rows.append(["total", adds_text(told["why"]["total"], decimals), ""])
    table = align_columns([row[:2] for row in rows], "lr", indent=INDENT * 2)
    lines = [f"{line}  {row[2]}".rstrip() for line, row in zip(table, rows, strict=True)]
    words = total_words(told)
    if words and count_cells(f"{lines[-1]}  {words}") <= columns:
        lines[-1] += f"  {words}"
    elif words:
        lines += wrap_text(words, columns, INDENT * 2)
    return [*wrap_text(unit_sentence(told), columns, INDENT), *lines]


def _bar(amount: float, most: float) -> str:
    if not math.isfinite(amount):
        return "█" * BAR
    return draw_bar(min(abs(amount) / most, 1.0), BAR) if most else ""


def _path(told: Report, columns: int) -> list[str]:
    paths, lines = told["why"]["paths"], []
    if len(paths) > 1:
        lines += wrap_text(f"The row takes {len(paths):,} ways, as a value is missing:", columns, INDENT)
    for path in paths[:MOST_RULES]:
        if len(paths) > 1:
            lines += ["", f"{INDENT}{path['share']:.1%} of the row:"]
        lines += _steps(path["steps"], columns)
        lines += wrap_text(leaf_sentence(told, path), columns, INDENT * 2)
    if len(paths) > MOST_RULES:
        lines.append(f"{INDENT}and {len(paths) - MOST_RULES:,} more")
    if near := nearest_sentence(told):
        lines += ["", *wrap_text(near, columns, INDENT)]
    return lines


def _steps(steps: Sequence[Report], columns: int) -> list[str]:
    """Return the tests on a way, the values beside them; below them if that is too wide."""
    rows = [[shorten(step["test"], columns - count_cells(INDENT * 2)), step_value(step)] for step in steps]
    lines = align_columns(rows, "ll", indent=INDENT * 2)
    if all(count_cells(line) <= columns for line in lines):
        return lines
    return [
        line
        for test, value in rows
        for line in (f"{INDENT * 2}{test}", *(wrap_text(value, columns, INDENT * 3) if value else ()))
    ]


def _rules(told: Report, columns: int) -> list[str]:
    found = told["why"]
    lines = wrap_text(found["told"], columns, INDENT)
    for rule in found["rules"][:MOST_RULES]:
        number = "default" if rule["default"] else f"rule {rule['number']:,}"
        vote = f", vote {format_short(rule['vote'])}" if "vote" in rule else ""
        lines += [
            "",
            *(shorten(line, columns) for line in fold_rule(f"{number}{vote}: {rule['rule']}", columns, INDENT * 2)),
        ]
        if has := row_has(rule["tests"]):
            lines += wrap_text(has, columns, INDENT * 3)
    if len(found["rules"]) > MOST_RULES:
        lines += ["", f"{INDENT}and {len(found['rules']) - MOST_RULES:,} more rules"]
    if near := nearest_sentence(told):
        lines += ["", *wrap_text(near, columns, INDENT)]
    return lines


def _votes(told: Report, columns: int) -> list[str]:
    found = told["why"]
    how, (share, vote) = rule_words(found), vote_titles(found)
    members = f"{len(found['members']):,} member{'' if len(found['members']) == 1 else 's'}"
    lines = wrap_text(f"{members}; {how}:", columns, INDENT)
    tally = sorted(found["tally"], key=lambda one: -one["share"])
    rows = [
        [
            shorten(one["class"], max(min(LONGEST_NAME, columns - 57), 8)),
            f"{one['members']:,}",
            share_text(one["share"]),
            draw_bar(one["share"], BAR if columns >= 66 else 10),
        ]
        for one in tally[:MOST_GROUNDS]
    ]
    lines += align_columns([["class", "members", share, ""], *rows], "lrrl", indent=INDENT * 2)
    if len(tally) > MOST_GROUNDS:
        lines.append(f"{INDENT * 2}and {len(tally) - MOST_GROUNDS:,} more classes")
    if found["columns"]:
        listed = ", ".join(f"{clean_text(one['column'])} {one['members']:,}" for one in found["columns"][:MOST_GROUNDS])
        lines += ["", *wrap_text(f"Columns, by the members that look at them for this row: {listed}", columns, INDENT)]
    kinds = [
        [
            f"{one['member']:,}",
            one["kind"],
            "" if one["vote"] is None else _vote(one["vote"]),
            shorten(one["says"] or "no decision", columns - 36),
        ]
        for one in found["members"][:MOST_MEMBERS]
    ]
    lines += ["", *align_columns([["member", "kind", vote, "says"], *kinds], "rlrl", indent=INDENT * 2)]
    if len(found["members"]) > MOST_MEMBERS:
        lines.append(f"{INDENT * 2}and {len(found['members']) - MOST_MEMBERS:,} more; --json tells all")
    return lines


def _vote(vote: float) -> str:
    return format_weight(vote) if float(vote).is_integer() else format_short(vote)


def _untold(told: Report, columns: int) -> list[str]:
    return list_sentences([told["why"]["told"]], columns)
