"""Item sets and rules of public baskets: the counts that Borgelt's programs find, Groceries, and Weka's supermarket.

pyfim leaves out the set of an item that is in every row. Item 85 is in every row of mushroom, so there are one more
frequent and one more closed set than in its counts; no maximal one, as the set has frequent supersets.
"""

import pytest

import hedgerow

OMITTED = 1  # {85}
# File, least number of rows, and how many sets: all, closed, maximal.
COUNTS = [
    ("chess", 0.9, 622, 498, 34),
    ("chess", 0.8, 8227, 5083, 226),
    ("chess", 0.7, 48731, 23892, 891),
    ("mushroom", 0.4, 564 + OMITTED, 139 + OMITTED, 41),
    ("mushroom", 0.2, 53582 + OMITTED, 1196 + OMITTED, 158),
    ("mushroom", 0.1, 574430 + OMITTED, 4884 + OMITTED, 547),
    ("T10I4D100K", 0.01, 385, 385, 370),
    ("T10I4D100K", 0.005, 1073, 1073, 585),
    ("T10I4D100K", 0.001, 27532, 26806, 4054),
]
BOUNDS = {
    ("chess", 0.9): 2877, ("chess", 0.8): 2557, ("chess", 0.7): 2238,
    ("mushroom", 0.4): 3250, ("mushroom", 0.2): 1625, ("mushroom", 0.1): 813,
    ("T10I4D100K", 0.01): 1000, ("T10I4D100K", 0.005): 500, ("T10I4D100K", 0.001): 100,
}  # fmt: skip


@pytest.fixture(scope="module")
def baskets(shared_data):
    """Return a function from the name of a set of baskets to its table, read once."""
    kept = {}

    def find(name):
        if name not in kept:
            kept[name] = hedgerow.read(shared_data(f"basket/{name}"))
        return kept[name]

    return find


@pytest.mark.parametrize(("name", "share", "n_all", "n_closed", "n_maximal"), COUNTS)
def test_as_many_sets_as_borgelt_finds(baskets, name, share, n_all, n_closed, n_maximal):
    table = baskets(f"{name}.dat.gz")
    found = {which: hedgerow.mine(table, share, sets=which) for which in ("all", "closed", "maximal")}
    assert {which: len(sets) for which, sets in found.items()} == {
        "all": n_all,
        "closed": n_closed,
        "maximal": n_maximal,
    }
    by_rows = hedgerow.mine(table, min_count=BOUNDS[name, share])
    assert len(by_rows) == n_all
    assert min(by_rows.counts) >= BOUNDS[name, share]


def test_the_item_of_every_row_is_a_set_of_its_own(baskets):
    sets = dict(hedgerow.mine(baskets("mushroom.dat.gz"), 1.0))
    assert sets == {("85",): 8124}


def sizes(sets):
    """Return how many sets there are of each size, from one on."""
    lengths = [len(names) for names, _ in sets]
    return [lengths.count(size) for size in range(1, max(lengths) + 1)]


@pytest.fixture(scope="module")
def groceries(shared_data):
    return hedgerow.read(shared_data("basket/groceries.csv.gz"), format="basket")


def test_groceries_sets(groceries):
    assert groceries.n_rows == 9835
    assert sizes(hedgerow.mine(groceries, 0.01)) == [88, 213, 32]
    assert len(hedgerow.mine(groceries, min_count=99, sets="closed")) == 333
    assert sizes(hedgerow.mine(groceries, min_count=99, sets="maximal")) == [41, 170, 32]


def test_the_463_rules_of_groceries(groceries):
    rules = hedgerow.association_rules(hedgerow.mine(groceries, 0.006), 0.25, max_consequent=1)
    assert len(rules) == 463
    best = hedgerow.association_rules(hedgerow.mine(groceries, 0.006), 0.25, max_consequent=1, top=1, by="lift")
    assert str(best).startswith("{herbs} => {root vegetables}")
    assert best.count[0] == 69
    assert best.support[0] == pytest.approx(0.00702, abs=5e-6)
    assert best.confidence[0] == pytest.approx(0.4312, abs=5e-5)
    assert best.lift[0] == pytest.approx(3.956, abs=5e-4)


def test_the_learner_finds_the_463_rules_too(groceries):
    learner = hedgerow.Apriori(min_support=0.006, min_confidence=0.25, max_consequent=1)
    assert len(learner.train(groceries)) == 463


@pytest.fixture(scope="module")
def supermarket(shared_data):
    return hedgerow.read(shared_data("textbook/supermarket.arff.gz"))


def test_supermarket_sets_by_size(supermarket):
    # Weka's Apriori ends at a support of 15 %, which it takes as 694 rows of 4627 (15 % are 694.05, so ours needs 695)
    # and prints these sizes of L(1) to L(6); pyfim finds the same at 694 and at 695.
    assert sizes(hedgerow.mine(supermarket, min_count=694)) == [44, 380, 910, 633, 105, 1]
    assert sizes(hedgerow.mine(supermarket, 0.15)) == [44, 379, 909, 629, 104, 1]


def test_supermarket_rules(supermarket):
    rules = hedgerow.association_rules(hedgerow.mine(supermarket, min_count=694), 0.9)
    assert len(rules) == 16
    first = str(hedgerow.association_rules(hedgerow.mine(supermarket, min_count=694), 0.9, top=1))
    assert "bread and cake" in first.split("=>")[1]
    assert all(name in first.split("=>", maxsplit=1)[0] for name in ("biscuits", "frozen foods", "fruit", "total=high"))
    assert "count 723" in first
