"""The reason for each prediction in one line: the rule, the path in the tree, or the strongest contributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.rows.row_values import value_text
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.base.reason import NUMBER, ComparedClasses, Reason

STRONGEST = 3  # contributions that are named


def short_reasons(model: Model, table: Table, codes: Codes | None = None, shares: Numbers | None = None) -> list[str]:
    """Return the reason for the prediction of every row of an aligned table.

    `codes` are the predicted classes and `shares` the probabilities, for a model of classes.
    """
    if isinstance(model, ClassModel):
        try:
            deciding = model.deciding_rules(table)
        except ModelError:
            pass
        else:
            texts = [row.rule.text(row.target) for row in model.rule_rows()]
            return [texts[number] for number in deciding.tolist()]
    reasons = []
    for place in range(table.n_rows):
        row = table.slice(place, place + 1)
        sides = NUMBER if codes is None or shares is None else _sides(int(codes[place]), shares[place])
        reasons.append(_line(model.reason(row, sides, contrast=False), row))
    return reasons


def _sides(code: int, shares: Numbers) -> ComparedClasses:
    """Return the predicted class and the most probable other one."""
    order = [int(other) for other in np.argsort(-shares, kind="stable") if other != code]
    winner, rest = (code, order) if code >= 0 else (order[0], order[1:])
    return ComparedClasses(winner, rest[0] if rest else -1)


def _line(reason: Reason, row: Table) -> str:
    parts = reason.to_dict()
    write = {"path": _path, "rules": _rules, "votes": _votes, "instances": _votes, "sum": _sum, "support": _support}
    way = parts["way"]
    return write[way](parts, row) if way in write else str(parts.get("told", ""))


def _path(parts: dict[str, Any], row: Table) -> str:  # noqa: ARG001
    path = max(parts["paths"], key=lambda one: one["share"])
    tests = " and ".join(step["test"] for step in path["steps"]) or "always"
    share = "" if len(parts["paths"]) == 1 else f", {path['share']:.0%} of the row"
    counts = path["counts"] and f" {path['counts']}"
    return f"{tests}: {path['says']}{counts}{share}"


def _rules(parts: dict[str, Any], row: Table) -> str:  # noqa: ARG001
    rules = parts["rules"]
    more = f" and {len(rules) - 1} more" if len(rules) > 1 else ""
    return f"{rules[0]['rule']}{more}" if rules else str(parts["told"])


def _votes(parts: dict[str, Any], row: Table) -> str:  # noqa: ARG001
    what = "instances" if parts["way"] == "instances" else "members"
    entries = sorted((one for one in parts["tally"] if one[what]), key=lambda one: -one["share"])
    told = ", ".join(f"{one['class']} {one[what]}" for one in entries)
    names = [one["column"] if isinstance(one, dict) else one for one in parts.get("columns", ())][:STRONGEST]
    return f"{what}: {told}" + (f"; by {', '.join(names)}" if names else "")


def _sum(parts: dict[str, Any], row: Table) -> str:
    strongest = [one for one in parts["grounds"] if one["adds"]][:STRONGEST]
    return "; ".join(f"{_named(one, row)}: {_signed(one['adds'])}" for one in strongest) or "the prior alone"


def _support(parts: dict[str, Any], row: Table) -> str:  # noqa: ARG001
    sides = parts["sides"]
    told = (f"{side['vectors']} support vectors {name}: {_signed(side['adds'])}" for name, side in sides.items())
    return "; ".join(told)


def _named(part: dict[str, Any], row: Table) -> str:
    name, column = part["name"], part["column"]
    value = value_text(row, column) if name == column and column in row.schema else ""
    return f"{name} = {value}" if value else name


def _signed(number: float) -> str:
    text = format_number(float(f"{number:.3g}"))
    return text if number < 0 else f"+{text}"
