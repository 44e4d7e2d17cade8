"""Reading the rule lists that Weka's JRip and PART print, from a file with the whole output or the list alone.

Weka writes names and levels unquoted, with blanks and signs, so that only the schema tells where they end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.layout.names import parse_number
from hedgerow.models.base.condition import Condition, LevelCodes, Operator, nearest
from hedgerow.models.base.model import About
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.text_header import MentionedNames

_COUNT = r"\d+(?:\.\d+)?(?:E\d+)?"
MOST_ROWS = 10**15  # more cannot be distinguished one by one
# The last arrow of a line, once found, is not searched again (`?>`): lines may be long and consist only of arrows.
_JRIP = re.compile(rf"(?!\s*#)(?>(?P<tests>.*)=> )(?P<said>.+) \((?P<n>{_COUNT})/(?P<errors>{_COUNT})\)\s*")
_PART_END = re.compile(rf"(?P<rest>.*) \((?P<n>{_COUNT})(?:/(?P<errors>{_COUNT}))?\)\s*")
_PART_TITLE = re.compile(r"^PART decision list\s*\n-+\s*$", re.MULTILINE)
_END = re.compile(r"^Number of Rules\s*:.*$", re.MULTILINE)
_OPERATOR = re.compile(r" (<=|>=|!=|=|<|>) ")
UNKNOWN_ERRORS = (
    "Weka does not print the classes of a rule's errors; they are distributed evenly over the other classes"
)


@dataclass(frozen=True)
class PrintedRule:
    """A rule as Weka prints it: its tests, `class=label` or only the label, and its counts."""

    line: int
    tests: tuple[str, ...]
    decision: str
    n: Decimal
    errors: Decimal

    def error(self, problem: str) -> ModelError:
        """Return an error with the line's number."""
        return ModelError(problem).at_line(self.line)


@dataclass(frozen=True)
class WekaPrint:
    """The rules of a print, the default last; PART's name no target."""

    rules: tuple[PrintedRule, ...]
    is_part: bool
    notes: tuple[str, ...]


def is_print(text: str) -> bool:
    """Return whether a text contains rules of JRip or PART."""
    return bool(_PART_TITLE.search(text)) or any(_JRIP.fullmatch(line) for line in text.split("\n"))


def read_print(text: str) -> WekaPrint:
    """Return the rules of a print, split but not yet understood."""
    title = _PART_TITLE.search(text)
    start = title.end() if title else 0
    end = _END.search(text, start)
    lines = text[: end.start() if end else len(text)].split("\n")
    first = text[:start].count("\n") + bool(title)
    numbered = list(enumerate(lines, start=1))[first:]
    rules = tuple(_part_rules(numbered) if title else _jrip_rules(numbered))
    if not rules or rules[-1].tests:
        raise ModelError("Weka's output does not end with its default rule, such as ' => class=yes (5.0/1.0)'")
    return WekaPrint(rules, title is not None, (f"printed by Weka's {'PART' if title else 'JRip'}",))


def scan_names(printed: WekaPrint, schema: Schema) -> MentionedNames:
    """Return the target, the classes and the columns that the rules name."""
    seen = MentionedNames()
    if printed.is_part:
        seen.target = _part_target(printed, schema)
    for rule in printed.rules:
        for test in rule.tests:
            name, operator, _ = _split(rule, test, schema)
            seen.columns[name] = seen.columns.get(name, False) or operator in ("=", "!=")
        if not printed.is_part:
            name, label = _split_jrip_decision(rule, schema)
            seen.target = seen.target or name
            seen.classes[label] = None
    return seen


def build_rule_list(printed: WekaPrint, schema: Schema, about: About) -> RuleList:
    """Return the rules as a list over a schema with its target."""
    codes = LevelCodes(schema)
    target = schema.target_column
    if target.kind is not Kind.NOMINAL or not target.levels:
        raise ModelError(f"rules predict a class, but the target {target.name!r} has no classes")
    rules = [_rule(rule, printed.is_part, schema, codes) for rule in printed.rules]
    guessed = len(target.levels) > 2 and any(rule.errors for rule in printed.rules)
    notes = (*about.notes, UNKNOWN_ERRORS) if guessed else about.notes
    return RuleList(schema, tuple(rules[:-1]), rules[-1], about=About(notes=notes))


def _jrip_rules(lines: list[tuple[int, str]]) -> Iterator[PrintedRule]:
    """Yield `(a = x) and (b >= 3) => class=yes (9.0/1.0)`, one rule per line."""
    for number, line in lines:
        match = _JRIP.fullmatch(line)
        if match is None:
            continue
        body = match["tests"].strip()
        tests = tuple(body.removeprefix("(").removesuffix(")").split(") and (")) if body else ()
        yield PrintedRule(number, tests, match["said"], _amount(match["n"]), _amount(match["errors"]))
        if not tests:
            return


def _part_rules(lines: list[tuple[int, str]]) -> Iterator[PrintedRule]:
    """Yield `a = x AND`, `b > 3: yes (9.0/1.0)`, one test per line."""
    tests: list[str] = []
    for number, line in lines:
        match = _PART_END.fullmatch(line)
        if match is not None and not line.rstrip().endswith(" AND"):
            n, errors = _amount(match["n"]), _amount(match["errors"] or "0")
            yield PrintedRule(number, (*tests, *_last_test(match["rest"])), match["rest"], n, errors)
            if match["rest"].startswith(": "):
                return
            tests = []
        elif line.strip():
            tests.append(line.strip().removesuffix(" AND"))


def _amount(text: str) -> Decimal:
    """Return a count as the decimal that its double prints; one beyond all doubles is infinite."""
    return Decimal(repr(float(text)))


def _last_test(rest: str) -> tuple[str, ...]:
    """Return the text before a rule's class, and the class: only the known classes determine where it ends."""
    return () if rest.startswith(": ") else (rest,)


def _part_target(printed: WekaPrint, schema: Schema) -> str:
    """Return the column whose levels end all rules: the data's own target if it fits, else the last that does."""
    own = [schema.target] if schema.target is not None else []
    for name in (*own, *reversed(schema.names)):
        levels = schema[name].levels
        if levels and all(_ending(rule.decision, levels) is not None for rule in printed.rules):
            return name
    target = schema.target or schema.names[-1]
    wrong = next(rule for rule in printed.rules if _ending(rule.decision, schema[target].levels) is None)
    raise wrong.error(
        f"no column has all the classes of the rules; {target!r} lacks {wrong.decision.rpartition(': ')[2]!r}. "
        "Give data "
        f"with the target, or declare it at the top, as in '# column Class: {{No, Yes}}'"
    )


def _ending(text: str, levels: tuple[str, ...]) -> str | None:
    """Return the level that a rule's last line ends with."""
    ends = [level for level in levels if any(text.endswith(f": {word}") for word in (level, f"'{level}'"))]
    return max(ends, key=len, default=None)


def _split_jrip_decision(rule: PrintedRule, schema: Schema) -> tuple[str, str]:
    """Return the target and the class of `class=yes`; both may contain a `=`."""
    for at in (match.start() for match in re.finditer("=", rule.decision)):
        name = _match_known_word(rule.decision[:at], schema.names)
        if name is not None:
            label = rule.decision[at + 1 :]
            return name, _match_known_word(label, schema[name].levels) or label
    name, _, label = rule.decision.partition("=")
    if nearest(name, schema.names).startswith("did you mean"):
        raise rule.error(f"there is no column {name!r}; {nearest(name, schema.names)}")
    return name, label


def _split(rule: PrintedRule, test: str, schema: Schema) -> tuple[str, str, str]:
    """Return the column, the operator and the value of `name = value`."""
    for match in _OPERATOR.finditer(test):
        name = _match_known_word(test[: match.start()], schema.names)
        if name is not None:
            return name, match[1], test[match.end() :]
    name = _OPERATOR.split(test, maxsplit=1)[0]
    if name == test:
        raise rule.error(f"{test!r} is not a test such as 'name = value'")
    raise rule.error(f"there is no column {name!r}; {nearest(name, schema.names)}")


def _rule(rule: PrintedRule, is_part: bool, schema: Schema, codes: LevelCodes) -> Rule:
    target = schema.target_column
    label = _ending(rule.decision, target.levels) if is_part else _split_jrip_decision(rule, schema)[1]
    if label not in codes[target.name]:
        hint = nearest(str(label), target.levels, "classes")
        problem = f"there is no class {label!r} of {target.name!r}; {hint}"
        raise ModelError(problem, absent=(target.name, str(label))).at_line(rule.line)
    tests = list(rule.tests)
    if is_part and tests:
        tests[-1] = re.sub(rf": (?:{re.escape(str(label))}|'{re.escape(str(label))}')$", "", tests[-1])
    decision = codes[target.name][str(label)]
    conditions = tuple(_condition(rule, test, schema, codes) for test in tests)
    return Rule(conditions, _weights(rule, decision, len(target.levels)), decision)


def _condition(rule: PrintedRule, test: str, schema: Schema, codes: LevelCodes) -> Condition:
    name, sign, value = _split(rule, test, schema)
    operator = Operator(sign)
    try:
        if operator in (Operator.IS, Operator.IS_NOT):
            condition = Condition(name, operator, _match_known_word(value, schema[name].levels) or value)
        else:
            condition = Condition(name, operator, parse_number(value))
        condition.check(schema, codes)
    except ModelError as error:
        raise error.at_line(rule.line) from None
    return condition


def _weights(rule: PrintedRule, decision: int, n_classes: int) -> tuple[float, ...]:
    """Return the counts by class; errors are spread evenly over the other classes, to decimals that print exactly."""
    if rule.n >= MOST_ROWS:
        raise rule.error(f"{rule.n:.6g} rows covered are too many for printed counts")
    if rule.errors > rule.n:
        raise rule.error(f"{rule.errors} errors are more than the {rule.n} rows covered")
    others = [code for code in range(n_classes) if code != decision]
    weights = [Decimal(0)] * n_classes
    weights[decision] = rule.n - rule.errors
    if rule.errors and not others:
        raise rule.error("there are errors, but only one class")
    if rule.errors:
        digits = max(5 - rule.n.adjusted(), 0)
        each = round(rule.errors / len(others), digits)
        for code in others:
            weights[code] = each
        weights[others[0]] += rule.errors - each * len(others)
        if weights[others[0]] < 0:
            weights[others[0]], weights[others[-1]] = Decimal(0), weights[others[-1]] + weights[others[0]]
    return tuple(float(weight) for weight in weights)


def _match_known_word(word: str, known: tuple[str, ...]) -> str | None:
    """Return the known word that equals this one, with or without Weka's quotes."""
    if word in known:
        return word
    bare = word[1:-1].replace("\\'", "'").replace('\\"', '"').replace("\\\\", "\\")
    return bare if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" and bare in known else None
