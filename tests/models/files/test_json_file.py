"""Item sets and rules as JSON: they load unchanged, and errors in a file give an error message."""

import json
import random

import numpy as np
import pytest
from hypothesis import given

from hedgerow.errors import ModelError
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.files import json_file
from hedgerow.models.files.json_file import dumps_json, loads_json
from hedgerow.models.files.model_file import load, save
from tests.models.associations.associations import association_rules, sets_by_hand, weather_rules, weather_table
from tests.models.rules.rule_lists import MANY
from tests.models.rules.rule_lists import weather_rules as rule_list

RULES = weather_rules(
    (["Outlook=Overcast"], ["Play=Yes"]), (["Humidity=Normal", "Windy=False"], ["Play=Yes"]), ([], ["Play=Yes"])
)
SETS = sets_by_hand(weather_table(), 5)
CUT = AssociationRules.parse('{1<x<=2, "a, b"=c} => {y>3.5}\n{x<=1} => {y<=3.5} (1 of 2, 2 of 4.5)')
ODD = [None, True, False, 0, -1, 1, 2, 14, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", "Play=Yes", "nan", "rules",
       "cuts", "levels", "words", "bag", "item_sets", "\ud800", "x" * 1000, [], {}, [[]], [0] * 50, [None],
       {"number": "inf"}, {"array": "a0"}]  # fmt: skip


def refused(values, match=r".+"):
    content = values if isinstance(values, bytes) else json.dumps(values).encode()
    with pytest.raises(ModelError, match=match) as caught:
        loads_json(content, "m.json")
    assert str(caught.value).startswith("m.json ")
    assert "\n" not in str(caught.value)


def changed(model, *path, to):
    values = json.loads(dumps_json(model))
    inner = values
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return values


def test_json_is_plain_and_holds_what_other_programs_want():
    values = json.loads(dumps_json(RULES))
    assert values["kind"] == "association_rules"
    assert values["total"] == 14
    assert values["rules"][1] == {
        "antecedent": ["Humidity=Normal", "Windy=False"],
        "consequent": ["Play=Yes"],
        "count": 4,
        "antecedent_count": 4,
        "consequent_count": 9,
        "support": 4 / 14,
        "confidence": 1.0,
        "lift": 14 / 9,
    }
    assert json.loads(dumps_json(SETS))["sets"][0] == {"items": ["Outlook=Sunny"], "count": 5, "support": 5 / 14}
    assert json.loads(dumps_json(CUT))["rules"][0]["antecedent"] == ["1<x<=2", "a, b=c"]
    assert len(dumps_json(RULES).splitlines()) == 13


@MANY
@given(association_rules())
def test_any_rules_come_back_the_same(made):
    rules, table = made
    again = loads_json(dumps_json(rules))
    assert again == rules
    assert dumps_json(again) == dumps_json(rules)
    assert again.recommend(table).items == rules.recommend(table).items


def test_the_extension_or_the_first_words_tell_json(tmp_path):
    RULES.save(tmp_path / "r.json")
    content = (tmp_path / "r.json").read_bytes()
    (tmp_path / "other").write_bytes(content)
    assert load(tmp_path / "other") == load(tmp_path / "r.json") == RULES
    (tmp_path / "bad.json").write_text("hello")
    with pytest.raises(ModelError, match=r"bad\.json is not a valid hedgerow model file: its manifest is not JSON"):
        load(tmp_path / "bad.json")
    rule_list().save(tmp_path / "list.hedge")  # has no JSON form
    (tmp_path / "list.hedge").rename(tmp_path / "list.json")
    assert load(tmp_path / "list.json") == rule_list()
    with pytest.raises(ModelError, match="cannot be written"):
        save(RULES, tmp_path / "no" / "r.json")


def test_what_is_too_large_for_json_is_told(monkeypatch):
    with pytest.raises(ModelError, match=r"a RuleList cannot be saved as JSON; save it as \.hedge"):
        dumps_json(rule_list())
    content = dumps_json(RULES)
    monkeypatch.setattr(json_file, "MOST_BYTES", 500)
    with pytest.raises(ModelError, match=r"the model has 3 rules, too many for JSON; save it as \.hedge"):
        dumps_json(RULES)
    refused(content, "larger than")
    monkeypatch.setattr(json_file, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(json_file, "MOST_BRACKETS", 5)
    refused(content, "too large")


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"x"', b"1" * 5000, b"[" * 100_000, b'{"a":' * 1000 + b"1" + b"}" * 1000],
)
def test_what_is_no_json(text):
    refused(text, "hedgerow model file")


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_numbers_that_json_does_not_have(word):
    refused(dumps_json(RULES).replace(b'"total": 14', b'"total": ' + word), "its manifest holds")
    refused(dumps_json(RULES).replace(b'"total": 14', b'"total": 14, "total": 14'), "contains a name twice")


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (("format",), "other", "is not a hedgerow model file"),
        (("version",), 2, "newer hedgerow"),
        (("version",), "1", "not a positive whole number"),
        (("kind",), "tree", "unknown kind 'tree'"),
        (("kind",), ["rules"], "unknown kind"),
        (("kind",), "item_sets", "its manifest holds"),
        (("schema",), None, "its schema"),
        (("schema",), {"columns": []}, "an encoding, and cut points"),
        (("about",), {}, "training information"),
        (("about", "rows"), -1, "training information"),
        (("items",), [], "its items"),
        (("items", "ways"), [], "an encoding, and cut points"),
        (("items", "ways", 0), "often", "unknown"),
        (("items", "ways", 0), "words", "cannot be turned into items"),
        (("items", "cuts"), None, "its items"),
        (("items", "cuts", 0), ["x"], "where a number is required"),
        (("items", "cuts", 0), [1.0], "cut points"),
        (("items", "absent"), ["Yes"], "there is no item 'Play=Yes'"),
        (("total",), 3, "more rows than there are"),
        (("total",), None, "'total'"),
        (("total",), 10**400, "cannot be understood|not JSON|too large|'total'"),
        (("rules",), {}, "not all objects"),
        (("rules", 0), [], "not all objects"),
        (("rules", 0, "more"), 1, "not all objects"),
        (("rules", 0, "antecedent"), "Outlook=Overcast", "not given by name"),
        (("rules", 0, "antecedent"), ["Outlook=Overcst"], "there is no item 'Outlook=Overcst'"),
        (("rules", 0, "antecedent"), [1], "there is no item 1"),
        (("rules", 0, "antecedent"), [["Play=No"]], "there is no item"),
        (("rules", 0, "antecedent"), ["Play=Yes"], "two different counts|both sides"),
        (("rules", 0, "antecedent"), ["Outlook=Sunny"] * 2, "an item twice"),
        (("rules", 0, "consequent"), [], "two different counts|empty consequent"),
        (("rules", 0, "count"), 5, "more rows than one of its sides"),
        (("rules", 0, "count"), True, "where a number is required"),
        (("rules", 0, "count"), "4", "where a number is required"),
        (("rules", 0, "count"), 2**70, "cannot be understood"),
        (("rules", 0, "count"), 3, "a support does not agree"),
        (("rules", 0, "antecedent_count"), 5, "a confidence does not agree|two different counts"),
        (("rules", 0, "consequent_count"), 8, "two different counts"),
        (("rules", 0, "support"), None, "a support does not agree"),
        (("rules", 0, "confidence"), 0.5, "a confidence does not agree"),
        (("rules", 0, "lift"), "1.5", "a lift does not agree"),
        (("rules", 2, "antecedent_count"), 13, "the empty set does not occur"),
    ],
)
def test_values_that_lie_are_refused(path, value, match):
    refused(changed(RULES, *path, to=value), match)


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (("sets", 0, "items"), [], "not sorted by size"),
        (("sets", 1, "items"), ["Outlook=Sunny"], "not sorted by their items"),
        (("sets", 0, "count"), -1, "negative"),
        (("sets", 0, "support"), 1, "a support does not agree"),
        (("which",), "some", "all, closed or maximal"),
        (("bound",), -1, "'bound'"),
        (("ended",), 1, "'ended'"),
    ],
)
def test_sets_that_lie_are_refused(path, value, match):
    refused(changed(SETS, *path, to=value), match)


def paths(value, so_far=()):
    """Every place in nested values."""
    if so_far:
        yield so_far
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(inner, (*so_far, key))


def outcome(content):
    try:
        return loads_json(content, "m.json"), ""
    except ModelError as error:
        return None, str(error)


def survives(content):
    """A changed file gives an error message, or contains a valid model."""
    model, told = outcome(content)
    if model is None:
        assert told.startswith("m.json ")
        assert "\n" not in told
        return
    assert loads_json(dumps_json(model)) == model
    str(model)


@pytest.mark.parametrize("model", [RULES, SETS, CUT])
def test_odd_values_anywhere(model):
    chance = random.Random(7)
    places = list(paths(json.loads(dumps_json(model))))
    for _ in range(600):
        survives(json.dumps(changed(model, *chance.choice(places), to=chance.choice(ODD))).encode())


@pytest.mark.parametrize("model", [RULES, SETS, CUT])
def test_broken_bytes_anywhere(model):
    chance = random.Random(8)
    content = dumps_json(model)
    for _ in range(600):
        at, to = chance.randrange(len(content)), chance.randrange(len(content))
        new = chance.choice([
            content[:at],
            content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :],
            content[:at] + content[to : to + chance.randrange(40)] + content[at:],
        ])  # fmt: skip
        survives(new)


def test_weights_come_back_to_the_last_bit():
    table = weather_table().with_weights(np.linspace(0, 1, 14) / 3)
    sets = sets_by_hand(table, 0.2)
    assert loads_json(dumps_json(sets)) == sets
