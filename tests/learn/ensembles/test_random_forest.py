"""Random forest: samples, the out-of-bag error, invariants, unusual tables, and errors compared with Weka's."""

import csv

import numpy as np
import pytest
from sklearn.base import clone

import hedgerow
from hedgerow import CART, Bagging, Committee, RandomForest, Table, UsageError, examples
from hedgerow.learn.ensembles.members import seeds
from hedgerow.learn.row_weights import counting_rows, weight_unit
from hedgerow.learn.sampling import copies, undrawn_copies
from hedgerow.models.base.decisions import decisions
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.many.committee import count_votes
from tests.cli.run import run
from tests.learn.trees.tree_tables import mixed_table, repeated

WEKA = ("iris", "glass", "sonar", "soybean", "vote", "heart-c", "heart-h", "labor", "lymph", "autos")


def wide_table(rows=120, columns=200, seed=3):
    """Return many numeric columns, two of which determine the class."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, columns)).round(3)
    label = np.where(values[:, 17] + values[:, 140] > 0, "up", "down")
    return Table.of({**{f"x{i}": values[:, i] for i in range(columns)}, "label": label.tolist()}, "label")


def test_columns_drawn_once_a_tree():
    """M291: n' features are drawn for a tree, and all its nodes choose among them: CART's tree of those columns."""
    table = wide_table(columns=150).select([*(f"x{i}" for i in (1, 2, 17, 30, 41, 60, 77, 90, 111, 140)), "label"])
    model = RandomForest(n_estimators=12, tried=3, draw="tree").train(table)
    used = [tree.columns_used() for tree in model.members]
    assert all(0 < len(columns) <= 3 for columns in used)
    assert len(set().union(*used)) > 3
    pool, deep = copies(table), 0
    for source, tree, columns in zip(seeds(1, 12), model.members, used, strict=True):
        if len(columns) < 3:
            continue
        deep += 1
        counts = pool.counts(np.random.default_rng(source))
        sample = table.take(np.repeat(pool.rows, counts)).select([*sorted(columns, key=table.schema.index), "label"])
        alone = CART(prune="none").train(sample)
        assert np.array_equal(alone.nodes.thresholds, tree.nodes.thresholds)
        assert np.array_equal(alone.weights, tree.weights)
    assert deep > 3


def test_every_tree_is_grown_on_its_own_sample():
    """M291: t times N' points are drawn, a tree is grown on each. With all columns tried it is CART's tree of them."""
    table = mixed_table(1)
    model = RandomForest(n_estimators=4, tried=4).train(table)
    pool = copies(table)
    for source, tree in zip(seeds(1, 4), model.members, strict=True):
        counts = pool.counts(np.random.default_rng(source))
        assert counts.sum() == 60
        assert tree.weights[0].sum() == 60
        assert tree == CART(prune="none").train(table.take(np.repeat(pool.rows, counts)))


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_all_rows_and_all_columns_give_the_tree_of_cart(weights, criterion):
    for seed in range(4):
        table = mixed_table(seed, weights=weights)
        model = RandomForest(n_estimators=3, tried=4, replace=False, criterion=criterion).train(table)
        tree = CART(prune="none", criterion=criterion).train(table)
        assert all(one == tree for one in model.members)
        assert model.out_of_bag is None


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_with_all_columns_it_is_bagging_of_unpruned_trees(weights):
    table = mixed_table(17, weights=weights)
    bagged = Bagging(base=CART(prune="none"), n_estimators=5, rule="average").train(table)
    forest = RandomForest(n_estimators=5, tried=4).train(table)
    assert forest.members == bagged.members
    assert forest.out_of_bag == bagged.out_of_bag


@pytest.mark.parametrize(("share", "rows"), [(0.5, 30), (0.25, 15), (0.001, 1)])
@pytest.mark.parametrize("replace", [True, False])
def test_a_sample_is_a_share_of_the_rows(share, rows, replace):
    model = RandomForest(n_estimators=5, max_samples=share, replace=replace).train(mixed_table(2))
    assert {one.weights[0].sum() for one in model.members} == {rows}
    assert model.out_of_bag.weight >= 60 - rows


def test_columns_are_drawn_at_every_node():
    """M291: with one column tried at a node, no split looks for the best column, and each is met at a root."""
    table = mixed_table(3)
    drawn = RandomForest(n_estimators=60, tried=1, replace=False).train(table)
    roots = [int(one.nodes.columns[0]) for one in drawn.members]
    assert set(roots) == {0, 1, 2, 3}
    assert min(map(roots.count, range(4))) >= 5
    assert len({str(one) for one in drawn.members}) == 60
    best = int(CART(prune="none").train(table).nodes.columns[0])
    three = RandomForest(n_estimators=60, tried=3, replace=False).train(table)
    assert 30 < [int(one.nodes.columns[0]) for one in three.members].count(best) < 58  # 45 of 60 are expected


def test_a_column_that_cannot_be_split_by_is_replaced_by_another():
    """A constant column is never the only one tried, so trees are pure however few are tried."""
    x, labels = np.arange(40.0), ["a", "b"] * 20
    constants = {f"c{i}": ["same"] * 40 for i in range(8)}
    model = RandomForest(n_estimators=10, tried=1).train(Table.of({**constants, "x": x, "y": labels}, "y"))
    for one in model.members:
        leaves = one.weights[one.nodes.leaves]
        assert ((leaves > 0).sum(axis=1) == 1).all()
    assert model.columns_used() == ("x",)


def test_the_default_number_of_columns_is_the_root():
    """Of the columns that can be split by: constant ones do not count."""
    table = mixed_table(4)
    assert (
        RandomForest(n_estimators=5).train(table).members == RandomForest(n_estimators=5, tried=2).train(table).members
    )
    assert RandomForest(n_estimators=5, tried=99).train(table).members == (
        RandomForest(n_estimators=5, tried=4).train(table).members
    )
    wide = wide_table(60)
    constant = Table.of({**{f"c{i}": [1.0] * 60 for i in range(99)}, "x": wide["x17"], "z": wide["x18"]})
    columns = {name: constant[name] for name in constant.schema.names}
    labels = [wide.schema.target_column.levels[code] for code in wide.target]
    narrow = Table.of({**columns, "label": labels}, "label")
    assert (
        RandomForest(n_estimators=5).train(narrow).members
        == RandomForest(n_estimators=5, tried=1).train(narrow).members
    )


@pytest.mark.parametrize("rule", ["average", "vote"])
@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_out_of_bag_error_by_definition(rule, weights):
    table = mixed_table(5, weights=weights)
    table = counting_rows(table, weight_unit(table))
    model = RandomForest(n_estimators=7, rule=rule).train(table)
    pool, target = copies(table), table.target
    sums = np.zeros((len(pool), 3))
    for source, tree in zip(seeds(1, 7), model.members, strict=True):
        for copy in undrawn_copies(pool.counts(np.random.default_rng(source))):
            one = table.take(pool.rows[[copy]])
            sums[copy] += tree.distribution(one)[0] if rule == "average" else np.eye(3)[tree.decide(one)[0]]
    seen = sums.any(axis=1)
    said = (sums >= sums.max(axis=1, keepdims=True) * (1 - 1e-12)).argmax(axis=1)
    wrong = said != target[pool.rows]
    error = pool.weights[seen & wrong].sum() / pool.weights[seen].sum()
    assert model.out_of_bag.weight == pytest.approx(pool.weights[seen].sum(), rel=1e-5)
    assert model.out_of_bag.error == pytest.approx(error, rel=1e-5)
    assert f"Out-of-bag error: {model.out_of_bag.error:g}" in str(model)


def test_the_out_of_bag_error_is_near_the_error_on_other_rows():
    table = mixed_table(6, rows=1200)
    inside, outside = table.slice(0, 400), table.slice(400, 1200)
    model = RandomForest().train(inside)
    error = float((model.decide(outside) != outside.target).mean())
    assert model.out_of_bag.error == pytest.approx(error, abs=0.06)


def test_probabilities_are_means_or_shares_of_votes():
    table = mixed_table(7)
    mean, vote = (
        RandomForest(n_estimators=9, min_samples_leaf=4, rule=rule).train(table) for rule in ("average", "vote")
    )
    assert mean.members == vote.members
    assert np.allclose(mean.distribution(table), np.mean([one.distribution(table) for one in mean.members], axis=0))
    said = np.stack([one.decide(table) for one in vote.members])
    shares = np.stack([(said == code).mean(axis=0) for code in range(3)], axis=1)
    assert np.allclose(vote.distribution(table), shares)
    assert np.abs(mean.distribution(table) - vote.distribution(table)).max() > 0.01


@pytest.mark.parametrize("rule", ["average", "vote"])
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_predicting_together_equals_a_tally_member_by_member(rule, weights):
    table = mixed_table(8, rows=300, weights=weights)
    model = RandomForest(n_estimators=12, rule=rule).train(table)
    other = mixed_table(9, rows=500)
    one_by_one = count_votes(model.members, np.ones(12), rule, other)[0] / 12
    assert np.allclose(model.scores(other), one_by_one, rtol=0, atol=1e-12)
    assert np.array_equal(model.decide(other), decisions(one_by_one))


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    monkeypatch.setenv("HEDGEROW_THREADS", "3")
    tables = [mixed_table(10, weights="fractional"), wide_table()]
    before = [RandomForest(n_estimators=8).train(table) for table in tables]
    monkeypatch.setenv("HEDGEROW_THREADS", threads)
    assert [RandomForest(n_estimators=8).train(table) for table in tables] == before


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_the_order_of_the_rows_does_not_matter(weights):
    table = mixed_table(11, weights=weights)
    shuffled = table.take(np.random.default_rng(1).permutation(60))
    one, other = (RandomForest(n_estimators=8).train(each) for each in (table, shuffled))
    assert one == other
    assert one.out_of_bag == other.out_of_bag
    wide = wide_table()
    assert RandomForest(n_estimators=4).train(wide) == RandomForest(n_estimators=4).train(
        wide.take(np.arange(wide.n_rows)[::-1])
    )


def test_a_row_of_weight_two_is_two_rows():
    twice, heavy = repeated(mixed_table(12))
    assert RandomForest(n_estimators=8).train(twice) == RandomForest(n_estimators=8).train(heavy)


def test_fewer_trees_are_the_first_of_more_and_seeds_matter():
    table = mixed_table(13)
    few, many = RandomForest(n_estimators=3).train(table), RandomForest(n_estimators=8).train(table)
    assert few.members == many.members[:3]
    states = [1, 2, -1, 2**70, np.random.default_rng(3), np.random.RandomState(3), None]
    models = [RandomForest(n_estimators=3, random_state=state).train(table) for state in states]
    assert len({tuple(map(str, model.members)) for model in models}) == len(states)
    assert RandomForest(n_estimators=3, random_state=np.random.default_rng(3)).train(table) == models[4]


def test_missing_values_take_the_better_side():
    x = [None if i % 4 == 0 else float(i) for i in range(80)]
    y = ["gone" if value is None else "low" if value < 40 else "high" for value in x]
    table = Table.of({"x": x, "y": y}, "y")
    model = RandomForest(n_estimators=30).train(table)
    assert model.decide(table).tolist() == table.target.tolist()
    assert model.predict(Table.of({"x": [None, 1.0, 79.0]})).tolist() == ["gone", "low", "high"]
    assert np.allclose(model.distribution(Table.of({"x": [None, 3.0]})).sum(axis=1), 1)


def test_columns_of_many_levels_and_levels_never_seen():
    random = np.random.default_rng(5)
    codes = random.integers(0, 300, 900)
    levels = [f"größe {code}" for code in codes]
    y = ["even" if code % 2 == 0 else "odd" for code in codes]
    table = Table.of({"level": levels, "noise": random.normal(size=900), "y": y}, "y")
    model = RandomForest(n_estimators=20, tried=2).train(table)
    assert (model.decide(table) == table.target).mean() > 0.97
    assert next(iter(model.importance().values())) > 0.8
    other = Table.of({"level": ["never", None], "noise": [0.0, None]})
    assert np.allclose(model.distribution(other).sum(axis=1), 1)


def test_many_classes():
    random = np.random.default_rng(6)
    x = random.integers(0, 60, 1500)
    table = Table.of({"x": x.astype(float), "z": random.normal(size=1500), "y": [f"class {v}" for v in x]}, "y")
    model = RandomForest(n_estimators=20, tried=2).train(table)
    assert len(model.classes) == 60
    assert (model.decide(table) == table.target).mean() > 0.98
    assert model.out_of_bag.error < 0.05


def test_one_class_one_row_and_no_columns():
    one_class = Table.of({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "a"]}, "y", {"y": ["a", "b"]})
    model = RandomForest(n_estimators=3).train(one_class)
    assert {one.size for one in model.members} == {1}
    assert model.predict(one_class).tolist() == ["a"] * 3
    assert list(model.importance().values()) == [0.0]
    assert "Columns" not in str(model)
    row = RandomForest(n_estimators=3).train(Table.of({"x": [1.0], "y": ["a"]}, "y"))
    assert row.out_of_bag is None
    assert row.predict(Table.of({"x": [None]})).tolist() == ["a"]
    bare = RandomForest(n_estimators=3).train(Table.of({"y": ["a", "b", "b", "b"]}, "y"))
    assert bare.distribution(Table.of({"y": ["a"]})).argmax() == 1


def test_rows_without_a_weight_take_no_part():
    table = mixed_table(14)
    weights = np.ones(60)
    weights[::3] = 0
    part = RandomForest(n_estimators=6).train(table.with_weights(weights))
    kept = table.take(weights > 0)
    assert str(part.members) == str(RandomForest(n_estimators=6).train(kept).members)


def test_a_wide_table_is_sorted_at_the_nodes():
    """Few of many columns tried: the kernel sorts them node by node, and grows trees as pure as otherwise."""
    table = wide_table()
    for tried in (1, 3, 14, 39, 40, 41, 200):  # the kernel changes over at a fifth
        model = RandomForest(n_estimators=3, tried=tried).train(table)
        assert {one.weights[0].sum() for one in model.members} == {120.0}
        for one in model.members:
            assert ((one.weights[one.nodes.leaves] > 0).sum(axis=1) == 1).all()
    model = RandomForest(n_estimators=200).train(table)
    shares = model.split_shares
    assert set(np.argsort(-shares)[:2].tolist()) == {17, 140}
    assert model.out_of_bag.error < 0.35  # half of the rows are of either class


def test_a_tree_of_a_wide_table_splits_where_its_rows_say():
    """Every node's weights are those of the rows that reach it: growing and going down agree."""
    table = wide_table()
    pool = copies(table)
    model = RandomForest(n_estimators=2, tried=5).train(table)
    for source, tree in zip(seeds(1, 2), model.members, strict=True):
        weights = pool.row_weights(pool.counts(np.random.default_rng(source)))
        leaves = tree.leaves(table)
        for code in range(2):
            at = np.bincount(leaves, weights * (table.target == code), len(tree.nodes))
            assert np.array_equal(at[tree.nodes.leaves], tree.weights[tree.nodes.leaves, code])


def test_limits_of_depth_and_leaves():
    table = mixed_table(15, rows=200)
    assert max(one.nodes.depth for one in RandomForest(n_estimators=5, max_depth=3).train(table).members) == 3
    assert {one.size for one in RandomForest(n_estimators=5, max_depth=0).train(table).members} == {1}
    for one in RandomForest(n_estimators=5, min_samples_leaf=12).train(table).members:
        assert one.weights[one.nodes.leaves].sum(axis=1).min() >= 12


def test_errors_are_those_of_weka(shared_data):
    """Ten-fold cross-validation, a hundred trees each: the mean error over ten sets is within a point of Weka's."""
    with shared_data("weka_reference.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["learner"] == "RandomForest"]
    theirs = {row["set"]: float(row["error_percent"]) for row in rows}
    apart = {}
    for name in WEKA:
        results = hedgerow.cross_validate(RandomForest(), hedgerow.read(shared_data(f"uci/{name}.arff")))
        apart[name] = 100 * float((results.decided != results.actual).mean()) - theirs[name]
    assert abs(np.mean(list(apart.values()))) < 1, apart
    assert max(map(abs, apart.values())) < 5, apart


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is not allowed: it must be a whole number of at least 1"),
        ({"n_estimators": 2.5}, "n_estimators=2.5 is not allowed"),
        ({"n_estimators": 10_001}, "at most 10000"),
        ({"tried": 0}, "tried=0 is not allowed: it must be a whole number of at least 1"),
        ({"max_samples": 0}, "max_samples=0 is not allowed: it must be a number above 0 and at most 1"),
        ({"max_samples": 1.5}, "max_samples=1.5 is not allowed"),
        ({"replace": "often"}, "replace='often' is not allowed"),
        ({"criterion": "gain"}, "criterion='gain' is not allowed"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 is not allowed"),
        ({"min_samples_leaf": float("nan")}, "min_samples_leaf=nan is not allowed"),
        ({"max_depth": -1}, "max_depth=-1 is not allowed"),
        ({"rule": "sum"}, "rule='sum' is not allowed"),
    ],
)
def test_bad_parameters_are_sentences(given, sentence):
    with pytest.raises(UsageError) as caught:
        RandomForest(**given).train(mixed_table(0))
    assert sentence in str(caught.value)


def test_bad_tables_are_sentences():
    table = mixed_table(0)
    with pytest.raises(hedgerow.HedgerowError, match="weight"):
        RandomForest().train(table.with_weights(np.zeros(60)))
    with pytest.raises(hedgerow.HedgerowError):
        RandomForest().train(table.take(np.arange(0)))
    with pytest.raises(hedgerow.HedgerowError):
        RandomForest().train(Table.of({"x": np.arange(60.0), "y": np.linspace(0, 1, 60)}, "y"))
    with pytest.raises(TypeError, match="did you mean 'tried'"):
        RandomForest(tries=3)


def test_a_saved_forest_predicts_the_same_and_is_small(tmp_path):
    table = mixed_table(16, rows=400, weights="fractional")
    model = RandomForest(n_estimators=50).train(table)
    model.save(tmp_path / "forest.hedge")
    again = hedgerow.load(tmp_path / "forest.hedge")
    assert isinstance(again, Committee)
    assert again == model
    assert np.array_equal(again.distribution(table), model.distribution(table))
    nodes = sum(len(one.nodes) for one in model.members)
    assert (tmp_path / "forest.hedge").stat().st_size < 40 * nodes
    assert loads(dumps(model)) == model


def test_it_is_an_estimator():
    learner = RandomForest(n_estimators=5, tried=2, rule="vote")
    assert clone(learner).get_params() == learner.get_params()
    X = np.random.default_rng(1).normal(size=(60, 4))
    fitted = learner.fit(X, (X[:, 0] > 0).astype(int), sample_weight=np.arange(60) % 3)
    assert fitted.predict_proba(X).shape == (60, 2)
    assert fitted.score(X, (X[:, 0] > 0).astype(int)) > 0.9


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(examples.loan_csv())
    done = run(
        "train", "loan.csv", "--learner", "random_forest", "--n-estimators", "30", "--folds", "0", "-o", "f.hedge"
    )
    assert done.status == 0, done.err
    assert "A committee of 30 trees; their distributions are averaged\nA tree has " in done.out
    assert "Members are numbered 0 to 29" in done.out
    shown = run("show", "f.hedge", "--member", "3")
    assert "Member 3 of 30, vote 1\n\n" in shown.out
    assert "Leaves: " in shown.out
    beyond = run("show", "f.hedge", "--member", "30")
    assert beyond.status != 0
    assert beyond.err == "hedgerow: there is no member 30; the members are numbered 0 to 29\n"
    wrong = run("train", "loan.csv", "--learner", "random_forest", "--tried", "0")
    assert wrong.status == 2
    assert "tried" in wrong.err
    assert "Traceback" not in wrong.err
    assert run("predict", "f.hedge", "loan.csv").out.startswith("predicted Class,P(No),P(Yes)\n")
    assert run("crossval", "loan.csv", "--learner", "random_forest", "--n-estimators", "5").status == 0
