"""Model files as an attacker would make them: every part can be changed, and the checksum is right again."""

import hashlib
import io
import json
import random
import zipfile

from hedgerow.errors import ModelError
from hedgerow.models.files.model_file import dumps, loads


def resealed(data):
    """The same bytes with a right checksum."""
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def packed(pairs, compression=zipfile.ZIP_DEFLATED):
    """A sealed file of these (name, content) pairs, whatever they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in pairs:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
        archive.comment = b"0" * 64
    return resealed(buffer.getvalue())


def with_manifest(model, change):
    """The model's file after `change` was applied to the values of its manifest."""
    (name, manifest), *arrays = members(dumps(model))
    values = json.loads(manifest)
    values = change(values) or values
    text = values if isinstance(values, bytes) else json.dumps(values).encode()
    return packed([(name, text), *arrays])


def mutation(chance, odd):
    """A change that puts one of the `odd` values at some place of a manifest's parts."""

    def spots(value):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            if isinstance(item, dict | list):
                yield from spots(item)

    def mutate(manifest):
        where, key = chance.choice(list(spots(manifest["parts"])))
        where[key] = chance.choice(odd)

    return mutate


def survivors_of_odd_parts(model, odd, rounds=400):
    """Yield the models that files still hold after one of the `odd` values was put at some place of their parts."""
    mutate = mutation(random.Random(4), odd)
    for _ in range(rounds):
        try:
            changed = loads(with_manifest(model, mutate), "m.hedge")
        except ModelError as error:
            assert str(error).startswith("m.hedge ")  # noqa: PT017
            continue
        assert loads(dumps(changed)) == changed
        assert str(changed)
        yield changed


def with_array(model, part, array, content=None):
    """The model's file with another array as one of its parts, described rightly in the manifest."""
    from hedgerow.models.files.archive import npy_header

    (name, manifest), *arrays = members(dumps(model))
    values = json.loads(manifest)
    number = int(values["parts"][part]["array"][1:])
    dtype = array.dtype.name
    values["parts"][part] |= {"dtype": dtype, "shape": list(array.shape)}
    header = npy_header(dtype, array.shape)
    arrays[number] = (arrays[number][0], content or header + array.tobytes())
    return packed([(name, json.dumps(values).encode()), *arrays])
