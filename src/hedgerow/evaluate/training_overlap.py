"""Whether the rows of a table are rows that a model was trained on.

The model keeps a sketch of its training rows (`data/rows/row_sketch.py`). Where rows repeat, as in tables of a few
nominal columns, new rows may be equal to training rows by coincidence. The probability that a new row is one that has
been seen before is estimated from the training rows alone, as the share of them that are equal to another training row
(I. J. Good, The population frequencies of species and the estimation of population parameters, 1953).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.rows.hashing import Bits, hash_rows
from hedgerow.data.rows.row_sketch import Counts, RowSketch, digest_of
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.learn.training_sketch import row_counts
from hedgerow.models.base.model import Model

LEAST_EVIDENCE = 8.0  # logarithm of the ratio of likelihoods beyond which coincidence is excluded
LEAST_SHARE = 0.05  # of rows equal beyond coincidence, from which on the figures of a test are no evidence
LEAST_NOTED = 0.01  # of equal rows, from which on they are mentioned


@dataclass(frozen=True)
class TrainingOverlap:
    """How many rows of a table are equal to training rows of a model.

    Parameters
    ----------
    rows
        The number of rows compared: all rows of the table, or a sample if the model was trained on many rows.
    equal
        How many of them are equal to a training row.
    repeated
        The share of the training rows that are equal to another one, and so the share of new rows that may be expected
        to be equal to training rows by coincidence.
    training_rows
        The number of training rows that this share was computed from.
    is_same
        Whether the table holds exactly the training rows.
    """

    rows: int
    equal: int
    repeated: float
    training_rows: int
    is_same: bool

    @property
    def equal_share(self) -> float:
        """The share of the rows that are equal to training rows."""
        return self.equal / self.rows if self.rows else 0.0

    @property
    def trained_share(self) -> float:
        """The estimated share of the rows that the model was trained on: those equal beyond coincidence."""
        if self.is_same:
            return 1.0
        if self.equal_share <= self.repeated or self._evidence < LEAST_EVIDENCE:
            return 0.0
        return (self.equal_share - self.repeated) / (1 - self.repeated)

    @property
    def is_trained(self) -> bool:
        """Whether the model was trained on so many of the rows that a test on them is no evidence."""
        return self.is_same or (self.trained_share > 0 and self.equal_share - self.repeated >= LEAST_SHARE)

    @property
    def _evidence(self) -> float:
        """How much more likely the equal rows are if more rows than by coincidence are equal: a log-likelihood ratio.

        It compares two binomial shares: of the rows that are equal to training rows, and of the training rows that are
        equal to others.
        """
        seen = self.repeated * self.training_rows
        pooled = (self.equal + seen) / (self.rows + self.training_rows)
        return _divergence(self.equal_share, pooled, self.rows) + _divergence(self.repeated, pooled, self.training_rows)

    @property
    def headline(self) -> str:
        """The sentence that replaces any praise of the figures; empty if they are evidence."""
        if not self.is_trained:
            return ""
        return f"About {_percent(self.trained_share)} of these rows were trained on: these figures are not evidence."

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on rows that are equal to training rows, though no more than coincidence may explain."""
        if self.is_trained or self.equal_share < LEAST_NOTED:
            return ()
        note = f"{_percent(self.equal_share)} of these rows are equal to training rows"
        if self.repeated < LEAST_NOTED:
            return (note,)
        return (f"{note} (of the training rows themselves, {_percent(self.repeated)} are equal to others)",)


def training_overlap(model: Model, table: Table) -> TrainingOverlap | None:
    """Return the overlap of a table with the training rows of a model; None if the model has no sketch of them.

    The table must have the columns of the model's schema, with levels matched by value; its target may have more
    classes.
    """
    sketch = model.about.sketch
    if sketch is None or not table.n_rows:
        return None
    return compare_rows(sketch, hash_rows(table), row_counts(table))


def compare_rows(sketch: RowSketch, hashes: Bits, counts: Counts | None = None) -> TrainingOverlap | None:
    """Return the overlap of rows, given by their hashes, with those of a sketch; None if none can be compared."""
    is_same = digest_of(hashes, counts) == sketch.digest
    sampled = sketch.in_sample(hashes)
    known = sampled & np.isin(hashes, sketch.hashes)
    rows, equal = (int(np.count_nonzero(one) if counts is None else counts[one].sum()) for one in (sampled, known))
    if not rows and not is_same:
        return None
    return TrainingOverlap(rows, equal, sketch.repeated / max(sketch.sampled, 1), sketch.sampled, is_same)


def overlap_of_tested(
    model: Model, table: Table, target: Codes | Numbers, labels: tuple[str, ...], rows: Rows
) -> TrainingOverlap | None:
    """Return the overlap of the tested rows of a table, whose target is given apart, with all its labels."""
    if model.about.sketch is None:
        return None
    column = replace(table.schema.target_column, levels=labels)
    tested = table.with_column(column, target)
    return training_overlap(model, tested if len(rows) == len(table) else tested.view(rows))


def _divergence(share: float, other: float, rows: int) -> float:
    """Return the log-likelihood ratio of a share of rows to another share."""
    return rows * sum(one * math.log(one / two) for one, two in ((share, other), (1 - share, 1 - other)) if one > 0)


def _percent(share: float) -> str:
    return f"{round(share * 100)} %"
