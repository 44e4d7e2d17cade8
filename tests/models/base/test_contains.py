"""Conditions on text: `message contains "free"`, checked, printed, read back, stored, and tested on rows."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.models.base import term_hits
from hedgerow.models.base.condition import Condition, Operator, conjunction, terms_of_conditions
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.models.rules.rule_set import RuleSet
from hedgerow.models.trees.to_rules import tightest
from hedgerow.models.trees.tree import Tree
from tests.models.files.hostile import with_array, with_manifest
from tests.models.rules.rule_lists import MANY, terms
from tests.reference.words import words

SCHEMA = Schema(
    (
        Column("message", Kind.TEXT),
        Column("the subject", Kind.TEXT),
        Column("size", Kind.NUMERIC),
        Column("Class", Kind.NOMINAL, ("ham", "spam")),
    ),
    "Class",
)
MESSAGES = ["Free money, NOW", None, "", "be free. ÉTÉ", "a freedom", "ΟΔΟΣ and İstanbul"]
SUBJECTS = ["win", "win", None, "hello", "Win 50 now", "and"]


def table_of(messages, subjects):
    n = len(messages)
    columns = (Text.of(messages), Text.of(subjects), np.arange(n, dtype=np.float64), np.zeros(n, dtype=np.int32))
    return Table(SCHEMA, columns, n)


TABLE = table_of(MESSAGES, SUBJECTS)
PRINTED = """\
if message contains "free" and "the subject" contains "win" then Class = spam
if "the subject" contains "50" and size > 2 then Class = spam
if message contains "été" then Class = spam
if "the subject" contains "and" and message contains "οδος" then Class = spam
if message is missing then Class = ham
otherwise Class = ham"""


def contains(term, column="message"):
    return Condition(column, Operator.CONTAINS, term)


def test_a_condition_keeps_its_word_in_lower_case_and_prints_it_in_quotes():
    assert str(contains("FREE")) == 'message contains "free"'
    assert str(contains("ÉTÉ", "the subject")) == '"the subject" contains "été"'
    assert contains("ΟΔΟΣ").term == "οδος"
    assert contains("a").levels == ()
    assert contains("a").threshold == 0
    assert Condition("message", Operator.MISSING).term == ""
    assert Condition("x", Operator.IS, "a").term == ""
    assert contains("Free") == contains("free")


@pytest.mark.parametrize(
    ("term", "rows"),
    [
        ("free", [0, 3]),
        ("NOW", [0]),
        ("a", [4]),
        ("freedom", [4]),
        ("été", [3]),
        ("οδος", [5]),
        ("stanbul", [5]),
        ("xx", []),
    ],
)
def test_rows_that_contain_a_word(term, rows):
    assert np.flatnonzero(contains(term).covers(TABLE)).tolist() == rows
    some = np.array([5, 3, 0])
    assert contains(term).covers(TABLE, some).tolist() == [row in rows for row in some]


@MANY
@given(
    st.lists(st.one_of(st.none(), st.text(st.sampled_from("abAB éÉΣσİ_1.:"), max_size=12)), max_size=6),
    st.one_of(terms, st.sampled_from(["ab", "a", "éa", "aσ", "aς", "a1"])),
)
def test_a_word_is_contained_if_python_finds_it(messages, term):
    table = table_of(messages, [None] * len(messages))
    condition = contains(term)
    expected = [condition.term in words(message, 1) for message in messages]
    assert condition.covers(table).tolist() == expected


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("free money", 'single word, not \'free money\'; write message contains "free" and message contains "money"'),
        ("free!", 'write message contains "free"'),
        (" free", 'write message contains "free"'),
        ("İ", 'write message contains "i"'),
        ("", "single word of letters or digits; '' has none"),
        ("?!", "'?!' has none"),
        ("😀", "has none"),
        ("a\ud800", "single word, not"),
        ("a b c d e", 'contains "c" and so on'),
        (5, "searches for a single word, not 5"),
        (None, "searches for a single word, not None"),
        (("a",), "searches for a single word, not"),
    ],
)
def test_what_is_not_one_word_is_refused_with_what_to_write(value, sentence):
    with pytest.raises(ModelError, match=re.escape(sentence)):
        contains(value)


def test_a_long_text_is_not_repeated_whole():
    with pytest.raises(ModelError) as caught:
        contains("word! " * 10_000)
    assert len(str(caught.value)) < 300


def test_only_texts_can_contain_words():
    for column, kind in (("size", "numeric"), ("Outlook", "nominal")):
        schema = Schema((*SCHEMA.columns, Column("Outlook", Kind.NOMINAL, ("a",))), "Class")
        with pytest.raises(ModelError, match=f"'{column}' is {kind} and cannot be tested with 'contains'"):
            RuleList(schema, (Rule((contains("a", column),), (0, 1)),), Rule((), (1, 0)))
    with pytest.raises(
        ModelError, match="'message' is text and cannot be tested with '='; use 'contains', 'is missing'"
    ):
        RuleList.parse("if message = free then Class = spam\notherwise Class = ham", SCHEMA)


def test_a_list_is_read_printed_stored_and_executed():
    model = RuleList.parse(PRINTED, SCHEMA)
    assert str(model) == PRINTED
    assert model.deciding_rules(TABLE).tolist() == [0, 4, 5, 2, 1, 3]
    again = loads(dumps(model))
    assert again == model
    assert again.to_dict()["terms"] == ["free", "win", "50", "été", "and", "οδος"]
    assert again.deciding_rules(TABLE).tolist() == [0, 4, 5, 2, 1, 3]
    assert model.columns_used() == ("message", "the subject", "size")


def test_a_set_is_read_printed_stored_and_executed():
    rules = RuleList.parse(PRINTED, SCHEMA)
    model = RuleSet(SCHEMA, rules.rules, rules.default)
    assert RuleSet.parse(str(model), SCHEMA) == model
    assert loads(dumps(model)) == model
    assert model.decide_rows(TABLE).tolist() == [1, 0, 0, 1, 1, 1]


def test_reading_takes_words_without_quotes_and_in_capitals():
    text = "IF message CONTAINS Free and message contains 50 then Class = spam\notherwise Class = ham"
    assert str(RuleList.parse(text, SCHEMA)).startswith('if message contains "free" and message contains "50" then')


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ('message contains "free money"', "line 2: the test 'contains' of column 'message' searches for a single word"),
        ("message contains", "line 2: expected a word, not 'then'"),
        ("message contains and", "line 2: expected a word, not the keyword 'and'; quote it"),
        ("size contains 5", "line 2: column 'size' is numeric and cannot be tested with 'contains'"),
        ("massage contains free", "line 2: there is no column 'massage'; did you mean 'message'?"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(test, sentence):
    text = f"# rules\nif {test} then Class = spam\notherwise Class = ham"
    with pytest.raises(ModelError, match=re.escape(sentence).replace("'then'", ".*")):
        RuleList.parse(text, SCHEMA)


def test_a_tree_cannot_test_words():
    with pytest.raises(ModelError, match="line 1: a branch of a tree cannot test for words of a text; write rules"):
        Tree.parse('message contains "free": spam\nmessage is missing: ham', SCHEMA)


def test_a_text_is_split_once_however_many_rules_there_are(monkeypatch):
    calls = []

    def counted(text, *args, **kwargs):
        calls.append(len(text))
        return real(text, *args, **kwargs)

    real = term_hits.terms_with
    monkeypatch.setattr(term_hits, "terms_with", counted)
    model = RuleList.parse(PRINTED, SCHEMA)
    model.deciding_rules(TABLE)
    assert calls == [6, 6]  # two text columns
    RuleSet(SCHEMA, model.rules, model.default).decide_rows(TABLE)
    assert calls == [6] * 4
    model.rules[0].covers(TABLE)
    assert calls == [6] * 6
    RuleList.parse("if size > 2 then Class = spam\notherwise Class = ham", SCHEMA).deciding_rules(TABLE)
    assert calls == [6] * 6


def test_empty_and_sliced_tables_and_views():
    model = RuleList.parse(PRINTED, SCHEMA)
    assert model.deciding_rules(TABLE.take(np.zeros(0, dtype=np.int64))).tolist() == []
    assert model.deciding_rules(TABLE.slice(2, 5)).tolist() == [5, 2, 1]
    assert model.deciding_rules(TABLE.view(np.array([4, 0, 0]))).tolist() == [1, 0, 0]


def test_terms_and_intervals_beside_each_other():
    tests = [
        contains("free"),
        Condition("size", Operator.ABOVE, 1),
        Condition("size", Operator.AT_MOST, 3),
        contains("a"),
    ]
    assert conjunction(tests) == 'message contains "free" and 1 < size <= 3 and message contains "a"'
    assert terms_of_conditions([*tests, contains("free"), contains("x", "other")]) == {
        "message": ("free", "a"),
        "other": ("x",),
    }
    model = RuleList.parse(PRINTED, SCHEMA)
    assert tightest([contains("a"), contains("b"), contains("a")], SCHEMA, model._codes) == (
        contains("a"),
        contains("b"),
    )


def test_hostile_terms_are_refused():
    model = RuleList.parse(PRINTED, SCHEMA)

    def with_terms(terms):
        return with_manifest(model, lambda manifest: manifest["parts"].update(terms=terms))

    assert loads(with_terms(model.to_dict()["terms"])) == model
    for terms_, sentence in [
        (["free"], "searches for a term that the file does not have"),
        ("free", "must be a list of different words"),
        ([1, "win", "50", "été", "and", "οδος"], "must be a list of different words"),
        (["free", "free", "50", "été", "and", "οδος"], "must be a list of different words"),
        (["FREE", "win", "50", "été", "and", "οδος"], "not in lower case"),
        (["free money", "win", "50", "été", "and", "οδος"], "searches for a single word"),
        (["", "win", "50", "été", "and", "οδος"], "searches for a single word"),
        (["free\ud800", "win", "50", "été", "and", "οδος"], "m.hedge "),
    ]:
        with pytest.raises(ModelError, match=re.escape(sentence)):
            loads(with_terms(terms_), "m.hedge")
    levels = model.to_dict()["levels"].copy()
    levels[0] = -1
    with pytest.raises(ModelError, match="searches for a term that the file does not have"):
        loads(with_array(model, "levels", levels))
    columns = model.to_dict()["columns"].copy()
    columns[0] = 2
    with pytest.raises(ModelError, match="'size' is numeric and cannot be tested with 'contains'"):
        loads(with_array(model, "columns", columns))


def test_files_without_terms_have_no_such_part():
    model = RuleList.parse("if size > 2 then Class = spam\notherwise Class = ham", SCHEMA)
    assert "terms" not in model.to_dict()
    assert loads(dumps(model)) == model
