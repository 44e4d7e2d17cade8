"""The content of a folder of texts: one folder per class, one file per document; or files alone, without classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hedgerow.data.table import files
from hedgerow.data.table.schema import first_repeated
from hedgerow.errors import DataError

FIRST = 3  # how many names a note lists
TABLES = frozenset((".csv", ".tsv", ".tab", ".arff", ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".jsonl", ".svm"))


@dataclass
class FolderEntries:
    """The files and folders in one folder, in the order of their names, and what is skipped."""

    path: str
    files: list[os.DirEntry[str]] = field(default_factory=list)
    folders: list[os.DirEntry[str]] = field(default_factory=list)
    hidden_names: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)  # pipes, sockets and devices


@dataclass
class Listing:
    """The documents of a folder: the path and class code of each, the classes if there are any, and notes."""

    paths: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    classes: tuple[str, ...] | None = None
    notes: list[str] = field(default_factory=list)


def list_texts(root: str) -> Listing:
    """Return the documents below a folder, those of a class together, sorted by the names of classes and files."""
    top = list_folder(root)
    if not top.folders:
        return _list_unclassified(top)
    parts = [list_folder(entry.path) for entry in top.folders]
    _refuse_deep(root, parts)
    full = [part for part in parts if part.files]
    if not full:
        raise DataError(f"the folders in {format_path(root)} are empty; each needs one file per document")
    classes = tuple(format_path(os.path.basename(part.path)) for part in full)
    if (twice := first_repeated(classes)) is not None:
        raise DataError(
            f"{format_path(root)}: two folders are called {twice!r} once bytes that are not UTF-8 are replaced; "
            "rename one"
        )
    listing = Listing(classes=classes)
    for code, part in enumerate(full):
        listing.paths += [entry.path for entry in part.files]
        listing.codes += [code] * len(part.files)
    every = [top, *parts]
    _note(listing, "files outside the class folders are", top.files, root)
    _note(listing, "folders inside the class folders are", [one for part in parts for one in part.folders], root)
    _note_names(listing, "hidden files and folders are", [name for part in every for name in part.hidden_names], root)
    _note_names(listing, "pipes, sockets and devices are", [name for part in every for name in part.odd], root)
    _note_names(listing, "empty folders are", [part.path for part in parts if not part.files], root)
    _note_links(listing, [entry for part in full for entry in part.files], root)
    return listing


def list_folder(path: str) -> FolderEntries:
    """Return the content of a folder; links are followed."""
    folder = FolderEntries(path)
    try:
        with os.scandir(path) as entries:
            sorted_entries = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        raise DataError(f"there is no folder {format_path(path)}; check the path") from None
    except NotADirectoryError:
        raise DataError(f"{format_path(path)} is not a folder; name a folder of texts, or leave out --format") from None
    except OSError as error:
        raise DataError(f"the folder {format_path(path)} cannot be read: {error.strerror or error}") from None
    for entry in sorted_entries:
        if entry.name.startswith("."):
            folder.hidden_names.append(entry.path)
        elif _is(entry, "file"):
            folder.files.append(entry)
        elif _is(entry, "folder"):
            folder.folders.append(entry)
        elif entry.is_symlink():
            raise DataError(f"{format_path(entry.path)} is a broken link; repair or remove it")
        else:
            folder.odd.append(entry.path)
    return folder


def format_path(path: str) -> str:
    """Return a name as text: bytes of it that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _is(entry: os.DirEntry[str], what: str) -> bool:
    try:
        return entry.is_file() if what == "file" else entry.is_dir()
    except OSError:  # links in a circle
        return False


def _list_unclassified(top: FolderEntries) -> Listing:
    """Return the files of a folder that has no folders in it."""
    root = top.path
    if not top.files:
        raise DataError(
            f"{format_path(root)} is an empty folder; it needs one folder per class, with one file per document"
        )
    tables = [entry.name for entry in top.files if files.suffix(entry.name) in TABLES]
    if tables:
        raise DataError(
            f"{format_path(root)} is a folder of tables; name one of the tables, such as {format_path(tables[0])}"
        )
    listing = Listing([entry.path for entry in top.files], [-1] * len(top.files))
    listing.notes.append("it contains no folders, so its files are read as texts without a class")
    _note_names(listing, "hidden files are", top.hidden_names, root)
    _note_names(listing, "pipes, sockets and devices are", top.odd, root)
    _note_links(listing, top.files, root)
    return listing


def _refuse_deep(root: str, parts: Sequence[FolderEntries]) -> None:
    """Raise an error if the classes are one folder deeper, as in train/ and test/."""
    deep = [part for part in parts if part.folders and not part.files]
    if not deep:
        return
    if len(deep) == len(parts):
        others = ", ".join(format_path(part.path) for part in deep[:FIRST])
        raise DataError(
            f"{format_path(root)} contains folders of folders; name the one whose folders are the classes: {others}"
        )
    raise DataError(
        f"{format_path(deep[0].path)} contains folders but no files, while other folders in {format_path(root)} "
        "contain files; "
        "move its files up into it, or move it elsewhere"
    )


def _note(listing: Listing, what: str, entries: Iterable[os.DirEntry[str]], root: str) -> None:
    _note_names(listing, what, [entry.path for entry in entries], root)


def _note_names(listing: Listing, what: str, paths: Sequence[str], root: str) -> None:
    if paths:
        listing.notes.append(f"{what} skipped: {_names(paths, root)}")


def _names(paths: Sequence[str], root: str) -> str:
    named = ", ".join(relative(path, root) for path in paths[:FIRST])
    return named + (f" and {len(paths) - FIRST:,} more" if len(paths) > FIRST else "")


def relative(path: str, root: str) -> str:
    """Return how messages call a document: by its path below the folder."""
    return format_path(str(Path(path).relative_to(root)))


def _note_links(listing: Listing, entries: Iterable[os.DirEntry[str]], root: str) -> None:
    """Note files that are read twice, since links lead to them."""
    seen: dict[tuple[int, int], str] = {}
    twice: list[str] = []
    devices: dict[str, int] = {}
    for entry in entries:
        if entry.is_symlink():
            status = entry.stat()
            key = status.st_dev, status.st_ino
        else:
            folder = os.path.dirname(entry.path)
            if folder not in devices:
                devices[folder] = os.stat(folder).st_dev
            key = devices[folder], entry.inode()
        if key in seen:
            twice.append(f"{relative(entry.path, root)} is {relative(seen[key], root)}")
        seen.setdefault(key, entry.path)
    if twice:
        more = f" and {len(twice) - FIRST:,} more" if len(twice) > FIRST else ""
        listing.notes.append(f"files are read twice, through links: {', '.join(twice[:FIRST])}{more}")
