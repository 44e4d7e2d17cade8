"""Text reports are aligned, fit their width, and hold no control codes."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import UsageError
from hedgerow.evaluate import validate
from hedgerow.layout.bars import draw_bar, draw_histogram
from hedgerow.layout.cell_width import count_cells, shorten
from hedgerow.layout.numbers import format_digits, format_fixed, format_short, format_weight
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.about.model_report import model_report
from hedgerow.report.data.data import describe_report
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.whole.text import render
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, decided, loan, straight


def compared(table, learner, **options):
    mine, base = (validate.cross_validate(one, table, **options) for one in (learner, Majority()))
    return render(evaluation_report(mine, base))


def fits(text, columns=100):
    return max(count_cells(line) for line in text.splitlines()) <= columns


def test_a_small_confusion_matrix_reads_as_in_the_book():
    results = decided([0] * 100 + [1] * 1000, [0] + [1] * 1099, ("yes", "no"))
    lines = render(evaluation_report(results)).splitlines()
    start = lines.index("Confusion matrix (one row per actual class)")
    assert lines[start + 1 : start + 4] == [
        "   a    b <- predicted",
        "   1   99 | a = yes",
        "   . 1000 | b = no",
    ]


def test_the_rare_class_of_g97_shows_all_its_figures():
    """G97."""
    results = decided([0] * 100 + [1] * 1000, [0] + [1] * 1099, ("yes", "no"))
    lines = [line.split() for line in render(evaluation_report(results)).splitlines() if line.startswith("a  yes")]
    assert lines[0][:9] == ["a", "yes", "100", "0.010", ".00-.05", "1.000", ".21-1.00", "0.020", ".00-.10"]
    assert lines[0][9:] == ["0.505", ".50-.51"]
    assert lines[1][3:7] == ["0.000", ".00-.00", "1.000", "1.00-1.00"]


def test_every_figure_of_a_learner_and_its_classes_has_its_interval():
    text = compared(blobs(spread=2), NearestMean(), folds=5)
    main, _, by_class = text.partition("Metrics by class")
    for title in ("accuracy", "error rate", "balanced accuracy", "kappa", "MCC", "AUC (class mean)", "Brier score"):
        line = next(line for line in main.splitlines() if line.startswith(title))
        assert re.search(r"0\.\d{4}  \d\.\d{3}-\d\.\d{3}", line), line
    assert re.search(r"Over 5 folds: accuracy 0\.\d{4} \(95 % 0\.\d{3}-\d\.\d{3}\)", main)
    rows = [line for line in by_class.splitlines() if re.match(r"[a-c]  ", line)]
    assert len(rows) == 6  # three classes, two blocks of figures
    assert all(len(re.findall(r"\d\.\d{3} -?\d?\.\d\d--?\d?\.\d\d", line)) >= 3 for line in rows)


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_blocks_fit_whatever_the_terminal(columns):
    results = validate.cross_validate(NearestMean(), blobs(26, 12), folds=5)
    report = evaluation_report(results, validate.cross_validate(Majority(), blobs(26, 12), folds=5))
    lines = render(report, columns).splitlines()
    assert max(map(len, lines)) <= columns
    assert any("F1" in line for line in lines)


def test_undefined_figures_are_question_marks():
    text = render(evaluation_report(decided([0, 0], [0, 0], ("a", "b"))))
    first, second = (line.split() for line in text.splitlines() if line.startswith("b  b"))
    assert first == ["b", "b", "0", "?", "?", "?", "?", "0.000", ".00-.66"]
    assert second == ["b", "b", "0", "1.000", ".34-1.00", "?", "?"]
    assert "nan" not in text


@pytest.mark.parametrize(
    ("table", "learner"),
    [(blobs(), NearestMean()), (loan(), NearestMean()), (blobs(26, 12), NearestMean()), (straight(), Line())],
)
def test_evaluations_fit_into_100_columns(table, learner):
    text = compared(table, learner, folds=5, runs=2)
    assert fits(text)
    assert "majority" in text
    assert "difference" in text


def matrix_in(text):
    return text.split("Confusion matrix", 1)[1].split("\n\nMost", 1)[0].splitlines()[1:]


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_a_matrix_of_twenty_classes_is_shown_whole(columns):
    """M316: counts with percentages, the total, and the whole matrix with letters and labels."""
    labels = [f"rec.sport.number{code:02}" for code in range(20)]
    rows = np.arange(8000)
    report = evaluation_report(decided(rows % 20, np.where(rows % 3, rows % 20, rows // 7 % 20), labels))
    text = render(report, columns)
    assert max(map(len, text.splitlines())) <= columns
    assert re.search(r"8000 rows tested: (\d+) of 8000 correct \(\d+\.\d\d %\), (\d+) incorrect \(\d+\.\d\d %\)", text)
    heads = [line.split() for line in matrix_in(text) if line.endswith("<- predicted")]
    assert [mark for line in heads for mark in line[:-2]] == report["confusion"]["letters"]
    assert sum("| t = rec.sp" in line for line in matrix_in(text)) == len(heads) == (2 if columns == 80 else 1)
    cells = [line.split("|")[0].split() for line in matrix_in(text) if "|" in line]
    assert sum(int(cell) for row in cells for cell in row if cell != ".") == 8000
    assert "The JSON report also has" in text


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_descriptions_of_texts_fit(columns):
    texts = Text.of([f"a sentence of some words {i}" for i in range(3)])
    table = Table(Schema((Column("what they write to us", Kind.TEXT),)), (texts,), 3)
    text = render(describe_report(table), columns)
    assert fits(text, columns)
    assert text.startswith("3 rows, 1 column (1 text); no missing values\n")
    assert "median words" in text


def test_a_wide_matrix_says_what_is_cut():
    labels = [chr(ord("A") + code % 26) * (1 + code // 26) for code in range(52)]
    text = render(evaluation_report(decided(np.arange(5200) % 52, (np.arange(5200) // 9) % 52, labels)), 60)
    assert "columns do not fit; see the JSON report" in text
    assert "Most frequent confusions" in text
    assert " z = Z" in text


def test_hundreds_of_classes_are_cut_and_counted():
    labels = [f"class {code}" for code in range(300)]
    text = render(evaluation_report(decided(np.arange(300), np.arange(300), labels)))
    assert "240 more classes not shown; see the JSON report" in text
    assert fits(text)


def test_numbers_are_compared_with_the_mean():
    text = compared(straight(), Line())
    assert "root mean sq. error" in text
    assert "Better than majority: the mean absolute error is lower by" in text
    assert "By class" not in text


def test_a_model_is_shown_as_it_prints_itself():
    text = render(model_report(Majority().train(loan())))
    assert text == "majority for Class: trained on 15 rows\n\nalways Yes\n"


def test_a_description_shows_kinds_shapes_and_shares():
    table = loan()
    table = table.with_schema(table.schema.ignoring({"x": "asked to"}))
    text = render(describe_report(table))
    assert text.startswith("15 rows, 2 columns (1 numeric, 1 nominal); no missing values\nTarget: Class\n")
    assert "2  Class          0         2  Yes 9, No 6" in text
    assert "  Yes  9  60.0%  ███████████████████▊" in text
    assert text.endswith("Excluded from training\n  - x: asked to\n\nNote\n" + text.split("Note\n")[1])


def test_ten_thousand_columns_are_cut_and_counted():
    text = render(describe_report(Table.of({f"x{i}": [1.0, 2.0] for i in range(10_000)})))
    assert "9,940 more numeric columns not shown" in text
    assert len(text.splitlines()) < 80


def test_an_empty_table_is_described():
    assert "0 rows" in render(describe_report(loan().slice(0, 0)))


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=150)


@settings(max_examples=40, deadline=None)
@given(names, names, st.lists(names, min_size=2, max_size=4, unique=True), st.sampled_from([80, 100, 120]))
def test_no_name_breaks_the_layout_or_steers_the_terminal(number, target, labels, columns):
    if number == target:
        return
    rows = np.arange(12) % len(labels)
    table = Table.of({number: rows / 7, target: [labels[row] for row in rows]}, target)
    results = validate.cross_validate(NearestMean(), table, folds=2)
    for report in (describe_report(table), evaluation_report(results)):
        text = render(report, columns)
        assert fits(text, columns)
        assert not any(unicodedata.category(sign) == "Cc" and sign != "\n" for sign in text)


def test_wide_signs_take_two_cells():
    assert (count_cells("年収"), count_cells("é"), count_cells("e\u0301")) == (4, 1, 1)
    assert shorten("年収年収", 5) == "年収…"
    assert align_columns([["年", "1"], ["abc", "22"]], "lr") == ["年    1", "abc  22"]


def test_sentences_are_wrapped_and_long_words_cut():
    assert wrap_text("one two three", 7) == ["one two", "three"]
    assert wrap_text("abcdefghij k", 5, " ") == [" abc…", " k"]


def test_numbers_print_at_sensible_digits():
    assert [format_short(x) for x in (0, 1, 39.0, 0.1, 1234567, 2.5e12, 1e-9, -0.02552, float("nan"))] == [
        *("0", "1", "39", "0.1", "1234567", "2.5e+12", "1e-09", "-0.02552", "?"),
    ]
    assert [format_digits(x, 3) for x in (7.8, 10.04, 0.19, 1234.5)] == ["7.80", "10.0", "0.190", "1234"]
    assert (format_fixed(-0.00001, 3), format_fixed(0.5, 3, plus=True), format_fixed(None)) == ("0.000", "+0.500", "?")
    assert (format_weight(3.0), format_weight(2.5)) == ("3", "2.5")


def test_bars_show_shares():
    assert draw_histogram([0, 1, 4, 8]) == " ▂▅█"
    assert draw_histogram([0, 0]) == ""
    assert (draw_bar(1, 4), draw_bar(0.5, 4), draw_bar(0.001, 4), draw_bar(0, 4)) == ("████", "██", "▏", "")


def test_unknown_reports_are_refused():
    with pytest.raises(UsageError, match="kind 'weather'"):
        render({"report": "weather"})
