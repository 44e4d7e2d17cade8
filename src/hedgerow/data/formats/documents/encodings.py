"""Documents of any encoding as UTF-8: byte order marks honored, bytes that do not fit replaced and counted."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass, field

from hedgerow.data.table.files import MARKS
from hedgerow.errors import UsageError

_FIRST_BYTES = tuple(mark for mark, _ in MARKS)
_SIGN = "\N{REPLACEMENT CHARACTER}"
FIRST = 3  # how many documents a note names


def codec(encoding: str) -> str:
    """Return the encoding's own name; one that does not decode text raises."""
    try:
        b" ".decode(encoding, "replace")
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise UsageError(f"there is no encoding {encoding!r}; try utf-8, latin-1 or cp1252") from None


def is_like_ascii(encoding: str) -> bool:
    """Return whether lines can be distinguished before they are decoded."""
    return bytes(range(32, 127)).decode(encoding, "replace").encode() == bytes(range(32, 127)) and (
        b"\n".decode(encoding, "replace") == "\n"
    )


def convert_to_utf8(raw: bytes, encoding: str, marked: bool = True) -> tuple[bytes, int]:
    """Return a document as UTF-8, and how many of its bytes had to be replaced; those that belong together are one.

    If it may be `marked`, a byte order mark at its beginning tells the encoding, unless another than UTF-8 is asked
    for, and is left out.
    """
    if raw.isascii() and encoding == "utf-8":
        return raw, 0
    if marked and encoding == "utf-8" and raw.startswith(_FIRST_BYTES):
        mark, encoding = next((mark, name) for mark, name in MARKS if raw.startswith(mark))
        raw = raw[len(mark) :]
    try:
        text = raw.decode(encoding)
        return (raw if encoding == "utf-8" else text.encode("utf-8", "replace")), 0
    except UnicodeError:
        text = raw.decode(encoding, "replace")
    own = raw.count(_SIGN.encode()) if encoding == "utf-8" else 0
    return text.encode("utf-8", "replace"), max(text.count(_SIGN) - own, 1)


@dataclass
class DecodingFaults:
    """Problems of documents, counted while they are read."""

    document_noun: str  # one of them, such as "file"
    encoding: str
    documents: int = 0
    replacements_by_document: dict[str, int] = field(default_factory=dict)  # bytes by document, of the first few
    bad: int = 0
    bad_bytes: int = 0
    nul: int = 0
    documents_with_nul: list[str] = field(default_factory=list)

    def add(self, name: str, document: bytes, replaced: int) -> None:
        """Take in a document."""
        self.documents += 1
        if replaced:
            self.bad += 1
            self.bad_bytes += replaced
            if len(self.replacements_by_document) < FIRST:
                self.replacements_by_document[_format_name(name)] = replaced
        if b"\0" in document:
            self.nul += 1
            if len(self.documents_with_nul) < FIRST:
                self.documents_with_nul.append(_format_name(name))

    def notes(self) -> list[str]:
        """Return a sentence on each sort of fault."""
        out = []
        if self.bad:
            named = ", ".join(f"{name} ({count:,})" for name, count in self.replacements_by_document.items())
            other = "latin-1" if self.encoding == "utf-8" else "utf-8"
            out.append(
                f"{_many(self.bad, self.document_noun)} of {self.documents:,} {_hold(self.bad)} bytes that are "
                "not valid "
                f"{self.encoding} ({self.bad_bytes:,} in total, replaced by {_SIGN}): "
                f"{named}{_count_others(self.bad)}; if "
                f"the files have another encoding, name it, as in --encoding {other}"
            )
        if self.nul:
            named = ", ".join(self.documents_with_nul)
            out.append(
                f"{_many(self.nul, self.document_noun)} of {self.documents:,} {_hold(self.nul)} NUL bytes and "
                "may not be text: "
                f"{named}{_count_others(self.nul)}"
            )
        return out


def _format_name(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "replace")


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _hold(count: int) -> str:
    return "holds" if count == 1 else "hold"


def _count_others(count: int) -> str:
    return f" and {count - FIRST:,} more" if count > FIRST else ""
