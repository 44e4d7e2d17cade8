# The public names of hedgerow, each with its home: the only list of them, for type checkers and at run time.
#
# `hedgerow/__init__.py` reads this file when a name is first asked for. A new public name is one line here; learners
# are listed in this order by `hedgerow.learners()`.

# ruff: noqa: I001

# Learners
from hedgerow.learn.baseline.majority import Majority as Majority
from hedgerow.learn.baseline.mean import Mean as Mean
from hedgerow.learn.rules.one_r import OneR as OneR
from hedgerow.learn.rules.prism import Prism as Prism
from hedgerow.learn.rules.covering import Covering as Covering
from hedgerow.learn.rules.ripper import Ripper as Ripper
from hedgerow.learn.associations.cba import CBA as CBA
from hedgerow.learn.choosing.simplest import Simplest as Simplest
from hedgerow.learn.choosing.simplest_regressor import SimplestRegressor as SimplestRegressor
from hedgerow.learn.bayes.naive_bayes import NaiveBayes as NaiveBayes
from hedgerow.learn.text.rocchio import Rocchio as Rocchio
from hedgerow.learn.neighbors.knn import KNN as KNN
from hedgerow.learn.neighbors.knn_regressor import KNNRegressor as KNNRegressor
from hedgerow.learn.ensembles.bagging import Bagging as Bagging
from hedgerow.learn.ensembles.adaboost import AdaBoost as AdaBoost
from hedgerow.learn.ensembles.random_forest import RandomForest as RandomForest
from hedgerow.learn.many.one_vs_rest import OneVsRest as OneVsRest
from hedgerow.learn.many.pairwise import Pairwise as Pairwise
from hedgerow.learn.many.output_codes import OutputCodes as OutputCodes
from hedgerow.learn.bags.bag_summary import BagSummary as BagSummary
from hedgerow.learn.bags.bag_vote import BagVote as BagVote
from hedgerow.learn.trees.id3 import ID3 as ID3
from hedgerow.learn.trees.c45 import C45 as C45
from hedgerow.learn.trees.c45_rules import C45Rules as C45Rules
from hedgerow.learn.trees.cart import CART as CART
from hedgerow.learn.trees.cart_regressor import CARTRegressor as CARTRegressor
from hedgerow.learn.linear.least_squares.linear_regression import LinearRegression as LinearRegression
from hedgerow.learn.linear.absolute.least_absolute import LeastAbsolute as LeastAbsolute
from hedgerow.learn.linear.logistic.logistic import Logistic as Logistic
from hedgerow.learn.svm.svm import SVM as SVM
from hedgerow.learn.linear.locally_weighted import LocallyWeighted as LocallyWeighted
from hedgerow.learn.linear.locally_weighted import LocallyWeightedClassifier as LocallyWeightedClassifier
from hedgerow.learn.linear.least_squares.membership_regression import MembershipRegression as MembershipRegression
from hedgerow.learn.linear.mistakes.perceptron import Perceptron as Perceptron
from hedgerow.learn.linear.mistakes.winnow import Winnow as Winnow
from hedgerow.learn.linear.online.hashed_logistic import HashedLogistic as HashedLogistic
from hedgerow.learn.linear.online.online_linear import OnlineLinear as OnlineLinear
from hedgerow.learn.linear.online.online_linear import OnlineLinearRegressor as OnlineLinearRegressor
from hedgerow.learn.clusters.agglomerative import Agglomerative as Agglomerative
from hedgerow.learn.clusters.kmeans import KMeans as KMeans
from hedgerow.learn.clusters.bisecting import BisectingKMeans as BisectingKMeans
from hedgerow.learn.associations.apriori import Apriori as Apriori
from hedgerow.learn.associations.rule_features import RuleFeatures as RuleFeatures
from hedgerow.learn.clusters.cobweb import Cobweb as Cobweb
from hedgerow.learn.discretize import Discretize as Discretize
from hedgerow.learn.text.text_terms import TextTerms as TextTerms

# Bases of learners
from hedgerow.learn.classifier import Classifier as Classifier
from hedgerow.learn.regressor import Regressor as Regressor
from hedgerow.learn.clusterer import Clusterer as Clusterer
from hedgerow.learn.transformer import Transformer as Transformer

# Tables
from hedgerow.data.text.class_terms import ClassRows as ClassRows
from hedgerow.data.table.schema import Column as Column
from hedgerow.data.table.schema import Kind as Kind
from hedgerow.data.table.schema import Schema as Schema
from hedgerow.data.table.source import Source as Source
from hedgerow.data.table.table import Table as Table
from hedgerow.data.text.term_counts import TermCounts as TermCounts
from hedgerow.data.text.terms import TermLimits as TermLimits
from hedgerow.data.text.term_space import TermSpace as TermSpace
from hedgerow.data.table.table import Text as Text
from hedgerow.data.text.tokens import Tokens as Tokens
from hedgerow.data.text.term_space import Weighting as Weighting
from hedgerow.data.write import Writer as Writer
from hedgerow.data.bags.bags import bags as bags
from hedgerow.data.read import open_source as open_source
from hedgerow.data.items.pairs import pairs_to_baskets as pairs_to_baskets
from hedgerow.data.read import read as read
from hedgerow.data.text.mail import strip_mail as strip_mail
from hedgerow.data.text.terms import terms_of as terms_of
from hedgerow.data.text.terms import terms_with as terms_with
from hedgerow.data.text.terms import words_in as words_in
from hedgerow.data.write import write as write

# Errors and warnings
from hedgerow.errors import DataError as DataError
from hedgerow.errors import DataWarning as DataWarning
from hedgerow.errors import HedgerowError as HedgerowError
from hedgerow.errors import ModelError as ModelError
from hedgerow.errors import UsageError as UsageError

# Models
from hedgerow.models.associations.association_rules import AssociationRules as AssociationRules
from hedgerow.models.many.committee import Committee as Committee
from hedgerow.models.clusters.concept_tree import ConceptTree as ConceptTree
from hedgerow.models.associations.item_sets import ItemSets as ItemSets
from hedgerow.models.base.model import ClassModel as ClassModel
from hedgerow.models.base.contributions import Contribution as Contribution
from hedgerow.models.base.contributions import Contributions as Contributions
from hedgerow.models.base.model import Model as Model
from hedgerow.models.base.model import NumberModel as NumberModel
from hedgerow.models.many.output_code import OutputCodeModel as OutputCodeModel
from hedgerow.models.rules.choice import RuleChoice as RuleChoice
from hedgerow.models.rules.rule_list import RuleList as RuleList
from hedgerow.models.files.model_file import load as load
from hedgerow.models.base.kinds import register_model as register_model
from hedgerow.models.rules.parse_model import parse_model as parse_model
from hedgerow.models.views.predictions import predictions as predictions
from hedgerow.models.rules.text_header import with_columns as with_columns

# Functions that learn
from hedgerow.learn.linear.online.checkpoint import Checkpoint as Checkpoint
from hedgerow.learn.linear.online.online_state import OnlineState as OnlineState
from hedgerow.learn.associations.functions import association_rules as association_rules
from hedgerow.learn.clusters.describe import describe_clusters as describe_clusters
from hedgerow.learn.registry import learners as learners
from hedgerow.learn.associations.functions import mine as mine

# Evaluation
from hedgerow.evaluate.clusters.evaluate_clusters import ClusterFigures as ClusterFigures
from hedgerow.evaluate.learner_comparison.comparison import Comparison as Comparison
from hedgerow.evaluate.results import Results as Results
from hedgerow.evaluate.bootstrap import bootstrap as bootstrap
from hedgerow.evaluate.learner_comparison.compare import compare as compare
from hedgerow.evaluate.validate import cross_validate as cross_validate
from hedgerow.evaluate.clusters.evaluate_clusters import evaluate_clusters as evaluate_clusters
from hedgerow.evaluate.validate import holdout as holdout
from hedgerow.evaluate.learning_curve import learning_curve as learning_curve
from hedgerow.evaluate.validate import leave_one_out as leave_one_out
from hedgerow.evaluate.learning_curve import parameter_curve as parameter_curve
from hedgerow.evaluate.validate import test as test
from hedgerow.evaluate.tune import tune as tune
from hedgerow.evaluate.validate import validation_split as validation_split
from hedgerow.evaluate.metrics import abstaining as abstaining
from hedgerow.evaluate.metrics import calibration as calibration
from hedgerow.evaluate.metrics import costs as costs
from hedgerow.evaluate.metrics import intervals as intervals
from hedgerow.evaluate.metrics import lift as lift
from hedgerow.evaluate.metrics.measure_table import measure_table as measure_table
from hedgerow.evaluate.metrics import measures as measures
from hedgerow.evaluate.metrics import ranking as ranking
from hedgerow.evaluate.metrics import regression as regression
from hedgerow.evaluate.metrics import thresholds as thresholds

# Explanations
from hedgerow.explain.importance import impurity_importance as impurity_importance
from hedgerow.explain.importance import permutation_importance as permutation_importance
from hedgerow.explain.partial_dependence import partial_dependence as partial_dependence
from hedgerow.explain.cards import rule_cards as rule_cards

# Reports and export
from hedgerow.report.explanations.explanation import Explanation as Explanation
from hedgerow.report.associations.associations import associations_report as associations_report
from hedgerow.report.clusters.clusters_page import clusters_page as clusters_page
from hedgerow.report.clusters.clusters import clusters_report as clusters_report
from hedgerow.report.clusters.clusters_svg import clusters_svg as clusters_svg
from hedgerow.report.comparison.comparison import comparison_report as comparison_report
from hedgerow.report.comparison.curve import curve_report as curve_report
from hedgerow.report.whole.describe import describe as describe
from hedgerow.report.data.data import describe_report as describe_report
from hedgerow.export.dot import dot as dot
from hedgerow.report.evaluation.build import evaluation_report as evaluation_report
from hedgerow.report.evaluation.thresholds import WantedThresholds as WantedThresholds
from hedgerow.report.explanations.explanation import explanations as explanations
from hedgerow.report.explanations.explanation import explanations_report as explanations_report
from hedgerow.report.whole.full_report import full_report as full_report
from hedgerow.report.associations.associations import item_sets_report as item_sets_report
from hedgerow.report.about.model_report import model_report as model_report
from hedgerow.report.regions.regions_svg import regions_svg as regions_svg
from hedgerow.report.whole.text import render as render
from hedgerow.report.rules.rules import rules_report as rules_report
from hedgerow.report.whole.html import to_html as to_html
from hedgerow.layout.json_values import to_json as to_json
from hedgerow.report.whole.markdown import to_markdown as to_markdown
from hedgerow.report.trees.tree_svg import tree_svg as tree_svg
from hedgerow.training.fit import fit as fit
from hedgerow.export.associations import write_associations as write_associations
from hedgerow.report.draw.charts import Series as Series
from hedgerow.report.draw.charts import line_chart as line_chart
from hedgerow.report.draw.scale import axis_for as axis_for
from hedgerow.report.draw.scale import share_axis as share_axis

# Modules
from hedgerow import checks as checks
from hedgerow import examples as examples
from hedgerow import plot as plot

__version__: str

def public_names() -> dict[str, str]: ...
