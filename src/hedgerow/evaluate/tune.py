"""Choosing parameters by cross-validation within the training rows, independent of test rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import product
from typing import Any

from hedgerow.data.read import to_table
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.metrics import catalog, intervals
from hedgerow.evaluate.metrics.intervals import Estimate
from hedgerow.evaluate.results import Results
from hedgerow.evaluate.run_split import Progress, Trainable
from hedgerow.evaluate.validate import cross_validate_each
from hedgerow.layout.shown import ArrowTable
from hedgerow.learn.parameter_names import hint
from hedgerow.learn.params import Param
from hedgerow.learn.registry import resolve_learner
from hedgerow.learn.simplicity import simplest_near_best
from hedgerow.models.base.model import Model

RULES = ("best", "1se")
MOST_TOLD = 12  # so many candidates are told one by one in a model's notes


@dataclass(frozen=True)
class ParameterCandidate:
    """Values of the parameters, how well they did inside, and how large the models became on average."""

    values: dict[str, Any]
    learner: Trainable
    estimate: Estimate = field(default_factory=lambda: Estimate(math.nan))
    size: float = math.nan

    @property
    def text(self) -> str:
        """The values as they are written: `min_leaf=5, confidence=none`."""
        return ", ".join(f"{name}={value_text(value)}" for name, value in self.values.items())

    @property
    def result(self) -> str:
        """The values and how they did: `min_leaf=5: 0.12 ± 0.03, size 7`."""
        size = "" if math.isnan(self.size) else f", size {self.size:.3g}"
        return f"{self.text}: {self.estimate.value:.4g} ± {self.estimate.standard_error:.2g}{size}"


@dataclass(frozen=True)
class Tuning(ArrowTable):
    """What was tried on a table, and which candidate the rule chose."""

    candidates: tuple[ParameterCandidate, ...]
    chosen: ParameterCandidate
    reason: str

    def __repr__(self) -> str:
        return f"<Tuning: {self.text} of {len(self.candidates)} candidates>"

    def to_arrow(self) -> Any:
        """Return the candidates as an Arrow table: their parameters, value, low, high, size, chosen."""
        from hedgerow.data.frames.arrow import plain_table

        return plain_table(
            [
                {
                    **{name: value_text(value) for name, value in one.values.items()},
                    "value": one.estimate.value,
                    "low": one.estimate.low,
                    "high": one.estimate.high,
                    "size": one.size,
                    "chosen": one is self.chosen,
                }
                for one in self.candidates
            ]
        )

    @property
    def text(self) -> str:
        """The chosen values."""
        return self.chosen.text

    def train(self, data: Table) -> Model:
        """Return the model trained with the chosen values; its notes list the choice and its reason."""
        model = self.chosen.learner.train(data)
        notes = (*model.about.notes, f"{self.text} was chosen: {self.reason}", *self._candidate_notes())
        return model.replace_about(replace(model.about, notes=notes))

    def _candidate_notes(self) -> tuple[str, ...]:
        """Return how each candidate did, in a sentence, unless they are many or were not tried."""
        if not 1 < len(self.candidates) <= MOST_TOLD or all(math.isnan(one.estimate.value) for one in self.candidates):
            return ()
        return ("compared: " + "; ".join(one.result for one in self.candidates),)


@dataclass(frozen=True)
class TunedLearner:
    """A learner that chooses some of its parameters by cross-validation inside the rows it learns from.

    It can be tried and trained like any learner. The model is an ordinary one of the learner, with the chosen values.

    Parameters
    ----------
    learner
        The learner, with its other parameters set.
    grid
        The values to try, by parameter; `base__min_leaf` is one of the learner that it learns with. All
        combinations are tried, on the same folds.
    rule
        "best": the values with the best estimate; of equal ones those of the smaller model, then the first.
        "1se": the values of the smallest model among those within one standard error of the best (Breiman and others
        1984); where models have no size, the first given of them, so give the simplest values first.
    measure
        What is compared, a name that `intervals.estimate` knows: by default the error rate, or the mean absolute
        error of numbers.
    group
        The column whose groups stay together in the folds inside.
    """

    learner: Trainable
    grid: dict[str, tuple[Any, ...]]
    rule: str = "best"
    folds: int = 5
    runs: int = 1
    measure: str | None = None
    seed: int = 1
    group: str | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise UsageError(f"there is no rule {self.rule!r} to choose by; the rules are {', '.join(RULES)}")
        if not self.grid:
            raise UsageError("there is nothing to tune: give values for at least one parameter")
        if self.folds < 2:
            raise UsageError(f"the number of folds to choose by must be at least 2, but is {self.folds}")
        check_measure(self.learner, self.measure)

    @property
    def name(self) -> str:
        """The name of the learner."""
        return self.learner.name

    @property
    def target_is_classes(self) -> bool | None:
        """Whether the learner predicts classes."""
        return getattr(self.learner, "target_is_classes", None)

    def get_params(self) -> dict[str, Any]:
        """Return the learner's parameters, those to be chosen in words, and how they are chosen."""
        tried = {name: "tuned: " + ", ".join(map(value_text, values)) for name, values in self.grid.items()}
        own = {"tuned_by": self.rule, "tuned_folds": self.folds}
        named = {"tuned_measure": self.measure} if self.measure else {}
        return {**self.learner.get_params(), **tried, **own, **named}

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range."""
        getattr(self.learner, "check_params", lambda: None)()

    def within_groups(self, group: str) -> TunedLearner:
        """Return the same with a column whose groups stay together inside too, unless it has one."""
        return self if self.group is not None else replace(self, group=group)

    def candidates(self) -> list[ParameterCandidate]:
        """Return every combination of the values."""
        combinations = (dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values()))
        return [ParameterCandidate(values, set_values(self.learner, values)) for values in combinations]

    def choose(self, data: Table, progress: Progress | None = None, threads: int | None = None) -> Tuning:
        """Return the choice for the rows of a table, with all estimates."""
        table = run_split.to_learner_table(self.learner, data)
        candidates = self.candidates()
        if len(splits.usable(run_split.target_values(table))) < 2:
            return Tuning(
                tuple(candidates), candidates[0], "it is the first, and a single row is not enough to compare them"
            )
        learners = [self._candidate_for_trial(candidate.learner) for candidate in candidates]
        found = cross_validate_each(
            learners, table, None, self.folds, self.runs, self.seed, threads, progress, self.group
        )
        tried: list[ParameterCandidate] = []
        for candidate, results in zip(candidates, found, strict=True):
            tried.append(_score_candidate(candidate, results, self._measure(results)))
        return choose_candidate(tried, self._measure(results), self.rule, results.method)

    def train(self, data: Any, target: str | None = None) -> Model:
        """Return the model with the values that the rows of a table, a frame or a file suggest."""
        table = to_table(data, target)
        return self.choose(table).train(table)

    def _candidate_for_trial(self, learner: Trainable) -> Trainable:
        """Return a candidate for evaluation: if decisions are compared, without the cost of probabilities."""
        deciding = getattr(learner, "deciding", None)
        by_chances = self.measure is not None and catalog.ALL[self.measure].needs_probabilities
        tried: Trainable = learner if deciding is None or by_chances else deciding()
        return tried

    def _measure(self, results: Results) -> str:
        return self.measure or catalog.main_measure(results.has_classes)


def tune(
    learner: Trainable,
    grid: Mapping[str, Iterable[Any]],
    rule: str = "best",
    folds: int = 5,
    measure: str | None = None,
    seed: int = 1,
    runs: int = 1,
    group: str | None = None,
) -> TunedLearner:
    """Return a learner that chooses parameters by cross-validation within its training rows; see `TunedLearner`.

    When it is cross-validated, it chooses again in every fold, so the results are unbiased: they include the choice.

    Examples
    --------
    >>> from hedgerow import OneR, cross_validate, examples
    >>> learner = tune(OneR(), {"min_bucket": [1, 3, 6]}, rule="1se")
    >>> cross_validate(learner, examples.loan(), folds=3).notes[-1]
    'chosen within each of 3 folds, without its test rows: min_bucket=1 in 3'
    """
    values = {name: tuple(given) for name, given in grid.items()}
    for name, tried in values.items():
        param = find_param(learner, name)
        if not tried:
            raise UsageError(f"there is no value of {name} to compare; give at least one")
        for value in tried:
            if param is not None:
                replace(param, name=name).check(value)
    return TunedLearner(learner, values, rule, folds, runs, measure, seed, group)


def choose_candidate(tried: Iterable[ParameterCandidate], measure: str, rule: str, method: str) -> Tuning:
    """Return the candidate that a rule chooses, and why."""
    tried = tuple(tried)
    ordered = _simplest_first(tried, measure)
    errors = [one.estimate.standard_error for one in ordered]
    pick = simplest_near_best([_distance_from_best(one, measure) for one in ordered], errors, float(rule == "1se"))
    parameter_candidate, best = ordered[pick.kept_index], ordered[pick.best]
    word, among = measure.replace("_", " "), f"among {len(tried)} by {method}"
    if math.isnan(best.estimate.value):
        why = f"the {word} of all {len(tried)} is undefined by {method}, so they cannot be compared"
    elif parameter_candidate is best:
        alone = "" if rule == "best" else ", and none simpler is within one standard error"
        why = f"best {among} ({word} {best.estimate.value:.4g}){alone}"
    else:
        why = (
            f"the simplest of {pick.n_near} within one standard error ({errors[pick.best]:.2g}) of the best {among} "
            f"({word} {parameter_candidate.estimate.value:.4g}; best {best.text} {best.estimate.value:.4g})"
        )
    return Tuning(tried, parameter_candidate, why)


def _distance_from_best(one: ParameterCandidate, measure: str) -> float:
    """Return how far a candidate is from the best there could be; infinity where that is undefined."""
    return catalog.ALL[measure].distance_from_best(one.estimate.value)


def _simplest_first(tried: tuple[ParameterCandidate, ...], measure: str) -> tuple[ParameterCandidate, ...]:
    """Return the candidates by size, the better of equal ones first; in the order given if none has a size."""
    if all(math.isnan(one.size) for one in tried):
        return tried

    def key(one: ParameterCandidate) -> tuple[float, float]:
        return math.inf if math.isnan(one.size) else one.size, _distance_from_best(one, measure)

    return tuple(sorted(tried, key=key))


def check_measure(learner: Trainable, measure: str | None) -> None:
    """Raise an error if a learner's results have no measure of this name."""
    classes: bool | None = getattr(learner, "target_is_classes", None)
    known = {
        **(catalog.CLASS_MEASURES if classes is not False else {}),
        **(catalog.NUMBER_MEASURES if not classes else {}),
    }
    if measure is not None and measure not in known:
        near = get_close_matches(measure, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the measures are {', '.join(known)}"
        raise UsageError(f"there is no measure {measure!r} for the predictions of {learner.name}; {hint}")


def set_values(learner: Trainable, values: Mapping[str, Any]) -> Trainable:
    """Return a copy of the learner with some parameters set."""
    copy: Any = deepcopy(learner)
    if not hasattr(copy, "set_params"):
        raise UsageError(f"{learner.name} has no parameters to set")
    copy.set_params(**values)
    trainable: Trainable = copy
    return trainable


def find_param(learner: Any, name: str) -> Param | None:
    """Return the declaration of a learner's parameter; None if the learner declares none, an error if not this one."""
    own, _, rest = name.partition("__")
    declared = getattr(learner, "params", None)
    if not isinstance(declared, dict):
        if own not in learner.get_params():
            raise _unknown(learner, own, learner.get_params())
        return None
    if own not in declared:
        raise _unknown(learner, own, declared)
    if not rest:
        param: Param = declared[own]
        return param
    if declared[own].kind != "learner":
        raise UsageError(f"{own} is not a learner with parameters of its own, such as {rest!r}")
    return find_param(resolve_learner(getattr(learner, own)), rest)


def value_text(value: Any) -> str:
    """Return a value of a parameter as it is written on the command line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _score_candidate(candidate: ParameterCandidate, results: Results, measure: str) -> ParameterCandidate:
    sizes = results.model_sizes
    size = sum(sizes) / len(sizes) if sizes else math.nan
    return replace(candidate, estimate=intervals.estimate(results, measure), size=size)


def _unknown(learner: Any, name: str, known: Iterable[str]) -> UsageError:
    known = [each for each in known if "__" not in each]
    return UsageError(f"{learner.name} has no parameter {name!r}; {hint(learner.name, name, known)}")
