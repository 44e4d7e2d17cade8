"""Simplest: which learner is kept, on which rows, and why; the contract is tested with all learners."""

import math

import numpy as np
import pytest

from hedgerow import C45, Column, Kind, Simplest, SimplestRegressor, UsageError, examples, load, open_source
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.learn.choosing import contest as league_module
from hedgerow.learn.choosing.contest import ContestRows, hold_league, hold_race
from hedgerow.learn.choosing.judge import candidates
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


@pytest.mark.parametrize(
    ("table", "kept"),
    [(NOISE, "majority"), (RANDOM, "majority"), (ONE, "one_r"), (EITHER, "c45(max_depth=3)"), (ALL, "naive_bayes")],
    ids=["constant", "noise", "one column", "exclusive or", "a count"],
)
def test_what_is_kept_is_as_complicated_as_the_data(table, kept):
    model, league = Simplest().choose_and_train(table)
    assert league.entries[league.kept_index].name == kept
    assert model.about.parameters["chose"] == kept
    assert model.about.learner == "simplest"
    assert Simplest().choose(table).text == kept


def test_texts_are_learned_from_beside_other_columns():
    rng = np.random.default_rng(1)
    spam = rng.integers(0, 2, 120)
    words = [f"{('lunch', 'free')[one]} {rng.choice(['now', 'today', 'soon'])}" for one in spam]
    table = Table.of({"x": rng.normal(size=120), "kind": [("ham", "spam")[one] for one in spam]}, "kind")
    model, league = Simplest().choose_and_train(table.with_column(Column("message", Kind.TEXT), Text.of(words)))
    assert [entry.name for entry in league.entries] == [
        "majority",
        "one_r",
        "c45(max_depth=3)",
        "naive_bayes",
        "naive_bayes(text_model=complement, tf=binary)",
        "rocchio",
        "ripper",
        "c45",
    ]
    assert league.entries[league.kept_index].name == "naive_bayes"
    assert "free" in str(model)


def test_of_texts_alone_learn_only_those_who_can():
    words, kinds = ["free money now", "lunch at noon", "free prize", "noon or later"] * 6, ["spam", "ham"] * 12
    table = Table.of({"kind": kinds}, "kind").with_column(Column("message", Kind.TEXT), Text.of(words))
    model, league = Simplest().choose_and_train(table)
    names = [entry.name for entry in league.entries]
    assert names == ["majority", "naive_bayes", "naive_bayes(text_model=complement, tf=binary)", "rocchio", "ripper"]
    assert (model.about.parameters["chose"], league.entries[1].error) == ("naive_bayes", 0.0)
    assert Simplest().choose(table).text == "naive_bayes"


def test_the_candidates_stand_in_the_order_of_simplicity_and_can_be_typed():
    names = [name for name, _ in Simplest().candidates()]
    assert names == ["majority", "one_r", "c45(max_depth=3)", "naive_bayes", "ripper", "c45"]
    for name, _ in CANDIDATES:
        assert find_learner(name).target_is_classes


def test_errors_are_those_of_cross_validation_by_hand():
    table = examples.weather()
    league = hold_league(candidates([("c45", {}), ("naive_bayes", {})]), ContestRows.of(table, 4, 5000, 1), 1.0)
    wrong = 0.0
    for test in split_by_value_hash(table, 4, 1):
        model = C45().train(select_weighted_rows(table, table.row_weights - test))
        rows = np.flatnonzero(test)
        wrong += float((model.decide(table.take(rows)) != table.target[rows]) @ test[rows])
    entry = league.entries[0]
    assert entry.error == pytest.approx(wrong / 14)
    assert entry.standard_error == pytest.approx(math.sqrt(entry.error * (1 - entry.error) / 14))


def test_the_rule_is_one_standard_error_or_what_is_asked_for():
    kept = {}
    for within in (0, 1, 100):
        league = Simplest(within=within).choose_and_train(MESSY)[1]
        kept[within] = league.kept_index
        errors = [entry.error for entry in league.entries]
        assert errors[league.best] == min(errors)
        assert errors[league.kept_index] <= league.limit
        assert all(error > league.limit for error in errors[: league.kept_index])
    assert kept[0] >= kept[1] > kept[100] == 0


def test_without_any_error_there_is_no_leeway():
    league = Simplest(within=100).choose_and_train(ONE)[1]
    assert league.limit == 0
    assert league.kept_index == 1


def test_the_model_is_that_of_the_learner_that_is_kept():
    model = Simplest().train(EITHER)
    assert model == C45(max_depth=3).train(EITHER)
    assert str(model) == str(C45(max_depth=3).train(EITHER))


def test_fit_keeps_the_league_and_says_why():
    learner = Simplest().fit(ONE)
    assert learner.league_.entries[learner.league_.kept_index].name == "one_r"
    assert "chosen: one_r, which has the lowest error; nothing simpler comes close" in str(learner.league_)
    assert "> one_r " in str(learner.league_)
    noise = Simplest().fit(RANDOM).league_
    if noise.kept_index != noise.best:
        assert "within one standard error of the lowest, that of" in noise.reason


def test_large_tables_are_judged_by_a_sample(monkeypatch):
    seen = []
    trial = league_module._run_trial

    def watched(learner, table, weights, test):
        seen.append(table.n_rows)
        return trial(learner, table, weights, test)

    monkeypatch.setattr(league_module, "_run_trial", watched)
    model, league = Simplest(most_rows=100).choose_and_train(ALL)
    assert set(seen) == {100}
    assert (league.rows, league.all_rows) == (100, 600)
    assert model.about.rows == 600
    assert "of 100 of 600 rows" in str(league)


def test_samples_depend_on_the_rows_not_on_their_order_and_keep_the_classes():
    mixed = ALL.take(np.random.default_rng(2).permutation(600))
    some, shuffled = (select_weighted_rows(table, sample_by_value_hash(table, 150)) for table in (ALL, mixed))
    assert some.n_rows == shuffled.n_rows == 150
    assert np.bincount(some.target).tolist() == np.bincount(shuffled.target).tolist()
    shares = np.bincount(some.target) / 150 - np.bincount(ALL.target) / 600
    assert abs(shares).max() < 0.01
    assert sample_by_value_hash(ALL, 600).tolist() == [1.0] * 600


@pytest.mark.parametrize("table", [NOISE, RANDOM, ONE, EITHER, ALL, MESSY, blobs(6, 60, spread=1.2), blobs(2, 3)])
def test_a_race_has_the_outcome_of_the_league(table):
    field, tried = ContestRows.of(table, 5, 5000, 1), Simplest().candidates()
    league, race = hold_league(tried, field, 1.0), hold_race(tried, field, 1.0, {"c45_rules", "c45"})
    assert (race.kept_index, race.best) == (league.kept_index, league.best)
    for one, other in zip(race.entries, league.entries, strict=True):
        assert (one.name, one.error) == (other.name, other.error) or math.isnan(one.error)


def test_a_race_gives_up_what_has_no_hope(monkeypatch):
    tested = []

    def counting(learner, *given):
        tested.append(learner.name)
        return trial(learner, *given)

    trial = league_module._run_trial
    monkeypatch.setattr(league_module, "_run_trial", counting)
    votes = table_of("abcdefghi", n=600, y=lambda *v: "u" if v.count("p") >= 5 else "v")  # rules find that hard
    race = Simplest().choose(votes)
    assert race.text == "naive_bayes"
    assert tested.count("naive_bayes") == 5
    assert 1 <= tested.count("ripper") < 5
    assert math.isnan(race.league.entries[4].error)
    tested.clear()
    assert not math.isnan(Simplest().choose_and_train(votes)[1].entries[4].error)  # the league that is shown is whole
    assert tested.count("ripper") == 5


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


def test_groups_stay_together_in_the_folds_of_the_league():
    table = patients()
    leaky, league = (judge.choose_and_train(table)[1] for judge in (Simplest(), Simplest().within_groups("who")))
    assert min(entry.error for entry in leaky.entries) < 0.05
    assert all(entry.error > 0.2 for entry in league.entries)  # nothing is to be learned but who is who
    assert "who" not in str(Simplest().within_groups("who").train(table))
    mixed = table.take(np.random.default_rng(1).permutation(len(table)))
    again = Simplest().within_groups("who").choose_and_train(mixed)[1]
    assert [entry.error for entry in again.entries] == [entry.error for entry in league.entries]


def test_grouped_parts_hold_whole_groups_and_all_weight():
    table = patients().with_weights(np.tile([1.0, 2.0, 0.0], 48))
    groups = np.repeat(np.arange(24), 6)
    parts = split_by_value_hash(table, 5, 1, groups)
    assert np.sum(parts, axis=0).tolist() == table.row_weights.tolist()
    assert all(np.count_nonzero([part[groups == one].any() for part in parts]) == 1 for one in range(24))
    assert len(split_by_value_hash(table, 5, 1, groups % 3)) == 5  # of which two are empty
    one_group = Simplest().within_groups("who").choose_and_train(patients(1))[1]
    assert math.isnan(one_group.entries[0].error)
    sampled = Simplest(most_rows=50).within_groups("who").choose(patients()).league
    assert (sampled.rows, sampled.folds) == (48, 5)


def test_too_few_rows_leave_the_simplest_of_all():
    one = Table.of({"x": [1.0], "y": ["a"]}, target="y")
    model, league = Simplest().choose_and_train(one)
    assert model.about.parameters["chose"] == "majority"
    assert "too few rows" in league.reason
    assert math.isnan(league.entries[0].error)


def test_a_candidate_that_fails_is_out_of_the_league(monkeypatch):
    def refuse(self, data):
        raise ModelError("no")

    monkeypatch.setattr("hedgerow.learn.bayes.naive_bayes.NaiveBayes.train", refuse)
    league = Simplest().choose_and_train(ALL)[1]
    assert math.isnan(league.entries[3].error)
    assert league.kept_index != 3
    assert "naive_bayes nan +- nan" in " ".join(str(league).split())


def test_numbers_are_predicted_by_the_simplest_that_will_do():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 10, 120)
    noise = Table.of({"x": x, "y": rng.normal(0, 1, 120)}, target="y")
    assert SimplestRegressor().train(noise).about.parameters["chose"] == "mean"
    step = Table.of({"x": x, "y": np.where(x > 5, 10.0, 0.0) + rng.normal(0, 0.1, 120)}, target="y")
    model, league = SimplestRegressor().choose_and_train(step)
    assert model.about.parameters["chose"] == "cart_regressor(max_depth=3)"
    assert league.measure == "mean absolute error"
    line = Table.of({"x": x, "y": 3 * x + rng.normal(0, 0.1, 120)}, target="y")
    model = SimplestRegressor().train(line)
    assert model.about.parameters["chose"] == "linear_regression"
    assert model.kind == "linear"


def test_least_squares_takes_part_by_what_the_columns_are():
    words = [f"{'good' if i % 2 else 'bad'} house {i % 7}" for i in range(60)]
    prices = [float(100 + 50 * (i % 2)) + 0.1 * (i % 5) for i in range(60)]
    table = Table.of({"y": prices}, "y").with_column(Column("note", Kind.TEXT), Text.of(words))
    model, league = SimplestRegressor().choose_and_train(table)
    assert "linear_regression(most=1000, ridge=1.0)" in [entry.name for entry in league.entries]
    assert model.kind == "linear"
    many = Column("id", Kind.NOMINAL, tuple(f"v{i}" for i in range(1200)))
    wide = Table.of({"y": prices}, "y").with_column(many, np.arange(60, dtype=np.int32))
    assert len(SimplestRegressor().choose_and_train(wide)[1].entries) == 3


def test_what_was_chosen_is_saved_with_the_model(tmp_path):
    Simplest().train(ONE).save(tmp_path / "m.hedge")
    assert load(tmp_path / "m.hedge").about.parameters["chose"] == "one_r"


def test_a_stream_and_wrong_settings_are_sentences(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(UsageError, match="needs all rows at once"):
        Simplest().train(open_source(tmp_path / "a.csv"))
    with pytest.raises(UsageError, match="league_folds=1 is not allowed"):
        Simplest(league_folds=1).train(ONE)


def test_weights_count_in_the_league():
    heavy = np.where(np.arange(len(ALL)) < 50, 3.0, 1.0)
    repeated = ALL.take(np.repeat(np.arange(len(ALL)), heavy.astype(int)))
    one, other = (Simplest().choose_and_train(table)[1] for table in (ALL.with_weights(heavy), repeated))
    for mine, theirs in zip(one.entries, other.entries, strict=True):
        assert mine.error == pytest.approx(theirs.error)
        assert mine.standard_error == pytest.approx(theirs.standard_error)
