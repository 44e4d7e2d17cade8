"""Text columns from Python's strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.table import Text

ANY = st.text(st.characters(codec="utf-8"), max_size=12)


@given(st.lists(st.one_of(st.none(), ANY, st.binary(max_size=8)), max_size=12))
def test_strings_are_packed_as_python_encodes_them(values):
    data, offsets, missing = _kernels.pack_texts(values)
    raw = [value if isinstance(value, bytes) else (value or "").encode() for value in values]
    assert data.tobytes() == b"".join(raw)
    assert offsets.tolist() == [0, *np.cumsum([len(one) for one in raw]).tolist()]
    assert missing.tolist() == [value is None for value in values]


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "é\ud800\U0001f600", "\0\ud812"])
def test_half_of_a_pair_of_surrogates_is_a_question_mark(text):
    assert Text.of([text]).data.tobytes() == text.encode("utf-8", "replace")


def test_strings_of_every_width():
    values = ["plain", "Größe", "Ωμέγα — 中文", "\U0001f600 \U0010ffff", "", "\x7f\x80\u07ff\u0800\uffff\U00010000"]
    assert list(Text.of(values)) == values
    assert list(Text.of(iter(values))) == values
    assert list(Text.of(np.array(values))) == values


def test_anything_else_is_refused():
    for value in (1, 2.5, ["a"], object()):
        with pytest.raises(TypeError, match="texts must be strings"):
            Text.of(["a", value])
