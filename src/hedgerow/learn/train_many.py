"""Learners that learn many models from the same rows in one go, each with parameters of its own.

Whoever tries parameters (`evaluate/tune.py`) hands all of them over at once. What does not depend on them is then done
once, and one solution may be the start of the next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Self

from hedgerow.data.table.table import Table
from hedgerow.learn.base import Learner
from hedgerow.learn.prepare import ready
from hedgerow.models.base.model import Model


class TrainsMany(Learner):
    """A learner that writes `learn_each` besides `learn`."""

    @abstractmethod
    def learn_each(self, table: Table, learners: Sequence[Self]) -> Iterator[tuple[int, Model]]:
        """Yield the model of every learner, and its place among them, in any order; the table is ready as in `learn`.

        Models are yielded as they come and not kept, so that however many there are, one is held at a time. Each must
        be the one that its learner's `learn` returns, as far as the learner's tolerance goes.
        """

    def train_each(self, data: Table, learners: Sequence[Self]) -> Iterator[tuple[int, Model]]:
        """Yield the model of every learner, as its `train` returns it, and its position among them, in any order."""
        for one in learners:
            one.check_params()
        if len({one.accepted_kinds() for one in learners}) > 1:  # they do not see the same table
            yield from ((place, one.train(data)) for place, one in enumerate(learners))
            return
        learners[0].check_columns(data.schema, data)
        prepared = ready(data, learners[0].accepted_kinds(), self.target_is_classes)
        table = prepared.table
        for place, model in self.learn_each(table, learners):
            yield place, learners[place].add_about(model, table.n_rows, table.total_weight, prepared.notes)
