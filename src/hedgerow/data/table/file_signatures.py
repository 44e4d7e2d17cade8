"""Files other than text, recognized by their first bytes, with a hint on how to read them."""

from __future__ import annotations

import re

from hedgerow.errors import DataError

HEAD = 512  # bytes that are looked at
_TAR = (257, b"ustar")
_UNPACK = "unpack it and name one of its files"
_EXPORT = "save the table as CSV and name that file"
_PICKLE = "load it in Python, if you trust it (a pickle can run code), and pass the frame or array to hedgerow"


def _with_article(name: str) -> str:
    return f"read it with --format {name} (in Python, format={name!r}), or rename it to end in .{name}"


# How a file begins; what it is then; what to do.
_FIRST_BYTES: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x05\x06", "an empty zip archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\x04\x22\x4d\x18", "compressed with lz4", "decompress it (lz4 -d), or compress it as .gz or .zst"),
    (b"LZIP", "compressed with lzip", "decompress it (lzip -d), or compress it as .gz or .zst"),
    (b"\x1f\x9d", "compressed with compress", "decompress it (uncompress), or compress it as .gz or .zst"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office file, such as an .xls workbook", _EXPORT),
    (b"PAR1\x15", "a Parquet file", _with_article("parquet")),
    (b"ARROW1\x00\x00", "a Feather file", _with_article("feather")),
    (b"Obj\x01", "an Avro file", _EXPORT),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _EXPORT),
    (b"\x93NUMPY", "a NumPy array", "read it with numpy.load and pass the array to hedgerow in Python"),
    *((bytes((0x80, version)), "a Python pickle", _PICKLE) for version in range(2, 6)),
    (b"$FL2@(#)", "an SPSS file", _EXPORT),
    (b"<stata_dta>", "a Stata file", _EXPORT),
    (b"RDX2\n", "an R data file", "write the table with write.csv in R"),
    (b"RDX3\n", "an R data file", "write the table with write.csv in R"),
    (b"%PDF-", "a PDF document", _EXPORT),
    (b"{\\rtf", "a rich text document", _EXPORT),
    (b"\x89PNG\r\n\x1a\n", "an image", "name a file that holds a table"),
    (b"\xff\xd8\xff", "an image", "name a file that holds a table"),
    (b"GIF8", "an image", "name a file that holds a table"),
    (b"II*\x00", "an image", "name a file that holds a table"),
    (b"MM\x00*", "an image", "name a file that holds a table"),
    (b"\x7fELF", "a program", "name a file that holds a table"),
)  # fmt: skip


# How files begin whose format does not depend on their names.
_FORMATS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1\x15", "parquet"),
    (b"ARROW1\x00\x00", "feather"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"<stata_dta>", "stata"),
    (b"$FL2@(#)", "spss"),
    (b"$FL3@(#)", "spss"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11", "sas"),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "xport"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "excel"),
)
_PAGE = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*<(!doctype html|html|head|body|table|\?xml|svg|div)\b", re.IGNORECASE | re.DOTALL
)
_ARFF = re.compile(rb"(?i)(?:\s*%[^\n]*\n)*\s*@relation\s")
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})')
_WORKBOOK = (b"[Content_Types]", b"_rels/", b"xl/", b"docProps/")


def detect_format(head: bytes) -> str | None:
    """Return the format that the first bytes of a file tell, whatever its name; None if they tell none."""
    if head.startswith(b"PK\x03\x04"):
        first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
        is_sheet = first == b"mimetype" and b"opendocument.spreadsheet" in head[:200]
        return "excel" if is_sheet or first.startswith(_WORKBOOK) else None
    return next((name for first, name in _FORMATS if head.startswith(first)), None)


def detect_text_format(head: bytes) -> str | None:
    """Return the format that the first characters of a text tell: ARFF, or JSON."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    if _ARFF.match(text):
        return "arff"
    return "json" if _JSON.match(text) else None


def is_plain_zip(head: bytes) -> bool:
    """Return whether a zip archive is just that, and not a document, a model or arrays."""
    return _kind_of_zip(head)[0] == "a zip archive"


def check_no_page(head: bytes, name: str) -> None:
    """Raise an error if a text is a web page or another XML document, as a browser saves it instead of a file."""
    match = _PAGE.match(head)
    if match is not None:
        what = "an XML document" if match[1].lower() in (b"?xml", b"svg") else "a web page"
        raise DataError(f"{name} is {what}, not a table; download the data file itself, or {_EXPORT}")


def check_text(head: bytes, name: str) -> None:
    """Raise an error if bytes, the first of a file, are those of a known kind of file that is not a text."""
    if (signature := _detect_signature(head)) is not None:
        what, remedy = signature
        raise DataError(f"{name} is {what}, not text; {remedy}")


def _detect_signature(head: bytes) -> tuple[str, str] | None:
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(head)
    if head[_TAR[0] :].startswith(_TAR[1]):
        return "a tar archive", _UNPACK
    return next(((what, remedy) for first, what, remedy in _FIRST_BYTES if head.startswith(first)), None)


def _kind_of_zip(head: bytes) -> tuple[str, str]:
    """Tell the zips that have a meaning of their own by the name of their first member."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if first.startswith((b"[Content_Types]", b"_rels/", b"xl/", b"docProps/")):
        return "a Microsoft Office file, such as an .xlsx workbook", _EXPORT
    if first == b"mimetype":
        return "an OpenDocument file, such as an .ods sheet", _EXPORT
    if first == b"manifest.json":
        return "a hedgerow model", "name the data to read; `hedgerow show` prints a model"
    if first.endswith(b".npy"):
        return "an archive of NumPy arrays", "read it with numpy.load and pass one of the arrays to hedgerow in Python"
    return "a zip archive", _UNPACK
