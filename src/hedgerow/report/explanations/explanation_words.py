"""Explanations in words: the sentences and the choice of what is shown that text and pages have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hedgerow.layout.names import format_term, parse_number
from hedgerow.layout.numbers import format_count, format_counted, format_digits, format_probability, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.report.schema import (
    DecidedPart,
    DecisionReport,
    ExplanationsReport,
    GroundReport,
    PathReport,
    TestReport,
    TextReport,
    WhyPath,
    WhyRules,
    WhySum,
    WhyVotes,
)

NAMED = {"score": "scores", "decision values": "decision values"}  # units that need no other word
LEAF_CLASSES = 6  # of a leaf, the most frequent ones

# How the members of a model decide together, by its rule; other rules are losses of codes.
RULES = {
    "vote": "each member votes for its predicted class",
    "average": "the predicted distributions are averaged",
    "largest": "each distinguishes one class from the others, and the most confident one determines the prediction",
    "votes": "each votes for one of two classes",
    "coupled": "each distinguishes two classes, and the most probable class is predicted",
    "hamming": "the class whose code is nearest to their outputs is predicted",
}


def rule_words(found: WhyVotes) -> str:
    """Return how members decide together."""
    return RULES.get(found["rule"], f"the class whose code has the smallest {found['rule']} loss is predicted")


def vote_titles(found: WhyVotes) -> tuple[str, str]:
    """Return what the share of a class, and the number beside a member, are called."""
    return ("share of the votes", "vote") if found["rule"] in ("vote", "average") else ("probability", "value")


def title_of_explanations(report: ExplanationsReport) -> str:
    """Return how many decisions of which model are explained."""
    n, learner = len(report["decisions"]), report["learner"] or report["kind"]
    learned = f", trained on {format_counted(report['rows'], 'row')}" if report["rows"] else ""
    return f"{format_counted(n, 'prediction')} of {clean_text(report['target'] or '')} by {learner}{learned}"


def more_sentence(report: ExplanationsReport) -> str:
    """Return how many rows are not explained."""
    n, last = report["more"], max((told["row"] or 0 for told in report["decisions"]), default=0)
    if n < 0:
        return f"Many more rows are not explained; --rows {last + 1} explains the next one."
    rows = f"{format_counted(n, 'more row')} {'is' if n == 1 else 'are'}"
    return f"{rows} not explained; --rows {last + 1} explains the next one, --rows 1-{last + n} all of them."


def verdict_text(told: DecisionReport) -> str:
    """Return what the data say of the decision."""
    if told["actual"] == told["decision"]:
        return "; correct"
    value, said = told.get("value"), told["actual"] or ""
    actual, known = clean_text(said), parse_number(said)
    if value is None or known is None:
        return f"; incorrect, the actual {'value' if value is not None else 'class'} is {actual}"
    error = value - known
    return (
        f"; the actual value is {actual} (predicted {format_digits(abs(error), 4)} too "
        f"{'high' if error > 0 else 'low'})"
    )


def row_name(told: DecisionReport) -> str:
    """Return which row it is."""
    if told["row"] is None:
        return "The text"
    if told.get("bag") is not None:
        return f"Bag {clean_text(told['bag'])} (row {format_count(told['row'])})"
    return f"Row {format_count(told['row'])}" + (
        f", {clean_text(told['file'])}" if told.get("file") is not None else ""
    )


def class_shares(told: DecidedPart) -> list[tuple[str, float]]:
    """Return the classes with their probabilities: the two sides first, then the most probable."""
    shares = told["probabilities"]
    if not shares:  # a number
        return []
    first = [label for label in (told["decision"], told["against"]) if label is not None]
    rest = sorted((label for label in shares if label not in first), key=lambda label: -shares[label])
    return [(label, shares[label]) for label in (*first, *rest)]


def visible_shares(told: DecidedPart, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the classes to show and the others: of many only the two sides and those that are not improbable."""
    pairs = class_shares(told)
    if len(pairs) <= 4:
        return pairs, []
    kept = [pair for place, pair in enumerate(pairs) if place < 2 or (place < most and pair[1] >= 0.0005)]
    return (kept, pairs[len(kept) :]) if len(pairs) > len(kept) + 1 else (pairs, [])


def shares_pieces(told: DecidedPart, most: int) -> list[str]:
    """Return the probabilities, a piece a class, the last for all others."""
    pairs, left = visible_shares(told, most)
    shown = [f"P({clean_text(label)}) {equals(share)}" for label, share in pairs]
    if not left:
        return shown
    others = f"{len(left)} other class{'' if len(left) == 1 else 'es'}"
    return [*shown, f"{others} together {format_probability(sum(share for _, share in left))}"]


def equals(share: float) -> str:
    """Return what stands behind a probability's name."""
    text = format_probability(share)
    return text if text[0] in "<>" else f"= {text}"


def left_out_sentence(text: TextReport) -> str:
    """Return how much of a long text is not shown."""
    left = format_count(text["bytes_left_out"])
    return f"{left} bytes of this long text are not shown, far from the strongest words; --json prints all of it"


def unit_sentence(told: DecidedPart, found: WhySum) -> str:
    """Return what the numbers of grounds are."""
    unit = found["unit"]
    if told.get("value") is not None:
        return f"Contributions to {clean_text(told['target'])}:"
    if told["against"] is None:
        return f"Contributions to the {unit} of {clean_text(told['decision'] or '')}:"
    one, other = clean_text(told["decision"] or ""), clean_text(told["against"])
    return f"Contributions to {one} (+) and to {other} (-), in {unit}:"


def contribution_name(ground: GroundReport, several: bool) -> str:
    """Return a ground's name; a term of one of several columns with its column, one that ends in blanks in quotes."""
    name = str(ground["name"])
    if not ground["is_term"]:
        return name
    shown = format_term(name)
    return f"{shown} ({ground['column']})" if several else shown


def strongest(found: WhySum, most: int) -> tuple[list[tuple[str, float]], tuple[int, float]]:
    """Return the strongest grounds with what they add, and how many others there are and what they add together."""
    grounds = found["grounds"]
    several = len({ground["column"] for ground in grounds}) > 1
    shown = grounds[:most] if len(grounds) > most + 1 else grounds
    left = grounds[len(shown) :]
    named = [(contribution_name(ground, several), float(ground["adds"])) for ground in shown]
    return named, (len(left), math.fsum(float(ground["adds"]) for ground in left))


def total_words(told: DecidedPart, found: WhySum) -> str:
    """Return what the total says, in words."""
    total = found["total"]
    decision, against = told["decision"], told["against"]
    if decision is None or against is None:
        return ""
    if not math.isfinite(total):
        return f"{clean_text(against)} is impossible"
    one, other = told["probabilities"][decision], told["probabilities"][against]
    if not (one > 0 and other > 0 and abs(math.log(one) - math.log(other) - total) < 1e-6 * max(1.0, abs(total))):
        unit = found["unit"]
        if unit in ("log probability", "log-odds") and not other:  # which is less than can be written
            return ""
        return f"difference of their {NAMED.get(unit, f'scores ({unit})')}"
    if abs(total) < 5e-7:
        return "both are equally probable"
    if total > 700:
        ratio = f"e^{format_weight(round(total))}"
    else:
        times = math.exp(total)
        ratio = format_count(round(times)) if 7 < total < 16 else format_digits(times, 3)
    return f"{clean_text(decision)} is {ratio} times as probable"


def adds_decimals(told: DecidedPart, found: WhySum) -> int:
    """Return how many decimals what adds has: four, but six digits of the largest where a number is predicted."""
    if told.get("value") is None:
        return 4
    parts = [*found["grounds"], *found["prior"]]
    most = max((abs(part["adds"]) for part in parts if math.isfinite(part["adds"])), default=0.0)
    return min(max(5 - math.floor(math.log10(most)), 0), 12) if most > 0 else 0


def nearest_sentence(told: DecidedPart, found: WhyPath | WhyRules) -> str:
    """Return what it would have taken to come to the class that the decision is set against."""
    near = found.get("nearest")
    if near is None:
        return ""
    tests = " and ".join(clean_text(test["test"]) for test in near["fails"])
    counts = f" {clean_text(near['counts'])}" if near["counts"] else ""
    target, values = clean_text(told["against"] or ""), row_has(near["fails"])
    name = f"leaf for {target}{counts}"
    if "number" in near:
        name = f"rule for {target}, rule {format_count(near['number'])}{counts},"
    but = f", but {values}" if values else ""
    return f"The nearest {name} requires {tests}{but}."


def step_value(step: TestReport) -> str:
    """Return the value that a test met, and what decided if it was missing; nothing if the test tells it."""
    if names_value(step):
        return ""
    value = f"the row has {clean_text(step['value'])}" if step["value"] != "missing" else "the value is missing"
    return f"{value}: {step['instead']}" if step.get("instead") else value


def names_value(test: TestReport) -> bool:
    """Tell whether a test that held names the very value, so that it need not be told again."""
    return bool(test["test"].endswith((f" = {test['value']}", " is missing")))


def leaf_sentence(told: DecidedPart, path: PathReport) -> str:
    """Return what the leaf says, with its counts and shares."""
    top = sorted(path["leaf"].items(), key=lambda pair: -pair[1])[:LEAF_CLASSES]
    shares = ", ".join(f"{clean_text(label)} {format_probability(share)}" for label, share in top if share)
    counts = f" {path['counts']}" if path["counts"] else ""
    root = "" if path["steps"] else "The tree has no tests: its prediction is the same for every row. "
    told_shares = f"; class shares: {shares}" if shares else ""
    leaf = f"{clean_text(path.get('what', told['target']))} = {clean_text(path['says'])}"
    return f"{root}Leaf: {leaf}{clean_text(counts)}{told_shares}"


def row_has(tests: Sequence[TestReport]) -> str:
    """Return the values that a rule's tests met; those of texts are marked in them."""
    values = {test["column"]: test["value"] for test in tests if test["value"] and not names_value(test)}
    said = ", ".join(f"{clean_text(column)} {clean_text(value)}" for column, value in values.items())
    return f"the row has {said}" if said else ""
