"""The reason of a tree: the path to a leaf, and the nearest leaf that predicts another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgerow.data.table.table import Table
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.condition import Condition, LevelCodes
from hedgerow.models.base.reason import Counterfactual, Reason, failed_tests
from hedgerow.models.base.rule import counts_text
from hedgerow.models.trees.paths import TreePath
from hedgerow.models.trees.text import branch
from hedgerow.models.trees.to_rules import tightest

if TYPE_CHECKING:
    from hedgerow.models.trees.tree import NumberTree, Tree

MOST_NODES = 20_000  # nodes of a tree whose leaves are searched for the nearest


@dataclass(frozen=True, eq=False)
class PathReason(Reason):
    """The path in a tree, or several if a value is missing."""

    tree: Tree
    paths: tuple[TreePath, ...]
    nearest: Counterfactual | None  # leaf of the contrasting class

    @property
    def columns(self) -> set[str]:
        """The columns that are tested on the path."""
        return {step.condition.column for path in self.paths for step in path.steps}

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        paths = [self._path(path) for path in self.paths]
        near = None if self.nearest is None else self.nearest.to_dict()
        return {"way": "path", "paths": paths, "leaves": self.tree.size, "nearest": near}

    def _path(self, path: TreePath) -> dict[str, Any]:
        tree, classes = self.tree, self.tree.classes
        weights, says = tree.weights[path.leaf].tolist(), int(tree.leaf_decisions[path.leaf])
        return {
            "steps": [step.to_dict() for step in path.steps],
            "share": path.share,
            "says": classes[says],
            "counts": counts_text(weights, says, classes) if sum(weights) else "",
            "leaf": dict(zip(classes, tree.leaf_shares[path.leaf].tolist(), strict=True)),
        }


@dataclass(frozen=True, eq=False)
class NumberPathReason(Reason):
    """The path in a regression tree, or several if a value is missing."""

    tree: NumberTree
    paths: tuple[TreePath, ...]
    target_name: str = ""  # that the number is, if not the target

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"way": "path", "paths": list(map(self._path, self.paths)), "leaves": self.tree.size, "nearest": None}

    def _path(self, path: TreePath) -> dict[str, Any]:
        rows, deviation = float(self.tree.weights[path.leaf]), float(self.tree.deviations[path.leaf])
        counts = f"({format_number(rows)} row{'' if rows == 1 else 's'}, deviation {format_number(deviation)})"
        return {
            "steps": [step.to_dict() for step in path.steps],
            "share": path.share,
            "says": format_number(float(self.tree.numbers[path.leaf])),
            "counts": counts if rows or deviation else "",
            **({"what": self.target_name} if self.target_name else {}),
            "leaf": {},
        }


def nearest_leaf(tree: Tree, table: Table, code: int) -> Counterfactual | None:
    """Return the leaf for a class whose fewest tests the row fails, of equals the heaviest."""
    if code < 0 or len(tree.nodes) > MOST_NODES:
        return None
    best: tuple[int, float, int, tuple[tuple[Condition, str], ...]] | None = None
    decided = tree.leaf_decisions
    for leaf, path in tree.nodes.paths():
        if decided[leaf] != code or not tree.totals[leaf]:
            continue
        tests = tightest(
            [branch(tree.nodes, tree.schema, *step) for step in path], tree.schema, LevelCodes(tree.schema)
        )
        fails = failed_tests(tests, table)
        candidate = (len(fails), -float(tree.totals[leaf]), leaf, fails)
        if best is None or candidate[:3] < best[:3]:
            best = candidate
    if best is None or not best[3]:
        return None
    return Counterfactual(counts_text(tree.weights[best[2]].tolist(), code, tree.classes), best[3])
