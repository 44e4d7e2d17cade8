"""Every kind of model file with changed values and a correct checksum: an error message, or a valid model."""

from __future__ import annotations

import io
import json
import math
import warnings
import zipfile
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np

from fuzz.learners import answers, check_distribution
from fuzz.odd import NUMBERS, changed_json
from fuzz.target import Target
from hedgerow.checks import example, with_bags, with_texts
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.registry import HOMES, learner_class
from hedgerow.models.base.model import ClassModel, NumberModel
from hedgerow.models.files.archive import seal
from hedgerow.models.files.model_file import dumps, loads


def targets() -> Iterator[Target]:
    """Yield a target for the models of every learner, also with texts where the learner supports them."""
    for name in HOMES:
        learner = learner_class(name)
        kinds = learner().accepted_kinds()
        sorts = ["mixed", *(["texts"] if Kind.TEXT in kinds else []), *(["bags"] if Kind.BAG in kinds else [])]
        for sort in sorts:

            def make(random: Random, name: str = name, sort: str = sort) -> Any:
                return {"learner": name, "sort": sort, **changed_parts(random, unpacked(_saved(name, sort)))}

            yield Target("models", f"{learner.name}_{sort}", make, check)


def check(case: Any) -> None:
    """Raise unless a damaged file gives an error message, or its model prints, predicts and can be saved."""
    table = _table(case["learner"], case["sort"])
    model = loads(packed(case), "m.hedge")
    text = str(model)
    assert str(loads(dumps(model), "a copy")) == text, "a saved model prints differently"
    said = answers(model, table)
    if isinstance(model, ClassModel):
        check_distribution(said, case["learner"])
    if isinstance(model, NumberModel):
        assert not np.isnan(said).any(), "a prediction is NaN"


def unpacked(data: bytes) -> dict[str, Any]:
    """Return a model file as JSON values: its manifest, and the type, shape and values of its arrays."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        manifest, *arrays = [archive.read(info) for info in archive.infolist()]
    loaded = [np.load(io.BytesIO(array)) for array in arrays]
    listed = [[array.dtype.name, list(array.shape), [_written(v) for v in array.ravel().tolist()]] for array in loaded]
    return {"manifest": json.loads(manifest), "arrays": listed}


def _written(value: float) -> float | str:
    """Return an array entry as a JSON value, with strings for NaN and infinity."""
    return value if math.isfinite(value) else str(value)


def packed(parts: dict[str, Any]) -> bytes:
    """Return the model file of a manifest and arrays, with a correct checksum."""
    arrays = [np.array([float(v) if kind == "float64" else v for v in values], dtype=kind).reshape(shape)
              for kind, shape, values in parts["arrays"]]  # fmt: skip
    return seal(json.dumps(parts["manifest"]).encode(), arrays)


def changed_parts(random: Random, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a file with some values of the manifest, or of an array, replaced by unusual ones."""
    arrays = [[kind, shape, list(values)] for kind, shape, values in parts["arrays"]]
    filled = [array for array in arrays if array[2]]
    if filled and random.random() < 0.6:
        for _ in range(random.choice((1, 1, 3))):
            kind, _, values = random.choice(filled)
            values[random.randrange(len(values))] = _odd_entry(random, kind, len(values))
    manifest = parts["manifest"]
    if not filled or random.random() < 0.7:
        manifest = changed_json(random, manifest, random.choice((1, 1, 2)))
    return {"manifest": manifest, "arrays": arrays}


def _odd_entry(random: Random, kind: str, size: int) -> Any:
    if kind == "float64":
        return random.choice((*NUMBERS, "nan", "inf", "-inf"))
    if kind == "bool":
        return random.choice((True, False))
    limits = np.iinfo(kind)
    return random.choice((0, 1, 2, int(limits.max), int(limits.min), size % 100))


@cache
def _saved(name: str, sort: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = _table(name, sort)
        learner = learner_class(name)
        settings = {"n_clusters": 3} if name in ("KMeans", "BisectingKMeans", "Agglomerative") else {}
        return dumps(learner(**settings).train(table))


@cache
def _table(name: str, sort: str) -> Table:
    learner = learner_class(name)()
    classes = learner.target_is_classes is None and learner.is_transformer
    table = example(learner_class("NaiveBayes")() if classes else learner, rows=30)
    if sort == "texts":
        return with_texts(table)
    return with_bags(table) if sort == "bags" or name in ("BagSummary", "BagVote") else table
