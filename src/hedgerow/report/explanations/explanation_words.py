"""The sentences of explanations, and the selection of what is shown, for all output formats."""

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
    """Return how the predictions of the members are combined."""
    return RULES.get(found["rule"], f"the class whose code has the smallest {found['rule']} loss is predicted")


def vote_titles(found: WhyVotes) -> tuple[str, str]:
    """Return the titles of the share of a class and of the value of a member."""
    return ("share of the votes", "vote") if found["rule"] in ("vote", "average") else ("probability", "value")


def title_of_explanations(report: ExplanationsReport) -> str:
    """Return the number of explained predictions and the model."""
    n, learner = len(report["decisions"]), report["learner"] or report["kind"]
    learned = f", trained on {format_counted(report['rows'], 'row')}" if report["rows"] else ""
    return f"{format_counted(n, 'prediction')} of {clean_text(report['target'] or '')} by {learner}{learned}"


def more_sentence(report: ExplanationsReport) -> str:
    """Return the number of rows that are not explained."""
    n, last = report["more"], max((told["row"] or 0 for told in report["decisions"]), default=0)
    if n < 0:
        return f"Many more rows are not explained; --rows {last + 1} explains the next one."
    rows = f"{format_counted(n, 'more row')} {'is' if n == 1 else 'are'}"
    return f"{rows} not explained; --rows {last + 1} explains the next one, --rows 1-{last + n} all of them."


def verdict_text(told: DecisionReport) -> str:
    """Return whether the prediction is correct, or the actual value."""
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
    """Return the name of the row."""
    if told["row"] is None:
        return "The text"
    if told.get("bag") is not None:
        return f"Bag {clean_text(told['bag'])} (row {format_count(told['row'])})"
    return f"Row {format_count(told['row'])}" + (
        f", {clean_text(told['file'])}" if told.get("file") is not None else ""
    )


def class_shares(told: DecidedPart) -> list[tuple[str, float]]:
    """Return the classes with their probabilities: the two compared classes first, then the most probable."""
    shares = told["probabilities"]
    if not shares:  # a number
        return []
    first = [label for label in (told["decision"], told["against"]) if label is not None]
    rest = sorted((label for label in shares if label not in first), key=lambda label: -shares[label])
    return [(label, shares[label]) for label in (*first, *rest)]


def visible_shares(told: DecidedPart, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the classes to show and the others: if there are many, improbable ones are not shown."""
    pairs = class_shares(told)
    if len(pairs) <= 4:
        return pairs, []
    kept = [pair for place, pair in enumerate(pairs) if place < 2 or (place < most and pair[1] >= 0.0005)]
    return (kept, pairs[len(kept) :]) if len(pairs) > len(kept) + 1 else (pairs, [])


def shares_pieces(told: DecidedPart, most: int) -> list[str]:
    """Return the probabilities, one piece per class, the last one for all others."""
    pairs, left = visible_shares(told, most)
    shown = [f"P({clean_text(label)}) {equals(share)}" for label, share in pairs]
    if not left:
        return shown
    others = f"{len(left)} other class{'' if len(left) == 1 else 'es'}"
    return [*shown, f"{others} together {format_probability(sum(share for _, share in left))}"]


def equals(share: float) -> str:
    """Return the text after the name of a probability."""
    text = format_probability(share)
    return text if text[0] in "<>" else f"= {text}"


def left_out_sentence(text: TextReport) -> str:
    """Return a sentence on the part of a long text that is not shown."""
    left = format_count(text["bytes_left_out"])
    return f"{left} bytes of this long text are not shown, far from the strongest words; --json prints all of it"


def unit_sentence(told: DecidedPart, found: WhySum) -> str:
    """Return the title of the contributions, with their unit."""
    unit = found["unit"]
    if told.get("value") is not None:
        return f"Contributions to {clean_text(told['target'])}:"
    if told["against"] is None:
        return f"Contributions to the {unit} of {clean_text(told['decision'] or '')}:"
    one, other = clean_text(told["decision"] or ""), clean_text(told["against"])
    return f"Contributions to {one} (+) and to {other} (-), in {unit}:"


def contribution_name(ground: GroundReport, several: bool) -> str:
    """Return the name of a contribution; a term of one of several text columns is followed by the column."""
    name = str(ground["name"])
    if not ground["is_term"]:
        return name
    shown = format_term(name)
    return f"{shown} ({ground['column']})" if several else shown


def strongest(found: WhySum, most: int) -> tuple[list[tuple[str, float]], tuple[int, float]]:
    """Return the largest contributions, and the number and sum of the others."""
    grounds = found["grounds"]
    several = len({ground["column"] for ground in grounds}) > 1
    shown = grounds[:most] if len(grounds) > most + 1 else grounds
    left = grounds[len(shown) :]
    named = [(contribution_name(ground, several), float(ground["adds"])) for ground in shown]
    return named, (len(left), math.fsum(float(ground["adds"]) for ground in left))


def total_words(told: DecidedPart, found: WhySum) -> str:
    """Return the meaning of the total, in words."""
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
    """Return the number of decimals of contributions: four; for regression, six digits of the largest."""
    if told.get("value") is None:
        return 4
    parts = [*found["grounds"], *found["prior"]]
    most = max((abs(part["adds"]) for part in parts if math.isfinite(part["adds"])), default=0.0)
    return min(max(5 - math.floor(math.log10(most)), 0), 12) if most > 0 else 0


def nearest_sentence(told: DecidedPart, found: WhyPath | WhyRules) -> str:
    """Return what the class that the prediction is compared with would have required."""
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
    """Return the value of the row in a test, and how a missing value was handled; nothing if the test contains it."""
    if names_value(step):
        return ""
    value = f"the row has {clean_text(step['value'])}" if step["value"] != "missing" else "the value is missing"
    return f"{value}: {step['instead']}" if step.get("instead") else value


def names_value(test: TestReport) -> bool:
    """Tell whether a test contains the value of the row, so that it need not be repeated."""
    return bool(test["test"].endswith((f" = {test['value']}", " is missing")))


def leaf_sentence(told: DecidedPart, path: PathReport) -> str:
    """Return the prediction of the leaf, with its counts and shares."""
    top = sorted(path["leaf"].items(), key=lambda pair: -pair[1])[:LEAF_CLASSES]
    shares = ", ".join(f"{clean_text(label)} {format_probability(share)}" for label, share in top if share)
    counts = f" {path['counts']}" if path["counts"] else ""
    root = "" if path["steps"] else "The tree has no tests: its prediction is the same for every row. "
    told_shares = f"; class shares: {shares}" if shares else ""
    leaf = f"{clean_text(path.get('what', told['target']))} = {clean_text(path['says'])}"
    return f"{root}Leaf: {leaf}{clean_text(counts)}{told_shares}"


def row_has(tests: Sequence[TestReport]) -> str:
    """Return the values of the row in the tests of a rule; those of texts are marked in the texts."""
    values = {test["column"]: test["value"] for test in tests if test["value"] and not names_value(test)}
    said = ", ".join(f"{clean_text(column)} {clean_text(value)}" for column, value in values.items())
    return f"the row has {said}" if said else ""
