"""Support vector machines: classes distinguished by the widest margin, straight or through a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Table
from hedgerow.data.text.term_space import IDFS
from hedgerow.data.text.term_vectors import NORMS, TFS
from hedgerow.errors import UsageError
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import (
    by_class_param,
    choice,
    choice_or_function,
    fitted_attribute,
    flag,
    integer,
    real,
    seed,
    size,
    to_amount,
)
from hedgerow.learn.passes import Plan
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.svm.class_costs import class_factors
from hedgerow.learn.svm.kernel import make_kernel
from hedgerow.learn.svm.points import SvmPoints, make_points, points_from_kernel
from hedgerow.learn.svm.probabilities import AUTO, ISOTONIC, NONE, PLATT, fit_probabilities, refits
from hedgerow.learn.svm.shown_work import SVMWork, make_work
from hedgerow.learn.svm.sklearn_attributes import SklearnAttributes
from hedgerow.learn.svm.solving import SolvedMachines, SvmSettings, solve_machines
from hedgerow.learn.svm.time_estimate import warn_of_effort
from hedgerow.learn.svm.to_model import make_model, solution_notes
from hedgerow.learn.svm.warm_starts import learn_each_machine
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.learn.train_many import TrainsMany
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.svm.given_kernels import PRECOMPUTED, Precomputed
from hedgerow.models.svm.kernel_function import LINEAR, POLY, RBF, SIGMOID, KernelFunction
from hedgerow.models.svm.machines import Machines
from hedgerow.models.svm.solution_quality import DEVIATION, RANGE, UNSCALED

PAIRS, REST = "pairs", "rest"
SMALL, FINE, MEDIUM, COARSE = 2000, 1e-6, 1e-4, 1e-3  # points up to which machines are solved finely; tolerances
LARGE = 20_000  # points from which on they are solved as coarsely as libsvm does
SPARSE = 1e-2  # tolerance of linear machines of sparse columns, ten times as fine as liblinear's


@dataclass(frozen=True, eq=False)
class SvmInput:
    """The parts that are the same for every C and gamma: points, their table, and notes."""

    points: SvmPoints
    table: Table
    notes: tuple[str, ...] = ()


class SVM(SklearnAttributes, Classifier, TextLearner, TrainsMany):
    """Support vector machine: the classes are separated with the widest margin, linearly or through a kernel.

    Numbers are scaled, levels become one dimension each, missing numbers are replaced by the mean and have a dimension
    of their own, texts are tf-idf vectors. Sparse data such as texts get a linear machine by default, other data a
    Gaussian kernel. More than two classes have one machine per pair, which vote, or one machine each against the rest.

    Notes
    -----
    A machine minimizes w.w / 2 + C times the sum of slack^power, where slack is the distance of a row from its side of
    the margin; C of a row is multiplied by its weight. The intercept is not penalized. Without `gamma` or `sigma` a
    Gaussian kernel has gamma = 1 / (positions * variance of all their entries), which adapts to the scale of the data;
    C and gamma are worth tuning. Predictions use the margins; probabilities are fitted to decision values of held-out
    rows.

    References
    ----------
    C. Cortes, V. Vapnik, Support-vector networks. Machine Learning 20 (1995).
    R.-E. Fan, P.-H. Chen, C.-J. Lin, Working set selection using second order information. JMLR 6 (2005).
    J. C. Platt, Probabilistic outputs for support vector machines (1999).
    T.-F. Wu, C.-J. Lin, R. C. Weng, Probability estimates by pairwise coupling. JMLR 5 (2004).

    Examples
    --------
    >>> table = Table.of({"a": [0.0, 1, 0], "b": [0.0, 0, 1], "side": ["no", "yes", "yes"]}, "side")
    >>> model = SVM(kernel="linear", C=float("inf"), scale="none").train(table)
    >>> model.functions.slopes.tolist(), model.functions.intercepts.tolist()
    ([[2.0, 2.0]], [-1.0])
    """

    kernel: Any = choice_or_function(
        AUTO,
        "the kernel function of two rows; auto: linear for texts and other sparse data, otherwise rbf",
        AUTO,
        LINEAR,
        POLY,
        RBF,
        SIGMOID,
        PRECOMPUTED,
    )
    C: float = real(1.0, "penalty on slack; inf: a hard margin", above=0, infinite=True)
    gamma: float | None = real(
        None,
        "of rbf, exp(-gamma |x - z|^2), set from the variance of the data if none; of poly, 1 if none",
        above=0,
        none=True,
    )
    sigma: float | None = real(
        None, "alternative to gamma: gamma = 1 / (2 sigma^2); give only one of the two", above=0, none=True
    )
    degree: int = integer(3, "of poly, (<x.z> + theta)^degree", low=1, high=1000)
    theta: float = real(0.0, "of poly, the constant added to the inner product")
    slope: float | None = real(None, "of sigmoid, tanh(slope <x.z> - delta); as gamma of rbf if none", none=True)
    delta: float = real(0.0, "of sigmoid, the constant subtracted from the inner product")
    power: int = integer(1, "power of the slack in the objective: 1 or 2", low=1, high=2)
    class_weight: Any = by_class_param(
        "factor of C for the rows of each class; balanced: all classes have the same total weight",
        "yes=5,no=1",
        "balanced",
    )
    scale: str = choice(
        DEVIATION,
        "scale numbers to mean 0 and standard deviation 1, or to the range from 0 to 1, or leave them unscaled",
        DEVIATION,
        RANGE,
        UNSCALED,
    )
    classes: str = choice(
        AUTO,
        "one machine per pair of classes, or per class against the rest; auto: pairs, or rest if linear and sparse",
        AUTO,
        PAIRS,
        REST,
    )
    probabilities: str = choice(
        AUTO,
        "calibration from decision values of held-out rows: auto scales all of them and keeps the predictions; platt "
        "and isotonic are fitted to each machine; none: uncalibrated",
        AUTO,
        NONE,
        PLATT,
        ISOTONIC,
    )
    tol: float | None = real(
        None,
        "training stops when no optimality condition is violated by more; if none, 1e-6 to 1e-2 by size",
        above=0,
        high=1,
        none=True,
    )
    max_iter: int | None = integer(
        None, "maximum number of steps of a machine, or of passes of a linear one", low=1, none=True
    )
    cache: Any = size("memory for kernel values", "512M")
    sample: int | None = integer(None, "maximum number of rows to train on, as a stratified sample", low=2, none=True)
    digits: int = integer(6, "minimum number of significant digits of coefficients, printed and used", low=1, high=15)
    random_state: Any = seed()
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice("smooth", "inverse document frequency weighting", *IDFS)
    norm: str = choice("l2", "normalization of texts", *NORMS)
    trace: bool = flag(False, "print the work: the dual problem and its conditions, row by row", in_python=True)

    shows_work: ClassVar[bool] = True
    model_: Machines = fitted_attribute()

    # -- learning -------------------------------------------------------------------------------------------

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range, or two of them are contradictory."""
        super().check_params()
        if self.gamma is not None and self.sigma is not None:
            raise UsageError(
                f"gamma={self.gamma:g} and sigma={self.sigma:g} specify the same parameter, gamma = 1 / (2 sigma^2); "
                "give only one of them"
            )

    def learn(self, table: Table) -> Machines:
        """Return the model of a prepared table."""
        prepared = self.prepare_points(table)
        model, machines = self.machines(prepared)
        if self.trace:
            print(self._make_work(prepared, machines), end="\n\n")  # set if `trace` is on
        return model

    def learn_each(self, table: Table, learners: Sequence[SVM]) -> Iterator[tuple[int, Machines]]:
        """Yield the model of every learner, and its position among them; machines of one C begin with those before."""
        return learn_each_machine(table, learners)

    def deciding(self) -> SVM:
        """Return a learner of the same decisions that spares itself the probabilities, for those that ask for none."""
        return copy(self).set_params(probabilities=NONE)

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Raise: machines need all rows at once."""
        raise UsageError(
            "SVM needs all rows at once and cannot be trained on a stream; OnlineLinear(loss='hinge') trains a linear "
            "machine row by row (hedgerow online), or read the rows into a table, perhaps with sample=20000"
        )

    def prepare_points(self, table: Table) -> SvmInput:
        """Return the points of a table, which are the same for every C and gamma."""
        if self.kernel == PRECOMPUTED:
            return SvmInput(points_from_kernel(table), table)
        options = DesignOptions(EVERY, self.tokens(), self.limits(), self.weighting())
        points = make_points(Design.learn(table, options), table, self.scale)
        if self.sample is None or len(points) <= self.sample:
            return SvmInput(points, table)
        some = points.sample(int(self.sample), seed_number(self.random_state))
        note = (
            f"trained on {len(some):,} rows drawn from {len(points):,} different ones, because of sample={self.sample}"
        )
        return SvmInput(some, table, (note,))

    def machines(self, prepared: SvmInput, start: SolvedMachines | None = None) -> tuple[Machines, SolvedMachines]:
        """Return the model of points, and its machines, from which others of another C may start."""
        points, settings = prepared.points, self.settings(prepared.points)
        warn_of_effort(points, settings, refits(points, self.probabilities))
        solved_machines = solve_machines(points, settings, start=start)
        chances = fit_probabilities(points, settings, solved_machines, self.probabilities)
        notes = (*prepared.notes, *solution_notes(points, settings, solved_machines, self.unused_parameters(settings)))
        return make_model(
            prepared.table, points, settings, solved_machines, chances, int(self.digits), notes
        ), solved_machines

    def settings(self, points: SvmPoints) -> SvmSettings:
        """Return how the machines of points are learned."""
        kernel = make_kernel(self, points)
        linear = isinstance(kernel, KernelFunction) and kernel.name == LINEAR
        rough = linear and points.is_sparse
        rest = self.classes == REST or (self.classes == AUTO and rough)
        codes = CodeMatrix.one_vs_rest if rest else CodeMatrix.pairs
        levels = points.design.schema.target_column.levels
        return SvmSettings(
            kernel,
            codes(len(levels), points.seen_classes),
            float(self.C),
            class_factors(self.class_weight, points, levels),
            int(self.power),
            self._tolerance(len(points), rough),
            to_amount("size", self.cache) or 0.0,
            None if self.max_iter is None else int(self.max_iter),
            UNSCALED if isinstance(kernel, Precomputed) else self.scale,
            (SPARSE if rough else COARSE) if self.tol is None else float(self.tol),
            seed_number(self.random_state) % (1 << 31),
        )

    def _tolerance(self, n: int, rough: bool) -> float:
        if self.tol is not None:
            return float(self.tol)
        if rough and n > SMALL:
            return SPARSE
        return FINE if n <= SMALL else MEDIUM if n <= LARGE else COARSE

    def unused_parameters(self, settings: SvmSettings) -> list[str]:
        """Return the parameters that were given but that the kernel does not have."""
        name = settings.kernel.name
        parameters = {
            "gamma": (self.gamma is not None, (RBF, POLY)),
            "sigma": (self.sigma is not None, (RBF,)),
            "theta": (self.theta != 0, (POLY,)),
            "degree": (self.degree != 3, (POLY,)),
            "slope": (self.slope is not None, (SIGMOID,)),
            "delta": (self.delta != 0, (SIGMOID,)),
        }
        return [one for one, (is_given, kernels) in parameters.items() if is_given and name not in kernels]

    def _work(self, table: Table) -> SVMWork:
        return self._make_work(self.prepare_points(table), None)

    def _make_work(self, prepared: SvmInput, machines: SolvedMachines | None) -> SVMWork:
        return make_work(prepared.points, self.settings(prepared.points), machines)

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags; a precomputed kernel has one column per row."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags
