"""The kernel that a learner's parameters mean, on given points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.layout.rounding import round_digits
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.models.svm.given_kernels import PRECOMPUTED, CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import LINEAR, POLY, RBF, SIGMOID, Kernel, KernelFunction

if TYPE_CHECKING:
    from hedgerow.learn.svm.svm import SVM


def make_kernel(learner: SVM, points: SvmPoints) -> Kernel:
    """Return the kernel with its numbers; what is not given suits the points."""
    name = learner.kernel
    if callable(name):
        return CallableKernel(name)
    if name == PRECOMPUTED:
        return Precomputed()
    if name == "auto":
        name = LINEAR if points.is_sparse else RBF
    if name == POLY:
        gamma = 1.0 if learner.gamma is None else float(learner.gamma)
        return KernelFunction(POLY, gamma=gamma, theta=float(learner.theta), degree=int(learner.degree))
    if name == SIGMOID:
        slope = default_gamma(points) if learner.slope is None else float(learner.slope)
        return KernelFunction(SIGMOID, slope=slope, delta=float(learner.delta))
    if name == LINEAR:
        return KernelFunction(LINEAR)
    if learner.sigma is not None:
        return KernelFunction.gaussian(float(learner.sigma))
    return KernelFunction(RBF, gamma=default_gamma(points) if learner.gamma is None else float(learner.gamma))


def default_gamma(points: SvmPoints) -> float:
    """Return 1 / (positions * variance of all entries), as scikit-learn's `scale`; 1 where all entries are equal."""
    spread = points.matrix.shape[1] * points.spread
    return round_digits(1 / spread) if spread > 1e-300 else 1.0
