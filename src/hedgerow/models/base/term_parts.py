"""Term spaces in models: in words, as parts of files, and their checks when they come back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Rows, Text
from hedgerow.data.text.term_space import TermSpace, Weighting
from hedgerow.data.text.tokens import Tokens, text_from_kernel
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.models.base.checked_parts import array_part, expect_parts, restore_sparse, sparsify, weights_part

PARTS = ("tokens", "weighting", "letters", "ends", "n_rows", "rows", "totals")


def terms_text(space: TermSpace) -> str:
    """Return how many terms there are, in words."""
    return f"{len(space)} terms" if space.tokens.bits is None else f"terms hashed to {len(space)} columns"


def space_parts(space: TermSpace) -> dict[str, Any]:
    """Return a space as JSON values and arrays."""
    how = space.weighting
    return {
        "tokens": space.tokens.to_dict(),
        "weighting": [how.tf, how.idf, how.norm],
        "letters": space.vocabulary.data,
        "ends": space.vocabulary.offsets[1:] - space.vocabulary.offsets[0],
        "n_rows": space.n_rows,
        "rows": sparsify(space.rows),
        "totals": space.totals,
    }


def space_of(parts: Any) -> TermSpace:
    """Return the space with these parts; inconsistent parts raise an error."""
    expect_parts(parts, *PARTS)
    tokens, weighting = _settings(parts)
    vocabulary = _vocabulary(parts)
    n_columns = len(vocabulary) if tokens.bits is None else 1 << tokens.bits
    rows = restore_sparse(parts, "rows", n_columns)
    if (rows < 0).any():
        raise ModelError("its part 'rows' holds a negative weight")
    totals = weights_part(parts, "totals", len(vocabulary))
    n_rows = parts["n_rows"]
    if type(n_rows) is not float or not 0 <= n_rows < np.inf or (rows > n_rows).any():
        raise ModelError("its terms occur in an impossible number of texts")
    return TermSpace(vocabulary, n_rows, rows, totals, tokens, weighting)


def _settings(parts: Any) -> tuple[Tokens, Weighting]:
    listed = parts["weighting"]
    if not isinstance(listed, list) or len(listed) != 3 or not all(type(word) is str for word in listed):
        raise ModelError("its part 'weighting' must be three words")
    try:
        return Tokens.from_dict(parts["tokens"]), Weighting(*listed)
    except (DataError, UsageError) as error:
        raise ModelError(str(error)) from None


def _vocabulary(parts: Any) -> Text:
    letters = array_part(parts, "letters", np.uint8, None)
    ends: Rows = array_part(parts, "ends", np.int64, None)
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    if (np.diff(offsets) < 0).any() or offsets[-1] != len(letters):
        raise ModelError("its part 'ends' does not ascend to the end of the characters")
    merged, _, _ = _kernels.merge_words(letters, offsets, np.empty(0, np.uint8), np.zeros(1, np.int64))
    vocabulary = text_from_kernel(*merged)
    if not _ascends(vocabulary):
        raise ModelError("its terms are not in ascending order")
    return vocabulary


def _ascends(vocabulary: Text) -> bool:
    data, offsets = vocabulary.data.tobytes(), vocabulary.offsets.tolist()
    words = [data[a:b] for a, b in pairwise(offsets)]
    return all(one < other for one, other in pairwise(words))
