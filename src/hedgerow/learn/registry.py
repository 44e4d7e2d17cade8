"""The list of all learners, by name: the command line and the reference are generated from it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import hedgerow
from hedgerow.data.table.schema import Kind
from hedgerow.errors import UsageError
from hedgerow.learn.other_names import suggest_learner

if TYPE_CHECKING:  # learners look up other learners by name, so this module is to the left of theirs
    from hedgerow.learn.base import Learner
    from hedgerow.learn.params import Param

# Public classes of this package that are not learners.
_OTHERS = ("Classifier", "Regressor", "Clusterer", "Transformer", "Checkpoint", "OnlineState")

# Class name -> module, in the order of `hedgerow/__init__.pyi`. Learners are imported on demand, so that
# commands start quickly.
HOMES = {
    name: home
    for name, home in hedgerow.public_names().items()
    if home.startswith("hedgerow.learn.") and name[0].isupper() and name not in _OTHERS
}


@dataclass(frozen=True)
class LearnerInfo:
    """The description of a learner."""

    name: str
    learner: type[Learner]
    kind: str
    description: str
    params: dict[str, Param]


def learners() -> dict[str, LearnerInfo]:
    """Return every learner by name, with its kind, its parameters and one line of description.

    >>> learners()["one_r"].description
    'One rule: the single column whose values, each predicting its most frequent class, make the fewest errors.'
    """
    classes = [learner_class(home) for home in HOMES]
    return {
        each.name: LearnerInfo(each.name, each, kind_of(each), (each.__doc__ or "").split("\n")[0], each.params)
        for each in classes
    }


def learners_using(kind: Kind) -> list[type[Learner]]:
    """Return the learners that use columns of a kind by default; transformers are left out."""
    classes = [learner_class(home) for home in HOMES]
    return [each for each in classes if not each.is_transformer and kind in each().accepted_kinds()]


def learner_class(class_name: str) -> type[Learner]:
    """Return a learner's class by its class name."""
    learner: type[Learner] = getattr(import_module(HOMES[class_name]), class_name)
    return learner


def find_learner(name: str) -> type[Learner]:
    """Return a learner's class by its name on the command line: `naive_bayes`, also `NaiveBayes` or `naive-bayes`."""
    plain = {home.lower(): home for home in HOMES}
    key = _plain(name)
    if key not in plain:
        known = [learner_class(home).name for home in HOMES]
        near = get_close_matches(name.lower(), known, n=1)
        hint = suggest_learner(name) or (
            f"did you mean {near[0]!r}?" if near else "`hedgerow learners` (in Python, hedgerow.learners()) lists them"
        )
        raise UsageError(f"there is no learner {name!r}; {hint}")
    return learner_class(plain[key])


def is_learner(name: str) -> bool:
    """Return whether a learner has this name."""
    return _plain(name) in {home.lower() for home in HOMES}


def resolve_learner(value: Any) -> Any:
    """Return a parameter that is a learner: unchanged, or instantiated by its name."""
    return find_learner(value)() if isinstance(value, str) else value


def kind_of(learner: type[Learner]) -> str:
    """Return the kind of a learner: a classifier, regressor, clusterer or transformer."""
    return learner.estimator_type or ("transformer" if learner.is_transformer else "learner")


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
