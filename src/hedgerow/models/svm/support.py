"""Support: why a kernel machine decides as it does on a row: the support vectors that pull the most, and the nearest.

What sets the classes of two sides apart is a sum, b + the sum of alpha y K(vector, row), over the machine of the two
classes or, of classes against the rest, the difference of their two machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError
from hedgerow.models.svm.functions import KernelFunctions
from hedgerow.models.svm.multiclass import REST
from hedgerow.models.svm.support_rows import gaps_by_column, row_cells

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

STRONGEST = 5  # vectors that are listed for each side
NEAREST = 5


@dataclass(frozen=True, eq=False)
class Pull:
    """One support vector, and its contribution."""

    row: int  # in the data learned from, from 0
    label: str  # its class
    adds: float  # alpha y K, for the class that is decided for
    kernel: float  # K of it and the row
    distance: float | None  # as the kernel sees them; None of precomputed kernels
    cells: tuple[str, ...]  # its values by column; empty of precomputed kernels


@dataclass(frozen=True, eq=False)
class Support:
    """What the decision on one row rests on; all pulls and the start add up to `total`."""

    start: float  # b
    total: float
    columns: tuple[str, ...]
    differs: Numbers  # by column, how much the vectors told of differ from the row
    cells: tuple[str, ...]  # the row's own values
    strongest: tuple[Pull, ...]  # that pull the most, to either side, the strongest first
    nearest: tuple[Pull, ...]
    both: tuple[float, float]  # total contributions to one side and to the other
    counts: tuple[int, int]  # how many pull to each


def toward(model: Machines, decided: int, against: int) -> Numbers:
    """Return the factors of the machines' f whose sum separates two classes: f of their pair, or f minus f."""
    entries = model.codes.entries
    if decided < 0 or against < 0 or not (entries[:, decided].any() and entries[:, against].any()):
        raise ModelError("no machine separates these two classes")
    out = np.zeros(len(model))
    if model.form == REST:
        used = model.codes.used.tolist()
        out[used.index(decided)], out[used.index(against)] = 1.0, -1.0
        return out
    number = int(np.flatnonzero((entries[:, decided] != 0) & (entries[:, against] != 0))[0])
    out[number] = float(entries[number, decided])
    return out


def explain_by_support(model: Machines, table: Table, decided: int, against: int) -> Support:
    """Return why the only row of an aligned table is rather of one class than of another."""
    functions, design = model.functions, model.design
    assert isinstance(functions, KernelFunctions)
    factors = toward(model, decided, against)
    seen = functions.kernel_rows(design, table)
    kernel = np.nan_to_num(functions.kernel_matrix(seen)[0])
    weights = np.asarray(factors @ functions.weights)  # of every vector
    adds = weights * kernel
    start = float(factors @ functions.intercepts)
    differences, far = _differences(functions, seen)
    used = np.flatnonzero(weights)
    strong = _strongest(adds, used)
    order = np.lexsort((functions.rows[used], -kernel[used] if far is None else far[used]))
    near = used[order[:NEAREST]]
    names = tuple(design.schema.names[position] for position, _ in design.used_blocks) if far is not None else ()
    cells = tuple(row_cells(design, _user_row(model, table))) if far is not None else ()

    def pull(vector: int) -> Pull:
        shown = () if far is None else tuple(row_cells(design, functions.vectors[[vector]]))
        distance = None if far is None else float(far[vector])
        label = model.classes[functions.labels[vector]]
        return Pull(int(functions.rows[vector]), label, float(adds[vector]), float(kernel[vector]), distance, shown)

    indices = np.union1d(strong, near)
    differs = np.zeros(0) if differences is None else gaps_by_column(design, differences(indices))
    plus, minus = adds > 0, adds < 0
    return Support(
        start, start + float(adds.sum()), names, differs, cells,
        tuple(pull(int(one)) for one in strong), tuple(pull(int(one)) for one in near),
        (float(adds[plus].sum()), float(adds[minus].sum())), (int(plus.sum()), int(minus.sum())),
    )  # fmt: skip


def _strongest(adds: Numbers, used: Rows) -> Rows:
    """Return the vectors that pull the most to each side, the strongest first."""
    order = used[np.argsort(-np.abs(adds[used]), kind="stable")]
    plus, minus = order[adds[order] > 0][:STRONGEST], order[adds[order] < 0][:STRONGEST]
    both: Rows = np.concatenate([plus, minus])
    return both[np.argsort(-np.abs(adds[both]), kind="stable")]


def _user_row(model: Machines, table: Table) -> Any:
    matrix = model.design.matrix(table)
    return matrix if isinstance(matrix, np.ndarray) else matrix[[0]]


def _differences(functions: KernelFunctions, seen: Any) -> tuple[Any, Numbers | None]:
    """Return a function that gives differences of some vectors and the row, and the distances of all; None if given."""
    if functions.vectors is None:
        return None, None
    own = functions.kernel_vectors
    if isinstance(own, np.ndarray):
        with np.errstate(over="ignore"):
            far = np.sqrt(np.square(own - seen).sum(axis=1))
        return (lambda some: own[some] - seen), far
    squares = np.asarray(own.multiply(own).sum(axis=1)).ravel() + float(np.square(seen.data).sum())
    far = np.sqrt(np.maximum(squares - 2 * (own @ seen.T).toarray().ravel(), 0.0))
    return (lambda some: (own[some] - _repeat_row(seen, len(some))).toarray()), far


def _repeat_row(row: Any, n: int) -> Any:
    from scipy.sparse import vstack

    return vstack([row] * n, format="csr") if n else row[[]]


def second_class(model: Machines, shares: Numbers, decided: int) -> int:
    """Return the class that comes next to the one decided for."""
    others: Codes = model.codes.used[model.codes.used != decided].astype(np.int32)
    return int(others[shares[others].argmax()]) if len(others) else -1
