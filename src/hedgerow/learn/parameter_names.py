"""Other names of parameters: those of earlier versions, and those of scikit-learn and Weka that mean the same.

The command line and old model files understand earlier names; otherwise an unknown name gets the right one as a hint.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

_ITERATIONS = {"passes": "max_iter"}
_ENSEMBLE = {"n_members": "n_estimators"}
_SAMPLES = _ENSEMBLE | {"sample": "max_samples"}
_LEAVES = {"min_leaf": "min_samples_leaf"}
_CENTERS = _ITERATIONS | {"k": "n_clusters", "seeds": "init", "starts": "n_init"}

# Learner -> former name -> name.
FORMER: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "adaboost": _ENSEMBLE,
        "agglomerative": {"k": "n_clusters"},
        "bagging": _SAMPLES,
        "bisecting_kmeans": _CENTERS,
        "cart": _LEAVES,
        "cart_regressor": _LEAVES,
        "kmeans": _CENTERS | {"batch": "batch_size", "tolerance": "tol"},
        "knn": {"k": "n_neighbors"},
        "knn_regressor": {"k": "n_neighbors"},
        "linear_regression": {"ridge": "alpha", "starts": "n_init", "tolerance": "tol"},
        "locally_weighted": {"neighbors": "n_neighbors"},
        "locally_weighted_classifier": {"neighbors": "n_neighbors"},
        "logistic": _ITERATIONS | {"l1_share": "l1_ratio", "tolerance": "tol"},
        "naive_bayes": {"smoothing": "alpha"},
        "random_forest": _SAMPLES | _LEAVES,
        "svm": {"class_costs": "class_weight", "iterations": "max_iter", "tolerance": "tol"},
    }
)

# A name in scikit-learn, Weka or mlxtend -> names here, of which a learner has at most one of the same meaning.
EQUIVALENT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "affinity": ("distance",),
        "alpha": ("l2",),
        "analyzer": ("unit",),
        "bagSizePercent": ("max_samples",),
        "base_estimator": ("base",),
        "bootstrap": ("replace",),
        "C": ("strength",),
        "cache_size": ("cache",),
        "ccp_alpha": ("alpha",),
        "class_weight": ("priors", "costs"),
        "coef0": ("theta",),
        "confidenceFactor": ("confidence",),
        "decision_function_shape": ("classes",),
        "distance_threshold": ("height",),
        "estimator": ("base",),
        "eta0": ("rate",),
        "l1_ratio": ("l1",),
        "learning_rate": ("rate",),
        "learning_rate_init": ("rate",),
        "lowercase": ("lower",),
        "max_depth": ("max_length",),
        "max_df": ("max_share",),
        "max_features": ("tried", "most"),
        "max_iter": ("passes",),
        "max_len": ("max_length",),
        "metric": ("distance",),
        "minNumObj": ("min_leaf",),
        "min_df": ("min_rows",),
        "min_impurity_decrease": ("min_gain",),
        "min_samples_leaf": ("min_leaf", "min_bucket", "min_coverage", "min_weight"),
        "min_samples_split": ("stop_rows",),
        "min_threshold": ("min_confidence",),
        "multi_class": ("classes",),
        "n_bins": ("bins",),
        "n_features": ("features", "bits"),
        "n_models": ("n_estimators",),
        "ngram_range": ("ngram_max",),
        "numClusters": ("n_clusters",),
        "numFolds": ("prune_folds",),
        "numIterations": ("n_estimators",),
        "p": ("metric",),
        "priors": ("level_priors",),
        "probability": ("probabilities",),
        "quantile": ("tau",),
        "seed": ("random_state",),
        "strategy": ("method", "density"),
        "sublinear_tf": ("tf",),
        "subtreeRaising": ("raising",),
        "unpruned": ("prune",),
        "use_idf": ("idf",),
        "useLaplace": ("leaves",),
        "var_smoothing": ("density",),
        "verbose": ("trace",),
    }
)


def current_name(learner: str, name: str, known: Container[str]) -> str:
    """Return the name of a parameter of a learner, given as it is or as it was called in an earlier version."""
    return name if name in known else FORMER.get(learner, {}).get(name, name)


def former_names(learner: str, name: str) -> list[str]:
    """Return the names that a parameter of a learner had in earlier versions.

    >>> former_names("knn", "n_neighbors")
    ['k']
    """
    return [former for former, now in FORMER.get(learner, {}).items() if now == name]


def suggest(learner: str, name: str, known: Iterable[str]) -> str:
    """Return the parameter that was probably meant by a name that a learner does not have; empty if none is likely.

    >>> suggest("c45", "min_samples_leaf", ["max_depth", "min_leaf"]), suggest("c45", "max_dept", ["max_depth"])
    ('min_leaf', 'max_depth')
    """
    names = list(known)
    former = {each: now for renames in FORMER.values() for each, now in renames.items() if now in names}
    candidates = (current_name(learner, name, names), former.get(name, name), *EQUIVALENT.get(name, ()))
    meant = [each for each in candidates if each in names] or get_close_matches(name, names, n=1)
    return meant[0] if meant else ""


def hint(learner: str, name: str, known: Iterable[str]) -> str:
    """Return how an error about an unknown parameter goes on: with the name that was meant, or with all names."""
    if name == "n_jobs":
        return "all processors are used; set HEDGEROW_THREADS to use fewer"
    names = list(known)
    near = suggest(learner, name, names)
    return f"did you mean {near!r}?" if near else f"it takes {', '.join(names) or 'none'}"


def rename(learner: str, values: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return parameters with the names that they have today.

    >>> rename("knn", {"k": 3, "weights": "plain"}, ["n_neighbors", "weights"])
    {'n_neighbors': 3, 'weights': 'plain'}
    """
    return {current_name(learner, name, known): value for name, value in values.items()}
