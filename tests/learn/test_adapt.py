"""Estimators of other packages as learners: what they get, what they say, and what goes wrong."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45, Bagging, OneR, compare, cross_validate, examples
from hedgerow.checks import example
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError, UsageError
from hedgerow.learn.adapt import AdaptedLearner, adapt, split_learners
from hedgerow.models.base.model import ClassModel
from hedgerow.models.foreign.encoding import learn_encoding
from tests.evaluate.toys import blobs, straight

MIXED = example(C45())
ESTIMATORS = [
    DecisionTreeClassifier(),
    RandomForestClassifier(n_estimators=5),
    HistGradientBoostingClassifier(max_iter=5),
    LogisticRegression(max_iter=1000),
    GaussianNB(),
    BernoulliNB(),
    ComplementNB(),
    KNeighborsClassifier(),
    SVC(),
    LinearSVC(),
    Perceptron(),
    RidgeClassifier(),
    DummyClassifier(),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_any_classifier_learns_from_words_and_missing_values(estimator):
    learner = adapt(estimator)
    model = learner.train(MIXED)
    assert isinstance(model, ClassModel)
    said = model.distribution(MIXED)
    assert np.allclose(said.sum(axis=1), 1)
    assert (said >= 0).all()
    results = cross_validate(learner, MIXED, folds=3)
    assert len(results) == len(MIXED)
    assert not hasattr(estimator, "classes_")  # the one that was given is not fitted


def test_numbers_without_gaps_are_handed_over_as_they_are():
    table = blobs(3, 30)
    X = np.stack([table["length"], table["width"]], axis=1)
    plain = LogisticRegression().fit(X, table.target)
    model = adapt(LogisticRegression()).train(table)
    assert np.array_equal(model.distribution(table), plain.predict_proba(X))
    assert np.array_equal(model.decide(table), plain.predict(X))


def test_levels_become_indicators_and_gaps_the_median_of_the_training_rows():
    table = Table.of({"c": ["a", "b", None, "b"], "x": [1.0, None, 3.0, 8.0], "y": ["p", "q", "p", "q"]}, target="y")
    encoding = learn_encoding(table, "indicators", keeps_missing=False, takes_sparse=True)
    assert encoding.matrix(table).tolist() == [[1, 0, 1], [0, 1, 3], [0, 0, 3], [0, 1, 8]]
    later = table.take(np.array([1])).slice(0, 1)
    assert encoding.matrix(later).tolist() == [[0, 1, 3]]
    codes = learn_encoding(table, "codes", keeps_missing=False, takes_sparse=False)
    assert codes.matrix(table).tolist() == [[0, 1], [1, 3], [2, 3], [1, 8]]
    kept = learn_encoding(table, "codes", keeps_missing=True, takes_sparse=False).matrix(table)
    assert math.isnan(kept[2, 0])
    assert math.isnan(kept[1, 1])


def test_very_many_levels_make_a_sparse_matrix_where_that_is_taken():
    n = 1500
    table = Table.of({"c": [f"v{i}" for i in range(n)], "x": [1.0, None] * (n // 2), "y": ["p", "q"] * (n // 2)}, "y")
    encoding = learn_encoding(table, "indicators", keeps_missing=True, takes_sparse=True)
    assert encoding.sparse
    assert not encoding.keeps_missing  # a sparse matrix has no holes
    matrix = encoding.matrix(table)
    assert matrix.shape == (n, n + 1)
    assert matrix.nnz == 2 * n
    assert not learn_encoding(table, "indicators", keeps_missing=True, takes_sparse=False).sparse
    assert adapt(DecisionTreeClassifier(max_depth=2)).train(table).distribution(table).shape == (n, 2)


def test_boosting_by_histograms_splits_on_categories():
    model = adapt(HistGradientBoostingClassifier(max_iter=2)).train(MIXED)
    assert model.encoding.nominal == "codes"
    assert model.estimator.categorical_features == [0, 2]
    assert model.estimator.is_categorical_.tolist() == [True, False, True, False]


def test_bayes_that_counts_categories_gets_codes():
    rng = np.random.default_rng(1)
    words = {name: rng.choice(["a", "b", "c", None], 60).tolist() for name in ("u", "v")}
    table = Table.of({**words, "y": rng.choice(["p", "q"], 60).tolist()}, target="y")
    assert len(cross_validate(adapt(CategoricalNB()), table, folds=5)) == 60


def test_its_own_decision_counts_not_the_most_probable_class():
    table = blobs(2, 30, spread=2.0)
    eager = FixedThresholdClassifier(LogisticRegression(), threshold=0.05, pos_label=1)
    model = adapt(eager).train(table)
    likely = model.distribution(table).argmax(axis=1)
    assert (model.decide(table) != likely).any()


def test_margins_rank_rows_where_there_are_no_probabilities():
    table = blobs(3, 30)
    X = np.stack([table["length"], table["width"]], axis=1)
    model = adapt(LinearSVC()).train(table)
    plain = LinearSVC(random_state=1).fit(X, table.target).decision_function(X)
    said = model.distribution(table)
    assert np.array_equal(said.argmax(axis=1), plain.argmax(axis=1))
    assert np.allclose(np.log(said[:, 0] / said[:, 1]), plain[:, 0] - plain[:, 1])


def test_regressors_predict_numbers():
    table = straight()
    model = adapt(LinearRegression()).train(table)
    assert model.predict(table) == pytest.approx(
        np.polyval(np.polyfit(table["area"], table["price"], 1), table["area"])
    )
    assert adapt(LinearRegression()).target_is_classes is False


def test_weights_reach_the_estimator_or_are_said_not_to():
    table = blobs(2, 20, spread=2.0)
    weights = np.where(np.arange(40) < 20, 5.0, 1.0)
    X = np.stack([table["length"], table["width"]], axis=1)
    plain = LogisticRegression().fit(X, table.target, sample_weight=weights)
    model = adapt(LogisticRegression()).train(table.with_weights(weights))
    assert np.array_equal(model.distribution(table), plain.predict_proba(X))
    deaf = adapt(KNeighborsClassifier()).train(table.with_weights(weights))
    assert any("does not support sample weights" in note for note in deaf.about.notes)
    assert not adapt(KNeighborsClassifier()).train(table.with_weights(np.full(40, 2.0))).about.notes


def test_open_seeds_are_closed_so_that_the_same_data_give_the_same_model():
    learner = adapt(RandomForestClassifier(n_estimators=3))
    assert np.array_equal(learner.train(MIXED).distribution(MIXED), learner.train(MIXED).distribution(MIXED))
    assert learner.get_params()["random_state"] is None


def test_classes_that_a_fold_lacks_have_no_probability():
    table = blobs(3, 10)
    model = adapt(GaussianNB()).train(table.slice(0, 20))
    assert model.distribution(table)[:, 2].tolist() == [0.0] * 30


def test_sizes_are_leaves_support_vectors_or_coefficients():
    assert adapt(DecisionTreeClassifier(max_depth=1)).train(blobs(2, 20)).size == 2
    assert adapt(RandomForestClassifier(n_estimators=3, max_depth=1)).train(blobs(2, 20)).size == 6
    assert adapt(make_pipeline(StandardScaler(), LogisticRegression())).train(blobs(2, 20)).size == 2
    assert adapt(KNeighborsClassifier()).train(blobs(2, 20)).size is None


def test_a_table_without_columns_can_be_learned():
    table = Table.of({"y": ["p", "q", "p"]}, target="y")
    assert adapt(DecisionTreeClassifier()).train(table).predict(table).tolist() == ["p"] * 3


def test_what_goes_wrong_inside_is_a_sentence():
    table = Table.of({"x": [-1.0, 2.0, 3.0], "y": ["p", "q", "p"]}, target="y")
    with pytest.raises(ModelError, match="ComplementNB cannot be trained on this table: Negative values"):
        adapt(ComplementNB()).train(table)
    model = adapt(KNeighborsClassifier(n_neighbors=5)).train(table)
    with pytest.raises(ModelError, match="KNeighborsClassifier cannot predict: Expected n_neighbors"):
        model.distribution(table)


def test_a_foreign_model_cannot_be_saved(tmp_path):
    model = adapt(GaussianNB()).train(blobs())
    with pytest.raises(ModelError, match="cannot be saved"):
        model.save(tmp_path / "m.hedge")
    assert not list(tmp_path.iterdir())
    assert str(model) == "GaussianNB()"


def test_learners_are_made_from_text():
    assert repr(adapt("c45(min_leaf=5, prune=none)")) == "C45(min_leaf=5.0, prune='none')"
    assert repr(adapt("one-r")) == "OneR()"
    assert repr(adapt("sklearn.svm.SVC(C=10, kernel='linear')")) == "Adapted(SVC(C=10, kernel='linear'))"
    assert repr(adapt("sklearn.tree.DecisionTreeClassifier(max_depth=none)")) == "Adapted(DecisionTreeClassifier())"
    assert isinstance(adapt("hedgerow.C45"), C45)
    given = OneR()
    assert adapt(given) is given


def test_lists_of_learners_are_split_at_outer_commas():
    text = "c45(min_leaf=5,prune=none), one_r,,sklearn.x.Y(a=[1,2])"
    assert split_learners(text) == ["c45(min_leaf=5,prune=none)", "one_r", "sklearn.x.Y(a=[1,2])"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("c46", "did you mean 'c45'"),
        ("c45(min_leaf=5", "closing bracket"),
        ("c45(5)", "not a setting"),
        ("c45(min_leaf=0)", "above 0"),
        ("c45(min_leave=5)", "Did you mean 'min_leaf'"),
        ("nowhere.at.All", "no module named 'nowhere'"),
        ("sklearn.tree.Oak", "sklearn.tree has no 'Oak'"),
        ("sklearn.utils.Bunch", "has no `fit`"),
        ("sklearn.svm.SVC(D=1)", "unexpected keyword"),
        (SVC, r"SVC is a class"),
        (3.5, "neither `train` nor `fit`"),
    ],
)
def test_what_is_no_learner_is_a_sentence(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        adapt(given)


def test_names_are_those_of_the_classes():
    assert adapt(make_pipeline(StandardScaler(), SVC())).name == "StandardScaler+SVC"
    assert adapt(SVC()).version.startswith("sklearn ")


def test_an_adapted_learner_can_be_a_member():
    committee = Bagging(base=AdaptedLearner(DecisionTreeClassifier(max_depth=2)), n_estimators=3).train(blobs(2, 20))
    assert committee.distribution(blobs(2, 20)).shape == (40, 2)


def test_a_stream_is_refused(tmp_path):
    from hedgerow import open_source

    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(UsageError, match="read the rows into a table"):
        adapt(SVC()).train(open_source(tmp_path / "a.csv"))


class Stranger:
    """Fit and predict, but nothing of scikit-learn's bases; its probabilities may be poor."""

    def __init__(self, said):
        self.said = said

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile(self.said, (len(X), 1))


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([0.5, np.nan], "did not predict a finite number"),
        ([1.0, 1.0, 1.0], "instead of"),
        ([-1.0, 2.0], "negative probabilities"),
        ([0.0, 0.0], "do not sum to 1 for 5 of 5 rows (the first sum is 0)"),
        ([0.9, 0.9], "the first sum is 1.8"),
        ([np.inf, 0.0], "do not sum to 1"),
    ],
)
def test_poor_probabilities_of_a_stranger_leave_a_hole_with_a_sentence(said, sentence):
    found = compare(["majority", Stranger(said)], {"loan": examples.loan()}, runs=1, folds=3)
    assert np.isnan(found.means[0, 1])
    assert sentence in found.notes[-1]


class Numberless(Stranger):
    """Has margins instead of probabilities, and decisions that may be none."""

    predict_proba = None

    def __init__(self, margin, said=0):
        self.margin, self.said = margin, said

    def predict(self, X):
        return np.full(len(X), self.said)

    def __getattribute__(self, name):
        if name == "predict_proba":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def decision_function(self, X):
        return np.full(len(X), self.margin)


@pytest.mark.parametrize(
    ("stranger", "sentence"),
    [
        (Numberless(np.nan), "did not predict a finite number"),
        (Numberless(np.inf), "did not predict a finite number"),
        (Numberless(1.0, np.nan), "must predict one of the classes for every row"),
        (Numberless(1.0, 7), "must predict one of the classes for every row"),
        (Numberless(1.0, "No"), "must predict one of the classes for every row"),
    ],
)
def test_poor_scores_and_decisions_of_a_stranger_are_sentences_too(stranger, sentence):
    with np.errstate(all="ignore"):
        found = compare(["majority", stranger], {"loan": examples.loan()}, runs=1, folds=3)
    assert np.isnan(found.means[0, 1])
    assert sentence in found.notes[-1]


def test_an_estimator_without_the_bases_of_scikit_learn_takes_part():
    found = compare(["majority", Stranger([0.4, 0.6])], {"loan": examples.loan()}, runs=1, folds=3)
    assert np.isfinite(found.means).all()
