"""Reading printed or hand-written rules back, ordered ones and those without order."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.layout.names import format_level, format_name
from hedgerow.models.base.condition import Condition
from hedgerow.models.base.parse import Reader, TokenLine, rule_lines
from hedgerow.models.base.rule import Rule


class Conflict(NamedTuple):
    """How the last lines of a set resolve rules that cover the same row."""

    when: str  # the default decides
    tie_break: str = ""  # a line that stands before the default


# By RuleSet's `conflict`. The words are split at blanks, and signs are separate words.
CONFLICTS = {
    "default": Conflict("Where no rule covers or rules disagree,"),
    "sum": Conflict("Where no rule covers,", "Where rules overlap, their counts are added"),
}


MOST_VOTERS = 1_000_000
OVERLAP = ("where", "rules", "overlap", ",")


def vote_text(voters: int) -> str:
    """Return the conflict rule in a line on overlapping rules."""
    return f"Where rules overlap, the first {'decides' if voters == 1 else f'{voters} vote by odds'}"


def read_rules(text: str, schema: Schema) -> tuple[tuple[Rule, ...], Rule]:
    """Return the rules of a printed or hand-written list, and its default rule."""
    reader = RuleReader(schema)
    rules: list[Rule] = []
    default: Rule | None = None
    for number, raw in rule_lines(text):
        line = TokenLine(raw, number)
        if default is not None:
            line.fail("no rule may follow the 'otherwise' line")
        if line.accept("otherwise"):
            default = reader.ending(line, ())
        else:
            rules.append(reader.rule(line))
    if default is None:
        raise _missing_default_error(text, schema, "the list", "otherwise")
    return tuple(rules), default


def read_set(text: str, schema: Schema) -> tuple[tuple[Rule, ...], Rule, str]:
    """Return the rules of a printed or hand-written set, its default rule and the conflict rule."""
    reader = RuleReader(schema)
    rules: list[Rule] = []
    default: Rule | None = None
    conflict = ""
    for number, raw in rule_lines(text):
        line = TokenLine(raw, number)
        if default is not None:
            line.fail("no rule may follow the line 'where no rule covers ...'")
        if line.skip_words(*OVERLAP, "their", "counts", "are", "added"):
            line.end("the line")
            conflict = "sum"
        elif line.skip_words("where", "no", "rule", "covers"):
            default = reader.set_default(line, conflict)
            conflict = conflict or "default"
        else:
            rules.append(reader.rule(line))
    if default is None:
        raise _missing_default_error(text, schema, "the set", CONFLICTS[conflict or "default"].when)
    return tuple(rules), default, conflict


def read_vote(text: str, schema: Schema) -> tuple[tuple[Rule, ...], Rule, int]:
    """Return the rules of printed or hand-written rules that vote, their default rule and how many vote."""
    reader = RuleReader(schema)
    rules: list[Rule] = []
    default: Rule | None = None
    voters = 0
    for number, raw in rule_lines(text):
        line = TokenLine(raw, number)
        if default is not None:
            line.fail("no rule may follow the line 'where no rule covers ...'")
        if line.skip_words(*OVERLAP, "the", "first"):
            voters = reader.voters(line)
        elif line.skip_words("where", "no", "rule", "covers"):
            line.expect(",", "'covers'")
            default = reader.ending(line, ())
        else:
            rules.append(reader.rule(line))
    if default is None:
        raise _missing_default_error(text, schema, "the rules", CONFLICTS["sum"].when)
    if not voters:
        raise ModelError(f"there is no line that gives the number of rules that vote, such as '{vote_text(5)}'")
    return tuple(rules), default, voters


class RuleReader(Reader):
    """Reads lines into rules."""

    def __init__(self, schema: Schema) -> None:
        target = schema.target_column
        if target.kind is not Kind.NOMINAL or not target.levels:
            raise ModelError(f"rules predict a class, but the target {target.name!r} has no classes")
        super().__init__(schema)

    def rule(self, line: TokenLine) -> Rule:
        """Read `if ... then class (counts)`."""
        if not line.accept("if"):
            other = "; write 'otherwise' for 'else'" if line.peek().text.lower() in ("else", "default") else ""
            line.fail(f"a rule begins with 'if' or 'otherwise', not {line.peek().display_text}{other}")
        conditions: list[Condition] = self.conditions(line)
        while line.accept("and"):
            conditions += self.conditions(line)
        if line.peek().text.lower() in ("or", "||") and line.peek().sort == "word":
            line.fail("conditions can only be joined with 'and'; instead of 'or' write two rules, one below the other")
        if line.peek().text in ("&&", "&") and line.peek().sort == "word":
            line.fail(f"conditions are joined with 'and'; write it instead of {line.peek().display_text}")
        line.expect("then", "the conditions")
        return self.ending(line, tuple(conditions))

    def set_default(self, line: TokenLine, conflict: str) -> Rule:
        """Read the text after `where no rule covers`."""
        if not conflict and not line.skip_words("or", "rules", "disagree"):
            line.fail(
                "specify what happens where rules disagree: write 'where no rule covers or rules disagree, ...', or "
                f"the line '{CONFLICTS['sum'].tie_break}' before this one"
            )
        line.expect(",", "'disagree'" if not conflict else "'covers'")
        return self.ending(line, ())

    def voters(self, line: TokenLine) -> int:
        """Read the text after `where rules overlap, the first`: `decides`, or `5 vote by odds`."""
        if line.skip_words("decides"):
            line.end("the line")
            return 1
        number = line.amount("'decides' or the number of rules that vote")
        if number != int(number) or not 1 <= number <= MOST_VOTERS:
            line.fail(f"from 1 to {MOST_VOTERS:,} rules may vote, not {number.normalize():f}")
        if not line.skip_words("vote", "by", "odds"):
            line.fail(f"the line must continue with 'vote by odds', not {line.peek().display_text}")
        line.end("the line")
        return int(number)

    def ending(self, line: TokenLine, conditions: tuple[Condition, ...]) -> Rule:
        """Read `target = class (counts)` or, of a default, `no decision (counts)`."""
        if line.skip_words("no", "decision"):
            if conditions:
                line.fail("only the last line may contain 'no decision'")
            rule = Rule(conditions, self.read_undecided(line), None)
        else:
            decision = self.decision(line)
            rule = Rule(conditions, self.weights(line, decision), decision)
        line.end("the rule")
        return rule

    def decision(self, line: TokenLine) -> int:
        """Take `target = class`."""
        name = line.read_word("the target's name")
        if name != self.target:
            line.fail(f"the rule must predict {self.target!r}, not {name!r}")
        line.expect("=", repr(name))
        return self.code(line)

    def read_undecided(self, line: TokenLine) -> tuple[float, ...]:
        """Take `(n: class weight, ...)`; without it all weights are 0."""
        if not line.accept("("):
            return (0.0,) * len(self.classes)
        n = line.amount("the number of rows covered")
        line.expect(":", "the number of rows covered")
        by_class = self.read_class_weights(line)
        line.expect(")", "the counts")
        if sum(by_class.values()) != n:
            line.fail(f"the counts do not add up to {n.normalize():f} rows")
        return tuple(float(by_class.get(code, Decimal(0))) for code in range(len(self.classes)))


def _missing_default_error(text: str, schema: Schema, what: str, start: str) -> ModelError:
    last = text.rstrip("\n").count("\n") + 1
    target = schema.target_column
    example = f"{start} {format_name(target.name)} = {format_level(target.levels[0])}"
    return ModelError(f"line {last}: {what} must end with a line like '{example}'")
