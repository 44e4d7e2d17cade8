"""Rule lists for tests: one by hand, and any that Hypothesis can think of."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.terms import words_in
from hedgerow.models.base.condition import OPERATORS_OF, Condition, Operator
from hedgerow.models.base.model import About
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.models.rules.rule_set import RuleSet
from hedgerow.models.rules.rule_vote import RuleVote

MANY = settings(max_examples=200, suppress_health_check=list(HealthCheck))

WEATHER = Table.of(
    {
        "Outlook": ["sunny", "overcast", "rainy", None, "rainy"],
        "Humidity": [85.0, 96.0, 82.5, 70.0, None],
        "Tageszeit 🌦": ["früh", "später Abend", None, "früh", "früh"],
        "Play": ["no", "yes", "yes", "no", "perhaps"],
    },
    target="Play",
)

PRINTED = """\
if Outlook = sunny and 82.5 < Humidity <= 95.5 then Play = no (3/0)  # support 13.3 %, confidence 100 %
if Outlook in {rainy, overcast} and Humidity > 82.5 then Play = yes (4.5/1.5: no 0.5, yes 3, perhaps 1)\
  # support 13.3 %, confidence 66.7 %
if "Tageszeit 🌦" != "später Abend" and Outlook is missing then Play = perhaps
if Humidity is missing then Play = perhaps (1/0)  # support 4.4 %, confidence 100 %
otherwise Play = yes (14/9: no 5, yes 5, perhaps 4)  # support 22.2 %, confidence 35.7 %"""


def weather_rules():
    about = About("Hand", {"depth": 2, "names": ["a", "b"], "limit": None}, 5, 5.0, ("written by hand",))
    return RuleList.parse(PRINTED, WEATHER.schema, about)


def random_table(schema, seed, n_rows=40):
    """Rows that meet thresholds and levels often, with missing values among them."""
    chance = np.random.default_rng(seed)
    data = []
    for column in schema.columns:
        if column.kind is Kind.NUMERIC:
            pool = np.array([np.nan, 0.0, 1.0, -1.0, 1e300, -1e300, 5e-324])
            data.append(chance.choice(pool, n_rows))
        elif column.kind is Kind.NOMINAL:
            data.append(chance.integers(-1, len(column.levels), n_rows, dtype=np.int32))
        else:
            data.append(Text.of(chance.choice(np.array(["a", None], dtype=object), n_rows).tolist()))
    return Table(schema, tuple(data), n_rows)


words = st.one_of(
    st.sampled_from(
        [
            "",
            "and",
            "If",
            "is missing",
            "in",
            "82.5",
            "1e5",
            "nan",
            "a b",
            '"',
            "\\",
            "{x}",
            "#",
            "# a",
            "a#b",
            "N/A",
            "where",
            "no",
            "decision",
        ]
    ),
    st.text(max_size=6),
)
terms = st.one_of(
    st.sampled_from(["and", "If", "FREE", "a", "_", "50", "ΟΔΟΣ", "größe"]),
    st.text(max_size=6).filter(lambda text: words_in(text, 1) == [text.lower()]),
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
weights = st.one_of(
    st.integers(0, 10**6).map(float), st.floats(0, 100), st.floats(0, 1e-6), st.floats(0, 1e250), st.just(0.0)
)


@st.composite
def schemas(draw):
    names = draw(st.lists(words, min_size=2, max_size=5, unique=True))
    levels = st.lists(words, min_size=1, max_size=5, unique=True).map(tuple)
    columns = [Column(names[0], Kind.NOMINAL, draw(levels))]
    for name in names[1:]:
        kind = draw(st.sampled_from([Kind.NUMERIC, Kind.NOMINAL, Kind.NOMINAL, Kind.TEXT]))
        columns.append(Column(name, kind, draw(levels) if kind is Kind.NOMINAL else ()))
    return Schema(tuple(draw(st.permutations(columns))), names[0])


@st.composite
def conditions(draw, schema):
    column = draw(st.sampled_from([c for c in schema.columns if c.name != schema.target]))
    operator = draw(st.sampled_from(OPERATORS_OF[column.kind]))
    if operator is Operator.MISSING:
        return Condition(column.name, operator)
    if column.kind is Kind.NUMERIC:
        return Condition(column.name, operator, draw(numbers))
    if operator is Operator.CONTAINS:
        return Condition(column.name, operator, draw(terms))
    if operator is Operator.IN:
        some = st.lists(st.sampled_from(column.levels), min_size=1, unique=True)
        return Condition(column.name, operator, tuple(draw(some)))
    return Condition(column.name, operator, draw(st.sampled_from(column.levels)))


@st.composite
def rules_of(draw, schema):
    """Draw some rules and a default, which may decide nothing."""
    n_classes = len(schema.target_column.levels)
    by_class = st.lists(weights, min_size=n_classes, max_size=n_classes).map(tuple)
    decisions = st.integers(-1, n_classes - 1)
    bodies = draw(st.lists(st.lists(conditions(schema), min_size=1, max_size=4), max_size=4))
    rules = tuple(Rule(tuple(body), draw(by_class), draw(decisions)) for body in bodies)
    return rules, Rule((), draw(by_class), draw(st.one_of(decisions, st.none())))


@st.composite
def rule_lists(draw):
    schema = draw(schemas())
    return RuleList(schema, *draw(rules_of(schema)))


@st.composite
def rule_sets(draw):
    schema = draw(schemas())
    return RuleSet(schema, *draw(rules_of(schema)), draw(st.sampled_from(["default", "sum"])))


@st.composite
def rule_votes(draw):
    schema = draw(schemas())
    return RuleVote(schema, *draw(rules_of(schema)), draw(st.sampled_from([1, 2, 5])))
