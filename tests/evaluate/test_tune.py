"""Parameters are chosen inside the rows that are learned from: no test row has a say in anything."""

import math

import numpy as np
import pytest

from hedgerow import C45, AdaBoost, CARTRegressor, NaiveBayes, OneR, Table, load
from hedgerow.data.design.discretize import Discretizer
from hedgerow.errors import UsageError
from hedgerow.evaluate import run_split, splits, validate
from hedgerow.evaluate.metrics import catalog, measures
from hedgerow.evaluate.metrics.intervals import Estimate
from hedgerow.evaluate.tune import RULES, ParameterCandidate, choose_candidate, tune
from hedgerow.learn.bayes.plan import NaiveBayesPlan
from hedgerow.learn.training_sketch import without_sketches
from hedgerow.report.evaluation.build import evaluation_report
from tests.evaluate.toys import Majority, blobs, loan, straight


def numbered(rows: int = 60, seed: int = 2, noise: bool = False) -> Table:
    """A table whose first column is the number of the row, so that whoever sees a row can tell which."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, rows)
    codes = rng.integers(0, 2, rows) if noise else (x + rng.normal(0, 0.7, rows) > 0).astype(int)
    columns = {"row": np.arange(rows, dtype=np.float64), "x": x, "shade": [f"s{i}" for i in rng.integers(0, 3, rows)]}
    return Table.of({**columns, "class": [("no", "yes")[code] for code in codes]}, target="class")


class Watching(NaiveBayes):
    """Naive Bayes that notes the rows it is shown, each time it learns."""

    seen: list  # set on the class by the tests, as learners are copied

    def learn(self, table):
        Watching.seen.append({int(row) for row in table.numbers(0)})
        return super().learn(table)


def test_no_test_row_is_seen_when_parameters_are_chosen():
    Watching.seen = []
    table = numbered()
    learner = tune(Watching(), {"alpha": [0, 1], "density": ["normal", "bins"]}, rule="1se", folds=3)
    results = validate.cross_validate(learner, table, folds=5, runs=2, threads=1)
    times = 4 * 3 + 1  # candidates times inner folds, and the model that is tested
    assert len(Watching.seen) == times * len(results.folds)
    for number, part in enumerate(results.by_fold()):
        tested = set(part.rows.tolist())
        *inside, final = Watching.seen[times * number : times * (number + 1)]
        assert final == set(range(60)) - tested
        assert all(rows < final for rows in inside)


@pytest.mark.parametrize("how", ["cross_validate", "leave_one_out", "holdout"])
@pytest.mark.parametrize("discretizer", ["mdl", "frequency", "one_r"])
def test_cut_points_are_found_without_the_test_rows(monkeypatch, how, discretizer):
    """The cut points come from counts that are made once and taken apart again: still no test row is in them."""
    seen = []
    cuts = Discretizer.cuts

    def watched(self, counts):
        seen.append({float(value) for value in counts.values})
        return cuts(self, counts)

    monkeypatch.setattr(Discretizer, "cuts", watched)
    table = numbered().select(["row", "class"])
    learner = NaiveBayes(density="bins", discretizer=discretizer)
    results = getattr(validate, how)(learner, table, threads=1)
    assert len(seen) == len(results.folds)
    for values, part in zip(seen, results.by_fold(), strict=True):
        assert values == set(range(60)) - set(part.rows.tolist())


def test_moments_and_values_of_the_training_part_hold_no_test_row(monkeypatch):
    table, seen = numbered(), []
    advance = NaiveBayesPlan.advance

    def watched(self, counts):
        seen.append(counts)
        return advance(self, counts)

    monkeypatch.setattr(NaiveBayesPlan, "advance", watched)
    results = validate.cross_validate(NaiveBayes(), table, folds=4, threads=1)
    for counts, part in zip(seen, results.by_fold(), strict=True):
        rows = np.setdiff1d(np.arange(60), part.rows)
        assert counts.columns[0].values.tolist() == rows.tolist()
        direct = NaiveBayes().count_table(table.take(rows))
        assert np.array_equal(counts.columns[0].sums, direct.columns[0].sums)
        assert np.array_equal(counts.columns[2].weights, direct.columns[2].weights)


def test_the_honest_error_of_noise_is_chance():
    """Without signal the best of 48 inner estimates flatters, by little and not on every table; the test does not.

    Means over four tables, as one alone may go either way.
    """
    grid = {"min_leaf": [1, 2, 4, 8, 16, 32], "confidence": [0.01, 0.1, 0.25, 0.5], "subset": [True, False]}
    learner = tune(C45(), grid, folds=3)
    believed, honest = [], []
    for seed in range(4):
        table = numbered(120, seed, noise=True)
        believed.append(learner.choose(table).chosen.estimate.value)
        honest.append(measures.error(validate.cross_validate(learner, table, folds=5)))
    assert np.mean(honest) == pytest.approx(0.5, abs=0.06)
    assert np.mean(believed) < np.mean(honest)


def test_the_choice_is_said_for_every_fold_and_in_words():
    learner = tune(C45(), {"min_leaf": [2, 40]})
    results = validate.cross_validate(learner, blobs(), folds=4)
    assert [fold.chosen for fold in results.folds] == ["min_leaf=2"] * 4
    assert results.notes[-1] == "chosen within each of 4 folds, without its test rows: min_leaf=2 in 4"
    assert results.parameters["min_leaf"] == "tuned: 2, 40"
    assert results.parameters["tuned_by"] == "best"
    assert evaluation_report(results)["changed"]["min_leaf"] == "tuned: 2, 40"


def test_the_model_is_an_ordinary_one_with_the_chosen_values(tmp_path):
    learner = tune(C45(), {"min_leaf": [2, 40]})
    model = learner.train(blobs())
    assert model.about.learner == "c45"
    assert model.about.parameters["min_leaf"] == 2
    assert model == C45(min_leaf=2).train(blobs())
    told = " ".join(model.about.notes)
    assert "min_leaf=2 was chosen: best among 2 by stratified 5-fold cross-validation" in told
    assert "compared: min_leaf=2: 0." in told
    model.save(tmp_path / "m.hedge")
    assert load(tmp_path / "m.hedge") == model


def test_learning_changes_neither_the_learner_nor_the_grid():
    inner = C45()
    learner = tune(inner, {"min_leaf": [2, 40], "confidence": [0.1]})
    before = repr(inner), dict(learner.grid)
    learner.train(blobs())
    assert (repr(inner), dict(learner.grid)) == before


@pytest.mark.parametrize("threads", [1, 3])
def test_the_choice_does_not_depend_on_the_number_of_threads(threads):
    learner = tune(C45(), {"min_leaf": [1, 2, 5, 20]}, rule="1se")
    one = validate.cross_validate(learner, numbered(), threads=1)
    many = validate.cross_validate(learner, numbered(), threads=threads)
    assert [fold.chosen for fold in one.folds] == [fold.chosen for fold in many.folds]
    assert np.array_equal(one.predicted, many.predicted)


def candidates(*triples):
    values = ("a", "b", "c", "d")
    return [
        ParameterCandidate({"p": value}, Majority(), Estimate(error, standard_error=se), size)
        for value, (error, se, size) in zip(values, triples, strict=False)
    ]


def test_best_takes_the_best_and_of_equals_the_smaller_model():
    assert choose_candidate(candidates((0.2, 0.1, 3), (0.1, 0.1, 9)), "error", "best", "m").text == "p=b"
    assert choose_candidate(candidates((0.1, 0.1, 9), (0.1, 0.1, 3)), "error", "best", "m").text == "p=b"
    assert choose_candidate(candidates((0.7, 0.1, 9), (0.9, 0.1, 9)), "auc", "best", "m").text == "p=b"


def test_1se_takes_the_smallest_model_within_one_standard_error_of_the_best():
    tried = candidates((0.10, 0.03, 20), (0.12, 0.03, 9), (0.125, 0.03, 5), (0.14, 0.03, 1))
    found = choose_candidate(tried, "error", "1se", "5 folds")
    assert found.text == "p=c"
    assert found.reason == (
        "the simplest of 3 within one standard error (0.03) of the best among 4 by 5 folds (error 0.125; best p=a 0.1)"
    )
    alone = choose_candidate(candidates((0.1, 0.01, 20), (0.2, 0.01, 1)), "error", "1se", "5 folds")
    assert alone.text == "p=a"
    assert alone.reason.endswith("none simpler is within one standard error")


def test_1se_of_a_measure_of_which_more_is_better():
    assert (
        choose_candidate(candidates((0.95, 0.03, 9), (0.93, 0.03, 2), (0.8, 0.03, 1)), "auc", "1se", "m").text == "p=b"
    )


@pytest.mark.parametrize("measure", [name for name, one in catalog.ALL.items() if one.best == 0])
def test_of_every_measure_of_loss_the_least_is_best(measure):
    assert (
        choose_candidate(candidates((0.3, 0, 1), (0.1, 0, 1), (0.2, 0, 1)), measure, "best", "x").chosen.estimate.value
        == 0.1
    )


def test_the_least_bias_to_either_side_is_best():
    assert (
        choose_candidate(candidates((-3, 0, 1), (0.5, 0, 1), (2, 0, 1)), "bias", "best", "x").chosen.estimate.value
        == 0.5
    )


def test_models_without_a_size_are_taken_in_the_order_given():
    nan = math.nan
    assert choose_candidate(candidates((0.12, 0.03, nan), (0.1, 0.03, nan)), "error", "1se", "m").text == "p=a"


def test_what_is_undefined_is_never_chosen():
    nan = math.nan
    for rule in RULES:
        assert choose_candidate(candidates((nan, nan, 1), (0.4, 0.1, 9)), "error", rule, "m").text == "p=b"


def test_1se_makes_smaller_trees():
    table, grid = numbered(200), {"min_leaf": [1, 5, 20, 50]}
    best, simple = (tune(C45(), grid, rule=rule).train(table) for rule in RULES)
    assert simple.size <= best.size


def test_parameters_of_a_learner_inside_another():
    learner = tune(AdaBoost(n_estimators=3), {"base__min_leaf": [2, 30]}, folds=2)
    results = validate.cross_validate(learner, blobs(), folds=2)
    assert all(fold.chosen.startswith("base__min_leaf=") for fold in results.folds)


def test_numbers_are_tuned_by_their_mean_absolute_error():
    learner = tune(CARTRegressor(), {"min_samples_leaf": [2, 5, 25]})
    tuning = learner.choose(straight())
    assert tuning.text in ("min_samples_leaf=2", "min_samples_leaf=5")
    assert "mae" in tuning.reason
    assert learner.target_is_classes is False
    assert not validate.cross_validate(learner, straight(), folds=3).has_classes


def test_one_row_and_one_class_still_give_a_model():
    learner = tune(NaiveBayes(), {"alpha": [1, 2]})
    table = Table.of({"x": [1.0, 2.0], "c": ["a", "b"]}, target="c")
    results = validate.leave_one_out(learner, table)
    assert [fold.chosen for fold in results.folds] == ["alpha=1"] * 2
    assert "in 2 of 2 folds all training rows have the same class" in results.notes


def test_a_learner_that_is_no_hedgerow_learner_can_be_tuned():
    class Plain(Majority):
        def __init__(self, pull=0):
            self.pull = pull

        def get_params(self):
            return {"pull": self.pull}

        def set_params(self, **given):
            self.__dict__.update(given)

    assert tune(Plain(), {"pull": [1, 2]}).choose(loan()).text == "pull=1"
    with pytest.raises(UsageError, match="majority has no parameter 'push'; it takes pull"):
        tune(Plain(), {"push": [1]})
    with pytest.raises(UsageError, match="no parameters to set"):
        tune(Fixed(), {"pull": [1]}).choose(loan())


class Fixed(Majority):
    def get_params(self):
        return {"pull": 1}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tune(C45(), {"min_leef": [1]}), "c45 has no parameter 'min_leef'; did you mean 'min_leaf'"),
        (lambda: tune(C45(), {"min_leaf": [1, -2]}), "min_leaf=-2 is not allowed: it must be a number above 0"),
        (lambda: tune(C45(), {"min_leaf": []}), "no value of min_leaf to compare"),
        (lambda: tune(C45(), {}), "nothing to tune"),
        (lambda: tune(C45(), {"min_leaf": [1]}, rule="2se"), "no rule '2se' to choose by; the rules are best, 1se"),
        (lambda: tune(C45(), {"min_leaf": [1]}, folds=1), "at least 2, but is 1"),
        (lambda: tune(C45(), {"min_leaf": [1]}, measure="errr"), "no measure 'errr'.*did you mean 'error'"),
        (lambda: tune(C45(), {"min_leaf": [1]}, measure="rmse"), "no measure 'rmse' for the predictions of c45"),
        (lambda: tune(C45(), {"min_leaf__x": [1]}), "min_leaf is not a learner with parameters of its own"),
        (lambda: tune(AdaBoost(), {"base__leaf": [1]}), "c45 has no parameter 'leaf'"),
    ],
)
def test_impossible_tunings_are_refused_in_words(call, words):
    with pytest.raises(UsageError, match=words):
        call()


# -- counts of the training part ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [NaiveBayes(), NaiveBayes(density="kernel"), NaiveBayes(density="bins"), OneR(), OneR(min_bucket=1)],
    ids=repr,
)
def test_folds_of_counted_rows_give_the_models_that_training_gives(learner):
    table = mixed(5000)
    counted = run_split.TableCounts.of(learner, table)
    for split in splits.folds(run_split.target_values(table), 4):
        with without_sketches():
            direct = learner.train(table.view(split.train))
        model = counted.train(table.view(split.train), table.take(split.test))
        assert model == direct
        assert model.about == direct.about
        assert np.array_equal(model.distribution(table), direct.distribution(table))


def test_counts_are_not_taken_apart_where_that_would_not_be_exact():
    class Own(NaiveBayes):
        def train(self, data):
            return super().train(data)

    table = mixed(50)
    assert run_split.TableCounts.of(NaiveBayes(), table.with_weights(np.full(50, 0.1))) is None
    assert run_split.TableCounts.of(Own(), table) is None
    assert run_split.TableCounts.of(C45(), table) is None
    counted = run_split.TableCounts.of(NaiveBayes(), table)
    for split in splits.bootstrap(run_split.target_values(table), 3):
        assert counted.train(table.view(split.train), table.view(split.test)) is None


def mixed(rows: int) -> Table:
    """Whole, fractional, repeating and missing numbers, words, and rows without a class."""
    rng = np.random.default_rng(6)
    few, many = rng.integers(0, 9, rows).astype(float), rng.normal(0, 1e3, rows)
    few[::7], many[::11] = np.nan, np.nan
    words = [None if i % 13 == 0 else f"w{i}" for i in rng.integers(0, 40, rows)]
    codes = rng.integers(0, 3, rows)
    classes = [None if i % 17 == 0 else f"c{code}" for i, code in enumerate(codes)]
    return Table.of({"few": few, "many": many + 500 * codes, "word": words, "class": classes}, target="class")


@pytest.mark.parametrize(("measure", "values", "best"), [("median_absolute", (3, 1, 2), 1), ("bias", (-3, 2, -1), 2)])
def test_less_of_an_error_is_better_and_a_bias_counts_either_way(measure, values, best):
    tried = [ParameterCandidate({"n": n}, OneR(), Estimate(float(value))) for n, value in enumerate(values)]
    assert choose_candidate(tried, measure, "best", "trials").chosen is tried[best]


@pytest.mark.parametrize("rule", ["best", "1se"])
def test_a_measure_that_is_undefined_cannot_choose_and_says_so(rule):
    tried = [ParameterCandidate({"n": n}, OneR(), Estimate(math.nan)) for n in range(2)]
    found = choose_candidate(tried, "auc", rule, "trials")
    assert found.chosen is tried[0]
    assert "undefined" in found.reason
    assert "nan" not in found.reason
