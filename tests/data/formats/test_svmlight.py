import numpy as np
import pytest

from hedgerow.data.formats.svmlight import SvmlightSource
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import SparseNumbers, concatenate
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words

TEXT = """# a comment
+1 1:0.5 4:-1e3 # note
-1 2:7

1 3:0 4:2
"""


@pytest.fixture
def svm(tmp_path):
    def make(text, **options):
        (tmp_path / "t.svm").write_text(text)
        return SvmlightSource(tmp_path / "t.svm", ReadOptions(**options))

    return make


def test_pairs_become_sparse_columns_and_a_label(svm):
    table = svm(TEXT).read()
    assert table.schema.names == ("1", "2", "3", "4", "label")
    assert table.schema.target == "label"
    assert all(isinstance(values, SparseNumbers) for values in table.data[:-1])
    assert [table[name].tolist() for name in "1234"] == [[0.5, 0, 0], [0, 7, 0], [0, 0, 0], [-1000, 0, 2]]
    assert table.schema["label"].levels == ("-1", "1")
    assert words(table, "label") == ["1", "-1", "1"]


def test_many_or_broken_labels_are_numeric(svm):
    assert svm("0.5 1:1\n2 1:2\n").read()["label"].tolist() == [0.5, 2]
    many = "".join(f"{i} 1:1\n" for i in range(30))
    assert svm(many).schema["label"].kind is Kind.NUMERIC
    assert svm(many, kinds={"label": Kind.NOMINAL}).schema["label"].kind is Kind.NOMINAL


def test_labels_may_be_words(svm):
    assert words(svm("spam 1:1\nham 1:2\n").read(), "label") == ["spam", "ham"]


def test_indices_may_start_at_zero_and_queries_are_kept_aside(svm):
    table = svm("1 qid:7 0:1\n2 qid:8 2:1\n").read()
    assert table.schema.names == ("0", "1", "2", "qid", "label")
    assert table["qid"].tolist() == [7, 8]
    assert table.schema["qid"].ignored


@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(svm):
    source = svm(TEXT)
    whole = svm(TEXT).read()
    assert_same(concatenate(list(source.batches(1))), whole)
    assert source.schema == whole.schema


def test_a_declared_schema_chooses_columns(svm):
    schema = Schema(
        (Column("4", Kind.NUMERIC), Column("9", Kind.NUMERIC), Column("label", Kind.NOMINAL, levels=("1",)))
    )
    table = svm(TEXT, schema=schema.with_target("label")).read()
    np.testing.assert_array_equal(table["4"], [-1000, 0, 2])
    assert table["9"].tolist() == [0, 0, 0]
    assert words(table, "label") == ["1", None, "1"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1 a:1\n", ["line 1", "index:value"]),
        ("1 1:1\n1 2\n", ["line 2", "index:value"]),
        ("1 1:\n", ["line 1", "no value"]),
        ("1 1:x\n", ["line 1", "'x'"]),
        ("1 1:inf\n", ["line 1", "'inf'"]),
        ("1 2:1 1:1\n", ["line 1", "1 follows 2"]),
        ("1 99999999:1\n", ["line 1", "too many columns"]),
        ("1 123456789012:1\n", ["line 1", "index:value"]),
        ("\n# only a comment\n", ["no rows"]),
    ],
)
def test_bad_files_are_told_in_one_sentence(svm, text, parts):
    with pytest.raises(DataError) as error:
        svm(text).read()
    assert all(part in str(error.value) for part in ["t.svm", *parts]), str(error.value)
