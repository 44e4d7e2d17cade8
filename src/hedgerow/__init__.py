"""Readable machine learning for tables and text.

A learner turns a table into a model; a model is a small frozen value that predicts exactly what it prints.

>>> import hedgerow
>>> table = hedgerow.examples.loan()
>>> print(hedgerow.OneR().train(table))
if Own_House = false then Class = No (9/3)  # support 40 %, confidence 66.7 %
if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
otherwise Class = Yes
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hedgerow import checks as checks
    from hedgerow import examples as examples
    from hedgerow.data.bags import bags as bags
    from hedgerow.data.item_pairs import pairs_to_baskets as pairs_to_baskets
    from hedgerow.data.read import open_source as open_source
    from hedgerow.data.read import read as read
    from hedgerow.data.schema import Column as Column
    from hedgerow.data.schema import Kind as Kind
    from hedgerow.data.schema import Schema as Schema
    from hedgerow.data.source import Source as Source
    from hedgerow.data.table import Table as Table
    from hedgerow.data.write import write as write
    from hedgerow.errors import DataError as DataError
    from hedgerow.errors import DataWarning as DataWarning
    from hedgerow.errors import HedgerowError as HedgerowError
    from hedgerow.errors import ModelError as ModelError
    from hedgerow.errors import UsageError as UsageError
    from hedgerow.evaluate.bootstrap import bootstrap as bootstrap
    from hedgerow.evaluate.clusters import ClusterFigures as ClusterFigures
    from hedgerow.evaluate.clusters import evaluate_clusters as evaluate_clusters
    from hedgerow.evaluate.compare import compare as compare
    from hedgerow.evaluate.comparison import Comparison as Comparison
    from hedgerow.evaluate.learning import learning_curve as learning_curve
    from hedgerow.evaluate.learning import parameter_curve as parameter_curve
    from hedgerow.evaluate.results import Results as Results
    from hedgerow.evaluate.tune import tune as tune
    from hedgerow.evaluate.validate import cross_validate as cross_validate
    from hedgerow.evaluate.validate import holdout as holdout
    from hedgerow.evaluate.validate import leave_one_out as leave_one_out
    from hedgerow.evaluate.validate import test as test
    from hedgerow.evaluate.validate import validation_split as validation_split
    from hedgerow.explain.cards import rule_cards as rule_cards
    from hedgerow.explain.importance import impurity_importance as impurity_importance
    from hedgerow.explain.importance import permutation_importance as permutation_importance
    from hedgerow.export.associations import write_associations as write_associations
    from hedgerow.export.dot import dot as dot
    from hedgerow.learn.associations.apriori import Apriori as Apriori
    from hedgerow.learn.associations.cba import CBA as CBA
    from hedgerow.learn.associations.mining import mine as mine
    from hedgerow.learn.associations.rule_features import RuleFeatures as RuleFeatures
    from hedgerow.learn.associations.rules import association_rules as association_rules
    from hedgerow.learn.bags.bag_summary import BagSummary as BagSummary
    from hedgerow.learn.bags.bag_vote import BagVote as BagVote
    from hedgerow.learn.baseline.majority import Majority as Majority
    from hedgerow.learn.baseline.mean import Mean as Mean
    from hedgerow.learn.bayes.naive_bayes import NaiveBayes as NaiveBayes
    from hedgerow.learn.choosing.simplest import Simplest as Simplest
    from hedgerow.learn.choosing.simplest_regressor import SimplestRegressor as SimplestRegressor
    from hedgerow.learn.classifier import Classifier as Classifier
    from hedgerow.learn.clusterer import Clusterer as Clusterer
    from hedgerow.learn.clusters.agglomerative import Agglomerative as Agglomerative
    from hedgerow.learn.clusters.bisecting import BisectingKMeans as BisectingKMeans
    from hedgerow.learn.clusters.cobweb import Cobweb as Cobweb
    from hedgerow.learn.clusters.describe import describe_clusters as describe_clusters
    from hedgerow.learn.clusters.kmeans import KMeans as KMeans
    from hedgerow.learn.discretize import Discretize as Discretize
    from hedgerow.learn.ensembles.adaboost import AdaBoost as AdaBoost
    from hedgerow.learn.ensembles.bagging import Bagging as Bagging
    from hedgerow.learn.ensembles.random_forest import RandomForest as RandomForest
    from hedgerow.learn.linear.hashed_logistic import HashedLogistic as HashedLogistic
    from hedgerow.learn.linear.least_absolute import LeastAbsolute as LeastAbsolute
    from hedgerow.learn.linear.linear_regression import LinearRegression as LinearRegression
    from hedgerow.learn.linear.locally_weighted import LocallyWeighted as LocallyWeighted
    from hedgerow.learn.linear.locally_weighted import LocallyWeightedClassifier as LocallyWeightedClassifier
    from hedgerow.learn.linear.logistic import Logistic as Logistic
    from hedgerow.learn.linear.membership_regression import MembershipRegression as MembershipRegression
    from hedgerow.learn.linear.online_linear import OnlineLinear as OnlineLinear
    from hedgerow.learn.linear.online_linear import OnlineLinearRegressor as OnlineLinearRegressor
    from hedgerow.learn.linear.perceptron import Perceptron as Perceptron
    from hedgerow.learn.linear.winnow import Winnow as Winnow
    from hedgerow.learn.many.one_vs_rest import OneVsRest as OneVsRest
    from hedgerow.learn.many.output_codes import OutputCodes as OutputCodes
    from hedgerow.learn.many.pairwise import Pairwise as Pairwise
    from hedgerow.learn.neighbors.knn import KNN as KNN
    from hedgerow.learn.neighbors.knn_regressor import KNNRegressor as KNNRegressor
    from hedgerow.learn.registry import learners as learners
    from hedgerow.learn.regressor import Regressor as Regressor
    from hedgerow.learn.rules.covering import Covering as Covering
    from hedgerow.learn.rules.one_r import OneR as OneR
    from hedgerow.learn.rules.prism import Prism as Prism
    from hedgerow.learn.rules.ripper import Ripper as Ripper
    from hedgerow.learn.svm.svm import SVM as SVM
    from hedgerow.learn.text.rocchio import Rocchio as Rocchio
    from hedgerow.learn.text.text_terms import TextTerms as TextTerms
    from hedgerow.learn.transformer import Transformer as Transformer
    from hedgerow.learn.trees.c45 import C45 as C45
    from hedgerow.learn.trees.c45_rules import C45Rules as C45Rules
    from hedgerow.learn.trees.cart import CART as CART
    from hedgerow.learn.trees.cart_regressor import CARTRegressor as CARTRegressor
    from hedgerow.learn.trees.id3 import ID3 as ID3
    from hedgerow.models.association_rules import AssociationRules as AssociationRules
    from hedgerow.models.coded import Coded as Coded
    from hedgerow.models.committee import Committee as Committee
    from hedgerow.models.concepts import ConceptTree as ConceptTree
    from hedgerow.models.files import load as load
    from hedgerow.models.item_sets import ItemSets as ItemSets
    from hedgerow.models.model import Model as Model
    from hedgerow.models.predictions import predictions as predictions
    from hedgerow.models.rule_choice import RuleChoice as RuleChoice
    from hedgerow.report.associations import associations_report as associations_report
    from hedgerow.report.associations import item_sets_report as item_sets_report
    from hedgerow.report.build import evaluation_report as evaluation_report
    from hedgerow.report.build import model_report as model_report
    from hedgerow.report.clusters import clusters_report as clusters_report
    from hedgerow.report.clusters_page import clusters_page as clusters_page
    from hedgerow.report.clusters_svg import clusters_svg as clusters_svg
    from hedgerow.report.comparison import comparison_report as comparison_report
    from hedgerow.report.curve import curve_report as curve_report
    from hedgerow.report.data import describe_report as describe_report
    from hedgerow.report.explanation import Explanation as Explanation
    from hedgerow.report.explanation import explanations as explanations
    from hedgerow.report.explanation import explanations_report as explanations_report
    from hedgerow.report.full import full_report as full_report
    from hedgerow.report.html import to_html as to_html
    from hedgerow.report.markdown import to_markdown as to_markdown
    from hedgerow.report.regions_svg import regions_svg as regions_svg
    from hedgerow.report.rules import rules_report as rules_report
    from hedgerow.report.text import render as render
    from hedgerow.report.tree_svg import tree_svg as tree_svg

# Public name -> module. Everything is imported when it is first used: a command line should start at once.
_HOMES = {
    "AssociationRules": "hedgerow.models.association_rules",
    "AdaBoost": "hedgerow.learn.ensembles.adaboost",
    "Agglomerative": "hedgerow.learn.clusters.agglomerative",
    "Apriori": "hedgerow.learn.associations.apriori",
    "BagSummary": "hedgerow.learn.bags.bag_summary",
    "BagVote": "hedgerow.learn.bags.bag_vote",
    "Bagging": "hedgerow.learn.ensembles.bagging",
    "CBA": "hedgerow.learn.associations.cba",
    "C45": "hedgerow.learn.trees.c45",
    "C45Rules": "hedgerow.learn.trees.c45_rules",
    "CART": "hedgerow.learn.trees.cart",
    "CARTRegressor": "hedgerow.learn.trees.cart_regressor",
    "ID3": "hedgerow.learn.trees.id3",
    "Classifier": "hedgerow.learn.classifier",
    "ClusterFigures": "hedgerow.evaluate.clusters",
    "Clusterer": "hedgerow.learn.clusterer",
    "Cobweb": "hedgerow.learn.clusters.cobweb",
    "Column": "hedgerow.data.schema",
    "Committee": "hedgerow.models.committee",
    "ConceptTree": "hedgerow.models.concepts",
    "DataError": "hedgerow.errors",
    "DataWarning": "hedgerow.errors",
    "Discretize": "hedgerow.learn.discretize",
    "HedgerowError": "hedgerow.errors",
    "ItemSets": "hedgerow.models.item_sets",
    "HashedLogistic": "hedgerow.learn.linear.hashed_logistic",
    "KMeans": "hedgerow.learn.clusters.kmeans",
    "BisectingKMeans": "hedgerow.learn.clusters.bisecting",
    "KNN": "hedgerow.learn.neighbors.knn",
    "KNNRegressor": "hedgerow.learn.neighbors.knn_regressor",
    "Kind": "hedgerow.data.schema",
    "LinearRegression": "hedgerow.learn.linear.linear_regression",
    "LeastAbsolute": "hedgerow.learn.linear.least_absolute",
    "Logistic": "hedgerow.learn.linear.logistic",
    "LocallyWeighted": "hedgerow.learn.linear.locally_weighted",
    "LocallyWeightedClassifier": "hedgerow.learn.linear.locally_weighted",
    "MembershipRegression": "hedgerow.learn.linear.membership_regression",
    "OnlineLinear": "hedgerow.learn.linear.online_linear",
    "OnlineLinearRegressor": "hedgerow.learn.linear.online_linear",
    "Majority": "hedgerow.learn.baseline.majority",
    "Mean": "hedgerow.learn.baseline.mean",
    "Model": "hedgerow.models.model",
    "ModelError": "hedgerow.errors",
    "NaiveBayes": "hedgerow.learn.bayes.naive_bayes",
    "OneVsRest": "hedgerow.learn.many.one_vs_rest",
    "OutputCodes": "hedgerow.learn.many.output_codes",
    "Pairwise": "hedgerow.learn.many.pairwise",
    "Coded": "hedgerow.models.coded",
    "OneR": "hedgerow.learn.rules.one_r",
    "Perceptron": "hedgerow.learn.linear.perceptron",
    "SVM": "hedgerow.learn.svm.svm",
    "Prism": "hedgerow.learn.rules.prism",
    "Covering": "hedgerow.learn.rules.covering",
    "Ripper": "hedgerow.learn.rules.ripper",
    "Rocchio": "hedgerow.learn.text.rocchio",
    "RandomForest": "hedgerow.learn.ensembles.random_forest",
    "Regressor": "hedgerow.learn.regressor",
    "RuleFeatures": "hedgerow.learn.associations.rule_features",
    "Results": "hedgerow.evaluate.results",
    "Schema": "hedgerow.data.schema",
    "Simplest": "hedgerow.learn.choosing.simplest",
    "SimplestRegressor": "hedgerow.learn.choosing.simplest_regressor",
    "Source": "hedgerow.data.source",
    "Table": "hedgerow.data.table",
    "TextTerms": "hedgerow.learn.text.text_terms",
    "Transformer": "hedgerow.learn.transformer",
    "UsageError": "hedgerow.errors",
    "Winnow": "hedgerow.learn.linear.winnow",
    "association_rules": "hedgerow.learn.associations.rules",
    "associations_report": "hedgerow.report.associations",
    "clusters_report": "hedgerow.report.clusters",
    "clusters_page": "hedgerow.report.clusters_page",
    "clusters_svg": "hedgerow.report.clusters_svg",
    "compare": "hedgerow.evaluate.compare",
    "Comparison": "hedgerow.evaluate.comparison",
    "comparison_report": "hedgerow.report.comparison",
    "bags": "hedgerow.data.bags",
    "bootstrap": "hedgerow.evaluate.bootstrap",
    "cross_validate": "hedgerow.evaluate.validate",
    "dot": "hedgerow.export.dot",
    "holdout": "hedgerow.evaluate.validate",
    "impurity_importance": "hedgerow.explain.importance",
    "item_sets_report": "hedgerow.report.associations",
    "learners": "hedgerow.learn.registry",
    "learning_curve": "hedgerow.evaluate.learning",
    "leave_one_out": "hedgerow.evaluate.validate",
    "load": "hedgerow.models.files",
    "open_source": "hedgerow.data.read",
    "pairs_to_baskets": "hedgerow.data.item_pairs",
    "parameter_curve": "hedgerow.evaluate.learning",
    "permutation_importance": "hedgerow.explain.importance",
    "predictions": "hedgerow.models.predictions",
    "read": "hedgerow.data.read",
    "curve_report": "hedgerow.report.curve",
    "describe_clusters": "hedgerow.learn.clusters.describe",
    "describe_report": "hedgerow.report.data",
    "evaluate_clusters": "hedgerow.evaluate.clusters",
    "evaluation_report": "hedgerow.report.build",
    "Explanation": "hedgerow.report.explanation",
    "explanations": "hedgerow.report.explanation",
    "explanations_report": "hedgerow.report.explanation",
    "full_report": "hedgerow.report.full",
    "mine": "hedgerow.learn.associations.mining",
    "model_report": "hedgerow.report.build",
    "render": "hedgerow.report.text",
    "rule_cards": "hedgerow.explain.cards",
    "RuleChoice": "hedgerow.models.rule_choice",
    "rules_report": "hedgerow.report.rules",
    "test": "hedgerow.evaluate.validate",
    "to_html": "hedgerow.report.html",
    "to_markdown": "hedgerow.report.markdown",
    "regions_svg": "hedgerow.report.regions_svg",
    "tree_svg": "hedgerow.report.tree_svg",
    "tune": "hedgerow.evaluate.tune",
    "validation_split": "hedgerow.evaluate.validate",
    "write_associations": "hedgerow.export.associations",
    "write": "hedgerow.data.write",
}

__all__ = ["checks", "examples", *_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in ("checks", "examples"):
        return import_module(f"hedgerow.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
