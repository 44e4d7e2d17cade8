"""Conversion of any data to rows of items, and of parameters to a search for item sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hedgerow.data.design.discretize import Discretizer
from hedgerow.data.formats.basket_detect import read_baskets
from hedgerow.data.items.items import Items
from hedgerow.data.items.lists import word_baskets
from hedgerow.data.items.pairs import pairs_to_baskets
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.learn import inputs
from hedgerow.learn.associations.rows import InMemory, ItemRows, Passes
from hedgerow.learn.associations.search_limits import (
    ANY_LENGTH,
    NO_LIMIT,
    Flags,
    Wanted,
    bound_of,
    for_rules,
    half_of_memory,
    item_bounds,
    largest_count,
)
from hedgerow.learn.associations.set_passes import items_of_stream
from hedgerow.learn.params import amount_of, names_in
from hedgerow.learn.passes import Engine, Streamed
from hedgerow.learn.prepare import Seen, ready, usable_schema

SETS_SHARE = 0.8  # share of the memory for the sets; intermediate data take the rest
TAKEN = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.BAG})


@dataclass(frozen=True, eq=False)
class MiningInput:
    """The input rows, notes on them, and their number."""

    rows: ItemRows
    notes: tuple[str, ...]
    table: Table | None
    stream: Seen | None

    def seen(self) -> tuple[int, float]:
        """Return the number of rows and their weight."""
        if self.table is not None:
            return self.table.n_rows, self.table.total_weight
        assert self.stream is not None
        return self.stream.rows, self.stream.weight


MAXIMAL_SECONDS = 60.0


def enter(data: Any, given: Mapping[str, Any], threads: int | None = None) -> MiningInput:
    """Return data as rows of items."""
    if isinstance(data, Source) and given["id"] is None:
        schema, notes = usable_schema(data.schema.with_target(None), TAKEN)
        seen = Seen(schema)
        rows: ItemRows = streamed_rows(schema, Streamed(data, seen), given)
        return MiningInput(rows, tuple(notes), None, seen)
    table = as_baskets(enter_table(data).table, given)
    prepared = ready(table, TAKEN, None)
    return MiningInput(memory_rows(prepared.table, given, threads), prepared.notes, prepared.table, None)


def enter_table(data: Any) -> inputs.InputTable:
    """Return data as a table; lists of words, and lines of different lengths in a file, are baskets."""
    baskets = read_baskets(data) if inputs.is_path(data) else word_baskets(data)
    return inputs.enter(data) if baskets is None else inputs.InputTable(baskets, None)


def as_baskets(table: Table, given: Mapping[str, Any]) -> Table:
    """Return a table without a target; one of pairs is turned into baskets."""
    table = table.with_target(None)
    if (given["id"] is None) != (given["item"] is None):
        raise UsageError("id and item belong together: name the column of the baskets and that of the items")
    return table if given["id"] is None else pairs_to_baskets(table, given["id"], given["item"])


def memory_rows(table: Table, given: Mapping[str, Any], threads: int | None = None) -> InMemory:
    """Return the rows of a prepared table."""
    items = Items.from_table(table, names_in(given["absent"]), given["discretize"], int(given["bins"]))
    return InMemory.of(table, items, threads or n_threads())


def streamed_rows(schema: Any, engine: Engine, given: Mapping[str, Any]) -> Passes:
    """Return the rows over which an engine makes passes."""
    how = Discretizer(given["discretize"], int(given["bins"]))
    items = items_of_stream(schema, engine, names_in(given["absent"]), how)
    return Passes(items, engine, bool(given["look_ahead"]))


def wanted_sets(rows: ItemRows, given: Mapping[str, Any], which: str = "all", top: int | None = None) -> Wanted:
    """Return the search that the parameters define."""
    bound = bound_of(given["min_support"], given["min_count"], rows.total, rows.whole)
    spread = given["max_spread"]
    return Wanted(
        item_bounds(rows.items, bound, given["min_supports"], rows.total, rows.whole),
        which,
        ANY_LENGTH if given["max_length"] is None else int(given["max_length"]),
        math.inf if spread is None else largest_count(float(spread), rows.total, rows.whole),
        most_sets=NO_LIMIT if top is None else top,
        memory=int(SETS_SHARE * (amount_of("size", given["memory"]) or half_of_memory())),
        seconds=amount_of("duration", given["time"]) or _patience(rows, which),
    )


def sets_for_rules(rows: ItemRows, given: Mapping[str, Any], roles: Flags) -> Wanted:
    """Return the search that the parameters define, limited to sets that can give rules, in half of the memory."""
    wanted = wanted_sets(rows, given, top=given["max_sets"])
    wanted = replace(wanted, memory=wanted.memory // 2)
    return for_rules(wanted, roles, given["max_antecedent"], given["max_consequent"])


def _patience(rows: ItemRows, which: str) -> float:
    """Return the default time limit in seconds: maximal sets of long, nearly equal rows may take forever."""
    return MAXIMAL_SECONDS if which == "maximal" and isinstance(rows, InMemory) else math.inf
