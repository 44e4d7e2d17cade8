"""Model files: a model as one zip of JSON and plain arrays, which cannot run code.

`manifest.json` contains the format, its version, the model's kind, its schema, how it was trained and its parts;
an array among the parts is replaced by its name, type and shape and stored as another member. Loading checks the
checksum first and every value before it is used; the kind chooses the class from a closed table, `models/base/kinds`.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.atomic_write import open_atomic, write_error
from hedgerow.data.table.schema import listing
from hedgerow.errors import DataError, HedgerowError, ModelError
from hedgerow.models.base.array_pools import MOST_DIMENSIONS
from hedgerow.models.base.kinds import model_class, saved_kinds
from hedgerow.models.base.model import ClassModel, Model, with_parsed_decisions
from hedgerow.models.files.archive import DTYPES, MOST_BYTES, Archive, seal, unseal
from hedgerow.models.files.manifest import (
    FORMAT,
    MOST_BRACKETS,
    MOST_DEPTH,
    VERSION,
    brackets,
    check_parts,
    depth,
    fitting,
    parse_about,
    parse_schema,
    read_manifest,
    refuse,
)

LONGEST_MESSAGE = 400
# Extensions of files that are not models; with most of these, data would be overwritten.
_OTHER_FORMATS = re.compile(
    r"\.(json|jsonl|ndjson|csv|tsv|txt|arff|data|names|test|svm|svmlight|vw|parquet|feather|arrow|xlsx?|ods|html?|md|"
    r"svg|png|pdf|pkl|pickle|joblib|onnx|pmml|sql|py)(\.(gz|zst|bz2|xz))?$",
    re.IGNORECASE,
)

_ODD_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # JSON has no words for them


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all; item sets and association rules as JSON if its name ends so."""
    from hedgerow.models.files.json_file import JSON_KINDS, dumps_json, is_json_path

    check_ending(path, model.kind)
    content = dumps_json(model) if is_json_path(path) and model.kind in JSON_KINDS else dumps(model)
    try:
        write_atomic(path, content)
    except DataError as error:
        raise ModelError(str(error)) from None


def check_ending(path: str | os.PathLike[str] | None, kind: str = "") -> None:
    """Raise if a file's name has the ending of another format than the one that a model of this kind is written in."""
    from hedgerow.models.files.json_file import JSON_KINDS, is_json_path

    if path is None or (is_json_path(path) and kind in JSON_KINDS):
        return
    name = os.fspath(path)
    if (other := _OTHER_FORMATS.search(name)) is None:
        return
    why = "a model file is a .hedge file"
    if other[0].lower().startswith(".json"):
        why = "only item sets and association rules are saved as JSON, in a file whose name ends in .json"
    raise ModelError(f"{name} cannot be written: {why}; name a file such as {name[: other.start()]}.hedge")


def load(path: str | os.PathLike[str], data: Any = None) -> Model:
    """Load a model from a file; any problem raises a `ModelError` that names the file.

    Parameters
    ----------
    path
        A model file, or rules as text: printed or written by hand, or printed by Weka's JRip or PART. Association
        rules are recognized by their `=>`.
    data
        For rules as text that do not declare their columns: data with these columns, as a Table, a path, a frame or a
        Schema.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # nor a pipe, which might never end
            raise ModelError(f"{path} is not a file; name a hedgerow model file")
        with open(path, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise ModelError(f"{path} does not exist; name a hedgerow model file") from None
    except HedgerowError:
        raise
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {_reason(error)}") from None
    return _load_content(content, path, data)


def _load_content(content: bytes, path: str | os.PathLike[str], data: Any) -> Model:
    """Return the model that a file's bytes are: JSON, rules as text or a zip."""
    from hedgerow.models.files.association_file import load_associations, read_association_text
    from hedgerow.models.files.json_file import is_json, loads_json
    from hedgerow.models.files.rule_file import load_rules, read_rule_text

    name = str(path)
    if is_json(content, path):
        return loads_json(content, name)
    if (text := read_rule_text(content)) is not None:
        return load_rules(text, name, data)
    if (text := read_association_text(content)) is not None:
        return load_associations(text, name, data)
    return loads(content, name)


def dumps(model: Model) -> bytes:
    """Return a model as the bytes of its file; equal models give equal bytes."""
    if type(model) is not model_class(getattr(model, "kind", None)):
        raise ModelError(
            f"a {type(model).__name__} cannot be saved: its class is not registered with hedgerow.register_model; "
            f"the kinds are {listing(saved_kinds())}"
        )
    arrays: list[NDArray[Any]] = []
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "kind": model.kind,
        "schema": model.schema.to_dict(),
        "about": pack_arrays(model.about.to_dict(), arrays),
        "parts": pack_arrays(model.to_dict(), arrays),
    }
    if isinstance(model, ClassModel) and model.decides_by is not None:
        manifest["decisions"] = model.decides_by.to_dict()
    if depth(manifest) > MOST_DEPTH:
        raise ModelError(f"a model file holds parts nested at most {MOST_DEPTH} levels deep")
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    if brackets(text) > MOST_BRACKETS:
        raise ModelError(
            f"the model is too large to save: its {len(model.schema):,} columns and its parts need a manifest of more "
            f"than {MOST_BRACKETS:,} lists and objects; leave out columns"
        )
    return seal(text, arrays)


def loads(data: bytes, name: str = "the model") -> Model:
    """Return the model in the bytes of a file; `name` is used in error messages."""
    with prefix_errors(name):
        archive = unseal(data)
        manifest = read_manifest(_ascii(archive.manifest()))
        check_parts(manifest, "parts", may_have=("decisions",))
        archive.check_names()
        return _model(manifest, archive)


@contextmanager
def prefix_errors(name: str) -> Iterator[None]:
    """Make whatever is wrong with a file one sentence that names it."""
    try:
        yield
    except HedgerowError as error:
        sentence = " ".join(str(error).split())
        if len(sentence) > LONGEST_MESSAGE:
            sentence = sentence[:LONGEST_MESSAGE] + " ..."
        raise ModelError(f"{name} {sentence}") from None


def write_atomic(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all; devices and pipes are refused."""
    try:
        is_special = os.path.exists(path) and not os.path.isfile(path)
    except ValueError as problem:  # a NUL in the name
        raise write_error(path, problem) from None
    if is_special:
        raise write_error(path, OSError("it is not a file"))
    with open_atomic(path) as stream:
        stream.write(content)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def pack_arrays(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON, its arrays collected in the order of sorted names, in which they are read."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": f"a{len(arrays) - 1}", "dtype": value.dtype.name, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    if isinstance(value, list | tuple):
        return [pack_arrays(item, arrays) for item in value]
    if isinstance(value, dict):
        if {"array", "number"} & value.keys() or not all(isinstance(key, str) for key in value):
            raise ModelError(f"a model file cannot store a part with the names {listing(map(str, value))}")
        return {key: pack_arrays(value[key], arrays) for key in sorted(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    raise ModelError(f"a model file cannot store {value!r}; use strings, numbers, lists and arrays")


def unpack_arrays(value: Any, arrays: Iterator[tuple[int, Archive]]) -> Any:
    """Undo `pack_arrays`; the arrays must be named in order, each once."""
    if isinstance(value, list):
        return [unpack_arrays(item, arrays) if isinstance(item, list | dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _array(value, arrays)
    if "number" in value:
        if len(value) > 1 or value["number"] not in ("nan", "inf", "-inf"):
            refuse("it holds a number that cannot be read")
        return _ODD_NUMBERS[value["number"]]
    return {key: unpack_arrays(value[key], arrays) for key in value}


def _array(value: dict[str, Any], arrays: Iterator[tuple[int, Archive]]) -> NDArray[Any]:
    number, archive = next(arrays, (-1, None))
    if archive is None:
        refuse("its manifest names more arrays than it holds")
    dtype, shape = value.get("dtype"), value.get("shape")
    if value.keys() != {"array", "dtype", "shape"} or value["array"] != f"a{number}":
        refuse(f"its manifest does not name the array a{number} where expected")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        refuse(f"its array a{number} is of the type {dtype!r} instead of {listing(DTYPES)}")
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS or not all(map(_is_length, shape)):
        refuse(f"its array a{number} has an impossible shape")
    return archive.array(number, dtype, tuple(shape))


def _is_length(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_BYTES


def _ascii(content: bytes) -> bytes:
    if not content.isascii():
        refuse("its manifest is not JSON")
    return content


def _model(manifest: dict[str, Any], archive: Archive) -> Model:
    kind = manifest["kind"]
    kind_class = model_class(kind)
    if kind_class is None:
        refuse(
            f"it holds a model of the unknown kind {kind!r}; if another package defines it, import the package first; "
            f"the known kinds are {listing(saved_kinds())}"
        )
    schema = parse_schema(manifest["schema"])
    arrays = ((number, archive) for number in range(archive.n_arrays))
    about = parse_about(unpack_arrays(manifest["about"], iter(())))
    parts = unpack_arrays(manifest["parts"], arrays)
    if next(arrays, None) is not None:
        refuse("it holds arrays that its manifest does not name")
    if not isinstance(parts, dict):
        refuse("its parts have no names")
    with fitting(f"its {kind}"):
        model = kind_class.from_dict(parts, schema, about)
        return model if "decisions" not in manifest else with_parsed_decisions(model, manifest["decisions"])
