"""Forty typical calls of people who use scikit-learn, as they would write them."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import sklearn.calibration
import sklearn.compose
import sklearn.ensemble
import sklearn.feature_selection
import sklearn.inspection
import sklearn.metrics
import sklearn.model_selection
import sklearn.multiclass
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris

import hedgerow

mpl.use("Agg")

CALLS = """
hedgerow.RandomForest(n_estimators=5, max_depth=3, min_samples_leaf=2, random_state=0).fit(X, y).score(X, y) > 0.9
hedgerow.Bagging(n_estimators=3, max_samples=0.5, random_state=0).fit(X, y).predict(X).shape == (150,)
hedgerow.AdaBoost(n_estimators=3).fit(X, y).classes_.tolist() == [0, 1, 2]
hedgerow.KNN(n_neighbors=3, weights="distance").fit(X, y).predict_proba(X).shape == (150, 3)
hedgerow.KNN(n_neighbors=3, metric="manhattan").fit(X, y).score(X, y) > 0.9
hedgerow.KNN(n_neighbors=3, scale="none").fit(X, y).kneighbors(X[:2])[1].shape == (2, 3)
hedgerow.KNNRegressor(n_neighbors=3).fit(XR, yr).score(XR, yr) > 0.3
hedgerow.SVM(C=10, kernel="rbf", gamma=0.1, class_weight="balanced").fit(X, y).decision_function(X).shape == (150, 3)
hedgerow.SVM(kernel="linear").fit(X, y > 0).coef_.shape == (1, 4)
hedgerow.SVM(tol=1e-3, max_iter=1000).fit(X, y > 0).support_vectors_.shape[1] == 4
hedgerow.Logistic(penalty="elastic", l1_ratio=0.5, max_iter=200, tol=1e-6).fit(X, y).coef_.shape == (3, 4)
hedgerow.Logistic().fit(X, y > 0).intercept_.shape == (1,)
hedgerow.Logistic().fit(X, y).n_iter_[0] >= 1
hedgerow.LinearRegression(alpha=1.0, fit_intercept=True).fit(XR, yr).coef_.shape == (10,)
isinstance(hedgerow.LinearRegression().fit(XR, yr).intercept_, float)
hedgerow.LeastAbsolute(quantile=0.9).fit(XR, yr).predict(XR).shape == (442,)
hedgerow.NaiveBayes(alpha=0.5).fit(frame, y).predict(frame).shape == (150,)
hedgerow.CART(criterion="gini", max_depth=2, min_samples_leaf=5).fit(X, y).feature_importances_.sum() > 0.99
hedgerow.CARTRegressor(max_depth=3).fit(XR, yr).predict(XR[:5]).shape == (5,)
hedgerow.KMeans(n_clusters=3, init="random", n_init=2, max_iter=50, tol=1e-4).fit(X).labels_.max() == 2
hedgerow.KMeans(n_clusters=3).fit(X).cluster_centers_.shape == (3, 4)
hedgerow.KMeans(n_clusters=3).fit_transform(X).shape == (150, 3)
hedgerow.KMeans().set_output(transform="pandas").fit_transform(frame).columns.tolist() == ["kmeans0", "kmeans1"]
make_pipeline(hedgerow.KMeans(n_clusters=5), hedgerow.Logistic()).fit(X, y).score(X, y) > 0.8
hedgerow.KMeans(n_clusters=3).fit_predict(X).shape == (150,)
hedgerow.KMeans(n_clusters=2).fit(X).inertia_ > 0 and hedgerow.KMeans(n_clusters=2).fit(X).n_iter_ >= 1
hedgerow.Agglomerative(n_clusters=3, linkage="ward").fit_predict(X).max() == 2
sklearn.metrics.silhouette_score(X, hedgerow.BisectingKMeans(n_clusters=3).fit(X).labels_) > 0.4
GridSearchCV(hedgerow.KNN(), {"n_neighbors": [1, 5]}, cv=3).fit(X, y).best_params_["n_neighbors"] in (1, 5)
RandomizedSearchCV(hedgerow.CART(), {"max_depth": [1, 2]}, n_iter=2, cv=3).fit(X, y).best_score_ > 0.5
cross_val_score(hedgerow.C45(), X, y, cv=5, scoring="f1_macro").mean() > 0.8
cross_val_predict(hedgerow.C45(), X, y, cv=3, method="predict_proba").shape == (150, 3)
cross_validate(hedgerow.OneR(), X, y, cv=3, return_train_score=True)["train_score"].shape == (3,)
learning_curve(hedgerow.NaiveBayes(), X, y, cv=3, shuffle=True, random_state=0)[1].shape == (5, 3)
validation_curve(hedgerow.KNN(), X, y, param_name="n_neighbors", param_range=[1, 5], cv=3)[0].shape == (2, 3)
make_pipeline(StandardScaler(), hedgerow.Logistic()).fit(X, y).predict(X).shape == (150,)
make_pipeline(ColumnTransformer([("s", StandardScaler(), [0, 1])]), hedgerow.KNN()).fit(X, y).score(X, y) > 0.7
make_pipeline(hedgerow.Discretize(), hedgerow.NaiveBayes()).set_params(naivebayes__alpha=2).fit(X, y).score(X, y) > 0.9
hedgerow.Discretize().set_output(transform="pandas").fit_transform(frame, y).columns.tolist() == [*frame.columns]
VotingClassifier([("a", hedgerow.C45()), ("b", hedgerow.NaiveBayes())], voting="soft").fit(X, y).score(X, y) > 0.9
StackingClassifier([("a", hedgerow.C45())], hedgerow.Logistic(), cv=3).fit(X, y).score(X, y) > 0.9
BaggingClassifier(hedgerow.C45(), n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.9
OneVsRestClassifier(hedgerow.Logistic()).fit(X, y).predict(X).shape == (150,)
CalibratedClassifierCV(hedgerow.Logistic(), cv=3).fit(X, y).predict_proba(X).shape == (150, 3)
RFE(hedgerow.Logistic(), n_features_to_select=2).fit(X, y).support_.sum() == 2
SelectFromModel(hedgerow.RandomForest(n_estimators=5)).fit(X, y).transform(X).shape[1] < 4
SelectFromModel(hedgerow.LinearRegression()).fit(XR, yr).get_support().shape == (10,)
permutation_importance(hedgerow.C45().fit(X, y), X, y, n_repeats=2, random_state=0).importances_mean.shape == (4,)
PartialDependenceDisplay.from_estimator(hedgerow.RandomForest(n_estimators=3).fit(X, y), X, [0], target=1) is not None
classification_report(y, hedgerow.C45().fit(X, y).predict(X)).startswith(" ")
roc_auc_score(y > 0, hedgerow.Logistic().fit(X, y > 0).decision_function(X)) > 0.9
clone(hedgerow.RandomForest(n_estimators=7)).get_params()["n_estimators"] == 7
is_classifier(hedgerow.C45()) and is_regressor(hedgerow.LinearRegression())
hedgerow.C45().fit(frame, y).feature_names_in_.tolist() == frame.columns.tolist()
hedgerow.C45().fit(X, y, sample_weight=np.arange(150) % 3).n_features_in_ == 4
"""
NAMES = {
    name: value
    for module in (
        sklearn.calibration, sklearn.compose, sklearn.ensemble, sklearn.feature_selection, sklearn.inspection,
        sklearn.metrics, sklearn.model_selection, sklearn.multiclass, sklearn.pipeline, sklearn.preprocessing,
    )
    for name, value in vars(module).items()
    if not name.startswith("_")
}  # fmt: skip


def surroundings():
    X, y = load_iris(return_X_y=True)
    XR, yr = load_diabetes(return_X_y=True)
    frame = pd.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
    own = {"hedgerow": hedgerow, "np": np, "sklearn": sklearn, "X": X, "y": y, "XR": XR, "yr": yr, "frame": frame}
    return NAMES | own | {"clone": clone, "is_classifier": is_classifier, "is_regressor": is_regressor}


@pytest.mark.parametrize("call", CALLS.strip().split("\n"))
def test_a_call_works(call):
    with warnings.catch_warnings(action="ignore"):
        assert eval(call, surroundings())
