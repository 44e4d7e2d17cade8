"""Comparing learners: the same folds for all, significance marks, published averages, stored results, and bad input."""

import math
import sqlite3

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45, Majority, Mean, NaiveBayes, OneR, cross_validate, examples
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, DataWarning, HedgerowError, ModelError, UsageError
from hedgerow.evaluate.learner_comparison.compare import compare
from hedgerow.evaluate.learner_comparison.comparison import Cell, Comparison, Record
from hedgerow.evaluate.learner_comparison.fold_outcome import Outcome
from hedgerow.evaluate.metrics import catalog, measures, ranking
from hedgerow.evaluate.metrics.estimates import wilson
from tests.evaluate.toys import NearestMean, blobs, loan, straight
from tests.textbook import quinlan27

SETS = {"loan": examples.loan(), "blobs": blobs(3, 20)}


def test_means_are_those_of_cross_validation_on_the_same_folds():
    found = compare([NaiveBayes(), Majority()], SETS, runs=2, folds=5, seed=3)
    for row, table in enumerate(SETS.values()):
        for place, learner in enumerate([NaiveBayes(), Majority()]):
            parts = list(cross_validate(learner, table, folds=5, runs=2, seed=3).by_fold())
            cell = found.cells[row][place]
            assert cell.values("error").tolist() == [measures.error(part) for part in parts]
            assert np.array_equal(cell.values("auc"), [ranking.mean_auc(part) for part in parts], equal_nan=True)


def test_the_answer_does_not_depend_on_threads():
    one, many = (compare(["one_r", "c45"], SETS, runs=2, folds=4, threads=n) for n in (1, 3))
    assert np.array_equal(one.means, many.means)


def test_marks_are_the_corrected_test_and_v_is_better_whatever_the_measure():
    table = blobs(3, 30, spread=0.5)
    for measure in ("error", "accuracy", "kappa", "log_loss"):
        found = compare(["majority", "naive_bayes"], table, runs=2, folds=5, measure=measure)
        assert found.mark(0, 1) == "v"
        assert found.mark(0, 0) == ""
        back = compare(["majority", "naive_bayes"], table, runs=2, folds=5, measure=measure, base="naive_bayes")
        assert back.mark(0, 0) == "*"
        assert back.record(0) == Record(0, 0, 1)
    test = found.tests[0][1]
    apart = found.cells[0][1].values("log_loss") - found.cells[0][0].values("log_loss")
    error = apart.std(ddof=1) * math.sqrt(1 / 10 + 1 / 4)
    assert test.t == pytest.approx(apart.mean() / error)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(test.t), 9))


def test_a_cell_with_one_value_in_all_folds_does_not_look_certain():
    found = compare(["majority", "c45"], {"blobs": blobs(2, 20)}, runs=2, folds=5)
    flat = found.cells[0][0].estimate("error")
    assert set(found.cells[0][0].values("error")) == {0.5}
    assert flat == wilson(0.5, 40)
    assert flat.high == pytest.approx(0.648, abs=1e-3)
    assert math.isnan(found.cells[0][0].estimate("kappa").low)


def test_a_learner_does_not_beat_itself():
    found = compare({"one": OneR(), "same": OneR()}, SETS, runs=1, folds=3)
    assert found.record(1) == Record(0, 2, 0)
    assert found.plain_record(1) == Record(0, 2, 0)
    assert found.mean_ranks.tolist() == [1.5, 1.5]
    assert found.groups == ((0, 1),)
    assert found.friedman.p == 1.0


def published():
    """Return the published table as a comparison with one number per cell."""
    names = ("c45", "bagged", "boosted")
    rows = quinlan27()

    def cell(figure):
        return Cell((Outcome(0, 0, 9.0, 1.0, 0.0, 0.0, None, {"error": float(figure)}),))

    cells = tuple(tuple(cell(row[key]) for key in ("c45_err", "bag_err", "boost_err")) for row in rows)
    sets = tuple(f"set {number}" for number in range(len(rows)))
    return Comparison(names, sets, cells, 0, "error", "error rate", larger_is_better=False)


def test_g111_averages_of_the_published_table():
    """G111: mean errors, mean ratios (here of errors printed with two decimals), and sets on which each is better."""
    found = published()
    assert [round(found.mean(place), 3) for place in range(3)] == [15.662, 14.115, 13.358]
    ratios = [found.mean_ratio(1), found.mean_ratio(2), found.mean_ratio(2, 1)]
    assert np.allclose(ratios, [0.905, 0.847, 0.930], atol=0.001)
    assert found.plain_record(1).better == 24
    assert found.plain_record(2).better == 21
    assert found.plain_record(2, 1).better == 20
    assert found.mark(0, 1) == ""  # a single figure a cell proves nothing


def test_g111_ranks_of_the_published_table():
    """G111: over 27 sets the ranks of the three differ beyond chance, as SciPy says."""
    found = published()
    assert found.friedman.chi2 == pytest.approx(stats.friedmanchisquare(*found.means.T).statistic)
    assert found.friedman.p < 1e-5
    assert np.argsort(found.mean_ranks).tolist() == [2, 1, 0]
    assert found.critical_difference == pytest.approx(2.343 * math.sqrt(3 * 4 / (6 * 27)), abs=1e-3)


def test_estimators_of_scikit_learn_take_part():
    found = compare([C45(), DecisionTreeClassifier(min_samples_leaf=2)], SETS, runs=1, folds=5)
    assert found.learners == ("c45", "DecisionTreeClassifier")
    assert not np.isnan(found.means).any()
    assert found.means_of("model_size")[:, 1].min() > 1


def test_numbers_are_compared_by_absolute_error():
    found = compare([Mean(), LinearRegression()], straight(), runs=2, folds=5)
    assert (found.measure, found.title) == ("mae", "mean absolute error")
    assert found.mark(0, 1) == "v"
    for measure in ("r2", "median_absolute"):
        assert compare([Mean(), LinearRegression()], straight(), runs=1, measure=measure).mark(0, 1) == "v"
    with pytest.raises(UsageError, match="there is no measure 'bias' for a numeric target"):
        compare([Mean(), LinearRegression()], straight(), runs=1, measure="bias")


def test_every_measure_of_classes_compares_and_is_the_mean_over_the_folds():
    found = compare([Majority(), NearestMean()], blobs(), runs=1, folds=5, measure="mcc")
    parts = list(cross_validate(NearestMean(), blobs(), folds=5).by_fold())
    for name, measure in catalog.CLASS_MEASURES.items():
        assert found.means_of(name)[0, 1] == pytest.approx(np.mean([measure.compute(part) for part in parts]))
    by_size = compare([Majority(), NearestMean()], blobs(), runs=1, folds=5, measure="balanced_accuracy")
    assert (by_size.title, by_size.mark(0, 1)) == ("balanced accuracy", "v")


def test_a_results_file_from_before_a_measure_was_known_is_completed(tmp_path, monkeypatch):
    path, how = tmp_path / "r.sqlite", {"runs": 1, "folds": 4}
    with monkeypatch.context() as patch:
        patch.setattr(catalog, "CLASS_MEASURES", {"error": catalog.CLASS_MEASURES["error"]})
        compare([NearestMean()], blobs(2, 20), store=path, **how)
    found = compare([NearestMean()], blobs(2, 20), store=path, measure="mcc", **how)
    assert found.means[0, 0] == compare([NearestMean()], blobs(2, 20), measure="mcc", **how).means[0, 0]


def test_equal_names_are_told_apart():
    found = compare([C45(), C45(min_leaf=5), C45(min_leaf=5), NearestMean()], loan(), runs=1, folds=3)
    assert found.learners == ("c45", "c45(min_leaf=5)", "c45(min_leaf=5) #2", "nearest_mean")


def test_the_store_is_used_again_for_other_measures_and_more_runs(tmp_path):
    calls = []

    class Counted(NearestMean):
        def train(self, table):
            calls.append(len(table))
            return super().train(table)

    def count(**how):
        calls.clear()
        found = compare([Counted()], blobs(2, 20), folds=4, store=tmp_path / "r.sqlite", **how)
        return len(calls), found

    n, first = count(runs=1)
    assert n == 4
    n, second = count(runs=1)
    assert n == 0
    assert np.array_equal(first.means, second.means)
    assert count(runs=1, measure="auc")[0] == 0
    assert count(runs=1, measure="train_seconds")[0] == 0
    assert count(runs=3)[0] == 8
    assert count(runs=1, seed=2)[0] == 4


def test_other_data_other_parameters_other_versions_are_not_taken_from_the_store(tmp_path, monkeypatch):
    store = tmp_path / "r.sqlite"
    told = []

    def count(learner, table):
        told.clear()
        compare([learner], table, runs=1, folds=3, store=store, progress=lambda *at: told.append(at))
        return len(told) > 1  # what the store has is told at once

    assert count(C45(), loan())
    assert not count(C45(), loan())
    assert count(C45(min_leaf=3), loan())
    table = loan()
    assert count(C45(), table.with_weights(np.arange(1.0, 16.0)))
    monkeypatch.setattr("hedgerow.__version__", "99.0")
    assert count(C45(), table)


def test_progress_counts_every_fold_once():
    told = []
    compare(["majority", "one_r"], SETS, runs=2, folds=3, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 24) for done in range(1, 25)]


class Fails:
    name = "fails"

    def get_params(self):
        return {}

    def train(self, table):
        if len(table.schema) > 3:
            raise ModelError("too wide for me")
        return NearestMean().train(table)


def test_a_learner_that_fails_on_a_set_leaves_a_hole_and_the_rest_goes_on():
    told = []
    found = compare(
        [Majority(), Fails()], SETS, runs=1, folds=3, progress=lambda done, total: told.append((done, total))
    )
    assert math.isnan(found.means[0, 1])
    assert not math.isnan(found.means[1, 1])
    assert found.record(1).better == 1
    assert found.friedman.sets == 1
    assert "fails failed on loan: too wide for me" in found.notes
    assert told[-1] == (12, 12)
    with pytest.raises(HedgerowError, match=r"no learner could be trained: .*too wide"):
        compare([Fails()], examples.loan(), runs=1, folds=3)


def test_notes_tell_of_thin_classes_missing_targets_and_warnings():
    labels = ["a"] * 12 + ["b"] * 2 + [None]
    table = Table.of({"x": list(range(15)), "y": labels}, target="y")

    class Warns(NearestMean):
        def train(self, table):
            import warnings

            warnings.warn("did not converge\nsee there", RuntimeWarning, stacklevel=1)
            return super().train(table)

    found = compare([Warns(), Majority()], {"thin": table}, runs=1, folds=5)
    assert any("1 of 15 rows is left out" in note for note in found.notes)
    assert any("fewer rows than the 5 folds" in note for note in found.notes)
    assert [note for note in found.notes if "converge" in note] == ["nearest_mean on thin: did not converge"]


def test_notes_tell_of_deaf_and_of_nameless_learners(tmp_path):
    class Nameless(NearestMean):
        def get_params(self):
            return {"rule": lambda: None}

    table = blobs(2, 10).with_weights(np.repeat([1.0, 2.0], 10))
    found = compare([KNeighborsClassifier(), Nameless()], table, runs=1, folds=2, store=tmp_path / "r.sqlite")
    assert "KNeighborsClassifier does not use row weights in its training" in found.notes
    assert any(note.startswith("nearest_mean has parameters without a stable text form") for note in found.notes)


def test_files_and_frames_are_named(tmp_path):
    pandas = pytest.importorskip("pandas")
    (tmp_path / "loan.csv").write_text(examples.loan_csv())
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 5, "y": ["a", "a", "b", "b"] * 5})
    with pytest.warns(DataWarning, match="identifier"):  # the number of the row in loan.csv is an identifier
        found = compare("one_r", [tmp_path / "loan.csv", frame, str(tmp_path / "loan.csv")], runs=1, folds=3)
    assert found.sets == ("loan", "data 2", "loan #2")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], SETS), "nothing to compare"),
        ((["one_r"], []), "nothing to compare on"),
        (([OneR], SETS), r"OneR is a class; give an instance of it: OneR\(\)"),
        (([3], SETS), "not a learner"),
        ((["one_are"], SETS), "did you mean 'one_r'"),
        ((["discretize"], SETS), "not a learner that predicts"),
        ((["one_r", "mean"], SETS), "some of the learners predict classes"),
        (([NearestMean()], [loan(), straight()]), "use them in separate comparisons"),
    ],
)
def test_bad_calls_are_sentences(arguments, sentence):
    with pytest.raises(HedgerowError, match=sentence):
        compare(*arguments, runs=1, folds=2)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"base": "c45"}, "base 'c45' is not one of the learners compared: majority, one_r"),
        ({"base": 2}, "not a position among 2"),
        ({"base": C45()}, "not among the learners"),
        ({"measure": "f9"}, "no measure 'f9' for classes; there are accuracy, error"),
        ({"level": 5}, "between 0 and 1"),
        ({"folds": 1}, "at least 2"),
        ({"runs": 0}, "at least 1"),
    ],
)
def test_bad_settings_are_sentences(how, sentence):
    with pytest.raises(UsageError, match=sentence):
        compare(["majority", "one_r"], loan(), **{"runs": 1, "folds": 2, **how})


def test_a_wrong_target_is_a_sentence():
    with pytest.raises(DataError, match="use a regressor"):
        compare(["majority"], straight(), runs=1)


def test_base_by_object_position_and_name():
    learners = [Majority(), OneR()]
    assert compare(learners, loan(), runs=1, folds=2, base=learners[1]).base == 1
    assert compare(learners, loan(), runs=1, folds=2, base=1).base == 1
    assert compare(learners, loan(), runs=1, folds=2, base="one-r").base == 1
    assert compare(learners, loan(), runs=1, folds=2).base == 0


def test_a_fold_that_was_kept_before_there_was_a_measure_is_done_anew(tmp_path):
    path = tmp_path / "kept.sqlite"
    compare(["majority", "one_r"], {"loan": loan()}, runs=1, folds=3, store=path)
    base = sqlite3.connect(path)
    with base:
        base.execute("UPDATE folds SET measures = json_remove(measures, '$.mcc')")
    base.close()
    found = compare(["majority", "one_r"], {"loan": loan()}, runs=1, folds=3, measure="mcc", store=path)
    fresh = compare(["majority", "one_r"], {"loan": loan()}, runs=1, folds=3, measure="mcc")
    assert np.array_equal(found.means, fresh.means, equal_nan=True)


def test_a_data_set_at_fault_is_named():
    with pytest.raises(DataError, match=r"^line: the target"):
        compare(["majority"], {"loan": loan(), "line": straight()}, runs=1, folds=3)
    with pytest.raises(DataError, match=r"^single: folds need at least two rows"):
        compare(["majority"], {"loan": loan(), "single": loan().take(np.array([0]))}, runs=1, folds=3)


def test_a_seed_beyond_the_integers_of_a_file_is_a_sentence():
    with pytest.raises(UsageError, match="seed of a comparison"):
        compare(["majority"], {"loan": loan()}, runs=1, folds=3, seed=2**63)
