"""Conversion of any data to rows of items, and of parameters to a search for item sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hedgerow.data.design.discretize import Discretizer
from hedgerow.data.formats.basket_detect import read_baskets
from hedgerow.data.items.items import Items
from hedgerow.data.items.lists import parse_word_baskets
from hedgerow.data.items.pairs import pairs_to_baskets
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import UsageError
from hedgerow.learn import inputs
from hedgerow.learn.associations.rows import ItemRows, Passes, TableRows
from hedgerow.learn.associations.search_limits import (
    ANY_LENGTH,
    NO_LIMIT,
    Flags,
    SetLimits,
    half_of_memory,
    item_bounds,
    largest_count,
    min_count_of,
    narrow_to_rules,
)
from hedgerow.learn.associations.set_passes import items_of_stream
from hedgerow.learn.params import parse_names, to_amount
from hedgerow.learn.passes import Engine, StreamEngine
from hedgerow.learn.prepare import StreamSummary, ready, usable_schema

SETS_SHARE = 0.8  # share of the memory for the sets; intermediate data take the rest
TAKEN = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.BAG})


@dataclass(frozen=True, eq=False)
class MiningInput:
    """The input rows, notes on them, and their number."""

    rows: ItemRows
    notes: tuple[str, ...]
    table: Table | None
    stream: StreamSummary | None

    def row_totals(self) -> tuple[int, float]:
        """Return the number of rows and their weight."""
        if self.table is not None:
            return self.table.n_rows, self.table.total_weight
        assert self.stream is not None
        return self.stream.rows, self.stream.weight


MAXIMAL_SECONDS = 60.0


def load_rows(data: Any, parameters: Mapping[str, Any], threads: int | None = None) -> MiningInput:
    """Return data as rows of items."""
    if isinstance(data, Source) and parameters["id"] is None:
        schema, notes = usable_schema(data.schema.with_target(None), TAKEN)
        seen = StreamSummary(schema)
        rows: ItemRows = streamed_rows(schema, StreamEngine(data, seen), parameters)
        return MiningInput(rows, tuple(notes), None, seen)
    table = to_baskets(load_table(data).table, parameters)
    prepared = ready(table, TAKEN, None)
    return MiningInput(memory_rows(prepared.table, parameters, threads), prepared.notes, prepared.table, None)


def load_table(data: Any) -> inputs.InputTable:
    """Return data as a table; lists of words, and lines of different lengths in a file, are baskets."""
    baskets = read_baskets(data) if inputs.is_path(data) else parse_word_baskets(data)
    return inputs.to_input_table(data) if baskets is None else inputs.InputTable(baskets, None)


def to_baskets(table: Table, parameters: Mapping[str, Any]) -> Table:
    """Return a table without a target; one of pairs is turned into baskets."""
    table = table.with_target(None)
    if (parameters["id"] is None) != (parameters["item"] is None):
        raise UsageError("id and item belong together: name the column of the baskets and that of the items")
    return table if parameters["id"] is None else pairs_to_baskets(table, parameters["id"], parameters["item"])


def memory_rows(table: Table, parameters: Mapping[str, Any], threads: int | None = None) -> TableRows:
    """Return the rows of a prepared table."""
    items = Items.from_table(
        table, parse_names(parameters["absent"]), parameters["discretize"], int(parameters["bins"])
    )
    return TableRows.of(table, items, threads or n_threads())


def streamed_rows(schema: Any, engine: Engine, parameters: Mapping[str, Any]) -> Passes:
    """Return the rows over which an engine makes passes."""
    how = Discretizer(parameters["discretize"], int(parameters["bins"]))
    items = items_of_stream(schema, engine, parse_names(parameters["absent"]), how)
    return Passes(items, engine, bool(parameters["look_ahead"]))


def set_limits(rows: ItemRows, parameters: Mapping[str, Any], which: str = "all", top: int | None = None) -> SetLimits:
    """Return the search that the parameters define."""
    bound = min_count_of(parameters["min_support"], parameters["min_count"], rows.total, rows.whole)
    spread = parameters["max_spread"]
    return SetLimits(
        item_bounds(rows.items, bound, parameters["min_supports"], rows.total, rows.whole),
        which,
        ANY_LENGTH if parameters["max_length"] is None else int(parameters["max_length"]),
        math.inf if spread is None else largest_count(float(spread), rows.total, rows.whole),
        most_sets=NO_LIMIT if top is None else top,
        memory=int(SETS_SHARE * (to_amount("size", parameters["memory"]) or half_of_memory())),
        seconds=to_amount("duration", parameters["time"]) or _time_limit(rows, which),
    )


def sets_for_rules(rows: ItemRows, parameters: Mapping[str, Any], roles: Flags) -> SetLimits:
    """Return the search that the parameters define, limited to sets that can give rules, in half of the memory."""
    wanted = set_limits(rows, parameters, top=parameters["max_sets"])
    wanted = replace(wanted, memory=wanted.memory // 2)
    return narrow_to_rules(wanted, roles, parameters["max_antecedent"], parameters["max_consequent"])


def _time_limit(rows: ItemRows, which: str) -> float:
    """Return the default time limit in seconds: maximal sets of long, nearly equal rows may take forever."""
    return MAXIMAL_SECONDS if which == "maximal" and isinstance(rows, TableRows) else math.inf
