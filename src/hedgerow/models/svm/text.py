"""Support vector machines as text: the functions, coefficients or support vectors, and the quality of the solution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.design.blocks import LevelBlock, NumberBlock, TermBlock
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.numbers import format_number
from hedgerow.layout.text_table import align_number_columns
from hedgerow.layout.wrapping import LINE_WIDTH
from hedgerow.models.linear.calibrator import Sigmoid
from hedgerow.models.linear.text import SUM, quote_name
from hedgerow.models.svm.coefficients_text import slopes_lines
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.given_kernels import Precomputed
from hedgerow.models.svm.kernel_function import RBF, SIGMOID, Kernel, KernelFunction
from hedgerow.models.svm.multiclass import NONE, ONE, REST
from hedgerow.models.svm.solution_quality import DEVIATION, UNSCALED, MachineFigures

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

MOST_MACHINES = 20  # that have a line of their own
MOST_CLASSES = 50
CROWDED = 0.9  # share of rows that are support vectors, from which on it is told what that means
FEW_ROWS = 20
SQUEEZED = "votes + s / (3 (|s| + 1)), s being the sum of f for it less that against it"


def machines_text(model: Machines) -> str:
    """Return support vector machines as people read them."""
    if model.form == NONE:
        only = model.classes[model.codes.used[0]]
        return f"{quote_name(model.schema.target_column.name)} is {quote_name(only)}; there is no other class"
    blocks = [[*_title(model), *_decision(model), *_chances(model)]]
    if isinstance(model.functions, LinearFunctions):
        blocks.append(slopes_lines(model, model.functions))
        blocks.append(machine_lines(model))
    else:
        blocks += [machine_lines(model), _vector_lines(model, model.functions)]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


# -- functions ---------------------------------------------------------------------------------------------


def _title(model: Machines) -> list[str]:
    many = "A support vector machine" if len(model) == 1 else f"{len(model):,} support vector machines"
    kind = "linear" if isinstance(model.functions, LinearFunctions) else "with a kernel"
    lines = [f"{many}, {kind}{_cost_text(model.figures)}"]
    if isinstance(model.functions, KernelFunctions):
        kernel = model.functions.kernel
        sigma = ""
        if isinstance(kernel, KernelFunction) and kernel.name == RBF:
            sigma = f" (sigma {math.sqrt(0.5 / kernel.gamma):.4g})"
        text, seen = f"K(x, z) = {kernel.describe()}{sigma}", _describe_columns(model, model.functions)
        together = f"{text}{', ' if seen else ''}{seen}"
        lines += [together] if count_cells(together) <= LINE_WIDTH else [f"{text},", f"  {seen}"]
        lines += _describe_suited_parameters(model, kernel)
    return lines


def _describe_suited_parameters(model: Machines, kernel: Kernel) -> list[str]:
    """Return the origin of a default parameter of the kernel, as far as the model records it."""
    parameters, places = model.about.parameters, model.design.width
    if not parameters or not places or not isinstance(kernel, KernelFunction):
        return []
    if kernel.name == RBF and parameters.get("gamma") is None and parameters.get("sigma") is None:
        name, value = "gamma", kernel.gamma
    elif kernel.name == SIGMOID and parameters.get("slope") is None:
        name, value = "slope", kernel.slope
    else:
        return []
    spread = 1 / (value * places)
    wide = "1 dimension" if places == 1 else f"{places:,} dimensions"
    return [f"{name} {value:.4g} is the default: 1 / ({wide} * {spread:.4g}, the variance of the values)"]


def _cost_text(figures: MachineFigures | None) -> str:
    if figures is None:
        return ""
    if math.isinf(figures.cost):
        return ", hard margin"
    return f", C = {format_number(figures.cost)}" + (", squared slacks" if figures.power == 2 else "")


def _describe_columns(model: Machines, functions: KernelFunctions) -> str:
    """Return how the kernel sees the columns."""
    if isinstance(functions.kernel, Precomputed) or functions.frame is None:
        return ""
    scale = None if model.figures is None else model.figures.scale
    parts = [part for _, part in model.design.used_blocks]
    if scale is None or scale == UNSCALED or not any(isinstance(part, NumberBlock) for part in parts):
        return ""
    centered = "centered and " if functions.frame.centers.any() else ""
    how = "divided by their standard deviations" if scale == DEVIATION else "divided by their ranges"
    indicators = any(isinstance(part, LevelBlock) or getattr(part, "gaps", False) for part in parts)
    others = ["", *(["levels as 0 and 1"] if indicators else [])]
    others += ["texts as weighted terms"] if any(isinstance(part, TermBlock) for part in parts) else []
    return f"numbers {centered}{how}" + ", ".join(others)


def _decision(model: Machines) -> list[str]:
    """Return the meaning of f, and the class that it decides for."""
    linear = isinstance(model.functions, LinearFunctions)
    f = SUM if linear else "b + the sum of alpha y K(vector, row) over its support vectors"
    if model.form == ONE:
        second, first = (quote_name(name) for name in model.side_names(0))
        return [f"f = {f}", f"{second} if f >= 0, else {first}"]
    if model.form == REST:
        return [f"f of each class against the rest = {f}", "The class with the largest f is predicted"]
    return [
        f"f of each pair = {f}",
        "Each votes for the first class of its pair if f >= 0, otherwise for the second",
        f"score of a class = {SQUEEZED}",
        "The class with the largest score is predicted",
    ]


def _chances(model: Machines) -> list[str]:
    """Return how probabilities come about."""
    chances = model.chances
    if isinstance(chances, tuple):
        return _describe_calibration(model)
    heat = 1.0 if chances is None else chances.value
    no = "; this is not fitted, and not a probability" if chances is None else ""
    over = "" if heat == 1 else f" / {format_number(heat)}"
    if model.form == ONE:
        half = heat / 2
        odds = f"f / {format_number(half)}" if half >= 1 else f"{format_number(1 / half)} f" if heat == 1 else ""
        odds = odds or f"f / {format_number(half)}"
        return [f"log-odds of {quote_name(model.side_names(0)[0])} = {odds}{no}"]
    if model.form == REST:
        return [f"P(class) = exp(f{over}), normalized to sum to 1{no}"]
    if chances is None:
        return [f"P(class) = exp(score), normalized to sum to 1{no}"]
    return [
        f"P(class) = exp(e{over}), normalized to sum to 1, where e is s with every f clipped to [-1, 1];",
        "  if a class other than the predicted one has the largest P, the two values are exchanged",
    ]


def _describe_calibration(model: Machines) -> list[str]:
    assert isinstance(model.chances, tuple)
    if model.form == ONE:
        second, one = quote_name(model.side_names(0)[0]), model.chances[0]
        equals = "= " if isinstance(one, Sigmoid) else ""
        lines = [f"P({second}) {equals}{one.description}; the prediction uses the sign of f, not P"]
        if isinstance(one, Sigmoid) and one.a < 0:
            lines[0] = (
                f"P({second}) = {one.description}, which is 1/2 at f = {-one.b / one.a:.4g}; the prediction "
                "uses the sign of f"
            )
        return lines
    sigmoid = all(isinstance(one, Sigmoid) for one in model.chances)
    own = "1 / (1 + exp(A f + B))" if sigmoid else "a non-decreasing function of f"
    after = "normalized to sum to 1" if model.form == REST else "coupled (Wu, Lin and Weng 2004)"
    return [f"P(class): {own} of each machine, {after}; the prediction uses f, not P"]


# -- machines -------------------------------------------------------------------------------------------------


def machine_name(model: Machines, number: int) -> str:
    """Return `yes against no`: f >= 0 speaks for the first."""
    one, other = model.side_names(number)
    return f"{quote_name(one)} against {other if model.form == REST else quote_name(other)}"


def machine_lines(model: Machines, numbers: Sequence[int] | None = None) -> list[str]:
    """Return the table of machines, or of some, and how well they are solved."""
    shown = range(min(len(model), MOST_MACHINES)) if numbers is None else numbers
    head, body = ["machine"], [[machine_name(model, number) for number in shown]]
    if model.figures is not None:
        columns = _figure_columns(model.figures)
        head += [title for title, _ in columns]
        body += [[cells[number] for number in shown] for _, cells in columns]
    if isinstance(model.functions, KernelFunctions):
        head.append("b")
        body.append([format_number(float(model.functions.intercepts[number])) for number in shown])
    if isinstance(model.chances, tuple) and all(isinstance(one, Sigmoid) for one in model.chances) and len(model) > 1:
        head += ["A", "B"]
        body += [[format_number(float(getattr(model.chances[n], name))) for n in shown] for name in ("a", "b")]
    if len(head) == 1:
        return []
    lines = align_number_columns(head, body)
    left = len(model) - len(shown)
    if left and numbers is None:
        more = "one more machine" if left == 1 else f"{left:,} more machines"
        lines.append(
            f"... and {more}; to print one: print(model.member({MOST_MACHINES})), or hedgerow show FILE --member "
            f"{MOST_MACHINES}"
        )
    return [*lines, *_figure_notes(model, range(len(model)) if numbers is None else numbers)]


def _figure_columns(figures: MachineFigures) -> list[tuple[str, list[str]]]:
    columns = [("rows", [f"{n:,}" for n in figures.rows.tolist()])]
    columns.append(("vectors", [f"{n:,}" for n in figures.vectors.tolist()]))
    if figures.bounded.any():
        columns.append(("free", [f"{n:,}" for n in figures.free.tolist()]))
        columns.append(("at C", [f"{n:,}" for n in figures.bounded.tolist()]))
    margin = np.where(figures.has_duality_gap & np.isinf(figures.margin), np.nan, figures.margin)  # w.w is below 0
    columns.append(("margin", [_figure(value, 4) for value in margin.tolist()]))
    told = (("primal", figures.primal), ("dual", figures.dual))
    columns += [(name, [_figure(value) for value in own.tolist()]) for name, own in told]
    small = (("gap", figures.gap), ("worst KKT", figures.violation))
    columns += [(name, [_small(value) for value in own.tolist()]) for name, own in small]
    return columns


def _figure(value: float, digits: int = 6) -> str:
    if math.isnan(value):
        return "-"
    return "infinite" if math.isinf(value) else f"{value:.{digits}g}"


def _small(value: float) -> str:
    return _figure(value) if not math.isfinite(value) else "0" if value < 1e-15 else f"{value:.1e}"


def _figure_notes(model: Machines, numbers: Sequence[int]) -> list[str]:
    """Return further notes: the unit of the margin, and machines that are not solved."""
    figures, notes = model.figures, []
    if figures is None:
        return []
    if isinstance(model.functions, LinearFunctions) and figures.scale != UNSCALED:
        unit = "standard deviations" if figures.scale == DEVIATION else "ranges"
        if any(isinstance(part, NumberBlock) for _, part in model.design.used_blocks):
            notes.append(f"The margin is measured in columns divided by their {unit}")
    if isinstance(model.functions, KernelFunctions) and figures.has_duality_gap[list(numbers)].any():
        notes += [
            "Where the gap is not small, K is not positive semidefinite: it is not the inner product of any features.",
            "The optimality conditions hold, but there may be better solutions;",
            "rbf has no such gap, nor does poly with theta >= 0",
        ]
    open_ = [number for number in numbers if not figures.settled[number]]
    for number in open_[:3]:
        steps = f"{figures.iterations[number]:,} step{'' if figures.iterations[number] == 1 else 's'}"
        notes.append(f"{machine_name(model, number)}: NOT converged to its tolerance after {steps}")
    if len(open_) > 3:
        notes.append(f"... and {len(open_) - 3:,} more did not converge")
    return notes


# -- support vectors ------------------------------------------------------------------------------------------


def _vector_lines(model: Machines, functions: KernelFunctions) -> list[str]:
    """Return how many support vectors each class has, with a note if nearly all rows are."""
    counts = np.bincount(functions.labels, minlength=len(model.classes))
    codes = model.codes.used.tolist()
    shown = codes[:MOST_CLASSES]
    shares = [counts[code] / model.rows[code] for code in codes]
    body = [
        ["all", *(quote_name(model.classes[code]) for code in shown)],
        [f"{n:,}" for n in (int(model.rows.sum()), *model.rows[shown].tolist())],
        [f"{n:,}" for n in (functions.size, *counts[shown].tolist())],
        [f"{share:.1%}" for share in (functions.size / max(int(model.rows.sum()), 1), *shares[: len(shown)])],
    ]
    body = [[*column[1:], column[0]] for column in body]  # the sum below
    lines = align_number_columns(["support vectors of", "rows", "vectors", "share"], body)
    if len(codes) > MOST_CLASSES:
        lines.insert(-1, f"... and {len(codes) - MOST_CLASSES} more classes")
    return [*lines, *_crowd(model, functions)]


def _crowd(model: Machines, functions: KernelFunctions) -> list[str]:
    rows = int(model.rows.sum())
    if rows < FEW_ROWS or functions.size < CROWDED * rows:
        return []
    text = "Nearly all rows are support vectors"
    narrow = "the kernel is so narrow that it is nearly 0 between different rows"
    bounded = model.figures is not None and model.figures.bounded.sum() > model.figures.free.sum()
    if bounded:
        return [f"{text}, most of them at the bound C: the margin is wide and soft; try a larger C"]
    if isinstance(functions.kernel, KernelFunction) and functions.kernel.name == RBF:
        return [f"{text}: {narrow};", "try a larger sigma, which is a smaller gamma"]
    return [f"{text}: the kernel finds little similarity between rows; try other kernel parameters"]
