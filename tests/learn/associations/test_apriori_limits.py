"""Apriori under limits: own supports, spread, falling support, budgets; and its shown work."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Apriori, DataError, Table, UsageError, association_rules, mine
from hedgerow.learn.associations import to_item_sets as search
from hedgerow.learn.associations.search_limits import half_of_memory, least_count
from hedgerow.learn.params import parse_names, to_amount
from tests.learn.associations.test_apriori import ROWS, baskets, pairs
from tests.reference import associations as plain
from tests.textbook import weather


@given(ROWS, st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.1, 0.3, 0.5, 0.9])), st.booleans())
@settings(max_examples=80, deadline=None)
def test_own_supports_of_items(rows, shares, spread):
    """M159: a set needs the lowest support of its items; its items' counts may differ by so much."""
    far = 0.3 if spread else None
    counts = {letter: sum(letter in row for row in rows) for letter in "abcdef"}
    expected = [
        (one, count)
        for one, count in plain.frequent(rows, 1)
        if count >= min(least_count(shares.get(item, 0.6), len(rows), True) for item in one)
        and (far is None or max(counts[i] for i in one) - min(counts[i] for i in one) <= 0.3 * len(rows) + 1e-9)
    ]
    table = baskets(rows)
    sets = mine(table, 0.6, min_supports=shares, max_spread=far)
    assert list(sets) == expected
    rules = Apriori(min_support=0.6, min_supports=shares, max_spread=far, min_confidence=0.5).train(table)
    known = dict(plain.frequent(rows, 1))
    assert pairs(rules) == plain.brute_force_rules(
        [one for one, _ in expected], known.__getitem__, len(rows), min_confidence=0.5
    )


def test_supports_of_columns_and_of_items_in_them():
    table = Table.of({"k": ["a"] * 8 + ["b", "c"], "x": ["u"] * 10})
    assert [names for names, _ in mine(table, 0.5, min_supports={"k": 0.2, "k=c": 0.1})] == [
        ("k=a",),
        ("k=c",),
        ("x=u",),
        ("k=a", "x=u"),
        ("k=c", "x=u"),
    ]
    with pytest.raises(UsageError, match="min_supports: 0 of 'k' is not allowed"):
        mine(table, min_supports={"k": 0})
    with pytest.raises(DataError, match="min_supports: there is no item or column 'kk'; did you mean 'k'"):
        mine(table, min_supports={"kk": 0.1})
    with pytest.raises(UsageError, match="use Apriori, which counts all sets that it needs"):
        association_rules(mine(baskets([["a", "b"], ["a"], ["b"], []]), 1.0, min_supports={"a": 0.1}), 0.0)


def test_support_falls_until_rules_are_enough():
    """M147."""
    rules = Apriori(enough=5, min_confidence=0.9, min_support=0.1).train(weather())
    assert rules.counts.min() == 3
    assert len(rules) == 8
    assert rules.about.notes == ("the support was lowered to 21.4 % (count 3): 8 rules, enough",)
    few = Apriori(enough=1000, min_confidence=0.9, min_support=0.2, step=0.3).train(weather())
    assert len(few) == 8
    assert "fewer than 1,000, but the lowest support" in few.about.notes[-1]
    high = Apriori(enough=1, min_confidence=0.9, start=0.5).train(weather())
    assert high.counts.tolist() == [4, 4, 4]


def test_shares_are_taken_as_they_are_written():
    assert least_count(0.07, 100, True) == 7
    assert least_count(0.1, 8124, True) == 813
    assert [least_count(k / 14, 14, True) for k in range(1, 15)] == list(range(1, 15))
    assert least_count(1e-9, 14, True) == 1
    assert least_count(0.5, 2.5, False) == pytest.approx(1.25)


@given(ROWS, st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_top_sets_are_complete_down_to_their_bound(rows, top):
    every = dict(plain.frequent(rows, 1))
    sets = mine(baskets(rows), min_count=1, top=top)
    assert len(sets) <= top
    if "at most" in sets.ended:  # even the sets of the highest count are too many
        longest = max(map(len, dict(sets)))
        assert dict(sets) == {one: count for one, count in every.items() if len(one) <= longest}
        return
    assert dict(sets) == {one: count for one, count in every.items() if count >= sets.bound}
    if len(every) <= top:
        assert not sets.ended
    else:
        assert sets.ended.startswith(f"there are more than {top} sets")
        assert sets.about.notes[-1] == sets.ended


def test_time_that_is_over_gives_the_last_complete_level(monkeypatch):
    class Slow(search.TableRows):
        def find(self, wanted):
            if wanted.min_bound < 4:
                none = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
                return search.SearchResult(*none, wanted.min_bound, 2)
            return super().find(wanted)

    monkeypatch.setattr("hedgerow.learn.associations.mining.TableRows", Slow)
    monkeypatch.setattr(search, "TableRows", Slow)
    sets = mine(weather(), min_count=2, time="5s")
    assert sets.bound == 7  # 14, then 7; 3.5 was not complete
    assert sets.ended == (
        "the time limit was reached: all sets with a count of at least 7 were found, but not those with lower counts"
    )
    assert dict(sets) == dict(mine(weather(), min_count=7))


def test_enough_time_changes_nothing():
    assert mine(weather(), min_count=2, time="1h", memory="2G") == mine(weather(), min_count=2)
    assert Apriori(time=60, memory=1e9).train(weather()) == Apriori().train(weather())


def test_little_memory_keeps_the_best_rules():
    rules = Apriori(min_count=2, min_confidence=0.5, by="lift").train(weather())
    few = association_rules(mine(weather(), min_count=2), 0.5, by="lift", memory=1000)
    assert pairs(few) == pairs(rules)[: len(few)]
    assert 0 < len(few) < 20
    assert "the memory limit was reached: these are the best" in few.about.notes[0]


def test_too_many_sets_raise_the_support():
    rules = Apriori(min_count=1, max_sets=30).train(weather())
    assert rules.counts.min() > 3
    assert rules.about.notes[0].startswith("there are more than 30 sets: all sets with a count of at least ")


def test_equal_rows_of_many_items_give_short_sets():
    table = Table.of({f"c{i:02}": [1.0] * 5 for i in range(40)})
    sets = mine(table, min_count=1, top=1000)
    assert np.bincount(sets.sizes).tolist() == [0, 40, 780]
    assert sets.ended == (
        "there are more than 1,000 sets: all sets with a count of at least 1 were found that have at most 2 items, "
        "but not the longer ones"
    )
    none = mine(table, min_count=1, top=10)
    assert len(none) == 0
    assert none.ended == "there are more than 10 sets, and all would have the same count: none was kept; allow more"
    rules = Apriori(max_sets=1000).train(table)
    assert len(rules) == 1560
    assert "at most 2 items" in rules.about.notes[0]


def test_sizes_and_durations():
    assert to_amount("size", "2G") == 2 << 30
    assert to_amount("size", "1.5 kB") == 1536
    assert to_amount("size", 100) == 100
    assert to_amount("duration", "90s") == 90
    assert to_amount("duration", "500ms") == 0.5
    assert [to_amount("size", bad) for bad in ("", "x", "-1", "2Q", 0, True, float("nan"), None)] == [None] * 8
    assert half_of_memory() > 0
    with pytest.raises(
        UsageError, match="memory='much' is not allowed: it must be a size above 0, in bytes or such as 500M"
    ):
        mine(weather(), memory="much")
    with pytest.raises(UsageError, match="time='soon' is not allowed"):
        Apriori(time="soon").train(weather())


def test_names_with_commas():
    assert parse_names('a, "b, c", d=e') == ["a", '"b, c"', "d=e"]
    table = Table.of({"k": ["a, b", "c"], "l": ["x", "x"]})
    rules = Apriori(min_count=1, consequent='k="a, b"', min_confidence=0.1).train(table)
    assert pairs(rules) == [(("l=x",), ("k=a, b",))]
    for param in ("antecedent", "memory", "time", "id"):
        Apriori.params[param].check(Apriori.params[param].parse("none"))
    assert Apriori.params["antecedent"].parse('["a", "b"]') == ["a", "b"]


def test_work_reads_like_a_textbook():
    """G46, G49."""
    text = str(Apriori(min_count=2, min_confidence=1.0).show_work(weather()))
    assert text.startswith("Item sets contained in at least 2 of 14 rows\n\nLevel 1: 12 items counted, 12 frequent\n")
    assert (
        "Level 2: 66 candidates joined, 0 dropped because a subset is not frequent, 66 counted, 47 frequent\n"
    ) in text
    assert " counted, 39 frequent\n" in text
    assert " counted, 6 frequent\n" in text
    assert "{Outlook=Sunny, Temp=Hot, Humidity=High, Play=No} " in text
    part = text[text.index("{Temp=Cool, Humidity=Normal, Windy=False, Play=Yes}: 2 rows\n") :].split(
        "\n\n", maxsplit=1
    )[0]
    assert part.count("1.000000") == 3
    assert "  {Temp=Cool, Windy=False} => {Humidity=Normal, Play=Yes}" in part
    assert "dropped" in part
    assert text.endswith("\n\n58 rules in total")
    assert max(map(len, text.split("\n"))) <= 120


def test_work_shows_falling_levels_and_roles(capsys):
    text = str(Apriori(enough=5, min_confidence=0.9).show_work(weather()))
    assert text.startswith(
        "The support is lowered until there are enough rules\nsupport  minimum count  item sets  rules\n"
    )
    only = str(Apriori(min_count=2, consequent="Play", max_consequent=1).show_work(weather()))
    assert "=> {Humidity" not in only
    lifted = str(Apriori(min_count=2, min_lift=2.5, antecedent="Outlook,Humidity").show_work(weather()))
    assert "{Outlook=Sunny, Humidity=High} => {Play=No}  3/3  1.000000\n" in lifted
    assert "{Outlook=Overcast} => {Play=Yes}  4/4  1.000000  no rule" in lifted
    many = str(Apriori(min_count=1).show_work(weather()))
    assert "more sets\n\n" in many
    rules = Apriori(min_count=4, trace=True).train(weather())
    assert "Level 2" in capsys.readouterr().out
    assert rules == Apriori(min_count=4).train(weather())
