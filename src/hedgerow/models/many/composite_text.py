"""The common text of models with members: their sizes, the columns they use, and how to print one."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.names import format_name
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.text_table import align_numbers
from hedgerow.layout.wrapping import LINE_WIDTH, fill_lines
from hedgerow.models.many.composite import Composite

MOST_SHOWN = 20  # members
MOST_COLUMNS = 10

# A member of each kind, several, and what its size counts: several of these, and one.
WORDS = {
    "tree": ("tree", "trees", "leaves", "leaf"),
    "rules": ("rule list", "rule lists", "rules", "rule"),
    "distributions": ("table of distributions", "tables of distributions", "", ""),
    "linear_classes": ("linear model", "linear models", "coefficients", "coefficient"),
    "machines": ("support vector machine", "support vector machines", "", ""),
    "committee": ("committee", "committees", "members", "member"),
    "coded": ("coded model", "coded models", "members", "member"),
}
OTHERS = ("model", "models", "", "")

MemberNames = tuple[str, str, str, str]


def member_names(model: Composite) -> MemberNames:
    """Return the name of the members, if they are of one kind."""
    kinds = {one.kind for one in model.members}
    return WORDS.get(kinds.pop(), OTHERS) if len(kinds) == 1 else OTHERS


def reading_hint(model: Composite) -> str:
    """Return the line on how to read a member."""
    n = len(model)
    numbered = f"Members are numbered 0 to {n - 1}; to" if n > 1 else "To"
    return f"{numbered} print one: print(model.member(0)), or hedgerow show FILE --member 0"


def sizes_line(model: Composite, words: MemberNames) -> list[str]:
    """Return the sizes of the members, if they are informative."""
    one, _, counted, single = words
    sizes = [size for size in (each.size for each in model.members) if size is not None]
    if not sizes or not counted:
        return []
    low, high = min(sizes), max(sizes)
    if low == high:
        return [f"{'Every' if len(sizes) > 1 else 'The'} {one} has {low} {single if low == 1 else counted}"]
    return [f"A {one} has {low} to {high} {counted} (mean {format_number(round_digits(sum(sizes) / len(sizes), 3))})"]


def columns_lines(model: Composite) -> list[str]:
    """Return the columns that members look at, those that matter most first."""
    names, uses = model.schema.names, model.uses
    shares = getattr(model, "split_shares", None)
    if shares is not None and shares.any():
        predictors = [names[position] for position in model.schema.predictors]
        order = sorted((i for i in range(len(predictors)) if shares[i] > 0), key=lambda i: -shares[i])
        shown = [f"{format_name(predictors[i])} {shares[i]:.3f}" for i in order]
        return ["", "Columns, by their share of the total decrease of Gini impurity:", *_indent_items(shown)]
    if not uses:
        return []
    order = sorted((i for i in range(len(names)) if names[i] in uses), key=lambda i: -uses[names[i]])
    shown = [f"{format_name(names[i])} {uses[names[i]]}" for i in order]
    return ["", "Columns, by the number of members that use them:", *_indent_items(shown)]


def _indent_items(items: Sequence[str]) -> list[str]:
    """Return the first items in indented lines, and how many are left."""
    left = len(items) - MOST_COLUMNS
    pieces = [f"{item}," for item in items[:MOST_COLUMNS]]
    pieces[-1] = pieces[-1].removesuffix(",")
    more = [f"and {left} more"] if left > 0 else []
    return [f"  {line}" for line in fill_lines([*pieces, *more], LINE_WIDTH - 2)]


def member_lines(model: Composite, *more: Sequence[str]) -> list[str]:
    """Return one line per member: its number, its kind and size where these tell something, and more cells.

    Each of `more` is a title and what stands below it for the first members; a title that begins with a space is that
    of words, which stand to the left.
    """
    numbers = range(min(len(model), MOST_SHOWN))
    cells: list[Sequence[str]] = [["member", *map(str, numbers)]]
    kinds = {one.kind for one in model.members}
    if len(kinds) > 1:
        cells.append(["kind", *(model.members[i].kind for i in numbers)])
    sizes = [one.size for one in model.members]
    if any(size is not None for size in sizes):
        title = member_names(model)[2]
        cells.append([title or "size", *("-" if sizes[i] is None else str(sizes[i]) for i in numbers)])
    cells += more
    lines = grid_lines(cells)
    left = len(model) - MOST_SHOWN
    return lines if left <= 0 else [*lines, f"and {left} more"]


def grid_lines(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of columns that are given as cells, the title first; one that begins with a space is words'."""
    left = [column[0].startswith(" ") for column in cells]
    columns = [
        [cell.strip() if is_left else cell for cell in column] for column, is_left in zip(cells, left, strict=True)
    ]
    return align_numbers(list(zip(*columns, strict=True)), {at for at, is_left in enumerate(left) if is_left})
