"""k-means: worked examples, the reference implementation, laws, odd input, streams and files."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import BisectingKMeans, KMeans, Table
from hedgerow.errors import HedgerowError, UsageError
from hedgerow.learn.clusters.lloyd import WAYS, lloyd, quickest_method
from hedgerow.learn.clusters.lloyd_by_hand import lloyd_by_hand
from hedgerow.models.clusters.cluster_model import order_by_size
from tests.work import NOT_SANITIZED

LINE = {"x": [1.0, 2.0, 10.0, 11.0]}
RECTANGLE = {"x": [0.0, 0.0, 4.0, 4.0], "y": [0.0, 1.0, 0.0, 1.0]}


def blobs(n=300, seed=1, width=2, k=3):
    chance = np.random.default_rng(seed)
    return chance.random((k, width))[chance.integers(0, k, n)] * 10 + chance.normal(size=(n, width)) * 0.3


def test_worked_example():
    """G103: points 1, 2, 10, 11 from the centers 1 and 2."""
    points = np.array([[1.0], [2], [10], [11]])
    steps = lloyd_by_hand(points, np.ones(4), np.array([[1.0], [2]]))
    assert [step.labels.tolist() for step in steps] == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert steps[0].moved.ravel().tolist() == [1, 23 / 3]
    assert steps[1].moved.ravel().tolist() == [1.5, 10.5]
    assert steps[-1].squares == 1
    learner = KMeans(centers=[[1.0], [2.0]], scale="none").fit(Table.of(LINE))
    assert learner.inertia_ == 1
    assert learner.n_iter_ == 3
    assert sorted(learner.cluster_centers_.ravel().tolist()) == [1.5, 10.5]


@NOT_SANITIZED
def test_very_many_columns_take_the_memory_of_their_centers():
    centers = np.zeros((3, 200_000))
    centers[1:, -1] = [2.0, 1.0]
    tracemalloc.start()
    order = order_by_size(np.array([1.0, 1.0, 1.0]), centers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert order.tolist() == [0, 2, 1]
    assert peak < 3 * centers.nbytes


@pytest.mark.parametrize(("start", "squares"), [([[0.0, 0], [4, 0]], 1.0), ([[2.0, 0], [2, 1]], 16.0)])
def test_a_local_minimum(start, squares):
    """G103: the rectangle, from a good start and from one that is stuck at once."""
    model = KMeans(centers=start, scale="none").train(Table.of(RECTANGLE))
    assert model.total == squares
    assert KMeans(n_clusters=2, scale="none").train(Table.of(RECTANGLE)).total == 1


def test_the_work_is_shown():
    """G103: the passes in print."""
    work = str(KMeans(centers=[[1.0], [2.0]], scale="none").show_work(Table.of(LINE)))
    assert "center 2: x 7.66667" in work
    assert "cluster 2: rows 2, 3, 4" in work
    assert "no row has changed" in work


@st.composite
def problems(draw):
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, width = draw(st.integers(1, 200)), draw(st.integers(1, 5))
    k = draw(st.integers(1, min(n, 40)))
    tied = draw(st.booleans())
    points = chance.integers(0, 5, (n, width)).astype(float) if tied else chance.normal(size=(n, width))
    weights = np.ones(n) if draw(st.booleans()) else chance.random(n) + 0.1
    centers = points[chance.choice(n, k, replace=draw(st.booleans()))].copy()
    centers[chance.random(k) < 0.1] += 50.0  # some that nobody is near to
    return points, weights, centers, draw(st.sampled_from([2, 1000]))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_every_way_is_the_plain_one(problem):
    points, weights, centers, passes = problem
    steps = lloyd_by_hand(points, weights, centers, passes)
    for way in WAYS:
        found = lloyd(points, weights, centers, passes, way=way)
        assert found.labels.tolist() == steps[-1].labels.tolist()
        assert found.passes == len(steps)
        np.testing.assert_allclose(found.centers, steps[-1].centers, rtol=1e-12, atol=1e-12)
        assert found.total == pytest.approx(steps[-1].squares, rel=1e-9, abs=1e-12)
        assert found.n_refilled == sum(len(step.refilled) for step in steps)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [6, 30])
@pytest.mark.parametrize(
    ("factor", "offset"), [(1.0, 0.0), (1e-30, 0.0), (1e60, 0.0), (1.0, 1e9), (1e-6, 1.0), (1e-140, 0.0)]
)
def test_scale_and_place_of_the_rows_do_not_matter(way, k, factor, offset):
    """Single precision decides only what it can, wherever the rows lie."""
    points = np.random.default_rng(k).normal(size=(600, 3)) * factor + offset
    steps = lloyd_by_hand(points, np.ones(600), points[:k], 15)
    found = lloyd(points, None, points[:k], 15, way=way)
    assert found.labels.tolist() == steps[-1].labels.tolist()
    assert found.passes == len(steps)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [6, 30])
def test_heaps_within_heaps_far_rows_and_far_centers(way, k):
    """Rows that are too near to each other, or too far out, for single precision."""
    chance = np.random.default_rng(k)
    heaps = chance.random((4, 3))[chance.integers(0, 4, 700)] + chance.normal(size=(700, 3)) * 1e-7
    heaps[:3] *= 1e25
    centers = heaps[chance.choice(700, k, replace=False)].copy()
    centers[0] = 1e30
    steps = lloyd_by_hand(heaps, np.ones(700), centers, 10)
    found = lloyd(heaps, None, centers, 10, way=way)
    assert found.labels.tolist() == steps[-1].labels.tolist()
    assert found.passes == len(steps)


@pytest.mark.parametrize("way", WAYS)
def test_wide_rows(way):
    points = np.random.default_rng(4).normal(size=(300, 400))
    steps = lloyd_by_hand(points, np.ones(300), points[:5], 8)
    assert lloyd(points, None, points[:5], 8, way=way).labels.tolist() == steps[-1].labels.tolist()


@pytest.mark.parametrize("k", [5, 40])
@pytest.mark.parametrize("width", [2, 6])
def test_large_tables_too(k, width, monkeypatch):
    points = np.random.default_rng(3).normal(size=(6000, width))
    steps = lloyd_by_hand(points, np.ones(6000), points[:k], 12)
    for way in WAYS:
        found = {}
        for threads in ("1", "2"):
            monkeypatch.setenv("HEDGEROW_THREADS", threads)
            found[threads] = lloyd(points, None, points[:k], 12, way=way)
        assert (found["1"].labels == steps[-1].labels).all()
        assert found["1"].centers.tobytes() == found["2"].centers.tobytes()
        np.testing.assert_allclose(found["1"].centers, steps[-1].centers, rtol=1e-12, atol=1e-12)


def test_sparse_points_are_clustered_alike():
    from scipy.sparse import csr_array

    points = np.random.default_rng(2).integers(0, 3, (80, 6)).astype(float)
    dense, thin = (lloyd(one, None, points[:5]) for one in (points, csr_array(points)))
    assert (dense.labels == thin.labels).all()
    np.testing.assert_allclose(dense.squares, thin.squares, atol=1e-9)


def test_as_scikit_learn():
    from sklearn.cluster import KMeans as Peer

    points = blobs(2000, width=4, k=6)
    peer = Peer(6, init=points[:6], n_init=1, tol=0, max_iter=1000).fit(points)
    found = lloyd(points, None, points[:6])
    assert (found.labels == peer.labels_).all()
    assert found.total == pytest.approx(peer.inertia_, rel=1e-9)


def test_ways_are_chosen_by_size():
    assert quickest_method(100_000, 10) == "bounds"
    assert quickest_method(1000, 100) == "scan"
    points = blobs(500)
    totals = {KMeans(n_clusters=5, way=way).fit(points).inertia_ for way in ("auto", *WAYS)}
    assert len(totals) == 1


@pytest.mark.parametrize("seeds", ["random", "k-means++"])
@pytest.mark.parametrize("learner", [KMeans(n_clusters=3), BisectingKMeans(n_clusters=3), BisectingKMeans()])
def test_clusters_are_found(seeds, learner):
    points = np.concatenate(
        [np.random.default_rng(1).normal(size=(60, 2)) * 0.1 + at for at in ((0, 0), (5, 0), (0, 5))]
    )
    fitted = learner.set_params(init=seeds).fit(points)
    assert sorted(np.bincount(fitted.labels_).tolist()) == [60, 60, 60]
    assert (fitted.predict(points) == fitted.labels_).all()
    assert len({tuple(fitted.labels_[at : at + 60]) for at in (0, 60, 120)}) == 3


def test_rows_weights_and_order_do_not_matter():
    points = blobs(120)
    weights = np.random.default_rng(2).integers(1, 4, 120).astype(float)
    order = np.random.default_rng(3).permutation(120)
    for learner in (KMeans(n_clusters=4), BisectingKMeans(n_clusters=4), BisectingKMeans()):
        one = learner.fit(points, sample_weight=weights)
        labels, total = one.labels_, one.inertia_
        other = learner.fit(np.repeat(points, weights.astype(int), axis=0)[::-1])
        assert other.inertia_ == pytest.approx(total, rel=1e-9)
        third = learner.fit(points[order], sample_weight=weights[order])
        assert (third.labels_ == labels[order]).all()


def test_mixed_and_missing():
    table = Table.of(
        {"age": [20.0, 21, None, 60, 61, 62], "sky": ["sun", "sun", "sun", "rain", None, "rain"], "same": [1.0] * 6}
    )
    model = KMeans(n_clusters=2).train(table)
    assert model.decide(table).tolist() == [0, 0, 0, 1, 1, 1]
    assert model.columns_used() == ("age", "sky")
    assert "sky" in str(model)
    assert BisectingKMeans(n_clusters=2).train(table).decide(table).tolist() == [0, 0, 0, 1, 1, 1]


def test_texts():
    texts = ["tea milk", "tea sugar milk", "tea milk milk", "bolt nut", "nut screw bolt", "bolt bolt nut"]
    fitted = KMeans(n_clusters=2).fit(texts)
    assert len(set(fitted.labels_[:3])) == len(set(fitted.labels_[3:])) == 1
    assert fitted.labels_[0] != fitted.labels_[3]
    assert len(BisectingKMeans(n_clusters=2).fit(texts).model_) == 2
    assert len(BisectingKMeans().fit(texts).model_) >= 1


@pytest.mark.parametrize(
    "learner",
    [KMeans(n_clusters=5), BisectingKMeans(n_clusters=5), BisectingKMeans(), KMeans(n_clusters=5, batch_size=2)],
)
@pytest.mark.parametrize(
    "columns",
    [{"x": [1.0, 1, 1]}, {"x": [1.0, 2, 2, 1]}, {"x": [None, None]}, {"x": [3.0]}, {"x": ["a", "é"], "y": [1.0, 1]}],
)
def test_few_different_rows(learner, columns):
    table = Table.of(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = learner.train(table)
    different = len(set(zip(*columns.values(), strict=True)))
    assert 1 <= len(model) <= different
    assert model.total == 0 or len(model) < different
    assert str(model)


def test_more_clusters_than_rows_is_said():
    model = KMeans(n_clusters=5).train(Table.of({"x": [1.0, 2, 2]}))
    assert len(model) == 2
    assert any("2 clusters instead of 5" in note for note in model.about.notes)


def test_an_empty_cluster_gets_the_farthest_row():
    model = KMeans(centers=[[0.0], [1.0], [100.0]], scale="none").train(Table.of({"x": [0.0, 1, 2, 9]}))
    assert len(model) == 3
    assert any("lost all its rows" in note for note in model.about.notes)


@pytest.mark.parametrize(
    "given",
    [{"n_clusters": 0}, {"n_init": 0}, {"init": "x"}, {"tol": -1}, {"batch_size": 0}, {"centers": 5}, {"centers": []}],
)
def test_bad_parameters(given):
    with pytest.raises(HedgerowError):
        KMeans(**given).fit(np.arange(10.0).reshape(-1, 2))


def test_centers_of_another_width():
    with pytest.raises(HedgerowError):
        KMeans(centers=[[1.0, 2, 3]]).fit(np.arange(10.0).reshape(-1, 2))


def test_starts_make_it_better_and_passes_end_it():
    points = np.random.default_rng(5).random((400, 2))
    one, ten = (KMeans(n_clusters=12, init="random", n_init=starts).fit(points).inertia_ for starts in (1, 10))
    assert ten <= one
    cut = KMeans(n_clusters=12, max_iter=1).fit(points)
    assert not cut.model_.settled
    assert "not converged after" in str(cut.model_)
    assert KMeans(n_clusters=12, tol=0.1).fit(points).n_iter_ <= KMeans(n_clusters=12).fit(points).n_iter_ + 300


def test_batches():
    points = blobs(3000, k=4)
    whole, batches = KMeans(n_clusters=4).fit(points), KMeans(n_clusters=4, batch_size=100).fit(points)
    assert batches.inertia_ <= 1.05 * whole.inertia_
    more = KMeans(n_clusters=4).partial_fit(points[:1000]).partial_fit(points[1000:])
    assert more.model_.profile.sizes.sum() == 3000
    assert (more.predict(points[:50]) >= 0).all()


def test_streams(tmp_path):
    points = blobs(500)
    path = tmp_path / "rows.csv"
    np.savetxt(path, points, delimiter=",", header="a,b", comments="")
    table = hedgerow.read(path)
    source = hedgerow.open_source(path)
    streamed, whole = KMeans(n_clusters=3).train(source), KMeans(n_clusters=3).train(table)
    assert streamed.total == pytest.approx(whole.total, rel=1e-9)
    assert (streamed.decide(table) == whole.decide(table)).all()
    np.testing.assert_allclose(streamed.profile.means, whole.profile.means, rtol=1e-6)
    with pytest.raises(UsageError, match="KMeans"):
        BisectingKMeans().train(source)


@pytest.mark.parametrize("learner", [KMeans(n_clusters=3), BisectingKMeans(n_clusters=4)])
def test_files(tmp_path, learner):
    table = Table.of({"x": blobs(50)[:, 0].tolist(), "sky": ["a", "b"] * 25})
    model = learner.train(table)
    model.save(tmp_path / "m.hedgerow")
    again = hedgerow.load(tmp_path / "m.hedgerow")
    assert again == model
    assert str(again) == str(model)
    assert (again.decide(table) == model.decide(table)).all()


@pytest.mark.parametrize(
    "change",
    [
        {"points": np.zeros((2, 1))},
        {"squares": np.array([-1.0, 0, 0])},
        {"max_iter": -1},
        {"settled": 1},
        {"halvings": {"halves": np.array([[0, 1], [0, 2]], dtype=np.int32), "figures": np.zeros((2, 3))}},
        {"halvings": {"halves": np.array([[0, 4], [1, 2]], dtype=np.int32), "figures": np.zeros((2, 3))}},
        {"extra": 1},
    ],
)
def test_hostile_parts(change):
    model = KMeans(n_clusters=3).train(Table.of({"x": [1.0, 2, 3, 10, 11, 20, 21]}))
    with pytest.raises(HedgerowError):
        type(model).from_dict({**model.to_dict(), **change}, model.schema, model.about)


def test_a_longer_code_is_not_halved():
    even = Table.of({"x": np.random.default_rng(1).normal(size=200).tolist()})
    assert len(BisectingKMeans().train(even)) == 1
    model = BisectingKMeans(most=2).train(Table.of({"x": [*np.arange(50) / 500, *(1 + np.arange(50) / 500)]}))
    assert len(model) == 2
    assert model.halvings[0].after < model.halvings[0].before


def test_distances_to_the_centers():
    fitted = KMeans(n_clusters=2, scale="none").fit(np.array([[1.0], [2], [10], [11]]))
    assert fitted.distances(np.array([[1.5]])).round(9).tolist() in ([[0, 9]], [[9, 0]])
