"""A look at data: without bounds the support falls until there is something to see."""

import numpy as np
import pytest

import hedgerow
from hedgerow.learn.associations.first_look import SHARES, explore_rules, explore_sets

BASKETS = hedgerow.examples.groceries()


def test_a_first_look_at_baskets():
    found = explore_rules(BASKETS, {})
    assert found.first
    assert found.enough == 10
    assert len(found.rules) >= 10
    assert found.support_steps[-2][1] < 10 <= found.support_steps[-1][1]
    assert found.rules.about.parameters["min_confidence"] == 0.5
    assert found.rules.about.parameters["min_count"] == found.sets.bound
    assert (np.diff(found.rules.lift) <= 1e-12).all()
    assert all(len(rule.consequent) == 1 for rule in found.rules)


def test_what_is_reported_can_be_had_again():
    found = explore_rules(BASKETS, {})
    again = hedgerow.Apriori(**found.rules.about.parameters).train(BASKETS)
    assert str(again) == str(found.rules)


def test_a_first_look_at_a_table_asks_for_more_confidence():
    assert explore_rules(hedgerow.examples.loan(), {}).rules.about.parameters["min_confidence"] == 0.8


def test_what_is_given_goes_before():
    settings = {"min_confidence": 0.9, "by": "confidence", "max_consequent": None, "fold": False, "min_lift": None}
    found = explore_rules(BASKETS, settings)
    assert found.first
    assert {name: found.rules.about.parameters[name] for name in settings} == settings


def test_with_a_bound_it_is_apriori_itself():
    found = explore_rules(BASKETS, {"min_count": 3, "min_confidence": 0.7})
    assert not found.first
    assert found.support_steps == ((3 / 20, 9),)
    assert str(found.rules) == str(hedgerow.Apriori(min_count=3, min_confidence=0.7).train(BASKETS))
    assert [count for _, count in found.sets] == [count for _, count in hedgerow.mine(BASKETS, min_count=3)]


def test_steps_of_ones_own():
    found = explore_rules(BASKETS, {"enough": 4, "start": 0.4, "step": 0.1, "min_support": 0.1, "min_confidence": 0.9})
    assert [share for share, _ in found.support_steps] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    rules = hedgerow.Apriori(enough=4, start=0.4, step=0.1, min_support=0.1, min_confidence=0.9).train(BASKETS)
    assert str(rules) == str(found.rules)


def test_top_without_a_support_lowers_it():
    found = explore_rules(BASKETS, {"top": 3, "by": "lift", "min_confidence": 0.9})
    assert len(found.rules) == 3
    assert found.enough == 3


def test_sets_of_two_items_are_what_one_wants_to_see():
    found = explore_sets(BASKETS, {})
    assert (found.sets.sizes > 1).sum() >= 20
    assert found.rules is None
    assert found.sets.bound == found.sets.about.parameters["min_count"]
    few = explore_sets(BASKETS, {"min_count": 5})
    assert len(few.sets) == 6
    assert few.support_steps == ()


def test_the_support_ends_at_a_few_rows():
    found = explore_rules(BASKETS, {"min_confidence": 1.0, "consequent": "lemons"})
    assert found.sets.bound >= 2
    assert len(found.rules) == 0
    assert found.support_steps[-1][0] == pytest.approx(0.1)


def test_progress_is_told():
    told = []
    explore_rules(BASKETS, {}, lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    assert {total for _, total in told} == {len(SHARES)}


def test_a_stream_finds_the_same(tmp_path):
    path = tmp_path / "shop.basket"
    path.write_text(hedgerow.examples.groceries_csv())
    for settings in ({}, {"min_count": 3, "min_confidence": 0.7}):
        stream = explore_rules(hedgerow.open_source(path), settings)
        memory = explore_rules(BASKETS, settings)
        assert str(stream.rules) == str(memory.rules)
        assert stream.rules.about.rows == 20
