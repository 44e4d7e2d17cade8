"""Learning as passes over rows: a plan counts tables, counts add up, and the plan advances on their sum.

The engines only differ in where the rows are: in memory (threads over row blocks) or in a source (batches from
disk). A cluster engine would map `count` over partitions and add in a fixed order just the same. The result
is always an ordinary model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, ClassVar, Protocol

from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.prepare import StreamSummary
from hedgerow.models.base.model import Model

BLOCK_ROWS = 100_000  # rows counted at a time, for any number of threads, so that the sums do not depend on it


class Pass(ABC):
    """One pass over the rows: how to count a table."""

    in_pairs: ClassVar[bool] = True  # False: counts are added one after the other, so that only two of them are held

    @abstractmethod
    def count(self, table: Table) -> Any:
        """Return the counts of some rows; counts of disjoint rows add with `+`."""

    def count_in_memory(self, table: Table) -> Any:  # noqa: ARG002
        """Return the counts of a whole table in memory if its rows need not be counted in blocks; None otherwise."""
        return None


class Plan(Pass):
    """A pass that also knows what to do with the sum of the counts."""

    @abstractmethod
    def advance(self, counts: Any) -> Plan | Model:
        """Return the next pass, or the model when this was the last."""


class Engine(Protocol):
    """Where the rows are."""

    def total(self, task: Pass) -> Any:
        """Return the counts of all rows, added in a fixed order."""


class InMemoryEngine:
    """Rows in one table: counted in blocks of a fixed size by threads, added in the order of the blocks."""

    def __init__(self, table: Table, threads: int | None = None) -> None:
        self.table = table
        self.threads = threads or n_threads()

    def total(self, task: Pass) -> Any:
        """Return the counts of the whole table."""
        if self.table.n_rows <= BLOCK_ROWS:
            return task.count(self.table)
        if (counts := task.count_in_memory(self.table)) is not None:
            return counts
        with ThreadPoolExecutor(self.threads) as pool:
            return add_counts(pool.map(task.count, self.table.batches(BLOCK_ROWS)), task.in_pairs)


class StreamEngine:
    """Rows in a source: every pass reads its batches once, the next one being read while this one is counted."""

    def __init__(self, source: Source, seen: StreamSummary) -> None:
        self.source = source
        self.seen = seen

    def total(self, task: Pass) -> Any:
        """Return the counts of all batches; a pass that finds weights to scale is repeated."""
        total = self._count_batches(task)
        return self._count_batches(task) if self.seen.finds_unit() else total

    def _count_batches(self, task: Pass) -> Any:
        self.seen.start()
        batches = prefetch(self.source.batches())
        total = add_counts((task.count(self.seen.usable(batch)) for batch in batches), task.in_pairs)
        self.seen.check(self.source.name)
        return total


def add_counts(counts: Iterable[Any], in_pairs: bool = True) -> Any:
    """Return the sum of counts by pairwise summation, so that large counts are seldom added to."""
    if not in_pairs:
        return reduce(add, counts)
    sums: list[tuple[int, Any]] = []  # how many were added, and their sum; ever fewer towards the end
    for one in counts:
        sums.append((1, one))
        while len(sums) > 1 and sums[-1][0] == sums[-2][0]:
            _add_last(sums)
    if not sums:
        raise TypeError("there is nothing to add")
    while len(sums) > 1:
        _add_last(sums)
    return sums[0][1]


def _add_last(sums: list[tuple[int, Any]]) -> None:
    """Replace the last two by their sum, and drop the references to them."""
    (more, right), (some, left) = sums.pop(), sums.pop()
    sums.append((some + more, left + right))


def run(plan: Plan, engine: Engine) -> Model:
    """Run a plan through all its passes."""
    state: Plan | Model = plan
    while isinstance(state, Plan):
        state = state.advance(engine.total(state))
    return state


def prefetch(batches: Iterable[Table]) -> Iterator[Table]:
    """Yield the batches, prefetching the next one in a thread."""
    batches = iter(batches)
    with ThreadPoolExecutor(1) as pool:
        coming: Future[Table | None] = pool.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield batch
