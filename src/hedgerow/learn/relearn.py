"""The learner of a model, to be run again: a model records its name and all its parameters."""

from __future__ import annotations

from typing import Any

from hedgerow.errors import UsageError
from hedgerow.learn.adapt import learner_from_text
from hedgerow.learn.base import Learner
from hedgerow.learn.registry import is_learner, learner_named
from hedgerow.models.base.model import Model


def has_maker(model: Model) -> bool:
    """Return whether a model records its learner; a handwritten one does not."""
    return is_learner(model.about.learner)


def maker_of(model: Model) -> Learner:
    """Return the learner that a model records, with the same parameters, without tracing.

    >>> import hedgerow
    >>> maker_of(hedgerow.C45(min_leaf=3).train(hedgerow.examples.loan()))
    C45(min_leaf=3)
    """
    about = model.about
    if not has_maker(model):
        raise UsageError(
            "the model does not record which learner trained it, so it cannot be trained again; test the model itself "
            "instead, on rows that it was not trained on (without folds)"
        )
    known = learner_named(about.learner)
    given = {name: value for name, value in about.parameters.items() if name in known.params}
    inner = {name: inner_learner(given[name]) for name in given if known.params[name].kind == "learner"}
    quiet = {"trace": False} if "trace" in known.params else {}
    learner = known().set_params(**given | inner | quiet)
    learner.check_params()
    return learner


def inner_learner(value: Any) -> Any:
    """Return the base learner given as `C45(min_leaf=5.0)`; only from this package, since a file must not run code."""
    is_ours = isinstance(value, str) and "(" in value and is_learner(value.partition("(")[0])
    return learner_from_text(value) if is_ours else value
