"""The result of a search as item sets, with a sentence on the limit that ended it, if any."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.layout.numbers import format_number
from hedgerow.learn.associations.levels import SearchEnd, SearchResult
from hedgerow.learn.associations.rows import ItemRows, TableRows
from hedgerow.learn.associations.search_limits import NO_LIMIT, SetLimits
from hedgerow.models.associations.item_sets import ItemSets

SET_BYTES = 100  # upper bound of the bytes per set in the search


def to_counts(rows: ItemRows, counts: Numbers) -> NDArray[np.int64] | Numbers:
    """Return counts as stored in models: whole numbers, unless rows have weights.

    Fractions are added in another order than in the total; rounding must not make a count exceed the total.
    """
    return np.minimum(counts, rows.total) if rows.weighted else np.rint(counts).astype(np.int64)


def find_sets(rows: ItemRows, wanted: SetLimits) -> ItemSets:
    """Return the requested sets, or those within the limits; `ended` gives the reason."""
    timed = math.isfinite(wanted.seconds) and isinstance(rows, TableRows)
    sought = _search_within_time(rows, wanted) if timed else rows.find(wanted)
    length = 0
    if sought.status == SearchEnd.BOUND_ROSE and not len(sought.counts) and wanted.which == "all":
        sought, length = _short(rows, wanted, sought)
    bound = sought.bound if sought.status else wanted.min_bound
    if sought.status == SearchEnd.BOUND_ROSE:  # determined from the remaining sets, however they were found
        bound = float(sought.counts.min(initial=math.inf))
    return ItemSets.of(
        rows.items,
        sought.offsets,
        sought.codes,
        to_counts(rows, sought.counts),
        rows.total,
        which=wanted.which,
        bound=bound if math.isfinite(bound) else rows.total + 1,
        ended=_describe_early_end(wanted, sought, bound, length),
    )


def _search_within_time(rows: ItemRows, wanted: SetLimits) -> SearchResult:
    """Search within a time limit: in one run if half of it is enough, else with falling bounds.

    The second half starts with all rows as bound, lowers it by tenths to half of them, then halves it repeatedly;
    the result is that of the last completed search.
    """
    end = time.monotonic() + wanted.seconds
    best = rows.find(replace(wanted, seconds=wanted.seconds / 2))
    if best.status != SearchEnd.OUT_OF_TIME:
        return best
    none = np.zeros(1, dtype=np.int64)
    best = SearchResult(none, np.empty(0, dtype=np.int32), np.empty(0), math.inf, SearchEnd.OUT_OF_TIME)
    bound = math.inf
    while (left := end - time.monotonic()) > 0 and bound > wanted.min_bound:
        bound = max(_lower(bound, rows.total), wanted.min_bound)
        search_result = rows.find(replace(wanted.with_bound(bound), seconds=left))
        if search_result.status == SearchEnd.OUT_OF_TIME:
            break
        if search_result.status == SearchEnd.BOUND_ROSE:  # lower bounds need even more memory
            best = search_result if len(search_result.counts) > len(best.counts) else best
            break
        status = SearchEnd.DONE if bound == wanted.min_bound else SearchEnd.OUT_OF_TIME
        best = replace(search_result, bound=max(bound, search_result.bound), status=status)
    return best


def _lower(bound: float, total: float) -> float:
    """Return the next bound to try."""
    if math.isinf(bound):
        return total
    return bound - total / 10 if bound > 0.55 * total else bound / 2


def _short(rows: ItemRows, wanted: SetLimits, none: SearchResult) -> tuple[SearchResult, int]:
    """Return all sets up to the largest length at which they fit in memory, if even those of the highest count do not.

    Equal rows of many items have more sets than can be kept, all of one count, which no higher bound can separate.
    """
    best, length = none, 0
    while length < wanted.max_length:
        search_result = rows.find(replace(wanted, max_length=length + 1))
        if search_result.status != SearchEnd.DONE:
            break
        best, length = search_result, length + 1
    return best, length


def _describe_early_end(wanted: SetLimits, sought: SearchResult, bound: float, length: int) -> str:
    """Return why a search ended early, and which part of the result is complete."""
    limit = _limit(wanted)
    complete = f"all sets with a count of at least {_count_text(bound)} were found"
    if length:
        return f"{limit}: {complete} that have at most {length} items, but not the longer ones"
    if sought.status == SearchEnd.DONE:
        return ""
    if not len(sought.counts) and sought.status == SearchEnd.BOUND_ROSE:
        return f"{limit}, and all would have the same count: none was kept; allow more"
    if not len(sought.counts):
        complete = "no set was found"
    if sought.status == SearchEnd.OUT_OF_TIME and sought.levels:
        return f"the time limit was reached after sets of {sought.levels[-1].size} items: {complete} up to that size"
    if sought.status == SearchEnd.OUT_OF_TIME:
        return f"the time limit was reached: {complete}, but not those with lower counts"
    return f"{limit}: {complete}, but not those with lower counts"


def _limit(wanted: SetLimits) -> str:
    """Return which limit was reached; if the sets would fit in memory anyway, it is the limit of their number."""
    if wanted.most_sets >= NO_LIMIT:
        return "the memory limit was reached"
    if wanted.most_sets * SET_BYTES <= wanted.memory:
        return f"there are more than {wanted.most_sets:,} sets"
    return f"there are more than {wanted.most_sets:,} sets, or more than fit in memory"


def _count_text(count: float) -> str:
    return format_number(float(np.ceil(count - 1e-9)) if count > 1 else float(count))
