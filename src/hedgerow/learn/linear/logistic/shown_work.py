"""The steps of logistic regression: the log-likelihood and the coefficients after every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.data.design.design import Design
from hedgerow.layout.text_table import align_number_columns
from hedgerow.learn.linear.logistic.likelihood import LogisticSolution, SolverStep
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.linear.text import INTERCEPT, quote_name

MOST_STEPS = 20  # first steps that are printed
MOST_COEFFICIENTS = 10  # of a class
TITLES = {
    "newton": (
        "Newton's method (iteratively reweighted least squares)",
        "coefficients = coefficients + size * (inverse Hessian of the log-likelihood) * gradient",
    ),
    "lbfgs": ("L-BFGS steps", "the Hessian is approximated from the last few steps"),
    "ascent": ("Gradient ascent", "coefficients = coefficients + rate * the sum of (class - probability) * value"),
    "sgd": (
        "Stochastic gradient ascent",
        "coefficients = coefficients + rate * (class - probability) * value, row by row",
    ),
}


@dataclass(frozen=True, eq=False)
class LogisticWork:
    """The steps of a solver, for all classes or for each of them."""

    design: Design
    frame: DesignScaling
    solver: str
    parts: Sequence[tuple[Sequence[str], LogisticSolution]]  # the classes with functions, and the solution
    penalized: bool = False

    def __str__(self) -> str:
        lines = list(TITLES[self.solver])
        if self.penalized:
            lines.append("The penalty is subtracted from the log-likelihood")
        for classes, logistic_solution in self.parts:
            lines += ["", *self._part(classes, logistic_solution)]
        return "\n".join(lines)

    def _part(self, classes: Sequence[str], logistic_solution: LogisticSolution) -> list[str]:
        shown = logistic_solution.steps[: MOST_STEPS + 1]
        rest = (
            []
            if len(logistic_solution.steps) == len(shown)
            else ["...", *self._lines(classes, [logistic_solution.steps[-1]])[1:]]
        )
        lines = [*self._lines(classes, shown), *rest]
        if (
            logistic_solution.steps
            and logistic_solution.steps[-1].number != logistic_solution.passes
            and self.solver == "lbfgs"
        ):
            lines.append(f"{logistic_solution.passes} passes over the rows")
        lines.append(
            "The log-likelihood has converged"
            if logistic_solution.converged
            else f"Ended after {logistic_solution.passes} passes"
        )
        return [f"Log-odds of {', '.join(quote_name(name) for name in classes)}", *lines]

    def _lines(self, classes: Sequence[str], steps: Sequence[SolverStep]) -> list[str]:
        places = list(range(min(self.design.width, MOST_COEFFICIENTS)))
        if steps and steps[0].theta.shape[1] < self.design.width + 1:  # too many to store
            return align_number_columns(
                ["step", "log-likelihood", "size"],
                [[str(s.number) for s in steps], [f"{-s.cost:.9g}" for s in steps], [f"{s.size:g}" for s in steps]],
            )
        names = [INTERCEPT, *(quote_name(name) for name in self.design.names_of(places))]
        many = len(classes) > 1
        head = ["step", "log-likelihood", "size"]
        head += [f"{name} [{quote_name(one)}]" if many else name for one in classes for name in names]
        body: list[list[str]] = [[] for _ in head]
        for step in steps:
            intercepts, slopes = self.frame.to_user_scale(step.theta)
            cells = [str(step.number), f"{-step.cost:.9g}", f"{step.size:g}" if step.number else ""]
            for number in range(len(classes)):
                cells += [f"{value:.7g}" for value in [float(intercepts[number]), *slopes[number][places].tolist()]]
            for column, cell in zip(body, cells, strict=True):
                column.append(cell)
        return align_number_columns(head, body)
