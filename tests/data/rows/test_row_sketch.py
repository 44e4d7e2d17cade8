"""Sketches of rows: the smallest hashes, with counts, whatever batches the rows come in."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.rows.row_sketch import MOST_HASHES, RowSketch, RowSketcher
from hedgerow.errors import DataError

hashes = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5))


def sketch(*batches):
    sketcher = RowSketcher()
    for batch in batches:
        sketcher.add(np.array(batch, dtype=np.uint64))
    return sketcher.sketch()


@given(st.lists(hashes, min_size=1))
def test_batches_give_the_sketch_of_all_rows(batches):
    rows = [one for batch in batches for one in batch]
    counts = Counter(rows)
    found = sketch(*batches)
    assert found == sketch(rows) == sketch(rows[::-1])
    assert found.hashes.tolist() == sorted(counts)
    assert (found.sampled, found.repeated) == (len(rows), sum(n for n in counts.values() if n > 1))
    assert found.digest == sum(rows) % 2**64
    assert RowSketch.from_dict(found.to_dict()) == found


@pytest.mark.parametrize("size", [MOST_HASHES - 1, MOST_HASHES, 3 * MOST_HASHES])
def test_only_the_smallest_are_kept_with_exact_counts(size):
    random = np.random.default_rng(size)
    distinct = random.integers(0, 2**63, size).astype(np.uint64)
    rows = np.concatenate([distinct, distinct[::2]])
    random.shuffle(rows)
    found = sketch(*np.array_split(rows, 7))
    kept = np.sort(distinct)[:MOST_HASHES]
    assert found.hashes.tolist() == kept.tolist()
    assert found.sampled == np.isin(rows, kept).sum()
    assert found.repeated == 2 * np.isin(kept, distinct[::2]).sum()
    assert found.is_whole == (size < MOST_HASHES)
    assert (found.in_sample(distinct) == (np.isin(distinct, kept) | found.is_whole)).all()


def test_counts_are_rows():
    sketcher = RowSketcher()
    sketcher.add(np.array([7, 3, 7], dtype=np.uint64), np.array([1, 4, 2]))
    assert sketcher.sketch() == sketch([3, 3, 3, 3, 7, 7, 7])


@pytest.mark.parametrize(
    "changed",
    [
        {"hashes": "AAAA"},
        {"hashes": "no base64!"},
        {"hashes": 1},
        {"sampled": 1},
        {"sampled": 2.0},
        {"repeated": 9},
        {"repeated": -1},
        {"repeated": True},
        {"digest": "xyz"},
        {"digest": "1"},
        {"digest": None},
        {"more": 1},
    ],
)
def test_other_content_is_refused(changed):
    data = sketch([5, 6]).to_dict() | changed
    with pytest.raises((DataError, ValueError, TypeError)):
        RowSketch.from_dict(data)


def test_hashes_must_ascend():
    data = sketch([5, 6]).to_dict() | {"hashes": RowSketch(np.array([6, 5], np.uint64), 2, 0, 11).to_dict()["hashes"]}
    with pytest.raises(DataError, match="unexpected values"):
        RowSketch.from_dict(data)


def test_too_many_hashes_are_refused():
    many = np.arange(MOST_HASHES + 1, dtype=np.uint64)
    with pytest.raises(DataError, match="unexpected values"):
        RowSketch.from_dict(RowSketch(many, len(many), 0, 0).to_dict())
