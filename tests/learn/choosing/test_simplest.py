"""Simplest: which learner is chosen, on which rows, and why; the contract is tested with all learners."""

import math

import numpy as np
import pytest

from hedgerow import C45, Column, Kind, Simplest, SimplestRegressor, UsageError, load, open_source
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.learn.choosing.simplest import CANDIDATES
from hedgerow.learn.registry import find_learner
from hedgerow.learn.sampling import sample_by_value_hash, select_weighted_rows, split_by_value_hash
from tests.evaluate.toys import blobs


def table_of(columns, n=200, seed=1, **labels):
    rng = np.random.default_rng(seed)
    made = {name: rng.choice(["p", "q"], n).tolist() for name in columns}
    (target, rule), *_ = labels.items()
    return Table.of({**made, target: [rule(*values) for values in zip(*made.values(), strict=True)]}, target=target)


NOISE = table_of("abc", y=lambda *_: "u")
RANDOM = Table.of(
    {
        "a": np.random.default_rng(5).choice(["p", "q"], 200).tolist(),
        "y": np.random.default_rng(6).choice(["u", "u", "v"], 200).tolist(),
    },
    target="y",
)
ONE = table_of("abc", y=lambda a, _b, _c: "u" if a == "p" else "v")
EITHER = table_of("abcd", y=lambda a, b, _c, _d: "u" if (a == "p") != (b == "p") else "v")
ALL = table_of("abcde", n=600, y=lambda *v: "u" if v.count("p") >= 3 else "v")
MESSY = blobs(4, 40, spread=1.6)


TREE = "c45(max_depth=2, leaves=m)"
NOISE_IN_Y = np.random.default_rng(9).random(2000) < 0.2
PAIR = table_of("abcd", n=2000, y=lambda a, b, _c, _d: "u" if a == "p" and b == "p" else "v")
PAIR = PAIR.with_column(PAIR.schema.target_column, np.where(NOISE_IN_Y, 1 - PAIR.target, PAIR.target).astype(np.int32))


@pytest.mark.parametrize(
    ("table", "name"),
    [(NOISE, "majority"), (RANDOM, "majority"), (ONE, "one_r"), (EITHER, "ripper"), (PAIR, TREE)],
    ids=["constant", "noise", "one column", "exclusive or", "two columns"],
)
def test_what_is_chosen_is_as_complicated_as_the_data(table, name):
    model, selection = Simplest().choose_and_train(table)
    assert selection.chosen.name == name
    assert model.about.parameters["chose"] == name
    assert model.about.learner == "simplest"
    assert Simplest().choose(table).text == name


def test_texts_are_learned_from_beside_other_columns():
    rng = np.random.default_rng(1)
    spam = rng.integers(0, 2, 120)
    words = [f"{('lunch', 'free')[one]} {rng.choice(['now', 'today', 'soon'])}" for one in spam]
    table = Table.of({"x": rng.normal(size=120), "kind": [("ham", "spam")[one] for one in spam]}, "kind")
    model, selection = Simplest().choose_and_train(table.with_column(Column("message", Kind.TEXT), Text.of(words)))
    names = [one.name for one in selection.candidates]
    place = names.index("naive_bayes")
    assert names[place + 1 : place + 3] == ["naive_bayes(text_model=complement, tf=binary)", "rocchio"]
    assert "naive_bayes(density=bins)" in names
    assert selection.chosen.error < 0.05
    assert "lunch" in str(model)


def test_of_texts_alone_learn_only_those_who_can():
    words, kinds = ["free money now", "lunch at noon", "free prize", "noon or later"] * 6, ["spam", "ham"] * 12
    table = Table.of({"kind": kinds}, "kind").with_column(Column("message", Kind.TEXT), Text.of(words))
    selection = Simplest().select(table)
    names = [one.name for one in selection.candidates]
    bayes = "naive_bayes(text_model=complement, tf=binary)"
    assert names == ["majority", "naive_bayes", bayes, "rocchio", "logistic", "ripper"]
    assert selection.chosen.error == 0.0
    assert selection.yardstick is None  # a forest cannot use texts


def test_intervals_are_for_numbers():
    assert "naive_bayes(density=bins)" not in [one.name for one in Simplest().select(ONE).candidates]
    assert "naive_bayes(density=bins)" in [one.name for one in Simplest().select(MESSY).candidates]


def test_the_candidates_are_classifiers_in_the_order_of_simplicity():
    names = [name for name, _ in CANDIDATES]
    assert names[:2] == ["majority", "one_r"]
    assert names[-1] == "c45"
    assert all(find_learner(name).target_is_classes for name in names)


def test_losses_are_those_of_cross_validation_by_hand():
    table = blobs(3, 300)  # so many rows that the cross-validation is not repeated
    selection = Simplest(selection_folds=4).select(table)
    wrong = loss = 0.0
    for test in split_by_value_hash(table, 4, selection_seed()):
        model = C45(leaves="m").train(select_weighted_rows(table, table.row_weights - test))
        rows = np.flatnonzero(test)
        part = table.take(rows)
        wrong += float((model.decide(part) != part.target) @ test[rows])
        loss -= float(np.log(model.distribution(part)[np.arange(len(rows)), part.target]) @ test[rows])
    last = selection.candidates[-1]
    if last.rows == 900:  # not dropped early
        assert last.error == pytest.approx(wrong / 900, abs=0.02)
        assert last.loss == pytest.approx(loss / 900, rel=0.2)


def selection_seed():
    return 1


def test_the_rule_is_one_standard_error_of_the_difference_or_what_is_asked_for():
    chosen = {}
    for within in (0, 1, 100):
        selection = Simplest(within=within).select(MESSY)
        chosen[within] = selection.chosen_index
        losses = [one.loss for one in selection.candidates]
        assert losses[selection.best_index] == min(losses)
        best = selection.candidates[selection.best_index]
        assert best.difference == 0
        for place, one in enumerate(selection.candidates[: selection.chosen_index]):
            assert place == 0 or one.difference > within * one.difference_error
    assert chosen[0] >= chosen[1] >= chosen[100]


def test_the_majority_is_passed_over_where_a_candidate_tells_the_classes_apart():
    rng = np.random.default_rng(4)
    rare = rng.random(3000) < 0.03
    x = rng.normal(size=3000) + rare * 1.2
    table = Table.of({"x": x, "z": rng.normal(size=3000), "y": np.where(rare, "yes", "no").tolist()}, "y")
    selection = Simplest().select(table)
    assert selection.chosen.name != "majority"
    assert selection.chosen.auc > 0.6


def test_the_model_is_that_of_the_chosen_learner():
    model = Simplest().train(PAIR)
    assert model == C45(max_depth=2, leaves="m").train(PAIR)
    assert str(model) == str(C45(max_depth=2, leaves="m").train(PAIR))


def test_fit_keeps_the_selection_and_says_why():
    learner = Simplest().fit(ONE)
    assert learner.selection_.chosen.name == "one_r"
    assert "chosen: one_r, which has the lowest log loss" in str(learner.selection_)
    assert "> one_r " in str(learner.selection_)
    near = Simplest(within=100).fit(MESSY).selection_
    assert "within 100 standard errors of the lowest, that of" in near.reason


def test_a_forest_is_compared_but_chosen_only_if_asked_for():
    table = blobs(6, 60, spread=1.2)
    plain, best = Simplest().select(table), Simplest(best=True).select(table)
    assert plain.yardstick is not None
    assert plain.yardstick.name == "random_forest"
    assert plain.chosen.name != "random_forest"
    assert plain.yardstick.loss == best.yardstick.loss
    assert best.chosen.loss == min(best.yardstick.loss, *(one.loss for one in plain.candidates))
    assert Simplest().choose(table).selection.yardstick is None  # inside of folds nobody looks at it


@pytest.mark.parametrize("by", ["error", "balanced", "auc", "cost"])
def test_other_criteria(by):
    table = blobs(3, 60, spread=1.4)
    selection = Simplest(by=by, costs=None).select(table)
    assert selection.criterion == by
    losses = [one.loss for one in selection.candidates]
    assert selection.candidates[selection.best_index].loss == min(losses)
    if by in ("error", "cost"):  # without costs every mistake costs 1
        assert [one.loss for one in selection.candidates] == pytest.approx([one.error for one in selection.candidates])
    if by == "auc":
        assert losses == pytest.approx([1 - one.auc for one in selection.candidates])


def many_rows(n=9000):
    rng = np.random.default_rng(8)
    x = rng.normal(size=(n, 3))
    y = np.where(x[:, 0] + x[:, 1] + rng.normal(size=n) > 0, "yes", "no").tolist()
    return Table.of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y}, "y")


def test_candidates_that_are_clearly_worse_leave_early():
    selection = Simplest().select(many_rows())
    assert selection.chosen.name == "logistic"
    by_name = {one.name: one for one in selection.candidates}
    assert by_name["majority"].rows == 9000  # what all others are compared with
    assert 900 < by_name["one_r"].rows < 9000
    assert by_name["logistic"].training_rows == pytest.approx(7200, abs=5)


def test_a_small_budget_is_kept_by_training_on_samples():
    table = many_rows(30_000)
    large, small = (Simplest(budget=seconds).select(table) for seconds in ("60s", "0.3s"))
    assert small.work <= 0.31
    assert small.work < large.work
    sampled = [one for one in small.candidates if one.rows == 30_000 and one.training_rows < 23_000]
    assert sampled
    again = Simplest(budget="0.3s").select(table)  # no clock is read
    assert [one.loss for one in again.candidates] == pytest.approx([one.loss for one in small.candidates], nan_ok=True)


def test_the_order_of_the_rows_does_not_matter():
    table = blobs(3, 60)
    mixed = table.take(np.random.default_rng(1).permutation(len(table)))
    one, other = Simplest().select(table), Simplest().select(mixed)
    assert [a.name for a in one.candidates] == [b.name for b in other.candidates]
    assert [a.loss for a in one.candidates] == pytest.approx([b.loss for b in other.candidates])


def test_samples_depend_on_the_rows_not_on_their_order_and_keep_the_classes():
    mixed = ALL.take(np.random.default_rng(2).permutation(600))
    some, shuffled = (select_weighted_rows(table, sample_by_value_hash(table, 150)) for table in (ALL, mixed))
    assert some.n_rows == shuffled.n_rows == 150
    assert np.bincount(some.target).tolist() == np.bincount(shuffled.target).tolist()
    shares = np.bincount(some.target) / 150 - np.bincount(ALL.target) / 600
    assert abs(shares).max() < 0.01
    assert sample_by_value_hash(ALL, 600).tolist() == [1.0] * 600


def patients(n=24, each=6, seed=3):
    """Rows that know whom they belong to: a code tells the patient, and the class is drawn for each patient."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), each)
    return Table.of(
        {
            "code": [f"c{number}" for number in who],
            "x": (who + rng.normal(0, 0.01, len(who))).tolist(),
            "who": [f"patient {number}" for number in who],
            "ill": [("no", "yes")[one] for one in rng.permutation(np.arange(n) % 2)[who]],
        },
        target="ill",
    )


def test_groups_stay_together_in_the_folds():
    table = patients()
    leaky, grouped = (one.select(table) for one in (Simplest(), Simplest().within_groups("who")))
    assert min(one.error for one in leaky.candidates) < 0.1
    assert all(one.error > 0.2 for one in grouped.candidates)  # nothing is to be learned but who is who
    assert "who" not in str(Simplest().within_groups("who").train(table))
    mixed = table.take(np.random.default_rng(1).permutation(len(table)))
    again = Simplest().within_groups("who").select(mixed)
    assert [one.error for one in again.candidates] == pytest.approx([one.error for one in grouped.candidates])


def test_grouped_parts_hold_whole_groups_and_all_weight():
    table = patients().with_weights(np.tile([1.0, 2.0, 0.0], 48))
    groups = np.repeat(np.arange(24), 6)
    parts = split_by_value_hash(table, 5, 1, groups)
    assert np.sum(parts, axis=0).tolist() == table.row_weights.tolist()
    assert all(np.count_nonzero([part[groups == one].any() for part in parts]) == 1 for one in range(24))
    assert len(split_by_value_hash(table, 5, 1, groups % 3)) == 5  # of which two are empty
    one_group = Simplest().within_groups("who").select(patients(1))
    assert math.isnan(one_group.candidates[0].loss)


def test_too_few_rows_leave_the_simplest_of_all():
    one = Table.of({"x": [1.0], "y": ["a"]}, target="y")
    model, selection = Simplest().choose_and_train(one)
    assert model.about.parameters["chose"] == "majority"
    assert "too few rows" in selection.reason
    assert math.isnan(selection.candidates[0].loss)


def test_a_candidate_that_fails_is_not_chosen(monkeypatch):
    def refuse(self, data):
        raise ModelError("no")

    monkeypatch.setattr("hedgerow.learn.linear.logistic.logistic.Logistic.train", refuse)
    selection = Simplest().select(ALL)
    failed = next(one for one in selection.candidates if one.name == "logistic")
    assert failed.failed
    assert math.isnan(failed.loss)
    assert selection.chosen.name != "logistic"


def test_numbers_are_predicted_by_the_simplest_that_will_do():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 10, 120)
    noise = Table.of({"x": x, "y": rng.normal(0, 1, 120)}, target="y")
    assert SimplestRegressor().train(noise).about.parameters["chose"] == "mean"
    step = Table.of({"x": x, "y": np.where(x > 5, 10.0, 0.0) + rng.normal(0, 0.1, 120)}, target="y")
    model, selection = SimplestRegressor().choose_and_train(step)
    assert model.about.parameters["chose"] == "cart_regressor(max_depth=3)"
    assert selection.measure == "mean squared error"
    assert SimplestRegressor(by="absolute").select(step).measure == "mean absolute error"
    line = Table.of({"x": x, "y": 3 * x + rng.normal(0, 0.1, 120)}, target="y")
    model = SimplestRegressor().train(line)
    assert model.about.parameters["chose"] == "linear_regression"
    assert model.kind == "linear"


def test_least_squares_takes_part_by_what_the_columns_are():
    words = [f"{'good' if i % 2 else 'bad'} house {i % 7}" for i in range(60)]
    prices = [float(100 + 50 * (i % 2)) + 0.1 * (i % 5) for i in range(60)]
    table = Table.of({"y": prices}, "y").with_column(Column("note", Kind.TEXT), Text.of(words))
    model, selection = SimplestRegressor().choose_and_train(table)
    assert "linear_regression(most=1000, alpha=1.0)" in [one.name for one in selection.candidates]
    assert model.kind == "linear"
    many = Column("id", Kind.NOMINAL, tuple(f"v{i}" for i in range(1200)))
    wide = Table.of({"y": prices}, "y").with_column(many, np.arange(60, dtype=np.int32))
    assert len(SimplestRegressor().select(wide).candidates) == 3


def test_what_was_chosen_is_saved_with_the_model(tmp_path):
    Simplest().train(ONE).save(tmp_path / "m.hedge")
    assert load(tmp_path / "m.hedge").about.parameters["chose"] == "one_r"


def test_a_stream_and_wrong_settings_are_sentences(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(UsageError, match="needs all rows at once"):
        Simplest().train(open_source(tmp_path / "a.csv"))
    with pytest.raises(UsageError, match="selection_folds=1 is not allowed"):
        Simplest(selection_folds=1).train(ONE)
    with pytest.raises(UsageError, match="the costs name 'w', which is not a class"):
        Simplest(costs={"w:v": 5}).train(ONE)


def test_a_generator_gives_one_seed_for_all_threads():
    table = many_rows(30_000)
    one, other = (Simplest(budget="0.3s", random_state=np.random.default_rng(7)).select(table) for _ in range(2))
    assert [a.loss for a in one.candidates] == pytest.approx([b.loss for b in other.candidates], nan_ok=True)


def test_weights_count_as_repeated_rows():
    heavy = np.where(np.arange(len(ALL)) < 50, 3.0, 1.0)
    repeated = ALL.take(np.repeat(np.arange(len(ALL)), heavy.astype(int)))
    one, other = (Simplest().select(table) for table in (ALL.with_weights(heavy), repeated))
    for mine, theirs in zip(one.candidates, other.candidates, strict=True):
        assert mine.error == pytest.approx(theirs.error)
        assert mine.loss == pytest.approx(theirs.loss)


@pytest.mark.parametrize("by", ["log_loss", "cost"])
def test_the_model_decides_by_the_costs(by):
    table = blobs(3, 40, spread=1.6)
    costs = {f"{label}:{table.schema.target_column.levels[0]}": 6 for label in table.schema.target_column.levels[1:]}
    model = Simplest(by=by, costs=costs).train(table)
    assert model.decision_rule is not None
    assert np.array_equal(model.decide(table), model.decision_rule.decide(model.distribution(table)))
    assert not np.array_equal(model.decide(table), Simplest(by=by).train(table).decide(table))
