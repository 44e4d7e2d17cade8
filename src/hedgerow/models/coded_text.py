"""How a coded model prints: what each member tells apart, how they decide together, and the code."""

from __future__ import annotations

import numpy as np

from hedgerow.data.decimals import number_text, significant
from hedgerow.models.class_sides import side_names
from hedgerow.models.coded import COUPLED, HAMMING, LARGEST, VOTES, Coded
from hedgerow.models.composite_text import (
    MOST_SHOWN,
    WIDTH,
    columns_lines,
    grid_lines,
    how_to_read,
    member_lines,
    sizes_line,
    words_of,
)
from hedgerow.models.words import level_text

MOST_CODES = 30  # classes whose code is printed
LONGEST_CODE = 63  # signs of it
MOST_DISTANCES = 10  # classes between which all distances are printed
LONGEST_SIDE = 36  # letters of a side's classes in a line

HOW = {
    LARGEST: "the class whose member is the surest is decided",
    VOTES: "each votes for one of its two",
    COUPLED: "the most probable class, coupled from all of them, is decided",
    HAMMING: "the class whose code is nearest to their answers is decided",
}


def coded_text(model: Coded) -> str:
    """Return the summary: what members there are, the code unless it is a plain one, and the columns they look at."""
    n, words = len(model), words_of(model)
    if model.codes.n_used == 1:
        only = level_text(model.classes[int(model.codes.used[0])])
        return "\n".join([f"All rows were of the class {only}, which is always decided", "", how_to_read(model)])
    lines = [f"{n} {words[n > 1]}{_what(model)}", *sizes_line(model, words), "", *_sides_lines(model)]
    if model.decoding not in (LARGEST, VOTES, COUPLED) and n > 1:
        lines += ["", *_code_lines(model), *_distance_lines(model)]
    unseen = [level_text(label) for code, label in enumerate(model.classes) if code not in model.codes.used]
    if unseen:
        lines += ["", f"Never decided, as no row was of it: {_cut(', '.join(unseen), WIDTH - 40)}"]
    return "\n".join([*lines, *columns_lines(model), "", how_to_read(model)])


def told_apart(model: Coded, number: int) -> str:
    """Return what a member tells apart, in words."""
    if model.codes.n_used == 1:
        return f"which always says {level_text(model.classes[int(model.codes.used[0])])}"
    plus, minus = _sides(model, number)
    return f"which tells {plus} from {minus}"


def _what(model: Coded) -> str:
    if len(model) == 1:
        return " that tells the two classes apart"
    if model.codes.is_rest:
        what = ", each tells a class from the others; "
    elif model.codes.is_pairs:
        what = ", one for every two classes; "
    else:
        what = ", each tells some classes from others; "
    return what + HOW.get(model.decoding, f"the class whose code has the least {model.decoding} loss is decided")


def _sides_lines(model: Coded) -> list[str]:
    """Return a line a member: which classes it tells apart."""
    sides = [_sides(model, number) for number in range(min(len(model), MOST_SHOWN))]
    return member_lines(model, [" tells", *(one for one, _ in sides)], [" from", *(other for _, other in sides)])


def _sides(model: Coded, number: int) -> tuple[str, str]:
    """Return a member's side of +1 and that of -1, of a pair the first class first."""
    minus, plus = model.codes.sides(number)
    if len(plus) == 1 and len(minus) > 1 and len(minus) + 1 == model.codes.n_used:
        return level_text(model.classes[plus[0]]), "the others"
    names = [_side(model, minus), _side(model, plus)]
    return (names[0], names[1]) if len(plus) == len(minus) == 1 else (names[1], names[0])


def _side(model: Coded, side: tuple[int, ...]) -> str:
    listed = ", ".join(level_text(model.classes[code]) for code in side[:LONGEST_SIDE])
    if len(side) > 1 and len(listed) > LONGEST_SIDE:
        return _cut(level_text(model.classes[side[0]]), LONGEST_SIDE - 16) + f" and {len(side) - 1} more"
    return listed


def _code_lines(model: Coded) -> list[str]:
    """Return the code of every class, a sign a member."""
    signs = {1: "+", -1: "-", 0: "0"}
    used = model.codes.used[:MOST_CODES].tolist()
    codes = ["".join(signs[entry] for entry in model.codes.entries[:LONGEST_CODE, code].tolist()) for code in used]
    more = "…" if len(model) > LONGEST_CODE else ""
    names = [_cut(level_text(model.classes[code]), WIDTH - LONGEST_CODE - 4) for code in used]
    lines = grid_lines([[" class", *names], [" code, a sign a member", *(code + more for code in codes)]])
    left = model.codes.n_used - MOST_CODES
    return lines if left <= 0 else [*lines, f"and {left} more classes"]


def _distance_lines(model: Coded) -> list[str]:
    """Return how far the codes are apart: the least and the mean, and of few classes all."""
    far, used = model.codes.distances, model.codes.used.tolist()
    n = len(used)
    between = far[~np.eye(n, dtype=np.bool_)]
    first, second = np.unravel_index(np.argmin(far + np.where(np.eye(n, dtype=np.bool_), np.inf, 0)), far.shape)
    names = [level_text(model.classes[code]) for code in used]
    least, mean = number_text(float(between.min())), number_text(significant(float(between.mean()), 3))
    right = int(np.ceil(between.min()) - 1) // 2
    pair = f"{_cut(names[first], 20)} and {_cut(names[second], 20)}"
    lines = [
        "",
        f"Codes are {least} members apart at least ({pair}), {mean} on average;",
        f"so many members may err, and the nearest code is still the right one: {right}",
    ]
    if between.min() == between.max():
        lines[1] = f"Every two codes are {least} members apart;"
    if n > MOST_DISTANCES or between.min() == between.max():
        return lines
    columns = [[" apart", *names]]
    for place in range(n):
        cells = ["" if other == place else number_text(float(far[other, place])) for other in range(n)]
        columns.append([_cut(names[place], 10), *cells])
    grid = grid_lines(columns)
    return [*lines, "", *grid] if max(map(len, grid)) <= WIDTH else lines


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def side_said(model: Coded, number: int, value: float) -> str | None:
    """Return the side that a member answers with this value; None if it has no answer."""
    return None if np.isnan(value) else side_names(model.codes, number, model.classes)[int(value >= 0)]
