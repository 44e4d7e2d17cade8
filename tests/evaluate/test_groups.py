"""Rows that belong together are never on both sides of a split."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import NaiveBayes, Table
from hedgerow.data.rows import row_groups
from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import splits, validate
from hedgerow.evaluate.tune import tune
from tests.evaluate.toys import Majority, Means, NearestMean, numbers, straight

grouped_rows = st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 9)), min_size=8, max_size=80).filter(
    lambda rows: len({group for code, group in rows if code >= 0}) >= 3
)


def arrays(rows):
    return np.array([code for code, _ in rows], dtype=np.int32), np.array([group for _, group in rows])


def visits(patients: int = 12, each: int = 5, seed: int = 1) -> Table:
    """Patients whose numbers tell who they are, and nothing else; the class is drawn for each patient."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), each)
    classes = rng.permutation(np.arange(patients) % 2)[who]
    x, y = (rng.normal(0, 1, patients)[who] + rng.normal(0, 0.01, len(who)) for _ in range(2))
    names = [f"patient {number}" for number in who]
    return Table.of({"x": x, "y": y, "who": names, "ill": [("no", "yes")[c] for c in classes]}, target="ill")


@dataclass(frozen=True)
class _Neighbor(Means):
    codes: tuple[int, ...] = ()

    def scores(self, table):
        x = numbers(table)
        distance = ((x[:, None, :] - np.array(self.centers)[None]) ** 2).sum(axis=2)
        return np.eye(len(self.classes))[np.array(self.codes)[distance.argmin(axis=1)]]


class _Nearest(NearestMean):
    """Knows every patient by heart: predicts the class of the nearest training row."""

    name = "nearest"

    def train(self, table):
        return _Neighbor(table.schema, tuple(map(tuple, numbers(table))), tuple(table.target.tolist()))


def _column(values):
    table = Table.of({"day": values})
    return table.schema.columns[0], table.data[0]


@given(grouped_rows, st.integers(2, 6), st.integers(0, 3))
def test_folds_partition_the_rows_and_no_group_is_in_two(rows, k, seed):
    codes, own = arrays(rows)
    known = np.flatnonzero(codes >= 0)
    parts = list(splits.folds(codes, k, seed, groups=own))
    assert len(parts) == splits.fold_count(codes, k, own) == min(k, len(np.unique(own[known])))
    assert np.array_equal(np.sort(np.concatenate([part.test for part in parts])), known)
    for part in parts:
        assert len(part.test)
        assert np.array_equal(np.sort(np.concatenate([part.train, part.test])), known)
        assert not set(own[part.train]) & set(own[part.test])


@given(grouped_rows, st.floats(0.05, 0.95))
def test_a_holdout_and_three_parts_keep_groups_whole(rows, share):
    codes, own = arrays(rows)
    (part,) = splits.holdout(codes, share, groups=own)
    three = splits.three_way(codes, share / 2, (1 - share) / 2, groups=own)
    for sides in (part[:2], three):
        assert all(len(side) for side in sides)
        held = [set(own[side]) for side in sides]
        assert sum(map(len, held)) == len(set().union(*held))


def test_groups_of_one_row_are_spread_like_rows():
    codes = np.repeat([0, 1], [40, 20]).astype(np.int32)
    counts = [np.bincount(codes[part.test]).tolist() for part in splits.folds(codes, 10, groups=np.arange(60))]
    assert counts == [[4, 2]] * 10


def test_classes_are_spread_as_evenly_as_the_groups_allow():
    rng = np.random.default_rng(4)
    own = rng.integers(0, 60, 1200)
    codes = (rng.random(1200) < np.where(own % 3 == 0, 0.9, 0.1)).astype(np.int32)
    shares = [codes[part.test].mean() for part in splits.folds(codes, 5, groups=own)]
    sizes = [len(part.test) for part in splits.folds(codes, 5, groups=own)]
    assert np.ptp(shares) < 0.04
    assert max(sizes) < 1.1 * min(sizes)


def test_every_group_is_left_out_once():
    own = np.array([3, 3, 1, 1, 1, 2])
    parts = list(splits.leave_one_out(np.zeros(6, dtype=np.int32), own))
    assert sorted(part.test.tolist() for part in parts) == [[0, 1], [2, 3, 4], [5]]


def test_bootstrap_samples_draw_whole_groups():
    own = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6])
    for part in splits.bootstrap(len(own), 20, groups=own):
        assert not set(own[part.train]) & set(own[part.test])
        times = np.bincount(part.train, minlength=len(own))
        assert all(len(set(times[own == group])) == 1 for group in range(6))


def test_groups_show_that_nothing_was_learned_but_who_is_who():
    """Rows of one patient reveal each other's class: without groups the error is far too optimistic."""
    table = visits(patients=30, each=6)
    fooled = validate.cross_validate(_Nearest(), table)
    honest = validate.cross_validate(_Nearest(), table, group="who")
    assert (fooled.decided != fooled.actual).mean() < 0.05
    assert (honest.decided != honest.actual).mean() > 0.3
    assert honest.method == "stratified 10-fold cross-validation by who"
    assert "rows with the same 'who' stay together: 30 groups of 6 to 6 rows" in honest.notes


def test_the_column_of_the_groups_is_left_out_of_learning():
    table = visits()
    seen = set()

    class Watching(NaiveBayes):
        def learn(self, table):
            seen.update(table.schema.names)
            return super().learn(table)

    validate.cross_validate(Watching(), table, folds=3, group="who")
    assert seen == {"x", "y", "ill"}


@pytest.mark.parametrize("how", ["cross_validate", "leave_one_out", "holdout"])
def test_every_method_keeps_groups_apart(how):
    table = visits()
    results = getattr(validate, how)(Majority(), table, group="who")
    names = np.asarray(table["who"])
    for part in results.by_fold():
        tested = set(names[part.rows])
        whole = {row for row in range(len(table)) if names[row] in tested}
        assert set(part.rows.tolist()) == whole


def test_a_choice_inside_keeps_groups_apart_too():
    learner = tune(NaiveBayes(), {"alpha": [0, 1]})
    assert validate.prepare_task(learner, visits(), group="who").learner.group == "who"
    assert validate.prepare_task(learner, visits()).learner.group is None


def test_numbers_texts_and_missing_values_make_groups():
    table = straight(12).with_column(*_column([1.0, 1.0, None, None, 2.0, 2.0] * 2))
    assert row_groups.number_groups(table, "day").tolist() == [0, 0, 2, 2, 1, 1] * 2
    results = validate.cross_validate(Majority(), table, folds=2, group="day")
    assert "4 rows without a value of 'day' are treated as one group" in results.notes
    assert results.method == "2-fold cross-validation by day"


def test_too_few_and_too_large_groups_are_said():
    table = visits(patients=4)
    results = validate.cross_validate(Majority(), table, folds=10, group="who")
    assert results.method.startswith("stratified 4-fold")
    assert "10 folds were requested, but there are only 4 groups: 4 folds are used" in results.notes
    lone = Table.of({"g": ["a"] * 30 + ["b", "c", "d", "e"], "c": ["x", "y"] * 17}, target="c")
    notes = validate.cross_validate(Majority(), lone, folds=4, group="g").notes
    assert "the largest group holds 88% of the rows, so the folds differ in size" in notes


def test_classes_in_fewer_groups_than_folds_are_said():
    table = Table.of({"g": list("aabbccdd"), "c": ["x", "x", "y", "y", "y", "y", "y", "y"]}, target="c")
    notes = validate.cross_validate(Majority(), table, folds=3, group="g").notes
    assert (
        "1 of 2 classes occur in fewer groups than the 3 folds (the rarest in 1), so some folds do not test them"
        in notes
    )
    assert "in 1 of 3 folds all training rows have the same class" in notes


@pytest.mark.parametrize(
    ("group", "error", "words"),
    [
        ("whom", UsageError, "no column 'whom' to group by; the columns are 'x', 'y', 'who'"),
        ("ill", UsageError, "'ill' is the target, so it cannot also group"),
    ],
)
def test_impossible_groups_are_refused_in_words(group, error, words):
    with pytest.raises(error, match=words):
        validate.cross_validate(Majority(), visits(), group=group)


def test_a_single_group_cannot_be_split():
    table = visits(patients=1)
    for how in (validate.cross_validate, validate.leave_one_out, validate.holdout):
        with pytest.raises(DataError, match="at least two with a target, but there are 1"):
            how(Majority(), table, group="who")


def test_the_note_on_the_groups_tells_their_column_and_odd_notes_tell_none():
    note = row_groups.ignore_group_column(visits(), "who").schema["who"].exclusion_note
    assert row_groups.group_column_from_notes(["another note", note]) == "who"
    assert (
        row_groups.group_column_from_notes(
            [note.replace("'who'", odd) for odd in ("who", "(" * 999, "-" * 200_000 + "1")]
        )
        is None
    )
