"""Bagging: bootstrap samples of the textbook, laws of the draws, the out-of-bag error, and odd tables."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import hedgerow
from hedgerow import AdaBoost, Bagging, Committee, Majority, NaiveBayes, OneR, Table, UsageError, examples
from hedgerow.checks import example
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.learn import sampling
from hedgerow.learn.ensembles.members import seeds
from hedgerow.learn.sampling import Copies, copies, undrawn_copies, value_hash_order
from hedgerow.models.rules.rule_list import Rule, RuleList
from tests.textbook import BOOTSTRAP, quinlan27, weather, weather_numeric


@pytest.mark.parametrize(("items", "missing"), BOOTSTRAP)
def test_g109_left_out_items(items, missing):
    """G109."""
    counts = np.bincount(np.array(items) - 1, minlength=8)
    assert (undrawn_copies(counts) + 1).tolist() == missing
    pool = Copies(np.arange(8), np.ones(8), np.arange(8), 8)
    assert np.flatnonzero(pool.row_weights(counts) == 0).tolist() == [item - 1 for item in missing]
    assert pool.row_weights(counts).sum() == 8


@pytest.mark.parametrize(("m", "share"), [(8, 0.343609), (10, 0.348678), (100, 0.366032)])
def test_g109_share_left_out(m, share):
    """G109: (1 - 1/m)^m of the rows are left out on average, 0.37 of many."""
    assert (1 - 1 / m) ** m == pytest.approx(share, abs=5e-7)
    pool, random = Copies(np.arange(m), np.ones(m), np.arange(m), m), np.random.default_rng(1)
    drawn = [len(undrawn_copies(pool.counts(random))) / m for _ in range(4000)]
    assert np.mean(drawn) == pytest.approx(share, abs=4 * np.std(drawn) / np.sqrt(4000))


def test_g111_published_means_and_ratios():
    """G111: what bagged and boosted C4.5 are expected to gain."""
    rows = quinlan27()

    def mean(name):
        return round(float(np.mean([float(row[name]) for row in rows])), 3)

    assert len(rows) == 27
    assert [mean(name) for name in ("c45_err", "bag_err", "boost_err")] == [15.662, 14.115, 13.358]
    assert [mean(name) for name in ("bag_ratio", "boost_ratio", "bb_ratio")] == [0.905, 0.847, 0.930]
    of_means = [
        mean(a) / mean(b) for a, b in [("bag_err", "c45_err"), ("boost_err", "c45_err"), ("boost_err", "bag_err")]
    ]
    assert np.round(of_means, 3).tolist() == [0.901, 0.853, 0.946]


def test_g111_wins_losses_and_rows():
    """G111."""
    rows = quinlan27()
    pairs = [("bag_wl", 211, 39), ("boost_wl", 202, 62), ("bb_wl", 175, 84)]
    for name, won, lost in pairs:
        totals = np.sum([list(map(int, row[name].split("-"))) for row in rows], axis=0)
        assert totals.tolist() == [won, lost]
    errors = {name: np.array([float(row[name]) for row in rows]) for name in ("c45_err", "bag_err", "boost_err")}
    assert (errors["bag_err"] < errors["c45_err"]).sum() == 24
    assert (errors["boost_err"] < errors["c45_err"]).sum() == 21
    assert (errors["boost_err"] < errors["bag_err"]).sum() == 20
    for name, over, under in [("bag_ratio", "bag_err", "c45_err"), ("boost_ratio", "boost_err", "c45_err")]:
        printed = np.array([float(row[name]) for row in rows])
        slack = printed * (0.005 / errors[over] + 0.005 / errors[under]) + 0.0006
        assert (abs(errors[over] / errors[under] - printed) <= slack).all()


def test_members_are_models_of_their_samples():
    """What bagging does, done by hand with its own draws: rows that were drawn twice are repeated."""
    table = weather_numeric()
    model = Bagging(n_estimators=4, base=OneR(min_bucket=2)).train(table)
    pool = copies(table)
    for source, member in zip(seeds(1, 4), model.members, strict=True):
        counts = pool.counts(np.random.default_rng(source))
        assert counts.sum() == 14
        sample = table.take(np.repeat(pool.rows, counts))
        assert OneR(min_bucket=2).train(sample) == member


def test_the_distribution_is_the_share_of_votes():
    table = weather_numeric()
    model = Bagging(n_estimators=5, base=OneR(min_bucket=2)).train(table)
    said = np.stack([one.decide(table) for one in model.members], axis=1)
    assert np.array_equal(model.member_votes(table), said)
    assert np.allclose(model.distribution(table)[:, 0], (said == 0).mean(axis=1))
    mean = Bagging(n_estimators=5, base=OneR(min_bucket=2), rule="average").train(table)
    assert [str(one) for one in mean.members] == [str(one) for one in model.members]
    assert np.allclose(mean.distribution(table), np.mean([one.distribution(table) for one in mean.members], axis=0))


@pytest.mark.parametrize("rule", ["vote", "average"])
def test_out_of_bag_error_by_definition(rule):
    table = example(Bagging())
    model = Bagging(n_estimators=7, rule=rule).train(table)
    pool, target = copies(table), table.target
    sums = np.zeros((table.n_rows, 3))
    for source, member in zip(seeds(1, 7), model.members, strict=True):
        counts = pool.counts(np.random.default_rng(source))
        for row in pool.rows[undrawn_copies(counts)]:
            one = table.take(np.array([row]))
            sums[row] += member.distribution(one)[0] if rule == "average" else np.eye(3)[member.decide(one)[0]]
    seen = sums.any(axis=1)
    wrong = sums.argmax(axis=1)[seen] != target[seen]
    assert model.out_of_bag.weight == seen.sum()
    assert model.out_of_bag.error == pytest.approx(wrong.mean(), abs=1e-6)
    assert f"Out-of-bag error: {model.out_of_bag.error:g}" in str(model)


def test_without_replacement_a_sample_is_a_part_of_the_rows():
    table = weather()
    pool = copies(table)
    counts = pool.counts(np.random.default_rng(0), 0.5, replace=False)
    assert sorted(set(counts.tolist())) == [0, 1]
    assert counts.sum() == 7
    model = Bagging(max_samples=0.5, replace=False, base="majority").train(table)
    assert {one.default.n for one in model.members} == {7.0}
    whole = Bagging(replace=False, base="majority").train(table)
    assert {one.default.n for one in whole.members} == {14.0}
    assert whole.out_of_bag is None
    assert "Out-of-bag" not in str(whole)


def test_fewer_members_are_the_first_of_more():
    table = weather_numeric()
    few, many = Bagging(n_estimators=3).train(table), Bagging(n_estimators=8).train(table)
    assert few.members == many.members[:3]


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    monkeypatch.setenv("HEDGEROW_THREADS", "3")
    table = example(Bagging())
    before = Bagging(rule="average").train(table)
    monkeypatch.setenv("HEDGEROW_THREADS", threads)
    assert Bagging(rule="average").train(table) == before


def test_the_seed_matters_and_may_be_a_generator():
    table = example(Bagging())
    seeds = [1, 2, 0, -1, 2**70, np.int32(5), np.random.default_rng(3), np.random.RandomState(3), None]
    models = [Bagging(random_state=seed).train(table) for seed in seeds]
    assert len({tuple(map(str, model.members)) for model in models}) == len(seeds)
    again = Bagging(random_state=np.random.default_rng(3)).train(table)
    assert again == models[6]


def test_members_of_a_random_base_make_other_choices():
    table = example(Bagging())
    inner = Bagging(base="majority", n_estimators=1)
    model = Bagging(base=inner, n_estimators=6, replace=False).train(table)  # all learn from the same rows
    assert len({str(one.members[0]) for one in model.members}) > 1
    assert inner.random_state == 1
    same = Bagging(base="one_r", n_estimators=3, replace=False).train(table)
    assert len({str(one) for one in same.members}) == 1


def test_whole_weights_are_numbers_of_copies():
    table = weather().with_weights(np.arange(14.0) % 3 + 1)
    pool = copies(table)
    assert len(pool) == table.weights.sum()
    assert np.array_equal(np.bincount(pool.rows), table.weights)
    repeated = weather().take(np.repeat(np.arange(14), np.arange(14) % 3 + 1))
    assert Bagging().train(table) == Bagging().train(repeated)


def test_other_weights_are_multiplied():
    table = weather().with_weights(np.linspace(0.5, 1.8, 14))
    pool = copies(table)
    assert len(pool) == 14
    counts = pool.counts(np.random.default_rng(1))
    assert np.allclose(pool.row_weights(counts)[pool.rows], counts * table.weights[pool.rows])


def test_huge_weights_are_no_copies(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_COPIES", 100)
    assert len(copies(weather().with_weights(np.full(14, 7.0)))) == 98
    assert len(copies(weather().with_weights(np.full(14, 8.0)))) == 14
    table = weather().with_weights(np.full(14, 1e12))
    assert Bagging().train(table).about.weight == 14e12


def test_the_own_order_depends_on_values_only():
    table = example(Bagging())
    mixed = table.take(np.random.default_rng(5).permutation(table.n_rows))
    one, other = table.take(value_hash_order(table)), mixed.take(value_hash_order(mixed))
    for a, b in zip(one.data, other.data, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_the_own_order_takes_zeros_missing_values_and_texts():
    values = np.array([0.0, -0.0, np.nan, -np.nan])
    table = Table.of({"x": values, "y": ["a", "a", "b", "b"]}, target="y")
    order = value_hash_order(table).tolist()
    assert sorted(order) == [0, 1, 2, 3]
    assert {*order[:2]} in ({0, 1}, {2, 3})
    texts = table.with_column(Column("t", Kind.TEXT), Text.of(["uno", None, "dös", "uno"]))
    shuffled = texts.take(np.array([3, 1, 0, 2]))
    assert list(texts.take(value_hash_order(texts))["t"]) == list(shuffled.take(value_hash_order(shuffled))["t"])


class Blind:
    """A learner from elsewhere that does not look at weights."""

    takes_weights = False

    def train(self, data):
        assert data.weights is None
        classes = np.bincount(data.target, minlength=len(data.schema.target_column.levels))
        return RuleList(data.schema, (), Rule((), tuple(classes.tolist())))


def test_a_base_without_weights_gets_repeated_rows():
    table = weather()
    model = Bagging(base=Blind()).train(table)
    assert model.members == Bagging(base=Majority()).train(table).members
    assert model.about.notes == ()
    heavy = table.with_weights(np.where(table.target == 0, 0.001, 1.5))
    model = Bagging(base=Blind()).train(heavy)
    assert "drawn in proportion" in model.about.notes[0]
    assert set(model.predict(table)) == {"Yes"}


@pytest.mark.parametrize("base", ["one_r", "naive_bayes", "majority"])
def test_odd_tables(base):
    one_row = Table.of({"x": ["a"], "y": ["p"]}, target="y", levels={"y": ["p", "q"]})
    model = Bagging(base=base).train(one_row)
    assert model.out_of_bag is None
    assert model.predict(one_row).tolist() == ["p"]
    same = Table.of({"x": [1.0, 2.0, None], "y": ["p"] * 3}, target="y")
    model = Bagging(base=base).train(same)
    assert model.distribution(same).tolist() == [[1.0]] * 3
    assert "all rows have the same class" in model.about.notes[0]
    empty = Table.of({"x": [None, None], "y": ["p", "q"]}, target="y", levels={"x": ["u"]})
    assert np.allclose(Bagging(base=base).train(empty).distribution(empty).sum(axis=1), 1)
    no_columns = Table.of({"y": ["p", "q", "q"]}, target="y")
    assert len(Bagging(base=base).train(no_columns)) == 10


def test_rows_without_weight_or_class_are_not_drawn():
    table = weather().with_weights(np.where(np.arange(14) < 5, 0.0, 1.0))
    assert Bagging().train(table) == Bagging().train(weather().take(np.arange(5, 14)))
    with pytest.raises(hedgerow.DataError, match="all row weights are zero"):
        Bagging().train(weather().with_weights(np.zeros(14)))
    with pytest.raises(hedgerow.DataError, match="weight of row 0 is -1"):
        Bagging().train(weather().with_weights(np.full(14, -1.0)))
    with pytest.raises(hedgerow.DataError, match=r"weight of row 0 is 1e\+300; .* at most 1e\+30"):
        Bagging().train(weather().with_weights(np.full(14, 1e300)))


def test_many_classes():
    labels = [f"class {i % 300}" for i in range(900)]
    table = Table.of({"x": [float(i % 300) for i in range(900)], "y": labels}, target="y")
    model = Bagging(base=OneR(min_bucket=1), n_estimators=15).train(table)
    assert (model.predict(table) == np.array(labels)).mean() > 0.9
    assert model.distribution(table).shape == (900, 300)


def test_missing_values_and_unseen_levels():
    table = example(Bagging())
    model = Bagging(base="naive_bayes").train(table)
    odd = Table.of({"shade": ["violet", None], "size": [None, 3.0], "flag": [None, "maybe"], "level": [None, None]})
    assert np.allclose(model.distribution(odd).sum(axis=1), 1)


# -- the base ---------------------------------------------------------------------------------------------------


def test_a_base_is_a_learner_or_its_name():
    table = weather()
    assert Bagging(base="naive-bayes").train(table) == Bagging(base=NaiveBayes()).train(table)
    base = NaiveBayes(alpha=3)
    Bagging(base=base).train(table)
    assert not hasattr(base, "model_")
    assert repr(Bagging(base=base)) == "Bagging(base=NaiveBayes(alpha=3))"


def test_parameters_of_the_base_are_reached():
    learner = Bagging(base=OneR(min_bucket=2))
    assert learner.get_params()["base__min_bucket"] == 2
    assert "base__min_bucket" not in learner.get_params(deep=False)
    learner.set_params(base__min_bucket=4)
    assert learner.base.min_bucket == 4
    copy = clone(learner)
    assert copy.base is not learner.base
    assert copy.base.min_bucket == 4
    named = Bagging(base="one_r").set_params(base__min_bucket=5)
    assert repr(named) == "Bagging(base=OneR(min_bucket=5))"
    assert Bagging().base == Bagging.params["base"].default  # a name that stays one until it is used
    both = Bagging().set_params(base__alpha=2, base="naive_bayes")
    assert both.base.alpha == 2
    deep = AdaBoost(base=Bagging(base="one_r")).set_params(base__base__min_bucket=7)
    assert deep.base.base.min_bucket == 7


def test_grid_searches_reach_the_base():
    iris = hedgerow.Bagging(base=OneR(), n_estimators=3)
    X, y = np.arange(40.0)[:, None] // 4, np.repeat(["a", "b"], 20)
    search = GridSearchCV(iris, {"base__min_bucket": [1, 3], "base": [OneR()]}, cv=2).fit(X, y)
    assert search.best_params_["base__min_bucket"] in (1, 3)
    assert search.best_score_ > 0.7


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"base": "naive_bays"}, "there is no learner 'naive_bays'; did you mean 'naive_bayes'?"),
        ({"base": OneR}, r"base=OneR is a class; give an instance of it: OneR\(\)"),
        ({"base": 3}, "base=3 is not allowed: it must be a classifier or its name"),
        ({"base": None}, "base=None is not allowed"),
        ({"base": "mean"}, "base='mean' is not allowed: it must predict classes"),
        ({"base": hedgerow.Discretize()}, "it must predict classes"),
        ({"base": OneR(min_bucket=-1)}, "base__min_bucket=-1 is not allowed: it must be a number above 0"),
        ({"base": Bagging(base=OneR(min_bucket=-1))}, "base__base__min_bucket=-1 is not allowed"),
        ({"base": Bagging(base=AdaBoost(base=Bagging()))}, "ensembles can be nested at most 3 deep"),
        ({"n_estimators": 0}, "n_estimators=0 is not allowed"),
        ({"n_estimators": 10**6}, "at most 10000"),
        ({"n_estimators": 2.5}, "a whole number"),
        ({"max_samples": 0}, "max_samples=0 is not allowed: it must be a number above 0 and at most 1"),
        ({"max_samples": 1.5}, "at most 1"),
        ({"rule": "votes"}, "did you mean 'vote'"),
        ({"replace": "yes"}, "true or false"),
        ({"random_state": "x"}, "a whole number or a random generator"),
    ],
)
def test_bad_parameters_are_sentences(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        Bagging(**given).train(weather())


def test_what_is_no_part_cannot_be_reached():
    with pytest.raises(UsageError, match="n_estimators=10 is not a learner with parameters of its own, such as 'x'"):
        Bagging().set_params(n_estimators__x=1)
    with pytest.raises(UsageError, match="Valid parameters"):
        Bagging().set_params(base__alhpa=1)


class Odd:
    """A base that returns something else."""

    def __init__(self, made):
        self.made = made

    def train(self, data):  # noqa: ARG002
        return self.made


def test_a_base_that_returns_no_classifier_is_a_sentence():
    with pytest.raises(UsageError, match="returned int, which does not predict classes"):
        Bagging(base=Odd(3)).train(weather())
    other = OneR().train(weather_numeric())
    with pytest.raises(UsageError, match="returned a model of other columns than those it was given"):
        Bagging(base=Odd(other)).train(weather())


def test_an_error_in_one_member_ends_the_training():
    class Fails:
        def train(self, data):  # noqa: ARG002
            raise hedgerow.DataError("no way")

    with pytest.raises(hedgerow.DataError, match="no way"):
        Bagging(base=Fails()).train(weather())


def test_bagging_cannot_stream(tmp_path):
    path = tmp_path / "loan.csv"
    path.write_text(examples.loan_csv())
    with pytest.raises(UsageError, match="cannot be trained on a stream"):
        Bagging().train(hedgerow.open_source(path))


def test_the_model_tells_how_it_came_about():
    model = Bagging(base=OneR(min_bucket=3), n_estimators=2).train(examples.loan())
    assert isinstance(model, Committee)
    assert model.about.learner == "bagging"
    assert model.about.parameters["base"] == "OneR(min_bucket=3)"
    assert model.about.rows == 15
    assert "column 'ID' is not used" in model.about.notes[0]
    fitted = Bagging().fit(np.arange(20.0)[:, None], np.repeat([0, 1], 10))
    assert fitted.predict([[1.0], [19.0]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    "learner",
    [
        Bagging(base=NaiveBayes(), rule="average", n_estimators=3),
        Bagging(max_samples=0.6, replace=False, n_estimators=3),
        Bagging(base=AdaBoost(n_estimators=2), n_estimators=2),
    ],
    ids=repr,
)
def test_other_settings_keep_the_laws(learner):
    hedgerow.checks.check_learner(learner)
