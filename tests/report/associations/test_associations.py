"""Reports of item sets, association rules and recommendations: values, all forms, narrow terminals, odd names."""

import json
import math

import numpy as np
import pytest

import hedgerow
from hedgerow.data.formats.basket import basket_table
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.wrapping import drop_repeated_notes, wrap_text
from hedgerow.report.associations.associations import associations_report, item_sets_report, recommendations_report
from hedgerow.report.whole.forms import write_form
from hedgerow.report.whole.saved import read_report
from hedgerow.report.whole.text import render

BASKETS = hedgerow.examples.groceries()
SETS = hedgerow.mine(BASKETS, min_count=2)
RULES = hedgerow.association_rules(SETS, 0.6, by="lift")


def report(most=None):
    return {**associations_report(RULES, SETS, most), "source": "shop.csv", "by": "lift", "min_confidence": 0.6}


def table_of(*baskets):
    items = list(dict.fromkeys(item for basket in baskets for item in basket))
    offsets = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    codes = np.array([items.index(item) for basket in baskets for item in basket], dtype=np.int32)
    return basket_table(items, offsets, codes)


def test_values_of_rules():
    told = report()
    assert (told["rows"], told["n_items"], told["n_sets"], told["n_rules"]) == (20, 15, 42, len(RULES))
    assert told["sizes"] == [{"size": 1, "sets": 14}, {"size": 2, "sets": 20}, {"size": 3, "sets": 8}]
    assert told["hidden"] == 0
    rule = next(rule for rule in told["rules"] if rule["rule"] == "{butter} => {bread}")
    assert (rule["antecedent"], rule["consequent"], rule["count"]) == (["butter"], ["bread"], 6)
    assert rule["support"] == pytest.approx(6 / 20)
    assert rule["confidence"] == pytest.approx(6 / 8)
    assert rule["coverage"] == pytest.approx(8 / 20)
    assert rule["lift"] == pytest.approx((6 / 8) / (8 / 20))
    assert rule["leverage"] == pytest.approx(6 / 20 - (8 / 20) ** 2)
    assert rule["conviction"] == pytest.approx((1 - 8 / 20) / (1 - 6 / 8))


def test_some_rules_are_shown_and_the_rest_is_told():
    told = report(5)
    assert [rule["number"] for rule in told["rules"]] == [1, 2, 3, 4, 5]
    assert told["hidden"] == len(RULES) - 5
    assert f"{len(RULES) - 5} more rules not shown.\n" in render(told)
    assert "more rules not shown; -o FILE saves them all" in render({**told, "levels": []})


def test_item_sets_are_all_in_order_or_the_most_frequent_of_each_size():
    assert [tuple(one["items"]) for one in item_sets_report(SETS)["sets"]] == [items for items, _ in SETS]
    told = item_sets_report(SETS, 9)
    assert [one["size"] for one in told["sets"]] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [one["set"] for one in told["sets"][:3]] == ["{milk}", "{bread}", "{butter}"]
    assert told["sets"][3]["set"] == "{bread, butter}"
    assert told["hidden"] == 33


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
def test_text_is_as_wide_as_the_terminal(columns):
    long = table_of(
        *[["an item of a very long name", "another one of a long name", "and a third one, with a comma"]] * 3
    )
    sets = hedgerow.mine(long, min_count=2)
    made = [report(), {**item_sets_report(SETS, 9), "source": "shop.csv"}]
    made.append({**associations_report(hedgerow.association_rules(sets, 0.5), sets), "by": "lift"})
    for one in made:
        assert max(map(count_cells, render(one, columns).split("\n"))) <= columns


def test_other_forms_hold_the_rules():
    told = report(3)
    html, markdown = write_form(told, "html"), write_form(told, "md")
    assert html.startswith("<!DOCTYPE html>")
    assert "<code>{eggs, sugar}</code> =&gt; <code>{flour}</code>" in html
    assert r"| 1 | \{eggs, sugar\} =\> \{flour\} | 2 | ████ 10.0% | ████████ 100.0% | 6.67 |" in markdown
    assert f"{len(RULES) - 3} more rules not shown." in html
    sets = item_sets_report(SETS, 9)
    assert "<code>{bread, butter}</code>" in write_form(sets, "html")
    assert r"| \{bread, butter\} | 2 | 6 | " in write_form(sets, "md")


def test_markup_in_names_does_not_break_out():
    table = table_of(*[["<script>alert(1)</script>", "a|b"]] * 3)
    sets = hedgerow.mine(table, min_count=2)
    told = {**associations_report(hedgerow.association_rules(sets, 0.5), sets), "by": "lift"}
    assert "<script>" not in write_form(told, "html")
    assert "\\|" in write_form(told, "md")


def test_a_saved_report_renders_the_same(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(write_form(report(), "json"))
    again = read_report(str(path))
    assert render(again) == render(report())
    assert write_form(again, "html") == write_form(report(), "html")
    never_wrong = next(rule for rule in json.loads(path.read_text())["rules"] if rule["confidence"] == 1)
    assert never_wrong["conviction"] is None  # infinite


def test_recommendations():
    told = recommendations_report(RULES, table_of(["butter", "milk"], ["beer"], ["tofu"], []), 2)
    assert (told["n_baskets"], told["served"], told["n_rules"]) == (4, 2, len(RULES))
    assert [basket["items"] for basket in told["baskets"]] == ["butter, milk", "beer", "tofu", ""]
    assert [len(basket["offers"]) for basket in told["baskets"]] == [1, 1, 0, 0]
    assert told["baskets"][1]["offers"][0]["item"] == "crisps"
    text = render({**told, "source": "cart.dat", "file": "rules.json"}, 70)
    assert "4 baskets of cart.dat and" in text
    assert "2 baskets get at least one recommendation." in " ".join(text.split())
    assert text.count("no rule applies") == 2
    assert "(nothing)" in text
    for form in ("html", "md", "json"):
        assert "crisps" in write_form({**told, "source": "cart.dat"}, form)
    none = recommendations_report(RULES, table_of(["tofu"]), 2)
    assert "no rule applies" in render({**none, "source": "cart.dat"})


def test_recommendations_for_rows_of_a_table():
    rules = hedgerow.Apriori(min_support=0.3, consequent="Class").train(hedgerow.examples.loan())
    told = recommendations_report(rules, hedgerow.examples.loan().take(np.array([0])).select(["Own_House"]), 1)
    assert told["unit"] == "row"
    assert told["baskets"][0]["items"] == "Own_House=false"


def test_weights_are_told():
    sets = hedgerow.mine(BASKETS.with_weights(np.full(20, 2.0)), min_support=0.3)
    assert "(weight 40)" in render(item_sets_report(sets))
    assert sets.count("bread") == 16


def test_nothing_found_is_told():
    sets = hedgerow.mine(BASKETS, 0.9)
    assert "No item set occurs in 18 baskets (90 %) or more." in render(item_sets_report(sets))
    none = {**associations_report(hedgerow.association_rules(sets, 0.5), sets), "by": "lift", "min_confidence": 0.5}
    assert "Therefore there are no rules." in render(none)
    assert all(write_form(none, form) for form in ("html", "md", "json"))


def test_a_note_with_a_remedy_is_told_once():
    assert drop_repeated_notes(["a is b", "a is b; do c", "d", "d"]) == ["a is b; do c", "d"]


def test_percent_signs_stay_with_their_numbers():
    assert wrap_text("it is 20 % of it", 8) == ["it is", "20 % of", "it"]


def test_infinite_and_unknown_figures():
    rules = hedgerow.AssociationRules.parse("{a} => {b}")  # by hand: nothing is known
    text = render({**associations_report(rules), "by": ""})
    assert "{a} => {b}" in text
    assert math.isnan(associations_report(rules)["rules"][0]["confidence"])
