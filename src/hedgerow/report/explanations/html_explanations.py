"""Explanations on a page: documents with the words that carried the decision, and what adds how much."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from hedgerow.layout.numbers import format_short
from hedgerow.report.draw.markup import element, items, scrolled, section, words
from hedgerow.report.explanations.explanation_words import (
    adds_decimals,
    adds_text,
    equals,
    leaf_sentence,
    left_out_sentence,
    more_sentence,
    nearest_sentence,
    row_has,
    row_name,
    rule_words,
    share_text,
    shown_shares,
    step_value,
    strongest,
    title_of_explanations,
    total_words,
    unit_sentence,
    verdict,
    vote_titles,
)
from hedgerow.report.explanations.neighbor_rows import neighbors_html
from hedgerow.report.explanations.support import support_html

Report = Mapping[str, Any]
STRENGTHS = (0.05, 0.12, 0.3, 0.55)  # shares of the strongest mark that make a mark so strong
MOST_GROUNDS = 25
MOST_CLASSES = 10
MOST_MEMBERS = 50
MOST_RULES = 50
KEPT = "\n\t"


def explanations_section(report: Report) -> str:
    """Return a report of explanations as a part of a page."""
    more = f'<p class="soft">{words(more_sentence(report))}</p>' if report["more"] else ""
    decisions = "\n".join(decision_html(told) for told in report["decisions"])
    lead = f'<p class="lead">{words(title_of_explanations(report))}.</p>'
    return f"<style>{explain_css()}</style>" + section("explanations", "Decisions", lead, decisions, more)


@cache
def explain_css() -> str:
    """Return the style of explanations, which stands for itself."""
    return files("hedgerow.report.explanations").joinpath("explain.css").read_text("utf-8")


def fragment(told: Report) -> str:
    """Return one decision to stand in any page, such as a notebook."""
    return f"<div><style>{explain_css()}</style>{decision_html(told)}</div>"


def decision_html(told: Report) -> str:
    """Return one decision."""
    notes = "".join(f'<p class="told">{words(_sentence(note))}</p>' for note in told["notes"])
    documents = "".join(_document(told, text) for text in told["texts"])
    near = neighbors_html(told) if told.get("neighbors") else ""
    inner = [_headline(told), _shares(told), notes, documents, near, why_html(told)]
    return element("article", "\n".join(filter(None, inner)), class_="explained", id=f"row-{told['row'] or 0}")


def why_html(told: Report) -> str:
    """Return what a decision rests on."""
    if told["why"]["way"] == "instances":
        from hedgerow.report.explanations.bag_instances import instances_html

        return instances_html(told)
    makers: dict[str, Callable[[Report], str]] = {
        "sum": _sum,
        "path": _path,
        "rules": _rules,
        "votes": _votes,
        "support": support_html,
        "untold": _untold,
    }
    return makers[told["why"]["way"]](told)


def document_html(pieces: Iterable[Sequence[Any]]) -> str:
    """Return a text, its marked pieces in the color of what they speak for, the stronger the deeper."""
    listed = list(pieces)
    most = max((abs(amount) for _, amount in listed), default=0.0)
    return "".join(_piece(text, amount, most) for text, amount in listed)


def _piece(text: str, amount: float, most: float) -> str:
    shown = escape("".join(map(_visible, text)) if not text.isprintable() else text, quote=True)
    level = sum(abs(amount) >= least * most for least in STRENGTHS) if amount else 0
    if not level or not shown.strip():
        return shown
    return element("mark", shown, class_=f"{'a ' if amount < 0 else ''}s{level}", title=f"{amount:+.4g}")


def _visible(sign: str) -> str:
    """Return a sign of a text as a page shows it: line breaks and joiners of emoji stay, what steers it does not."""
    if sign in KEPT or sign in "\u200d\u200c\ufe0f\ufe0e":
        return sign
    kind = unicodedata.category(sign)
    if kind == "Cf":
        return ""
    return "\ufffd" if kind in ("Cc", "Cs", "Cn") and sign != "\r" else "" if sign == "\r" else sign


def _headline(told: Report) -> str:
    target = words(told["target"])
    if told["decision"] is None:
        said = f"no decision on {target}"
    else:
        kind = "pro" if told.get("value") is None else "number"
        said = f'{target} = <span class="{kind}">{words(told["decision"])}</span>'
        if told["against"] is not None:
            said += f' rather than <span class="con">{words(told["against"])}</span>'
    return f"<h3>{words(row_name(told))}: {said}{_verdict(told)}</h3>"


def _verdict(told: Report) -> str:
    if told["actual"] is None:
        return ""
    if told["actual"] == told["decision"]:
        return ' <span class="wrong dim">as the data say</span>'
    return f' <span class="wrong">{words(verdict(told).removeprefix("; "))}</span>'


def _shares(told: Report) -> str:
    pairs, left = shown_shares(told, MOST_CLASSES)
    shown = [f"P({words(label)}) {words(equals(share))}" for label, share in pairs]
    if left:
        together = share_text(sum(share for _, share in left))
        shown.append(f"{len(left)} other class{'' if len(left) == 1 else 'es'} {words(together)}")
    return items(shown, class_="sides") if shown else ""


def _document(told: Report, text: Report) -> str:
    if not text["pieces"]:
        return f'<p class="column">{words(text["column"])}: an empty text</p>'
    body = document_html(text["pieces"])
    legend = ""
    if any(amount for _, amount in text["pieces"]):
        against = words(told["against"]) if told["against"] is not None else "other classes"
        decided = words(told["decision"]) if told["decision"] is not None else "the decision"
        if told.get("value") is not None:
            decided, against = f"a higher {words(told['target'])}", "a lower one"
        legend = (
            f' · <mark class="s3">solid</mark> speaks for {decided}, <mark class="a s3">dashed</mark> for {against}; '
            "the deeper, the more"
        )
    caption = f'<p class="column">{words(text["column"])}{legend}</p>'
    if text.get("bytes_left_out"):
        caption += f'<p class="column">{words(left_out_sentence(text))}</p>'
    return caption + element(
        "div", body, class_="document", tabindex="0", role="region", aria_label=f"text of {text['column']}", dir="auto"
    )


def _sum(told: Report) -> str:
    named, (n_left, left) = strongest(told, MOST_GROUNDS)
    prior = [(str(one["name"]), float(one["adds"])) for one in told["why"]["prior"]]
    finite = [abs(amount) for _, amount in (*named, *prior) if math.isfinite(amount)]
    most = max(finite, default=0.0)
    at = adds_decimals(told)
    rows = [_ground(name, amount, most, at) for name, amount in named]
    if n_left:
        rows.append(_ground(f"{n_left:,} others", left, 0.0, at, "rest"))
    rows += [_ground(name, amount, most, at) for name, amount in prior]
    rows.append(_ground("total", told["why"]["total"], 0.0, at, "sum", total_words(told)))
    head = '<thead><tr><th scope="col">ground</th><th scope="col" class="r">adds</th><th scope="col"></th></tr></thead>'
    caption = unit_sentence(told)
    table = element("table", f"{head}<tbody>{''.join(rows)}</tbody>", class_="grounds")
    return f'<p class="column">{words(caption)}</p>' + scrolled(table, caption)


def _ground(name: str, amount: float, most: float, decimals: int, kind: str | None = None, more: str = "") -> str:
    lane = _lane(amount, most) if most else f'<span class="dim">{words(more)}</span>'
    cells = element("th", words(name), scope="row", class_="name") + element(
        "td", adds_text(amount, decimals), class_="r"
    )
    return element("tr", cells + element("td", lane, class_="scale"), class_=kind)


def _lane(amount: float, most: float) -> str:
    """Return a bar from the middle: to the right for the decision, to the left against it."""
    share = 50.0 * min(abs(amount) / most, 1.0) if math.isfinite(amount) else 50.0
    place = f"left:50%;width:{share:.1f}%" if amount > 0 else f"right:50%;width:{share:.1f}%"
    return f'<span class="lane" aria-hidden="true"><i{"" if amount > 0 else " class=a"} style="{place}"></i></span>'


def _path(told: Report) -> str:
    paths = told["why"]["paths"]
    made = []
    if len(paths) > 1:
        made.append(f"<p>The row takes {len(paths):,} ways, as a value is missing:</p>")
    for path in paths[:MOST_RULES]:
        if len(paths) > 1:
            made.append(f"<p>{path['share']:.1%} of the row:</p>")
        steps = [
            f'<code>{words(step["test"])}</code> <span class="dim">{words(step_value(step))}</span>'
            for step in path["steps"]
        ]
        made.append(items(steps, "ol", "steps") if steps else "")
        made.append(f"<p>{words(leaf_sentence(told, path))}.</p>")
    if len(paths) > MOST_RULES:
        made.append(f'<p class="dim">and {len(paths) - MOST_RULES:,} more</p>')
    return "".join(made) + _nearest(told)


def _rules(told: Report) -> str:
    found = told["why"]
    listed = []
    for rule in found["rules"][:MOST_RULES]:
        number = "default" if rule["default"] else f"rule {rule['number']:,}"
        side = "pro" if rule["says"] == told["decision"] else "con"
        vote = f", vote {format_short(rule['vote'])}" if "vote" in rule else ""
        has = row_has(rule["tests"])
        more = f'<br><span class="dim">{words(has)}</span>' if has else ""
        listed.append(f'<span class="{side}">{words(number + vote)}</span> <code>{words(rule["rule"])}</code>{more}')
    left = len(found["rules"]) - MOST_RULES
    more = f'<p class="dim">and {left:,} more rules</p>' if left > 0 else ""
    return f"<p>{words(found['told'])}</p>{items(listed, class_='steps')}{more}{_nearest(told)}"


def _nearest(told: Report) -> str:
    near = nearest_sentence(told)
    return f'<p class="dim">{words(near)}</p>' if near else ""


def _votes(told: Report) -> str:
    found = told["why"]
    share, vote = vote_titles(found)
    caption = f"{len(found['members']):,} members; {rule_words(found)}"
    tally = sorted(found["tally"], key=lambda one: -one["share"])
    rows = "".join(
        f'<tr><th scope="row" class="name">{words(one["class"])}</th><td class="r">{one["members"]:,}</td>'
        f'<td class="r">{words(share_text(one["share"]))}</td><td>{_meter(one["share"])}</td></tr>'
        for one in tally[:MOST_GROUNDS]
    )
    titles = (("class", ""), ("members", ' class="r"'), (share, ' class="r"'), ("", ""))
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in titles)
    table = f"<caption>{words(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    columns = ", ".join(f"{one['column']} {one['members']:,}" for one in found["columns"][:MOST_GROUNDS])
    told_columns = (
        f"<p>Columns, by the members that look at them for this row: {words(columns)}.</p>" if columns else ""
    )
    says = [_member(one, vote) for one in found["members"][:MOST_MEMBERS]]
    left = len(found["members"]) - MOST_MEMBERS
    rest = f'<p class="dim">and {left:,} more</p>' if left > 0 else ""
    members = f"<details><summary>Members</summary>{items(says)}{rest}</details>"
    return scrolled(element("table", table), caption) + told_columns + members


def _member(one: Report, vote: str) -> str:
    said, number = words(one["says"] or "no decision"), "-" if one["vote"] is None else format_short(one["vote"])
    return f"member {one['member']:,} ({words(one['kind'])}, {vote} {number}): {said}"


def _meter(share: float) -> str:
    return f'<span class="meter" aria-hidden="true"><i style="width:{100 * min(max(share, 0.0), 1.0):.1f}%"></i></span>'


def _untold(told: Report) -> str:
    return f"<p>{words(_sentence(told['why']['told']))}</p>"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + ("" if note.endswith((".", "!", "?")) else ".")
