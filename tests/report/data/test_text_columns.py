"""The description of text columns."""

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.report.data.data import describe_report
from hedgerow.report.data.text_columns import count_words, text_report
from hedgerow.report.whole.text import render

TEXTS = ["a b c", None, "", "a b c", "one, two", " \n\t", "grün 中文"]


def test_words_are_those_that_learners_count():
    assert count_words(Text.of(TEXTS)).tolist() == [3, 0, 0, 3, 2, 0, 2]


def test_missing_texts_count_nowhere_else():
    report = text_report(Text.of(TEXTS))
    assert (report["distinct"], report["repeated"], report["empty"]) == (5, 1, 2)
    assert (report["median_words"], report["max_words"], report["max_bytes"]) == (2, 3, 12)
    assert report["mean_words"] == 10 / 6


def test_a_column_without_texts_has_no_figures():
    for texts in ([], [None, None]):
        report = text_report(Text.of(texts))
        assert (report["distinct"], report["repeated"], report["empty"], report["max_words"]) == (0, 0, 0, 0)
        assert np.isnan(report["mean_words"])
        assert np.isnan(report["median_words"])


def described(codes, texts=TEXTS):
    columns = (Column("t", Kind.TEXT), Column("y", Kind.NOMINAL, ("p", "q")))
    return describe_report(Table(Schema(columns, "y"), (Text.of(texts), np.array(codes, dtype=np.int32)), len(texts)))


def test_empty_and_repeated_texts_are_noted():
    same = described([0, 0, 1, 0, 1, 1, 1])["notes"]
    assert "column 't': 2 texts have no words" in same
    assert any(note.startswith("column 't': 1 row repeats the text of an earlier row") for note in same)
    assert not any("several classes" in note for note in same)
    other = described([0, 0, 1, 1, 1, 1, 1])["notes"]
    assert any(note.endswith("; 1 text is in several classes") for note in other)


def test_rows_without_a_class_are_in_none():
    assert not any("several" in note for note in described([0, 0, 1, -1, 1, 1, 1])["notes"])


def test_the_figures_are_printed():
    text = render(described([0] * 7), 100)
    line = next(line for line in text.split("\n") if line.startswith("1  t"))
    assert line.split() == ["1", "t", "1", "(14%)", "5", "2", "2", "1.667", "3", "12"]
