"""The text form of explanations: the decision, the document with its words marked, and what adds how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.data.quotes import quoted
from hedgerow.report.folding import folded
from hedgerow.report.grid import bar, clean, count, cut, digits, grid, items, short, width, wrapped
from hedgerow.report.marked_text import colored, signed, text_lines

Report = Mapping[str, Any]
INDENT = "  "
MOST_GROUNDS = 12
MOST_CLASSES = 6
MOST_MEMBERS = 10
MOST_RULES = 10
LONGEST_NAME = 40
BAR = 20


def explanations_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of all decisions, one after the other."""
    in_color = bool(report.get("colored"))
    lines = wrapped(title_of_explanations(report), columns)
    explained = False
    for told in report["decisions"]:
        lines += ["", "", *decision_lines(told, columns, in_color, legend=not explained)]
        explained = explained or any(amount for text in told["texts"] for _, amount in text["pieces"])
    if report["more"]:
        lines += ["", "", *wrapped(more_sentence(report), columns)]
    return lines


def title_of_explanations(report: Report) -> str:
    """Return how many decisions of which model are explained."""
    n, learner = len(report["decisions"]), report["learner"] or report["kind"]
    learned = f", learned from {report['rows']:,} row{'' if report['rows'] == 1 else 's'}" if report["rows"] else ""
    return f"{n:,} decision{'' if n == 1 else 's'} on {clean(report['target'])} by {learner}{learned}"


def more_sentence(report: Report) -> str:
    """Return how many rows are not explained."""
    n, last = report["more"], max((told["row"] or 0 for told in report["decisions"]), default=0)
    if n < 0:
        return f"Very many more rows are there; --rows {last + 1} explains the next one."
    rows = "1 more row is" if n == 1 else f"{n:,} more rows are"
    return f"{rows} there; --rows {last + 1} explains the next one, --rows 1-{last + n} all."


def decision_lines(told: Report, columns: int, in_color: bool = False, legend: bool = True) -> list[str]:
    """Return the lines of one decision."""
    lines = [*wrapped(headline(told), columns)]
    lines += wrapped(shares_sentence(told), columns, INDENT)
    for note in told["notes"]:
        lines += wrapped(f"Note: {clean(note)}", columns, INDENT)
    for text in told["texts"]:
        lines += ["", *_document(told, text, columns, in_color, legend)]
        legend = False
    makers = {"sum": _sum, "path": _path, "rules": _rules, "votes": _votes, "untold": _untold}
    return [*lines, "", *makers[told["why"]["way"]](told, columns)]


def headline(told: Report) -> str:
    """Return what is decided, and what the data say."""
    target = clean(told["target"])
    if told["decision"] is None:
        said = f"no decision on {target}"
    else:
        rather = f" rather than {clean(told['against'])}" if told["against"] is not None else ""
        said = f"{target} = {clean(told['decision'])}{rather}"
    row = row_name(told)
    if told["actual"] is None:
        return f"{row}: {said}"
    right = ", as the data say" if told["actual"] == told["decision"] else f"; the data say {clean(told['actual'])}"
    return f"{row}: {said}{right}"


def row_name(told: Report) -> str:
    """Return which row it is."""
    return "The text" if told["row"] is None else f"Row {told['row']:,}"


def shares_of(told: Report) -> list[tuple[str, float]]:
    """Return the classes with their probabilities: the two sides first, then the most probable."""
    shares = told["probabilities"]
    first = [label for label in (told["decision"], told["against"]) if label is not None]
    rest = sorted((label for label in shares if label not in first), key=lambda label: -shares[label])
    return [(label, shares[label]) for label in (*first, *rest)]


def shown_shares(told: Report, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the classes to show and the others: of many only the two sides and those that are not improbable."""
    pairs = shares_of(told)
    if len(pairs) <= 4:
        return pairs, []
    kept = [pair for place, pair in enumerate(pairs) if place < 2 or (place < most and pair[1] >= 0.0005)]
    return (kept, pairs[len(kept) :]) if len(pairs) > len(kept) + 1 else (pairs, [])


def shares_sentence(told: Report) -> str:
    """Return the probabilities in a line."""
    pairs, left = shown_shares(told, MOST_CLASSES)
    shown = ", ".join(f"P({clean(label)}) {equals(share)}" for label, share in pairs)
    if not left:
        return shown
    others = f"{len(left)} other class{'' if len(left) == 1 else 'es'}"
    return f"{shown}, {others} together {share_text(sum(share for _, share in left))}"


def equals(share: float) -> str:
    """Return what stands behind a probability's name."""
    text = share_text(share)
    return text if text[0] in "<>" else f"= {text}"


def share_text(share: float) -> str:
    """Return a probability to three decimals; only none at all is 0, only everything 1."""
    if 0 < share < 0.0005:
        return f"{share:.1e}" if share > 1e-300 else "< 1e-300"
    return "> 0.999" if 0.9995 <= share < 1 else f"{share:.3f}"


def _document(told: Report, text: Report, columns: int, in_color: bool, legend: bool) -> list[str]:
    lines, hidden = text_lines(((one, amount) for one, amount in text["pieces"]), columns, in_color, INDENT * 2)
    top = [f"{INDENT}{clean(text['column'])}:"]
    if not lines:
        return [f"{top[0]} an empty text"]
    below = []
    if hidden and not text.get("bytes_left_out"):
        those = "1 line that carries" if hidden == 1 else f"{hidden:,} lines that carry"
        below += wrapped(f"({those} less left out; --html FILE shows the whole text)", columns, INDENT)
    if text.get("bytes_left_out"):
        below += wrapped(left_out_sentence(text), columns, INDENT)
    if legend and any(amount for _, amount in text["pieces"]):
        below += (
            wrapped(_legend(told, columns, in_color), columns, INDENT)
            if not in_color
            else [INDENT + _legend(told, columns, True)]
        )
    return [*top, *lines, *below]


def left_out_sentence(text: Report) -> str:
    """Return how much of a long text is not shown."""
    return (
        f"({text['bytes_left_out']:,} bytes of this long text left out, far from its strongest words; --json has all)"
    )


def _legend(told: Report, columns: int, in_color: bool) -> str:
    one = "the decision" if told["decision"] is None else clean(told["decision"])
    other = "other classes" if told["against"] is None else clean(told["against"])
    if in_color:
        pairs = [(colored(cut(name, (columns - 34) // 2), sign, 1.0)) for name, sign in ((one, 0.3), (other, -0.3))]
        return f"({pairs[0]} or {pairs[1]}: the brighter, the more)"
    marks = signed("word", 0.3, 1.0), signed("word", -0.3, 1.0), signed("word", 1.0, 1.0)
    return (
        f"({marks[0]} speaks for {one}, {marks[1]} for {other}; {marks[2]}: at least half as strong as the strongest)"
    )


def unit_sentence(told: Report) -> str:
    """Return what the numbers of grounds are."""
    unit = told["why"]["unit"]
    if told["against"] is None:
        return f"What adds to the {unit} of {clean(told['decision'] or '')}:"
    return f"What speaks for {clean(told['decision'])} (+) and for {clean(told['against'])} (-), in {unit}:"


def ground_name(ground: Report, several: bool) -> str:
    """Return a ground's name; a term of one of several columns with its column, one that ends in blanks in quotes."""
    name = str(ground["name"])
    if not ground["is_term"]:
        return name
    shown = quoted(name) if name != name.strip() or not name.isprintable() else name
    return f"{shown} ({ground['column']})" if several else shown


def strongest(told: Report, most: int = MOST_GROUNDS) -> tuple[list[tuple[str, float]], tuple[int, float]]:
    """Return the strongest grounds with what they add, and how many others there are and what they add together."""
    grounds = told["why"]["grounds"]
    several = len({ground["column"] for ground in grounds}) > 1
    shown = grounds[:most] if len(grounds) > most + 1 else grounds
    left = grounds[len(shown) :]
    named = [(ground_name(ground, several), float(ground["adds"])) for ground in shown]
    return named, (len(left), math.fsum(float(ground["adds"]) for ground in left))


def total_words(told: Report) -> str:
    """Return what the total says, in words."""
    total = told["why"]["total"]
    if told["against"] is None:
        return ""
    if not math.isfinite(total):
        return f"{clean(told['against'])} is impossible"
    one, other = (told["probabilities"][told[side]] for side in ("decision", "against"))
    if not (one > 0 and other > 0 and abs(math.log(one) - math.log(other) - total) < 1e-6 * max(1.0, abs(total))):
        probable = told["why"]["unit"] == "log probability"  # but one of them is less than can be written
        return "" if probable and not other else f"the difference of their scores ({told['why']['unit']})"
    if abs(total) < 5e-7:
        return "both are equally probable"
    ratio = (
        f"e^{total:.0f}" if total > 700 else f"{math.exp(total):,.0f}" if 7 < total < 16 else digits(math.exp(total), 3)
    )
    return f"{clean(told['decision'])} is {ratio} times as probable"


def adds_text(amount: float) -> str:
    """Return what a ground adds, with its sign."""
    if math.isnan(amount):
        return "?"
    return f"{amount:+.4f}" if math.isfinite(amount) else f"{amount:+}"


def _sum(told: Report, columns: int) -> list[str]:
    named, (n_left, left) = strongest(told)
    most = max((abs(amount) for _, amount in named if math.isfinite(amount)), default=0.0)
    wide = max(len(adds_text(amount)) for amount in (*(amount for _, amount in named), left, told["why"]["total"]))
    room = min(LONGEST_NAME, columns - width(INDENT * 4) - wide - BAR)
    rows = [[cut(name, room), adds_text(amount), _bar(amount, most)] for name, amount in named]
    if n_left:
        rows.append([f"{n_left:,} others", adds_text(left), ""])
    rows += [[clean(one["name"]), adds_text(one["adds"]), _bar(one["adds"], most)] for one in told["why"]["prior"]]
    rows.append(["total", adds_text(told["why"]["total"]), ""])
    table = grid([row[:2] for row in rows], "lr", indent=INDENT * 2)
    lines = [f"{line}  {row[2]}".rstrip() for line, row in zip(table, rows, strict=True)]
    words = total_words(told)
    if words and width(f"{lines[-1]}  {words}") <= columns:
        lines[-1] += f"  {words}"
    elif words:
        lines += wrapped(words, columns, INDENT * 2)
    return [*wrapped(unit_sentence(told), columns, INDENT), *lines]


def _bar(amount: float, most: float) -> str:
    if not math.isfinite(amount):
        return "█" * BAR
    return bar(min(abs(amount) / most, 1.0), BAR) if most else ""


def _path(told: Report, columns: int) -> list[str]:
    paths, lines = told["why"]["paths"], []
    if len(paths) > 1:
        lines += wrapped(f"The row takes {len(paths):,} ways, as a value is missing:", columns, INDENT)
    for path in paths[:MOST_RULES]:
        if len(paths) > 1:
            lines += ["", f"{INDENT}{path['share']:.1%} of the row:"]
        lines += _steps(path["steps"], columns)
        lines += wrapped(leaf_sentence(told, path), columns, INDENT * 2)
    if len(paths) > MOST_RULES:
        lines.append(f"{INDENT}and {len(paths) - MOST_RULES:,} more")
    if near := nearest_sentence(told):
        lines += ["", *wrapped(near, columns, INDENT)]
    return lines


def _steps(steps: Sequence[Report], columns: int) -> list[str]:
    """Return the tests on a way, the values beside them; below them if that is too wide."""
    rows = [[cut(step["test"], columns - width(INDENT * 2)), step_value(step)] for step in steps]
    lines = grid(rows, "ll", indent=INDENT * 2)
    if all(width(line) <= columns for line in lines):
        return lines
    return [
        line
        for test, value in rows
        for line in (f"{INDENT * 2}{test}", *(wrapped(value, columns, INDENT * 3) if value else ()))
    ]


def nearest_sentence(told: Report) -> str:
    """Return what it would have taken to come to the class that the decision is set against."""
    near = told["why"].get("nearest")
    if near is None:
        return ""
    tests = " and ".join(clean(test["test"]) for test in near["fails"])
    what = f"rule {near['number']:,}" if "number" in near else "a leaf"
    counts = f" {clean(near['counts'])}" if near["counts"] else ""
    values = row_has(near["fails"])
    as_ = f", as {values}" if values else ""
    return f"Nearest to {clean(told['against'])} comes {what}{counts}, which fails by {tests}{as_}."


def step_value(step: Report) -> str:
    """Return the value that a test met, and what decided if it was missing; nothing if the test tells it."""
    if tells_value(step):
        return ""
    value = f"the row has {clean(step['value'])}" if step["value"] != "missing" else "the value is missing"
    return f"{value}: {step['instead']}" if step.get("instead") else value


def tells_value(test: Report) -> bool:
    """Tell whether a test that held names the very value, so that it need not be told again."""
    return bool(test["test"].endswith((f" = {test['value']}", " is missing")))


def leaf_sentence(told: Report, path: Report) -> str:
    """Return what the leaf says, with its counts and shares."""
    top = sorted(path["leaf"].items(), key=lambda pair: -pair[1])[:MOST_CLASSES]
    shares = ", ".join(f"{clean(label)} {share_text(share)}" for label, share in top if share)
    counts = f" {path['counts']}" if path["counts"] else ""
    root = "" if path["steps"] else "The tree has no tests: it says the same of every row. "
    return f"{root}Leaf: {clean(told['target'])} = {clean(path['says'])}{clean(counts)}; shares: {shares}"


def _rules(told: Report, columns: int) -> list[str]:
    found = told["why"]
    lines = wrapped(found["told"], columns, INDENT)
    for rule in found["rules"][:MOST_RULES]:
        number = "default" if rule["default"] else f"rule {rule['number']:,}"
        vote = f", vote {short(rule['vote'])}" if "vote" in rule else ""
        lines += ["", *(cut(line, columns) for line in folded(f"{number}{vote}: {rule['rule']}", columns, INDENT * 2))]
        if has := row_has(rule["tests"]):
            lines += wrapped(has, columns, INDENT * 3)
    if len(found["rules"]) > MOST_RULES:
        lines += ["", f"{INDENT}and {len(found['rules']) - MOST_RULES:,} more rules"]
    if near := nearest_sentence(told):
        lines += ["", *wrapped(near, columns, INDENT)]
    return lines


def row_has(tests: Sequence[Report]) -> str:
    """Return the values that a rule's tests met; those of texts are marked in them."""
    values = {test["column"]: test["value"] for test in tests if test["value"] and not tells_value(test)}
    said = ", ".join(f"{clean(column)} {clean(value)}" for column, value in values.items())
    return f"the row has {said}" if said else ""


def _votes(told: Report, columns: int) -> list[str]:
    found = told["why"]
    how = "each member gives its vote to the class it decides" if found["rule"] == "vote" else "distributions averaged"
    members = f"{len(found['members']):,} member{'' if len(found['members']) == 1 else 's'}"
    lines = wrapped(f"{members}; {how}:", columns, INDENT)
    tally = sorted(found["tally"], key=lambda one: -one["share"])
    rows = [
        [
            cut(one["class"], max(min(LONGEST_NAME, columns - 57), 8)),
            f"{one['members']:,}",
            share_text(one["share"]),
            bar(one["share"], BAR if columns >= 66 else 10),
        ]
        for one in tally[:MOST_GROUNDS]
    ]
    lines += grid([["class", "members", "share of the votes", ""], *rows], "lrrl", indent=INDENT * 2)
    if len(tally) > MOST_GROUNDS:
        lines.append(f"{INDENT * 2}and {len(tally) - MOST_GROUNDS:,} more classes")
    if found["columns"]:
        listed = ", ".join(f"{clean(one['column'])} {one['members']:,}" for one in found["columns"][:MOST_GROUNDS])
        lines += ["", *wrapped(f"Columns, by the members that look at them for this row: {listed}", columns, INDENT)]
    kinds = [
        [
            f"{one['member']:,}",
            one["kind"],
            count(one["vote"]) if float(one["vote"]).is_integer() else short(one["vote"]),
            cut(one["says"] or "no decision", columns - 36),
        ]
        for one in found["members"][:MOST_MEMBERS]
    ]
    lines += ["", *grid([["member", "kind", "vote", "says"], *kinds], "rlrl", indent=INDENT * 2)]
    if len(found["members"]) > MOST_MEMBERS:
        lines.append(f"{INDENT * 2}and {len(found['members']) - MOST_MEMBERS:,} more; --json tells all")
    return lines


def _untold(told: Report, columns: int) -> list[str]:
    return items([told["why"]["told"]], columns)
