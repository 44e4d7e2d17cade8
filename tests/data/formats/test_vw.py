"""VW's text format: a text column a namespace, the label as target, the importance as weight."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.formats import vw
from hedgerow.data.formats.vw import FeaturesSource, VwSource
from hedgerow.data.read import open_source, read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import concatenate
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words

TEXT = """1 | price:.23 sqft:.25 age:.05 2006
-1 2.0 'second_house| price:.18 sqft:.15 age:.35 1976
1 1 0.5 'third_house|   price:.53 sqft:.32 age:.87 1924

# a comment
| price:.1
'lone| x
"""


@pytest.fixture
def source(tmp_path):
    def make(text, *, kind=VwSource, **options):
        path = tmp_path / "t.vw"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return kind(path, ReadOptions(**options))

    return make


def test_the_example_of_the_vw_tutorial(source):
    table = source(TEXT).read()
    assert table.schema.names == ("features", "base", "tag", "label")
    assert table.schema.target == "label"
    assert list(table["features"]) == [
        "price:.23 sqft:.25 age:.05 2006",
        "price:.18 sqft:.15 age:.35 1976",
        "price:.53 sqft:.32 age:.87 1924",
        "price:.1",
        "x",
    ]
    assert table.schema["features"].features
    assert words(table, "label") == ["1", "-1", "1", None, None]
    assert table.schema["label"].levels == ("-1", "1")
    assert table.row_weights.tolist() == [1, 2, 1, 1, 1]
    assert list(table["tag"]) == [None, "second_house", "third_house", None, "lone"]
    assert table["base"].tolist() == [0, 0, 0.5, 0, 0]
    assert table.schema["tag"].is_identifier
    assert [table.schema.names[i] for i in table.schema.predictors] == ["features"]


def test_every_namespace_is_a_column(source):
    table = source("1 |user age:3 old |item red\n2 |item blue |user young |user again\n").read()
    assert table.schema.names == ("user", "item", "label")
    assert list(table["user"]) == ["age:3 old", "young again"]
    assert list(table["item"]) == ["red", "blue"]
    assert not table["user"].missing.any()


def test_a_namespace_that_a_row_lacks_is_empty_and_not_missing(source):
    table = source("1 |a x\n2 |b y\n3 |\n").read()
    assert [list(table[name]) for name in ("a", "b", "features")] == [["x", "", ""], ["", "y", ""], ["", "", ""]]
    assert not table["a"].missing.any()


def test_scales_multiply_values(source):
    table = source("1 |a:0.5 x:2 y z:w u: |b:2 :3\n").read()
    assert list(table["a"]) == ["x:1 y:0.5 z:w:0.5 u:0.5"]
    assert list(table["b"]) == [":6"]


def test_the_word_that_touches_the_bar_is_a_tag(source):
    table = source("1 tagged|a x\n1 2|a x\n").read()
    assert list(table["tag"]) == ["tagged", "2"]
    assert table.weights is None


def test_lone_labels_that_touch_the_bar_are_told(source):
    made = source("1|a x\n-1|a y\n")
    assert made.read().schema.target is None
    assert "no row has a label, and '1' directly precedes the |, which makes it a tag" in next(iter(made.notes))


def test_a_few_whole_numbers_are_classes_and_others_numbers(source):
    assert source("3 | a\n1 | b\n+2 | c\n1.0 | d").read().schema["label"].levels == ("1", "2", "3")
    assert source("0.5 | a\n1 | b\n").read()["label"].tolist() == [0.5, 1]
    many = "".join(f"{i} | a\n" for i in range(30))
    assert source(many).schema["label"].kind is Kind.NUMERIC
    assert len(source(many, kinds={"label": Kind.NOMINAL}).schema["label"].levels) == 30
    assert source("1 | a\n2 | b\n", kinds={"label": Kind.NUMERIC}).read()["label"].tolist() == [1, 2]


def test_labels_may_be_words(source):
    table = source("spam | a\nham | b\n7 | c\n | d\n").read()
    assert words(table, "label") == ["spam", "ham", "7", None]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tabs_and_line_ends_and_a_byte_order_mark(source, end):
    text = f"\ufeff1\t2\t|a\tx\ty:2{end}{end}-1 |a z \t{end}-1 |a"
    table = source(text).read()
    assert list(table["a"]) == ["x\ty:2", "z", ""]
    assert table.row_weights.tolist() == [2, 1, 1]


def test_unicode_and_other_encodings(source):
    table = source("1 'größe|straße 東京:2 café\n").read()
    assert table.schema.names == ("straße", "tag", "label")
    assert list(table["straße"]) == ["東京:2 café"]
    latin = "1 |a café\n".encode("latin-1")
    assert list(source(latin, encoding="latin-1").read()["a"]) == ["café"]
    with pytest.raises(DataError, match=r"line 2: the byte 0xe9 is not valid UTF-8"):
        source(b"1 |a x\n" + latin).read()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 | a\n\n1,2,3\n", r"line 3: there is no \| before the features"),
        ("1 2 3 4 5| a\n", r"line 1: at most a label, an importance, a base and a tag"),
        ("1 2 3 4 | a\n", r"line 1: at most a label, an importance, a base and a tag"),
        ("1 x | a\n", r"line 1: the importance 'x', after the label, must be a number of 0 or more"),
        ("1 | a\n1 -2 | a\n", r"line 2: the importance '-2'"),
        ("1 1 inf | a\n", r"line 1: the base 'inf', the third word"),
        ("1 |a:b c\n", r"line 1: the scale 'b' of a namespace"),
        ("1 |a: c\n", r"line 1: the scale '' of a namespace"),
        ("# n\n1 |a x:1e999\n", r"line 2: the value '1e999' is too large"),
        ("1 |a:1e300 x:1e300\n", r"line 1: the value 'x:1e300' is too large"),
        ("0:1:0.5 |a x\n", r"line 1: the label '0:1:0.5' holds costs or actions"),
        ("\n# only a comment\n", "there are no rows"),
        ("", "there are no rows"),
    ],
)
def test_what_is_wrong_is_a_sentence_with_its_line(source, text, sentence):
    with pytest.raises(DataError, match=sentence):
        source(text).read()


def test_a_word_among_labels_that_shall_be_numbers(source):
    with pytest.raises(DataError, match=r"line 2: the label 'x' is not a finite number; .* --nominal label"):
        source("1 | a\nx | b\n", kinds={"label": Kind.NUMERIC}).read()


def test_words_taken_for_namespaces_are_told_from_a_number_on(source):
    text = "".join(f"1 |word{i} and more\n" for i in range(300))
    for one in (source(text).read, lambda: source(text).schema):
        with pytest.raises(DataError, match=r"line 257: 'word256' is one namespace too many .* put a space after"):
            one()


def test_missing_files_and_gzip(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*none\.vw"):
        read(tmp_path / "none.vw")
    with gzip.open(tmp_path / "a.vw.gz", "wt") as file:
        file.write("1 | a\n2 | b\n")
    assert isinstance(open_source(tmp_path / "a.vw.gz"), VwSource)
    assert read(tmp_path / "a.vw.gz").n_rows == 2


def test_namespaces_named_as_other_columns_are_renamed(source):
    table = source("1 |label a |tag b |features c | d |base e\n").read()
    assert table.schema.names == ("label_", "tag_", "features", "features_", "base_", "label")
    assert [list(table[name]) for name in table.schema.names[:-1]] == [["a"], ["b"], ["c"], ["d"], ["e"]]


@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(source):
    whole = source(TEXT).read()
    assert_same(concatenate(list(source(TEXT).batches(1))), whole)
    assert source(TEXT).schema == whole.schema


def test_a_declared_schema_keeps_its_namespaces_and_levels(source):
    schema = source("1 |a x\n2 |b y\n").schema
    made = source("3 |b z |c w\n1 |a x\n", schema=schema)
    table = made.read()
    assert table.schema is schema
    assert list(table["b"]) == ["z", ""]
    assert words(table, "label") == [None, "1"]
    assert any("'c'" in note for note in made.notes)
    assert any("'3' not seen in training" in note for note in made.notes)


def test_a_model_of_other_columns_says_what_it_needs(source):
    schema = Schema((Column("age", Kind.NUMERIC), Column("label", Kind.NUMERIC)), "label")
    with pytest.raises(DataError, match="the model needs the numeric column 'age'"):
        source("1 |a x\n", schema=schema).read()


def test_svmlight_as_features(source):
    text = "# c\n+1 qid:3 1:0.5 7:2 # note\n-1 2:7\n\n1\n"
    table = source(text, kind=FeaturesSource).read()
    assert list(table["features"]) == ["1:0.5 7:2", "2:7", ""]
    assert words(table, "label") == ["1", "-1", "1"]


def _plain(data):
    """Read VW lines slowly: the reference implementation of the kernel."""
    rows = []
    for line in data.decode().split("\n"):
        line = line.removesuffix("\r")
        if not line.strip(" \t") or line.strip(" \t").startswith("#"):
            continue
        head, *rest = line.split("|")
        given = head.replace("\t", " ").split(" ")
        last, given = given[-1], [word for word in given if word]
        tag = None
        if given and (last or given[-1].startswith("'")):
            tag = given.pop().removeprefix("'")
        spaces = {}
        for part in rest:
            name = part.replace("\t", " ").split(" ")[0]
            spaces.setdefault(name, []).append(part[len(name) :].strip(" \t"))
        rows.append((given, tag or None, {name: " ".join(filter(None, own)) for name, own in spaces.items()}))
    return rows


WORD = st.text("ab1é'.", min_size=1, max_size=3).filter(lambda word: not word.startswith("'"))
FEATURES = st.lists(st.one_of(WORD, st.just("x:2")), max_size=3)
LINE = st.tuples(
    st.sampled_from(["", "1 ", "-2.5 ", "x\t", "1 2 ", "1 2 3 ", " "]),
    st.sampled_from(["", "'t", "t", "'t "]),
    st.lists(st.tuples(st.sampled_from(["", "a", "b"]), FEATURES), min_size=1, max_size=3),
    st.sampled_from(["", " ", "\t ", "\r"]),
)


@given(st.lists(LINE, max_size=8), st.sampled_from([1, 3]))
def test_the_kernel_reads_as_its_twin(lines, threads):
    text = "\n".join(
        head + tag + "".join(f"|{n} {' '.join(w)} " for n, w in spaces) + end for head, tag, spaces, end in lines
    )
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    found = _kernels.read_vw(data, 256, False, threads)
    rows = _plain(text.encode())
    assert found["fault"] == 0
    assert len(found["label"]) == len(rows)
    names = vw.unpack_words(*found["names"])
    for i, (given_words, tag, spaces) in enumerate(rows):
        own = text.encode()[found["label_begin"][i] : found["label_end"][i]].decode()
        assert own == (given_words[0] if given_words else "")
        assert found["importance"][i] == (float(given_words[1]) if len(given_words) > 1 else 1)
        assert found["base"][i] == (float(given_words[2]) if len(given_words) > 2 else 0)
        assert text.encode()[found["tag_begin"][i] : found["tag_end"][i]].decode() == (tag or "")
        for name, (data_of, offsets) in zip(names, found["features"], strict=True):
            assert bytes(data_of[offsets[i] : offsets[i + 1]]).decode() == spaces.get(name, "")


def test_chunks_of_many_threads_give_one_answer():
    text = b"".join(b"%d |a%d x%d:1.5 |b y\n" % (i % 3, i % 5, i) for i in range(60_000))
    data = np.frombuffer(text, dtype=np.uint8)
    one, more = (_kernels.read_vw(data, 256, False, threads) for threads in (1, 4))
    for (a, b), (c, d) in zip(one["features"], more["features"], strict=True):
        assert np.array_equal(a, c)
        assert np.array_equal(b, d)
    assert np.array_equal(one["label"], more["label"])
    assert len(one["label"]) == 60_000
