"""Shapes in a grid: cells of equal value as few rectangles, and contour lines of a function."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers

Point = tuple[float, float]
# Which edges of a square a line crosses, by its corners above the level (1 upper left, 2 upper right, 4 lower right,
# 8 lower left); edges are 0 top, 1 right, 2 bottom, 3 left. The two saddles are told apart by the mean of the corners.
CROSSED: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
    5: ((3, 0), (1, 2)), 10: ((0, 1), (2, 3)),
}  # fmt: skip
OTHER_WAY = {5: ((3, 2), (1, 0)), 10: ((0, 3), (2, 1))}  # where the middle is above the level


def rectangles(codes: NDArray[np.int32]) -> dict[int, list[tuple[int, int, int, int]]]:
    """Return the cells of each value as rectangles (left, top, width, height): runs in a row, merged vertically.

    >>> rectangles(np.array([[0, 0, 1], [0, 0, 1]], dtype=np.int32))
    {0: [(0, 0, 2, 2)], 1: [(2, 0, 1, 2)]}
    """
    found: dict[int, list[tuple[int, int, int, int]]] = {}
    since: dict[tuple[int, int, int], int] = {}  # run (left, right, value) -> the row where it began
    for row in range(len(codes) + 1):
        runs: dict[tuple[int, int, int], int] = {}
        if row < len(codes):
            line = codes[row]
            ends = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
            for left, right in pairwise(ends):
                run = left, right, int(line[left])
                runs[run] = since.get(run, row)
        for (left, right, value), top in since.items():
            if (left, right, value) not in runs:
                found.setdefault(value, []).append((left, top, right - left, row - top))
        since = runs
    return found


def contour(field: Numbers, level: float) -> list[list[Point]]:
    """Return the contour lines of a function at a level, as points (column, row) of its grid, joined by straight lines.

    The function is given at the nodes of a grid (rows, columns). Marching squares (Lorensen and Cline 1987, in two
    dimensions); squares with a corner that is NaN are left out. A line that returns to its first point is closed.
    """
    above = field > level
    corners = above[:-1, :-1] + 2 * above[:-1, 1:] + 4 * above[1:, 1:] + 8 * above[1:, :-1]
    known = np.isfinite(field[:-1, :-1] + field[:-1, 1:] + field[1:, 1:] + field[1:, :-1])
    links: dict[Point, list[Point]] = {}
    for row, column in np.argwhere(known & (corners > 0) & (corners < 15)).tolist():
        case = int(corners[row, column])
        pairs = CROSSED[case]
        if case in OTHER_WAY and field[row : row + 2, column : column + 2].mean() > level:
            pairs = OTHER_WAY[case]
        for first, last in pairs:
            one, other = (_crossing(field, level, row, column, edge) for edge in (first, last))
            if one != other:
                links.setdefault(one, []).append(other)
                links.setdefault(other, []).append(one)
    return _lines(links)


def _crossing(field: Numbers, level: float, row: int, column: int, edge: int) -> Point:
    """Return the crossing of the level between the two nodes of an edge; the same for both adjacent squares."""
    row, column = row + (edge == 2), column + (edge == 1)
    down = edge in (1, 3)
    start, end = float(field[row, column]), float(field[row + down, column + (not down)])
    share = (level - start) / (end - start)
    return (float(column), row + share) if down else (column + share, float(row))


def _lines(links: dict[Point, list[Point]]) -> list[list[Point]]:
    """Return lines through linked points: open lines first, then closed ones."""
    lines = []
    ends = [point for point, others in links.items() if len(others) == 1]
    for start in [*ends, *links]:
        line, here = [start], start
        while links[here]:
            after = links[here].pop()
            links[after].remove(here)
            line.append(after)
            here = after
        if len(line) > 1:
            lines.append(line)
    return lines
