"""Constraints of rule learners: kept rules, excluded columns, directions, and their command-line options."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hedgerow
from hedgerow import Column, Kind, Table, UsageError
from hedgerow.data.table.table import Text
from hedgerow.learn.params import Param, column_names, kept_rules_param
from hedgerow.learn.rules.covering import Covering
from hedgerow.learn.rules.prism import Prism
from hedgerow.learn.rules.ripper import Ripper
from hedgerow.learn.rules.user_constraints import (
    ABOVE,
    AT_MOST,
    RuleConstraints,
    align_rules,
    count_rule,
    parse_column_names,
)
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.rules.rule_list import Rule, RuleList

TABLE = Table.of(
    {
        "size": [1.0, 2.0, 3.0, None, 5.0, 6.0],
        "straße": ["a", "b", "b", "a", None, "c"],
        "Class": ["no", "no", "yes", "yes", "yes", "no"],
    },
    "Class",
    weights=[1, 2, 1, 1, 0.5, 1],
)
SCHEMA = TABLE.schema


def limits(**asked):
    return RuleConstraints.of(SimpleNamespace(**asked), SCHEMA)


def test_without_wishes_everything_is_allowed():
    found = limits()
    assert found.allowed.tolist() == [True, True]
    assert found.directions.tolist() == [3, 3]
    assert found.kept_rules == ()
    rules, rows = found.first(TABLE)
    assert rules == ()
    assert rows.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("given", ["straße", ["straße"], ("straße",), " straße , ", np.array(["straße"])])
def test_forbidden_columns(given):
    assert limits(forbid=given).allowed.tolist() == [True, False]


def test_column_names_between_commas():
    assert parse_column_names("a, b ,c") == ["a", "b", "c"]
    assert parse_column_names(["a, b"]) == ["a, b"]
    assert parse_column_names(None) == parse_column_names("") == []


def test_directions():
    assert limits(direction={"size": "up"}).directions.tolist() == [ABOVE, 3]
    assert limits(direction={"size": "down"}).directions.tolist() == [AT_MOST, 3]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"forbid": "sise"}, r"forbid names 'sise', .* did you mean 'size'\?"),
        ({"forbid": ["Class"]}, r"forbid names 'Class', which is the class to predict"),
        ({"direction": {"sice": "up"}}, r"direction names 'sice', .* did you mean 'size'\?"),
        ({"direction": {"size": "upp"}}, r"direction of column 'size' is 'upp'; did you mean 'up'\?"),
        ({"direction": {"size": 1}}, r"direction of column 'size' is 1; the words are 'up', 'down'"),
        ({"direction": {"straße": "up"}}, r"column 'straße' is nominal and has no direction"),
        (
            {"keep_rules": "if size > 2 then Class = maybe"},
            r"rules to keep do not match the data: line 1: there is no class 'maybe'",
        ),
        ({"keep_rules": "\nif sise > 2 then Class = no"}, r"line 2: there is no column 'sise'; did you mean 'size'\?"),
        ({"keep_rules": "if straße = d then Class = no"}, r"no level 'd'"),
        ({"keep_rules": "rules.txt"}, r"line 1: a rule begins with 'if'"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(asked, message):
    with pytest.raises(UsageError, match=message):
        limits(**asked)


def test_kept_rules_stand_in_order_with_the_rows_that_reach_them():
    text = "if size > 2 then Class = yes (9/0)\nif straße in {b, c} then Class = no"
    rules, left = limits(keep_rules=text).first(TABLE)
    assert [rule.weights for rule in rules] == [(1.0, 1.5), (2.0, 0.0)]
    assert [rule.decision for rule in rules] == [1, 0]
    assert left.tolist() == [0, 3]


def test_kept_rules_without_order_are_counted_on_all_rows():
    text = "if size > 2 then Class = yes\nif straße in {b, c} then Class = no\notherwise Class = no (3/0)"
    kept = limits(keep_rules=text).unordered_kept_rules(TABLE)
    assert [rule.weights for rule, _ in kept] == [(1.0, 1.5), (3.0, 1.0)]
    assert [rows.tolist() for _, rows in kept] == [[2, 4, 5], [1, 2, 5]]


@pytest.mark.parametrize("learner", [Covering, Prism, Ripper])
def test_limits_too_large_to_count_are_none(learner):
    unlimited = learner().train(TABLE)
    assert str(learner(max_rules=2**70, max_length=2**70).train(TABLE)) == str(unlimited)


def test_kept_rules_of_a_model_of_another_schema_are_aligned_by_name():
    other = Table.of({"size": [1.0], "Class": ["yes"]}, "Class", {"Class": ["yes", "no"]}).schema
    rule = Rule((Condition("size", Operator.ABOVE, 2),), (0, 4))
    assert rule.decision == 1
    (kept,) = align_rules(RuleList(other, (rule,), Rule((), (1, 0))), SCHEMA)
    assert kept.decision == SCHEMA.target_column.levels.index("no")
    assert kept.weights == (0, 0)
    elsewhere = Table.of({"size": [1.0], "Class": ["perhaps"]}, "Class").schema
    with pytest.raises(UsageError, match="there is no class 'perhaps'"):
        align_rules(RuleList(elsewhere, (Rule(rule.conditions, (1,)),), Rule((), (1,))), SCHEMA)


def test_kept_rules_of_a_file(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("# ours\nif size > 2 then Class = yes\n", encoding="utf-8")
    assert limits(keep_rules=path).kept_rules == limits(keep_rules=path.read_text(encoding="utf-8")).kept_rules
    assert limits(keep_rules="").kept_rules == limits(keep_rules="# nothing yet\n").kept_rules == ()
    with pytest.raises(UsageError, match=r"none\.txt.* cannot be read"):
        limits(keep_rules=tmp_path / "none.txt")


def test_counting_a_rule_that_covers_nothing():
    rule = count_rule(Rule((Condition("size", Operator.ABOVE, 99),), (0, 0), 1), TABLE, np.empty(0, dtype=np.int64))
    assert rule.weights == (0, 0)
    assert rule.decision == 1


def named(param: Param, name: str) -> Param:
    return Param(**{**param.__dict__, "name": name})


def test_the_command_line_reads_rules_from_a_file_and_columns_as_words(tmp_path):
    keep, forbid = named(kept_rules_param("k"), "keep_rules"), named(column_names("f"), "forbid")
    (tmp_path / "kept.txt").write_text("if size > 2 then Class = yes", encoding="utf-8")
    assert keep.parse(str(tmp_path / "kept.txt")) == "if size > 2 then Class = yes"
    assert keep.parse("none") is None
    assert forbid.parse("a, b") == "a, b"
    assert forbid.parse('["a, b", "c"]') == ["a, b", "c"]
    with pytest.raises(UsageError, match=r"none\.txt.* cannot be read: No such file"):
        keep.parse(str(tmp_path / "none.txt"))
    with pytest.raises(UsageError, match="forbid cannot be"):
        forbid.parse("[a")


def test_parameters_check_what_they_are_given():
    keep, forbid = named(kept_rules_param("k"), "keep_rules"), named(column_names("f"), "forbid")
    for fine in (None, "if a = b then c = d", RuleList(SCHEMA, (), Rule((), (1, 0)))):
        keep.check(fine)
    for fine in (None, "a, b", ["a"], ("a", "b")):
        forbid.check(fine)
    with pytest.raises(UsageError, match=r"keep_rules=3 is not allowed: it must be rules"):
        keep.check(3)
    with pytest.raises(UsageError, match=r"forbid=\[1\] is not allowed: it must be column names"):
        forbid.check([1])


def with_id():
    """Return rows with an identifier, a text and something to learn."""
    columns = {"id": [f"r{row}" for row in range(12)], "size": [float(row) for row in range(12)]}
    columns["Class"] = ["no"] * 6 + ["yes"] * 6
    table = Table.of(columns, "Class").with_column(Column("note", Kind.TEXT), Text.of(["so it is"] * 12))
    column = replace(table.schema["id"], ignored="identifier: all 12 values differ")
    return table.with_schema(table.schema.with_columns({"id": column}))


WITH_ID = with_id().schema


@pytest.mark.parametrize("learner", [hedgerow.Ripper, hedgerow.Covering, hedgerow.Prism])
def test_a_column_that_is_left_out_anyway_may_be_forbidden(learner):
    model = learner(forbid=["id", "note"]).train(with_id())
    assert str(model) == str(learner(forbid=["note"]).train(with_id()))
    assert "size" in str(model)
    assert model.about.parameters["forbid"] in (None, ["note"])  # what is needed to learn it again
    assert len(hedgerow.rule_cards(model, with_id(), folds=3).cards) == len(model) + 1
    learner(forbid="id, note").show_work(with_id())
    with pytest.raises(UsageError, match="forbid names 'ids'"):
        learner(forbid="ids").train(with_id())


def test_what_cannot_be_had_of_a_column_that_is_left_out_says_why():
    left = r"'id' is not used in training \(identifier: all 12 values differ\); use --keep id to include it"
    with pytest.raises(UsageError, match=rf"direction names 'id', but column {left}"):
        hedgerow.Ripper(direction={"id": "up"}).train(with_id())
    for kept in (
        "if id = r1 then Class = no",
        RuleList.parse("if id = r1 then Class = no\notherwise Class = no", WITH_ID),
    ):
        with pytest.raises(UsageError, match=rf"the rules to keep test 'id', but column {left}"):
            hedgerow.Covering(keep_rules=kept).train(with_id())
    with pytest.raises(UsageError, match="test 'note', but it is a column of kind text, which prism cannot use"):
        hedgerow.Prism(keep_rules="if note contains so then Class = no").train(with_id())


def test_rules_to_keep_may_stand_in_a_file_of_any_form(tmp_path):
    table = with_id()
    first = hedgerow.Ripper().train(table)
    first.save(tmp_path / "first.hedge")
    (tmp_path / "first.txt").write_text(f"\ufeff{first}")
    param = named(kept_rules_param("k"), "keep_rules")
    for file in ("first.hedge", "first.txt"):
        for given in (tmp_path / file, param.parse(str(tmp_path / file))):
            model = hedgerow.Ripper(keep_rules=given).train(table)
            assert model.rules == first.rules
            assert model.about.parameters["keep_rules"] == str(first)
            assert len(hedgerow.rule_cards(model, table, folds=3).cards) == len(first) + 1
    (tmp_path / "bad.txt").write_text("if size > 3\n    and sise > 4\n    then Class = no\n")
    for given in (tmp_path / "bad.txt", param.parse(str(tmp_path / "bad.txt"))):
        with pytest.raises(UsageError, match=r"do not match the data: .*bad\.txt, line 2: there is no column 'sise'"):
            hedgerow.Ripper(keep_rules=given).train(table)
    hedgerow.NaiveBayes().train(table).save(tmp_path / "bayes.hedge")
    with pytest.raises(UsageError, match="naive Bayes has no rules"):
        param.parse(str(tmp_path / "bayes.hedge"))
