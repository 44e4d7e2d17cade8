"""Files of local regression: they load unchanged, and manipulated files give an error message."""

import copy
import random

import numpy as np
import pytest

import hedgerow
from hedgerow import LocallyWeighted, LocallyWeightedClassifier, ModelError
from hedgerow.checks import example
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps
from hedgerow.models.neighbors.local_regression import LocalClasses, LocalNumbers
from tests.models.files.test_fuzz import survivors

TABLE = example(LocallyWeighted())
MODEL = LocallyWeighted(n_neighbors=30).train(TABLE.with_weights(np.linspace(0.5, 2, TABLE.n_rows)))
CLASS_TABLE = example(LocallyWeightedClassifier())
CLASSES = LocallyWeightedClassifier().train(CLASS_TABLE)


def changed(name=None, value=None, **whole):
    parts = copy.deepcopy(MODEL.to_dict())
    if name is not None:
        parts["rows"][name] = value
    return LocalNumbers.from_dict(parts | whole, MODEL.schema, About())


def how(**values):
    return changed("how", MODEL.to_dict()["rows"]["how"] | values)


def tried(**values):
    return changed(tried=MODEL.tried.to_dict() | values)


def column(at, **values):
    listed = MODEL.to_dict()["rows"]["columns"]
    listed[at] = listed[at] | values
    return changed("columns", listed)


def test_a_saved_model_is_the_same(tmp_path):
    for model, table in ((MODEL, TABLE), (CLASSES, CLASS_TABLE)):
        model.save(tmp_path / "m.hedge")
        again = hedgerow.load(tmp_path / "m.hedge")
        assert again == model
        assert str(again) == str(model)
        assert np.array_equal(again.predict(table), model.predict(table))
        assert np.array_equal(again.neighbors(table).weights, model.neighbors(table).weights)
    assert changed() == MODEL
    assert LocalClasses.from_dict(CLASSES.to_dict(), CLASSES.schema, About()) == CLASSES


def test_a_file_is_about_as_large_as_its_rows():
    random_ = np.random.default_rng(1)
    table = hedgerow.Table.of({"a": random_.normal(size=5000), "y": random_.normal(size=5000)}, "y")
    assert len(dumps(LocallyWeighted(n_neighbors=50, bandwidth=1).train(table))) < 5000 * 2 * 8 + 10_000


N = TABLE.n_rows


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda: changed(targets=np.empty(0)), "no rows"),
        (lambda: changed(targets=np.zeros(3)), "as many rows"),
        (lambda: changed(targets=np.full(N, np.nan)), "not finite"),
        (lambda: changed(targets=np.full(N, 1e200)), "too large"),
        (lambda: changed(targets=[1.0]), "not an array"),
        (lambda: changed(rows=None), "named values"),
        (lambda: changed(tried=3), "named values"),
        (
            lambda: changed(tried={"values": np.ones(2), "errors": np.ones(3), "wrong": np.empty(0), "rows": 1.0}),
            "does not match",
        ),
        (
            lambda: changed(tried={"values": np.ones(1), "errors": np.ones(1), "wrong": np.empty(0), "rows": None}),
            "out of",
        ),
        (lambda: changed("weights", np.zeros(N)), "positive weight"),
        (lambda: changed("weights", np.ones(2)), "positive weight"),
        (lambda: changed("weights", np.full(N, 1e300)), "positive weight"),
        (lambda: changed("columns", []), "one entry per column"),
        (lambda: changed("columns", [None] * len(MODEL.schema)), "must be stored"),
        (lambda: changed("design", [None] * len(MODEL.schema)), "must be stored"),
        (lambda: column(1, values=np.full(N, np.inf)), "too large"),
        (lambda: column(1, values=np.full(N, np.nan)), "not a number"),
        (lambda: column(1, values=np.ones(3)), "as many rows"),
        (lambda: column(0, codes=np.full(N, 99, np.int32)), "an unknown level"),
        (lambda: column(0, kind="numbers"), "has no numbers"),
        (lambda: column(0, kind="texts"), "has no texts"),
        (lambda: how(weight="cubic"), "unknown weight"),
        (lambda: how(weight=[]), "unknown weight"),
        (lambda: how(scale=None), "unknown weight or scale"),
        (lambda: how(neighbors=0), "at least 1"),
        (lambda: how(neighbors=True), "at least 1"),
        (lambda: how(neighbors=10**30), "at least 1"),
        (lambda: how(bandwidth=0.0), "out of range"),
        (lambda: how(bandwidth=-1), "out of range"),
        (lambda: how(bandwidth=float("nan")), "finite"),
        (lambda: how(degree=2), "out of range"),
        (lambda: how(degree=True), "out of range"),
        (lambda: how(ridge=-1.0), "out of range"),
        (lambda: how(more=1), "its parts are"),
    ],
)
def test_what_does_not_fit_is_refused(change, sentence):
    with pytest.raises(ModelError, match=sentence):
        change()


def test_numbers_and_classes_are_not_mixed_up():
    with pytest.raises(ModelError, match="numeric target"):
        LocalNumbers.from_dict(MODEL.to_dict(), CLASSES.schema, About())
    with pytest.raises(ModelError, match="nominal target"):
        LocalClasses.from_dict(CLASSES.to_dict(), MODEL.schema, About())
    parts = CLASSES.to_dict() | {"labels": np.full(N, 3, np.int32)}
    with pytest.raises(ModelError, match="outside"):
        LocalClasses.from_dict(parts, CLASSES.schema, About())


@pytest.mark.parametrize(("model", "table"), [(MODEL, TABLE), (CLASSES, CLASS_TABLE)], ids=["numbers", "classes"])
@pytest.mark.filterwarnings("ignore")
def test_changed_files_are_refused_or_predict(model, table):
    alive = 0
    for survivor in survivors(model, random.Random(4), 400, texts=0.7, arrays=0.5):
        alive += 1
        assert str(survivor)
        if survivor.schema == model.schema:
            assert len(survivor.predict(table)) == table.n_rows
    assert 0 < alive < 300
