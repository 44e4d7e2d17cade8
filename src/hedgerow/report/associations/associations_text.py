"""The text form of item sets, association rules and recommendations: what was searched, a line a rule, what is left."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.numbers import format_fixed, format_short, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.evaluation.evaluation_text import parameter_lines

Report = Mapping[str, Any]
HEAD = ["#", "count", "support", "confidence", "lift", "rule"]
OFFER_HEAD = ["offer", "confidence", "lift", "because of"]
SET_HEAD = ["count", "support", "item set"]
DEEPER = "  "
MOST_SIZES = 8  # that are told one by one
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|, | => |[^", =]+|.', re.DOTALL)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WHICH = {"all": "", "closed": "closed ", "maximal": "maximal "}


def associations_lines(report: Report, columns: int) -> list[str]:
    """Return what was searched and found, and the rules or item sets, the best first."""
    lines = ["Work", "", report["work"], ""] if "work" in report else []
    lines += wrap_text(searched(report), columns)
    lines += [] if report.get("first") else parameter_lines(report, columns)
    lines += ["", *(line for sentence in sentences(report) for line in wrap_text(sentence, columns))]
    table = _rules(report, columns) if report["kind"] == "association_rules" else _sets(report, columns)
    if table:
        lines += ["", *table]
    if report["hidden"]:
        way = "; --show 0 prints them all" if "file" in report else "; -o FILE keeps them all, --show 0 prints them"
        way = way if "levels" in report else ""  # the verb that finds them has such options
        lines += ["", *wrap_text(f"… and {left_out(report)}{way}.", columns)]
    if "file" in report:
        lines += ["", f"{'The rules are' if _of_rules(report) else 'The item sets are'} saved in {report['file']}."]
    return lines


def sentences(report: Report) -> list[str]:
    """Return how the search went: how the support was lowered, how many sets and rules there are."""
    return [one for one in (fallen(report), found_sets(report), found_rules(report), first_look(report)) if one]


def searched(report: Report) -> str:
    """Return which rows were searched: how many of them, of how many items."""
    source = f"{clean_text(report['source'])}: " if "source" in report else ""
    rows = f"{_many(report['rows'], report['unit'])}, {_many(report['n_items'], 'item')}"
    weight = f" (weight {format_short(report['weight'], 6)})" if report["weight"] != report["rows"] else ""
    return f"{source}{rows}{weight}"


def found_sets(report: Report) -> str:
    """Return how many item sets there are, by size."""
    n = report["n_sets"]
    if n is None:
        return ""
    which = WHICH[report["which"]]
    bound = f"{_many(report['bound'], report['unit'])} ({percent(report['bound'] / report['weight'])})"
    if not n:
        return f"No {which}item set is in {bound} or more."
    verb, sets = ("is", "item set") if n == 1 else ("are", "item sets")
    if report.get("antecedent") or report.get("consequent"):
        sets += " for such rules"
    return f"{n:,} {which}{sets} {verb} in {bound} or more: {_sizes(report['sizes'])}."


def _sizes(sizes: Sequence[Report]) -> str:
    """Return how many sets there are of each size, in words; of very many sizes only the range."""
    first = f" item{'' if sizes[0]['size'] == 1 else 's'}"
    if len(sizes) > MOST_SIZES:
        most = max(sizes, key=lambda one: int(one["sets"]))
        ends = f"{_number(sizes[0]['size'])} to {_number(sizes[-1]['size'])} items"
        return f"of {ends}, most of them ({most['sets']:,}) of {_number(most['size'])}"
    parts = [f"{one['sets']:,} of {_number(one['size'])}" for one in sizes]
    return _listed([parts[0] + first, *parts[1:]])


def fallen(report: Report) -> str:
    """Return how the support was lowered, if it was."""
    levels = report.get("levels") or []
    if len(levels) < 2:
        return ""
    first, last = (percent(levels[place]["support"]) for place in (0, -1))
    what = "rules" if _of_rules(report) else "sets of two items and more"
    enough = f"{report['enough']:,} {what[:-1] if report['enough'] == 1 and _of_rules(report) else what}"
    reason = (
        f"until there were at least {enough}" if levels[-1]["found"] >= report["enough"] else f"in search of {enough}"
    )
    return f"The support was lowered from {first} to {last}, in {len(levels) - 1} steps, {reason}."


def found_rules(report: Report) -> str:
    """Return how many rules there are, and in which order they stand."""
    if not _of_rules(report):
        return ""
    n = report["n_rules"]
    least = report.get("min_confidence")
    hold = f" of confidence {percent(least)} or more" if least else ""
    if hold and report.get("min_lift"):
        hold += f" and lift {format_short(report['min_lift'], 4)} or more"
    if not n:
        return f"There is no rule{hold} in them." if report["n_sets"] else "So there are no rules."
    by = report["by"]
    order = f", the highest {by} first" if n > 1 and by else ""
    best = "The best " if report["changed"].get("top") == n > 1 else ""
    return f"{best}{_many(n, 'rule')}{hold}{order}."


def first_look(report: Report) -> str:
    """Return what the rules of a first look are, which nobody asked for so."""
    if not report.get("first") or not report.get("n_rules"):
        return ""
    return (
        "This is a first look: one item on the right side, and no rule that a shorter one makes superfluous. Bounds of "
        "your own, such as --min-support 0.01 --min-confidence 0.3, give all rules within them."
    )


def left_out(report: Report) -> str:
    """Return how many rules or sets are not shown."""
    return _many(report["hidden"], "more rule" if _of_rules(report) else "more item set")


def percent(share: float | None) -> str:
    """Return a share in percent with as many digits as it takes: 12.5 %, 0.0305 %."""
    if share is None or math.isnan(share):
        return "?"
    return f"{format_short(100 * share, 3)} %"


def lift_text(value: float | None) -> str:
    """Return a lift with two decimals, a large one with fewer."""
    return format_fixed(value, 2) if value is None or math.isnan(value) or value < 100 else format_short(value, 4)


def recommendations_lines(report: Report, columns: int) -> list[str]:
    """Return for each basket what it holds and what the strongest rules offer beside it."""
    offers = [offer for basket in report["baskets"] for offer in basket["offers"]]
    figures = _columns(
        [clean_text(one["item"]) for one in offers],
        _percents([one["confidence"] for one in offers]),
        [lift_text(one["lift"]) for one in offers],
        [clean_text(one["rule"]) for one in offers],
    )
    indent = " " * (len(str(len(report["baskets"]))) + 2)
    head, *drawn = _blocks([OFFER_HEAD, *figures], "lrrl", columns, indent)
    lines, place = [*wrap_text(recommended(report), columns), *(["", *head] if offers else [])], 0
    for basket in report["baskets"]:
        first, *more = wrap_text(clean_text(basket["items"]) or "(nothing)", columns, indent)
        lines += ["", f"{basket['number']:<{len(indent)}}{first[len(indent) :]}", *more]
        here = drawn[place : place + len(basket["offers"])]
        place += len(here)
        lines += [line for block in here for line in block] if here else [f"{indent}no rule applies"]
    if report["hidden"]:
        more_rows = _many(report["hidden"], f"more {report['unit']}")
        lines += ["", *wrap_text(f"… and {more_rows}; --show 0 prints them all.", columns)]
    return lines


def recommended(report: Report) -> str:
    """Return how many baskets were looked at, and how many of them got an offer."""
    n, served, unit = report["n_baskets"], report["served"], report["unit"]
    rules = _many(report["n_rules"], "rule") + (f" of {clean_text(report['file'])}" if "file" in report else "")
    source = f" of {clean_text(report['source'])}" if "source" in report else ""
    told = f"{_many(served, unit)} {'gets' if served == 1 else 'get'} at least one offer" if served else "none applies"
    return f"{_many(n, unit)}{source} and {rules}: {told}."


def _of_rules(report: Report) -> bool:
    return bool(report["kind"] == "association_rules")


def _rules(report: Report, columns: int) -> list[str]:
    rules = report["rules"]
    figures = _columns(
        [str(rule["number"]) for rule in rules],
        [format_weight(rule["count"]) for rule in rules],
        _percents([rule["support"] for rule in rules]),
        _percents([rule["confidence"] for rule in rules]),
        [lift_text(rule["lift"]) for rule in rules],
        [clean_text(rule["rule"]) for rule in rules],
    )
    return _fitted([HEAD, *figures], "rrrrrl", columns) if rules else []


def _sets(report: Report, columns: int) -> list[str]:
    """Return a line a set, a block a size."""
    sets = report["sets"]
    figures = _columns(
        [format_weight(one["count"]) for one in sets],
        _percents([one["support"] for one in sets]),
        [clean_text(one["set"]) for one in sets],
    )
    if not sets:
        return []
    head, *lines = _blocks([SET_HEAD, *figures], "rrl", columns)
    out = list(head)
    for place, (one, drawn) in enumerate(zip(sets, lines, strict=True)):
        out += [*([""] if place and one["size"] != sets[place - 1]["size"] else []), *drawn]
    return out


def _columns(*columns: Sequence[str]) -> list[list[str]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _percents(shares: Sequence[float]) -> list[str]:
    """Return shares with as many decimals as the smallest of them needs, at least one."""
    least = min((share for share in shares if share > 0), default=1.0)
    decimals = min(max(1, 1 - math.floor(math.log10(100 * least))), 6)
    return ["?" if math.isnan(share) else f"{share:.{decimals}%}" for share in shares]


def _fitted(rows: list[list[str]], sides: str, columns: int, indent: str = "") -> list[str]:
    """Return a table; what stands in its last column goes on below, at an item, where a line would be too wide."""
    return [line for lines in _blocks(rows, sides, columns, indent) for line in lines]


def _blocks(rows: list[list[str]], sides: str, columns: int, indent: str = "") -> Iterator[list[str]]:
    """Yield the lines of each row of a table; where an item has no room beside the figures, all stands below them."""
    heads = align_columns([row[:-1] for row in rows], sides[:-1], indent=indent)
    start = max(map(count_cells, heads)) + 2
    longest = max(count_cells(piece) for row in rows for piece in pieces_of(row[-1]))
    below = start + len(DEEPER) + longest > columns
    for number, (head, row) in enumerate(zip(heads, rows, strict=True)):
        lines = broken(row[-1], columns, len(indent) + 3 if below else start)
        if below:
            yield [head, *(lines if number else [])]
        else:
            yield [head + " " * (start - count_cells(head)) + lines[0][start:], *lines[1:]]


def pieces_of(rule: str) -> list[str]:
    """Return the pieces of a rule that stay on a line: an item with its comma, the arrow with what follows.

    >>> pieces_of('{"salt, sea", milk} => {bread}')
    ['{"salt, sea",', 'milk}', '=> {bread}']
    """
    pieces = [""]
    for found in _PIECE.findall(rule):
        if found == " => ":
            pieces.append("=> ")
        elif found == ", ":
            pieces[-1] += ","
            pieces.append("")
        else:
            pieces[-1] += found
    return pieces


def broken(rule: str, columns: int, start: int) -> list[str]:
    """Return a rule as lines from column `start` on, broken behind commas and before the arrow."""
    if start + count_cells(rule) <= columns:
        return [" " * start + rule]
    first, *more = pieces_of(rule)
    lines = [" " * start + first]
    for piece in more:
        if count_cells(lines[-1]) + 1 + count_cells(piece) <= columns:
            lines[-1] += " " + piece
        else:
            lines.append(" " * start + DEEPER + piece)
    return lines


def _many(n: float, what: str) -> str:
    number = f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"
    return f"{number} {what}{'' if n == 1 else 's'}"


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
