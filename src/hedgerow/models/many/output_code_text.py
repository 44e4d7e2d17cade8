"""How a coded model prints: the classes that each member separates, the decoding, and the code."""

from __future__ import annotations

import numpy as np

from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.wrapping import LINE_WIDTH
from hedgerow.models.many.composite_text import (
    MOST_SHOWN,
    columns_lines,
    grid_lines,
    member_lines,
    member_names,
    reading_hint,
    sizes_line,
)
from hedgerow.models.many.output_code import COUPLED, HAMMING, LARGEST, VOTES, OutputCodeModel

MOST_CODES = 30  # classes whose code is printed
LONGEST_CODE = 63  # signs of it
MOST_DISTANCES = 10  # classes between which all distances are printed
LONGEST_SIDE = 36  # letters of a side's classes in a line

HOW = {
    LARGEST: "the class with the largest value is predicted",
    VOTES: "each votes for one of its two classes",
    COUPLED: "the most probable class, coupled from all of them, is predicted",
    HAMMING: "the class with the nearest code is predicted",
}


def summary_text(model: OutputCodeModel) -> str:
    """Return the summary: the members, the code unless it is a plain one, and the columns they use."""
    n, words = len(model), member_names(model)
    if model.codes.n_used == 1:
        only = format_level(model.classes[int(model.codes.used[0])])
        return "\n".join(
            [f"All training rows have the class {only}, which is always predicted", "", reading_hint(model)]
        )
    lines = [f"{n} {words[n > 1]}{_describe_code(model)}", *sizes_line(model, words), "", *_list_sides(model)]
    if model.decoding not in (LARGEST, VOTES, COUPLED) and n > 1:
        lines += ["", *_code_lines(model), *_distance_lines(model)]
    unseen = [format_level(label) for code, label in enumerate(model.classes) if code not in model.codes.used]
    if unseen:
        lines += ["", f"Never predicted, since no training row has it: {_cut(', '.join(unseen), LINE_WIDTH - 40)}"]
    return "\n".join([*lines, *columns_lines(model), "", reading_hint(model)])


def describe_sides(model: OutputCodeModel, number: int) -> str:
    """Return the classes that a member separates, in words."""
    if model.codes.n_used == 1:
        return f"which always predicts {format_level(model.classes[int(model.codes.used[0])])}"
    plus, minus = _format_sides(model, number)
    return f"which separates {plus} from {minus}"


def _describe_code(model: OutputCodeModel) -> str:
    if len(model) == 1:
        return " that separates the two classes"
    if model.codes.is_one_vs_rest:
        what = ", each separates one class from the others; "
    elif model.codes.is_pairs:
        what = ", one per pair of classes; "
    else:
        what = ", each separates some classes from others; "
    return what + HOW.get(model.decoding, f"the class with the smallest {model.decoding} loss is predicted")


def _list_sides(model: OutputCodeModel) -> list[str]:
    """Return one line per member: which classes it separates."""
    sides = [_format_sides(model, number) for number in range(min(len(model), MOST_SHOWN))]
    return member_lines(model, [" separates", *(one for one, _ in sides)], [" from", *(other for _, other in sides)])


def _format_sides(model: OutputCodeModel, number: int) -> tuple[str, str]:
    """Return a member's side of +1 and that of -1, of a pair the first class first."""
    minus, plus = model.codes.sides(number)
    if len(plus) == 1 and len(minus) > 1 and len(minus) + 1 == model.codes.n_used:
        return format_level(model.classes[plus[0]]), "the others"
    names = [_format_side(model, minus), _format_side(model, plus)]
    return (names[0], names[1]) if len(plus) == len(minus) == 1 else (names[1], names[0])


def _format_side(model: OutputCodeModel, side: tuple[int, ...]) -> str:
    listed = ", ".join(format_level(model.classes[code]) for code in side[:LONGEST_SIDE])
    if len(side) > 1 and len(listed) > LONGEST_SIDE:
        return _cut(format_level(model.classes[side[0]]), LONGEST_SIDE - 16) + f" and {len(side) - 1} more"
    return listed


def _code_lines(model: OutputCodeModel) -> list[str]:
    """Return the code of every class, one sign per member."""
    signs = {1: "+", -1: "-", 0: "0"}
    used = model.codes.used[:MOST_CODES].tolist()
    codes = ["".join(signs[entry] for entry in model.codes.entries[:LONGEST_CODE, code].tolist()) for code in used]
    more = "…" if len(model) > LONGEST_CODE else ""
    names = [_cut(format_level(model.classes[code]), LINE_WIDTH - LONGEST_CODE - 4) for code in used]
    lines = grid_lines([[" class", *names], [" code, one sign per member", *(code + more for code in codes)]])
    left = model.codes.n_used - MOST_CODES
    return lines if left <= 0 else [*lines, f"and {left} more classes"]


def _distance_lines(model: OutputCodeModel) -> list[str]:
    """Return the distances of the codes: minimum and mean, and all of them for few classes."""
    far, used = model.codes.distances, model.codes.used.tolist()
    n = len(used)
    between = far[~np.eye(n, dtype=np.bool_)]
    first, second = np.unravel_index(np.argmin(far + np.where(np.eye(n, dtype=np.bool_), np.inf, 0)), far.shape)
    names = [format_level(model.classes[code]) for code in used]
    least, mean = format_number(float(between.min())), format_number(round_digits(float(between.mean()), 3))
    right = int(np.ceil(between.min()) - 1) // 2
    pair = f"{_cut(names[first], 20)} and {_cut(names[second], 20)}"
    lines = [
        "",
        f"The smallest distance between two codes is {least} members ({pair}), the mean distance {mean};",
        f"number of member errors that still leave the correct code nearest: {right}",
    ]
    if between.min() == between.max():
        lines[1] = f"The distance between any two codes is {least} members;"
    if n > MOST_DISTANCES or between.min() == between.max():
        return lines
    columns = [[" distance", *names]]
    for place in range(n):
        cells = ["" if other == place else format_number(float(far[other, place])) for other in range(n)]
        columns.append([_cut(names[place], 10), *cells])
    grid = grid_lines(columns)
    return [*lines, "", *grid] if max(map(len, grid)) <= LINE_WIDTH else lines


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
