"""From solved machines to the model: functions on the user's scale, and notes on problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers, Table
from hedgerow.layout.rounding import round_within
from hedgerow.learn.linear.least_squares.products import Means
from hedgerow.learn.linear.logistic.fit import round_for_print
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.learn.svm.solving import SolvedMachines, SvmSettings
from hedgerow.models.base.model import About
from hedgerow.models.svm.function_arrays import Chances
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions, support_positions
from hedgerow.models.svm.given_kernels import Precomputed
from hedgerow.models.svm.kernel_function import RBF, KernelFunction
from hedgerow.models.svm.machines import Machines

FINE = 1e-7  # of a decision value: what b is rounded by at most
MOST_ROWS = 2**53  # of a class, as they are told
MOST_NAMED = 3  # machines that a note names
DEAF = 1e-3  # a machine whose f varies by no more says the same of every row


def make_model(
    table: Table,
    points: SvmPoints,
    settings: SvmSettings,
    solved_machines: SolvedMachines,
    chances: Chances,
    digits: int,
    notes: tuple[str, ...],
) -> Machines:
    """Return the model; the vectors of kernel machines are rows of the table."""
    heavy = np.bincount(points.labels, points.weights, settings.codes.n_classes)
    rows = np.where(heavy > 0, np.clip(np.rint(heavy), 1, MOST_ROWS), 0).astype(np.int64)
    about, schema, single = About(notes=notes), points.design.schema, len(points.seen_classes) < 2
    if solved_machines.slopes is None:  # b as it prints
        solved_machines = replace(
            solved_machines, intercepts=np.array([round_within(b, FINE) for b in solved_machines.intercepts.tolist()])
        )
    functions: LinearFunctions | KernelFunctions
    design = points.design
    if solved_machines.slopes is not None:
        functions = _linear(points, solved_machines.intercepts, solved_machines.slopes, digits)
    elif isinstance(settings.kernel, Precomputed):
        design = _columns(design, schema.predictors, support_positions(solved_machines.sides).tolist())
        functions = KernelFunctions.of(
            settings.kernel, None, None, points.labels, solved_machines.sides, solved_machines.intercepts
        )
    else:
        functions = _kernel(table, points, settings, solved_machines)
    figures = None if single else solved_machines.figures
    return Machines(schema, design, settings.codes, functions, rows, chances, figures, about=about)


def _linear(points: SvmPoints, intercepts: Numbers, slopes: Numbers, digits: int) -> LinearFunctions:
    """Return functions of the user's columns, as they print."""
    frame, total = points.frame, float(points.weights.sum())
    means = np.asarray(points.matrix.T @ points.weights).ravel() / total
    squares = points.matrix * points.matrix if isinstance(points.matrix, np.ndarray) else points.matrix.power(2)
    deviations = np.sqrt(np.maximum(np.asarray(squares.T @ points.weights).ravel() / total - means * means, 0.0))
    factors = np.where(frame.factors > 0, frame.factors, 1.0)
    spread = Means(total, frame.centers + means / factors, deviations / factors, 0.0, 1.0)
    starts, own = frame.to_user_scale(np.column_stack([slopes, intercepts]))
    pairs = [round_for_print(float(b), w, spread, digits) for b, w in zip(starts, own, strict=True)]
    return LinearFunctions(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]).reshape(own.shape))


def _kernel(table: Table, points: SvmPoints, settings: SvmSettings, solved_machines: SolvedMachines) -> KernelFunctions:
    """Return sums over support vectors, which are in the order of the table."""
    kept = support_positions(solved_machines.sides)
    order = np.argsort(points.rows[kept], kind="stable")
    place = np.empty(len(kept), dtype=np.int64)
    place[order] = np.arange(len(kept))
    kept = kept[order]
    sides = [(place[np.searchsorted(np.sort(kept), own)], alphas) for own, alphas in solved_machines.sides]
    matrix = points.design.matrix(table.take(points.rows[kept]))
    return KernelFunctions.of(
        settings.kernel, points.frame, matrix, points.labels[kept], sides, solved_machines.intercepts, points.rows[kept]
    )  # fmt: skip


def _columns(design: Design, predictors: Sequence[int], kept: Sequence[int]) -> Design:
    """Return the design of some of the columns, by their position among the predictors."""
    wanted = {predictors[place] for place in kept}
    return Design(design.schema, tuple(part if i in wanted else None for i, part in enumerate(design.parts)))


# -- notes ----------------------------------------------------------------------------------------------------


def solution_notes(
    points: SvmPoints, settings: SvmSettings, solved_machines: SolvedMachines, unused: Sequence[str]
) -> list[str]:
    """Return notes on the solutions of the machines."""
    notes = []
    if unused:
        have = "are" if len(unused) > 1 else "is"
        notes.append(f"{' and '.join(unused)} {have} not used by the kernel {settings.kernel.name!r}")
    if len(points.seen_classes) < 2:
        return notes
    apart = np.flatnonzero(~solved_machines.separable)
    if settings.cost == inf and len(apart):
        bends = ", or a nonlinear kernel (kernel='rbf')" if settings.is_linear else ""
        notes.append(
            f"no hard margin exists{_name_machines(points, settings, apart.tolist())}: the classes overlap, and "
            "the solver "
            f"stopped early; give a finite C (such as C=100){bends}"
        )
    rough = np.flatnonzero(
        ~solved_machines.figures.settled
        & solved_machines.separable
        & (solved_machines.figures.violation > settings.rough)
    )
    if len(rough):
        worst = float(np.nanmax(solved_machines.figures.violation[rough]))
        notes.append(
            f"the solver ended{_name_machines(points, settings, rough.tolist())} before it reached a tolerance of "
            f"{settings.rough:g}: the largest violation of the optimality conditions is {worst:.2g}; use more "
            "iterations, a smaller C, or columns on the same scale"
        )
    return [*notes, *_constant_machine_notes(points, settings, solved_machines)]


def _constant_machine_notes(points: SvmPoints, settings: SvmSettings, solved_machines: SolvedMachines) -> list[str]:
    """Return which machines say the same of every row, as w is 0: no boundary is worth its slack at this C."""
    if not isinstance(settings.kernel, KernelFunction) or settings.cost == inf:
        return []
    reach = float(np.sqrt(np.maximum(settings.kernel.diagonal(points.matrix), 0.0)).max(initial=0.0))
    same = 2 * reach <= DEAF * solved_machines.figures.margin  # |f - b| <= |w| |x|, and |w| = 2 / margin
    deaf = np.flatnonzero(same & ~solved_machines.figures.has_duality_gap).tolist()
    levels = points.design.schema.target_column.levels
    if not deaf:
        return []
    if not points.matrix.shape[1]:
        return ["no column has different values: every row gets the same prediction"]
    other = "a smaller sigma" if settings.kernel.name == RBF else "kernel='rbf'"
    ways = f"a larger C, class_weight='balanced', or {other}"
    if len(settings.codes) == 1:
        minus, plus = settings.codes.sides(0)
        text = levels[(plus if solved_machines.intercepts[0] >= 0 else minus)[0]]
        return [f"at this C no boundary is better than none: the machine predicts {text!r} everywhere; try {ways}"]
    if len(settings.codes.sides(deaf[0])[0]) == 1:  # pairs, of which others still vote
        return []
    names = ", ".join(repr(levels[settings.codes.sides(machine)[1][0]]) for machine in deaf[:MOST_NAMED])
    more = f" and {len(deaf) - MOST_NAMED} other classes" if len(deaf) > MOST_NAMED else ""
    text = f"against the rest, no boundary is better than none for {names}{more}: f is the same for every row"
    return [f"{text}, so it carries no information about the class; try classes='pairs', {ways}"]


def _name_machines(points: SvmPoints, settings: SvmSettings, machines: Sequence[int]) -> str:
    """Return the names of the machines; empty if there is only one."""
    if len(settings.codes) == 1:
        return ""
    levels, named = points.design.schema.target_column.levels, []
    for machine in machines[:MOST_NAMED]:
        minus, plus = settings.codes.sides(int(machine))
        other = levels[minus[0]] if len(minus) == 1 else "the rest"
        named.append(f"{levels[plus[0]]} and {other}")
    more = f" and {len(machines) - MOST_NAMED} other machines" if len(machines) > MOST_NAMED else ""
    return f" between {'; '.join(named)}{more}"
