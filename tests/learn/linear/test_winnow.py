"""Winnow and Balanced Winnow: textbook's updates, conditions from all kinds of columns, bad input."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow import Perceptron, Winnow
from hedgerow.checks import check_learner
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.linear.linear_classes import LinearClasses
from tests.models.files.test_fuzz import survivors
from tests.reference import mistakes as reference

ROWS = np.array([[1.0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0]])
FIRST = ("yes", "no", "yes", "no", "yes", "no")


def plain(**given):
    """The textbook rule, except for the given parameters."""
    return Winnow(**{"variant": "plain", "shuffle": False, "method": "frequency", **given})


def table_of(matrix, said, levels):
    columns = {f"a{i + 1}": matrix[:, i].tolist() for i in range(matrix.shape[1])} | {"is": list(said)}
    return Table.of(columns, "is", levels={"is": levels})


def textbook():
    return table_of(ROWS, FIRST, ("yes", "no"))


def shown(learner):
    """The mistakes of the work: pass, row, and the weights after."""
    lines = [line.split() for line in str(learner.show_work(textbook())).splitlines()[5:]]
    return [
        (int(line[0]), int(line[1]), [float(one) for one in line[-4:]]) for line in lines if line and line[0] in "123"
    ]


def test_winnow_of_the_document():
    """G89: alpha 2, theta 2: four updates, the third pass is clean; a sum equal to theta is not the first class."""
    assert shown(plain(theta=2)) == [
        (1, 1, [2, 1, 1, 1]),
        (1, 3, [2, 2, 1, 2]),
        (2, 1, [4, 2, 1, 2]),
        (2, 2, [4, 2, 0.5, 1]),
    ]
    learner = plain(theta=2)
    assert learner.show_work(textbook()).mistakes == (2, 2, 0)
    model = learner.train(textbook())
    assert model.slopes.tolist() == [[4, 2, 0.5, 1]]
    assert model.intercepts.tolist() == [-2]
    assert model.predict(textbook()).tolist() == list(FIRST)


def test_balanced_winnow_of_the_document():
    """G90: theta 0: three updates in pass 1 (rows 1, 3, 4), plus (2, 2, 1, 1), minus (1/2, 1/2, 1, 1)."""
    learner = plain(balanced=True)
    work = learner.show_work(textbook())
    assert work.mistakes == (3, 0)
    rows = [line for line in work.lines if line[0] == "1"]
    assert [line[1] for line in rows] == ["1", "3", "4"]
    assert work.lines[-2][-4:] == ["2", "2", "1", "1"]
    assert work.lines[-1][-4:] == ["0.5", "0.5", "1", "1"]
    model = learner.train(textbook())
    assert model.slopes.tolist() == [[1.5, 1.5, 0, 0]]
    assert model.intercepts.tolist() == [0]


@given(st.integers(0, 9999), st.integers(2, 4), st.booleans(), st.sampled_from(["plain", "averaged"]))
def test_equals_its_plain_twin(seed, classes, balanced, variant):
    chance = np.random.default_rng(seed)
    matrix = chance.integers(0, 2, (20, 5)).astype(np.float64)
    matrix[0], matrix[1] = 0, 1  # no column of one value
    labels = np.concatenate([np.arange(classes), chance.integers(0, classes, 20 - classes)])
    theta = 0.5 if balanced else 2.0
    twin = reference.Winnow(5, classes, 1.5, theta, 1.0, balanced)
    twin.run(matrix, labels, np.ones(20), 5)
    names = [f"c{i}" for i in range(classes)]
    learner = plain(alpha=1.5, theta=theta, balanced=balanced, variant=variant, passes=5, digits=15)
    model = learner.train(table_of(matrix, [names[i] for i in labels], tuple(names)))
    expected = twin.net() if variant == "plain" else twin.average
    assert np.allclose(model.slopes, expected, rtol=1e-9, atol=1e-9)


def test_few_relevant_conditions_among_many():
    """M197: of 500 columns, the 3 of a disjunction are found in few mistakes, fewer than the perceptron makes."""
    chance = np.random.default_rng(2)
    matrix = (chance.random((400, 500)) < 0.5).astype(float)
    true = matrix[:, [3, 200, 411]].any(axis=1)
    table = table_of(matrix, np.where(true, "yes", "no").tolist(), ("yes", "no"))
    learner = plain()
    mistakes = learner.show_work(table).mistakes
    assert mistakes[-1] == 0
    assert sum(mistakes) < sum(Perceptron(variant="plain", standardize=False, shuffle=False).show_work(table).mistakes)
    model = learner.train(table)
    assert set(np.argsort(-model.slopes[0])[:3].tolist()) == {3, 200, 411}
    assert model.intercepts[0] == -250  # half the number of conditions


# -- conditions -----------------------------------------------------------------------------------------------


def mixed():
    columns = {
        "age": [20.0, None, 40.0, 50.0, 25.0, 60.0, 22.0, 45.0],
        "sky": ["sun", "rain", None, "rain", "sun", "größer 茶", "sun", "rain"],
        "ill": [0.0, 1.0, None, 1.0, 0.0, 1.0, 0.0, 1.0],
        "same": [3.0] * 8,
        "class": ["a", "b", "b", "b", "a", "b", "a", "b"],
    }
    texts = Text.of(["free money free", None, "hello you", "hello", "money", "", "free", "you"])
    return Table.of(columns, "class").with_column(Column("note", Kind.TEXT), texts)


@pytest.mark.parametrize("method", ["frequency", "width", "mdl", "one_r"])
@pytest.mark.parametrize("balanced", [False, True])
def test_conditions_of_all_kinds_of_columns(balanced, method):
    model = plain(balanced=balanced, method=method, bins=3).train(mixed())
    names = model.design.names
    assert {"sky=sun", "sky=größer 茶", "sky missing", "ill", "ill missing", "note__free"} <= set(names)
    assert not any(name.startswith("same") for name in names)
    assert set(np.unique(model.design.matrix(mixed()).toarray())) <= {0.0, 1.0}
    assert loads(dumps(model), "x") == model
    assert np.array_equal(loads(dumps(model), "x").distribution(mixed()), model.distribution(mixed()))
    assert model.decide(mixed()).tolist() == [0, 1, 1, 1, 0, 1, 0, 1]


def test_cut_points_print_as_conditions():
    ages = [float(i) for i in range(40)]
    table = Table.of({"age": ages, "old": ["no" if a < 25 else "yes" for a in ages]}, "old")
    learner = plain(balanced=True, method="mdl")
    assert learner.train(table).design.names == ["age <= 24.5", "age > 24.5"]
    model = plain(balanced=True, bins=8).train(table)
    assert model.predict(table).tolist() == ["no" if a < 25 else "yes" for a in ages]
    assert "age <= 24.5" in str(model)
    sums = model.functions(table)[:, 0]
    by_hand = [
        model.intercepts[0]
        + sum(
            slope
            for name, slope in model.coefficients["no"].items()
            if (age <= float(name.split()[2]) if "<=" in name else age > float(name.split()[2]))
        )
        for age in ages
    ]
    assert np.allclose(sums, by_hand)


def test_the_grounds_of_a_condition_are_told():
    model = plain(balanced=True, bins=3).train(mixed())
    for row in range(8):
        one = mixed().take(np.array([row]))
        grounds = model.contributions(model.align(one))
        total = sum(part.scores for part in grounds.parts)
        assert np.allclose(total - total[1], model.functions(one)[0] - model.functions(one)[0][1])


def test_many_classes_are_learned_each_against_all_others():
    levels = ("red", "green", "blue")
    matrix = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    table = table_of(matrix, ["red", "green", "blue"] * 2, levels)
    for balanced in (False, True):
        model = plain(balanced=balanced).train(table)
        assert model.predict(table).tolist() == ["red", "green", "blue"] * 2
        assert model.told.tolist() == [0, 1, 2]


@pytest.mark.parametrize("balanced", [False, True])
def test_exclusive_or_is_never_learned(balanced):
    """M199."""
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    table = table_of(corners, ["no", "yes", "yes", "no"], ("yes", "no"))
    model = plain(balanced=balanced, theta=0.5, passes=1000).train(table)
    assert np.isfinite(model.slopes).all()
    (note,) = model.about.notes
    assert "still misclassified, out of 4, after 1000 passes" in note


@pytest.mark.parametrize("variant", ["averaged", "pocket"])
def test_variants_are_no_worse_on_noisy_rows(variant):
    chance = np.random.default_rng(1)
    matrix = chance.integers(0, 2, (300, 10)).astype(float)
    said = np.where((matrix[:, 0] == 1) ^ (chance.random(300) < 0.1), "yes", "no").tolist()
    table = table_of(matrix, said, ("yes", "no"))
    right = {}
    for one in ("plain", variant):
        model = plain(variant=one, balanced=True).train(table)
        right[one] = (model.predict(table) == said).mean()
    assert right[variant] >= right["plain"]
    assert right[variant] > 0.85


# -- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 1}, "alpha=1 is not allowed: it must be a number above 1"),
        ({"alpha": 0.5}, "above 1"),
        ({"alpha": 1e9}, "at most 1e"),
        ({"theta": 0}, "theta must be above 0"),
        ({"theta": -3.0}, "balanced=True allows any theta"),
        ({"theta": float("nan")}, "theta=nan"),
        ({"start": 0}, "above 0"),
        ({"bits": 8}, "leave out bits"),
        ({"tf": "count"}, "must be one of binary"),
        ({"variant": "avg"}, "one of plain, averaged, pocket"),
    ],
)
def test_parameters_out_of_range(given, message):
    with pytest.raises(hedgerow.UsageError, match=message):
        plain(**given).train(textbook())


def test_a_balanced_rule_takes_a_negative_theta():
    model = plain(balanced=True, theta=-1).train(textbook())
    assert model.intercepts.tolist() == [1]


@pytest.mark.parametrize("balanced", [False, True])
def test_few_rows_no_columns_one_class(balanced):
    for rows in (1, 2):
        model = plain(balanced=balanced).train(mixed().take(np.arange(rows)))
        assert np.isfinite(model.distribution(mixed())).all()
    nothing = Table.of({"class": ["a", "b", "b"]}, "class")
    assert plain(balanced=balanced).train(nothing).predict(nothing).tolist() == ["b", "b", "b"]
    single = Table.of({"x": [0.0, 1.0], "class": ["a", "a"]}, "class")
    assert plain(balanced=balanced).train(single).predict(single).tolist() == ["a", "a"]


def test_infinite_numbers_are_a_sentence():
    with pytest.raises(hedgerow.DataError, match="'x' holds inf"):
        plain().train(Table.of({"x": [np.inf, 1.0, 2.0], "class": ["a", "b", "b"]}, "class"))


def test_hostile_cut_points_are_refused():
    model = plain(bins=3).train(mixed())
    for cuts in (np.array([2.0, 1.0]), np.array([np.nan]), np.array([]), np.array([np.inf])):
        parts = model.to_dict()
        design = [dict(one) if one else one for one in parts["design"]]
        (place,) = [i for i, one in enumerate(design) if one and one["kind"] == "cuts"]
        design[place]["cuts"] = cuts
        with pytest.raises(ModelError):
            LinearClasses.from_dict({**parts, "design": design}, model.schema, model.about)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_model_files_are_refused_or_hold_a_model():
    chance = random.Random(5)
    for model in survivors(plain(bins=3).train(mixed()), chance, 300, texts=0.6, arrays=0.6):
        assert np.isfinite(model.distribution(mixed())).all()
        assert str(model)


# -- going on -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["plain", "averaged"])
def test_batches_go_on_where_the_last_one_ended(variant):
    twin = reference.Winnow(4, 2, 2.0, 2.0)
    learner = plain(theta=2, variant=variant, digits=15)
    for part in (slice(0, 3), slice(3, 6), slice(0, 6)):
        twin.run(ROWS[part], [int(one == "no") for one in FIRST[part]], np.ones(6)[part], 1)
        learner.partial_fit(table_of(ROWS, FIRST, ("yes", "no")).take(np.arange(6)[part]))
    expected = twin.net() if variant == "plain" else twin.average
    names = learner.model_.design.names
    places = [int(name[1]) - 1 for name in names]
    assert np.allclose(learner.model_.slopes, expected[:, places], rtol=1e-9)


def test_new_conditions_and_classes_come_in_batches():
    one = Table.of({"x": [1.0, 2.0, 3.0], "sky": ["sun", "rain", "sun"], "class": ["a", "b", "a"]}, "class")
    two = Table.of({"x": [5.0, None, 7.0], "sky": ["snow", "fog", None], "class": ["c", "c", "b"]}, "class")
    for variant in ("plain", "averaged"):
        learner = plain(balanced=True, variant=variant)
        for _ in range(30):
            learner.partial_fit(one).partial_fit(two)
        assert {"sky=snow", "sky missing", "x missing"} <= set(learner.model_.design.names)
        assert learner.predict(one).tolist() == ["a", "b", "a"]
        assert learner.predict(two).tolist() == ["c", "c", "b"]


def test_texts_in_batches():
    learner = plain(balanced=True)
    for texts, labels in ((["good day", "bad day"], ["p", "n"]), (["fine", "awful"], ["p", "n"])) * 5:
        learner.partial_fit(texts, labels)
    assert learner.predict(["good", "awful", "fine"]).tolist() == ["p", "n", "p"]


@pytest.mark.parametrize(
    "learner",
    [
        plain(balanced=True),
        plain(variant="averaged", shuffle=False),
        plain(variant="pocket", balanced=True),
        Perceptron(variant="averaged"),
        Perceptron(variant="pocket", passes=20),
        Perceptron(standardize=True),
    ],
    ids=repr,
)
def test_variants_keep_the_laws(learner):
    check_learner(learner)
