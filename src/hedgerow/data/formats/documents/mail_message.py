"""One mail as text: its headers, a blank line, and the readable part of its body."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message

from hedgerow.data.formats.documents.encodings import codec, convert_to_utf8
from hedgerow.data.formats.documents.html_text import text_of_html
from hedgerow.errors import UsageError

_IS_WRAPPED = re.compile(
    rb"^Content-(?:Type:\s*multipart/|Transfer-Encoding:\s*(?:base64|quoted-printable))", re.I | re.M
)
_IS_HTML = re.compile(rb"^Content-Type:\s*text/html\b", re.I | re.M)
_CHARSET = re.compile(rb"^Content-Type:[^\n]*(?:\n[ \t][^\n]*)*?charset=\"?([^\s\";]+)", re.I | re.M)
_ENCODED_WORDS = re.compile(r"=\?[^?\s]+\?[bqBQ]\?[^?]*\?=(?:\s*=\?[^?\s]+\?[bqBQ]\?[^?]*\?=)*")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.M)


def message_text(raw: bytes, encoding: str) -> tuple[bytes, int]:
    """Return a mail as UTF-8, and how many bytes had to be replaced.

    The headers stay, words in them that are encoded for transport are decoded. The body is that of the plain parts;
    if there are none, the text of those in HTML; attachments are left out. `encoding` is that of mails that do not tell
    theirs.
    """
    raw = raw.replace(b"\r\n", b"\n")
    raw = _QUOTED_FROM.sub(rb"\1", raw) if b">From " in raw else raw
    head, _, body = (b"", b"", raw[1:]) if raw.startswith(b"\n") else raw.partition(b"\n\n")
    first, bad = convert_to_utf8(head, _charset(head, encoding), marked=False)
    if _IS_WRAPPED.search(head):
        parts = [_decode_part(part, encoding) for part in _readable(message_from_bytes(raw))]
    else:
        plain = convert_to_utf8(body, _charset(head, encoding), marked=False)
        parts = [_extract_text(*plain) if _IS_HTML.search(head) else plain]
    text = _headers(first.decode()).encode("utf-8", "replace")
    return text + b"\n\n" + b"\n".join(part for part, _ in parts), bad + sum(count for _, count in parts)


def _charset(head: bytes, encoding: str) -> str:
    """Return the encoding given by headers, otherwise the default one; ASCII is not mentioned."""
    match = _CHARSET.search(head)
    return encoding if match is None else _known_encoding(match[1].decode("ascii", "replace"), encoding)


def _known_encoding(charset: str, encoding: str) -> str:
    try:
        name = codec(charset)
    except UsageError:
        return encoding
    return encoding if name == "ascii" else name


def _headers(text: str) -> str:
    return _ENCODED_WORDS.sub(lambda match: _decode_words(match[0]), text) if "=?" in text else text


def _decode_words(encoded: str) -> str:
    """Return words like =?utf-8?q?gr=C3=BCn?= decoded; unchanged if they cannot be decoded."""
    try:
        parts = decode_header(encoded)
        return "".join(
            p if isinstance(p, str) else p.decode(_known_encoding(c or "", "utf-8"), "replace") for p, c in parts
        )
    except (MessageError, ValueError, LookupError):
        return encoded


def _readable(message: Message) -> list[Message]:
    """Return the parts of a mail that are text: plain ones, or else those in HTML."""
    texts = [part for part in message.walk() if part.get_content_maintype() == "text" and not part.get_filename()]
    plain = [part for part in texts if part.get_content_subtype() != "html"]
    return plain or texts


def _decode_part(part: Message, encoding: str) -> tuple[bytes, int]:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    decoded_part = convert_to_utf8(
        raw.replace(b"\r\n", b"\n"), _known_encoding(part.get_content_charset() or "", encoding)
    )
    return _extract_text(*decoded_part) if part.get_content_subtype() == "html" else decoded_part


def _extract_text(page: bytes, replaced: int) -> tuple[bytes, int]:
    """Return the readable text of a page in HTML, and the number of replaced bytes."""
    return text_of_html(page.decode("utf-8", "replace")).encode("utf-8", "replace"), replaced
