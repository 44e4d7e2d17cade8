"""Suspicious columns: those that give the answer away, near identifiers and copies, and no false alarms."""

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.table import Table
from hedgerow.report.data.data import describe_report
from hedgerow.report.data.suspects import suspicions
from hedgerow.report.draw.class_colors import NO_GROUPS, OTHERS, group_classes

RNG = np.random.default_rng(3)
TARGET = np.where(RNG.random(300) < 0.4, "yes", "no")


def told(columns, target="y", **more):
    return suspicions(Table.of(columns, target, **more))


def test_a_copy_of_the_target_is_a_leak():
    (note,) = told(
        {"noise": RNG.random(300), "paid": np.where(TARGET == "yes", "a", "b").tolist(), "y": TARGET.tolist()}
    )
    assert note.startswith(
        "column 'paid' alone determines the class of 100.0% of the rows: is it known before the target?"
    )
    assert note.endswith("--ignore paid excludes it")


def test_numbers_and_missing_values_leak_too():
    number = np.where(TARGET == "yes", 5.0, 1.0) + RNG.random(300)
    gap = [None if label == "yes" else 3.0 for label in TARGET]
    notes = told({"number": number, "gap": gap, "y": TARGET.tolist()})
    assert [note.split("'")[1] for note in notes] == ["number", "gap"]


def test_noise_and_good_columns_are_no_leaks():
    weak = np.where(TARGET == "yes", 1.0, 0.0) + RNG.normal(0, 0.4, 300)
    names = [f"name {row}" for row in range(300)]
    notes = told({"weak": weak, "names": names, "y": TARGET.tolist()})
    assert not any("alone" in note for note in notes)


@pytest.mark.parametrize("name", ["iris", "vote", "credit-g", "diabetes", "soybean", "glass", "labor", "sonar"])
def test_honest_data_raise_no_alarm(shared_data, name):
    assert suspicions(hedgerow.read(shared_data(f"uci/{name}.arff"))) == []


def test_a_leak_must_beat_the_share_of_the_largest_class():
    rare = ["yes"] * 3 + ["no"] * 297
    assert told({"x": RNG.random(300), "y": rare}) == []
    assert len(told({"x": rare, "y": rare})) == 1


def test_few_rows_one_class_and_no_target_raise_none():
    assert told({"x": ["a", "b"] * 10, "y": ["a", "b"] * 10}) == []
    assert told({"x": RNG.random(90), "y": ["a"] * 90}) == []
    assert suspicions(Table.of({"x": ["a", "b"] * 40})) == []
    assert suspicions(Table.of({"x": [None] * 80, "y": ["a", "b"] * 40}, "y")) == []


def test_a_number_that_follows_the_target_is_a_leak():
    y = RNG.normal(size=200)
    (note,) = told({"twice": 2 * y + 1, "noisy": y + RNG.normal(size=200), "y": y})
    assert note.startswith("column 'twice' alone explains 100.0% of the target's variance")


def test_weights_count():
    x = ["a"] * 50 + ["b"] * 50 + ["a"] * 5
    y = ["p"] * 50 + ["q"] * 55
    assert told({"x": x, "y": y}) == []
    assert len(told({"x": x, "y": y}, weights=[1.0] * 100 + [0.001] * 5)) == 1


def test_near_identifiers_and_copies_are_told():
    names = [f"n{max(row, 5)}" for row in range(100)]
    colors = RNG.choice(["red", "blue"], 100)
    other = np.where(colors == "red", "rot", "blau").tolist()
    notes = told({"names": names, "color": colors.tolist(), "farbe": other, "y": RNG.choice(["a", "b"], 100).tolist()})
    assert notes[0].startswith("column 'names' has 95 different values in 100 rows, which is nearly an identifier")
    assert notes[1] == "columns 'color', 'farbe' have the same values"
    assert len(notes) == 2


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr("hedgerow.report.data.suspects.MOST_ROWS", 60)
    assert len(told({"x": TARGET.tolist(), "y": TARGET.tolist()})) == 1
    color = RNG.choice(["red", "blue"], 300).tolist()
    nearly = ["red" if row == 1 else value for row, value in enumerate(color)]
    nearly[1] = "blue" if color[1] == "red" else "red"  # a row that is not looked at
    y = RNG.choice(["a", "b"], 300).tolist()
    assert told({"one": color, "other": nearly, "y": y}) == []
    assert told({"one": color, "other": color, "y": y}) == ["columns 'one', 'other' have the same values"]


def test_histograms_divide_among_the_classes():
    table = Table.of({"x": [1.0, 1, 2, 2, None], "c": ["a", "a", "b", None, "b"], "y": ["p", "q", "p", None, "q"]}, "y")
    report = describe_report(table, by_class=True)
    assert report["groups"] == ["p", "q"]
    x, c, _ = report["columns"]
    assert x["histogram"]["counts"] == [2, 2]
    assert x["histogram"]["by_class"] == [[1, 1], [1, 0]]  # one row has no class
    assert [level["by_class"] for level in c["levels"]] == [[1, 1], [1, 1]]
    assert "by_class" not in describe_report(table)["columns"][0]["histogram"]


def test_many_classes_are_grouped_unless_that_hides_most():
    skewed = [f"c{code}" for code in range(12) for _ in range(1 + 40 * (code < 3))]
    groups = group_classes(Table.of({"y": skewed}, "y"))
    assert len(groups.labels) == 8
    assert groups.labels[-1] == OTHERS
    assert (groups.codes == 7).sum() == 5
    even = [f"c{code}" for code in range(30)]
    assert group_classes(Table.of({"y": even}, "y")) is NO_GROUPS
    assert group_classes(Table.of({"x": [1.0, 2.0]}, "x")) is NO_GROUPS
