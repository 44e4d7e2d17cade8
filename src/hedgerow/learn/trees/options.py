"""How a tree is grown: the choices that ID3, C4.5, CART and their relatives make differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.errors import UsageError

Criterion = Literal["gain_ratio", "gain", "entropy", "gini", "squared", "absolute"]
Branching = Literal["multiway", "groups", "binary"]
Missing = Literal["fractions", "direction", "surrogate"]

MOST_FOLDS = 1000  # of a cross-validation inside a learner
SAME_LINK = 1e-12  # as a share of the risk of the root: in pruning, a subtree that saves less saves nothing
EQUAL = 1e-9  # gains, ratios and weights that differ by less are equal: the first of them wins


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """What a grower needs to know; weights of rows count wherever a number of rows is meant.

    Parameters
    ----------
    criterion
        `gain_ratio` and `gain` (entropy), `entropy` and `gini` (decrease of impurity) for classes; `squared` and
        `absolute` error for numbers.
    min_leaf
        Least weight of a branch: of two branches of a multiway split, of both sides of a binary one.
    max_depth
        Longest path from the root to a leaf; None for no limit.
    min_gain
        The best split is not made if its gain is lower.
    mdl
        Whether a numeric column pays for the choice among its cuts: log2(cuts) / weight off its gain.
    branching
        `multiway`: one branch per level; `groups`: C4.5's merged levels; `binary`: CART's two sides.
    stop_rows, stop_share
        A node of at most this weight, or whose largest class has at least this share, is a leaf.
    missing
        Rows without the tested value go down all branches in `fractions` (classes only), to the better side
        (`direction`), or after `surrogate` tests of other columns.
    average_guard
        Whether only columns of at least average gain may win.
    zero_gain
        Whether a split that gains nothing is made as long as two branches hold rows (ID3).
    """

    criterion: Criterion = "gain_ratio"
    min_leaf: float = 2.0
    max_depth: int | None = None
    min_gain: float = 0.0
    mdl: bool = True
    branching: Branching = "multiway"
    stop_rows: float = 0.0
    stop_share: float = 1.0
    missing: Missing = "fractions"
    average_guard: bool = True
    zero_gain: bool = False

    def __post_init__(self) -> None:
        numbers = self.criterion in ("squared", "absolute")
        if self.branching != "binary" and (numbers or self.missing != "fractions"):
            raise UsageError(
                f"a tree by {self.criterion} with missing={self.missing!r} needs branching='binary', "
                f"not {self.branching!r}"
            )
        if numbers and self.missing == "fractions":
            raise UsageError(
                f"a tree of numbers, by {self.criterion} error, cannot split rows into fractions: use "
                "missing='direction' or 'surrogate', not 'fractions'"
            )

    @property
    def least_gain(self) -> float:
        """What a split must gain more than."""
        return EQUAL


ID3 = TreeOptions("gain", min_leaf=0.0, mdl=False, average_guard=False, zero_gain=True)
C45 = TreeOptions()
CART = TreeOptions("gini", min_leaf=1.0, mdl=False, branching="binary", missing="surrogate", average_guard=False)
