"""RuleVote: votes, printing, parsing and saving, and error messages for manipulated files and texts."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.rule_list import Rule
from hedgerow.models.rules.rule_vote import RuleVote
from tests.models.files.hostile import resealed, with_manifest
from tests.models.rules.rule_lists import MANY, random_table, rule_sets, rule_votes

TABLE = Table.of(
    {"a": ["x", "x", "y", None], "b": ["u", "v", "v", None], "c": ["+", "-", "-", "+"]}, "c", {"c": ["+", "-"]}
)
PRINTED = """\
If a = x then c = + (10/1)  # support 45 %, confidence 90 %
If b = v then c = - (8/2)  # support 30 %, confidence 75 %
If a = x and b = v then c = - (4/0)  # support 20 %, confidence 100 %
Where rules overlap, the first 3 vote by odds
Where no rule covers, c = - (20/8)"""


def rule(label, weights, **tests):
    conditions = tuple(Condition(name, Operator.IS, level) for name, level in tests.items())
    return Rule(conditions, weights, "+-".index(label))


def voted(voters=3):
    rules = rule("+", (9, 1), a="x"), rule("-", (2, 6), b="v"), rule("-", (0, 4), a="x", b="v")
    return RuleVote(TABLE.schema, rules, Rule((), (8, 12)), voters)


def test_the_print_says_who_votes_and_reads_back():
    assert str(voted()) == PRINTED
    assert parse_model(PRINTED, TABLE.schema) == voted()
    assert str(voted(1)).splitlines()[-2] == "Where rules overlap, the first decides"
    assert parse_model(str(voted(1)), TABLE.schema) == voted(1)
    by_hand = "if a = x then c = +\nwhere rules overlap, the first 2 vote by odds\nwhere no rule covers, c = -"
    assert parse_model(by_hand, TABLE.schema).voters == 2


def test_the_first_that_cover_vote_by_odds():
    assert voted(3).predict(TABLE).tolist() == ["+", "-", "-", "-"]  # 2.23 against 0.57 + 1.81
    assert voted(2).predict(TABLE).tolist() == ["+", "+", "-", "-"]
    assert voted(1).predict(TABLE).tolist() == ["+", "+", "-", "-"]
    assert voted(1).decided_by_default(TABLE).tolist() == [False, False, False, True]
    assert voted(3).deciding_rules(TABLE).tolist() == [0, 0, 1, 3]


def test_probabilities_are_added_counts_smoothed():
    told = voted(3).distribution(TABLE)
    assert np.allclose(told[0], (np.array([9, 1]) + 1) / 12)
    assert np.allclose(told[3], (np.array([8, 12]) + 1) / 22)
    assert told[1, 1] > told[1, 0]  # the counts (11, 11) say otherwise, the vote decides
    assert np.allclose(voted(1).distribution(TABLE)[1], (np.array([9, 1]) + 1) / 12)


def test_equal_votes_go_to_the_first_rule():
    rules = rule("-", (0, 3), a="x"), rule("+", (3, 0), b="v")
    model = RuleVote(TABLE.schema, rules, Rule((), (10, 10), 1), 2)
    assert model.predict(TABLE).tolist() == ["-", "-", "+", "-"]
    rarer = RuleVote(TABLE.schema, rules, Rule((), (9, 11)), 2)  # to be as sure of a rarer class tells more
    assert rarer.predict(TABLE).tolist() == ["-", "+", "+", "-"]


def test_a_default_may_decide_nothing_and_rules_need_no_counts():
    text = PRINTED.replace("c = - (20/8)", "no decision (20: + 8, - 12)")
    model = RuleVote.parse(text, TABLE.schema)
    assert str(model) == text
    assert model.predict(TABLE).tolist() == ["+", "-", "-", None]
    bare = RuleVote(TABLE.schema, (rule("-", (0, 0), a="x"),), Rule((), (0, 0), 0), 2)
    assert bare.distribution(TABLE).tolist() == [[0, 1], [0, 1], [1, 0], [1, 0]]


def test_figures_cards_and_cover_know_it():
    figures = voted().rule_rows()
    assert voted().rule_order == "vote"
    assert [figure.support for figure in figures] == [0.45, 0.3, 0.2, 0.6]
    found = voted().rule_coverage(TABLE)
    pairs = sorted(zip(found.rules.tolist(), found.rows.tolist(), strict=True))
    assert pairs == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 1), (3, 3)]
    assert voted().to_arrow().column("confidence").to_pylist() == [0.9, 0.75, 1.0, 0.6]


def log_odds(hits, n):
    return np.log(hits + 0.5) - np.log(max(n - hits, 0) + 0.5)


def plain_class(model, row):
    """What a row is, by asking rule after rule."""
    covering = [rule for rule in model.rules if rule.covers(row)[0]][: model.voters]
    if not covering:
        return model.default.code
    votes = np.zeros(len(model.classes))
    for one in covering:
        hits, n = (one.weights[one.code], one.n) if one.n else (1, 1)
        all_hits, total = model.default.weights[one.code], model.default.n
        votes[one.code] += log_odds(hits, n) - log_odds(all_hits, total)
    votes[[code not in {one.code for one in covering} for code in range(len(votes))]] = -np.inf
    near = votes >= votes.max() - 1e-9
    return covering[0].code if near[covering[0].code] else int(near.argmax())


@MANY
@given(rule_votes(), st.integers(0, 99))
def test_every_row_is_decided_as_its_first_rules_say(model, seed):
    table = random_table(model.schema, seed, 20)
    expected = [plain_class(model, table.slice(row, row + 1)) for row in range(table.n_rows)]
    assert model.decide(table).tolist() == expected
    assert np.allclose(model.distribution(table).sum(axis=1), 1)


@MANY
@given(rule_votes(), st.integers(0, 99))
def test_what_prints_reads_back_equal_and_predicts_the_same(model, seed):
    again = parse_model(str(model), model.schema)
    assert again == model
    assert str(again) == str(model)
    assert RuleVote.from_dict(model.to_dict(), model.schema, About()) == model
    table = random_table(model.schema, seed)
    assert np.array_equal(again.distribution(table), model.distribution(table))


@MANY
@given(rule_sets())
def test_a_set_is_not_taken_for_a_vote(model):
    assert not isinstance(parse_model(str(model), model.schema), RuleVote)


BAD = {
    "where rules overlap, the first 0 vote by odds\nwhere no rule covers, c = +": "line 1: from 1 to 1,000,000",
    "where rules overlap, the first 1.5 vote by odds\nwhere no rule covers, c = +": "not 1.5",
    "where rules overlap, the first 3 decide\nwhere no rule covers, c = +": "'vote by odds', not 'decide'",
    "where rules overlap, the first decides": "line 1: the rules must end with a line like",
    "where rules overlap, the first five vote\nwhere no rule covers, c = +": "or the number of rules that vote, not",
    "where rules overlap, the first decides\nwhere no rule covers or rules disagree, c = +": "expected ','",
    "where rules overlap, the first decides\nwhere no rule covers, c = +\nif a = x then c = +": "no rule may follow",
    "where rules overlap, the first decides now\nwhere no rule covers, c = +": "the line should end before 'now'",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_texts_are_sentences_with_a_line(text):
    with pytest.raises(ModelError, match=BAD[text].replace("+", r"\+")):
        parse_model(text, TABLE.schema)


def test_files_hold_it_and_hostile_ones_are_refused():
    model = voted().replace_about(About("cba", {"voters": 3}, 20, 20.0, ("a note",)))
    assert loads(dumps(model)) == model
    assert loads(dumps(model)).about == model.about
    for voters in (0, -1, 2_000_000, 1.5, "3", None, True, [3]):

        def change(values, voters=voters):
            values["parts"]["voters"] = voters

        with pytest.raises(ModelError):
            loads(with_manifest(model, change))
    with pytest.raises(ModelError, match="rules may vote"):
        replace(voted(), voters=0)
    with pytest.raises(ModelError, match="may vote"):
        RuleVote(TABLE.schema, (), Rule((), (1, 1)), True)


@MANY
@given(rule_votes(), st.integers(0, 2**32), st.integers(0, 255))
def test_a_changed_byte_is_an_error_or_a_model_that_holds(model, place, value):
    data = bytearray(dumps(model))
    data[place % (len(data) - 64)] = value
    with suppress(ModelError):
        changed = loads(resealed(bytes(data)))
        changed.distribution(random_table(changed.schema, 1, 5))
