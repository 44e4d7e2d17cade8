"""Binary classifiers as the base of multiclass models: what they are trained on, and bad input."""

import warnings

import numpy as np
import pytest

from hedgerow import C45, KNN, Bagging, NaiveBayes, OneVsRest, OutputCodes, Pairwise, Prism, cross_validate
from hedgerow.data.table.table import Table
from hedgerow.errors import DataWarning, UsageError
from hedgerow.examples import weather
from hedgerow.models.base.decisions import decisions
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.many.output_code import OutputCodeModel
from tests.learn.many.test_many import MANY, digits, iris


@pytest.mark.parametrize("learner", MANY)
def test_members_that_abstain_have_no_vote(learner):
    table = weather().with_target("Outlook")
    model = learner(base=Prism(default=None)).train(table)
    assert model.abstains
    values = model.values(table)
    said = model.decide(table)
    assert ((said < 0) == np.isnan(values).all(axis=0)).all()
    shares = model.distribution(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    answered = said >= 0
    assert (decisions(shares)[answered] == said[answered]).all()
    assert None in model.predict(Table.of({"Temperature": [None], "Humidity": [None], "Windy": [None], "Play": [None]}))


def test_costs_of_classes_reach_the_pairs():
    table = iris()
    costly = Pairwise(base=C45(costs={"versicolor": {"virginica": 1000}})).train(table)
    plain = Pairwise().train(table)
    assert (costly.decide(table) == 1).sum() > (plain.decide(table) == 1).sum()
    assert (costly.distribution(table).argmax(axis=1) == costly.decide(table)).all()
    with pytest.raises(UsageError, match="a side may have several"):
        OneVsRest(base=C45(costs={"versicolor": {"virginica": 1000}})).train(table)


def test_priors_of_classes_reach_the_sides():
    table = iris()
    priors = {"setosa": 0.1, "versicolor": 0.8, "virginica": 0.1}
    for learner in MANY:
        model = learner(base=C45(priors=priors)).train(table)
        assert (model.decide(table) == table.target_codes).mean() > 0.9
    with pytest.raises(UsageError, match="leave out the class 'virginica'"):
        OneVsRest(base=C45(priors={"setosa": 0.5, "versicolor": 0.5})).train(table)


@pytest.mark.parametrize("learner", MANY)
@pytest.mark.parametrize(
    "base", [KNN(n_neighbors=3), NaiveBayes(), "logistic", "ripper", Bagging(n_estimators=3), "majority"]
)
def test_any_classifier_can_be_the_base(learner, base):
    table = iris(range(0, 150, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = learner(base=base).train(table)
    assert isinstance(model, OutputCodeModel)
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.distribution(table), model.distribution(table))
    if base != "majority":
        assert (model.decide(table) == table.target_codes).mean() > 0.9


def test_models_of_models_stand_three_deep_at_most():
    nested = Pairwise(base=OneVsRest(base=Bagging(n_estimators=2))).train(iris())
    assert nested.nesting == 3
    assert loads(dumps(nested)) == nested
    with pytest.raises(UsageError, match="nested at most 3 deep"):
        Bagging(base=nested_learner()).train(iris())


def nested_learner():
    return Pairwise(base=OneVsRest(base=Bagging(n_estimators=2)))


@pytest.mark.parametrize(
    ("learner", "told"),
    [
        (OneVsRest(base=3), "a classifier or its name"),
        (OneVsRest(base="mean"), "must predict classes"),
        (OneVsRest(base=C45), "is a class"),
        (Pairwise(by="most"), "one of votes, coupled"),
        (OutputCodes(codes="hadamard"), "one of auto"),
        (OutputCodes(columns=9), "length of random codes"),
        (OutputCodes(codes="dense", columns=1), "at least 2 columns"),
        (OutputCodes(by="square"), "one of hinge"),
    ],
)
def test_bad_parameters_are_sentences(learner, told):
    with pytest.raises(UsageError, match=told):
        learner.train(iris())


def test_exhaustive_codes_of_many_classes_name_the_way_out():
    table = Table.of({"x": np.arange(26.0), "c": [chr(97 + i) for i in range(26)]}, "c")
    with pytest.raises(UsageError, match="codes='bch'"):
        OutputCodes(codes="exhaustive").train(table)
    assert len(OutputCodes(base="majority").train(table)) == 63


@pytest.mark.parametrize("learner", MANY)
def test_streams_are_refused(learner, tmp_path):
    import hedgerow

    path = tmp_path / "a.csv"
    path.write_text("x,c\n1,a\n2,b\n3,c\n")
    with pytest.raises(UsageError, match="cannot be trained on a stream"):
        learner().train(hedgerow.open_source(path, target="c"))


def test_coupling_decides_if_it_is_asked_to():
    X, y, Xt, _ = digits()
    model = Pairwise(base="naive_bayes", by="coupled").fit(X, y)
    assert (model.predict_proba(Xt).argmax(axis=1) == model.predict(Xt)).all()
    assert "the most probable class, coupled from all of them" in str(model.model_)


def test_texts_reach_the_base():
    texts = ["goal team", "team goal goal", "orbit rocket", "rocket", "tea cup", "cup of tea"]
    labels = ["sport", "sport", "space", "space", "food", "food"]
    model = OneVsRest(base="naive_bayes").fit(texts, labels)
    assert model.predict(["a goal", "my rocket", "tea"]).tolist() == ["sport", "space", "food"]


def test_cross_validation_and_tuning_reach_the_base():
    results = cross_validate(Pairwise(base="c45"), iris(), folds=3)
    assert (results.decided == results.actual).mean() > 0.9
    learner = Pairwise(base="c45").set_params(base__min_leaf=10)
    assert learner.base.min_leaf == 10


def test_a_wide_table_of_one_row():
    table = Table.of({"x": [1.0], "c": ["a"]}, "c", {"c": ["a", "b", "c"]})
    for learner in MANY:
        assert learner().train(table).decide(table).tolist() == [0]
