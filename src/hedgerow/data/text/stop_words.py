"""Stop words: frequent words that carry little information, skipped when texts are split."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from hedgerow.data.table.schema import listing
from hedgerow.errors import UsageError

StopWordsLike = str | PathLike[str] | Iterable[str] | None


def stop_words_of(source: StopWordsLike, lower: bool = True) -> frozenset[str]:
    """Return stop words: those of a list, of a file with one word per line, or of a language.

    >>> sorted(stop_words_of("the, of,and"))
    ['and', 'of', 'the']

    The lists of languages are those of the package `stop-words`, if it is installed; none are kept here. A word is
    compared with whole words of a text, so that one such as `don't`, which is two of them, is never met.

    Parameters
    ----------
    given
        Words, in one text with commas between them too; the path of a text file (UTF-8, one word per line, `#` begins a
        comment); the name of a language, such as `english`, or its code; None for no words.
    lower
        Whether texts are taken in lower case, and the words with them.
    """
    if source is None:
        return frozenset()
    if isinstance(source, str | PathLike):
        words = _read_file(Path(source)) if _is_file(source) else _parse_text(str(source))
    else:
        words = list(source)
        if strange := [word for word in words if not isinstance(word, str)]:
            raise UsageError(f"stop words must be words, but {strange[0]!r} is not a word")
    return frozenset(word.lower() if lower else word for word in words if word)


def _is_file(source: str | PathLike[str]) -> bool:
    return isinstance(source, PathLike) or "/" in source or "." in source or Path(source).is_file()


def _read_file(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the stop words of {str(path)!r} cannot be read: {reason}") from None
    return [word for line in lines if (word := line.partition("#")[0].strip())]


def _parse_text(text: str) -> list[str]:
    """Return the words separated by commas, or those of a language."""
    return [word.strip() for word in text.split(",")] if "," in text else _load_language(text)


def _load_language(name: str) -> list[str]:
    try:
        import stop_words  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise UsageError(
            f"there is no list of stop words for {name!r}: install lists (pip install stop-words), name a file with "
            "one word per line, or give several words separated by commas"
        ) from None
    try:
        words: list[str] = stop_words.get_stop_words(name.lower())
    except stop_words.StopWordError:
        known = sorted(stop_words.LANGUAGE_MAPPING.values())
        raise UsageError(
            f"there are no stop words for the language {name!r}; the languages are {listing(known, 50)}"
        ) from None
    return words
