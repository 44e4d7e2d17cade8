"""Reading printed models back: the inverse of printing, but forgiving about blanks and case of keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple, NoReturn

from hedgerow.data.table.schema import Schema, first_repeated
from hedgerow.errors import ModelError
from hedgerow.layout.names import KEYWORDS, parse_number
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import unquote_text
from hedgerow.models.base.condition import COMPARISONS, LOWER, UPPER, Condition, LevelCodes, Operator, nearest
from hedgerow.models.base.decisions import DECIDED

_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted> "(?:[^"\\]|\\.)*" )
             | (?P<sign> <=|>=|!=|[<>={}(),:/] )
             | (?P<word> [^\s"<>=!{}(),:/]+ ) )""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s*#[^\n]*")
# A line continues the rule before it if it begins with one of these, or if the rule ends with one of the others.
_GOES_ON = re.compile(r"\s*(?:(?:and|then)\b|\()", re.IGNORECASE)
_IS_OPEN = re.compile(r"(?:.*[\s\"])?(?:if|and|then)|.*,", re.IGNORECASE | re.DOTALL)
LONGEST_TOKEN = 80  # characters of it in an error


class Token(NamedTuple):
    """A word, a quoted word (without its quotes) or a sign."""

    text: str
    sort: str

    @property
    def keyword(self) -> str:
        """The keyword that the token is, in lower case, or empty."""
        return self.text.lower() if self.sort == "word" and self.text.lower() in KEYWORDS else ""

    @property
    def display_text(self) -> str:
        """The token as an error names it."""
        if self.sort == "end":
            return self.text
        return repr(self.text if len(self.text) <= LONGEST_TOKEN else f"{self.text[:LONGEST_TOKEN]}...")

    @property
    def number(self) -> float | None:
        """The number that the token is, if it is one."""
        return parse_number(self.text) if self.sort == "word" else None


_BEFORE_NAME = tuple(Token(sign, "sign") for sign in LOWER.values())
_END = Token("the end of the line", "end")


class TokenLine:
    """One line of a model as tokens; a rule may extend over several lines of the text."""

    def __init__(self, text: str, number: int) -> None:
        self.first = number
        self._rows: list[int] = []  # by token
        self._next = 0
        self._tokens = self._split(text)

    @property
    def number(self) -> int:
        """The line of the text that contains the last token read."""
        return self._rows[max(min(self._next, len(self._rows)) - 1, 0)] if self._rows else self.first

    def __len__(self) -> int:
        """Return the number of tokens, taken or not."""
        return len(self._tokens)

    def fail(self, problem: str | ModelError) -> NoReturn:
        """Raise with the line's number."""
        error = problem if isinstance(problem, ModelError) else ModelError(problem)
        raise error.at_line(self.number)

    def peek(self, ahead: int = 0) -> Token:
        """Return a coming token without taking it."""
        position = self._next + ahead
        return self._tokens[position] if position < len(self._tokens) else _END

    def next_token(self) -> Token:
        """Take the next token."""
        token = self.peek()
        self._next += 1
        return token

    def accept(self, text: str) -> bool:
        """Take the next token if it is this sign or keyword."""
        token = self.peek()
        fits = token.keyword == text or (token.sort == "sign" and token.text == text)
        self._next += fits
        return fits

    def expect(self, text: str, after: str) -> None:
        """Take this sign or keyword, or fail."""
        if not self.accept(text):
            self.fail(f"expected {text!r} after {after}, not {self.peek().display_text}")

    def skip_words(self, *words: str) -> bool:
        """Take the next tokens if they are these words (in small letters) or signs, not quoted."""
        coming = [self.peek(ahead) for ahead in range(len(words))]
        fits = all(t.sort in ("word", "sign") and t.text.lower() == w for t, w in zip(coming, words, strict=True))
        self._next += fits * len(words)
        return fits

    def end(self, what: str) -> None:
        """Fail unless all tokens are taken."""
        if self.peek() is not _END:
            self.fail(f"{what} should end before {self.peek().display_text}")

    def read_word(self, what: str) -> str:
        """Take a name or a level, or fail."""
        token = self.peek()
        if token.sort not in ("word", "quoted"):
            self.fail(f"expected {what}, not {token.display_text}")
        if token.keyword:
            self.fail(f"expected {what}, not the keyword {token.text!r}; quote it if it is a name")
        return self.next_token().text

    def amount(self, what: str) -> Decimal:
        """Take a number that is not negative, as a decimal, so that sums are exact."""
        token = self.peek()
        if token.number is None or token.number < 0:
            self.fail(f"expected {what}, not {token.display_text}")
        self.next_token()
        return Decimal(repr(token.number))

    def _split(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        position, text = 0, text.rstrip()
        while position < len(text):
            comment = _COMMENT.match(text, position)
            if comment is not None:
                position = comment.end()
                continue
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                self._next = len(self._rows) + 1
                self._rows.append(self.first + text.count("\n", 0, len(text) - len(text[position:].lstrip())))
                self.fail(
                    f"{text[position:].strip()[:20]!r} cannot be read; close quotes, and quote names that contain "
                    "special characters"
                )
            self._rows.append(self.first + text.count("\n", 0, match.start(match.lastgroup)))
            self._next = len(self._rows)
            tokens.append(self._token(match[match.lastgroup], match.lastgroup))
            position = match.end()
        self._next = 0
        return tokens

    def _token(self, text: str, sort: str) -> Token:
        if sort != "quoted":
            return Token(text, sort)
        try:
            return Token(unquote_text(text), sort)
        except (ValueError, OverflowError) as error:
            self.fail(f"{text} cannot be read: {error}")


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without blank lines and comments."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def check_decision_line(number: int, line: str) -> None:
    """Raise an error for the printed line on thresholds or costs: they belong to probabilities, which no text has."""
    if line.startswith(DECIDED):
        raise ModelError(
            f"line {number}: thresholds and costs cannot be read from a text; save the model as a .hedge file, or "
            "leave out this line"
        )


def rule_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the rules of a text with the numbers of their first lines; a rule may extend over several lines.

    A line continues the rule before it if it begins with `and`, `then` or counts, or if that rule ends with `if`,
    `and`, `then` or a comma.
    """
    number, rule = 0, ""
    for at, line in numbered_lines(text):
        check_decision_line(at, line)
        if rule and (_GOES_ON.match(line) or _IS_OPEN.fullmatch(_strip_comment(rule))):
            rule += "\n" * (at - number - rule.count("\n")) + line
            continue
        if rule:
            yield number, rule
        number, rule = at, line
    if rule:
        yield number, rule


def _strip_comment(rule: str) -> str:
    """Return the last line of a rule without comment; empty if it cannot be read."""
    last, position = rule.rsplit("\n", 1)[-1], 0
    if "#" not in last:
        return last.rstrip()
    while position < len(last) and not _COMMENT.match(last, position):
        match = _TOKEN.match(last, position)
        if match is None:
            return ""
        position = match.end()
    return last[:position].rstrip()


class Reader:
    """Reads the conditions, classes and counts of lines over one schema."""

    def __init__(self, schema: Schema) -> None:
        target = schema.target_column
        self.schema, self.target, self.classes = schema, target.name, target.levels
        self.codes = LevelCodes(schema)

    def conditions(self, line: TokenLine) -> list[Condition]:
        """Read one test, or the two of an interval."""
        if line.peek().number is not None and line.peek(1) in _BEFORE_NAME:
            return self.interval(line)
        name = self.column(line)
        if line.accept("is"):
            line.expect("missing", "'is'")
            return [self.check_condition(line, Condition(name, Operator.MISSING))]
        if line.accept("in"):
            return [self.check_condition(line, Condition(name, Operator.IN, self.levels(line)))]
        if line.accept("contains"):
            return [self.contains(line, name)]
        operator = next((op for op in Operator if line.peek().sort == "sign" and line.accept(op)), None)
        if operator is None:
            text = line.peek().display_text
            line.fail(f"a test such as '=' must follow {name!r}, not {text}; quote names that contain spaces")
        if operator is Operator.IS and line.peek() == Token("=", "sign"):
            line.fail(f"equal is written with one =, as in {name} = level")
        if operator in COMPARISONS:
            return [self.check_condition(line, Condition(name, operator, self.threshold(line)))]
        return [self.check_condition(line, Condition(name, operator, line.read_word("a level")))]

    def contains(self, line: TokenLine, name: str) -> Condition:
        """Read the word after `name contains`."""
        word = line.read_word("a word")
        try:
            condition = Condition(name, Operator.CONTAINS, word)
        except ModelError as error:
            line.fail(error)
        return self.check_condition(line, condition)

    def interval(self, line: TokenLine) -> list[Condition]:
        """Read `low < name <= high`; the upper half may be left out."""
        low = self.threshold(line)
        sign = line.next_token().text
        name = self.column(line)
        conditions = [Condition(name, next(op for op, text in LOWER.items() if text == sign), low)]
        upper = next((op for op, text in UPPER.items() if line.accept(text)), None)
        if upper is not None:
            conditions.append(Condition(name, upper, self.threshold(line)))
        return [self.check_condition(line, condition) for condition in conditions]

    def column(self, line: TokenLine) -> str:
        """Take the name of a column."""
        if line.peek() == Token("(", "sign"):
            line.fail(
                "conditions are not put in brackets; join them with 'and', and instead of 'or' write two rules, one "
                "below the other"
            )
        if line.peek().keyword == "not" and line.peek().sort == "word":
            line.fail("a condition cannot be negated by 'not'; write the opposite test, such as != or >")
        name = line.read_word("a column's name")
        if name not in self.schema:
            line.fail(f"there is no column {name!r}; {nearest(name, self.schema.names)}")
        return name

    def levels(self, line: TokenLine) -> tuple[str, ...]:
        """Take `{level, level, ...}`."""
        line.expect("{", "'in'")
        levels = [line.read_word("a level")]
        while line.accept(","):
            levels.append(line.read_word("a level"))
        line.expect("}", repr(levels[-1]))
        if (twice := first_repeated(levels)) is not None:
            line.fail(f"the level {twice!r} is listed twice")
        return tuple(levels)

    def threshold(self, line: TokenLine) -> float:
        """Take a number to compare with."""
        number = line.peek().number
        if number is None:
            line.fail(f"expected a number, not {line.peek().display_text}")
        line.next_token()
        return number

    def check_condition(self, line: TokenLine, condition: Condition) -> Condition:
        """Return the condition if it fits the schema."""
        try:
            condition.check(self.schema, self.codes)
        except ModelError as error:
            line.fail(error)
        return condition

    def code(self, line: TokenLine) -> int:
        """Take a class."""
        label = line.read_word("a class")
        if label not in self.codes[self.target]:
            hint = nearest(label, self.classes, "classes")
            problem = f"there is no class {label!r} of {self.target!r}; {hint}"
            line.fail(ModelError(problem, absent=(self.target, label)))
        return self.codes[self.target][label]

    def weights(self, line: TokenLine, decision: int) -> tuple[float, ...]:
        """Take `(n)`, `(n/errors)` or `(n/errors: class weight, ...)`; without them all weights are 0."""
        if not line.accept("("):
            return (0.0,) * len(self.classes)
        n = line.amount("the number of rows covered")
        errors = line.amount("the number of errors") if line.accept("/") else Decimal(0)
        by_class = self.read_class_weights(line) if line.accept(":") else self.infer_weights(line, decision, n, errors)
        line.expect(")", "the counts")
        if sum(by_class.values()) != n or n - by_class.get(decision, 0) != errors:
            line.fail(f"the counts do not add up to {_plain(n)} rows with {_plain(errors)} errors")
        return tuple(float(by_class.get(code, 0)) for code in range(len(self.classes)))

    def read_class_weights(self, line: TokenLine) -> Mapping[int, Decimal]:
        """Take `class weight, class weight, ...`."""
        weights: dict[int, Decimal] = {}
        while not weights or line.accept(","):
            code = self.code(line)
            if code in weights:
                line.fail(f"the class {self.classes[code]!r} is counted twice")
            weights[code] = line.amount(f"the weight of {self.classes[code]!r}")
        return weights

    def infer_weights(self, line: TokenLine, decision: int, n: Decimal, errors: Decimal) -> Mapping[int, Decimal]:
        """Return the weights that n and errors leave no doubt about."""
        if errors > n:
            line.fail(f"{_plain(errors)} errors are more than the {_plain(n)} rows covered")
        if not errors:
            return {decision: n}
        if len(self.classes) != 2:
            line.fail(f"give the classes of the {_plain(errors)} errors, as in (5/2: No 3, Yes 2)")
        return {decision: n - errors, 1 - decision: errors}


def _plain(amount: Decimal) -> str:
    return format_number(float(amount))
