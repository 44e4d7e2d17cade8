"""Methods on clusters, M257 to M277, as far as other tests do not hold them, and laws on mixed tables."""

from math import e, log2, pi, sqrt

import numpy as np
import pytest

import hedgerow
from hedgerow import Agglomerative, BisectingKMeans, Cobweb, KMeans, Table

CLUSTERERS = [
    KMeans(n_clusters=3),
    KMeans(n_clusters=3, init="random", scale="deviation"),
    BisectingKMeans(),
    BisectingKMeans(n_clusters=4),
]


def mixed(seed, n=40, prefix=""):
    """Numbers and levels with gaps, some of them tied."""
    chance = np.random.default_rng(seed)
    x, levels = chance.normal(size=n).round(2), np.array(["ä", "b", "c", None], dtype=object)
    x[chance.random(n) < 0.2] = np.nan
    columns = {"x": x.tolist(), "y": chance.integers(0, 4, n).tolist(), "c": levels[chance.integers(0, 4, n)].tolist()}
    return Table.of({prefix + name: values for name, values in columns.items()})


@pytest.mark.parametrize("learner", [*CLUSTERERS, Agglomerative(n_clusters=3), Cobweb()])
def test_every_row_belongs_to_one_cluster(learner):
    """M257: clusters are disjoint and deterministic; a distribution gives everything to one of them."""
    table = mixed(1)
    model = learner.train(table)
    shares = model.scores(table)
    assert (shares.sum(axis=1) == 1).all()
    assert (shares.max(axis=1) == 1).all()
    assert model.profile.sizes.sum() == 40


@pytest.mark.parametrize("learner", CLUSTERERS)
@pytest.mark.parametrize("seed", range(4))
def test_order_weights_and_names_do_not_matter(learner, seed):
    """Rows in another order, a repeated row for one of weight 2, renamed columns."""
    chance, table = np.random.default_rng(seed), mixed(seed)
    weights = chance.integers(1, 4, 40)
    weighed = table.with_weights(weights.astype(float))
    labels = learner.fit(weighed).labels_
    order = chance.permutation(40)
    assert (learner.fit(weighed.take(order)).labels_ == labels[order]).all()
    repeated = learner.fit(table.take(np.repeat(np.arange(40), weights))).labels_
    assert (repeated == np.repeat(labels, weights)).all()
    renamed = mixed(seed, prefix="another ").with_weights(weights.astype(float))
    assert (learner.fit(renamed).labels_ == labels).all()


def test_other_seeds_give_other_clusters_and_the_best_counts():
    """M259."""
    points = np.random.default_rng(7).random((300, 2))
    each = [KMeans(n_clusters=9, init="random", n_init=1, random_state=seed).fit(points).inertia_ for seed in range(8)]
    assert len({round(one, 9) for one in each}) > 1
    assert KMeans(n_clusters=9, init="random", n_init=30).fit(points).inertia_ <= min(each)


def test_squared_distances_fall_with_more_clusters():
    """M262: so that they cannot choose the number."""
    points = np.random.default_rng(8).random((200, 2))
    totals = [KMeans(n_clusters=k).fit(points).inertia_ for k in range(1, 12)]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == 11


def test_halves_are_two_means_each():
    """M260: every halving gives each of its rows to the nearer of two means, and moving the means changes nothing."""
    points = np.random.default_rng(9).random((120, 2))
    model = BisectingKMeans(n_clusters=6, scale="none").fit(points).model_
    labels, members = model.decide(Table.of({"x0": points[:, 0], "x1": points[:, 1]})), {}
    for cluster in range(6):
        members[cluster] = np.flatnonzero(labels == cluster)
    for number, one in enumerate(model.halvings):
        rows = np.sort(np.concatenate([members[one.left], members[one.right]]))
        means = np.array([points[members[side]].mean(axis=0) for side in (one.left, one.right)])
        nearer = ((points[rows, None, :] - means) ** 2).sum(axis=2).argmin(axis=1)
        assert set(rows[nearer == 0]) == set(members[one.left])
        members[6 + number] = rows


def plain_bits(columns, rows, precision):
    """Return the bits of some rows as one cluster, by the table of docs/clusters.md."""
    bits, n = 0.0, len(rows)
    for values in columns:
        if isinstance(values[0], str):
            levels = sorted(set(values))
            shares = [sum(values[row] == level for row in rows) / n for level in levels]
            bits += len(levels) * log2(n + 1) - n * sum(share * log2(share) for share in shares if share)
        else:
            step = precision * (max(values) - min(values))
            variance = float(np.var([values[row] for row in rows]))
            bits += 2 * log2(1 / precision + 1) + n * log2(sqrt(2 * pi * e * (variance + step**2 / 12)) / step)
    return bits


def test_code_lengths_are_those_written_down():
    """M263, M264: bits of one cluster, and of two with what it takes to say which row is in which."""
    columns = [[*np.arange(15) / 10, *(50 + np.arange(20) / 10)], ["a", "a", "b"] * 5 + ["c", "c", "c", "a"] * 5]
    table = Table.of({"x": columns[0], "c": columns[1]})
    model = BisectingKMeans(most=2, precision=0.05).train(table)
    labels, (halving,) = model.decide(table), model.halvings
    sides = [np.flatnonzero(labels == side) for side in (0, 1)]
    shares = [len(side) / 35 for side in sides]
    apart = sum(plain_bits(columns, side, 0.05) for side in sides) - 35 * sum(share * log2(share) for share in shares)
    assert halving.before == pytest.approx(plain_bits(columns, range(35), 0.05), rel=1e-5)
    assert halving.after == pytest.approx(apart, rel=1e-5)


def test_a_cluster_is_halved_where_that_is_shorter():
    """M263: two clusters are separated, one is not divided."""
    chance = np.random.default_rng(3)
    heap = chance.normal(size=(60, 2))
    assert len(BisectingKMeans().fit(heap).model_) == 1
    assert len(BisectingKMeans().fit(np.concatenate([heap, heap + 12])).model_) == 2


def test_the_lectures_examples(shared_data):
    """M277: the weather without Play by every linkage, and iris, whose setosa all find."""
    weather = hedgerow.examples.weather()
    for linkage in ("single", "complete"):
        tree = Agglomerative(linkage=linkage, n_clusters=2).train(weather)
        assert len(tree.merges) == 13
    iris = hedgerow.read(shared_data("uci/iris.arff"))
    species = iris.target_codes
    for learner in (KMeans(n_clusters=3), BisectingKMeans(n_clusters=3), Agglomerative(n_clusters=3)):
        labels = learner.fit(iris).labels_
        setosa = labels[species == species[0]]
        assert len(set(setosa.tolist())) == 1
        assert not (labels[species != species[0]] == setosa[0]).any()
