"""TermPositions: the positions of the terms in a text, in bytes of the original text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Rows, Text
from hedgerow.data.text.tokens import WORDS, Tokens


@dataclass(frozen=True, eq=False)
class TermPositions:
    """Occurrence i is of the term `terms[i]`, at the bytes `begins[i]` to `ends[i]` of the text.

    They are in the order of `Tokens.split`. A term is told by its position in the vocabulary, -1 if it is not there.
    """

    terms: Codes
    begins: Rows
    ends: Rows

    def __len__(self) -> int:
        return len(self.terms)


def find_terms(
    text: bytes | str, vocabulary: Text | Iterable[str], tokens: Tokens = WORDS, *, every: bool = False
) -> TermPositions:
    """Return the positions of the terms of a vocabulary in a text; with `every`, also those of all other terms.

    Examples
    --------
    >>> text = "İstanbul, FREE money: İ"
    >>> found = find_terms(text, ["free", "free money"], Tokens(ngrams=(1, 2)))
    >>> [text.encode()[a:b].decode() for a, b in zip(found.begins, found.ends)]
    ['FREE', 'FREE money']
    """
    known = vocabulary if isinstance(vocabulary, Text) else Text.of(vocabulary)
    raw = text.encode("utf-8", "replace") if isinstance(text, str) else text
    data = np.frombuffer(raw, dtype=np.uint8)
    return TermPositions(*_kernels.find_term_positions(data, known.data, known.offsets, *tokens.kernel_settings, every))
