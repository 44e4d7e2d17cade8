"""Mining never hangs: huge baskets, long sets, more rules than anybody waits for."""

from __future__ import annotations

import csv
import os
import subprocess
import sys

import numpy as np
import pytest

from hedgerow import Apriori, association_rules, examples, mine
from hedgerow.errors import DataError, UsageError
from tests.work import NOT_SANITIZED


def one_huge(n: int, wide: int) -> list[list[str]]:
    chance = np.random.default_rng(1)
    rows = [[f"i{j}" for j in chance.choice(wide, 10, replace=False)] for _ in range(n)]
    return [*rows[:5], [f"i{j}" for j in range(wide)], *rows[5:]]


def nearly_equal(n: int, wide: int, gaps: int) -> list[list[str]]:
    chance = np.random.default_rng(2)
    return [[f"i{j}" for j in np.flatnonzero(chance.random(wide) > gaps / wide)] for _ in range(n)]


def test_closed_and_maximal_sets_with_one_huge_basket_end() -> None:
    rows = one_huge(3000, 3000)
    closed, maximal = mine(rows, min_count=1, sets="closed"), mine(rows, min_count=1, sets="maximal")
    assert closed.sizes[-1] == 3000
    assert [len(items) for items, _ in maximal] == [3000]
    assert {tuple(sorted(row)) for row in map(set, rows)} <= {tuple(sorted(items)) for items, _ in closed}


def test_nearly_equal_huge_baskets_stay_within_memory() -> None:
    sets = mine(nearly_equal(30, 2000, 30), min_count=1, sets="closed", memory="100M")
    assert len(sets)
    assert "the memory limit was reached" in sets.ended
    assert sets.counts.min() == sets.bound


def test_closed_sets_of_many_equal_columns_are_those_of_all_sets() -> None:
    chance = np.random.default_rng(3)
    shown = chance.random((12, 9)) < 0.6
    rows = [[f"{j}.{k}" for j in np.flatnonzero(row) for k in range(20)] for row in shown]  # 20 items always together
    few = [[str(j) for j in np.flatnonzero(row)] for row in shown]
    for which in ("closed", "maximal"):
        wide, narrow = mine(rows, min_count=2, sets=which), mine(few, min_count=2, sets=which)
        assert sorted(wide.counts.tolist()) == sorted(narrow.counts.tolist())
        assert sorted(wide.sizes.tolist()) == sorted((narrow.sizes * 20).tolist())
        as_few = {(frozenset(item.split(".")[0] for item in items), count) for items, count in wide}
        assert as_few == {(frozenset(items), count) for items, count in narrow}


def test_rules_are_looked_at_within_a_budget_that_is_told() -> None:
    sets = mine(nearly_equal(40, 11, 1), min_count=5)
    every = association_rules(sets, 0.2, max_rules=None)
    some = association_rules(sets, 0.2, max_rules=10_000)
    assert 0 < len(some) < len(every)
    assert "more than 10,000 rules to consider" in some.about.notes[0]
    texts = str(every).splitlines()
    assert set(str(some).splitlines()) <= set(texts)
    complete = float(some.about.notes[0].split("those with a count of at least ")[1].split()[0])
    assert (every.count >= complete).sum() == (some.count >= complete).sum()
    best = association_rules(sets, 0.2, max_rules=10_000, top=50, by="lift")
    known = sorted(some.lift, reverse=True)[:50]
    assert np.allclose(sorted(best.lift, reverse=True), known)
    assert not association_rules(sets, 0.2, max_rules=10**12).about.notes


@pytest.mark.parametrize("fold", [False, True])
def test_the_budget_of_rules_does_not_depend_on_threads(fold: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = mine(nearly_equal(40, 12, 1), min_count=8)
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr("hedgerow.learn.associations.rules.n_threads", lambda n=threads: n)
        found.append(str(association_rules(sets, 0.5, max_rules=20_000, top=300, by="leverage", fold=fold)))
    assert found[0] == found[1] == found[2]


def test_rules_of_a_dense_table_come_to_an_end() -> None:
    rows = nearly_equal(500, 40, 6)
    learner = Apriori(min_support=0.05, max_rules=300_000, max_sets=200_000)
    rules = learner.fit(rows).rules_
    assert len(rules)
    assert any("rules to consider" in note for note in rules.about.notes)


def test_sets_in_csv_are_quoted_as_they_print(tmp_path) -> None:
    path = tmp_path / "sets.csv"
    mine([["a, b", 'c"d', "{x}"]] * 2, 0.5, to=path)
    with open(path, newline="", encoding="utf-8") as stream:
        lines = list(csv.reader(stream))
    assert lines[0] == ["items", "size", "count", "support"]
    assert lines[2][0] == '{"a, b", "c\\"d"}'
    mine([["a"], ["b"]], 1.0, to=path)
    assert path.read_text() == "items,size,count,support\n"
    with pytest.raises(DataError, match="cannot be written"):
        mine([["a"]], 0.5, to=tmp_path / "none" / "sets.csv")


def test_lists_that_are_baskets() -> None:
    pandas = pytest.importorskip("pandas")
    assert [items for items, _ in mine([[1, 2], [1]], 0.5)] == [("1",), ("2",), ("1", "2")]
    assert [items for items, _ in mine([["a", None], ["a", float("nan")]], 0.5)] == [("a",)]
    assert [items for items, _ in mine(pandas.Series([["a", "b"], ["a"]]), 1.0)] == [("a",)]
    assert len(mine([[], []], 0.5)) == 0
    with pytest.raises(DataError, match="there are no rows"):
        mine([], 0.5)
    with pytest.raises(DataError, match="a list of words is not a list of baskets"):
        mine(["a b", "c"], 0.5)


def test_a_plan_of_apriori_says_that_train_takes_streams() -> None:
    with pytest.raises(UsageError, match=r"reads a stream once per level.*call train"):
        Apriori().plan(examples.loan().schema)


_GROWTH = """
import sys
import numpy as np
from hedgerow import Apriori, Column, Kind, Schema, Table, mine

def megabytes(key):
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status[key].split()[0]) / 1024

def table(rows):
    chance = np.random.default_rng(0)
    columns = tuple(Column(f"a{i}", Kind.NOMINAL, ("n", "y")) for i in range(40))
    return Table(Schema(columns), tuple((chance.random(rows) < 0.35).astype(np.int32) for _ in columns), rows)

def search(rows, memory):
    if sys.argv[1] == "sets":
        return mine(rows, min_support=0.05, memory=memory)
    return Apriori(min_support=0.05, min_confidence=0.3, memory=memory).train(rows)

search(table(50), "5M")  # what is imported and allocated once
rows = table(5_000)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak starts anew
before = megabytes("VmRSS")
found = search(rows, "40M")
print(len(found), megabytes("VmHWM") - before)
"""


@NOT_SANITIZED
@pytest.mark.parametrize("what", ["sets", "rules"])
def test_memory_bounds_what_the_process_grows_by(what: str) -> None:
    """The peak of a search that fills its memory; the margin is for rows as items and what an allocator keeps."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the system does not tell the peak of memory")
    environment = {**os.environ, "HEDGEROW_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _GROWTH, what], capture_output=True, text=True, check=True, env=environment
    )
    found, grown = done.stdout.split()
    assert int(found) > 50_000
    assert float(grown) < 1.35 * 40
