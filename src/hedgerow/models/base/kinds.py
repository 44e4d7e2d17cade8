"""The kinds of models that a file may contain: hedgerow's own, by name, and those that other packages register.

A file names the kind of its model, and only a kind that is listed here becomes a class. A kind of hedgerow's own is
imported when it is first needed; that of another package is known once the package was imported and has registered it.
A file can therefore never cause the import of anything else.
"""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
from typing import Any, TypeVar

from hedgerow.data.table.schema import listing
from hedgerow.errors import UsageError
from hedgerow.models.base.model import Model

ModelType = TypeVar("ModelType", bound=type[Model])

# Kind -> module and class. A new kind of model adds its line here.
KINDS = {
    "rules": "hedgerow.models.rules.rule_list:RuleList",
    "rule_set": "hedgerow.models.rules.rule_set:RuleSet",
    "rule_vote": "hedgerow.models.rules.rule_vote:RuleVote",
    "distributions": "hedgerow.models.bayes.distributions:Distributions",
    "prototypes": "hedgerow.models.vectors.prototypes:Prototypes",
    "dendrogram": "hedgerow.models.clusters.dendrogram:Dendrogram",
    "constant": "hedgerow.models.base.constant:Constant",
    "linear": "hedgerow.models.linear.linear:Linear",
    "local_numbers": "hedgerow.models.neighbors.local_regression:LocalNumbers",
    "local_classes": "hedgerow.models.neighbors.local_regression:LocalClasses",
    "linear_classes": "hedgerow.models.linear.linear_classes:LinearClasses",
    "machines": "hedgerow.models.svm.machines:Machines",
    "centers": "hedgerow.models.clusters.centers:Centers",
    "memberships": "hedgerow.models.many.memberships:Memberships",
    "cuts": "hedgerow.models.base.cuts:Cuts",
    "terms": "hedgerow.models.vectors.term_table:TermTable",
    "neighbor_numbers": "hedgerow.models.neighbors.neighbor_numbers:NeighborNumbers",
    "neighbors": "hedgerow.models.neighbors.neighbors:Neighbors",
    "committee": "hedgerow.models.many.committee:Committee",
    "coded": "hedgerow.models.many.output_code:OutputCodeModel",
    "bag_summary": "hedgerow.models.bags.bag_summaries:BagSummaries",
    "bag_vote": "hedgerow.models.bags.bag_votes:BagVotes",
    "tree": "hedgerow.models.trees.tree:Tree",
    "number_tree": "hedgerow.models.trees.tree:NumberTree",
    "concepts": "hedgerow.models.clusters.concept_tree:ConceptTree",
    "item_sets": "hedgerow.models.associations.item_sets:ItemSets",
    "association_rules": "hedgerow.models.associations.association_rules:AssociationRules",
}
_registered: dict[str, type[Model]] = {}


def register_model(model: ModelType) -> ModelType:
    """Register a kind of model, so that its models can be saved and loaded; also a class decorator.

    The class is a subclass of `ClassModel`, `NumberModel` or another `Model`, has a `kind` of its own, and defines
    `to_dict` and `from_dict`. To load a model file of the kind, import the package that registers it first.

    Raises
    ------
    UsageError
        If the class is not a complete model, or if its kind is that of another class.

    Examples
    --------
    >>> import hedgerow
    >>> hedgerow.register_model(hedgerow.Committee)
    Traceback (most recent call last):
        ...
    hedgerow.errors.UsageError: Committee cannot be registered: the kind 'committee' is already hedgerow's own
    """
    if not (isinstance(model, type) and issubclass(model, Model)):
        raise UsageError(f"{_name(model)} cannot be registered: it is not a subclass of hedgerow.Model")
    if isabstract(model):
        missing = listing(sorted(model.__abstractmethods__))
        raise UsageError(f"{_name(model)} cannot be registered: it does not define {missing}")
    kind = getattr(model, "kind", None)
    if not isinstance(kind, str) or not kind:
        raise UsageError(
            f"{_name(model)} cannot be registered: give it a class attribute kind, the name of the kind in model files"
        )
    if kind in KINDS:
        raise UsageError(f"{_name(model)} cannot be registered: the kind {kind!r} is already hedgerow's own")
    known = _registered.get(kind, model)
    if (known.__module__, known.__qualname__) != (model.__module__, model.__qualname__):
        owner = f"{known.__module__}.{known.__qualname__}"
        raise UsageError(f"{_name(model)} cannot be registered: the kind {kind!r} is already that of {owner}")
    _registered[kind] = model  # once more when a notebook runs its cell again
    return model


def model_class(kind: Any) -> type[Model] | None:
    """Return the class of a kind; None if there is no such kind, or nobody has registered it yet."""
    if not isinstance(kind, str):
        return None
    if kind not in KINDS:
        return _registered.get(kind)
    module, name = KINDS[kind].split(":")
    known: type[Model] = getattr(import_module(module), name)
    return known


def saved_kinds() -> tuple[str, ...]:
    """Return the names of all kinds that can be saved and loaded now."""
    return (*KINDS, *_registered)


def _name(model: Any) -> str:
    return model.__name__ if isinstance(model, type) else repr(model)
