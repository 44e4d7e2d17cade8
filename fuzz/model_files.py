"""Every kind of model file with hostile values and a right checksum: a sentence, or a model that is sound."""

from __future__ import annotations

import hashlib
import io
import json
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
from hedgerow.data.schema import Kind
from hedgerow.data.table import Table
from hedgerow.learn.registry import HOMES, learner_class
from hedgerow.models.files import dumps, loads
from hedgerow.models.model import ClassModel, NumberModel

MEMBER = "manifest.json"


def targets() -> Iterator[Target]:
    """Yield a target for the models of every learner, and with texts of those that take them."""
    for name in HOMES:
        learner = learner_class(name)
        kinds = learner().kinds_taken()
        sorts = ["mixed", *(["texts"] if Kind.TEXT in kinds else []), *(["bags"] if Kind.BAG in kinds else [])]
        for sort in sorts:

            def make(random: Random, name: str = name, sort: str = sort) -> Any:
                return _changed_file(random, name, sort)

            yield Target("models", f"{learner.name}_{sort}", make, check)


def check(case: Any) -> None:
    """Raise unless a damaged file is refused in a sentence, or its model prints, predicts and can be saved."""
    table = _table(case["learner"], case["sort"])
    model = loads(case["file"].encode("latin-1"), "m.hedge")
    text = str(model)
    assert str(loads(dumps(model), "a copy")) == text, "a saved model prints differently"
    said = answers(model, table)
    if isinstance(model, ClassModel):
        check_distribution(said, case["learner"])
    if isinstance(model, NumberModel):
        assert not np.isnan(said).any(), "a prediction is NaN"


def resealed(members: dict[str, bytes]) -> bytes:
    """Return a model file of these members with a right checksum."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        archive.comment = b"0" * 64
    data = buffer.getvalue()
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def members_of(data: bytes) -> dict[str, bytes]:
    """Return the members of a model file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def changed_members(random: Random, members: dict[str, bytes], manifest: str = MEMBER) -> dict[str, bytes]:
    """Return the members with some values of the manifest, or of an array, replaced by odd ones."""
    members = dict(members)
    arrays = [name for name in members if name != manifest]
    if arrays and random.random() < 0.5:
        name = random.choice(arrays)
        members[name] = _changed_array(random, members[name])
    if not arrays or random.random() < 0.7:
        values = changed_json(random, json.loads(members[manifest]), random.choice((1, 1, 2)))
        members[manifest] = json.dumps(values).encode()
    return members


def _changed_array(random: Random, content: bytes) -> bytes:
    """Return a .npy file with some entries replaced."""
    size = 10 + int.from_bytes(content[8:10], "little")
    header, body = content[:size], bytearray(content[size:])
    kind = np.dtype(header.split(b"'descr': '")[1].split(b"'")[0].decode())
    if not body:
        return content
    values = np.frombuffer(bytes(body), dtype=kind).copy()
    for _ in range(random.choice((1, 1, 3))):
        place = random.randrange(len(values))
        if kind.kind == "f":
            values[place] = random.choice((*NUMBERS, np.nan, np.inf, -np.inf))
        elif kind.kind == "b":
            values[place] = not values[place]
        else:
            info = np.iinfo(kind)
            values[place] = random.choice((0, 1, 2, info.max, info.min, int(values[place]) ^ 1, len(values) % 100))
    return header + values.tobytes()


def _changed_file(random: Random, name: str, sort: str) -> Any:
    data = resealed(changed_members(random, members_of(_saved(name, sort))))
    return {"learner": name, "sort": sort, "file": data.decode("latin-1")}


@cache
def _saved(name: str, sort: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = _table(name, sort)
        learner = learner_class(name)
        settings = {"k": 3} if name in ("KMeans", "BisectingKMeans", "Agglomerative") else {}
        return dumps(learner(**settings).train(table))


@cache
def _table(name: str, sort: str) -> Table:
    learner = learner_class(name)()
    classes = learner.target_is_classes is None and learner.is_transformer
    table = example(learner_class("NaiveBayes")() if classes else learner, rows=30)
    if sort == "texts":
        return with_texts(table)
    return with_bags(table) if sort == "bags" or name in ("BagSummary", "BagVote") else table
