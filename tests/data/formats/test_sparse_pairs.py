import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.formats.sparse_rows import Pairs, slices
from tests.reference import pairs as reference

INDEX = st.integers(0, 999_999_999)
NUMBER = st.floats(allow_nan=False, allow_infinity=False).map(repr)
WORD = st.sampled_from(["?", "yes", "no way", "'quoted, word'", "'}'", "x%y"])
BLANK = st.sampled_from(["", " ", "\t "])


@st.composite
def arff_rows(draw):
    pairs = draw(st.lists(st.tuples(INDEX, NUMBER | WORD, BLANK), max_size=4))
    body = ",".join(f"{gap}{index} {gap}{value}{gap}" for index, value, gap in pairs)
    tail = draw(st.sampled_from(["", " ", ",{2.5}", " , { 3 } % note", "\r", "\n\n% comment\n"]))
    return f"{{{body}}}{tail}"


@st.composite
def svmlight_rows(draw):
    pairs = draw(st.lists(st.tuples(INDEX.map(str) | st.just("qid"), NUMBER), max_size=4))
    tail = draw(st.sampled_from(["", " ", "# note", " # 1:2", "\r", "\n\n#c\n"]))
    return " ".join([draw(st.sampled_from(["+1", "-1", "spam"])), *(f"{i}:{v}" for i, v in pairs)]) + " " + tail


def found(text, kernel):
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    pairs = Pairs(**kernel(data))
    assert pairs.fault == 0
    words = slices(data, pairs.begin, pairs.end)
    for word, number, state in zip(words, pairs.number.tolist(), pairs.state.tolist(), strict=True):
        assert state != 0 or number == float(word)
    each = list(zip(pairs.index.tolist(), words, strict=True))
    rows = [each[a:b] for a, b in zip(pairs.rows[:-1], pairs.rows[1:], strict=True)]
    return data, pairs, rows


@settings(deadline=None)
@given(st.lists(arff_rows(), max_size=5).map("\n".join))
def test_sparse_arff_rows_agree_with_the_plain_twin(text):
    _, pairs, rows = found(text, _kernels.read_arff_pairs)
    assert list(zip(rows, pairs.weight.tolist(), strict=True)) == reference.arff_pairs(text)


@settings(deadline=None)
@given(st.lists(svmlight_rows(), max_size=5).map("\n".join))
def test_svmlight_rows_agree_with_the_plain_twin(text):
    data, pairs, rows = found(text, _kernels.read_svmlight_pairs)
    labels = slices(data, pairs.label, pairs.label_end)
    assert list(zip(labels, rows, strict=True)) == reference.svmlight_pairs(text)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=40) | st.text("{}0129 ,'\"\\%?\n#:aqid.-", max_size=40).map(str.encode))
def test_no_bytes_at_all_break_the_kernels(data):
    for kernel in (_kernels.read_arff_pairs, _kernels.read_svmlight_pairs):
        pairs = Pairs(**kernel(np.frombuffer(data, dtype=np.uint8)))
        assert len(pairs.index) == len(pairs.begin) == len(pairs.end) == len(pairs.state) == len(pairs.number)
        assert (pairs.begin <= pairs.end).all()
        assert len(pairs.index) == 0 or 0 <= pairs.begin.min() <= pairs.end.max() <= len(data)
