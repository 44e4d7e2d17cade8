"""Files of nearest-neighbor models: inconsistent content gives an error message."""

import copy
import random

import numpy as np
import pytest

from hedgerow import KNN, Column, Kind, Table
from hedgerow.data.table.table import Text
from hedgerow.errors import HedgerowError, ModelError
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.neighbors.neighbors import Neighbors
from tests.models.files.test_fuzz import survivors

TABLE = Table.of(
    {"x": [0.0, 2.0, None, 1.0], "s": ["u", "v", "u", None], "class": ["a", "b", "b", "a"]},
    "class",
    weights=[1.0, 2.0, 0.5, 1.0],
).with_column(Column("text", Kind.TEXT), Text.of(["free money", "money", None, "see you"]))
MODEL = KNN(n_neighbors=2, idf="none").train(TABLE)
X, S, CLASS, TEXT = range(4)


def rebuilt(parts, schema=TABLE.schema):
    return Neighbors.from_dict(parts, schema, About())


@pytest.mark.parametrize(
    "settings", [{}, {"bits": 4}, {"weights": "distance", "unit": "char", "ngram_max": 3}], ids=str
)
@pytest.mark.parametrize("weighted", [True, False])
def test_parts_come_back(settings, weighted):
    table = TABLE if weighted else Table(TABLE.schema, TABLE.data, TABLE.n_rows)
    model = KNN(**settings).train(table)
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    assert (again.size, again.columns_used()) == (4, ("x", "s", "text"))
    assert np.array_equal(again.distribution(TABLE), model.distribution(TABLE))


@pytest.mark.parametrize(
    ("part", "wrong", "told"),
    [
        ("k", 0, "'k'"),
        ("k", True, "'k'"),
        ("k", 2.0, "'k'"),
        ("k", 1 << 60, "'k'"),
        ("votes", "loud", "one of plain"),
        ("votes", None, "one of plain"),
        ("labels", np.array([0, 1, 2, 0], np.int32), "outside 0 to 1"),
        ("labels", np.array([0, 1, -1, 0], np.int32), "outside 0 to 1"),
        ("labels", np.zeros(0, np.int32), "no rows"),
        ("labels", np.zeros(3, np.int32), "one positive weight per row"),
        ("labels", np.zeros(4), "'labels'"),
        ("weights", np.ones(3), "one positive weight per row"),
        ("weights", np.array([1.0, 0.0, 1.0, 1.0]), "one positive weight per row"),
        ("weights", np.array([1.0, np.nan, 1.0, 1.0]), "not finite"),
        ("columns", None, "one entry per column"),
        ("columns", [None] * 3, "one entry per column"),
    ],
)
def test_wrong_parts_are_refused(part, wrong, told):
    with pytest.raises(ModelError, match=told):
        rebuilt(MODEL.to_dict() | {part: wrong})


@pytest.mark.parametrize(
    ("column", "part", "wrong", "told"),
    [
        (X, "values", np.zeros(3), "as many rows"),
        (X, "values", np.zeros((4, 1)), "'values'"),
        (X, "values", np.zeros(4, np.int32), "'values'"),
        (X, "kind", "levels", "has no levels"),
        (X, "kind", ["numbers"], "unknown kind"),
        (S, "codes", np.array([0, 1, 2, 0], np.int32), "unknown level"),
        (S, "codes", np.array([0, 1, -2, 0], np.int32), "unknown level"),
        (TEXT, "starts", np.array([0, 2, 3, 3], np.int64), "from the first to the last"),
        (TEXT, "starts", np.array([0, 3, 2, 3, 5], np.int64), "from the first to the last"),
        (TEXT, "starts", np.array([1, 2, 3, 3, 5], np.int64), "from the first to the last"),
        (TEXT, "starts", np.array([0, 2, 3, 5], np.int64), "as many rows"),
        (TEXT, "ids", np.array([0, 1, 99, 2, 3], np.int32), "unknown term"),
        (TEXT, "ids", np.array([0, 1, -1, 2, 3], np.int32), "unknown term"),
        (TEXT, "ids", np.array([1, 0, 1, 2, 3], np.int32), "are not in ascending order"),
        (TEXT, "ids", np.array([0, 0, 1, 2, 3], np.int32), "are not in ascending order"),
        (TEXT, "values", np.array([0.1, 0.1, 3.0, 0.1, 0.1]), "longer than 1"),
        (TEXT, "values", np.array([0.1, 0.1, 1e300, 0.1, 0.1]), "longer than 1"),
        (TEXT, "values", np.array([0.1, 0.1, np.inf, 0.1, 0.1]), "not finite"),
        (TEXT, "values", np.zeros(4), "'ids'"),
        (TEXT, "space", None, "named values"),
    ],
)
def test_wrong_columns_are_refused(column, part, wrong, told):
    parts = copy.deepcopy(MODEL.to_dict())
    assert part in parts["columns"][column]
    parts["columns"][column][part] = wrong
    with pytest.raises(ModelError, match=told):
        rebuilt(parts)


def test_texts_must_be_of_length_1():
    parts = copy.deepcopy(MODEL.to_dict())
    parts["columns"][TEXT]["space"]["weighting"] = ["log", "none", "l1"]
    with pytest.raises(ModelError, match=r"length 1 \(l2\)"):
        rebuilt(parts)


def test_the_target_is_not_compared():
    parts = copy.deepcopy(MODEL.to_dict())
    parts["columns"][CLASS] = {"kind": "levels", "codes": np.zeros(4, np.int32)}
    with pytest.raises(ModelError, match="the target, which is not used for distances"):
        rebuilt(parts)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_files_are_refused_or_predict():
    """Files changed at random with a correct checksum: an error message, or a model that predicts and can be saved."""
    chance = random.Random(5)
    loaded = 0
    for model in survivors(MODEL, chance, 700, texts=0.5, arrays=0.8):
        loaded += 1
        if isinstance(model, Neighbors) and model.schema.names == TABLE.schema.names:
            try:
                aligned = model.align(TABLE)
            except HedgerowError:
                continue  # the schema was changed, so that the data do not fit it
            said = model.scores(aligned)
            assert np.allclose(said.sum(axis=1), 1)
            model.decide_rows(aligned)
            model.contributions(aligned.slice(0, 1))
    assert loaded > 25
