"""The container of model files: one zip of a manifest and .npy arrays, sealed by a checksum.

Input is never trusted: a size is compared with the bytes that are there before anything is
allocated, and a member that is not expected is refused, so that each file has one meaning only.
"""

from __future__ import annotations

import hashlib
import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import ModelError
from hedgerow.models.base.array_pools import MOST_DIMENSIONS

MANIFEST = "manifest.json"
DTYPES: dict[str, np.dtype[Any]] = {
    "float64": np.dtype("<f8"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "uint8": np.dtype("u1"),
    "bool": np.dtype("?"),
}
MOST_BYTES = 2_000_000_000  # of a file, and of all that is in it; beyond, a zip would need other headers
MOST_MANIFEST = 32 << 20
MOST_RATIO = 100  # maximum compression ratio of a member: data that compress better are stored uncompressed
MOST_ARRAYS = 60_000

_DIGEST = 64  # hex digits of SHA-256, the zip's comment
_END = struct.Struct("<4s4H2LH")  # the zip's end record, before its comment
_MOST_TABLE = 80 * MOST_ARRAYS  # bytes of the table of members
_LOCAL = 30  # bytes of a member's header, before its name


def seal(manifest: bytes, arrays: Sequence[NDArray[Any]]) -> bytes:
    """Return the file of a manifest and its arrays; the same content gives the same bytes."""
    members = {MANIFEST: manifest}
    for number, array in enumerate(arrays):
        members[array_member(number)] = npy(array)
    if sum(map(len, members.values())) > MOST_BYTES or len(manifest) > MOST_MANIFEST:
        raise ModelError(f"the model is too large to save: a model file holds at most {MOST_BYTES:,} bytes")
    if len(arrays) > MOST_ARRAYS:
        raise ModelError(f"the model has {len(arrays):,} arrays; a model file holds at most {MOST_ARRAYS:,}")
    body, loose = _write_zip(members, set())
    if loose:
        body, _ = _write_zip(members, loose)
    return body + hashlib.sha256(body).hexdigest().encode()


def unseal(data: bytes) -> Archive:
    """Return the contents of a file after verifying its checksum."""
    if not data:
        raise ModelError("is empty, not a hedgerow model file")
    if len(data) > MOST_BYTES:
        raise ModelError(f"is larger than a hedgerow model file can be ({MOST_BYTES:,} bytes)")
    if not data.startswith(b"PK\x03\x04") or data[_LOCAL : _LOCAL + len(MANIFEST)] != MANIFEST.encode():
        raise ModelError("is not a hedgerow model file, and contains no rules such as 'if Job = no then Class = No'")
    if hashlib.sha256(memoryview(data)[:-_DIGEST]).hexdigest().encode() != data[-_DIGEST:]:
        raise ModelError("is damaged: its checksum does not match; copy it again or save the model again")
    return Archive(data)


def array_member(number: int) -> str:
    """Return the name of the member that contains an array."""
    return f"arrays/a{number}.npy"


class Archive:
    """The members of a whole file, read one by one."""

    def __init__(self, data: bytes) -> None:
        self._check_end(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _ZIP_ERRORS:
            raise _invalid("its table of members cannot be read") from None
        self._members = self._zip.infolist()
        self._check_members()

    def manifest(self) -> bytes:
        """Return the manifest's bytes."""
        if self._members[0].file_size > MOST_MANIFEST:
            raise _invalid(f"its manifest is larger than {MOST_MANIFEST:,} bytes")
        return self._read(0)

    def check_names(self) -> None:
        """Raise an error unless the members after the manifest are arrays, numbered in order, and nothing else."""
        wanted = [MANIFEST, *map(array_member, range(len(self._members) - 1))]
        names = [member.filename for member in self._members]
        if names != wanted:
            odd = next(name for name, right in zip(names, wanted, strict=True) if name != right)
            raise _invalid(f"its member {odd!r} does not belong there")

    def array(self, number: int, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return an array, which must be of this type and shape."""
        if number + 1 >= len(self._members):
            raise _invalid(f"its member {array_member(number)!r} is missing")
        header = npy_header(dtype, shape)
        size = len(header) + DTYPES[dtype].itemsize * math.prod(shape)
        if self._members[number + 1].file_size != size:
            raise _invalid(f"the size of its array a{number} does not match its shape {shape}")
        data = self._read(number + 1)
        if not data.startswith(header):
            raise _invalid(f"the header of its array a{number} does not match the manifest")
        flat = np.frombuffer(data, DTYPES[dtype], offset=len(header))
        if dtype == "bool" and flat.view(np.uint8).max(initial=0) > 1:
            raise _invalid(f"its array a{number} holds a truth value that is neither 0 nor 1")
        array: NDArray[Any] = flat.reshape(shape).copy()
        return array

    @property
    def n_arrays(self) -> int:
        """How many arrays there are."""
        return len(self._members) - 1

    def _check_end(self, data: bytes) -> None:
        start = len(data) - _DIGEST - _END.size
        if start < 0:
            raise _invalid("its end record is missing")
        mark, _, _, _, _, size, _, comment = _END.unpack_from(data, start)
        if mark != b"PK\x05\x06" or comment != _DIGEST or size > _MOST_TABLE:
            raise _invalid("its end record is invalid")

    def _check_members(self) -> None:
        """Raise an error unless the members lie one after another, from the first byte to the table of members."""
        position = total = 0
        for member in self._members:
            if member.flag_bits or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _invalid(f"its member {member.filename!r} is compressed or encrypted in an unknown way")
            if member.header_offset != position or member.extra or member.comment:
                raise _invalid(f"its member {member.filename!r} is at the wrong position")
            if member.file_size > MOST_RATIO * member.compress_size:
                raise _invalid(
                    f"its member {member.filename!r} claims a decompressed size of {member.file_size:,} bytes"
                )
            position += _LOCAL + len(member.filename) + member.compress_size
            total += member.file_size
        if not self._members or position != self._zip.start_dir:
            raise _invalid("it contains bytes that do not belong to any member")
        if total > MOST_BYTES:
            raise _invalid(f"it claims a decompressed size of {total:,} bytes")

    def _read(self, number: int) -> bytes:
        member = self._members[number]
        try:
            with self._zip.open(member) as stream:
                data = stream.read(member.file_size + 1)
        except _ZIP_ERRORS:
            raise _invalid(f"its member {member.filename!r} cannot be decompressed") from None
        if len(data) != member.file_size:
            raise _invalid(f"its member {member.filename!r} is shorter than it claims")
        return data


# All errors that zipfile raises for members that contradict their headers.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def npy(array: NDArray[Any]) -> bytes:
    """Return the array as a .npy file."""
    name = array.dtype.name
    if name not in DTYPES or array.ndim > MOST_DIMENSIONS:
        raise ModelError(f"a model file cannot hold an array of {name} with {array.ndim} dimensions")
    return npy_header(name, array.shape) + array.astype(DTYPES[name], order="C", copy=False).tobytes()


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the header of a .npy file.

    Written here and not by NumPy, so that it is the same under every version, and a reader can compare
    it byte by byte instead of trusting it.
    """
    fields = f"{{'descr': '{DTYPES[dtype].str}', 'fortran_order': False, 'shape': {shape}, }}"
    padding = -(10 + len(fields) + 1) % 64
    text = fields + " " * padding + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def _write_zip(members: dict[str, bytes], stored: Iterable[str]) -> tuple[bytes, set[str]]:
    """Return the zip up to its checksum, and the members that pack so well that they look like bombs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)  # dated 1980, the earliest: the same model makes the same file
            info.external_attr = 0o644 << 16
            info.create_system = 3
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            out.writestr(info, content)
        out.comment = b"0" * _DIGEST
    loose = {i.filename for i in out.infolist() if i.file_size > MOST_RATIO * i.compress_size}
    return buffer.getvalue()[:-_DIGEST], loose


def _invalid(fault: str) -> ModelError:
    return ModelError(f"is not a valid hedgerow model file: {fault}")
