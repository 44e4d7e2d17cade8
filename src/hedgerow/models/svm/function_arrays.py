"""Functions of support vector machines as parts of model files, and their checks when they come back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import (
    array_part,
    codes_part,
    expect_parts,
    numbers_part,
    restore_sparse,
    sparsify,
)
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.linear.calibrator import IsotonicSteps, Sigmoid, Temperature, read_calibrator
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import read_kernel

Functions = LinearFunctions | KernelFunctions
Chances = Temperature | tuple[Sigmoid | IsotonicSteps, ...] | None
LINEAR, KERNEL = "linear", "kernel"
KERNEL_PARTS = ("kernel", "frame", "vectors", "labels", "rows", "starts", "places", "coefs", "intercepts")


def functions_parts(functions: Functions) -> dict[str, Any]:
    """Return functions as JSON values and arrays."""
    if isinstance(functions, LinearFunctions):
        return {"kind": LINEAR, "intercepts": functions.intercepts, "slopes": sparsify(functions.slopes)}
    kernel, frame = functions.kernel, functions.frame
    own = {name: getattr(functions, name) for name in KERNEL_PARTS[3:]}
    return {
        "kind": KERNEL,
        "kernel": kernel if isinstance(kernel, CallableKernel) else kernel.to_dict(),
        "frame": None if frame is None else {"centers": frame.centers, "factors": frame.factors},
        "vectors": _vectors_parts(functions.vectors),
        **own,
    }


def _vectors_parts(vectors: Any) -> Any:
    if vectors is None or isinstance(vectors, np.ndarray):
        return vectors
    starts, places = (np.asarray(own, dtype=np.int64) for own in (vectors.indptr, vectors.indices))
    return {"starts": starts, "places": places.astype(np.int32), "values": np.asarray(vectors.data, dtype=np.float64)}


def read_functions(parts: Any, design: Design, machines: int, classes: int) -> Functions:
    """Return the functions with these parts; inconsistent parts raise an error."""
    kind = parts.get("kind") if isinstance(parts, dict) else None
    if kind == LINEAR:
        expect_parts(parts, "kind", "intercepts", "slopes")
        intercepts = numbers_part(parts, "intercepts", machines)
        return LinearFunctions(intercepts, restore_sparse(parts, "slopes", machines, design.width))
    if kind != KERNEL:
        raise ModelError(f"its functions must be {LINEAR!r} or {KERNEL!r}")
    expect_parts(parts, "kind", *KERNEL_PARTS)
    kernel = read_kernel(parts["kernel"])
    labels = codes_part(parts, "labels", np.int32, None, classes)
    n = len(labels)
    rows = array_part(parts, "rows", np.int64, n)
    if n and (rows[0] < 0 or (np.diff(rows) <= 0).any()):
        raise ModelError("the rows of its support vectors must ascend")
    frame, vectors = None, None
    if isinstance(kernel, Precomputed):
        if parts["frame"] is not None or parts["vectors"] is not None or design.width != n:
            raise ModelError("a precomputed kernel needs one column per support row, and no vectors")
        if not all(isinstance(part, NumberBlock) and not part.gaps for _, part in design.used_blocks):
            raise ModelError("the columns of a precomputed kernel must be numbers")
    else:
        frame = _frame(parts["frame"], design.width)
        vectors = _vectors(parts, n, design.width)
        if frame.centers[~_numbers(design)].any():
            raise ModelError("only numbers can be centered")
    return KernelFunctions(kernel, frame, vectors, labels, rows, *_coefs(parts, machines, n))


def _numbers(design: Design) -> NDArray[np.bool_]:
    """Return which positions are numbers."""
    out = np.zeros(design.width, dtype=np.bool_)
    for (_, part), start in zip(design.used_blocks, design.starts, strict=False):
        out[start] = isinstance(part, NumberBlock)
    return out


def _frame(parts: Any, width: int) -> DesignScaling:
    expect_parts(parts, "centers", "factors")
    return DesignScaling(numbers_part(parts, "centers", width), numbers_part(parts, "factors", width))


def _vectors(parts: dict[str, Any], n: int, width: int) -> Any:
    if not isinstance(parts["vectors"], dict):
        return numbers_part(parts, "vectors", n, width)
    from scipy.sparse import csr_array

    own = parts["vectors"]
    expect_parts(own, "starts", "places", "values")
    places = codes_part(own, "places", np.int32, None, width)
    starts = _starts(own, n, len(places))
    inside = np.ones(max(len(places) - 1, 0), dtype=np.bool_)
    inside[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(places))] - 1] = False
    if (np.diff(places)[inside] <= 0).any():
        raise ModelError("the positions of a sparse vector must ascend")
    return csr_array((numbers_part(own, "values", len(places)), places, starts), shape=(n, width))


def _starts(parts: dict[str, Any], runs: int, total: int) -> Any:
    starts = array_part(parts, "starts", np.int64, runs + 1)
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise ModelError(f"its part 'starts' does not ascend from 0 to {total}")
    return starts


def _coefs(parts: dict[str, Any], machines: int, n: int) -> tuple[Any, ...]:
    places = codes_part(parts, "places", np.int32, None, n)
    starts = _starts(parts, machines, len(places))
    coefs = numbers_part(parts, "coefs", len(places))
    machine = np.repeat(np.arange(machines, dtype=np.int64), np.diff(starts))
    if (np.diff(machine * max(n, 1) + places) <= 0).any() or (coefs == 0).any():
        raise ModelError("the support vectors of a machine must ascend, and have coefficients other than 0")
    if len(np.unique(places)) != n:
        raise ModelError("it contains a support vector that no machine uses")
    return starts, places, coefs, numbers_part(parts, "intercepts", machines)


def chances_parts(chances: Chances) -> Any:
    """Return the calibration of probabilities as JSON values and arrays."""
    if isinstance(chances, tuple):
        return [one.to_dict() for one in chances]
    return None if chances is None else chances.to_dict()


def read_probability_functions(parts: Any, machines: int) -> Chances:
    """Return the calibration of the values of so many machines; inconsistent parts raise an error."""
    if parts is None:
        return None
    if not isinstance(parts, list):
        single = read_calibrator(parts)
        if not isinstance(single, Temperature):
            raise ModelError("the calibrators must be a list, one per machine")
        return single
    many = tuple(one for one in map(read_calibrator, parts) if not isinstance(one, Temperature))
    if len(many) != len(parts) or len(many) != machines:
        raise ModelError("it needs one calibrator per machine")
    return many
