"""The public data sets: every ARFF, C4.5, basket and JSON file reads with the counts its source states."""

import gzip

import numpy as np
import pytest

from hedgerow.data.read import make_source, open_source
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Bags, SparseNumbers, concatenate
from tests.data.tables import count_missing, words

# file: rows, numeric (with dates), nominal, text, bags, missing cells, levels of the last column (0: numeric)
ARFF = {
    "uci/anneal.orig.arff": (898, 6, 33, 0, 0, 22175, 6),
    "uci/anneal.arff": (898, 6, 33, 0, 0, 0, 6),
    "uci/audiology.arff": (226, 0, 70, 0, 0, 317, 24),
    "uci/autos.arff": (205, 15, 11, 0, 0, 59, 7),
    "uci/breast-w.arff": (699, 9, 1, 0, 0, 16, 2),
    "uci/kr-vs-kp.arff.gz": (3196, 0, 37, 0, 0, 0, 2),
    "uci/colic.arff": (368, 7, 16, 0, 0, 1927, 2),
    "uci/credit-a.arff": (690, 6, 10, 0, 0, 67, 2),
    "uci/credit-g.arff": (1000, 7, 14, 0, 0, 0, 2),
    "uci/diabetes.arff": (768, 8, 1, 0, 0, 0, 2),
    "uci/glass.arff": (214, 9, 1, 0, 0, 0, 7),
    "uci/heart-c.arff": (303, 6, 8, 0, 0, 7, 5),
    "uci/heart-h.arff": (294, 6, 8, 0, 0, 782, 5),
    "uci/hepatitis.arff": (155, 6, 14, 0, 0, 167, 2),
    "uci/hypothyroid.arff.gz": (3772, 7, 23, 0, 0, 6064, 4),
    "uci/iris.arff": (150, 4, 1, 0, 0, 0, 3),
    "uci/labor.arff": (57, 8, 9, 0, 0, 326, 2),
    "uci/letter.arff.gz": (20000, 16, 1, 0, 0, 0, 26),
    "uci/lymph.arff": (148, 3, 16, 0, 0, 0, 4),
    "uci/phoneme.arff": (5438, 0, 8, 0, 0, 0, 47),
    "uci/segment.arff.gz": (2310, 19, 1, 0, 0, 0, 7),
    "uci/sick.arff.gz": (3772, 7, 23, 0, 0, 6064, 2),
    "uci/sonar.arff": (208, 60, 1, 0, 0, 0, 2),
    "uci/soybean.arff": (683, 0, 36, 0, 0, 2337, 19),
    "uci/splice.arff.gz": (3190, 0, 62, 0, 0, 0, 3),
    "uci/vehicle.arff": (846, 18, 1, 0, 0, 0, 4),
    "uci/vote.arff": (435, 0, 17, 0, 0, 392, 2),
    "uci/waveform-5000.arff.gz": (5000, 40, 1, 0, 0, 0, 3),
    "textbook/weather.nominal.arff": (14, 0, 5, 0, 0, 0, 2),
    "textbook/weather.numeric.arff": (14, 2, 3, 0, 0, 0, 2),
    "textbook/contact-lenses.arff": (24, 0, 5, 0, 0, 0, 3),
    "textbook/cpu.arff": (209, 7, 0, 0, 0, 0, 0),
    "textbook/cpu.with.vendor.arff": (209, 7, 1, 0, 0, 0, 0),
    "textbook/iris.2D.arff": (150, 2, 1, 0, 0, 0, 3),
    "textbook/airline.arff": (144, 2, 0, 0, 0, 0, 0),
    "textbook/segment-challenge.arff": (1500, 19, 1, 0, 0, 0, 7),
    "textbook/segment-test.arff": (810, 19, 1, 0, 0, 0, 7),
    "textbook/supermarket.arff.gz": (4627, 0, 217, 0, 0, 913670, 2),
    "textbook/ReutersCorn-train.arff.gz": (1554, 0, 1, 1, 0, 0, 2),
    "textbook/ReutersCorn-test.arff.gz": (604, 0, 1, 1, 0, 0, 2),
    "textbook/ReutersGrain-train.arff.gz": (1554, 0, 1, 1, 0, 0, 2),
    "textbook/ReutersGrain-test.arff.gz": (604, 0, 1, 1, 0, 0, 2),
    "textbook/ReutersCorn-train.words.sparse.arff.gz": (1554, 1003, 1, 0, 0, 0, 0),
    "textbook/zoo.arff": (101, 1, 17, 0, 0, 0, 7),
    "textbook/mushroom.arff.gz": (8124, 0, 23, 0, 0, 2480, 2),
    "textbook/tic-tac-toe.arff": (958, 0, 10, 0, 0, 0, 2),
    "textbook/balance-scale.arff": (625, 4, 1, 0, 0, 0, 3),
    "textbook/titanic3.arff": (1309, 6, 3, 5, 0, 3855, 0),
    "multi_instance/musk1.arff.gz": (476, 166, 3, 0, 0, 0, 2),
    "multi_instance/musk1.relational.arff.gz": (92, 0, 2, 0, 1, 0, 2),
    "regression/housing.arff": (506, 13, 1, 0, 0, 0, 0),
    "regression/autoMpg.arff": (398, 5, 3, 0, 0, 6, 0),
    "regression/abalone.arff": (4177, 8, 1, 0, 0, 0, 0),
    "regression/cal_housing.arff.gz": (20640, 9, 0, 0, 0, 0, 0),
    "regression/servo.arff": (167, 1, 4, 0, 0, 0, 0),
}


@pytest.mark.parametrize("name", ARFF)
def test_arff_files_have_the_published_counts(shared_data, name):
    rows, *kinds, missing, classes = ARFF[name]
    path = shared_data(name)
    table = make_source(path, ReadOptions()).read()
    found = [column.kind for column in table.schema.columns]
    assert table.n_rows == rows
    assert [found.count(kind) for kind in (Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT, Kind.BAG)] == kinds
    assert count_missing(table) == missing
    assert len(table.schema.columns[-1].levels) == classes
    assert make_source(path, ReadOptions()).schema == table.schema


def test_no_arff_file_is_forgotten(shared_data):
    folder = shared_data("README.md").parent
    assert {str(path.relative_to(folder)) for path in folder.glob("*/*.arff*")} == set(ARFF)


def class_counts(table, name):
    return np.bincount(table[name]).tolist()


def test_the_musk_molecules_are_bags_with_weights(shared_data):
    table = open_source(shared_data("multi_instance/musk1.relational.arff.gz")).read()
    bags = table["bag"]
    assert isinstance(bags, Bags)
    assert (bags.table.n_rows, len(bags.table.schema)) == (476, 166)
    assert np.diff(bags.offsets).tolist() == table.weights.tolist()
    assert class_counts(table, "Class") == [45, 47]
    flat = open_source(shared_data("multi_instance/musk1.arff.gz")).read()
    np.testing.assert_array_equal(np.sort(bags.table["f1"]), np.sort(flat["f1"]))


def test_the_reuters_words_are_sparse_and_their_class_is_the_first_column(shared_data):
    table = open_source(shared_data("textbook/ReutersCorn-train.words.sparse.arff.gz")).read()
    assert class_counts(table, "class-att") == [1509, 45]
    assert isinstance(table.data[1], SparseNumbers)
    texts = open_source(shared_data("textbook/ReutersCorn-train.arff.gz")).read()
    assert words(texts, "class-att") == words(table, "class-att")
    holds = np.array(["corn" in text.replace("\n", " ").split() for text in texts["Text"]])
    assert table["corn"][holds].all()


def test_the_airline_dates_are_months(shared_data):
    table = open_source(shared_data("textbook/airline.arff")).read()
    assert table["Date"][0] == -662688000
    assert table.schema["Date"].date == "yyyy-MM-dd"


@pytest.mark.parametrize(("name", "rows", "incomplete"), [("data.gz", 32561, 2399), ("test.gz", 16281, 1221)])
def test_adult_is_read_by_its_names_file(shared_data, name, rows, incomplete):
    table = open_source(shared_data(f"textbook/adult.{name}")).read()
    assert table.n_rows == rows
    missing = np.zeros(rows, dtype=bool)
    for column, values in zip(table.schema.columns, table.data, strict=True):
        missing |= values < 0 if column.kind is Kind.NOMINAL else np.isnan(values)
    assert missing.sum() == incomplete
    assert table.schema["class"].levels == (">50K", "<=50K")
    if name == "data.gz":
        assert class_counts(table, "class") == [7841, 24720]


def test_clean1_is_read_by_its_names_file(shared_data):
    table = open_source(shared_data("multi_instance/clean1.names")).read()
    assert (table.n_rows, len(table.schema)) == (476, 169)
    assert class_counts(table, "class") == [269, 207]


PLAIN = [("uci/waveform.data.gz", 5000, 22), ("textbook/monks-1.test", 432, 8)]


@pytest.mark.parametrize(("name", "rows", "columns"), PLAIN)
def test_rows_beside_a_names_file_of_prose_are_plain(shared_data, name, rows, columns):
    table = open_source(shared_data(name)).read()
    assert (table.n_rows, len(table.schema)) == (rows, columns)


BASKETS = [
    ("mushroom.dat.gz", 8124, 119, 23),
    ("chess.dat.gz", 3196, 75, 37),
    ("T10I4D100K.dat.gz", 100000, 870, 10.1),
    ("groceries.csv.gz", 9835, 169, 4.41),
]


@pytest.mark.parametrize(("name", "transactions", "items", "length"), BASKETS)
def test_baskets_have_the_published_counts(shared_data, name, transactions, items, length):
    bags = open_source(shared_data(f"basket/{name}"), format="basket").read()["items"]
    assert len(bags) == transactions
    assert len(bags.table.schema["item"].levels) == items
    assert round(bags.table.n_rows / transactions, 2) == pytest.approx(length, abs=0.005)


def test_movie_reviews_are_text(shared_data):
    source = open_source(shared_data("text/movie_reviews.jsonl.gz"), target="label")
    table = concatenate(list(source.batches(300)))
    assert table.schema["text"].kind is Kind.TEXT
    assert class_counts(table, "label") == [1000, 1000]
    assert sorted(set(table["fold"].tolist())) == list(range(1, 11))


def test_text_messages_have_plain_quotes(shared_data):
    path = shared_data("text/sms_spam.tsv.gz")
    table = open_source(path, quote="", header=False, target="column1").read()
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\r\n").split("\t") for line in file]
    assert table.n_rows == len(rows) == 5574
    assert words(table, "column1") == [label for label, _ in rows]
    assert words(table, "column2") == [text.strip() for _, text in rows]
    assert table.schema["column2"].kind is Kind.TEXT
    assert any('"' in text for _, text in rows)


@pytest.mark.parametrize("topic", ["Corn", "Grain"])
def test_reuters_articles_are_read_as_they_are(shared_data, topic):
    path = shared_data(f"textbook/Reuters{topic}-train.arff.gz")
    table = open_source(path).read()
    assert (table.schema["Text"].kind, table.schema.target) == (Kind.TEXT, "class-att")
    assert not table["Text"].missing.any()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        body = file.read().partition("@data\n")[2]
    first = body.lstrip()[1:].split("',")[0]
    assert table["Text"][0] == first.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace('\\"', '"')
    joined = concatenate(list(open_source(path).batches(500)))
    assert list(joined["Text"]) == list(table["Text"])
