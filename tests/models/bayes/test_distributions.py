"""The parts of a naive Bayes model: any file content gives a valid model or an error message."""

import copy

import numpy as np
import pytest

from hedgerow import Discretize, Mean, ModelError, NaiveBayes, examples
from hedgerow.checks import example
from hedgerow.models.files import model_file
from hedgerow.models.files.model_file import dumps, loads

MODELS = {
    "normal": NaiveBayes().train(example(NaiveBayes())),
    "kernel": NaiveBayes(density="kernel").train(example(NaiveBayes())),
    "bins": NaiveBayes(density="bins", discretizer="width", bins=3).train(example(NaiveBayes())),
    "mean": Mean().train(example(Mean())),
    "cuts": Discretize().train(examples.weather()),
}


def spots(parts, path=()):
    """Yield the place of every value in nested parts."""
    yield path
    if isinstance(parts, dict | list):
        for key in parts if isinstance(parts, dict) else range(len(parts)):
            yield from spots(parts[key], (*path, key))


def with_value(parts, path, change):
    if not path:
        return change(parts)
    out = copy.copy(parts)
    out[path[0]] = with_value(parts[path[0]], path[1:], change)
    return out


def broken(value):
    """Return other values that could replace a value."""
    yield from (None, "x", -1, 3.5, [], {}, [2**40], True)
    if isinstance(value, np.ndarray):
        yield from (
            value[:-1],
            value[..., None],
            value.astype(np.float32),
            np.full_like(value, np.nan),
            -value - 1,
            value * 0,
        )
    if isinstance(value, dict):
        yield {**value, "more": 1}
        yield dict(list(value.items())[1:])
    if isinstance(value, list):
        yield from (value[:-1], [*value, None])


@pytest.mark.parametrize("name", MODELS)
def test_broken_parts_give_a_sentence_or_a_working_model(name):
    model = MODELS[name]
    parts, table = model.to_dict(), example(NaiveBayes())
    refused = 0
    for path in spots(parts):
        value = parts
        for key in path:
            value = value[key]
        for other in broken(value):
            try:
                made = type(model).from_dict(with_value(parts, path, lambda _, o=other: o), model.schema, model.about)
            except ModelError:
                refused += 1
                continue
            str(made)
            if name not in ("mean", "cuts"):
                assert np.allclose(made.distribution(table).sum(axis=1), 1)
    assert refused > 8


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_equal(name):
    model = MODELS[name]
    again = loads(dumps(model), "a copy")
    assert again == model
    assert str(again) == str(model)
    assert hash(again) == hash(model)


def test_different_models_differ():
    assert MODELS["normal"] != MODELS["kernel"]
    assert NaiveBayes(alpha=1).train(examples.loan()) != NaiveBayes(alpha=2).train(examples.loan())


def wide_model(columns: int):
    X = np.random.default_rng(0).normal(size=(6, columns))
    return NaiveBayes().fit(X, [0, 1] * 3).model_


def test_a_wide_model_is_a_few_arrays():
    model = wide_model(30_000)
    assert loads(dumps(model), "wide") == model


def test_a_wide_model_keeps_each_description_of_a_factor_once():
    model = wide_model(2_000)
    heads = model.to_dict()["factors"]
    assert [head and head["kind"] for head in heads["different"]] == ["normal", None]
    assert heads["which"].tolist() == [0] * 2_000 + [1]


def test_a_wide_model_of_one_description_per_column_still_loads():
    model = wide_model(1_500)
    parts = model.to_dict()
    heads = parts["factors"]
    parts["factors"] = [heads["different"][i] for i in heads["which"].tolist()]
    assert type(model).from_dict(parts, model.schema, model.about) == model


@pytest.mark.parametrize(
    "change",
    [
        lambda heads: {**heads, "which": heads["which"] + 1},
        lambda heads: {**heads, "which": heads["which"][:-2]},
        lambda heads: {**heads, "which": heads["which"].astype(float)},
        lambda heads: {**heads, "different": heads["different"][:1]},
        lambda heads: {**heads, "different": {}},
        lambda heads: {**heads, "different": [3, *heads["different"][1:]]},
        lambda heads: {**heads, "more": []},
        lambda heads: heads["different"],
        lambda heads: heads["which"],
    ],
)
def test_broken_descriptions_of_a_wide_model_are_refused(change):
    model = wide_model(1_500)
    parts = model.to_dict()
    with pytest.raises(ModelError):
        type(model).from_dict({**parts, "factors": change(parts["factors"])}, model.schema, model.about)


def test_what_could_not_be_loaded_again_is_not_saved(monkeypatch):
    monkeypatch.setattr(model_file, "MOST_BRACKETS", 3_000)
    assert loads(dumps(wide_model(1_500)), "wide")
    with pytest.raises(ModelError, match="too large to save: its 3,001 columns"):
        dumps(wide_model(3_000))
