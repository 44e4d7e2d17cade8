"""Every exported learner keeps scikit-learn's contract and hedgerow's own laws."""

import inspect
import pickle
import pkgutil
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import hedgerow
import hedgerow.learn
from hedgerow.checks import CHECKS, SHUFFLING, examples, expected_failed_checks
from hedgerow.learn.base import Learner
from hedgerow.learn.registry import HOMES, find_learner, learners

LEARNERS = [info.learner() for info in learners().values()]
PREDICTING = [
    learner for learner in LEARNERS if learner.target_is_classes is not None or learner.estimator_type == "clusterer"
]


def sklearn_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that we do not inherit from BaseEstimator is meant
        for learner in LEARNERS:
            expected = expected_failed_checks(learner)
            for estimator, check in estimator_checks_generator(learner):
                name = getattr(check, "func", check).__name__
                marks = [pytest.mark.xfail(reason=expected[name], strict=True)] if name in expected else []
                yield pytest.param(estimator, check, id=f"{learner.name}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(sklearn_checks()))
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_the_learners_that_do_not_pass_all_checks_are_named():
    declared = {learner.name for learner in LEARNERS if expected_failed_checks(learner)}
    assert declared == {"perceptron", "winnow", "agglomerative", "cobweb"}
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text()
    assert "`Perceptron`, `Winnow`, `Agglomerative` and `Cobweb` do not pass two of the checks" in guide
    assert set(expected_failed_checks(hedgerow.Cobweb())) == set(SHUFFLING)
    assert expected_failed_checks(hedgerow.C45()) == {}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("learner", "table"),
    [
        pytest.param(learner, table, id=f"{learner.name}-{name}")
        for learner in PREDICTING
        for name, table in examples(learner).items()
    ],
)
def test_own_laws(learner, table, check):
    check(learner, table)


def test_every_learner_is_exported_and_listed():
    for module in pkgutil.walk_packages(hedgerow.learn.__path__, "hedgerow.learn."):
        import_module(module.name)

    def below(kind):
        return [kind, *(leaf for sub in kind.__subclasses__() for leaf in below(sub))]

    kinds = [kind for kind in below(Learner) if kind.__module__.startswith("hedgerow.learn.")]
    assert {kind.__name__ for kind in kinds if not kind.__subclasses__()} <= set(HOMES)  # others are their bases
    assert set(HOMES) <= {kind.__name__ for kind in kinds}
    assert set(HOMES) <= set(hedgerow.__all__)
    for name in HOMES:
        assert getattr(hedgerow, name).__name__ == name


def test_every_public_name_can_be_had():
    for name in hedgerow.__all__:
        assert getattr(hedgerow, name) is not None
    assert set(hedgerow.__all__) <= set(dir(hedgerow))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
def test_every_parameter_is_declared_with_help_and_a_valid_default(learner):
    for name, param in learner.params.items():
        assert param.name == name
        assert param.help
        param.check(param.default)
        assert type(learner)(**{name: param.default}).get_params()[name] == param.default


def test_unknown_parameters_are_named_with_the_nearest():
    with pytest.raises(TypeError, match="did you mean 'alpha'"):
        hedgerow.NaiveBayes(alhpa=1)
    with pytest.raises(hedgerow.UsageError, match="Did you mean 'alpha'"):
        hedgerow.NaiveBayes().set_params(alhpa=1)


def test_parameters_out_of_range_are_sentences():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(hedgerow.UsageError, match=r"alpha=-1 .* a number of at least 0"):
        hedgerow.NaiveBayes(alpha=-1).fit(X, y)
    with pytest.raises(hedgerow.UsageError, match=r"density='kernal' .* did you mean 'kernel'"):
        hedgerow.NaiveBayes(density="kernal").fit(X, y)
    with pytest.raises(hedgerow.UsageError, match=r"min_bucket=0 .* above 0"):
        hedgerow.OneR(min_bucket=0).fit(X, y)


def test_learners_are_found_by_any_spelling():
    assert find_learner("naive_bayes") is find_learner("NaiveBayes") is find_learner("naive-bayes")
    with pytest.raises(hedgerow.UsageError, match="did you mean 'naive_bayes'"):
        find_learner("naive_bays")


def test_works_inside_scikit_learn():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(hedgerow.Discretize(), hedgerow.NaiveBayes())
    assert cross_val_score(pipeline, X, y, cv=5).mean() > 0.85
    search = GridSearchCV(hedgerow.NaiveBayes(), {"density": ["normal", "kernel", "bins"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    copy = pickle.loads(pickle.dumps(clone(search.best_estimator_).fit(X, y)))
    assert (copy.predict(X) == search.predict(X)).all()


def test_class_labels_come_back_as_they_were():
    X = np.array([[1.0], [2.0], [10.0], [11.0]])
    for y in (
        np.array([3, 3, 7, 7]),
        np.array([True, True, False, False]),
        np.array(["no", "no", "yes", "yes"]),
    ):
        said = hedgerow.NaiveBayes().fit(X, y).predict(X)
        assert said.dtype == y.dtype
        assert (said == y).all()


def test_unfitted_learners_say_so():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        hedgerow.OneR().predict([[1.0]])


def test_signature_and_repr_show_the_parameters():
    assert repr(hedgerow.OneR(min_bucket=3)) == "OneR(min_bucket=3)"
    assert repr(hedgerow.OneR()) == "OneR()"


@pytest.mark.parametrize("learner", PREDICTING, ids=lambda learner: learner.name)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_sparse_matrices_of_numbers(learner):
    """Counts and fractions, with missing numbers, in scipy's csr form predict as some or all of their rows do."""
    rng = np.random.default_rng(1)
    numbers = np.where(rng.random((40, 4)) < 0.4, rng.normal(1, 2, (40, 4)).round(2), 0.0)
    target = numbers[:, 0] + 2 * numbers[:, 1]
    numbers[rng.random((40, 4)) < 0.05] = np.nan
    X = csr_array(numbers)
    fitted = clone(learner).fit(X, target > 0.5 if learner.target_is_classes else target)
    predicted = fitted.predict(X)
    assert len(predicted) == 40
    others = [fitted.predict(X[:7])]
    if learner.target_is_classes is not None:
        others.append(fitted.predict(numbers))
    for other in others:
        if learner.target_is_classes is False:
            np.testing.assert_allclose(other, predicted[: len(other)], rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(other, predicted[: len(other)])


@pytest.mark.parametrize(
    "learner", [one for one in PREDICTING if hasattr(one, "partial_fit")], ids=lambda learner: learner.name
)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_learning_from_single_rows_from_the_start(learner):
    """Rows that come one by one tell classes apart, numbers and clusters as well as a batch of them does."""
    rng = np.random.default_rng(7)
    side = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 2)) + 6.0 * side[:, None] + [20.0, -3.0]
    target, learner = (side if learner.target_is_classes else X[:, 0] * 2.0 + 1.0), clone(learner)
    if learner.estimator_type == "clusterer" and "n_clusters" in learner.get_params():
        learner.set_params(n_clusters=2)
    for row in range(120):
        given = {"classes": [0, 1]} if learner.target_is_classes else {}
        learner.partial_fit(X[[row]], **({} if learner.target_is_classes is None else {"y": target[[row]]}), **given)
    if learner.target_is_classes is None:
        assert len(np.unique(learner.predict(X))) >= 2
    elif learner.name != "majority":
        assert learner.score(X, target) > 0.8


def test_docstrings_list_the_parameters():
    for learner in LEARNERS:
        text = inspect.getdoc(type(learner))
        assert ("\nParameters\n----------\n" in text) is bool(learner.params)
        assert all(f"\n{name} : " in text for name in learner.params)
    assert "Parameters" not in hedgerow.learners()["knn"].description


def test_dir_shows_the_interface():
    learner = hedgerow.C45()
    assert {"fit", "predict", "train", "max_depth", "get_params"} <= set(dir(learner))
    assert not {"learn", "plan", "accepted_kinds", "add_about", "takes", "model_"} & set(dir(learner))
    learner.fit(hedgerow.examples.weather())
    assert {"model_", "classes_", "n_features_in_", "feature_importances_"} <= set(dir(learner))

    class Own(hedgerow.Majority):
        def shout(self): ...

    assert "shout" in dir(Own())


def test_the_keywords_of_read_are_in_its_signature():
    for function in (hedgerow.read, hedgerow.open_source):
        parameters = inspect.signature(function).parameters
        assert {"target", "kinds", "missing", "delimiter", "format"} <= set(parameters)
        assert parameters["encoding"].default == "utf-8"
