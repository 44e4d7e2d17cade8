"""Mailboxes: every message a row."""

import gzip
import mailbox
from email.message import EmailMessage

import pytest

from hedgerow.data.formats.documents.mail_message import message_text
from hedgerow.data.read import open_source, read
from hedgerow.data.table import files
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import DataError

TWO = (
    b"From ann@x.org Thu Jan  1 10:00:00 2004\nFrom: ann@x.org\nSubject: trees\n\nShall we?\n\n>From now on\n"
    b"From here, too\n\nFrom a sentence\nthat goes on\n\n"
    b"From bob@x.org Thu Jan  1 11:00:00 2004\nSubject: Re: trees\nFrom: bob@x.org\n\nYes.\n"
)
FIRST = "From: ann@x.org\nSubject: trees\n\nShall we?\n\nFrom now on\nFrom here, too\n\nFrom a sentence\nthat goes on\n"
SECOND = "Subject: Re: trees\nFrom: bob@x.org\n\nYes.\n"


@pytest.fixture
def box(tmp_path):
    """Return a function that writes a mailbox and returns its path."""

    def write(content, name="mail.mbox"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def texts_of(path, **how):
    return list(open_source(path, **how).read()["text"])


def test_messages_keep_their_headers_and_have_no_class(box):
    table = read(box(TWO))
    assert table.schema == Schema((Column("text", Kind.TEXT),))
    assert list(table["text"]) == [FIRST, SECOND]
    assert texts_of(box(TWO), strip="headers")[1] == "Yes.\n"


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_messages_are_the_same_in_pieces_of_any_size(box, monkeypatch, size):
    whole = files.blocks

    def small(path, encoding="utf-8", witness=None):
        return whole(path, encoding, size, witness)

    path = box(TWO)
    monkeypatch.setattr(files, "blocks", small)
    assert texts_of(path) == [FIRST, SECOND]
    assert [len(batch) for batch in open_source(path).batches(1)] == [1, 1]


def test_windows_line_ends_and_compression_change_nothing(box):
    assert texts_of(box(TWO.replace(b"\n", b"\r\n"))) == [FIRST, SECOND]
    assert texts_of(box(gzip.compress(TWO), "mail.mbox.gz")) == [FIRST, SECOND]


def test_parts_are_decoded_and_attachments_left_out():
    mail = EmailMessage()
    mail["Subject"] = "grüne Bäume"
    mail.set_content("Schöne Grüße\n", cte="base64")
    mail.add_alternative("<p>Schöne Grüße</p>", subtype="html")
    mail.add_attachment(b"\0\1\2", maintype="image", subtype="png", filename="a.png")
    text, replaced = message_text(mail.as_bytes(), "utf-8")
    head, _, body = text.decode().partition("\n\n")
    assert "Subject: grüne Bäume" in head
    assert (body, replaced) == ("Schöne Grüße\n", 0)


@pytest.mark.parametrize("cte", ["quoted-printable", "base64", "8bit"])
def test_of_a_mail_in_html_alone_the_text_is_read(cte):
    mail = EmailMessage()
    mail.set_content("<style>p {}</style><p>Grüße an&nbsp;<b>a</b>lle</p>\n", subtype="html", cte=cte)
    assert message_text(mail.as_bytes(), "utf-8")[0].decode().endswith("\n\nGrüße an alle\n")


def test_a_plain_mail_that_looks_like_html_stays_as_it_is():
    mail = EmailMessage()
    mail.set_content("Write <b>bold</b> &amp; more\n")
    assert message_text(mail.as_bytes(), "utf-8")[0].decode().endswith("\n\nWrite <b>bold</b> &amp; more\n")


def test_quotes_of_a_mail_in_html_can_be_stripped(box):
    page = b'<p>Yes.</p><div>Ann wrote:<blockquote class="gmail_quote">Shall we?<p>Now?</blockquote></div>'
    mail = b"From a Thu Jan  1 10:00:00 2004\nSubject: x\nContent-Type: text/html; charset=utf-8\n\n" + page
    assert texts_of(box(mail), strip="headers,quotes") == ["Yes.\n\n\n"]


@pytest.mark.parametrize(
    ("charset", "body", "expected", "bad"),
    [
        ("iso-8859-1", "grün".encode("latin-1"), "grün", 0),
        ("us-ascii", "grün".encode(), "grün", 0),
        ("klingon", "grün".encode(), "grün", 0),
        ("utf-8", "grün".encode("latin-1"), "gr\ufffdn", 1),
    ],
)
def test_a_mail_may_tell_its_encoding(charset, body, expected, bad):
    raw = f"Content-Type: text/plain;\n  charset={charset}\n\n".encode() + body
    text, replaced = message_text(raw, "utf-8")
    assert text.decode().endswith("\n\n" + expected)
    assert replaced == bad


@pytest.mark.parametrize("raw", [b"", b"\n", b"\n\nbody", b"Subject: =?x?q?=ff?=\n\nb", b"Subject: =?utf-8?b?A?=\n\nb"])
def test_odd_mails_are_text_all_the_same(raw):
    message_text(raw, "utf-8")[0].decode()


def test_bad_bytes_name_the_message(box):
    source = open_source(box(TWO.replace(b"Yes.", b"Yes \xff.")))
    source.read()
    (note,) = source.notes
    assert note.startswith(
        "1 message of 2 holds bytes that are not valid utf-8 (1 in total, replaced by \ufffd): number 2 (1)"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty; an mbox file holds at least one message"),
        (b" \n\n", "is empty"),
        (b"Subject: a single mail\n\nbody\n", "begins with 'Subject: a single mail', but an mbox file begins with"),
        (b"noise\n\n" + TWO, "begins with 'noise'"),
    ],
)
def test_what_is_no_mailbox_is_refused(box, content, problem):
    with pytest.raises(DataError, match=problem):
        read(box(content))


def test_a_mailbox_of_the_standard_library_is_read(tmp_path):
    made = mailbox.mbox(tmp_path / "m.mbox")
    for number in range(30):
        made.add(f"Subject: {number}\n\nFrom me to you\n\nFrom {number}\nbye\n")
    made.close()
    texts = list(read(tmp_path / "m.mbox")["text"])
    assert [text.split("\n")[0] for text in texts] == [f"Subject: {number}" for number in range(30)]
    assert texts[7].rstrip("\n").endswith("From me to you\n\nFrom 7\nbye")
