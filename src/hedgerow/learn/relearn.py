"""The learner of a model, to be run again: a model records its name and all its parameters."""

from __future__ import annotations

from typing import Any

from hedgerow.errors import UsageError
from hedgerow.learn.adapt import learner_from_text
from hedgerow.learn.base import Learner
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.parameter_names import rename
from hedgerow.learn.registry import find_learner, is_learner
from hedgerow.models.base.decisions import Thresholds
from hedgerow.models.base.model import ClassModel, Model


def has_known_learner(model: Model) -> bool:
    """Return whether a model records its learner; a handwritten one does not."""
    return is_learner(model.about.learner)


def recreate_learner(model: Model) -> Learner:
    """Return the learner that a model records, with the same parameters, without tracing.

    >>> import hedgerow
    >>> recreate_learner(hedgerow.C45(min_leaf=3).train(hedgerow.examples.loan()))
    C45(min_leaf=3)
    """
    about = model.about
    if not has_known_learner(model):
        raise UsageError(
            "the model does not record which learner trained it, so it cannot be trained again; test the model itself "
            "instead, on rows that it was not trained on (without folds)"
        )
    known = find_learner(about.learner)
    recorded = rename(known.name, about.parameters, known.params)
    parameters = {name: value for name, value in recorded.items() if name in known.params}
    inner = {name: inner_learner(parameters[name]) for name in parameters if known.params[name].kind == "learner"}
    quiet = {"trace": False} if "trace" in known.params else {}
    learner = known().set_params(**parameters | inner | quiet)
    learner.check_params()
    rule = model.decision_rule if isinstance(model, ClassModel) else None
    if rule is None or not isinstance(learner, Classifier):
        return learner
    return (
        learner.with_thresholds(**rule.to_dict()) if isinstance(rule, Thresholds) else learner.with_costs(rule.matrix)
    )


def inner_learner(value: Any) -> Any:
    """Return the base learner given as `C45(min_leaf=5.0)`; only from this package, since a file must not run code."""
    is_ours = isinstance(value, str) and "(" in value and is_learner(value.partition("(")[0])
    return learner_from_text(value) if is_ours else value
