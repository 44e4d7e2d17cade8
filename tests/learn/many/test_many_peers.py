"""Multiclass from binary classifiers compared with scikit-learn, and with its estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hedgerow import Bagging, OneVsRest, Pairwise
from hedgerow.errors import ModelError
from hedgerow.models.files.model_file import dumps
from tests.learn.many.test_many import digits, iris


@pytest.mark.parametrize("base", [LinearSVC(random_state=1), LogisticRegression()], ids=lambda b: type(b).__name__)
@pytest.mark.parametrize(("ours", "theirs"), [(OneVsRest, OneVsRestClassifier), (Pairwise, OneVsOneClassifier)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_predictions_are_those_of_scikit_learn_on_the_same_base(base, ours, theirs):
    data = load_iris()
    X, y = data.data[::2], data.target[::2]
    one, other = ours(base=base).fit(X, y), theirs(base).fit(X, y)
    assert (one.predict(data.data) == other.predict(data.data)).all()
    np.testing.assert_allclose(one.decision_function(data.data), other.decision_function(data.data), atol=1e-9)


def test_trees_of_scikit_learn_one_against_the_rest():
    X, y, Xt, _ = digits()
    base = DecisionTreeClassifier(random_state=1)
    ours, theirs = OneVsRest(base=base).fit(X, y), OneVsRestClassifier(base).fit(X, y)
    assert (ours.predict(Xt) == theirs.predict(Xt)).all()


def test_estimators_that_see_all_rows_share_one_matrix():
    seen = []

    class Watching(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((id(X), X.shape))
            return super().fit(X, y, sample_weight)

    OneVsRest(base=Watching()).train(iris())
    assert len(set(seen)) == 1
    assert len(seen) == 3
    Pairwise(base=Watching()).train(iris())
    assert [shape for _, shape in seen[3:]] == [(100, 4)] * 3


def test_a_model_of_scikit_learn_cannot_be_saved():
    model = OneVsRest(base=LogisticRegression()).train(iris())
    with pytest.raises(ModelError, match="not a hedgerow learner"):
        dumps(model)


def test_bagging_takes_estimators_too():
    X, y = load_iris(return_X_y=True)
    assert Bagging(base=DecisionTreeClassifier(), n_estimators=3).fit(X, y).score(X, y) > 0.9
