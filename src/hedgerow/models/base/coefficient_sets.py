"""The coefficients of a model of linear functions, in the form that reports compare."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers

NORMAL_95 = 1.959963984540054  # half of a 95 % interval, in standard errors


@dataclass(frozen=True, eq=False)
class FunctionCoefficients:
    """The coefficients of one linear function.

    Parameters
    ----------
    title
        What the function speaks for.
    slopes
        One per position of the design, on the user's scale.
    errors
        Their standard errors, NaN where there is none; None if the model has none.
    reach
        Half of a 95 % interval, in standard errors.
    """

    title: str
    slopes: Numbers
    errors: Numbers | None = None
    reach: float = NORMAL_95


@dataclass(frozen=True, eq=False)
class CoefficientSets:
    """The linear functions of a model over the positions of its design.

    Parameters
    ----------
    design
        The columns and terms of the positions.
    functions
        The functions; of two that are opposite only the first.
    mirrored
        The class with the negative function; empty if there is none.
    called
        What the functions are.
    """

    design: Design
    functions: tuple[FunctionCoefficients, ...]
    mirrored_class: str = ""
    value_name: str = "functions"
