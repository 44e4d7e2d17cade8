"""Thousands of mutated model files: each gives an error message, or contains a model that saves and loads."""

import json
import random

import pytest

from hedgerow.data.table.schema import Kind
from hedgerow.errors import ModelError
from hedgerow.models.files.model_file import dumps, loads
from tests.models.files.hostile import members, packed, resealed
from tests.models.rules.rule_lists import WEATHER, weather_rules

MODEL = weather_rules()
FILE = dumps(MODEL)
ODD = [None, True, False, 0, -1, 1, 2, 3, 5, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", "a0", "a1", "nan",
       "rules", "nominal", "numeric", "bag", "float64", "object", "\ud800", "x" * 1000,
       [], {}, [[]], [0] * 50, {"array": "a0"}, {"number": "nan"}]  # fmt: skip


def outcome(data):
    """Return the model, or None if the file was refused as it should be."""
    try:
        model = loads(data, "m.hedge")
    except ModelError as error:
        message = str(error)
        if not message.startswith("m.hedge ") or "\n" in message:
            raise AssertionError(f"not a sentence that names the file: {message!r}") from error
        return None
    return model


def survives(data):
    """A changed file that loads must hold a model like any other."""
    model = outcome(data)
    if model is None:
        return False
    assert loads(dumps(model)) == model
    assert type(model).parse(str(model), model.schema) == model
    if all(c.kind is not Kind.BAG for c in model.schema.columns) and model.schema.names == WEATHER.schema.names:
        model.scores(model.align(WEATHER.slice(0, 0)))
    return True


def bit_flip(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def truncation(data, chance):
    return data[: chance.randrange(len(data))]


def splice(data, chance):
    a, b, c = (chance.randrange(len(data)) for _ in range(3))
    return data[:a] + data[b : b + chance.randrange(1, 60)] + data[c:]


def noise(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at + 4 :]


MUTATIONS = (bit_flip, truncation, splice, noise)


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_no_damage_goes_unnoticed(mutation):
    chance = random.Random(1)
    for _ in range(2000):
        data = mutation(FILE, chance)
        assert data == FILE or outcome(data) is None


def test_every_single_flipped_bit_is_noticed():
    for at in range(len(FILE)):
        assert outcome(FILE[:at] + bytes([FILE[at] ^ (1 << at % 8)]) + FILE[at + 1 :]) is None


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_damage_under_a_right_checksum_is_survived(mutation):
    chance = random.Random(2)
    for _ in range(1500):
        data = FILE
        for _ in range(chance.randrange(1, 4)):
            data = mutation(data, chance) or FILE
        survives(resealed(data))


def spots(value, path=()):
    """Yield the path of every value in a JSON document."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from spots(item, (*path, key))


def put(document, path, value):
    """Set, remove or add at the path."""
    *way, last = path
    for step in way:
        document = document[step]
    if value is KeyError:
        del document[last]
    else:
        document[last] = value


def survivors(model, chance, rounds, texts, arrays):
    """Yield the models that changed files of a model still hold, each of which can be saved and loaded.

    `texts` and `arrays` are the shares of the files whose manifest and whose arrays are changed.
    """
    (name, manifest), *rest = members(dumps(model))
    for _ in range(rounds):
        text = mutated_manifest(manifest, chance) if chance.random() < texts else manifest
        changed = mutated_arrays(rest, chance) if chance.random() < arrays else rest
        survivor = outcome(packed([(name, text), *changed]))
        if survivor is not None:
            assert loads(dumps(survivor)) == survivor
            yield survivor


def mutated_manifest(manifest, chance):
    document = json.loads(manifest)
    for _ in range(chance.randrange(1, 3)):
        path = chance.choice([path for path in spots(document) if path])
        act = chance.random()
        if act < 0.15:
            put(document, path, KeyError)
        elif act < 0.25:
            key = chance.choice(["array", "number", "more"]) if isinstance(path[-1], str) else path[-1]
            put(document, (*path[:-1], key), chance.choice(ODD))
        else:
            put(document, path, json.loads(json.dumps(chance.choice([*ODD, nested(document, chance)]))))
    return json.dumps(document).encode()


def nested(document, chance):
    """Return some value of the document itself, so that values land where others belong."""
    value = document
    for step in chance.choice(list(spots(document))):
        value = value[step]
    return value


def mutated_arrays(arrays, chance):
    number = chance.randrange(len(arrays))
    name, content = arrays[number]
    act = chance.randrange(6)
    if act == 0:
        content = content[: chance.randrange(len(content))]
    elif act == 1:
        content += chance.randbytes(chance.randrange(1, 20))
    elif act == 2:
        content = bit_flip(content, chance)
    elif act == 3:
        at = chance.randrange(64, len(content) + 1)
        content = content[:at] + chance.randbytes(len(content) - at)
    elif act == 4:
        content = chance.choice(arrays)[1]
    else:
        name = chance.choice([chance.choice(arrays)[0], name.upper(), "../" + name, "", "x" * 300, "manifest.json"])
    return [*arrays[:number], (name, content), *arrays[number + 1 :]]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_changed_meaning_under_a_right_checksum_is_survived():
    chance = random.Random(3)
    (name, manifest), *arrays = members(FILE)
    loaded = 0
    for _ in range(4000):
        text, rest = manifest, arrays
        if chance.random() < 0.7:
            text = mutated_manifest(manifest, chance)
        if chance.random() < 0.5:
            rest = mutated_arrays(arrays, chance)
        loaded += survives(packed([(name, text), *rest]))
    assert loaded > 50  # the mutations are not all so coarse that the first check stops them
