"""Learners on texts keep the laws under any settings, and weights count wherever terms are counted."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hedgerow import KNN, AdaBoost, Bagging, NaiveBayes, Ripper, Rocchio, TextTerms
from hedgerow.checks import CHECKS, check_learner, check_row_order, examples, outcome
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace, Weighting
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.text_counts import term_counts
from hedgerow.data.text.tokens import Tokens
from hedgerow.layout.cell_width import count_cells
from hedgerow.learn.base import Learner
from hedgerow.models.files.model_file import dumps, loads

COMPLEMENT = {"text_model": "complement"}
SETTINGS = (
    {"tf": "log", "idf": "smooth", "norm": "l2", "min_rows": 8, "max_share": 0.5},
    {"idf": "plain", "norm": "l2", "most": 4},
    {"idf": "plain", "norm": "l2", "bits": 4},
    {"min_rows": 9, "norm": "l2", "ngram_max": 2},
)
LEARNERS = [
    *(NaiveBayes(text_model=event) for event in ("bernoulli", "complement", "weighted_complement")),
    *(make(**settings) for settings in SETTINGS for make in (NaiveBayes, Rocchio, KNN)),
    *(NaiveBayes(**COMPLEMENT, **{**settings, "norm": "none"}) for settings in SETTINGS),
    *(Rocchio(prototypes=2, gamma=0.25, **settings) for settings in SETTINGS),
    Bagging(base=NaiveBayes(idf="plain", min_rows=3), n_estimators=3),
    Bagging(base=KNN(), n_estimators=3, rule="average"),
    Bagging(base=Ripper(), n_estimators=2),
    AdaBoost(base=NaiveBayes(idf="smooth"), n_estimators=3),
    AdaBoost(base=Rocchio(), n_estimators=3),
]
SOME = np.array([0.1, 0.7, 1.3, 0.2])  # sums of these depend on their order


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_laws_on_texts(learner, check):
    tables = examples(learner)
    assert set(tables) == {"mixed", "texts", "mixed with texts"}
    for name in ("texts", "mixed with texts"):
        check(learner, tables[name])


@pytest.mark.parametrize(
    "learner", [NaiveBayes(idf="plain", norm="l2", most=5), Rocchio(max_share=0.6), KNN()], ids=repr
)
def test_the_order_of_rows_with_fractional_weights_does_not_matter(learner):
    for table in examples(learner).values():
        check_row_order(learner, table.with_weights(np.resize(SOME, table.n_rows)))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_two_halves_equal_one_row(settings):
    for learner in (NaiveBayes(**settings), Rocchio(**settings)):
        table = examples(learner)["mixed with texts"]
        halves = table.take(np.repeat(np.arange(table.n_rows), 2)).with_weights(np.full(2 * table.n_rows, 0.5))
        halves = replace(halves, counts_rows=True)  # as an ensemble would give them
        one, other = learner.train(table), learner.train(halves)
        assert str(one) == str(other)
        assert np.allclose(outcome(one, table), outcome(other, table), atol=1e-9)


@pytest.mark.parametrize("settings", [{"idf": "plain"}, {"min_rows": 12, "idf": "smooth"}, {"most": 3}], ids=str)
def test_soft_labels_count_by_weight_and_once_whatever_the_classes(settings):
    learner = NaiveBayes(**settings)
    table = examples(learner)["mixed with texts"]
    shares = np.random.default_rng(2).dirichlet([1, 1, 1], table.n_rows)
    twice = np.concatenate([np.arange(table.n_rows), np.arange(10)])
    weighted = table.with_weights(np.where(np.arange(table.n_rows) < 10, 2.0, 1.0))
    one, other = learner.train(table.take(twice), shares[twice]), learner.train(weighted, shares)
    assert str(one) == str(other)
    assert np.allclose(outcome(one, table), outcome(other, table), atol=1e-9)
    texts = table.n_rows + 10 - sum(table["note"].missing[twice])
    assert f"of {texts} texts" in str(one)


def test_counts_of_weighted_texts():
    texts = Text.of(["goal team goal", None, "team", ""])
    counts = TermCounts.of(texts, weights=np.array([2.0, 5.0, 0.5, 1.0]))
    assert (counts.n_rows, counts.rows.tolist(), counts.totals.tolist()) == (3.5, [2, 2.5], [4, 2.5])
    space = TermSpace.from_counts(counts, weighting=Weighting(idf="plain"))
    assert space.scale.tolist() == np.log([3.5 / 2, 3.5 / 2.5]).tolist()
    assert TermSpace.from_counts(counts, limits=TermLimits(min_rows=2)).names == ("goal", "team")
    assert TermSpace.from_counts(counts, limits=TermLimits(max_share=0.6)).names == ("goal",)
    assert TermSpace.from_counts(counts, limits=TermLimits(most=1)).names == ("goal",)
    table = Table.of({"x": [1.0] * 4}).with_column(Column("note", Kind.TEXT), texts)
    assert "2 terms of 3.5 texts" in str(TextTerms().train(table.with_weights(np.array([1.5, 0.5, 0.5, 1.5]))))


def test_weights_of_1_are_no_weights():
    texts = Text.of(["goal team goal", None, "team orbit", ""])
    for tokens in (Tokens(), Tokens(bits=5), Tokens(bits=5, ngrams=(1, 2))):
        plain, ones = term_counts(texts, tokens, None), term_counts(texts, tokens, np.ones(4))
        assert plain.n_rows == ones.n_rows == 3
        assert np.array_equal(plain.rows, ones.rows)
        assert np.array_equal(getattr(plain, "names", plain).totals, getattr(ones, "names", ones).totals)


def test_hashed_columns_count_by_weight():
    texts = Text.of(["goal team goal", "team", "orbit"])
    twice = term_counts(Text.of(["goal team goal", "goal team goal", "team", "orbit"]), Tokens(bits=3), None)
    weighted = term_counts(texts, Tokens(bits=3), np.array([2.0, 1.0, 1.0]))
    assert np.array_equal(twice.rows, weighted.rows)
    assert np.array_equal(twice.names.totals, weighted.names.totals)


@pytest.mark.parametrize("scale", [1e-20, 0.1, 1 / 3, 1e25])
def test_a_term_of_every_text_weighs_nothing_whatever_the_weights(scale):
    """Its document frequency and the number of texts are sums of the same weights, perhaps in another order."""
    texts = ["and goal", "and team and", "and", "orbit and goal"] * 7
    weights = np.resize(SOME * scale, len(texts))
    for tokens in (Tokens(), Tokens(bits=6)):
        parts = [term_counts(Text.of(texts[own]), tokens, weights[own]) for own in (slice(9, None), slice(9))]
        space = TermSpace.from_counts(parts[0] + parts[1], tokens, weighting=Weighting("log", "plain", "l2"))
        assert not space.vectors(Text.of(["and and"])).values.any()
        assert space.vectors(Text.of(["and goal"])).values.any()
    kept = TermSpace.from_counts(term_counts(Text.of(texts), Tokens(), weights), limits=TermLimits(max_share=0.999))
    assert "and" not in kept.names
    assert kept.names == ("goal", "orbit", "team")  # min_rows=1 does not ask for a weight of 1


class Batches(Source):
    """A table as a stream of small batches."""

    def __init__(self, table):
        super().__init__("batches", ReadOptions())
        self.table = table

    def find_schema(self):
        return self.table.schema

    def batches(self, rows=None):  # noqa: ARG002
        yield from self.table.batches(7)


@pytest.mark.parametrize("weights", [SOME, np.array([2.0, 1.0, 0.0])], ids=["fractional", "whole"])
@pytest.mark.parametrize("learner", [one for one in LEARNERS if isinstance(one, NaiveBayes | Rocchio)], ids=repr)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_streams_with_weights_give_the_same_model(learner, weights):
    table = examples(learner)["mixed with texts"]
    table = table.with_weights(np.resize(weights, table.n_rows))
    one, other = learner.train(table), learner.train(Batches(table))
    assert str(one) == str(other)
    assert np.allclose(outcome(one, table), outcome(other, table), atol=1e-9)


def test_going_on_learning_counts_weights():
    learner, other = NaiveBayes(min_rows=9), NaiveBayes(min_rows=9)
    table = examples(learner)["mixed with texts"].with_weights(np.resize([2.0, 1.0, 0.5, 1.5], 60))
    for batch in table.batches(20):
        learner.partial_fit(batch, "group")
    assert str(learner.model_) == str(other.train(table))


def test_models_of_fractional_weights_are_kept():
    learner = NaiveBayes(idf="plain", norm="l2")
    table = examples(learner)["texts"]
    model = learner.train(table.with_weights(np.resize(SOME, table.n_rows)))
    copy = loads(dumps(model), "a copy")
    assert str(copy) == str(model)
    assert np.array_equal(outcome(copy, table), outcome(model, table))


def test_committees_tell_rows_of_which_no_member_knows_anything():
    learner = NaiveBayes()
    table = examples(learner)["texts"]
    new = Table.of({"x": [0.0] * 3}).with_column(Column("note", Kind.TEXT), Text.of(["goal", "unheard", None]))
    for base in (NaiveBayes(), Rocchio(), KNN()):
        for make in (
            Bagging(base=base, n_estimators=3),
            Bagging(base=base, n_estimators=3, rule="average"),
            AdaBoost(base=base),
        ):
            model = make.train(table)
            scored = model.score_rows(model.align(new))
            assert scored.is_unknown.tolist() == [False, True, True]
            assert np.array_equal(scored.distribution, model.scores(model.align(new)))
    model = Bagging(base=Ripper(), n_estimators=2).train(table)
    assert model.score_rows(model.align(new)).is_unknown is None  # rules do not tell


def test_a_column_without_any_value_is_no_text_and_no_number():
    learner = NaiveBayes()
    model = learner.train(examples(learner)["texts"])
    assert np.allclose(model.distribution(Table.of({"note": [None, None]})), model.prior / model.prior.sum())
    with pytest.raises(Exception, match="'note' is numeric, but the model needs it text"):
        model.distribution(Table.of({"note": [None, 1.0]}))


def test_east_asian_names_are_lined_up():
    table = Table.of({"色": ["赤い", "b", "赤い", "b"], "c": ["茶", "tea", "茶", "coffee"]}, "c")
    table = table.with_column(Column("note", Kind.TEXT), Text.of(["茶 飲み", "tea time", "茶 緑茶", "coffee time"]))
    for learner in (NaiveBayes(min_length=1), KNN(min_length=1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = str(learner.train(table)).split("\n")
        starts = [line for line in lines if line.startswith("  ") and line.split()[0] in ("茶", "tea", "coffee")]
        assert len(starts) >= 3
        places = {count_cells(line[: len(line) - len(line[2:].split("  ", 1)[1].lstrip())]) for line in starts}
        assert len(places) == 1, starts


def test_a_learner_that_forgets_weights_of_texts_breaks_the_law():
    class Forgetful(Rocchio):
        def learn(self, table):
            return super().learn(Table(table.schema, table.data, table.n_rows))

    assert issubclass(Forgetful, Learner)
    with pytest.raises(AssertionError, match="weight 2"):
        check_learner(Forgetful())
