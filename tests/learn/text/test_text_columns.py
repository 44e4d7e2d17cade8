"""A learner that takes text columns: its rules on words travel through fitting, testing, printing and files."""

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import C45, Bagging, DataError, DataWarning, NaiveBayes, OneR, learners, open_source, read
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Text
from hedgerow.data.text.terms import terms_of
from hedgerow.evaluate.metrics.measures import accuracy
from hedgerow.learn.classifier import Classifier
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.rules.rule_list import Rule, RuleList


class TellingWord(Classifier):
    """A toy learner: the word of the first text column that separates the classes best."""

    takes = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})

    def learn(self, table):
        schema = table.schema
        column = next(c for c in schema.columns if c.kind is Kind.TEXT)
        text = table[column.name]
        assert isinstance(text, Text)
        found = terms_of(text)
        label, k = table.target, len(schema.target_column.levels)
        counts = np.zeros((len(found.words), k))
        np.add.at(counts, (found.ids, label[found.entry_rows]), table.row_weights[found.entry_rows])
        every = np.bincount(label, table.row_weights, minlength=k)
        best = int(np.argmax(np.abs(counts / every).max(axis=1) - (counts / every).min(axis=1)))
        rule = Rule((Condition(column.name, Operator.CONTAINS, found.words[best]),), tuple(counts[best]))
        return RuleList(schema, (rule,), Rule((), tuple(every - counts[best])))


OPENINGS = ["call me now please", "a FREE prize for you", "see you at home tonight", "Free entry, win the cup"]
FRAME = pd.DataFrame(
    {
        "message": [f"{OPENINGS[k % 4]} number {k}" if k != 5 else None for k in range(40)],
        "size": [float(k % 7) for k in range(40)],
        "label": ["ham", "spam"] * 20,
    }
)


def test_text_columns_reach_learners_that_take_them():
    model = TellingWord().fit(FRAME, "label").model_
    assert model.schema["message"].kind is Kind.TEXT
    assert str(model).startswith('if message contains "free" then label = spam (19/0)')


def test_others_leave_text_columns_out_and_say_so():
    with pytest.warns(DataWarning, match="left out, since this learner cannot use columns of their kind: 'message'"):
        model = OneR().fit(FRAME, "label").model_
    assert "message" not in model.schema


def test_prediction_takes_frames_in_which_the_text_looks_nominal():
    learner = TellingWord().fit(FRAME, "label")
    new = pd.DataFrame({"message": ["free", "FREE!", "freedom", None], "size": [1.0] * 4})
    assert learner.predict(new).tolist() == ["spam", "spam", "ham", "ham"]


def test_readable_is_executable(tmp_path):
    learner = TellingWord().fit(FRAME, "label")
    model, table = learner.model_, hedgerow.read(FRAME, target="label")
    again = RuleList.parse(str(model), model.schema)
    assert np.array_equal(again.distribution(table), model.distribution(table))
    model.save(tmp_path / "m.hedge")
    loaded = hedgerow.load(tmp_path / "m.hedge")
    assert loaded == model
    assert np.array_equal(loaded.decide(table), model.decide(table))


def test_rows_and_weights_are_the_same_thing():
    table = hedgerow.read(FRAME, target="label")
    twice = table.take(np.repeat(np.arange(40), 2))
    weighted = table.with_weights(np.full(40, 2.0))
    assert str(TellingWord().train(twice)) == str(TellingWord().train(weighted))


def test_cross_validation_and_ensembles_split_texts():
    table = hedgerow.read(FRAME, target="label")
    results = hedgerow.cross_validate(TellingWord(), table, folds=4)
    assert accuracy(results) > 0.9
    bagged = hedgerow.Bagging(base=TellingWord(), n_estimators=3).train(table)
    assert "message" in bagged.schema
    assert (bagged.decide(table) == table.target).mean() > 0.9


def test_a_stream_brings_its_texts(tmp_path):
    path = tmp_path / "mail.csv"
    FRAME.to_csv(path, index=False)
    table = hedgerow.read(path)
    assert table.schema["message"].kind is Kind.TEXT
    assert str(TellingWord().train(table)).startswith('if message contains "free" then label = spam (19/0)')


TEXTS = pd.DataFrame({"message": FRAME["message"], "label": FRAME["label"]})


@pytest.mark.parametrize("name", [name for name, info in learners().items() if info.learner.target_is_classes])
def test_texts_alone_are_used_or_refused(name):
    """No learner but the baseline makes a model of nothing."""
    table = read(TEXTS, target="label", kinds={"message": "text"})
    learner = learners()[name].learner()
    if Kind.TEXT in learner.accepted_kinds() or not learner.needs_columns:
        assert ("message" in learner.train(table).schema) == learner.needs_columns
        return
    with pytest.raises(DataError, match=rf"{name} cannot use texts.*column 'message'") as caught:
        learner.train(table)
    listed = str(caught.value).split("use a learner that can: ")[1].split(", or an ensemble")[0].split(", ")
    assert {"svm", "logistic", "naive_bayes", "knn"} <= set(listed)
    for other in listed:
        assert Kind.TEXT in learners()[other].learner().accepted_kinds()


def test_streams_and_batches_of_texts_alone_are_refused_too(tmp_path):
    path = tmp_path / "t.csv"
    TEXTS.to_csv(path, index=False)
    with pytest.raises(DataError, match="c45 cannot use texts"):
        C45().train(open_source(path, kinds={"message": "text"}))
    with pytest.raises(DataError, match="one_r cannot use texts"):
        OneR().partial_fit(read(path, kinds={"message": "text"}))
    with pytest.raises(DataError, match="c45 cannot use texts"):
        C45().show_work(read(path, kinds={"message": "text"}))
    bagged = Bagging(base="naive_bayes").train(read(path, kinds={"message": "text"}))
    assert "message" in bagged.schema


def test_texts_beside_other_columns_are_left_out_with_a_note():
    table = read(FRAME, target="label", kinds={"message": "text"})
    assert "left out, since this learner cannot use columns of their kind: 'message'" in OneR().train(table).about.notes


@pytest.mark.parametrize("constant", [1.5, "only", float("nan")])
def test_texts_beside_constant_columns_are_texts_alone(constant):
    """A column of one value is nothing to learn from either."""
    table = read(TEXTS.assign(extra=constant), target="label", kinds={"message": "text"})
    with pytest.raises(
        DataError, match=r"c45 cannot use texts, and all other columns are constant \(column 'message'\)"
    ):
        C45().train(table)
    assert "message" in NaiveBayes().train(table).schema
    C45().train(read(TEXTS.assign(extra=[i % 7 for i in range(len(TEXTS))]), target="label", kinds={"message": "text"}))
