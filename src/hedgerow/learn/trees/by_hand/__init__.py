"""Trees grown and pruned in plain Python that shows its work: the twin of the kernels, and what a trace runs.

Start with grow.py, then prune.py: everything is written to be read beside a textbook. `grow` and `grow_number` make
unpruned trees; `collapse`, `prune_errors`, `prune_reduced` and `cost_sequence` prune them. A `TreeWork` that is handed
to them takes down every figure on the way.
"""

from hedgerow.learn.trees.by_hand.grow import grow, grow_number
from hedgerow.learn.trees.by_hand.prune import (
    collapse,
    cost_sequence,
    prune_errors,
    prune_reduced,
    thresholds_of_table,
)
from hedgerow.learn.trees.by_hand.work import TreeWork

__all__ = [
    "TreeWork",
    "collapse",
    "cost_sequence",
    "grow",
    "grow_number",
    "prune_errors",
    "prune_reduced",
    "thresholds_of_table",
]
