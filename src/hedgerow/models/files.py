"""Model files: a model as one zip of JSON and plain arrays, which cannot run code.

`manifest.json` holds the format, its version, the model's kind, its schema, how it came about and its parts;
an array among the parts is replaced by its name, type and shape and stored beside it. Loading checks the
checksum first and every value before it is used; the kind chooses the class from a fixed table.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.aside import aside
from hedgerow.data.schema import Schema, listing
from hedgerow.errors import HedgerowError, ModelError
from hedgerow.models.archive import DTYPES, MOST_BYTES, MOST_DIMENSIONS, Archive, seal, unseal
from hedgerow.models.model import About, Model

FORMAT = "hedgerow-model"
VERSION = 1
MOST_DEPTH = 32  # of nested JSON
MOST_BRACKETS = 1_000_000
LONGEST_MESSAGE = 400

_ODD_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # JSON has no words for them


def _rules() -> type[Model]:
    from hedgerow.models.rules import RuleList

    return RuleList


def _rule_set() -> type[Model]:
    from hedgerow.models.rule_set import RuleSet

    return RuleSet


def _distributions() -> type[Model]:
    from hedgerow.models.distributions import Distributions

    return Distributions


def _constant() -> type[Model]:
    from hedgerow.models.constant import Constant

    return Constant


def _cuts() -> type[Model]:
    from hedgerow.models.cuts import Cuts

    return Cuts


def _terms() -> type[Model]:
    from hedgerow.models.term_table import TermTable

    return TermTable


def _committee() -> type[Model]:
    from hedgerow.models.committee import Committee

    return Committee


def _tree() -> type[Model]:
    from hedgerow.models.tree import Tree

    return Tree


def _number_tree() -> type[Model]:
    from hedgerow.models.tree import NumberTree

    return NumberTree


# The only classes that a file can become. A new kind of model adds its line here.
KINDS: dict[str, Callable[[], type[Model]]] = {
    "rules": _rules,
    "rule_set": _rule_set,
    "distributions": _distributions,
    "constant": _constant,
    "cuts": _cuts,
    "terms": _terms,
    "committee": _committee,
    "tree": _tree,
    "number_tree": _number_tree,
}


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    content = dumps(model)
    try:
        write_aside(Path(path), content)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be written: {_reason(error)}") from None


def load(path: str | os.PathLike[str], data: Any = None) -> Model:
    """Read a model from a file; anything wrong with it is one `ModelError` that names the file.

    Parameters
    ----------
    path
        A model file, or rules as text: printed or written by hand, or printed by Weka's JRip or PART.
    data
        For rules as text that do not tell their columns: what they are about, a Table, a path, a frame or a Schema.
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
    from hedgerow.models.rule_file import load_rules, rules_in

    text = rules_in(content)
    return loads(content, str(path)) if text is None else load_rules(text, str(path), data)


def dumps(model: Model) -> bytes:
    """Return a model as the bytes of its file; equal models give equal bytes."""
    if model.kind not in KINDS or type(model) is not KINDS[model.kind]():
        raise ModelError(f"a {type(model).__name__} cannot be saved; the kinds are {listing(KINDS)}")
    arrays: list[NDArray[Any]] = []
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "kind": model.kind,
        "schema": model.schema.to_dict(),
        "about": _packed(model.about.to_dict(), arrays),
        "parts": _packed(model.to_dict(), arrays),
    }
    if _depth(manifest) > MOST_DEPTH:
        raise ModelError(f"a model file holds parts nested {MOST_DEPTH} deep at most")
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return seal(text.encode("ascii"), arrays)


def loads(data: bytes, name: str = "the model") -> Model:
    """Return the model whose file has these bytes; `name` is what errors call it."""
    try:
        archive = unseal(data)
        manifest = _manifest(archive)
        archive.check_names()
        return _model(manifest, archive)
    except HedgerowError as error:
        sentence = " ".join(str(error).split())
        if len(sentence) > LONGEST_MESSAGE:
            sentence = sentence[:LONGEST_MESSAGE] + " ..."
        raise ModelError(f"{name} {sentence}") from None


def write_aside(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a file")
    with aside(path) as stream:
        stream.write(content)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _packed(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON, its arrays put aside in the order of sorted names, in which they are read."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": f"a{len(arrays) - 1}", "dtype": value.dtype.name, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    if isinstance(value, list | tuple):
        return [_packed(item, arrays) for item in value]
    if isinstance(value, dict):
        if {"array", "number"} & value.keys() or not all(isinstance(key, str) for key in value):
            raise ModelError(f"a model file cannot hold a part with the names {listing(map(str, value))}")
        return {key: _packed(value[key], arrays) for key in sorted(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    raise ModelError(f"a model file cannot hold {value!r}; use words, numbers, lists and arrays")


def _unpacked(value: Any, arrays: Iterator[tuple[int, Archive]]) -> Any:
    """Return what `_packed` packed; the arrays must be named in order, each once."""
    if isinstance(value, list):
        return [_unpacked(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _array(value, arrays)
    if "number" in value:
        if len(value) > 1 or value["number"] not in ("nan", "inf", "-inf"):
            _refuse("it holds a number that cannot be read")
        return _ODD_NUMBERS[value["number"]]
    return {key: _unpacked(value[key], arrays) for key in value}


def _array(value: dict[str, Any], arrays: Iterator[tuple[int, Archive]]) -> NDArray[Any]:
    number, archive = next(arrays, (-1, None))
    if archive is None:
        _refuse("its manifest names more arrays than it holds")
    dtype, shape = value.get("dtype"), value.get("shape")
    if value.keys() != {"array", "dtype", "shape"} or value["array"] != f"a{number}":
        _refuse(f"its manifest does not name the array a{number} where it should")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        _refuse(f"its array a{number} is of the type {dtype!r} instead of {listing(DTYPES)}")
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS or not all(map(_is_length, shape)):
        _refuse(f"its array a{number} has an impossible shape")
    return archive.array(number, dtype, tuple(shape))


def _is_length(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_BYTES


def _manifest(archive: Archive) -> dict[str, Any]:
    """Return the manifest's values; its format and version have been checked."""
    content = archive.manifest()
    if content.count(b"[") + content.count(b"{") > MOST_BRACKETS:
        _refuse("its manifest is too large")
    try:
        text = content.decode("ascii")
        manifest = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        _refuse("its manifest is nested too deeply")
    except HedgerowError:
        raise
    except ValueError:
        _refuse("its manifest is not JSON")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelError("is not a hedgerow model file: its manifest does not say so")
    _check_version(manifest.get("version"))
    if _depth(manifest) > MOST_DEPTH:
        _refuse("its manifest is nested too deeply")
    if manifest.keys() != {"format", "version", "kind", "schema", "about", "parts"}:
        _refuse(f"its manifest holds {listing(sorted(manifest))}")
    return manifest


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        _refuse("its version is not a positive whole number")
    if version > VERSION:
        raise ModelError(
            f"was written by a newer hedgerow (format {version}; this one reads up to {VERSION}): update hedgerow"
        )


def _model(manifest: dict[str, Any], archive: Archive) -> Model:
    kind = manifest["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        _refuse(f"it holds a model of the unknown kind {kind!r}; the kinds are {listing(KINDS)}")
    schema = _schema(manifest["schema"])
    arrays = ((number, archive) for number in range(archive.n_arrays))
    about = _about(_unpacked(manifest["about"], iter(())))
    parts = _unpacked(manifest["parts"], arrays)
    if next(arrays, None) is not None:
        _refuse("it holds arrays that its manifest does not name")
    if not isinstance(parts, dict):
        _refuse("its parts have no names")
    with _fitting(f"its {kind}"):
        return KINDS[kind]().from_dict(parts, schema, about)


def _schema(data: Any) -> Schema:
    """Return the schema; it must be written exactly as schemas are, so that nothing in it goes unread."""
    with _fitting("its schema"):
        _check_names(data)
        schema = Schema.from_dict(data)
        if schema.to_dict() != data:
            _refuse("its schema holds values that do not belong there")
        return schema


def _check_names(schema: Any) -> None:
    """Refuse names that occur twice and unknown targets here, at once, however many and long they are."""
    columns = schema["columns"]
    names = [column["name"] for column in columns]
    if len(set(names)) < len(names):
        _refuse("a column's name occurs twice in its schema")
    if schema.get("target") is not None and schema["target"] not in set(names):
        _refuse("the target is not among the columns of its schema")
    for column in columns:
        if column.get("inner") is not None:
            _check_names(column["inner"])


def _about(data: Any) -> About:
    with _fitting("the account of its learning"):
        names = (data["learner"], *data["notes"])
        typed = type(data["parameters"]) is dict and type(data["rows"]) is int
        if not typed or not all(type(name) is str for name in names) or type(data["weight"]) is bool:
            _refuse("the account of its learning holds values of the wrong type")
        weight, notes = float(data["weight"]), tuple(data["notes"])
        about = About(data["learner"], data["parameters"], data["rows"], weight, notes)
        if about.to_dict() != data or about.rows < 0 or not 0 <= about.weight < math.inf:
            _refuse("the account of its learning holds values that do not belong there")
        return about


@contextmanager
def _fitting(what: str) -> Iterator[None]:
    """Turn whatever goes wrong while values are taken apart into one sentence."""
    try:
        yield
    except HedgerowError as error:
        raise ModelError(_INVALID + str(error).removeprefix(_INVALID)) from None
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError, OverflowError):
        _refuse(f"{what} cannot be understood")


def _depth(value: Any) -> int:
    """Return how deeply lists and objects are nested, without recursion."""
    depth, layer = 0, [value]
    while layer:
        depth += 1
        inner = [item for item in layer if isinstance(item, list | dict) and item]
        layer = [x for item in inner for x in (item.values() if isinstance(item, dict) else item)]
    return depth


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        _refuse("its manifest gives a name twice")
    return values


def _no_constant(word: str) -> NoReturn:
    _refuse(f"its manifest holds {word}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _refuse("its manifest holds a number that is too large")
    return value


_INVALID = "is not a valid hedgerow model file: "


def _refuse(fault: str) -> NoReturn:
    raise ModelError(_INVALID + fault)
