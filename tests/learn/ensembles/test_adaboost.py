"""AdaBoost.M1: the textbook's arithmetic, how rounds end, weights and resampling, and odd tables."""

import math

import numpy as np
import pytest

import hedgerow
from hedgerow import AdaBoost, Majority, NaiveBayes, OneR, Table, UsageError
from hedgerow.checks import example
from hedgerow.data.table.schema import Column, Kind
from hedgerow.learn.ensembles.adaboost import BoostingSamples, compute_round, finite_vote
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.rules.rule_list import Rule, RuleList
from tests.textbook import loan_a, weather, weather_numeric

TEN = np.arange(10)


def test_g110_first_round():
    """G110: 3 of 10 wrong."""
    this = compute_round(np.full(10, 0.1), TEN < 3)
    assert this.error == pytest.approx(0.3)
    assert this.beta == pytest.approx(3 / 7)
    assert this.total == pytest.approx(0.6)
    assert this.shares == pytest.approx(np.where(TEN < 3, 1 / 6, 1 / 14))
    assert this.vote == pytest.approx(math.log(7 / 3))
    assert round(this.vote, 6) == 0.847298


def test_g110_second_round():
    """G110: wrong on two that were right before."""
    first = compute_round(np.full(10, 0.1), TEN < 3)
    this = compute_round(first.shares, TEN >= 8)
    assert this.error == pytest.approx(1 / 7)
    assert this.beta == pytest.approx(1 / 6)
    assert this.total == pytest.approx(2 / 7)
    assert this.shares[8:] == pytest.approx(1 / 4)
    assert this.shares[:3] == pytest.approx(7 / 72)
    assert this.shares[3:8] == pytest.approx(1 / 24)
    assert round(this.vote, 6) == 1.791759


@pytest.mark.parametrize("seed", range(5))
def test_g110_the_wrong_rows_weigh_half_after_every_round(seed):
    """G110; shares stay non-negative and sum to 1."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(30))
    for _ in range(20):
        wrong = random.random(30) < 0.3
        if not wrong.any() or shares[wrong].sum() > 0.5:
            continue
        shares = compute_round(shares, wrong).shares
        assert shares[wrong].sum() == pytest.approx(0.5)
        assert shares.sum() == pytest.approx(1)
        assert (shares >= 0).all()


def test_g110_half_wrong_changes_nothing():
    """G110: beta 1, vote 0."""
    shares = np.array([0.2, 0.3, 0.1, 0.1, 0.3])
    this = compute_round(shares, np.array([True, True, False, False, False]))
    assert (this.error, this.beta, this.vote) == (0.5, 1.0, 0.0)
    assert this.shares == pytest.approx(shares)
    third = compute_round(np.full(3, 1 / 3), np.array([True, True, False]))
    assert third.error > 0.5
    assert third.vote < 0


def test_g110_no_error_is_an_infinite_vote():
    """G110."""
    this = compute_round(np.full(4, 0.25), np.zeros(4, dtype=bool))
    assert (this.error, this.beta, this.vote) == (0.0, 0.0, math.inf)
    assert np.array_equal(this.shares, np.full(4, 0.25))
    assert compute_round(np.full(4, 0.25), np.ones(4, dtype=bool)).vote == -math.inf


def test_a_capped_vote_is_that_of_half_a_row_and_never_less_than_another():
    error = 0.5 / 15
    assert finite_vote(14, []) == pytest.approx(math.log((1 - error) / error))
    assert finite_vote(14, [1.0, 9.0]) == 9.0


class Scripted:
    """A base whose models are wrong on given rows: a row's number is its value of x."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.seen = []

    def train(self, data):
        self.seen.append(data.row_weights.copy())
        wrong = set(self.rounds[len(self.seen) - 1])
        right = data.schema.target_column.levels.index("yes")
        sure = [1.0 if code == right else 0.0 for code in range(2)]
        rules = tuple(Rule((Condition("x", Operator.IS, f"r{row}"),), sure[::-1]) for row in sorted(wrong))
        return RuleList(data.schema, rules, Rule((), sure))


def rows(n, weights=None):
    x = [f"r{i}" for i in range(n)]
    levels = {"x": x, "y": ["no", "yes"]}
    return Table.of({"x": x, "y": ["yes"] * (n - 1) + ["no"]}, target="y", levels=levels, weights=weights)


def all_yes(n, weights=None):
    table = rows(n, weights)
    return table.with_column(table.schema["y"], np.ones(n, dtype=np.int32))


def test_g110_through_the_learner():
    """G110: two rounds of a base that errs as told; a third above 1/2 is dropped."""
    base = Scripted(range(3), [8, 9], [0, 8, 9])
    model = AdaBoost(base=base, n_estimators=5).train(all_yes(10))
    assert model.votes.tolist() == [0.847298, 1.79176]
    assert base.seen[0].tolist() == [1.0] * 10
    assert base.seen[1] == pytest.approx(10 * np.where(TEN < 3, 1 / 6, 1 / 14))
    assert base.seen[2] == pytest.approx(10 * np.array([7 / 72] * 3 + [1 / 24] * 5 + [1 / 4] * 2))
    assert model.remarks == (
        "Stopped after 2 of 5 rounds: the next model has an error above one half of the total weight (0.5972)",
    )
    assert model.remarks[0] in str(model)
    assert model.about.notes == ("all rows have the same class, 'yes': the model can only predict that class",)
    said = model.distribution(all_yes(10))[:, 1]
    votes = np.array([0.847298, 1.79176])
    assert said[[0, 5, 9]] == pytest.approx([votes[1] / votes.sum(), 1.0, votes[0] / votes.sum()])


def test_exactly_half_continues_without_a_vote():
    model = AdaBoost(base=Scripted([0, 1], [0], [1], [2]), n_estimators=4).train(all_yes(4))
    assert model.votes[0] == 0
    assert model.votes[1] == pytest.approx(math.log(3), abs=1e-5)
    assert len(model) == 4
    alone = AdaBoost(base=Scripted([0, 1]), n_estimators=1).train(all_yes(4))
    assert alone.votes.tolist() == [0]
    assert alone.predict(all_yes(4)).tolist() == ["no", "no", "yes", "yes"]


def test_a_first_round_above_half_is_kept_alone_and_noted():
    model = AdaBoost(base=Scripted([0, 1, 2])).train(all_yes(5))
    assert len(model) == 1
    assert model.votes.tolist() == [1]
    assert (
        "the first model has an error above one half of the total weight (0.6), so it is the only member"
    ) in model.about.notes[-1]
    assert model.predict(all_yes(5)).tolist() == ["no", "no", "no", "yes", "yes"]
    wrong = AdaBoost(base=Scripted(range(5))).train(all_yes(5))
    assert wrong.votes.tolist() == [1]


def test_a_round_without_error_ends_the_boosting():
    base = Scripted([0], [], [])
    model = AdaBoost(base=base).train(all_yes(5))
    assert len(base.seen) == len(model) == 2
    assert model.votes.tolist() == [1.38629, 2.3979]  # ln 4; ln 11 for half a row in six
    assert model.remarks == ("Stopped after 2 of 10 rounds: the last member predicts every row correctly",)
    assert AdaBoost(base=Scripted([0], []), n_estimators=2).train(all_yes(5)).remarks == ()


def test_an_infinite_vote_decides_alone():
    table = all_yes(5)
    model = AdaBoost(base=Scripted([0], [1], []), perfect="alone").train(table)
    assert model.votes.tolist()[-1] == math.inf
    assert len(model) == 3
    assert "infinite" in str(model)
    assert model.distribution(table).tolist() == [[0.0, 1.0]] * 5
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    assert np.array_equal(again.distribution(table), model.distribution(table))


def test_weights_of_rows_start_the_shares():
    weights = [3.0, 1.0, 1.0, 1.0, 4.0]
    base = Scripted([0], [0])
    model = AdaBoost(base=base, n_estimators=2).train(all_yes(5, weights))
    assert base.seen[0].tolist() == weights
    assert model.votes[0] == pytest.approx(math.log(7 / 3), abs=1e-5)
    assert base.seen[1].sum() == pytest.approx(10)
    assert base.seen[1][0] == pytest.approx(5)


def test_limits_on_weight_keep_their_sense():
    """The rows of every round weigh as much as the table, however small or large its weights are."""
    table = weather_numeric()
    tenfold = table.with_weights(np.full(14, 10.0))
    model = AdaBoost(base=OneR(min_bucket=3)).train(table)
    assert AdaBoost(base=OneR(min_bucket=30)).train(tenfold).votes.tolist() == model.votes.tolist()
    assert [sum(rule.n for rule in one.rules) for one in model.members] == pytest.approx([14] * 10, abs=1e-3)


def test_boosting_learns_what_the_base_alone_cannot():
    """Three of five: no column alone decides, the votes of stumps do."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (200, 5))
    columns = {f"b{i}": ["01"[bit] for bit in bits[:, i]] for i in range(5)}
    table = Table.of({**columns, "y": ["p" if row.sum() > 2 else "q" for row in bits]}, target="y")
    target = np.array([table.schema["y"].levels[code] for code in table.target])
    alone = (OneR().train(table).predict(table) == target).mean()
    model = AdaBoost(base="one_r", n_estimators=30).train(table)
    assert alone < 0.75
    assert (model.predict(table) == target).mean() > 0.95


def test_resampling_draws_in_proportion():
    table = weather_numeric()
    samples = BoostingSamples(table, weighs=False)
    samples.shares = np.where(np.arange(14) < 7, 1e-9, 1.0)
    samples.shares /= samples.shares.sum()
    drawn = samples.weights(np.random.SeedSequence(1))
    assert drawn[:7].tolist() == [0.0] * 7
    assert drawn.sum() == 14
    shares = np.mean([samples.weights(np.random.SeedSequence(i)) for i in range(300)], axis=0)
    assert shares[7:] == pytest.approx([2.0] * 7, abs=0.3)
    halves = BoostingSamples(table.with_weights(np.full(14, 0.5)), weighs=False)
    assert halves.weights(np.random.SeedSequence(1)).sum() == 7


def test_resampling_is_another_committee_that_obeys_the_same_laws():
    table = example(AdaBoost())
    learner = AdaBoost(by="resampling", n_estimators=5)
    model = learner.train(table)
    assert model != AdaBoost(n_estimators=5).train(table)
    assert model != AdaBoost(by="resampling", n_estimators=5, random_state=2).train(table)
    hedgerow.checks.check_learner(learner)
    hedgerow.checks.check_learner(AdaBoost(base=NaiveBayes(), perfect="alone"))


class Blind:
    """A learner from elsewhere that does not look at weights."""

    takes_weights = False

    def train(self, data):
        assert data.weights is None
        return Majority().train(data)


def test_a_base_without_weights_is_resampled_and_noted():
    model = AdaBoost(base=Blind()).train(weather())
    assert "does not support weights: rows are drawn in proportion to their weights" in model.about.notes[0]
    meant = AdaBoost(base=Blind(), by="resampling").train(weather())
    assert meant.about.notes == ()
    assert meant == model


def test_fit_warns_of_notes_only():
    X, y = np.arange(40.0)[:, None], np.tile(["a", "b"], 20)
    AdaBoost().fit(X, np.repeat(["a", "b"], 20))  # ends early, which is nothing to warn of
    with pytest.warns(hedgerow.DataWarning, match="does not support weights"):
        AdaBoost(base=Blind()).fit(X, y)


@pytest.mark.parametrize("by", ["weights", "resampling"])
@pytest.mark.parametrize("base", ["one_r", "naive_bayes", "majority"])
def test_odd_tables(base, by):
    learner = AdaBoost(base=base, by=by)
    one_row = Table.of({"x": ["a"], "y": ["p"]}, target="y", levels={"y": ["p", "q"]})
    model = learner.train(one_row)
    assert model.predict(one_row).tolist() == ["p"]
    assert model.votes.tolist() == [1.09861]  # ln 3
    same = Table.of({"x": [1.0, 2.0, None], "y": ["p"] * 3}, target="y")
    assert learner.train(same).distribution(same).tolist() == [[1.0]] * 3
    tie = Table.of({"y": ["p", "q"]}, target="y")
    assert np.allclose(learner.train(tie).distribution(tie).sum(axis=1), 1)
    empty = Table.of({"x": [None, None, None], "y": ["p", "q", "r"]}, target="y", levels={"x": ["u"]})
    model = learner.train(empty)
    assert len(model) == 1
    assert "the only member" in model.about.notes[-1]


def test_zero_weights_equal_no_rows():
    table = weather_numeric()
    light = table.with_weights(np.where(np.arange(14) < 4, 0.0, 1.0))
    assert AdaBoost().train(light) == AdaBoost().train(table.take(np.arange(4, 14)))


@pytest.mark.parametrize("base", ["c45", hedgerow.C45(max_depth=2), hedgerow.C45(leaves="laplace"), hedgerow.CART()])
def test_trees_that_know_their_rows_boost_as_others_do(base, monkeypatch):
    """Where growing tells the leaf of each row, the rounds are those of rows that go down the trees."""
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 1500))
    table = Table.of({"x": x, "z": z, "y": np.where(x + z + rng.normal(size=1500) > 0, "p", "q")}, "y")
    known = AdaBoost(base=base, n_estimators=6).train(table)
    monkeypatch.setattr(TreeInput, "decide_rows", lambda self, model: model.decide(self.table))
    assert dumps(AdaBoost(base=base, n_estimators=6).train(table)) == dumps(known)


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", [hedgerow.C45, hedgerow.CART])
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4])
def test_boosting_of_shallow_trees_on_large_tables(kind, depth, classes, missing, monkeypatch):
    """Stumps on more rows than a small branch holds (1,024); with weights, missing values and several classes."""
    rng = np.random.default_rng(4)
    x, z = np.round(rng.normal(size=(2, 1500)), 2)
    y = (x + z * z > 0).astype(int) + (classes > 2) * (z > 0.5)
    x[rng.random(1500) < missing] = np.nan
    table = Table.of({"x": x, "z": z, "y": [f"k{code}" for code in y]}, "y", weights=rng.gamma(2, size=1500).tolist())
    learner = AdaBoost(base=kind(max_depth=depth, prune="none"), n_estimators=4)
    known = learner.train(table)
    assert len(known) == (4 if depth else len(known))
    monkeypatch.setattr(TreeInput, "decide_rows", lambda self, model: model.decide(self.table))
    assert dumps(learner.train(table)) == dumps(known)


def test_many_classes_and_missing_values():
    table = Table.of(
        {"x": [None if i % 7 == 0 else float(i % 40) for i in range(800)], "y": [f"k{i % 40}" for i in range(800)]},
        target="y",
    )
    model = AdaBoost(base=OneR(min_bucket=1), n_estimators=3).train(table)
    assert model.distribution(table).shape == (800, 40)
    assert np.isfinite(model.distribution(table)).all()


def test_unicode_names_and_levels():
    table = weather().with_column(
        Column("gr\u00fcn \u2714", Kind.NOMINAL, ("ja", "n\u00f6")), np.arange(14, dtype=np.int32) % 2
    )
    assert "Columns" in str(AdaBoost().train(table))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"by": "weight"}, "did you mean 'weights'"),
        ({"perfect": "kap"}, "one of cap, alone"),
        ({"n_estimators": -1}, "of at least 1"),
        ({"base": "c4.5x"}, "there is no learner 'c4.5x'"),
    ],
)
def test_bad_parameters_are_sentences(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        AdaBoost(**given).train(loan_a())


def test_a_numeric_target_is_refused():
    table = Table.of({"x": [1.0, 2.0, 3.0], "y": [0.5, 1.5, 2.5]}, target="y")
    with pytest.raises(hedgerow.DataError, match="use a regressor"):
        AdaBoost().train(table)
