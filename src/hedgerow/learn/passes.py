"""Learning as passes over rows: a plan counts tables, counts add up, and the plan advances on their sum.

The engines only differ in where the rows are: in memory (threads over row blocks) or in a source (batches from
disk). A cluster engine would map `count` over partitions and add in a fixed order just the same. What comes back
is always an ordinary model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, Protocol

from hedgerow.data.source import Source
from hedgerow.data.table import Table
from hedgerow.data.threads import n_threads
from hedgerow.models.model import Model

BLOCK_ROWS = 100_000  # fewer rows than this are not worth a thread


class Plan(ABC):
    """One pass over the rows: how to count a table, and what to do with the sum of the counts."""

    @abstractmethod
    def count(self, table: Table) -> Any:
        """Return the counts of some rows; counts of disjoint rows add with `+`."""

    @abstractmethod
    def advance(self, counts: Any) -> Plan | Model:
        """Return the next pass, or the model when this was the last."""


class Engine(Protocol):
    """Where the rows are."""

    def total(self, plan: Plan) -> Any:
        """Return the counts of all rows, added in a fixed order."""


class Memory:
    """Rows in one table: counted in blocks by threads, added in the order of the blocks."""

    def __init__(self, table: Table, threads: int | None = None) -> None:
        self.table = table
        self.threads = threads or n_threads()

    def total(self, plan: Plan) -> Any:
        """Return the counts of the whole table."""
        blocks = min(self.threads, self.table.n_rows // BLOCK_ROWS)
        if blocks < 2:
            return plan.count(self.table)
        size = -(-self.table.n_rows // blocks)
        with ThreadPoolExecutor(blocks) as pool:
            return reduce(add, pool.map(plan.count, self.table.batches(size)))


class Streamed:
    """Rows in a source: every pass reads its batches once, the next one being read while this one is counted."""

    def __init__(self, source: Source, prepared: Callable[[Table], Table] = lambda table: table) -> None:
        self.source = source
        self.prepared = prepared

    def total(self, plan: Plan) -> Any:
        """Return the counts of all batches."""
        return reduce(add, (plan.count(self.prepared(batch)) for batch in ahead(self.source.batches())))


def run(plan: Plan, engine: Engine) -> Model:
    """Carry a plan through all its passes."""
    state: Plan | Model = plan
    while isinstance(state, Plan):
        state = state.advance(engine.total(state))
    return state


def ahead(batches: Iterable[Table]) -> Iterator[Table]:
    """Yield the batches, fetching the next one in a thread meanwhile."""
    batches = iter(batches)
    with ThreadPoolExecutor(1) as pool:
        coming: Future[Table | None] = pool.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield batch
