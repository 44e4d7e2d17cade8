"""Agglomerative: worked examples, laws, bad input, and what is printed is what is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

import hedgerow
from hedgerow import Agglomerative, Table
from hedgerow.errors import DataError, HedgerowError, ModelError, UsageError
from hedgerow.models.clusters.dendrogram import LINKAGES, Dendrogram
from tests.kernels.test_linkage import G104

LINE = Table.of({"x": [0.0, 1.0, 3.0, 7.0]})


def model_of(table: Any, **given: Any) -> Dendrogram:
    """Return the model of a table."""
    model = Agglomerative(**given).train(table)
    assert isinstance(model, Dendrogram)
    return model


def blobs(rows: int = 60, seed: int = 0) -> Any:
    """Return points in three heaps."""
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, 3)) + 6.0 * (np.arange(rows) % 3)[:, None]


# -- worked examples and peers -------------------------------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
def test_line(linkage: str) -> None:
    """G104: heights of 0, 1, 3, 7."""
    model = model_of(LINE, linkage=linkage, scale="none")
    np.testing.assert_allclose(model.merges.heights, G104[linkage], rtol=1e-14)
    assert model.labels.tolist() == [0, 0, 0, 1]  # the gap is before the last merge


def test_print() -> None:
    """G104: the tree of average linkage as text; row 3 joins at 2.5, row 4 at 17/3."""
    lines = model_of(LINE, linkage="average", scale="none").describe()
    assert "cut before the merge at height 5.667, after that at 2.5" in lines[0]
    assert lines[3:8] == [
        "row 1 [1] ╶───────┬────────────┐",
        "row 2 [1] ╶───────┘            ├─────────────────────────┐",
        "row 3 [1] ╶────────────────────┘                         │",
        "row 4 [2] ╶──────────────────────────────────────────────┘",
        "   height 0                     2.833                5.667",
    ]


def test_work() -> None:
    """G104: every merge in words."""
    work = str(Agglomerative(linkage="single", scale="none").show_work(LINE))
    assert work.splitlines() == [
        "1. row 1 and row 2 at height 1",
        "2. the 2 rows with row 1 and row 3 at height 2",
        "3. the 3 rows with row 1 and row 4 at height 4",
    ]


@pytest.mark.parametrize("linkage", [name for name in LINKAGES if name != "group"])
def test_clusters_are_scipys(linkage: str) -> None:
    """Cut by number and by height as scipy cuts."""
    points = blobs()
    peer = scipy_linkage(points, linkage)
    for k in (1, 2, 3, 7, 60) if linkage != "centroid" else ():  # cut_tree is wrong where heights turn back
        labels = Agglomerative(linkage=linkage, n_clusters=k, scale="none").fit(points).labels_
        assert adjusted_rand_score(labels, cut_tree(peer, k).ravel()) == 1
    height = float(np.median(peer[:, 2]))
    told = height * height / 2 if linkage == "ward" else height
    labels = Agglomerative(linkage=linkage, height=told * (1 + 1e-9), scale="none").fit(points).labels_
    assert adjusted_rand_score(labels, fcluster(peer, height * (1 + 1e-9), "distance")) == 1


def test_merges_as_scipys() -> None:
    """The merges can be handed to scipy."""
    points = blobs()
    mine = model_of(Table.of(dict(zip("abc", points.T, strict=True))), linkage="average", scale="none").merges.scipy()
    np.testing.assert_allclose(mine, scipy_linkage(points, "average"), rtol=1e-9)


def test_gap_finds_the_heaps() -> None:
    """Three heaps are found by the largest jump."""
    fitted = Agglomerative(linkage="single", scale="none").fit(blobs())
    assert adjusted_rand_score(fitted.labels_, np.arange(60) % 3) == 1


# -- laws ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
def test_weights_and_equal_rows(linkage: str) -> None:
    """A row of weight 2 is two rows, which are merged first, at height 0."""
    points = blobs(20)
    weights = np.where(np.arange(20) % 4 == 0, 2.0, 1.0)
    once = Agglomerative(linkage=linkage, n_clusters=3, scale="none").fit(points, sample_weight=weights)
    twice = Agglomerative(linkage=linkage, n_clusters=3, scale="none").fit(np.vstack([points, points[::4]]))
    assert twice.labels_[:20].tolist() == once.labels_.tolist()
    assert twice.labels_[20:].tolist() == once.labels_[::4].tolist()
    merges = twice.model_.merges  # type: ignore[attr-defined]
    assert merges.first[:5].tolist() == [0, 4, 8, 12, 16]
    assert merges.second[:5].tolist() == [20, 21, 22, 23, 24]
    assert not merges.heights[:5].any()
    np.testing.assert_allclose(merges.heights[5:], once.model_.merges.heights, rtol=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize("linkage", LINKAGES)
def test_given_distances(linkage: str) -> None:
    """Given distances lead to the same tree; new rows are given by theirs."""
    points = blobs(40)
    given = squareform(pdist(points))
    by_points = Agglomerative(linkage=linkage, n_clusters=3, scale="none").fit(points)
    by_given = Agglomerative(linkage=linkage, n_clusters=3, distance="precomputed").fit(given)
    assert by_given.labels_.tolist() == by_points.labels_.tolist()
    assert by_given.predict(given).tolist() == by_given.labels_.tolist()
    heights = [one.model_.merges.heights for one in (by_points, by_given)]  # type: ignore[attr-defined]
    np.testing.assert_allclose(*heights, rtol=1e-8)


def test_rows_of_no_weight() -> None:
    """They are left out of the tree, and belong where new rows would go."""
    points = blobs(30)
    weights = np.ones(30)
    weights[4] = 0
    fitted = Agglomerative(n_clusters=3).fit(points, sample_weight=weights)
    assert len(fitted.labels_) == 30
    assert fitted.labels_[4] == fitted.labels_[1]
    assert fitted.model_.merges.rows == 29  # type: ignore[attr-defined]


def test_mixed_and_missing() -> None:
    """Numbers, levels and missing values side by side, by both distances."""
    ages: list[float | None] = [20.0, 21, None, 60, 62]
    table = Table.of({"age": ages, "sky": ["sun", "sun", "sun", "rain", None]})
    for distance in ("euclidean", "cityblock"):
        model = model_of(table, linkage="average", distance=distance, n_clusters=2)
        assert model.labels.tolist() == [0, 0, 0, 1, 1]
        assert model.decide(table).tolist() == [0, 0, 0, 1, 1]
    levels = Table.of({"sky": ["sun", "rain", "snow"], "wind": ["no", "yes", "yes"]})
    assert model_of(levels, linkage="complete", distance="cityblock").merges.heights.round(12).tolist() == [1, 2]


def test_single_precision_is_told() -> None:
    """Single precision if memory is not sufficient; if this is not sufficient either, an error with a suggestion."""
    points = blobs(60)
    table = Table.of(dict(zip("abc", points.T, strict=True)))
    model = model_of(table, linkage="average", memory=8000)
    assert "single precision" in model.about.notes[0]
    with pytest.raises(DataError, match="linkage='ward' or 'single' needs no more memory"):
        Agglomerative(linkage="average", memory=1000).train(table)
    Agglomerative(linkage="ward", memory=1000).train(table)


# -- bad input -----------------------------------------------------------------------------------------------


def test_more_clusters_than_rows() -> None:
    """There is one cluster per distinct row, with a note."""
    model = model_of(Table.of({"x": [1.0, 1.0, 2.0]}), n_clusters=5)
    assert len(model) == 2
    assert "2 clusters instead of 5" in model.about.notes[0]


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0, 1.0], [None, None], [None, 1.0]])
def test_nothing_to_tell(linkage: str, values: list[float | None]) -> None:
    """One row, equal rows and rows without a number are one cluster."""
    model = model_of(Table.of({"x": values}), linkage=linkage)
    assert model.labels.tolist() == [0] * len(values)
    assert str(model)


def test_sentences() -> None:
    """Inconsistent parameters give an error message."""
    with pytest.raises(UsageError, match="both specify where to cut"):
        Agglomerative(n_clusters=2, height=1.0).train(LINE)
    with pytest.raises(UsageError, match="need distance='euclidean'"):
        Agglomerative(distance="cityblock").train(LINE)
    with pytest.raises(DataError, match="square matrix"):
        Agglomerative(distance="precomputed").train(LINE)
    for value, said in ((np.nan, "must be a number"), (-1.0, "must be a number"), (2.0, "must be symmetric")):
        given = np.array([[0.0, value], [1.0, 0.0]])
        with pytest.raises(HedgerowError, match=said):
            Agglomerative(distance="precomputed").train(Table.of({"a": given[:, 0], "b": given[:, 1]}))
    with pytest.raises(DataError, match="to itself"):
        Agglomerative(distance="precomputed").train(Table.of({"a": [1.0, 1.0], "b": [1.0, 0.0]}))
    with pytest.raises(DataError, match="2 names were given"):
        model_of(LINE).draw_text(["a", "b"])


# -- readable = executable, files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{}, {"linkage": "single", "height": 0.3}, {"linkage": "group", "distance": "cityblock"}]
)
def test_file(given: dict[str, Any], tmp_path: Path) -> None:
    """A model that was saved is the same."""
    model = model_of(Table.of({"x": [0.0, 1.0, 3.0, None], "sky": ["a", "b", "a", "b"]}), **given)
    model.save(tmp_path / "tree.hedgerow")
    again = hedgerow.load(tmp_path / "tree.hedgerow")
    assert again == model
    assert str(again) == str(model)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("linkage", "best"),
        ("distance", "precomputed"),
        ("labels", np.array([0, 0, 0, 0], np.int32)),
        ("labels", np.array([0, 0, 0, 2], np.int32)),
        ("centers", np.zeros((2, 2))),
        ("space", None),
        ("elsewhere", -1.0),
        ("weights", np.array([1.0, 1.0, 0.0, 1.0])),
        ("weights", np.ones(3)),
        ("elsewhere", True),
        ("first", np.array([0, 0, 3], np.int32)),
        ("second", np.array([1, 1, 2], np.int32)),
        ("second", np.array([1, 2, 9], np.int32)),
        ("heights", np.array([1.0, np.nan, 2.0])),
        ("heights", np.array([1.0, -1.0, 2.0])),
    ],
)
def test_hostile_parts(part: str, value: Any) -> None:
    """Parts that do not fit are refused."""
    model = model_of(LINE)
    parts = model.to_dict()
    if part in parts:
        parts[part] = value
    else:
        parts["merges"] = {**parts["merges"], part: value}
    with pytest.raises(ModelError):
        Dendrogram.from_dict(parts, model.schema, model.about)


def test_long_trees_are_cut() -> None:
    """Only the last merges are drawn; leaves say how many rows they stand for, and all lines are aligned."""
    model = model_of(Table.of(dict(zip("abc", blobs(200).T, strict=True))), n_clusters=3)
    lines = model.draw_text(most=10)
    assert len(lines) == 11
    stands = [line.split("[")[0] for line in lines[:-1]]
    assert sum(int(line.split("(")[1].split()[0]) if "(" in line else 1 for line in stands) == 200
    assert len({line.index("]") for line in lines[:-1]}) == 1
    assert max(map(len, lines)) == len(lines[-1])


def test_rows_nearer_to_other_centers_are_told() -> None:
    """What the tree says of its own rows, and what it says of new ones, may differ; the print counts them."""
    table = Table.of({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.6]})
    model = model_of(table, linkage="single", n_clusters=2, scale="none")
    assert model.labels.tolist() == [0] * 7 + [1]
    assert model.decide(table).tolist() == [0] * 6 + [1, 1]
    assert model.elsewhere == 1
    assert "Of the training rows, 1 row nearer to the center of another cluster" in str(model)


def test_names_and_picture() -> None:
    """Leaves have the names that were given, harmless in a picture."""
    from hedgerow.report.clusters.dendrogram_svg import dendrogram_svg

    model = model_of(LINE, linkage="average", scale="none")
    assert model.draw_text(["één", "b", "c", "d\n"])[0].startswith("één [1]")
    picture = dendrogram_svg(model, names=["<b>", "b", "c", "d"])
    assert "&lt;b&gt;" in picture
    assert picture.count("<path") >= 6
