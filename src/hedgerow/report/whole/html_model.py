"""The model's part of the page: a tree drawn, rules as a table, any other model as it prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.report.draw.markup import element, figure, scrolled, section, words
from hedgerow.report.draw.svg import size_of
from hedgerow.report.linear.coefficients import coefficient_charts
from hedgerow.report.linear.html_terms import terms_cards
from hedgerow.report.rules.html_rules import rules_table

Report = Mapping[str, Any]
MOST_LINES = 300
PAPER = 700.0, 900.0  # pixels of a printed page, its margins left out


def model_section(report: Report, colored: Sequence[str] = ()) -> str:
    """Return the model, and how it came about; `colored` are the classes with a color of their own, in order."""
    size = "" if report["size"] is None else f", size {report['size']:,}"
    learner = report["learner"] or report["kind"]
    lead = f"{learner} learned from {report['rows']:,} rows{size}." if report["rows"] else f"{learner}{size}."
    return section(
        "model", "Model", f"<p>{words(lead)}</p>", model_body(report, colored or report["labels"]), _about(report)
    )


def model_body(report: Report, colored: Sequence[str]) -> str:
    """Return the model itself: drawn, as a table, or as it prints."""
    if "picture" in report:
        paths = folded("The paths of the tree as rules", _rules(report, colored)) if "rules" in report else ""
        return _drawn(report) + paths + folded("The tree as it prints", printed(report["text"]))
    if "rules" in report:
        return _rules(report, colored) + folded("The rules as they print", printed(report["text"]))
    if "coefficients" in report:
        terms = terms_cards(report["terms"], colored) if "terms" in report else ""
        drawn = _coefficients(report["coefficients"])
        return drawn + printed(report["text"]) + (folded("Terms that tell the classes", terms) if terms else "")
    if "terms" in report:
        return terms_cards(report["terms"], colored) + folded("The model as it prints", printed(report["text"]))
    return printed(report["text"])


def _coefficients(part: Report) -> str:
    """Return the coefficients drawn, a picture a function."""
    pictures = coefficient_charts(part)
    hidden = max((group["hidden"] for group in part["groups"]), default=0)
    more = [f"{hidden:,} smaller ones are not shown."] if hidden else []
    if part["hidden_functions"]:
        what = part.get("functions", "classes")
        more.append(f"{part['hidden_functions']:,} more {what} have coefficients of their own.")
    told = " ".join([part["reading"], *more])
    return f'<p class="soft">{words(told)}</p>' + "".join(figure(picture, "", "fit") for picture in pictures)


def _drawn(report: Report) -> str:
    """Return a tree's picture; on paper one longer than a page, which browsers cannot break, is text instead."""
    width, height = size_of(report["picture"])
    if height * min(1.0, PAPER[0] / width) <= PAPER[1]:
        return figure(report["picture"], report.get("picture_note", ""), "wide")
    on_paper = element("div", printed(report["text"]), class_="printout")
    return figure(report["picture"], report.get("picture_note", ""), "wide tall") + on_paper


def printed(text: str) -> str:
    """Return a model's print, or its beginning if nobody would read it all."""
    lines = text.split("\n")
    more = len(lines) - MOST_LINES
    shown = scrolled(f"<pre>{words_of_lines(lines[:MOST_LINES])}</pre>", "the model as it prints")
    return shown + (f'<p class="soft">{more:,} more lines; `hedgerow show` prints them all.</p>' if more > 0 else "")


def words_of_lines(lines: Sequence[str]) -> str:
    """Return lines of text as markup."""
    return "\n".join(words(line) for line in lines)


def folded(title: str, content: str) -> str:
    """Return something that opens when its title is clicked."""
    return f"<details><summary>{words(title)}</summary>{content}</details>"


def _rules(report: Report, colored: Sequence[str]) -> str:
    hidden = report["hidden"]
    more = f'<p class="soft">{hidden:,} more stand before the last one.</p>' if hidden > 0 else ""
    return rules_table(report, colored) + more


def _about(report: Report) -> str:
    given = report["parameters"]
    if not given:
        return ""
    pairs = "".join(
        f"<dt>{words(str(name))}</dt><dd>{words('none' if value is None else str(value))}"
        f"{'' if name not in report['changed'] else ' <span class=tag>changed</span>'}</dd>"
        for name, value in given.items()
    )
    return f"<details><summary>Parameters</summary>{element('dl', pairs)}</details>"
