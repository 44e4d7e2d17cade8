"""Mails without headers, quoted lines and signatures."""

import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.text.mail import PARTS, check_parts, strip_headers, strip_mail, strip_quotes, strip_signature
from hedgerow.errors import UsageError

MAIL = "From: a@x.org\nSubject: Re: trees\n\nBob writes:\n> Shall we?\nYes, at noon.\n\n--\nAnn\n"


def test_the_parts_of_a_mail_are_removed_one_by_one():
    assert strip_headers(MAIL) == "Bob writes:\n> Shall we?\nYes, at noon.\n\n--\nAnn\n"
    assert "Shall we?" not in strip_quotes(MAIL)
    assert strip_signature(MAIL).endswith("Yes, at noon.\n")
    assert strip_mail(MAIL, PARTS) == "Yes, at noon.\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Note: no blank line follows",
        "A plain paragraph.\n\nAnother one.",
        "Note: a header\nbut this line is none\n\nbody",
        " indented like a continuation\n\nbody",
        "\n\nbody",
    ],
)
def test_a_text_that_does_not_begin_with_headers_keeps_its_first_paragraph(text):
    assert strip_headers(text) == text


@pytest.mark.parametrize("head", ["From: a\r\nTo: b\r\n\r\n", "From a@x Thu Jan 1\nFrom: a\n\n", "A: b\n\tmore\n\n"])
def test_headers_may_be_folded_end_in_carriage_returns_and_follow_the_line_of_an_mbox(head):
    assert strip_headers(head + "body") == "body"


def test_the_last_line_of_hyphens_or_blanks_begins_the_signature():
    assert strip_signature("one\n\ntwo\n-- \nAnn") == "one\n\ntwo"
    assert strip_signature("one\n---\ntwo\n\n\n") == "one"
    assert strip_signature("no signature") == "no signature"
    assert strip_signature("--\nall of it") == "--\nall of it"


def test_parts_are_named_in_any_order_and_removed_in_one():
    assert check_parts("quotes, headers") == ("headers", "quotes")
    assert check_parts(["signatures", "quotes"]) == ("signatures", "quotes")
    assert check_parts("all") == ("headers", "signatures", "quotes")
    assert check_parts("none") == check_parts(()) == ()


@pytest.mark.parametrize("parts", ["footers", "headers,none", ["headers", "x"]])
def test_unknown_parts_are_refused(parts):
    with pytest.raises(UsageError, match=r"headers"):
        check_parts(parts)


def test_newsgroup_articles_are_stripped_as_scikit_learn_does(shared_data):
    theirs = pytest.importorskip("sklearn.datasets._twenty_newsgroups")
    pairs = {
        strip_headers: theirs.strip_newsgroup_header,
        strip_signature: theirs.strip_newsgroup_footer,
        strip_quotes: theirs.strip_newsgroup_quoting,
    }
    with gzip.open(shared_data("text/20newsgroups.jsonl.gz")) as lines:
        texts = [json.loads(line)["text"] for line in lines][::3]
    assert len(texts) > 6000
    mine, others = texts, texts
    for ours, their in pairs.items():
        assert [ours(text) for text in texts] == [their(text) for text in texts]
        mine, others = [ours(text) for text in mine], [their(text) for text in others]
        assert mine == others


PIECES = [
    "\n",
    "\n",
    "\r\n",
    ">",
    "| ",
    "In article",
    "Quoted from",
    "wrote:",
    "said:",
    "says:",
    "x",
    " ",
    "--",
    "A: b",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(TEXTS)
def test_quoted_lines_are_those_that_a_plain_look_at_every_line_finds(text):
    quoted = re.compile(r"wrote:|said:|says:|writes:|writes in|^(?:>|\||In article|Quoted from)")
    assert strip_quotes(text) == "\n".join(line for line in text.split("\n") if not quoted.search(line))


@given(TEXTS)
def test_nothing_is_added_by_stripping(text):
    for part in PARTS:
        left = strip_mail(text, [part])
        lines = iter(text.strip().split("\n") if part == "signatures" and left != text else text.split("\n"))
        assert all(line in lines for line in left.split("\n")) or left == ""
