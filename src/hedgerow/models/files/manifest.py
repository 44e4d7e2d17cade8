"""What the manifest of a model file must be: checks that the zip and the JSON form of models share."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from hedgerow.data.rows.row_sketch import RowSketch
from hedgerow.data.table.schema import Schema, listing
from hedgerow.errors import HedgerowError, ModelError
from hedgerow.models.base.model import About

FORMAT = "hedgerow-model"
VERSION = 1
MOST_DEPTH = 32  # of nested JSON
MOST_BRACKETS = 1_000_000
# The errors raised when values do not have the expected types, names and sizes.
DAMAGE = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError, ArithmeticError, RecursionError,
    MemoryError,
)  # fmt: skip


def read_manifest(content: bytes, most_brackets: int = MOST_BRACKETS) -> dict[str, Any]:
    """Return the values of a manifest; its format and version have been checked."""
    if brackets(content) > most_brackets:
        refuse("its manifest is too large")
    try:
        text = content.decode("utf-8")
        manifest = json.loads(
            text, object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant, parse_float=_finite
        )
    except RecursionError:
        refuse("its manifest is nested too deeply")
    except HedgerowError:
        raise
    except ValueError:
        refuse("its manifest is not JSON")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelError("is not a hedgerow model file: its manifest has no hedgerow format")
    check_version(manifest.get("version"))
    if depth(manifest) > MOST_DEPTH:
        refuse("its manifest is nested too deeply")
    return manifest


def brackets(content: bytes) -> int:
    """Return the maximum number of lists and objects in a manifest: brackets in strings are counted too."""
    return content.count(b"[") + content.count(b"{")


def check_parts(manifest: dict[str, Any], *parts: str, may_have: tuple[str, ...] = ()) -> None:
    """Raise an error unless a manifest contains exactly these parts and the common ones, besides what it may have."""
    if manifest.keys() - set(may_have) != {"format", "version", "kind", "schema", "about", *parts}:
        refuse(f"its manifest holds {listing(sorted(manifest))}")


def check_version(version: Any) -> None:
    """Raise an error unless this hedgerow can read files of a version."""
    if type(version) is not int or version < 1:
        refuse("its version is not a positive whole number")
    if version > VERSION:
        raise ModelError(
            f"was written by a newer hedgerow (format {version}; this one reads up to {VERSION}): update hedgerow"
        )


def parse_schema(data: Any) -> Schema:
    """Return the schema; it must be written exactly as schemas are, so that nothing in it goes unread."""
    with fitting("its schema"):
        _check_names(data)
        schema = Schema.from_dict(data)
        if schema.to_dict() != data:
            refuse("its schema holds unexpected values")
        return schema


def _check_names(schema: Any) -> None:
    """Refuse names that occur twice and unknown targets here, at once, however many and long they are."""
    columns = schema["columns"]
    names = [column["name"] for column in columns]
    if len(set(names)) < len(names):
        refuse("a column's name occurs twice in its schema")
    if schema.get("target") is not None and schema["target"] not in set(names):
        refuse("the target is not among the columns of its schema")
    for column in columns:
        if column.get("inner") is not None:
            _check_names(column["inner"])


def parse_about(data: Any) -> About:
    """Return how a model was trained; every part is checked."""
    with fitting("the training information"):
        names = (data["learner"], *data["notes"])
        typed = type(data["parameters"]) is dict and type(data["rows"]) is int
        if not typed or not all(type(name) is str for name in names) or type(data["weight"]) is bool:
            refuse("the training information holds values of the wrong type")
        weight, notes = float(data["weight"]), tuple(data["notes"])
        sketch = RowSketch.from_dict(data["sketch"]) if "sketch" in data else None
        about = About(data["learner"], data["parameters"], data["rows"], weight, notes, sketch)
        if about.to_dict() != data or about.rows < 0 or not 0 <= about.weight < math.inf:
            refuse("the training information holds unexpected values")
        return about


@contextmanager
def fitting(what: str) -> Iterator[None]:
    """Convert any error while values are parsed to a one-sentence message."""
    try:
        yield
    except HedgerowError as error:
        raise ModelError(_INVALID + str(error).removeprefix(_INVALID)) from None
    except DAMAGE:
        refuse(f"{what} cannot be understood")


def depth(value: Any) -> int:
    """Return how deeply lists and objects are nested, without recursion."""
    levels, layer = 0, [value]
    while layer:
        levels += 1
        inner = [item for item in layer if isinstance(item, list | dict) and item]
        layer = [x for item in inner for x in (item.values() if isinstance(item, dict) else item)]
    return levels


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        refuse("its manifest contains a name twice")
    return values


def _reject_constant(word: str) -> NoReturn:
    refuse(f"its manifest holds {word}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        refuse("its manifest holds a number that is too large")
    return value


_INVALID = "is not a valid hedgerow model file: "


def refuse(fault: str) -> NoReturn:
    """Raise the error for an invalid file."""
    raise ModelError(_INVALID + fault)
