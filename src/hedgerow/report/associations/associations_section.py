"""The sections on item sets, association rules and recommendations."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.numbers import (
    format_count,
    format_counted,
    format_lift,
    format_percent,
    format_shares,
    format_short,
    format_weight,
)
from hedgerow.report import blocks as b
from hedgerow.report.figures import is_known
from hedgerow.report.schema import AssociationsReport, BasketReport, RecommendationsReport, SizeReport

MOST_SIZES = 8  # that are told one by one
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WHICH = {"all": "", "closed": "closed ", "maximal": "maximal "}


def associations_section(report: AssociationsReport) -> b.Section:
    """Return a summary of the search, and the rules or item sets, the best first."""
    title, what = ("Association rules", "rules") if _of_rules(report) else ("Item sets", "item sets")
    blocks: list[b.Block] = [b.Heading("Work"), b.Printed(report["work"])] if "work" in report else []
    blocks.append(b.Lead(searched(report), (), {} if report.get("first") else report["changed"], report["parameters"]))
    blocks.append(b.Paragraph(tuple(sentences(report))))
    blocks.append(_rules(report) if _of_rules(report) else _sets(report))
    if report["hidden"]:
        way = "; --show 0 prints them all" if "file" in report else "; -o FILE saves them all, --show 0 prints them all"
        way = way if "levels" in report else ""  # the verb that finds them has such options
        blocks.append(b.Paragraph((f"{left_out(report)} not shown{way}.",)))
    blocks += [b.Paragraph((f"The {what} are saved in {report['file']}.",))] if "file" in report else []
    return b.Section("associations", title, tuple(blocks))


# -- words ----------------------------------------------------------------------------------------------------


def sentences(report: AssociationsReport) -> list[str]:
    """Return sentences on the search: how the support was lowered, and how many sets and rules were found."""
    return [one for one in (lowered(report), found_sets(report), found_rules(report), first_look(report)) if one]


def searched(report: AssociationsReport) -> str:
    """Return the number of rows and items that were searched."""
    source = f"{report['source']}: " if "source" in report else ""
    rows = f"{format_counted(report['rows'], report['unit'])}, {format_counted(report['n_items'], 'item')}"
    weight = f" (weight {format_short(report['weight'], 6)})" if report["weight"] != report["rows"] else ""
    return f"{source}{rows}{weight}"


def found_sets(report: AssociationsReport) -> str:
    """Return the number of item sets by size."""
    n = report["n_sets"]
    if n is None:
        return ""
    which = WHICH[report["which"]]
    bound = f"{format_counted(report['bound'], report['unit'])} ({format_percent(report['bound'] / report['weight'])})"
    if not n:
        return f"No {which}item set occurs in {bound} or more."
    verb, sets = ("occurs", "item set") if n == 1 else ("occur", "item sets")
    if report.get("antecedent") or report.get("consequent"):
        sets += " for such rules"
    return f"{format_count(n)} {which}{sets} {verb} in {bound} or more: {_sizes(report['sizes'])}."


def _sizes(sizes: Sequence[SizeReport]) -> str:
    """Return the number of sets of each size in words; only the range if there are many sizes."""
    first = f" item{'' if sizes[0]['size'] == 1 else 's'}"
    if len(sizes) > MOST_SIZES:
        most = max(sizes, key=lambda one: int(one["sets"]))
        ends = f"{_number(sizes[0]['size'])} to {_number(sizes[-1]['size'])} items"
        return f"of {ends}, most of them ({format_count(most['sets'])}) of {_number(most['size'])}"
    parts = [f"{format_count(one['sets'])} of {_number(one['size'])}" for one in sizes]
    return _listed([parts[0] + first, *parts[1:]])


def lowered(report: AssociationsReport) -> str:
    """Return a sentence on how the support was lowered, if it was."""
    levels = report.get("levels") or []
    if len(levels) < 2:
        return ""
    first, last = (format_percent(levels[place]["support"]) for place in (0, -1))
    what = "rules" if _of_rules(report) else "sets of two or more items"
    enough = (
        f"{format_count(report['enough'] or 0)} {what[:-1] if report['enough'] == 1 and _of_rules(report) else what}"
    )
    reason = (
        f"until at least {enough} were found"
        if levels[-1]["found"] >= (report["enough"] or 0)
        else f"without finding {enough}"
    )
    return f"The support was lowered from {first} to {last}, in {len(levels) - 1} steps, {reason}."


def found_rules(report: AssociationsReport) -> str:
    """Return the number of rules, and their order."""
    if not _of_rules(report):
        return ""
    n = report["n_rules"]
    least = report.get("min_confidence")
    hold = f" with confidence {format_percent(least)} or more" if least else ""
    if hold and report.get("min_lift"):
        hold += f" and lift {format_short(report['min_lift'], 4)} or more"
    if not n:
        return f"They give no rule{hold}." if report["n_sets"] else "Therefore there are no rules."
    order = f", sorted by {report['by']}, highest first" if n > 1 and report["by"] else ""
    best = "The best " if report["changed"].get("top") == n > 1 else ""
    return f"{best}{format_counted(n, 'rule')}{hold}{order}."


def first_look(report: AssociationsReport) -> str:
    """Return an explanation of the default selection of rules."""
    if not report.get("first") or not report.get("n_rules"):
        return ""
    return (
        "This is an overview: rules with one item on the right side, without those that a shorter rule makes "
        "redundant. Options such as --min-support 0.01 --min-confidence 0.3 give all rules within these bounds."
    )


def left_out(report: AssociationsReport) -> str:
    """Return the number of rules or sets that are not shown."""
    return format_counted(report["hidden"], "more rule" if _of_rules(report) else "more item set")


def _of_rules(report: AssociationsReport) -> bool:
    return report["kind"] == "association_rules"


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# -- tables ---------------------------------------------------------------------------------------------------


def _rules(report: AssociationsReport) -> b.TableBlock:
    rules = report["rules"]
    supports = _shares([rule["support"] for rule in rules], fill=True)
    confidences = _shares([rule["confidence"] for rule in rules])
    rows = tuple(
        (
            str(rule["number"]),
            b.RuleCell(rule["rule"], of_items=True),
            format_weight(rule["count"]),
            support,
            confidence,
            format_lift(rule["lift"]),
        )
        for rule, support, confidence in zip(rules, supports, confidences, strict=True)
    )
    columns = [b.TableColumn("#", "r"), b.TableColumn("rule"), b.TableColumn("count", "r")]
    columns += [b.TableColumn(title, "r") for title in ("support", "confidence", "lift")]
    return b.TableBlock(tuple(columns), rows, label="Rules", fit="fold", most=len(rows))


def _sets(report: AssociationsReport) -> b.TableBlock:
    sets = report["sets"]
    support = _shares([one["support"] for one in sets], fill=True)
    rows = tuple(
        (b.RuleCell(one["set"], of_items=True), str(one["size"]), format_weight(one["count"]), share)
        for one, share in zip(sets, support, strict=True)
    )
    gaps = frozenset(place for place in range(1, len(sets)) if sets[place]["size"] != sets[place - 1]["size"])
    columns = (b.TableColumn("item set"), *(b.TableColumn(title, "r") for title in ("size", "count", "support")))
    return b.TableBlock(columns, rows, label="Item sets", fit="fold", most=len(rows), gaps=gaps)


def _shares(shares: Sequence[float], *, fill: bool = False) -> list[b.Figure]:
    """Return shares in percent with bars; with `fill`, the longest bar fills its cell."""
    most = max((share for share in shares if is_known(share)), default=1.0) if fill else 1.0
    bars = [b.Bar(share / most if is_known(share) and most else 0.0) for share in shares]
    return [b.Figure(text, bar=bar) for text, bar in zip(format_shares(shares), bars, strict=True)]


# -- recommendations ------------------------------------------------------------------------------------------


def recommendations_section(report: RecommendationsReport) -> b.Section:
    """Return for each basket its items and the recommendations of the strongest rules."""
    shares = iter(_shares([one["confidence"] for basket in report["baskets"] for one in basket["offers"]]))
    groups = tuple(_basket(basket, [next(shares) for _ in basket["offers"]]) for basket in report["baskets"])
    figures = (b.TableColumn(title, "r") for title in ("confidence", "lift"))
    columns = (b.TableColumn("item"), *figures, b.TableColumn("rule"))
    more = format_counted(report["hidden"], f"more {report['unit']}")
    notes = (f"{more} not shown; --show 0 prints them all.",) if report["hidden"] else ()
    table = b.GroupedTable(("#", report["unit"]), columns, groups, "Recommended items", notes)
    return b.Section("recommendations", "Recommendations", (b.Lead(recommended(report)), table))


def _basket(basket: BasketReport, shares: Sequence[b.Figure]) -> b.Group:
    rows = tuple(
        (one["item"], share, format_lift(one["lift"]), b.RuleCell(one["rule"], of_items=True))
        for one, share in zip(basket["offers"], shares, strict=True)
    )
    return b.Group(str(basket["number"]), basket["items"] or "(nothing)", rows, "no rule applies")


def recommended(report: RecommendationsReport) -> str:
    """Return the number of baskets, and how many of them get a recommendation."""
    n, served, unit = report["n_baskets"], report["served"], report["unit"]
    rules = format_counted(report["n_rules"], "rule") + (f" of {report['file']}" if "file" in report else "")
    source = f" of {report['source']}" if "source" in report else ""
    get = "gets" if served == 1 else "get"
    told = f"{format_counted(served, unit)} {get} at least one recommendation" if served else "no rule applies"
    return f"{format_counted(n, unit)}{source} and {rules}: {told}."
