"""The text form of an evaluation: main figures beside the baseline's, classes, confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_digits, format_fixed, format_short, format_weight
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import MOST_ROWS, align_columns, note_left_out, split_into_blocks
from hedgerow.layout.wrapping import wrap_text

Report = Mapping[str, Any]
Draw = Callable[[float, int, bool], str]
LONGEST_LEARNER = 17  # cells of a learner's name above its figures: `linear_regression`
MANY_CLASSES = 6  # from here on the largest confusions are said in words too
LONG_TABLE = 12  # classes from which on their figures stand in one table only
WITH_ENDS = 3  # figures of a long table that have intervals
MOST_BLOCKS = 3  # of a confusion matrix that is wider than the terminal
MANY_ROWS = 1000  # from here on shares have two decimals
LONGEST_NAME = 28  # cells of a class's name beside its figures
SHORTEST_MARK, LONGEST_MARK = 16, 30  # cells of a class's letter and name beside the confusion matrix
# The figures of a class, each with its interval: key in the report, and title.
OF_CLASS = {
    "recall": "recall",
    "precision": "precision",
    "f1": "F1",
    "auc": "AUC",
    "false_positive_rate": "FP rate",
    "specificity": "specificity",
    "mcc": "MCC",
    "average_precision": "avg. precision",
}


def evaluation_lines(report: Report, columns: int) -> list[str]:
    """Return the lines of an evaluation."""
    lines = [*_title(report, columns), "", *_measures(report, columns)]
    if report["verdict"]:
        lines += ["", *wrap_text(report["verdict"], columns)]
    lines += ["", *_over_folds(report, columns), *_times(report, columns)]
    if report["labels"]:
        lines += ["", *_by_class(report, columns), "", *_confusion(report, columns), *_confusions(report)]
    return lines


def parameter_lines(report: Report, columns: int) -> list[str]:
    """Return the parameters that are not at their defaults, nothing if all are."""
    given = ", ".join(f"{name}={_value_text(value)}" for name, value in report["changed"].items())
    return wrap_text(given, columns, "  ") if given else []


def _value_text(value: object) -> str:
    """Return a parameter's value; of a text of several lines, such as rules, only how long it is."""
    lines = str(value).strip().split("\n") if isinstance(value, str) else []
    return f"({len(lines)} lines)" if len(lines) > 1 else "none" if value is None else str(value).strip()


def _title(report: Report, columns: int) -> list[str]:
    seed = "" if report["seed"] is None else f", seed {report['seed']}"
    title = f"{report['learner'] or 'model'} for {clean_text(report['target'])}: {report['method']}{seed}"
    lines = [*wrap_text(title, columns), *parameter_lines(report, columns)]
    tested = rows_tested(report)
    if not report["labels"]:
        return [*lines, tested]
    on_average = " on average over the runs" if report["runs"] > 1 else ""
    said = f"{right_and_wrong(report)}{on_average}"
    if report.get("answered") is None:
        return [*lines, *wrap_text(f"{tested}: {said}", columns)]
    return [*lines, *wrap_text(f"{tested}: {answered_text(report)}: {said}", columns)]


def is_weighted(report: Report) -> bool:
    """Whether the rows tested have weights, so that what is counted right or wrong is weight."""
    weight = report["weight"] if report.get("answered") is None else report["answered"]["of"]
    tests = report.get("tests", report["rows"] * max(report["runs"], 1))
    return not math.isclose(weight * max(report["runs"], 1), tests, rel_tol=1e-9)


def unit(report: Report) -> str:
    """Return what the figures count: rows, or their weight."""
    return "weight" if is_weighted(report) else "rows"


def rows_tested(report: Report, thousands: bool = False) -> str:
    """Return how many rows were tested and, if they have weights, what they weigh."""
    number = f"{report['rows']:,}" if thousands else report["rows"]
    tested = f"{number} row{'' if report['rows'] == 1 else 's'} tested"
    if not is_weighted(report):
        return tested
    weight = report["weight"] if report.get("answered") is None else report["answered"]["of"]
    return f"{tested}, which weigh {format_weight(weight)} in all"


def right_and_wrong(report: Report) -> str:
    """Return how many rows, or how much weight of them, was classified right and wrong, and what shares that is."""
    total, weighed = report["right"] + report["wrong"], "weight " * is_weighted(report)
    right, of, wrong = (format_weight(report[key]) for key in ("right", "weight", "wrong"))
    if not total:
        return f"{weighed}{right} of {of} right, {wrong} wrong"
    decimals = 1 if total < MANY_ROWS else 2
    share = round(report["right"] / total * 100, decimals)  # the other share is the rest, lest they sum to 99.9
    shares = f"({share:.{decimals}f} %)", f"({100 - share:.{decimals}f} %)"
    return f"{weighed}{right} of {of} right {shares[0]}, {wrong} wrong {shares[1]}"


def answered_text(report: Report) -> str:
    """Return how many rows were answered, and that the figures are of these."""
    found = report["answered"]
    share = found["share"]
    between = "" if _is_nan(share["low"]) else f" (95 % interval {share['low']:.1%} to {share['high']:.1%})"
    told = "no row" if not found["weight"] else f"{share['value']:.1%}{between}"
    answered = (
        f"{'weight ' * is_weighted(report)}{format_weight(found['weight'])} of {format_weight(found['of'])} answered"
    )
    return f"{answered}, {told}; all figures are of the rows answered"


def _is_nan(value: float | None) -> bool:
    return value is None or math.isnan(value)


def _measures(report: Report, columns: int) -> list[str]:
    draw: Draw = format_fixed if report["labels"] else format_digits
    measures = report["measures"]

    def part(title: str, key: str, plus: bool = False) -> list[list[str]]:
        figures = [_estimate(one[key], draw, plus) for one in measures]
        return [[title, *(value for value, _ in figures)], ["95 %", *(ends for _, ends in figures)]]

    parts = [part(shorten(report["learner"] or "model", LONGEST_LEARNER), "value")]
    if report["baseline"] is not None:
        parts += [
            part(shorten(report["baseline"] or "baseline", 10), "baseline"),
            part("difference", "difference", True),
        ]
    return split_into_blocks([["", *(one["title"] for one in measures)]], parts, "l" + "rl" * len(parts), columns)


def _estimate(found: Report, draw: Draw, plus: bool = False) -> tuple[str, str]:
    value = draw(found["value"], 4, plus)
    if math.isnan(found["low"]):
        return value, ""
    low, high = (draw(found[end], 3, plus) for end in ("low", "high"))
    return value, f"{low} to {high}" if low[0] in "+-" or plus else f"{low}-{high}"


def _over_folds(report: Report, columns: int) -> list[str]:
    over = report["over_folds"]
    if over is None:
        return []
    draw: Draw = format_fixed if report["labels"] else format_digits
    mean, ends = _estimate({**over, "value": over["mean"]}, draw)
    deviation, error = (draw(over[key], 4, False) for key in ("standard_deviation", "standard_error"))
    return wrap_text(
        f"Over {over['folds']} folds: {over['measure']} {mean}{ends and f' (95 % {ends})'}, standard deviation "
        f"{deviation}, standard error {error} (corrected for shared training rows)",
        columns,
    )


def _times(report: Report, columns: int) -> list[str]:
    time, size = report["time"], report["model_size"]
    a_fold = " a fold" if report["folds"] > 1 else ""
    learned = f"{_seconds(time['train_seconds'])} to learn, " if time["train_seconds"] else ""
    line = f"Time{a_fold}: {learned}{_seconds(time['test_seconds'])} to test"
    if size is not None:
        line += f". Model size {format_short(size['mean'])}"
        line += f" ({size['min']} to {size['max']})" if size["min"] < size["max"] else ""
    return wrap_text(line, columns)


def _seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def _by_class(report: Report, columns: int) -> list[str]:
    shown = report["by_class"][:MOST_ROWS]
    lines = [*shown, {"letter": "", "label": "weighted mean", "weight": report["weight"], **report["average"]}]
    lead = [
        ["", *(one["letter"] for one in lines)],
        ["class", *(shorten(one["label"], min(LONGEST_NAME, max(columns // 5, 8))) for one in lines)],
        [unit(report), *(format_weight(one["weight"]) for one in lines)],
    ]
    title = "By class, with 95 % intervals (recall is the TP rate, the sensitivity)"
    if len(report["by_class"]) >= LONG_TABLE:
        table = _one_block(lead, lines, columns)
    else:
        figures = [[[title, *(_with_ends(one[key]) for one in lines)]] for key, title in OF_CLASS.items()]
        table = split_into_blocks(lead, figures, "llr" + "l" * len(figures), columns)
    return [*wrap_text(title, columns), *table, *note_left_out(len(report["by_class"]), "classes")]


def _one_block(lead: list[list[str]], lines: list[Any], columns: int) -> list[str]:
    """Return a long table of classes: the first figures with intervals, then as many as there is room for without."""
    made, left = list(lead), []
    for number, (key, title) in enumerate(OF_CLASS.items()):
        draw = _with_ends if number < WITH_ENDS else _alone
        tried = [*made, [title, *(draw(one[key]) for one in lines)]]
        if (
            max(map(count_cells, align_columns(list(zip(*tried, strict=True)), "llr" + "l" * (len(tried) - 3))))
            <= columns
        ):
            made = tried
        else:
            left.append(title)
    table = align_columns(list(zip(*made, strict=True)), "llr" + "l" * (len(made) - 3))
    return [
        *table,
        *(wrap_text(f"The JSON report also has {', '.join(left)}", columns) if left else []),
    ]


def _alone(found: Report) -> str:
    return format_fixed(found["value"], 3)


def _with_ends(found: Report) -> str:
    """Return a share with its interval in as few signs as can be: 0.947 .84-.98."""
    value = format_fixed(found["value"], 3)
    if math.isnan(found["low"]):
        return value
    return f"{value} {'-'.join(_brief(found[end]) for end in ('low', 'high'))}"


def _brief(share: float) -> str:
    return format_fixed(share, 2).replace("0.", ".", 1) if abs(share) < 0.995 else format_fixed(share, 2)


def _confusion(report: Report, columns: int) -> list[str]:
    letters, labels = report["confusion"]["letters"], report["confusion"]["labels"]
    unanswered = report["confusion"].get("unanswered")
    counts = report["confusion"]["counts"][:MOST_ROWS]
    head = "<- predicted"
    if unanswered is not None:
        letters, counts = [*letters, "?"], [[*row, cell] for row, cell in zip(counts, unanswered, strict=False)]
        head += ", ? = no answer"
    cells = [letters, *(["." if not cell else format_weight(cell) for cell in row] for row in counts)]
    size = max(len(cell) for row in cells for cell in row)
    names = [f"| {mark} = {clean_text(label)}" for mark, label in zip(letters, labels, strict=False)][:MOST_ROWS]
    room = max(columns - len(letters) * (size + 1), len(head))  # beside the whole matrix
    names = [head, *(shorten(name, room if SHORTEST_MARK <= room < LONGEST_MARK else LONGEST_MARK) for name in names)]
    fitting = max((columns - max(map(count_cells, names))) // (size + 1), 1)
    blocks = math.ceil(len(letters) / fitting)
    fitting = math.ceil(len(letters) / blocks) if blocks <= MOST_BLOCKS else fitting  # about equally many in each
    lines: list[str] = []
    for start in range(0, len(letters), fitting)[:MOST_BLOCKS]:
        rows = [" ".join(cell.rjust(size) for cell in row[start : start + fitting]) for row in cells]
        lines += [*([""] if lines else []), *(f"{row} {name}" for row, name in zip(rows, names, strict=True))]
    summed = f", summed over {report['runs']} runs" if report["runs"] > 1 else ""
    missing = len(letters) - fitting * MOST_BLOCKS
    cut_off = [f"{missing} of {len(letters)} columns do not fit; the JSON report has them all"]
    title = f"Confusion matrix (a line an actual class{summed})"
    return [title, *lines, *(cut_off if missing > 0 else []), *note_left_out(len(labels), "lines")]


def _confusions(report: Report) -> list[str]:
    """Return the most frequent confusions in words, where the matrix is too large to see them at once."""
    if len(report["labels"]) < MANY_CLASSES or not report["confusions"]:
        return []
    rows = [
        [
            format_weight(one["weight"]),
            f"{one['share']:.1%} of",
            shorten(one["actual"], 30),
            "taken for",
            shorten(one["predicted"], 30),
        ]
        for one in report["confusions"]
    ]
    return ["", "Most frequent confusions", *align_columns(rows, "rrlll", gap=" ", indent="  ")]
