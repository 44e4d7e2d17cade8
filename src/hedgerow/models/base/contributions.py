"""Contributions: the parts of a decision, which add up to the model's own scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers


@dataclass(frozen=True, eq=False)
class Contribution:
    """One part of a decision: the prior, the value of a column, or a term of a text.

    Parameters
    ----------
    name
        Its printed name: `P(class)`, `sky = sun`, or the term.
    scores
        What it adds to the score of each class.
    column
        The column it is from; empty if it is from none.
    term
        Of a term of a text, its id in the column's term space; -1 otherwise.
    starts
        Whether it is the start of the sum, such as an intercept.
    """

    name: str
    scores: Numbers
    column: str = ""
    term: int = -1
    starts: bool = False


@dataclass(frozen=True, eq=False)
class Contributions:
    """The contributions to the prediction for one row: for every class, the scores of the parts sum to its score.

    `unit` is the unit of the scores, such as "log probability" or "cosine".
    """

    unit: str
    parts: tuple[Contribution, ...]

    @property
    def scores(self) -> Numbers:
        """The score of each class."""
        return np.asarray(np.sum([part.scores for part in self.parts], axis=0))
