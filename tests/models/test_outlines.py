"""Outlines: the most important part of any printed model, in a given number of lines."""

import numpy as np
import pytest

from hedgerow import Table, examples, learners

LINES = (6, 10, 25, 40)


def table(rows=600, classes=2, seed=0):
    random = np.random.default_rng(seed)
    columns = {f"x{i}": random.normal(size=rows) for i in range(6)}
    columns |= {f"n{i}": random.choice(list("abcdefgh"), rows).tolist() for i in range(4)}
    score = columns["x0"] + 0.5 * columns["x3"] + 0.3 * random.normal(size=rows)
    codes = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    return Table.of({**columns, "y": [f"c{code}" for code in codes]}, "y")


@pytest.mark.parametrize("name", ["c45", "cart", "naive_bayes", "logistic", "ripper", "one_r", "cba", "random_forest"])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_an_outline_has_at_most_so_many_lines(name, classes):
    data = table(classes=classes)
    data = data.select([*data.schema.names[6:]]).with_target("y") if name == "cba" else data
    learner = learners()[name].learner()
    model = learner.set_params(prune="none").train(data) if name == "c45" else learner.train(data)
    whole = str(model)
    for most in LINES:
        outline = model.outline(most)
        assert outline.count("\n") < max(most, 12)
        if whole.count("\n") < most and "logistic" not in name:
            assert outline == whole
    assert model.outline(10_000).split("\n")[0] == whole.split("\n", 1)[0]


@pytest.mark.parametrize("name", ["cart_regressor", "linear_regression", "mean"])
def test_outlines_of_models_of_numbers(name):
    random = np.random.default_rng(1)
    columns = {f"x{i}": random.normal(size=500) for i in range(60)}
    data = Table.of({**columns, "y": columns["x7"] * 3 + columns["x9"] + random.normal(size=500)}, "y")
    model = learners()[name].learner().train(data)
    for most in (12, 40):
        assert model.outline(most).count("\n") < most
    if name == "linear_regression":
        assert "x7 " in model.outline(12)


def test_the_columns_that_tell_most_are_kept():
    outline = learners()["naive_bayes"].learner().train(table()).outline(15)
    assert "\nx0 " in outline
    assert outline.split("\n")[-1].endswith("more columns, which tell less of the class")


def test_a_small_model_is_its_own_outline():
    model = learners()["c45"].learner().train(examples.loan())
    assert model.outline(40) == str(model)
