from contextlib import suppress

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
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.models.rules.rule_set import RuleSet
from tests.models.files.hostile import resealed
from tests.models.rules.rule_lists import MANY, random_table, rule_lists, rule_sets

LENSES = Table.of(
    {
        "Astigmatism": ["yes", "no", "no", None, "yes"],
        "Tear": ["normal", "normal", "reduced", "reduced", "reduced"],
        "Lens": ["hard", "soft", "none", "none", "none"],
    },
    target="Lens",
    levels={"Lens": ["hard", "soft", "none"]},
)

PRINTED = """\
If Astigmatism = yes then Lens = hard (10/6: hard 4, none 6)  # support 16.7 %, confidence 40 %
If Astigmatism = no and Tear = normal then Lens = soft (6/1: soft 5, none 1)  # support 20.8 %, confidence 83.3 %
If Tear = reduced then Lens = none (12/0)  # support 50 %, confidence 100 %
Where no rule covers or rules disagree, Lens = none (24/9: hard 4, soft 5, none 15)"""


def rule(lens, weights, **tests):
    conditions = tuple(Condition(name, Operator.IS, level) for name, level in tests.items())
    return Rule(conditions, weights, LENSES.schema.target_column.levels.index(lens))


def lenses(conflict="default"):
    rules = [
        rule("none", (0, 0, 12), Tear="reduced"),
        rule("soft", (0, 5, 1), Astigmatism="no", Tear="normal"),
        rule("hard", (4, 0, 6), Astigmatism="yes"),
    ]
    return RuleSet(LENSES.schema, tuple(rules), Rule((), (4, 5, 15)), conflict)


def test_rules_print_by_class_and_the_last_line_says_when_the_default_decides():
    assert str(lenses()) == PRINTED
    assert str(lenses("sum")).splitlines()[3:] == [
        "Where rules overlap, their counts are added",
        "Where no rule covers, Lens = none (24/9: hard 4, soft 5, none 15)",
    ]


def test_rules_that_agree_decide_and_the_default_where_they_disagree():
    model = lenses()
    assert model.predict(LENSES).tolist() == ["hard", "soft", "none", "none", "none"]
    disagreed = (np.array([4, 5, 15]) + 2 / 3) / 26
    alone = (np.array([0, 0, 12]) + 2 / 3) / 14
    assert np.allclose(model.distribution(LENSES)[2:], [alone, alone, disagreed])
    assert model.decided_by_default(LENSES).tolist() == [False, False, False, False, True]


def test_counts_are_added_as_in_cn2():
    added = (np.array([4, 0, 18]) + 2 / 3) / 24
    assert np.allclose(lenses("sum").distribution(LENSES)[4], added)
    assert not lenses("sum").decided_by_default(LENSES).any()


def test_the_default_may_decide_nothing():
    text = PRINTED.replace("Lens = none (24/9:", "no decision (24:")
    model = RuleSet.parse(text, LENSES.schema)
    assert str(model) == text
    assert model.predict(LENSES).tolist() == ["hard", "soft", "none", "none", None]
    assert model.decide(LENSES).tolist() == [0, 1, 2, 2, -1]
    assert np.allclose(model.distribution(LENSES)[4], (np.array([4, 5, 15]) + 2 / 3) / 26)
    assert loads(dumps(model)) == model


def test_rules_without_counts_are_sure_and_count_as_one_row_in_a_sum():
    text = "if Tear = reduced then Lens = none\nif Astigmatism = yes then Lens = hard\n"
    ends = "where rules overlap, their counts are added\nwhere no rule covers, Lens = soft"
    model = RuleSet.parse(text + ends, LENSES.schema)
    assert model.distribution(LENSES).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]


def plain_scores(model, table):
    """Each row asks each rule: what `scores` must agree with."""
    return [_plain_row(model, table.slice(row, row + 1)) for row in range(table.n_rows)]


def _plain_row(model, row):
    covering = [rule for rule in model.rules if rule.covers(row)[0]]
    said = {rule.decision for rule in covering}
    if not covering or (model.conflict == "default" and len(said) > 1):
        return model.default.code
    if model.conflict == "default":
        return said.pop()
    votes = np.zeros(len(model.classes))
    for one in covering:
        vote = np.array(one.weights)
        if vote.argmax() != one.decision or not one.n:
            vote[one.decision] = vote.max() * (1 + 1e-9) if one.n else 1.0
        votes += vote
    return int((votes >= votes.max() * (1 - 1e-12)).argmax())


@MANY
@given(rule_sets(), st.integers(0, 99))
def test_every_row_is_decided_as_its_covering_rules_say(model, seed):
    table = random_table(model.schema, seed, 20)
    assert model.decide(table).tolist() == plain_scores(model, table)
    assert np.allclose(model.distribution(table).sum(axis=1), 1)


@MANY
@given(rule_sets(), st.integers(0, 99))
def test_what_prints_reads_back_equal_and_predicts_the_same(model, seed):
    again = parse_model(str(model), model.schema)
    assert again == model
    assert str(again) == str(model)
    table = random_table(model.schema, seed)
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert np.array_equal(again.decide(table), model.decide(table))


@MANY
@given(rule_sets())
def test_parts_build_an_equal_set(model):
    assert RuleSet.from_dict(model.to_dict(), model.schema, About()) == model


@MANY
@given(rule_lists())
def test_a_text_tells_whether_its_rules_are_ordered(model):
    assert isinstance(parse_model(str(model), model.schema), RuleList)


BAD = {
    "if Tear = reduced then Lens = none\nwhere no rule covers, Lens = none": "line 2: specify what happens where "
    "rules dis",
    "where no rule covers or rules disagree Lens = none": "line 1: expected ',' after 'disagree', not 'Lens'",
    "where rules overlap, their counts are added": "line 1: the set must end with a line like 'Where no rule covers",
    "where no rule covers or rules disagree, Lens = none\nif Tear = reduced then Lens = none": "no rule may follow",
    "where else": "line 1: a rule begins with 'if'",
    "if Tear = reduced then no decision\nwhere no rule covers or rules disagree, Lens = none": "only the last line",
    "where no rule covers or rules disagree, no decision (5: hard 4)": "line 1: the counts do not add up to 5 rows",
    "where no rule covers or rules disagree, no decision (5)": "line 1: expected ':' after the number of rows",
}


@pytest.mark.parametrize("text", BAD)
def test_a_set_that_cannot_be_read_names_the_line(text):
    with pytest.raises(ModelError) as caught:
        parse_model(text, LENSES.schema)
    assert BAD[text] in str(caught.value)


def test_impossible_sets_are_refused():
    with pytest.raises(ModelError, match="must be 'default', 'sum', not 'vote'"):
        lenses("vote")
    with pytest.raises(ModelError, match="rule 1 predicts no class; only the default rule may"):
        RuleSet(LENSES.schema, (Rule(lenses().rules[0].conditions, (1, 0, 0), None),), Rule((), (1, 1, 1)))
    parts = lenses().to_dict()
    for name, value, fault in [
        ("conflict", 3, "must be 'default', 'sum'"),
        ("conflict", "vote", "must be 'default', 'sum'"),
        ("decisions", np.array([1, 0, 2, 2], np.int32), "not sorted by class"),
        ("decisions", np.array([-1, 1, 2, 2], np.int32), "outside 0 to 2"),
        ("decisions", np.array([0, 1, 2, -2], np.int32), "outside 0 to 2"),
    ]:
        with pytest.raises(ModelError, match=fault):
            RuleSet.from_dict({**parts, name: value}, LENSES.schema, About())


def test_a_damaged_file_is_refused_or_an_ordinary_set():
    """With the checksum right again."""
    chance, content = np.random.default_rng(1), dumps(lenses("sum"))
    for _ in range(300):
        changed = bytearray(content)
        changed[int(chance.integers(len(content) - 64))] = int(chance.integers(256))
        with suppress(ModelError):
            assert loads(resealed(bytes(changed))).distribution(LENSES).shape == (5, 3)


def test_an_empty_set_and_an_empty_table():
    model = RuleSet(LENSES.schema, (), Rule((), (4, 5, 15)), "sum")
    assert set(model.predict(LENSES).tolist()) == {"none"}
    assert lenses().distribution(LENSES.take(np.arange(0))).shape == (0, 3)
