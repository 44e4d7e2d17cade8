"""Apriori over a source, one pass a level: the same sets and rules as in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Apriori, Table, mine, open_source, write
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.learn.passes import InMemoryEngine
from hedgerow.models.files.model_file import dumps
from tests.learn.associations.test_apriori import ROWS, baskets
from tests.textbook import weather


class Batches(Source):
    """A table in small batches, which counts the passes."""

    def __init__(self, table):
        super().__init__("batches", ReadOptions())
        self.table, self.passes = table, 0

    def find_schema(self):
        return self.table.schema

    def batches(self, rows=0):
        self.passes += 1
        return self.table.batches(rows % 4 or 4)


@given(
    ROWS,
    st.integers(1, 4),
    st.sampled_from(["all", "closed", "maximal"]),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([None, 0.3]),
    st.sampled_from([None, {"a": 0.2, "c": 0.6}]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=120, deadline=None)
def test_sets_of_a_stream_are_those_of_memory(rows, least, which, longest, spread, shares, ahead, weighted):
    table = baskets(rows, [1 + i % 3 for i in range(len(rows))] if weighted else None)
    how = {"min_count": least, "sets": which, "max_length": longest, "max_spread": spread, "min_supports": shares}
    streamed = mine(Batches(table), **how, look_ahead=ahead)
    whole = mine(table, **how)
    assert streamed == whole
    assert streamed.about.rows == whole.about.rows == len(rows)


@given(ROWS, st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_top_sets_of_a_stream_are_those_of_memory(rows, top):
    table = baskets(rows)
    streamed, whole = (mine(data, min_count=1, top=top) for data in (Batches(table), table))
    assert streamed == whole
    assert streamed.ended == whole.ended


@pytest.mark.parametrize(
    "settings",
    [
        {"min_count": 2},
        {"min_support": 0.2, "consequent": "Play", "max_consequent": 1},
        {"min_count": 1, "antecedent": "Outlook,Temp", "consequent": ["Windy", "Play=Yes"], "max_antecedent": 1},
        {"min_support": 0.4, "min_supports": {"Temp": 0.1}, "min_confidence": 0.3},
        {"enough": 5, "min_confidence": 0.9},
        {"top": 7, "by": "lift", "min_count": 1, "fold": True},
        {"top": 7, "by": "support", "min_count": 1},
        {"min_count": 2, "min_antecedent": 0, "look_ahead": True},
        {"min_count": 1, "max_sets": 40},
    ],
    ids=str,
)
def test_rules_of_a_stream_are_those_of_memory(settings):
    learner = Apriori(**settings, **({} if "min_confidence" in settings else {"min_confidence": 0.6}))
    streamed, whole = learner.train(Batches(weather())), learner.train(weather())
    assert dumps(streamed) == dumps(whole)
    assert len(whole)


def test_a_level_takes_a_pass():
    """M141, M146."""
    source = Batches(weather())
    mine(source, min_count=2)
    assert source.passes == 1 + 3 + 0  # the items, then sets of two, three and four items
    ahead = Batches(weather())
    assert mine(ahead, min_count=2, look_ahead=True) == mine(source, min_count=2)
    assert ahead.passes == 3


def test_numbers_of_a_stream_are_cut_alike():
    random = np.random.default_rng(1)
    table = Table.of(
        {
            "x": random.normal(size=200).round(1),
            "flag": random.integers(0, 2, 200),
            "k": [f"l{i}" for i in random.integers(0, 3, 200)],
        }
    )
    for how in ({}, {"bins": 4, "discretize": "width"}):
        assert mine(Batches(table), 0.05, **how) == mine(table, 0.05, **how)
        assert mine(Batches(table), 0.05, **how).about.notes == mine(table, 0.05, **how).about.notes


def test_files_stream_too(tmp_path):
    path = tmp_path / "weather.csv"
    write(weather(), path)
    learner = Apriori(min_count=2)
    assert dumps(learner.train(open_source(path))) == dumps(learner.train(open_source(path).read()))
    basket = tmp_path / "b.dat"
    basket.write_text("a b c\na b\nb c\n\na\n")
    assert mine(open_source(basket), min_count=1) == mine(basket, min_count=1)


def test_passes_over_a_table_in_memory():
    learner = Apriori(min_count=2)
    table = weather()
    made = learner._learn_by_passes(table.schema, InMemoryEngine(table))
    assert made == learner.learn(table)


def test_little_memory_raises_the_bound_of_a_stream_too():
    table = baskets([["a", "b", "c", "d", "e"]] * 2 + [["a", "b"]] * 3 + [["c"]] * 4)
    sets = mine(Batches(table), min_count=1, memory=200)
    assert sets.ended.startswith("the memory limit was reached: ")
    every = mine(table, min_count=1)
    assert dict(sets) == {one: count for one, count in every if count >= sets.bound}


def test_time_ends_a_stream_after_a_level(monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("hedgerow.learn.associations.levels.time.monotonic", lambda: next(clock))
    sets = mine(Batches(weather()), min_count=2, time="15s")
    assert sets.ended.startswith(
        "the time limit was reached after sets of 2 items: all sets with a count of at least 2 were found up to"
    )
    assert sets.sizes.max() == 2
