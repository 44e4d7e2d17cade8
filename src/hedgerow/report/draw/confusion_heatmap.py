"""The confusion matrix as a heat map: the diagonal in blue, errors in orange, darker for larger shares."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.numbers import format_share, format_weight
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.svg import Svg, document, name_ids, num, rect, role_attributes, text, title_element

MOST_CLASSES = 60
NAME = 12.0  # font size
MOST_NAME = 130.0
RIGHT_HUE, WRONG_HUE = 0, 5
NO_ANSWER = "no prediction"


def confusion_chart(
    labels: Sequence[str],
    letters: Sequence[str],
    counts: Sequence[Sequence[float]],
    unanswered: Sequence[float] | None = None,
) -> Svg | None:
    """Return the picture of a confusion matrix; None if there are too many classes.

    The shade of a cell is its share of the actual class, so that errors of rare classes are visible too.
    """
    n, columns = len(labels), list(labels)
    if not n or n > MOST_CLASSES:
        return None
    width = 520 if n <= 10 else 860
    names = [fit_text(label, NAME, MOST_NAME) for label in labels]
    widest = max(text_width(name, NAME) for name in names)
    cell = min(max((width - widest - 74) / (n + (unanswered is not None)), 13.0), 84.0)
    high = min(cell, 52.0)
    is_lettered = widest > cell - 3
    letters = letters if is_lettered else names
    if is_lettered:
        names = [f"{mark} = {name}" for mark, name in zip(letters, names, strict=True)]
    if unanswered is not None:
        counts = [[*row, value] for row, value in zip(counts, unanswered, strict=True)]
        columns, letters = [*labels, NO_ANSWER], [*letters, NO_ANSWER if cell > 60 else "?"]
    left = max(text_width(name, NAME) for name in names) + 34
    title, top = "Confusion matrix", 68.0
    content = [text(0, 18, title, 15, bold=True), text(left, 42, "predicted", NAME, "soft")]
    content += [
        text(left + (place + 0.5) * cell, 60, mark, NAME if cell > 18 else 9, anchor="middle")
        for place, mark in enumerate(letters)
    ]
    empty = f'{role_attributes(f"mark{WRONG_HUE}")} fill-opacity="0.03"'
    content.append(rect(left, top, len(columns) * cell, n * high, empty, 3))
    for row, name in enumerate(names):
        y = top + row * high
        content.append(text(left - 8, y + high / 2 + 4, name, NAME if high > 13 else 9, anchor="end"))
        content += _cells(counts[row], row, columns, left, y, cell, high)
    side = top + n * high / 2
    actual = text(12, side, "actual", NAME, "soft", anchor="middle")
    content.append(actual.replace("<text ", f'<text transform="rotate(-90 12 {num(side)})" ', 1))
    room = max(left + len(columns) * cell + 12, 160)
    return document(
        room, top + n * high + 12, name_ids(title, content), title, _describe_matrix(columns, counts), content
    )


def _cells(
    counts: Sequence[float], row: int, labels: Sequence[str], left: float, y: float, width: float, height: float
) -> list[str]:
    total = sum(counts) or 1.0
    written = [format_weight(value) if value else "" for value in counts]
    sizes = (size for size in (NAME, 10.5, 9.0) if max(text_width(word, size) for word in written) <= width - 3)
    size = next(sizes, 0.0) if height >= 13 else 0.0
    out = []
    for column, value in enumerate(counts):
        if not value and row != column:
            continue
        x = left + column * width
        share = value / total
        hue = RIGHT_HUE if row == column else WRONG_HUE
        note = f"{labels[row]}, predicted {labels[column]}: {format_weight(value)} ({format_share(share)} of the class)"
        depth = f'fill-opacity="{0.08 + 0.52 * share if value else 0.03:.3f}"'
        box = rect(x + 1, y + 1, width - 2, height - 2, f"{role_attributes(f'mark{hue}')} {depth}", min(3, height / 6))
        middle = x + width / 2, y + height / 2 + size * 0.36
        said = text(*middle, written[column], size, anchor="middle") if size and value else ""
        out.append(f"<g>{title_element([note])}{box}{said}</g>")
    return out


def _describe_matrix(labels: Sequence[str], counts: Sequence[Sequence[float]]) -> str:
    lines = []
    for label, row in zip(labels, counts, strict=False):  # a column for no answer has no line
        given = ", ".join(f"{format_weight(value)} as {name}" for name, value in zip(labels, row, strict=True) if value)
        lines.append(f"{label}: {given or 'no rows'}")
    return "\n".join(lines)
