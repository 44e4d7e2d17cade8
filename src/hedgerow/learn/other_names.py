"""The names that other programs have for learners, and the learners here that are the same or nearest to them."""

from __future__ import annotations

_SAME = {  # other names, without `_`, `-` and blanks and without Classifier or Regressor, and what they are here
    "c45": "decisiontree tree dt dtree j48 c50 c5 rpart ctree id4 decisiontreeclassifier",
    "cart_regressor": "decisiontreeregressor regressiontree m5 m5p",
    "random_forest": "rf forest randomforestclassifier randomforests extratrees extratreesclassifier ranger",
    "adaboost": "adaboostclassifier adaboostm1 ada boosting",
    "bagging": "baggingclassifier bag",
    "knn": "kneighbors kneighborsclassifier nearestneighbors nearestneighbor nn ibk knearestneighbors knc",
    "knn_regressor": "kneighborsregressor",
    "svm": "svc linearsvc nusvc smo libsvm liblinear supportvector supportvectormachine svmlight",
    "logistic": "logisticregression logisticregressioncv logit lr glm maxent",
    "linear_regression": "linear linearmodel lm ols ridge ridgecv lasso elasticnet leastsquares regression",
    "least_absolute": "quantileregressor quantile medianregression lad",
    "online_linear": "sgd sgdclassifier vw vowpalwabbit passiveaggressive passiveaggressiveclassifier",
    "online_linear_regressor": "sgdregressor",
    "naive_bayes": "nb bayes gaussiannb multinomialnb bernoullinb complementnb categoricalnb",
    "majority": "dummy dummyclassifier zeror baseline",
    "mean": "dummyregressor",
    "one_r": "1r oner onerule decisionstump stump",
    "ripper": "jrip",
    "c45_rules": "part",
    "covering": "cn2",
    "rocchio": "nearestcentroid",
    "one_vs_rest": "onevsrestclassifier ovr ova onevsall",
    "pairwise": "onevsoneclassifier ovo onevsone",
    "output_codes": "outputcodeclassifier ecoc",
    "kmeans": "minibatchkmeans kmeans++",
    "agglomerative": "agglomerativeclustering hierarchical hclust linkage",
    "bisecting_kmeans": "bisectingkmeans",
    "apriori": "fpgrowth eclat associationrules",
    "locally_weighted": "loess lowess",
    "text_terms": "countvectorizer tfidfvectorizer tfidf bagofwords",
    "discretize": "kbinsdiscretizer",
    "simplest": "auto automl best",
}
_NEAREST = {  # what is not available, the nearest to it, and what it is
    "adaboost": (
        (
            "xgboost xgb xgbclassifier lightgbm lgbm lgb lgbmclassifier catboost catboostclassifier gbm gbt "
            "gradientboosting gradientboostingclassifier histgradientboosting histgradientboostingclassifier gbdt"
        ),
        "gradient boosting",
    ),
    "cart_regressor": (
        (
            "xgbregressor lgbmregressor catboostregressor gradientboostingregressor histgradientboostingregressor "
            "randomforestregressor extratreesregressor adaboostregressor"
        ),
        "an ensemble of regression trees",
    ),
    "logistic": (
        (
            "cnn rnn lstm mlp mlpclassifier neuralnetwork neuralnet nnet dnn ann deeplearning transformer bert keras "
            "pytorch tensorflow"
        ),
        "a neural network",
    ),
    "linear_regression": (
        "mlpregressor svr linearsvr nusvr gaussianprocess gaussianprocessregressor",
        "such a regressor",
    ),
    "naive_bayes": ("lda qda lineardiscriminantanalysis quadraticdiscriminantanalysis bayesnet", "such a model"),
    "kmeans": ("dbscan hdbscan gaussianmixture gmm em spectralclustering meanshift optics birch", "such a clusterer"),
}
_EQUAL = {name: learner for learner, names in _SAME.items() for name in names.split()}
_NEAR = {name: (learner, what) for learner, (names, what) in _NEAREST.items() for name in names.split()}


def suggest_learner(name: str) -> str | None:
    """Return the end of an error message on the name that another program has for a learner; None if unknown."""
    plain = "".join(letter for letter in name.lower() if letter not in "_- .()")
    if plain in _EQUAL:
        return f"it is called {_EQUAL[plain]} here"
    if plain in _NEAR:
        learner, what = _NEAR[plain]
        return f"{what} is not available; the nearest is {learner}"
    return None
