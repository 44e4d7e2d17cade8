"""Apriori, `mine` and `association_rules`: worked examples, laws, order, roles."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hedgerow import Apriori, DataError, Table, UsageError, association_rules, load, mine, open_source
from hedgerow.learn.associations.sets_to_file import WrittenSets
from tests.reference import associations as plain
from tests.textbook import weather

ROWS = st.lists(st.sets(st.sampled_from("abcdef"), max_size=5).map(sorted), min_size=1, max_size=15)


def baskets(rows, weights=None):
    """Return rows of letters as a table of zeros and ones."""
    columns = {letter: [float(letter in row) for row in rows] for letter in "abcdef"}
    return Table.of(columns, weights=weights)


def pairs(rules):
    return [(rule.antecedent, rule.consequent) for rule in rules]


def by_size(sets):
    return np.bincount(sets.sizes, minlength=2)[1:].tolist()


def test_item_sets_of_the_weather():
    """G46, G52."""
    sets = mine(weather(), min_count=2)
    assert by_size(sets) == [12, 47, 39, 6]
    assert sets.count("Outlook=Sunny", "Temp=Hot", "Humidity=High", "Play=No") == 2
    assert sets.count("Outlook=Sunny", "Humidity=High") == 3
    assert by_size(mine(weather(), min_count=3)) == [12, 26, 4]
    assert by_size(mine(weather(), min_count=4)) == [12, 9, 1]
    assert by_size(mine(weather(), 2 / 14)) == [12, 47, 39, 6]


def test_rules_of_the_weather():
    """G47, G52."""
    rules = association_rules(mine(weather(), min_count=2), 1.0)
    assert np.bincount(rules.counts).tolist() == [0, 0, 50, 5, 3]
    shapes = [(len(rule.antecedent), len(rule.consequent)) for rule in rules]
    assert {shape: shapes.count(shape) for shape in shapes} == {(1, 1): 2, (2, 1): 32, (2, 2): 7, (3, 1): 17}
    assert [str(line).split(" (")[0] for line in str(rules).split("\n")[:3]] == [
        "{Outlook=Overcast} => {Play=Yes}",
        "{Temp=Cool} => {Humidity=Normal}",
        "{Humidity=Normal, Windy=False} => {Play=Yes}",
    ]
    assert len(Apriori(min_count=2, min_confidence=0.9).train(weather())) == 58
    assert len(Apriori(min_count=2, min_confidence=0.8).train(weather())) == 60


def test_seven_rules_of_one_set():
    """G48: 2^3 - 1 rules, that with the empty antecedent among them."""
    whole = {"Humidity=Normal", "Windy=False", "Play=Yes"}
    rules = association_rules(mine(weather(), min_count=4), 0.0, min_antecedent=0)
    found = [rule for rule in rules if {*rule.antecedent, *rule.consequent} == whole]
    assert sorted(round(rule.confidence, 9) for rule in found) == sorted(
        round(4 / n, 9) for n in (4, 6, 6, 7, 8, 9, 14)
    )
    [empty] = [rule for rule in found if not rule.antecedent]
    assert empty.confidence == 4 / 14
    assert empty.lift == 4 / 14 * 14 / 4


def test_rules_of_one_set_by_growing_consequents():
    """G49, G50."""
    rules = association_rules(mine(weather(), min_count=2), 1.0)

    def of(*items):
        return {
            (rule.antecedent, rule.consequent) for rule in rules if {*rule.antecedent, *rule.consequent} == {*items}
        }

    assert of("Temp=Cool", "Humidity=Normal", "Windy=False", "Play=Yes") == {
        (("Temp=Cool", "Windy=False"), ("Humidity=Normal", "Play=Yes")),
        (("Temp=Cool", "Humidity=Normal", "Windy=False"), ("Play=Yes",)),
        (("Temp=Cool", "Windy=False", "Play=Yes"), ("Humidity=Normal",)),
    }
    assert of("Outlook=Sunny", "Humidity=High", "Windy=False", "Play=No") == {
        (("Outlook=Sunny", "Windy=False", "Play=No"), ("Humidity=High",)),
        (("Humidity=High", "Windy=False", "Play=No"), ("Outlook=Sunny",)),
        (("Windy=False", "Play=No"), ("Outlook=Sunny", "Humidity=High")),
        (("Outlook=Sunny", "Humidity=High", "Windy=False"), ("Play=No",)),
    }


def test_lifts():
    """G53."""
    rules = association_rules(mine(weather(), min_count=2), 1.0, by="lift")
    lifts = {(rule.antecedent, rule.consequent): rule.lift for rule in rules}
    assert lifts[("Outlook=Overcast",), ("Play=Yes",)] == pytest.approx(1.555556, abs=1e-6)
    assert lifts[("Temp=Cool",), ("Humidity=Normal",)] == 2.0
    assert lifts[("Outlook=Sunny", "Humidity=High"), ("Play=No",)] == pytest.approx(2.8)
    assert lifts[("Outlook=Rainy", "Play=Yes"), ("Windy=False",)] == 1.75
    assert (np.diff(rules.lift) <= 1e-12).all()


@given(ROWS, st.integers(1, 4), st.sampled_from([0.3, 0.6, 1.0]), st.sampled_from(["confidence", "lift", "support"]))
@settings(max_examples=60, deadline=None)
def test_learner_equals_brute_force(rows, least, confidence, by):
    known = plain.frequent(rows, least)
    expected = plain.brute_force_rules(
        [one for one, _ in known], dict(known).__getitem__, len(rows), min_confidence=confidence, by=by
    )
    table = baskets(rows)
    assert pairs(Apriori(min_count=least, min_confidence=confidence, by=by).train(table)) == expected
    best = Apriori(min_count=least, min_confidence=confidence, by=by, top=3).train(table)
    assert pairs(best) == expected[:3]


@given(ROWS, st.integers(1, 3), st.data())
@settings(max_examples=60, deadline=None)
def test_roles_and_lengths_choose_among_the_rules(rows, least, data):
    sides = st.none() | st.sets(st.sampled_from("abcdef"), min_size=1).map(sorted)
    left, right = data.draw(sides), data.draw(sides)
    lengths = {
        "min_antecedent": data.draw(st.sampled_from([0, 1])),
        "max_antecedent": data.draw(st.sampled_from([None, 1, 2])),
        "max_consequent": data.draw(st.sampled_from([None, 1, 2])),
    }
    fold = data.draw(st.booleans())
    learner = Apriori(min_count=least, min_confidence=0.4, antecedent=left, consequent=right, fold=fold, **lengths)
    sets = mine(baskets(rows), min_count=least)
    expected = association_rules(sets, 0.4, antecedent=left, consequent=right, fold=fold, **lengths)
    made = learner.train(baskets(rows))
    assert pairs(made) == pairs(expected)
    assert made.lift.tolist() == expected.lift.tolist()


@given(ROWS, st.integers(1, 3), st.permutations(range(15)))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_does_not_matter_and_a_repeated_row_has_weight_2(rows, least, order):
    learner = Apriori(min_count=least, min_confidence=0.5)
    shuffled = [rows[i] for i in order if i < len(rows)]
    assert str(learner.train(baskets(shuffled))) == str(learner.train(baskets(rows)))
    twice = learner.train(baskets([*rows, rows[0]]))
    weighted = learner.train(baskets(rows, weights=[2, *[1] * (len(rows) - 1)]))
    assert pairs(weighted) == pairs(twice)
    assert weighted.counts.tolist() == twice.counts.tolist()
    assert weighted.total == twice.total


def test_renamed_columns_rename_the_rules():
    table = weather()
    renamed = Table.of(
        {f"c{i}": [column.levels[code] for code in table.codes(i)] for i, column in enumerate(table.schema.columns)}
    )
    text = str(Apriori(min_count=2).train(table))
    for i, name in enumerate(table.schema.names):
        text = text.replace(f"{name}=", f"c{i}=")
    assert str(Apriori(min_count=2).train(renamed)) == text


def test_redundant_rules_are_folded():
    table = baskets([["a", "b", "c"], ["a", "b", "c"], ["a", "b"], ["c"]])
    every = association_rules(mine(table, min_count=1), 0.9)
    folded = association_rules(mine(table, min_count=1), 0.9, fold=True)
    assert (("a", "c"), ("b",)) in pairs(every)
    assert pairs(folded) == [(("b",), ("a",)), (("a",), ("b",))]


def test_fitting_and_recommending():
    learner = Apriori(min_count=2, min_confidence=1.0).fit(weather())
    assert learner.rules_ is learner.model_
    assert len(learner.rules_) == 58
    assert learner.recommend(weather()) is not None
    assert Apriori(min_count=2).fit(weather().with_target("Play")).rules_ == Apriori(min_count=2).train(weather())


def test_lists_of_words_are_baskets():
    rows = [["milk", "bread"], ["milk", "bread", "tea"], ["tea"], []]
    learner = Apriori(min_count=2).fit(rows)
    assert pairs(learner.rules_) == [(("bread",), ("milk",)), (("milk",), ("bread",))]
    assert learner.rules_.total == 4
    assert learner.recommend([["milk"], ["tea"]]).items == [["bread"], []]
    assert by_size(mine([{"b", "a"}, {"a"}], 0.5)) == [2, 1]
    assert by_size(mine([["a", "b"], ["c", "b"]], 0.5)) == [3, 2]
    assert mine(np.array([["a", "b"], ["c", "b"]]), 0.5).items.names == ("x0=a", "x0=c", "x1=b")
    weighted = Apriori(min_count=2).fit([["a", "b"], ["a"]], sample_weight=[2, 1]).rules_
    assert pairs(weighted) == [(("b",), ("a",))]


@pytest.mark.parametrize("make", [lambda f: f, lambda f: f.astype(int), lambda f: f.astype(float).to_numpy()])
def test_frames_of_true_and_false(make):
    frame = pd.DataFrame({"milk": [True, True, False], "bread": [True, True, True], "beer": [False, False, True]})
    assert by_size(mine(make(frame), 0.5)) == [2, 1]
    assert by_size(mine(sparse.csr_matrix(frame.to_numpy().astype(float)), 0.5)) == [2, 1]


def test_models_keep_and_load_their_rules(tmp_path):
    rules = Apriori(min_support=0.2).train(weather())
    rules.save(tmp_path / "r.hedge")
    assert load(tmp_path / "r.hedge") == rules
    assert rules.about.learner == "apriori"
    assert rules.about.rows == 14


def test_pairs_of_ids_and_items():
    table = Table.of({"bill": [1, 2, 1, 2, 3], "what": ["tea", "tea", "milk", "milk", "rum"]})
    rules = Apriori(min_count=2, id="bill", item="what").train(table)
    assert pairs(rules) == [(("milk",), ("tea",)), (("tea",), ("milk",))]
    assert rules.total == 3
    assert by_size(mine(table, min_count=2, id="bill", item="what")) == [2, 1]
    with pytest.raises(UsageError, match="id and item belong together"):
        mine(table, id="bill")


def test_numbers_are_cut_and_that_is_noted():
    table = Table.of({"age": list(range(30)), "kind": ["a", "b", "c"] * 10})
    sets = mine(table, 0.1, bins=3)
    assert "column 'age' is discretized into 3 intervals" in sets.about.notes[0]
    assert len(mine(table, 0.1, bins=2, absent="a").items) == 4


def test_the_empty_and_the_strange():
    with pytest.raises(DataError, match="no rows"):
        mine(Table.of({"a": []}))
    nothing = Table.of({"a": [None, None], "b": [None, None]}, levels={"a": ["x"], "b": ["y"]})
    assert len(mine(nothing, 0.5)) == 0
    assert len(Apriori().train(nothing)) == 0
    assert str(Apriori().train(nothing)) == "no rules"
    empty = baskets([[], [], ["a"]])
    assert mine(empty, min_count=1).support.tolist() == [1 / 3]
    with pytest.raises(UsageError, match=r"min_support=0 .* above 0"):
        mine(weather(), 0)
    with pytest.raises(UsageError, match="at most 1"):
        mine(weather(), 1.5)
    with pytest.raises(UsageError, match="twice; give only one"):
        mine(weather(), 0.1, min_count=2)
    with pytest.raises(UsageError, match="twice; give only one"):
        Apriori(min_support=0.1, min_count=2).train(weather())
    with pytest.raises(UsageError, match="min_confidence=nan"):
        Apriori(min_confidence=float("nan")).train(weather())
    with pytest.raises(UsageError, match="min_count=0"):
        mine(weather(), min_count=0)
    with pytest.raises(DataError, match="did you mean 'Play=Yes'"):
        Apriori(consequent="Play=Yess").train(weather())
    with pytest.raises(DataError, match="did you mean 'Outlook'"):
        association_rules(mine(weather()), antecedent=["Outlok"])
    with pytest.raises(UsageError, match="sets='some'"):
        mine(weather(), sets="some")
    with pytest.raises(UsageError, match="mine them with sets='all'"):
        association_rules(mine(weather(), sets="closed"))
    with pytest.raises(UsageError, match=r"by='lft'.*did you mean 'lift'"):
        association_rules(mine(weather()), by="lft")


def test_one_basket_of_5000_items_ends_and_says_why(tmp_path):
    path = tmp_path / "b.dat"
    path.write_text("\n".join(["a b", "b c", " ".join(f"i{n}" for n in range(5000))]) + "\n")
    table = open_source(path).read()
    sets = mine(table, min_count=1, memory="50M")
    assert sets.ended
    assert sets.bound == 2
    assert [names for names, _ in sets] == [("b",)]
    rules = Apriori(min_count=1).train(table)
    assert any("sets with a count of at least 2 were found" in note for note in rules.about.notes)


def test_closed_and_maximal_sets():
    every, closed, maximal = (mine(weather(), min_count=2, sets=which) for which in ("all", "closed", "maximal"))
    assert len(every) > len(closed) > len(maximal)
    assert (closed.find(names for names, _ in maximal) >= 0).all()


def test_written_sets_are_the_sets(tmp_path):
    import pyarrow.csv
    import pyarrow.ipc
    import pyarrow.parquet

    sets = mine(weather(), min_count=2)
    expected = {(names, count) for names, count in sets}
    for ending, read in (
        ("arrow", lambda path: pyarrow.ipc.open_file(path).read_all()),
        ("parquet", pyarrow.parquet.read_table),
    ):
        path = tmp_path / f"sets.{ending}"
        told = mine(weather(), min_count=2, to=path)
        assert isinstance(told, WrittenSets)
        assert told.sets == len(sets)
        table = read(path)
        found = zip(table["items"].to_pylist(), table["count"].to_pylist(), strict=True)
        assert {(tuple(items), count) for items, count in found} == expected
    told = mine(weather(), min_count=2, to=tmp_path / "sets.csv")
    lines = (tmp_path / "sets.csv").read_text().splitlines()
    assert len(lines) == len(sets) + 1
    assert str(told).startswith("104 item sets written to")
    with pytest.raises(UsageError, match="cannot be written"):
        mine(weather(), to=tmp_path / "sets.docx")


def test_sets_are_written_in_small_pieces_if_memory_is_small(tmp_path, monkeypatch):
    import pyarrow.ipc

    from hedgerow.learn.associations.rows import TableRows

    find = TableRows.find

    def strict(self, wanted):
        found = find(self, wanted)
        return found if len(found.counts) < 6 else type(found)(found.offsets, found.codes, found.counts, 9.0, 1)

    monkeypatch.setattr(TableRows, "find", strict)
    told = mine(weather(), min_count=2, to=tmp_path / "sets.arrow")
    monkeypatch.undo()
    found = pyarrow.ipc.open_file(tmp_path / "sets.arrow").read_all()["items"].to_pylist()
    assert told.sets == len({tuple(items) for items in found}) == 104
    assert found == sorted(found, key=lambda items: mine(weather(), min_count=2).items.code(items[0]))
