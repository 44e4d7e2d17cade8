"""CountedTerms: a corpus whose terms are counted, before their weights are determined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.term_counts import TermCounts, masked_weight
from hedgerow.data.text.term_vectors import NORMS, TFS, TermVectors, scales
from hedgerow.data.text.tokens import WORDS, Tokens, text_from_kernel


@dataclass(frozen=True, eq=False)
class CountedTerms:
    """The counts of all texts together, and their rows, packed, from which vectors are computed once.

    Examples
    --------
    >>> counted = CountedTerms.of(Text.of(["free, free money", None, "no money"]))
    >>> counted.counts.rows.tolist()
    [1.0, 2.0, 1.0]
    >>> counted.vectors("count", None, "l1").matrix().toarray().round(3).tolist()
    [[0.667, 0.333, 0.0], [0.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    """

    counts: TermCounts
    rows: Any

    @classmethod
    def of(cls, text: Text, tokens: Tokens = WORDS) -> CountedTerms:
        """Count the terms of some texts."""
        rows = _kernels.CountedTerms(text.data, text.offsets, text.missing, *tokens.kernel_settings, n_threads())
        (data, offsets), *sums = rows.sums()
        by_term = [one.astype(np.float64) for one in sums]
        return cls(TermCounts(text_from_kernel(data, offsets), masked_weight(~text.missing), *by_term), rows)

    def vectors(self, tf: str, scale: Numbers | None, norm: str) -> TermVectors:
        """Return the weights of the terms: see `TermVectors.of_counts`. The rows are gone then."""
        how = TFS.index(tf), scales(scale), NORMS.index(norm)
        starts, ids, values = self.rows.weigh(*how, n_threads())
        return TermVectors(starts, ids, values, len(self.counts))
