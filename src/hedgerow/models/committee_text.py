"""How a committee prints: what its members are and what they look at. Members are read one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hedgerow.data.decimals import number_text, significant
from hedgerow.models.committee import Committee
from hedgerow.models.words import name_text

MOST_SHOWN = 20  # members
MOST_COLUMNS = 10
WIDTH = 100

# A member of each kind, several, and what its size counts: several of these, and one.
WORDS = {
    "tree": ("tree", "trees", "leaves", "leaf"),
    "rules": ("rule list", "rule lists", "rules", "rule"),
    "distributions": ("table of distributions", "tables of distributions", "", ""),
    "linear_classes": ("linear model", "linear models", "coefficients", "coefficient"),
    "committee": ("committee", "committees", "members", "member"),
}
OTHERS = ("model", "models", "", "")

# How members decide together, with votes of their own and with the same vote.
RULES = {
    "vote": ("each gives its vote to the class it decides", "each has one vote"),
    "average": ("their distributions are averaged, weighted by their votes", "their distributions are averaged"),
}


def committee_text(model: Committee) -> str:
    """Return the summary: one line on members that have the same vote, else a line a member."""
    n, kinds = len(model), {one.kind for one in model.members}
    words = WORDS.get(kinds.pop(), OTHERS) if len(kinds) == 1 else OTHERS
    alike = bool((model.votes == model.votes[0]).all()) and words is not OTHERS
    lines = [f"A committee of {n} {words[n > 1]}" + (f"; {RULES[model.rule][alike]}" if n > 1 else "")]
    lines += _sizes_line(model, words) if alike else ["", *_member_lines(model)]
    lines += _columns_lines(model)
    if model.out_of_bag is not None:
        lines += ["", str(model.out_of_bag)]
    if model.remarks:
        lines += ["", *model.remarks]
    numbered = f"Members are numbered 0 to {n - 1}; to" if n > 1 else "To"
    return "\n".join([*lines, "", f"{numbered} read one: print(model.member(0)), or hedgerow show FILE --member 0"])


def vote_text(vote: float) -> str:
    """Return a vote as it prints."""
    return "infinite" if math.isinf(vote) else number_text(vote)


def _sizes_line(model: Committee, words: tuple[str, str, str, str]) -> list[str]:
    """Return how large the members are, where that tells something."""
    one, _, counted, single = words
    sizes = [size for size in (each.size for each in model.members) if size is not None]
    if not sizes or not counted:
        return []
    low, high = min(sizes), max(sizes)
    if low == high:
        return [f"{'Every' if len(sizes) > 1 else 'The'} {one} has {low} {single if low == 1 else counted}"]
    return [f"A {one} has {low} to {high} {counted} (mean {number_text(significant(sum(sizes) / len(sizes), 3))})"]


def _columns_lines(model: Committee) -> list[str]:
    """Return the columns that members look at, those that matter most first."""
    names, uses, shares = model.schema.names, model.uses, model.importance
    if shares is not None and shares.any():
        order = sorted((i for i in range(len(names)) if shares[i] > 0), key=lambda i: -shares[i])
        shown = [f"{name_text(names[i])} {shares[i]:.3f}" for i in order]
        return ["", "Columns, by their share in what splits take off Gini's index:", *_listed(shown)]
    if not uses:
        return []
    order = sorted((i for i in range(len(names)) if names[i] in uses), key=lambda i: -uses[names[i]])
    shown = [f"{name_text(names[i])} {uses[names[i]]}" for i in order]
    return ["", "Columns, by the number of members that use them:", *_listed(shown)]


def _listed(items: Sequence[str]) -> list[str]:
    """Return the first items in indented lines, and how many are left."""
    left = len(items) - MOST_COLUMNS
    pieces = [f"{item}," for item in items[:MOST_COLUMNS]]
    pieces[-1] = pieces[-1].removesuffix(",")
    return list(_filled([*pieces, *([f"and {left} more"] if left > 0 else [])]))


def _filled(pieces: Iterable[str]) -> Iterable[str]:
    line = " "
    for piece in pieces:
        if line.strip() and len(line) + 1 + len(piece) > WIDTH:
            yield line
            line = " "
        line = f"{line} {piece}"
    yield line


def _member_lines(model: Committee) -> list[str]:
    """Return a line a member: its number, and its kind, size and vote where these tell something."""
    numbers = range(min(len(model), MOST_SHOWN))
    cells = [["member", *map(str, numbers)]]
    kinds = {one.kind for one in model.members}
    if len(kinds) > 1:
        cells.append(["kind", *(model.members[i].kind for i in numbers)])
    sizes = [one.size for one in model.members]
    if any(size is not None for size in sizes):
        title = WORDS.get(kinds.pop(), OTHERS)[2] if len(kinds) == 1 else ""
        cells.append([title or "size", *("-" if sizes[i] is None else str(sizes[i]) for i in numbers)])
    cells.append(["vote", *(vote_text(float(model.votes[i])) for i in numbers)])
    widths = [max(map(len, column)) for column in cells]
    rows = zip(*cells, strict=True)
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    left = len(model) - MOST_SHOWN
    return lines if left <= 0 else [*lines, f"and {left} more"]
