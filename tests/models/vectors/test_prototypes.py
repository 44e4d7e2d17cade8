"""Files of prototypes: they load unchanged, and inconsistent content gives an error message."""

import random

import numpy as np
import pytest

from hedgerow import Rocchio
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.errors import ModelError
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.vectors.columns import NumberColumn
from hedgerow.models.vectors.prototypes import Prototypes
from tests.models.files.test_fuzz import survivors

SCHEMA = Schema(
    (
        Column("text", Kind.TEXT),
        Column("size", Kind.NUMERIC),
        Column("place", Kind.NOMINAL, ("a", "b")),
        Column("about", Kind.NOMINAL, ("x", "y")),
    ),
    "about",
)
TABLE = Table(
    SCHEMA,
    (
        Text.of(["goal team", "goal ice", "moon sky", "moon", None]),
        np.array([1.0, 2.0, np.nan, 4.0, 5.0]),
        np.array([0, 0, 1, -1, 1], dtype=np.int32),
        np.array([0, 0, 1, 1, 1], dtype=np.int32),
    ),
    5,
)


def parts_of(**settings):
    return Rocchio(**settings).train(TABLE).to_dict()


def rebuilt(parts, schema=SCHEMA):
    return Prototypes.from_dict(parts, schema, About())


@pytest.mark.parametrize("settings", [{}, {"prototypes": 2}, {"bits": 4}, {"gamma": 0.5, "bits": 4}], ids=str)
def test_parts_come_back(settings):
    model = Rocchio(**settings).train(TABLE)
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    assert np.array_equal(again.distribution(TABLE), model.distribution(TABLE))
    assert again.size == model.size


@pytest.mark.parametrize(
    ("part", "wrong", "told"),
    [
        ("prior", np.zeros(2), "a weight above 0"),
        ("prior", np.array([1.0, -1.0]), "negative"),
        ("prior", np.array([1.0]), "'prior'"),
        ("prior", np.array([1e308, 1e308]), "a weight above 0"),
        ("columns", None, "one entry per column"),
        ("columns", [None] * 3, "one entry per column"),
        ("columns", [None] * 4, "'ids'"),
        ("owners", np.array([1, 0], dtype=np.int32), "order of the classes"),
        ("owners", np.array([0, 2], dtype=np.int32), "'owners'"),
        ("owners", np.array([0], dtype=np.int32), "'sizes'"),
        ("sizes", np.array([1.0, np.nan]), "'sizes'"),
        ("starts", np.array([0, 1], dtype=np.int32), "'starts'"),
        ("starts", np.array([0, 0, 9], dtype=np.int32), "'starts'"),
        ("ids", np.zeros(9, dtype=np.int32), "'ids'|ascend"),
        ("weights", np.full(3, np.inf), "not finite"),
        ("weights", np.zeros(2), "'starts'"),
        ("more", 1, "its parts are"),
    ],
)
def test_wrong_parts_are_refused(part, wrong, told):
    parts = parts_of()
    assert rebuilt(parts).size == 2
    parts[part] = wrong
    with pytest.raises(ModelError, match=told):
        rebuilt(parts)


def test_prototypes_must_be_of_length_1_and_ascend():
    parts = parts_of()
    parts["weights"] = parts["weights"] * 1.01
    with pytest.raises(ModelError, match="length 1"):
        rebuilt(parts)
    parts = parts_of()
    parts["ids"] = parts["ids"].copy()
    parts["ids"][:2] = parts["ids"][1]
    with pytest.raises(ModelError, match="ascend"):
        rebuilt(parts)
    parts = parts_of()
    parts["ids"] = parts["ids"].copy()
    parts["ids"][-1] = 8  # terms 5, size 1, levels 2
    with pytest.raises(ModelError, match="outside 0 to 7"):
        rebuilt(parts)


@pytest.mark.parametrize(
    ("position", "wrong", "told"),
    [
        (0, 3, "an unknown kind"),
        (0, {}, "an unknown kind"),
        (0, {"kind": []}, "an unknown kind"),
        (0, {"kind": "words"}, "its parts are"),
        (0, {"kind": "levels", "counts": np.ones(2)}, "cannot be 'levels'"),
        (1, {"kind": "number", "mean": 1.0, "deviation": 0.0, "weight": 1.0}, "above zero"),
        (1, {"kind": "number", "mean": np.nan, "deviation": 1.0, "weight": 1.0}, "finite mean"),
        (1, {"kind": "number", "mean": True, "deviation": 1.0, "weight": 1.0}, "must be numbers"),
        (1, {"kind": "number", "mean": "1", "deviation": 1.0, "weight": 1.0}, "must be numbers"),
        (2, {"kind": "levels", "counts": np.ones(3), "weight": 1.0}, "'counts'"),
        (2, {"kind": "levels", "counts": -np.ones(2), "weight": 1.0}, "negative"),
        (2, {"kind": "levels", "counts": np.ones(2), "weight": 0.0}, "above 0 and at most 1"),
        (1, {"kind": "number", "mean": 0.0, "deviation": 1.0, "weight": np.nan}, "above 0 and at most 1"),
        (3, {"kind": "levels", "counts": np.ones(2)}, "cannot be 'levels'"),
    ],
)
def test_wrong_columns_are_refused(position, wrong, told):
    parts = parts_of()
    parts["columns"][position] = wrong
    with pytest.raises(ModelError, match=told):
        rebuilt(parts)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_files_are_refused_in_a_sentence_or_hold_a_model():
    chance = random.Random(5)
    loaded = 0
    for model in survivors(Rocchio(prototypes=2).train(TABLE), chance, 500, texts=0.7, arrays=0.5):
        loaded += 1
        if model.schema == SCHEMA:
            said = model.distribution(TABLE)
            assert np.isfinite(said).all()
            assert np.allclose(said.sum(axis=1), 1)
        str(model)
    assert loaded > 10


def numbers(owners, vectors):
    """Return prototypes over two numeric columns of mean 0 and deviation 1."""
    schema = Schema(
        (Column("u", Kind.NUMERIC), Column("v", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("p", "q", "r"))), "c"
    )
    vectors = np.asarray(vectors, dtype=np.float64)
    n = len(vectors)
    flat = TermVectors(np.arange(n + 1) * 2, np.tile([0, 1], n).astype(np.int32), vectors.ravel(), 2)
    column = NumberColumn(0.0, 1.0)
    return Prototypes(
        schema, np.array([1.0, 2.0, 1.0]), (column, column, None), np.array(owners, np.int32), np.ones(n), flat
    )


def test_where_no_cosine_is_positive_the_least_far_class_is_decided():
    model = numbers([0, 1], [[0.6, 0.8], [0.8, 0.6]])
    asked = Table.of({"u": [-1.0, 1.0, 0.0, -0.6], "v": [-3.0, 0.0, 0.0, -0.8]})
    cosines = model.cosines(asked)
    assert np.isnan(cosines[:, 2]).all()
    assert (cosines[0, :2] < 0).all()
    said = model.score_rows(model.align(asked))
    assert said.distribution[0] == pytest.approx([*(1 + cosines[0, :2]) / (1 + cosines[0, :2]).sum(), 0.0])
    assert said.distribution[1] == pytest.approx([0.6 / 1.4, 0.8 / 1.4, 0.0])
    assert said.is_unknown.tolist() == [False, False, True, False]
    assert said.distribution[2].tolist() == [0.25, 0.5, 0.25]
    assert model.decide(asked).tolist() == [1, 1, 1, 1]
    grounds = model.contributions(model.align(asked.slice(0, 1)))
    assert np.allclose(grounds.scores, [*cosines[0, :2], 0.0])


def test_a_row_that_points_exactly_away_leaves_the_decision_to_the_prior():
    model = numbers([0], [[0.6, 0.8]])
    said = model.score_rows(model.align(Table.of({"u": [-0.6], "v": [-0.8]})))
    assert np.isfinite(said.distribution).all()
    assert said.distribution.sum() == pytest.approx(1)


def test_no_rows_have_no_distribution():
    said = Rocchio(prototypes=2).train(TABLE).score_rows(TABLE.slice(0, 0))
    assert said.distribution.shape == (0, 2)
    assert said.is_unknown.shape == (0,)
