"""Item sets and association rules as plain JSON, which other programs read, and which cannot run code.

One set or rule a line, its items by name, with its counts and the measures that follow from them. Loading checks every
value, as it does for model files.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.items import Items
from hedgerow.errors import ModelError
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.associations.set_arrays import (
    ITEM_PARTS,
    items_from_parts,
    items_to_parts,
    iterate_sets,
    pack_sets,
)
from hedgerow.models.base.model import Model
from hedgerow.models.files.manifest import (
    FORMAT,
    VERSION,
    brackets,
    check_parts,
    fitting,
    parse_about,
    parse_schema,
    read_manifest,
    refuse,
)
from hedgerow.models.files.model_file import pack_arrays, prefix_errors, unpack_arrays

MOST_BYTES = 1 << 27
MOST_BRACKETS = 6_000_000
JSON_KINDS = ("item_sets", "association_rules")

_START = re.compile(rb'\s*\{\s*"format"\s*:')
_SET_NAMES = {"items", "count", "support"}
_RULE_NAMES = {
    "antecedent",
    "consequent",
    "count",
    "antecedent_count",
    "consequent_count",
    "support",
    "confidence",
    "lift",
}


def is_json_path(path: str | os.PathLike[str]) -> bool:
    """Return whether a file's name is that of a JSON file."""
    return os.fspath(path).lower().endswith(".json")


def is_json(content: bytes, path: str | os.PathLike[str]) -> bool:
    """Return whether the bytes of a file are a model as JSON, or else should be."""
    return bool(_START.match(content)) or (is_json_path(path) and not content.startswith(b"PK"))


def dumps_json(model: Model) -> bytes:
    """Return a model as JSON."""
    if isinstance(model, ItemSets):
        entries = {"which": model.which, "bound": model.bound, "ended": model.ended}
        name, lines = "sets", _set_lines(model)
    elif isinstance(model, AssociationRules):
        entries, name, lines = {}, "rules", _rule_lines(model)
    else:
        raise ModelError(f"a {type(model).__name__} cannot be saved as JSON; save it as .hedge")
    parts = items_to_parts(model.items)
    parts["cuts"] = [None if cuts is None else cuts.tolist() for cuts in parts["cuts"]]
    head = {
        "format": FORMAT,
        "version": VERSION,
        "kind": model.kind,
        "schema": model.schema.to_dict(),
        "about": pack_arrays(model.about.to_dict(), []),
        "items": parts,
        "total": _plain(float(model.total), model.counts),
        **entries,
    }
    text = ",\n".join(f"{json.dumps(key)}: {_json(value)}" for key, value in head.items())
    whole = f"{{\n{text},\n{json.dumps(name)}: [\n" + ",\n".join(lines) + "\n]}\n"
    content = _encode_text(whole)
    if len(content) > MOST_BYTES or brackets(content) > MOST_BRACKETS:
        raise ModelError(f"the model has {len(model.counts):,} {name}, too many for JSON; save it as .hedge")
    return content


def loads_json(content: bytes, name: str = "the model") -> Model:
    """Return the model in a JSON text; `name` is used in error messages."""
    with prefix_errors(name):
        if len(content) > MOST_BYTES:
            raise ModelError(f"is larger than a JSON model may be ({MOST_BYTES:,} bytes)")
        values = read_manifest(content, MOST_BRACKETS)
        kind = values.get("kind")
        if kind not in JSON_KINDS:
            refuse(f"it holds a model of the unknown kind {kind!r}; JSON may hold {' and '.join(JSON_KINDS)}")
        own = ("rules",) if kind == "association_rules" else ("sets", "which", "bound", "ended")
        check_parts(values, "items", "total", *own)
        schema, about = parse_schema(values["schema"]), parse_about(unpack_arrays(values["about"], iter(())))
        with fitting(f"its {kind}"):
            parts = _item_parts(values["items"])
            items = items_from_parts(parts, schema)
            if kind == "association_rules":
                rules = AssociationRules.from_dict(parts | _rule_parts(values, items), schema, about)
                _check_rule_measures(rules, values["rules"])
                return rules
            sets = ItemSets.from_dict(parts | _set_parts(values, items), schema, about)
            _check_measure(values["sets"], "support", sets.support)
            return sets


def _set_lines(sets: ItemSets) -> Iterator[str]:
    for names, count, support in zip(
        _name_item_sets(sets.items, sets.offsets, sets.codes), sets.counts.tolist(), sets.support.tolist(), strict=True
    ):
        yield _json({"items": names, "count": count, "support": support})


def _rule_lines(rules: AssociationRules) -> Iterator[str]:
    sets = list(_name_item_sets(rules.items, rules.offsets, rules.codes))
    counts = (rules.counts, rules.left_counts, rules.right_counts)
    columns = [*counts, rules.support, rules.confidence, rules.lift]
    for left, right, *numbers in zip(
        rules.left.tolist(), rules.right.tolist(), *(column.tolist() for column in columns), strict=True
    ):
        count, covered, held, support, confidence, lift = (None if n != n else n for n in numbers)
        yield _json(
            {
                "antecedent": sets[left],
                "consequent": sets[right],
                "count": count,
                "antecedent_count": covered,
                "consequent_count": held,
                "support": support,
                "confidence": confidence,
                "lift": lift,
            }
        )


def _name_item_sets(items: Items, offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> Iterator[list[str]]:
    names = items.labels
    for each in iterate_sets(offsets, codes):
        yield [names[code] for code in each]


def _item_parts(value: Any) -> dict[str, Any]:
    """Return the parts of items, cut points as arrays."""
    if not isinstance(value, dict) or value.keys() != set(ITEM_PARTS) or not isinstance(value["cuts"], list):
        refuse("its items are invalid")
    return {**value, "cuts": [None if cuts is None else _numbers(cuts, np.float64) for cuts in value["cuts"]]}


def _set_parts(values: dict[str, Any], items: Items) -> dict[str, Any]:
    rows = _rows(values["sets"], _SET_NAMES)
    offsets, codes = pack_sets(items, map(_codes(items), (row["items"] for row in rows)))
    return {
        "offsets": offsets,
        "codes": codes,
        "counts": _counts([row["count"] for row in rows], values["total"]),
        **{name: values[name] for name in ("total", "which", "bound", "ended")},
    }


def _rule_parts(values: dict[str, Any], items: Items) -> dict[str, Any]:
    rows, find = _rows(values["rules"], _RULE_NAMES), _codes(items)
    pool: dict[tuple[int, ...], int] = {}
    counts: list[Any] = []
    sides: dict[str, list[int]] = {"antecedent": [], "consequent": []}
    for row in rows:
        for side, numbers in sides.items():
            number = pool.setdefault(find(row[side]), len(pool))
            count = row[f"{side}_count"]
            if number == len(counts):
                counts.append(count)
            elif counts[number] != count:
                refuse("it gives two different counts for the same set")
            numbers.append(number)
    offsets, codes = pack_sets(items, pool)
    found = _counts([*(row["count"] for row in rows), *counts], values["total"])
    return {
        "offsets": offsets,
        "codes": codes,
        "left": np.array(sides["antecedent"], dtype=np.int32),
        "right": np.array(sides["consequent"], dtype=np.int32),
        "counts": found[: len(rows)],
        "set_counts": found[len(rows) :],
        "total": values["total"],
    }


def _rows(value: Any, names: set[str]) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) and row.keys() == names for row in value):
        refuse(f"its sets or rules are not all objects with {', '.join(sorted(names))}")
    return value


def _codes(items: Items) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that converts a list of items, without quotes, to ascending codes."""
    known = {name: code for code, name in enumerate(items.labels)}

    def find(names: Any) -> tuple[int, ...]:
        if not isinstance(names, list):
            refuse("its items are not given by name")
        unknown = next((name for name in names if not isinstance(name, str) or name not in known), None)
        if unknown is not None:
            refuse(f"there is no item {unknown!r}")
        codes = tuple(sorted(known[name] for name in names))
        if len(set(codes)) < len(codes):
            refuse("a set holds an item twice")
        return codes

    return find


def _counts(given: list[Any], total: Any) -> NDArray[Any]:
    whole = all(type(count) is int for count in (*given, total))
    return _numbers(given, np.int64 if whole else np.float64)


def _numbers(value: Any, dtype: type[np.int64 | np.float64]) -> NDArray[Any]:
    if not isinstance(value, list) or not all(type(number) in (int, float) for number in value):
        refuse("it contains something other than a number where a number is required")
    return np.array(value, dtype=dtype)


def _check_rule_measures(rules: AssociationRules, rows: Iterable[Mapping[str, Any]]) -> None:
    for name in ("support", "confidence", "lift"):
        _check_measure(rows, name, rules.measure(name))


def _check_measure(rows: Iterable[Mapping[str, Any]], name: str, measure: NDArray[Any]) -> None:
    """Refuse measures that do not follow from the counts."""
    for row, right in zip(rows, measure.tolist(), strict=True):
        result = row[name]
        if result is None and math.isnan(right):
            continue
        if type(result) not in (int, float) or not math.isclose(result, right, rel_tol=1e-9, abs_tol=1e-300):
            refuse(f"a {name} does not agree with the counts")


def _plain(value: float, counts: NDArray[Any]) -> float:
    return int(value) if counts.dtype == np.int64 and value.is_integer() else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone half of a letter, which only an escape can write
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text).encode()
