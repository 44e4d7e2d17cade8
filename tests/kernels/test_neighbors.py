"""Nearest neighbors by the kernels equal those of reference implementations: rows, order and scores to the last bit."""

import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.kernels.test_interrupts import Alarms, StopError
from tests.reference import neighbors as plain

WEIGHTS = [0.0, 0.25, 0.5, 0.1, 1 / 3, 0.7, 1e-8]  # few, so that there are many ties
VOTES = ("plain", "distance", "similarity")


def sparse(vectors):
    """Vectors, which are dicts by term, as the kernels take them."""
    starts = np.cumsum([0, *map(len, vectors)], dtype=np.int64)
    ids = np.array([term for one in vectors for term in sorted(one)], dtype=np.int32)
    values = np.array([one[term] for one in vectors for term in sorted(one)], dtype=np.float64)
    return starts, ids, values


def unit(vector):
    length = np.sqrt(sum(v * v for v in vector.values()))
    return {term: v / length for term, v in vector.items()} if length else vector


def columns(rows, kind):
    """Numbers or codes of rows by column."""
    n = len(rows)
    if kind == "numbers":
        made = [[np.nan if v is None else v for v in column] for column in zip(*rows, strict=True)]
        return np.array(made, dtype=np.float64).reshape(-1, n)
    made = [[-1 if v is None else int(v) for v in column] for column in zip(*rows, strict=True)]
    return np.array(made, dtype=np.int32).reshape(-1, n)


class Rows:
    """Rows as the kernels take them, with texts, numbers and levels."""

    def __init__(self, texts, numbers=None, levels=None, n_texts=1, n_terms=12):
        n = len(texts)
        others = columns(numbers or [()] * n, "numbers"), columns(levels or [()] * n, "codes")
        self.own = (*sparse(texts), others)
        *by_term, norms = _kernels.build_postings(*self.own[:3], n_terms)
        self.distance = True, np.ones(len(others[0])), np.ones(len(others[1]))
        found = (*self.own[:3], *by_term, norms.reshape(-1, n), float(n_texts), others, self.distance)
        self.arrays = (*found, None, None)
        self.n = n
        self.widest = 1.0 if not sum(map(len, others)) else np.sqrt(n_texts + sum(map(len, others)))

    def nearest(self, queries, k, threads=1):
        found = np.empty((queries.n, k), dtype=np.int32), np.empty((queries.n, k))
        _kernels.find_nearest_rows(self.arrays, queries.own, *found, threads)
        return found

    def votes(self, queries, weights, classes, k, how="plain", threads=1, n_classes=3):
        votes, far = np.zeros((2, queries.n * n_classes))
        weights = np.empty(0) if weights is None else np.array(weights, dtype=np.float64)
        who = (weights, np.array([float(k)]), np.empty(0, np.int32), VOTES.index(how), True, 1.0, float(self.widest))
        given = (who, np.array(classes, dtype=np.int32), n_classes)
        _kernels.sum_votes(self.arrays, queries.own, *given, votes, far, threads)
        return votes.reshape(-1, n_classes), far.reshape(-1, n_classes)


def vectors(values=WEIGHTS, most=12, n_terms=12):
    return st.dictionaries(st.integers(0, n_terms - 1), st.sampled_from(values), max_size=most).map(unit)


TEXTS = vectors()


@st.composite
def problems(draw, texts=TEXTS):
    rows = draw(st.lists(texts, min_size=1, max_size=25))
    queries = draw(st.lists(texts, min_size=1, max_size=4))
    return rows, queries


def compare_with_brute_force(rows, queries, k):
    k = min(k, len(rows))
    found, scores = Rows(rows).nearest(Rows(queries), k)
    for query, mine, theirs in zip(queries, found.tolist(), scores.tolist(), strict=True):
        every = plain.text_scores(query, rows)
        assert mine == plain.nearest(every, k)
        assert theirs == [every[row] for row in mine]


@settings(max_examples=300)
@given(problems(), st.integers(1, 8))
def test_texts_have_the_neighbors_of_brute_force(problem, k):
    compare_with_brute_force(*problem, k)


@settings(max_examples=200)
@given(problems(vectors([*WEIGHTS, -0.25, -0.5, -0.1])), st.integers(1, 8))
def test_terms_that_count_negatively(problem, k):
    compare_with_brute_force(*problem, k)


NUMBER = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 0.1, 0.3]))
LEVEL = st.one_of(st.none(), st.sampled_from("012"))


@st.composite
def mixed(draw):
    """Rows and queries with texts or none, numbers and levels."""
    widths = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)).filter(any))
    n_texts = draw(st.integers(0, 2))
    text = vectors() if n_texts else st.just({})
    row = st.tuples(text, st.tuples(*[NUMBER] * widths[0]), st.tuples(*[LEVEL] * widths[1]))
    rows = draw(st.lists(row, min_size=1, max_size=15))
    return rows, draw(st.lists(row, min_size=1, max_size=3)), n_texts


def apart(rows):
    return [list(part) for part in zip(*rows, strict=True)]


@settings(max_examples=150)
@given(mixed(), st.integers(1, 8), st.sampled_from(VOTES), st.data())
def test_mixed_rows_have_the_neighbors_and_votes_of_brute_force(problem, k, how, data):
    rows, queries, n_texts = problem
    n = len(rows)
    weights = data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.5, 0.1, 7.0]), min_size=n, max_size=n))
    classes = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    kept, asked = Rows(*apart(rows), n_texts), Rows(*apart(queries), n_texts)
    found, scores = kept.nearest(asked, min(k, n))
    votes, far = kept.votes(asked, weights, classes, k, how)
    n_columns = len(rows[0][1]) + len(rows[0][2])
    for at, (text, numbers, levels) in enumerate(queries):
        own = [(*row[1], *row[2]) for row in rows]
        every = plain.mixed_scores((*numbers, *levels), own, text, [row[0] for row in rows], n_texts)
        assert found[at].tolist() == plain.nearest(every, min(k, n))
        assert scores[at].tolist() == [every[row] for row in found[at].tolist()]
        told = plain.votes(every, weights, classes, 3, k, how, n_texts, n_columns)
        np.testing.assert_allclose((votes[at], far[at]), told, rtol=1e-12, atol=1e-12)


@settings(max_examples=200)
@given(problems(), st.integers(1, 30), st.sampled_from(VOTES), st.booleans(), st.data())
def test_texts_have_the_votes_of_brute_force(problem, k, how, weighted, data):
    rows, queries = problem
    n = len(rows)
    weights = data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.5, 0.1, 7.0]), min_size=n, max_size=n))
    classes = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    votes, far = Rows(rows).votes(Rows(queries), weights if weighted else None, classes, k, how)
    for at, query in enumerate(queries):
        every = plain.text_scores(query, rows)
        told = plain.votes(every, weights if weighted else [1.0] * n, classes, 3, k, how)
        np.testing.assert_allclose((votes[at], far[at]), told, rtol=1e-12, atol=1e-12)


def corpus(rows, words, length, seed, idf=True, signed=False):
    """Texts of Zipf words, some twice, as a sparse matrix of unit vectors."""
    random = np.random.default_rng(seed)
    shares = 1 / np.arange(1, words + 1)
    made = []
    for row in range(rows):
        if row and random.random() < 0.1:
            made.append(made[random.integers(row)])
            continue
        ids, counts = np.unique(
            random.choice(words, random.integers(0, length), p=shares / shares.sum()), return_counts=True
        )
        values = (1 + np.log(counts)) * (np.log(2 + ids) if idf else 1) * (1 - 2 * (ids % 2) if signed else 1)
        made.append(unit(dict(zip(ids.tolist(), values.tolist(), strict=True))))
    return made


def all_scores(query, rows, n_terms):
    """The scores of all rows, added up in the order of the terms."""
    dense = np.zeros((len(rows), n_terms))
    for at, row in enumerate(rows):
        dense[at, list(row)] = list(row.values())
    scores = np.zeros(len(rows))
    for term in sorted(query):
        scores += query[term] * dense[:, term]
    return scores


@pytest.mark.parametrize("idf", [True, False])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("k", [1, 5, 100])
def test_bounds_leave_no_neighbor_out(idf, signed, k):
    """Common words are left to the last, so that most rows are never scored; the answer is that of all scores."""
    rows, queries = corpus(600, 900, 60, 1, idf, signed), corpus(40, 900, 60, 2, idf, signed)
    found, scores = Rows(rows, n_terms=900).nearest(Rows(queries, n_terms=900), k)
    for at, query in enumerate(queries):
        every = all_scores(query, rows, 900)
        mine = np.lexsort((np.arange(len(rows)), -every))[:k]
        assert found[at].tolist() == mine.tolist()
        assert scores[at].tolist() == every[mine].tolist()


def test_any_number_of_threads_finds_the_same():
    rows, queries = Rows(corpus(500, 900, 60, 1), n_terms=900), Rows(corpus(200, 900, 60, 2), n_terms=900)
    classes = np.arange(500) % 3
    for threads in (2, 3):
        for one, other in zip(rows.nearest(queries, 5), rows.nearest(queries, 5, threads), strict=True):
            assert np.array_equal(one, other)
        alone, together = (rows.votes(queries, None, classes, 5, threads=n) for n in (1, threads))
        assert np.array_equal(alone, together)


def test_more_rows_than_a_block():
    """Rows are gone through in blocks of 65,536; neighbors are in any of them."""
    random = np.random.default_rng(3)
    n, words = 70_000, 100
    rows = random.integers(0, words, (n, 6))
    vectors = [dict.fromkeys(row, 1 / np.sqrt(len(set(row)))) for row in rows.tolist()]
    kept, asked = Rows(vectors, n_terms=words), Rows(vectors[5::16_500], n_terms=words)
    found, scores = kept.nearest(asked, 7)
    dense = np.zeros((n, words))
    dense[np.arange(n)[:, None], rows] = 1
    dense /= np.sqrt(dense.sum(axis=1))[:, None]
    for at, query in enumerate(vectors[5::16_500]):
        every = np.zeros(n)
        for term in sorted(query):
            every += query[term] * dense[:, term]
        mine = np.lexsort((np.arange(n), -every))[:7]
        assert found[at].tolist() == mine.tolist()
        assert scores[at].tolist() == every[mine].tolist()


def test_equal_rows_share_the_last_places_whatever_their_number():
    """Thousands of rows as near as the last neighbor: sorted once, not one by one."""
    rows = Rows([{0: 1.0}] * 30_000 + [{1: 1.0}] * 10_000)
    votes, far = rows.votes(Rows([{0: 1.0}, {1: 1.0}, {}]), None, [0] * 20_000 + [1] * 10_000 + [2] * 10_000, 3)
    np.testing.assert_allclose(votes, [[2, 1, 0], [0, 0, 3], [1.5, 0.75, 0.75]], rtol=1e-12)
    np.testing.assert_allclose(far, [[0, 0, 0], [0, 0, 0], [1.5, 0.75, 0.75]], rtol=1e-12)
    found, _ = rows.nearest(Rows([{1: 1.0}, {}]), 3)
    assert found.tolist() == [[30_000, 30_001, 30_002], [0, 1, 2]]


def test_weights_of_next_to_nothing_are_terms_too():
    """Products that vanish in single precision still order the rows."""
    rows = [{0: 1e-60}, {0: 2e-60}, {1: 1.0}, {0: 3e-60, 1: 1e-9}]
    found, scores = Rows(rows).nearest(Rows([{0: 1.0}]), 3)
    assert found.tolist() == [[3, 1, 0]]
    assert scores.tolist() == [[3e-60, 2e-60, 1e-60]]


def given_arrays():
    kept, asked = Rows([{0: 1.0}, {1: 1.0}], [(0.5,), (1.0,)], [("0",), ("1",)]), Rows([{0: 1.0}], [(0.5,)], [("0",)])
    return [*kept.arrays], [*asked.own]


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, np.array([0, 1], dtype=np.int64)),
        (0, np.array([0, 2, 1], dtype=np.int64)),
        (1, np.array([0, 99], dtype=np.int32)),
        (2, np.array([1.0])),
        (3, np.zeros(0, dtype=np.int64)),
        (4, np.array([0, 2], dtype=np.int32)),
        (6, np.zeros(1, dtype=np.float32)),
        (7, np.zeros((0, 2), dtype=np.float32)),
        (7, np.zeros((1, 3), dtype=np.float32)),
        (8, -1.0),
        (8, np.inf),
        (9, (np.zeros((1, 3)), np.zeros((1, 2), dtype=np.int32))),
        (9, (np.zeros((1, 2)), np.zeros((1, 1), dtype=np.int32))),
        (9, (np.full((1, 2), np.inf), np.zeros((1, 2), dtype=np.int32))),
        (10, (True, np.ones(2), np.ones(1))),
        (10, (True, np.ones(1), np.full(1, -1.0))),
        (10, (True, np.full(1, np.nan), np.ones(1))),
        (12, (np.zeros((2, 1)), np.zeros((2, 1), dtype=np.int32))),
    ],
)
def test_arrays_that_do_not_fit_are_refused(place, wrong):
    rows, asked = given_arrays()
    rows[place] = wrong
    with pytest.raises(ValueError, match=r".+"):
        _kernels.find_nearest_rows(tuple(rows), tuple(asked), np.empty((1, 1), np.int32), np.empty((1, 1)), 1)


def test_answers_that_do_not_fit_are_refused():
    rows, asked = given_arrays()
    for found, scores in (((1, 3), (1, 3)), ((2, 1), (2, 1)), ((1, 1), (1, 2))):
        with pytest.raises(ValueError, match=r".+"):
            _kernels.find_nearest_rows(tuple(rows), tuple(asked), np.empty(found, np.int32), np.empty(scores), 1)
    who = (np.empty(0), np.ones(1), np.empty(0, np.int32), 0, True, 1.0, 1.0)
    good = [who, np.zeros(2, np.int32), 2, np.zeros(2), np.zeros(2)]
    _kernels.sum_votes(tuple(rows), tuple(asked), *good, 1)
    for place, wrong in (
        *((0, (*who[:at], one, *who[at + 1 :])) for at, one in BAD_VOTERS),
        (1, np.array([0, 2], np.int32)),
        (1, np.array([0], np.int32)),
        (3, np.zeros(4)),
        (4, np.zeros(3)),
    ):
        with pytest.raises(ValueError, match=r".+"):
            _kernels.sum_votes(tuple(rows), tuple(asked), *good[:place], wrong, *good[place + 1 :], 1)
    _kernels.average_targets(tuple(rows), tuple(asked), who, np.zeros(2), np.zeros(1), 1)
    for targets, means in ((np.zeros(1), np.zeros(1)), (np.zeros(2), np.zeros(2))):
        with pytest.raises(ValueError, match=r".+"):
            _kernels.average_targets(tuple(rows), tuple(asked), who, targets, means, 1)


BAD_VOTERS = (
    (0, np.array([1.0, 0.0])),
    (0, np.array([1.0])),
    (1, np.array([0.0])),
    (1, np.array([np.nan])),
    (1, np.array([3.0, 1.0])),
    (1, np.empty(0)),
    (2, np.zeros(3, np.int32)),
    (3, 3),
    (5, 0.0),
    (6, -1.0),
)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_searching_can_be_ended(threads):
    n, q = 20_000, 4000
    random = np.random.default_rng(1)
    rows = Rows([{}] * n, random.random((n, 8)).tolist(), n_texts=0)
    asked = Rows([{}] * q, random.random((q, 8)).tolist(), n_texts=0)
    assert threading.current_thread() is threading.main_thread()
    with Alarms(), pytest.raises(StopError):
        rows.nearest(asked, 5, threads)
