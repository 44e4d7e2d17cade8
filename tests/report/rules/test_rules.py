"""Rules and their cards as reports: measures, text that fits, HTML that escapes all names, Markdown."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import hedgerow
from hedgerow import RuleChoice, Table, rule_cards, rules_report
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.json_values import to_json
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet
from hedgerow.report.blocks import Bar
from hedgerow.report.render.html_cells import bar_html
from hedgerow.report.rules.rules_section import found_again, others_sentence, rows_of
from hedgerow.report.whole.saved import read_report
from tests.report.whole.test_html import checked

LOAN = hedgerow.examples.loan()
PLAIN = LOAN.select(name for name in LOAN.schema.names if name != "ID")
LIST = "if Own_House = true then Class = Yes\notherwise no decision"
SET = "If Own_House = true then Class = Yes (6/0)\nWhere no rule covers or rules disagree, Class = No (15/9)"


def made():
    """Return rules and cards of every kind."""
    model, tree = hedgerow.C45Rules().train(LOAN), hedgerow.C45().train(LOAN)
    by_hand, a_set = RuleList.parse(LIST, PLAIN.schema), RuleSet.parse(SET, PLAIN.schema)
    models = {"list": model, "tree": tree, "hand": by_hand, "set": a_set, "none": hedgerow.Majority().train(LOAN)}
    cards = {f"{name} cards": rule_cards(one, LOAN) for name, one in models.items()}
    again = {"folds": rule_cards(tree, LOAN, folds=5), "holdout": rule_cards(model, LOAN, holdout=0.3)}
    return models | cards | again


MADE = made()


@pytest.mark.parametrize("name", MADE)
def test_every_kind_renders_in_every_form(name, tmp_path):
    report = rules_report(MADE[name])
    page = hedgerow.to_html(report)
    checked(page)
    assert "nan" not in page
    assert "## Rules" in hedgerow.to_markdown(report)
    (tmp_path / "r.json").write_text(to_json(report))
    again = read_report(str(tmp_path / "r.json"))
    for form in (hedgerow.render, hedgerow.to_html, hedgerow.to_markdown):
        assert form(again) == form(report)


@pytest.mark.parametrize("name", MADE)
def test_lines_fit_but_for_the_rules_themselves(name):
    report = rules_report(MADE[name])
    rules = [rule["rule"] for rule in report["rules"]]
    for line in hedgerow.render(report, 80).split("\n"):
        most = 80 if report["cards"] is None else 100  # the columns of cards need so much
        assert count_cells(line) <= most or any(rule in line for rule in rules)


def test_the_report_tells_the_training_rows_of_every_rule():
    report = rules_report(hedgerow.C45Rules().train(LOAN))
    first = report["rules"][0]
    assert (first["training"]["covered"], first["training"]["of"]) == (6.0, 15.0)
    assert first["training"]["coverage"]["value"] == pytest.approx(0.4)
    assert (report["hidden"], report["has_default"], report["order"], report["cards"]) == (0, True, "list", None)
    assert "unseen" not in first


def test_what_is_undefined_is_null_in_json():
    rules = json.loads(to_json(rules_report(RuleList.parse(LIST, PLAIN.schema))))["rules"]
    assert (rules[0]["support"], rules[0]["confidence"], rules[0]["lift"]) == (None, None, None)
    assert (rules[1]["label"], rules[1]["text"], rules[1]["errors"]) == (None, "no decision", None)


def test_filters_that_leave_nothing():
    report = rules_report(hedgerow.C45Rules().train(LOAN), RuleChoice(min_support=0.9))
    assert "No rule passes these filters." in hedgerow.render(report)
    assert "No rule passes these filters." in hedgerow.to_html(report)


def test_other_rules_of_folds_have_an_interval_unless_rows_count_twice():
    cards = rule_cards(hedgerow.C45Rules().train(LOAN), LOAN, folds=5)
    told = rules_report(cards)["cards"]
    assert others_sentence(told).endswith("(95 % 6.1-79.2).")
    a_set = replace(cards, model=RuleSet.parse(SET, PLAIN.schema), cards=cards.cards)
    assert others_sentence(rules_report(a_set)["cards"]).endswith("were in their class.")
    assert others_sentence({"others": None}) == ""


def test_words_for_rules_found_again():
    found = {"same": 7, "alike": 2, "columns": 0, "of": 10}
    assert found_again({"found": found}) == "the same 7, alike 2 of 10"
    assert found_again({"found": {"same": 0, "alike": 0, "columns": 3, "of": 5}}) == "same columns 3 of 5"
    assert found_again({"found": {"same": 0, "alike": 0, "columns": 0, "of": 5}}) == "none of 5"
    assert found_again({"in_model": "none"}) == "not in the model"
    assert found_again({}) == ""


def test_weights_that_add_up_to_whole_rows_look_whole():
    assert rows_of({"covered": 21.4567, "of": 682.9999}) == "21.5 of 683"
    assert rows_of({"covered": 0.004, "of": 3.0}) == "0.0 of 3"


def test_bars_stay_in_their_cell():
    assert 'width="100"' in bar_html(Bar(1.0, 0.6, 1.0))
    assert 'width="50"' in bar_html(Bar(0.5, 0.0, 4.5))
    assert "M0 1V11M100 1V11" in bar_html(Bar(0.5, 0.0, 4.5))
    assert "nan" not in bar_html(Bar(math.nan, math.nan, math.nan))


def test_names_cannot_break_out_of_a_page_or_a_table():
    random = np.random.default_rng(1)
    bad = random.integers(0, 2, 40)
    columns = {"<script>|x": ["</td>" if v else "`a|b`" for v in bad], "y": ["<b>" if v else "|" for v in bad]}
    table = Table.of(columns, "y")
    report = rules_report(rule_cards(hedgerow.C45Rules().train(table), table, folds=4))
    page = hedgerow.to_html(report)
    checked(page)
    assert "<script>" not in page
    assert "</td>&" not in page
    lines = [line for line in hedgerow.to_markdown(report).split("\n") if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_a_full_report_shows_many_rules_up_to_a_limit():
    random = np.random.default_rng(2)
    x = np.arange(3000.0)
    table = Table.of({"x": x, "y": ["ab"[v] for v in random.integers(0, 2, 3000)]}, "y")
    model = hedgerow.OneR(min_bucket=2).train(table)
    part = hedgerow.full_report(model, table, hedgerow.test(model, table))["model"]
    assert part["n_rules"] == len(model.rules) > 200
    assert len(part["rules"]) == 201
    assert part["rules"][-1]["default"]
    assert f"{part['hidden']:,} more before the last one" in hedgerow.to_html({**part, "report": "model"})


def test_a_full_report_takes_cards():
    tree = hedgerow.C45().train(LOAN)
    cards = rule_cards(tree, LOAN, folds=3)
    results = hedgerow.cross_validate(hedgerow.C45(), LOAN, folds=3)
    report = hedgerow.full_report(tree, LOAN, results, picture=True, cards=cards)
    assert [rule["found"]["of"] for rule in report["model"]["rules"]] == [3, 3, 3]
    assert "Paths of the tree as rules" in hedgerow.to_html(report)
    assert "held-out folds" in hedgerow.to_markdown(report)
    assert set(cards.notes) <= set(report["warnings"])


def test_on_a_page_a_test_stays_with_what_joins_it_and_a_narrow_screen_names_the_columns():
    page = hedgerow.to_html(rules_report(MADE["folds"]))
    assert '<span class="test">and <code>' in page
    assert '<span class="test">then <span class="then">' in page
    for name in ("coverage", "precision", "found in folds"):
        assert f'data-title="{name}"' in page
    assert "3 paths; 5-fold cross-validation" in page  # as the title counts them
    listed = hedgerow.to_html(rules_report(MADE["list"]))
    assert "1 rule and a default, on the training rows" in listed
