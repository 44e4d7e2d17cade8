"""Mailboxes in mbox files: every message a row, its text the headers and the body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hedgerow.data.formats.documents import Document, DocumentsFile
from hedgerow.data.formats.message import message_text
from hedgerow.errors import DataError

# A line that begins with "From " begins a message if a blank line stands before it and a header below it.
_START = re.compile(rb"(?:\A\s*|\n\r?\n)(From [^\n]*\n)(?=[!-9;-~]+:|>From )")
LONGEST_START = 1 << 16  # bytes in which the first message must begin


class MboxSource(DocumentsFile):
    """An mbox file, read message by message."""

    what = "message"

    def documents(self) -> Iterator[Document]:
        """Yield the messages in order."""
        number = 0
        for number, raw in enumerate(self._messages(), start=1):
            yield Document(f"number {number}", *message_text(raw, self.left_to_decode))
        if not number:
            raise DataError(f"{self.name} is empty; an mbox file holds at least one message")

    def _messages(self) -> Iterator[bytes]:
        rest, is_open = b"", False
        for piece in self.pieces():
            rest += piece
            starts = list(_START.finditer(rest))
            if not starts:
                if not is_open and len(rest) > LONGEST_START:
                    self._refuse(rest)
                continue
            if not is_open and rest[: starts[0].start(1)].strip():
                self._refuse(rest)
            for one, other in pairwise(starts):
                yield rest[one.end() : other.start() + 1]
            rest, is_open = rest[starts[-1].start(1) :], True
        if not is_open:
            self._refuse(rest)
        elif rest.strip():
            yield rest[rest.find(b"\n") + 1 :]

    def _refuse(self, rest: bytes) -> None:
        line = rest.lstrip()[:60].split(b"\n")[0].decode("utf-8", "replace")
        if line:
            raise DataError(
                f"{self.name} begins with {line!r}, but an mbox file with a line 'From ...' and headers below it; "
                "put a single mail into a folder"
            )
