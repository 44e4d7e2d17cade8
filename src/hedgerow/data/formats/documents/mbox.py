"""Mailboxes in mbox files: every message a row, its text the headers and the body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hedgerow.data.formats.documents.documents import Document, DocumentsFile
from hedgerow.data.formats.documents.mail_message import message_text
from hedgerow.errors import DataError

_ENVELOPE = re.compile(rb"From [^\n]*\n(?=[!-9;-~]+:|>From )")
LONGEST_START = 1 << 16  # bytes in which the first message must begin


class MboxSource(DocumentsFile):
    """An mbox file, read message by message."""

    document_noun = "message"

    def documents(self) -> Iterator[Document]:
        """Yield the messages in order."""
        number = 0
        for number, raw in enumerate(self._messages(), start=1):
            yield Document(f"number {number}", *message_text(raw, self.document_encoding))
        if not number:
            raise DataError(f"{self.name} is empty; an mbox file holds at least one message")

    def _messages(self) -> Iterator[bytes]:
        rest, is_open = b"", False
        for piece in self.pieces():
            rest = rest + piece if is_open or rest else b"\n\n" + piece.lstrip()
            starts = list(_starts(rest))
            if (starts and starts[0][0] != 2) or (not starts and len(rest) > LONGEST_START):
                self._refuse(rest)
            is_open = is_open or bool(starts)
            for (_, one), (other, _) in pairwise(starts):
                yield rest[one:other].removesuffix(b"\n").removesuffix(b"\r")  # without the blank line at its end
            if starts:
                rest = b"\n\n" + rest[starts[-1][0] :]
        if not is_open:
            self._refuse(rest)
        else:
            yield rest[rest.find(b"\n", 2) + 1 :]

    def _refuse(self, rest: bytes) -> None:
        line = rest.lstrip()[:60].split(b"\n")[0].decode("utf-8", "replace")
        if line:
            raise DataError(
                f"{self.name} begins with {line!r}, but an mbox file begins with a line 'From ...' followed by "
                "headers; put a single mail into a folder"
            )


def _starts(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield where messages start and where their headers do.

    A line that begins with "From " starts a message if a blank line stands before it and a header below it.
    """
    at = text.find(b"\nFrom ")
    while at >= 0:
        is_apart = text[at - 1 : at] == b"\n" or text[at - 2 : at] == b"\n\r"
        match = _ENVELOPE.match(text, at + 1) if is_apart else None
        if match is not None:
            yield at + 1, match.end()
        at = text.find(b"\nFrom ", at + 1)
