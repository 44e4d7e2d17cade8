"""Documents of any encoding as UTF-8."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.formats.documents.encodings import DecodingFaults, codec, convert_to_utf8, is_like_ascii
from hedgerow.errors import UsageError


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_tell_the_encoding_and_are_left_out(encoding):
    assert convert_to_utf8("grün".encode(encoding), "utf-8") == ("grün".encode(), 0)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")],
)
def test_marks_of_the_other_byte_order_count_too(mark, encoding):
    assert convert_to_utf8(mark + "grün".encode(encoding), "utf-8") == ("grün".encode(), 0)


def test_an_encoding_that_is_asked_for_holds_whatever_the_first_bytes():
    assert convert_to_utf8(b"\xff\xfe", "iso8859-1") == ("ÿþ".encode(), 0)
    assert convert_to_utf8(b"\xff\xfea", "utf-8", marked=False) == ("\ufffd\ufffda".encode(), 2)


def test_replaced_bytes_are_counted_and_signs_that_stand_there_are_not():
    assert convert_to_utf8(b"a\xffb\xfe", "utf-8")[1] == 2
    assert convert_to_utf8("a\ufffdb".encode(), "utf-8") == ("a\ufffdb".encode(), 0)
    assert convert_to_utf8("a\ufffdb".encode() + b"\xff", "utf-8")[1] == 1
    assert convert_to_utf8(b"a\xe2\x82", "utf-8") == ("a\ufffd".encode(), 1)  # a sign that is cut off
    assert convert_to_utf8(b"\x81", "cp1252") == ("\ufffd".encode(), 1)
    assert convert_to_utf8(b"abc", "utf-16-le")[1] == 1


@given(st.binary(max_size=50), st.sampled_from(["utf-8", "ascii", "cp1252", "utf-16-le", "utf-7", "gb18030"]))
def test_any_bytes_become_utf8(raw, encoding):
    text, replaced = convert_to_utf8(raw, encoding)
    text.decode()
    assert replaced >= 0


@given(st.text(max_size=20))
def test_text_comes_back_as_it_was(text):
    assert convert_to_utf8(text.encode(), "utf-8", marked=False) == (text.encode(), 0)


@pytest.mark.parametrize("word", ["klingon", "rot13", "hex", "zip", "a\0b", "idna2"])
def test_what_is_no_encoding_of_text_is_refused(word):
    with pytest.raises(UsageError, match="there is no encoding"):
        codec(word)


def test_lines_of_some_encodings_can_be_told_apart_as_bytes():
    assert [is_like_ascii(name) for name in ("utf-8", "latin-1", "gb18030", "utf-16", "utf-32-le", "cp037")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def test_faults_name_the_first_and_count_the_rest():
    faults = DecodingFaults("line", "ascii")
    for number in range(1, 6):
        faults.add(f"number {number}", b"\0", number)
    replaced, with_nul = faults.notes()
    assert replaced == (
        "5 lines of 5 hold bytes that are not valid ascii (15 in total, replaced by \ufffd): number 1 (1), number 2 "
        "(2), number 3 (3) and 2 more; if the files have another encoding, name it, as in --encoding utf-8"
    )
    assert with_nul == "5 lines of 5 hold NUL bytes and may not be text: number 1, number 2, number 3 and 2 more"
    assert DecodingFaults("line", "ascii").notes() == []
