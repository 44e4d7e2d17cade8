"""Linkage: the merges of points, or of rows whose distances are given, by the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import DataError
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.models.clusters.dendrogram import CITY, LINKAGES, comparison_matrix
from hedgerow.models.clusters.merges import Merges

LINEAR = ("single", "ward", "centroid")  # linkages that need no more memory than the rows
PLACES_PER_ENTRY = 16  # dense positions compared in the time of one sparse entry


def link_points(
    points: ClusterPoints, linkage: str, distance: str, memory: float, threads: int = 1
) -> tuple[Merges, list[str]]:
    """Return the merges of the rows of a table, and notes; equal rows are merged first, at height 0."""
    apart = points.distinct()
    order = np.argsort(apart.rows, kind="stable")  # points in the order of their first rows
    matrix, weights, rows = (
        comparison_matrix(apart.space, apart.matrix[order], distance),
        apart.weights[order],
        apart.rows[order],
    )
    number, city, notes = LINKAGES.index(linkage), distance == CITY, list[str]()
    if not isinstance(matrix, np.ndarray):
        if _is_cheaper_by_entries(matrix, linkage, memory):
            short, notes = _precision(len(rows), linkage, memory)
            found = _kernels.link_sparse(*_entries(matrix), weights, city, number, short, threads)
            return _expand_duplicates(found, rows, apart.places), notes
        matrix = _dense(matrix, memory)
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    if linkage == "single":
        found = _kernels.link_tree(matrix, city)
    elif linkage in LINEAR:
        found = _kernels.link_centers(matrix, weights, linkage == "ward")
    else:
        short, notes = _precision(len(matrix), linkage, memory)
        found = _kernels.link_pairs(matrix, weights, city, number, short, threads)
    return _expand_duplicates(found, rows, apart.places), notes


def _is_cheaper_by_entries(matrix: Any, linkage: str, memory: float) -> bool:
    """Return whether the distances of all pairs are computed faster from the entries of a sparse matrix.

    An entry of two sparse rows costs as much as many positions of two dense rows. Linkages that do not need the
    distances of all pairs use them only where they fit in memory.
    """
    n, width = matrix.shape
    return matrix.nnz * PLACES_PER_ENTRY <= n * width and (linkage not in LINEAR or 8.0 * n * (n - 1) / 2 <= memory)


def _entries(matrix: Any) -> tuple[Rows, Codes, Numbers]:
    """Return where the entries of each row begin, their positions, ascending within a row, and their values."""
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)


def _dense(matrix: Any, memory: float) -> Numbers:
    """Return a sparse matrix as a dense one; raise an error if that takes too much memory."""
    needed = 8.0 * matrix.shape[0] * matrix.shape[1]
    if needed > memory:
        raise DataError(
            f"{matrix.shape[0]} rows with {matrix.shape[1]} terms and columns would take "
            f"{_format_memory(needed)} of memory, "
            f"more than {_format_memory(memory)}; keep fewer terms, take a sample of the rows, or raise `memory`"
        )
    return np.asarray(matrix.toarray())


def link_distances(distances: Numbers, weights: Numbers, linkage: str, memory: float) -> Merges:
    """Return the merges of rows whose distances to one another are given; those at 0 are merged first anyway."""
    check_distances(distances)
    n = len(distances)
    needed = 8.0 * n * (n - 1)
    if needed > memory:
        raise DataError(
            f"the distances of {n} rows would take {_format_memory(needed)} of memory, more than "
            f"{_format_memory(memory)}; "
            "take a sample of the rows, or raise `memory`"
        )
    condensed = np.ascontiguousarray(distances[np.triu_indices(n, 1)])
    return Merges(*_kernels.link_distances(condensed, weights, LINKAGES.index(linkage)))


def check_distances(distances: Numbers) -> None:
    """Raise an error unless this is a matrix of distances."""
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        shape = " x ".join(map(str, distances.shape))
        raise DataError(f"distance='precomputed' needs a square matrix, with one column per row, but it is {shape}")
    wrong = np.argwhere(~np.isfinite(distances) | (distances < 0))
    if len(wrong):
        a, b = wrong[0].tolist()
        raise DataError(
            f"the distance of rows {a + 1} and {b + 1} is {distances[a, b]}; it must be a number of at least 0"
        )
    if np.diagonal(distances).any():
        row = int(np.flatnonzero(np.diagonal(distances))[0])
        raise DataError(f"the distance of row {row + 1} to itself is {distances[row, row]:g}; it must be 0")
    uneven = np.argwhere(np.abs(distances - distances.T) > 1e-9 * np.maximum(distances, distances.T))
    if len(uneven):
        a, b = uneven[0].tolist()
        raise DataError(
            f"the distance of rows {a + 1} and {b + 1} is {distances[a, b]:g} in one direction, {distances[b, a]:g} "
            "in the other; distances must be symmetric"
        )


def _precision(n: int, linkage: str, memory: float) -> tuple[bool, list[str]]:
    """Return whether distances are single precision, and a note if so; raise an error if even that is too much."""
    pairs = n * (n - 1) / 2
    if 8 * pairs <= memory:
        return False, []
    if 4 * pairs <= memory:
        text = f"the distances of {n} rows are stored in single precision, {_format_memory(4 * pairs)}"
        return True, [f"{text}, since twice that is more than {_format_memory(memory)}"]
    raise DataError(
        f"{linkage} linkage stores the distances of all pairs: of {n} different rows "
        f"{_format_memory(4 * pairs)}, more than "
        f"{_format_memory(memory)}; linkage='ward' or 'single' needs no more memory than the rows, or take a "
        "sample of the "
        "rows, or raise `memory`"
    )


def _expand_duplicates(found: tuple[Numbers, Numbers, Numbers], rows: Rows, places: Rows) -> Merges:
    """Return merges of points as merges of the rows that they represent, those of equal rows first."""
    first, second, heights = found
    by_row = np.full(int(places.max()) + 1, len(places), dtype=np.int64)
    np.minimum.at(by_row, places, np.arange(len(places)))
    lowest = by_row[places]
    more = np.flatnonzero(lowest != np.arange(len(places)))
    more = more[np.lexsort((more, lowest[more]))]
    return Merges(
        np.concatenate((lowest[more], rows[first])).astype(np.int32),
        np.concatenate((more, rows[second])).astype(np.int32),
        np.concatenate((np.zeros(len(more)), heights)),
    )


def _format_memory(amount: float) -> str:
    """Return an amount of memory as text."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1024:
            return f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} TB"
