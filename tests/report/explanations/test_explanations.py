"""Explanations as lines and as a page: nothing wider than asked for, nothing lost, nothing that steers the reader."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.layout.cell_width import count_cells
from hedgerow.layout.numbers import format_probability
from hedgerow.report.explanations.decision_article import decision_article
from hedgerow.report.explanations.explanation import explanations_report
from hedgerow.report.render.html import document_html
from hedgerow.report.render.marked_text import MOST_LINES, colored, signed, strength, text_lines
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text import article_lines
from tests.explain.fake import messages, summing
from tests.report.browser import BROWSER, DRIVER, MISSING, Browser

ANSI = re.compile("\x1b\\[[0-9;]*m")
PIECES = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=["Cs", "Co"]), max_size=30),
        st.sampled_from([0.0, 0.0, 1.0, -0.4, 3.0]),
    ),
    max_size=12,
)
NASTY = (
    "FREE money <b>&\"' \x1b[31m\x07 \u202eprize\u2066 👩‍🚀 中文 " + "lunch " * 60 + "x" * 400 + " العربية e\u0301\0"
)


@settings(max_examples=300)
@given(PIECES, st.integers(60, 160), st.booleans())
def test_lines_fit_and_hold_no_control_signs(pieces, columns, in_color):
    lines, _ = text_lines(pieces, columns, in_color)
    for line in lines:
        bare = ANSI.sub("", line)
        assert count_cells(bare) <= columns
        assert bare.isprintable()
        assert line.isprintable() or in_color


@given(
    st.lists(
        st.tuples(st.sampled_from(["free", "money", "on", "naïve"]), st.sampled_from([0.0, 2.0, -1.0])), max_size=30
    )
)
def test_all_words_are_there_in_order(words):
    pieces = [piece for word, amount in words for piece in ((word, amount), (" ", 0.0))]
    for in_color in (True, False):
        lines, hidden = text_lines(pieces, 70, in_color)
        assert not hidden
        bare = re.sub(r"\[[+-]+(\w+)\]", r"\1", ANSI.sub("", " ".join(lines)))
        assert bare.split() == [word for word, _ in words]


def test_strengths():
    assert [strength(amount, 10.0) for amount in (0.0, 0.9, 1.0, 2.5, -5.0, 10.0)] == [0, 0, 1, 2, 3, 3]
    assert strength(1.0, 0.0) == 0
    assert signed("a", -10.0, 10.0) == "[--a]"
    assert colored("a", 0.2, 10.0) == "a"
    assert colored("a", -10.0, 10.0) == "\x1b[1;7;35ma\x1b[0m"


def test_marks_of_characters_are_joined_in_signs():
    pieces = [("f", 1.0), ("r", 1.0), ("e", -0.5), ("e", 0.1), (" ", 0.0), ("m", -3.0)]
    assert text_lines(pieces, 60, False)[0] == ["  [++free] [--m]"]


def test_a_long_text_shows_the_lines_that_carry_most():
    pieces = [piece for i in range(200) for piece in ((f"word{i}", 5.0 if i == 150 else 0.01), ("\n", 0.0))]
    lines, hidden = text_lines(pieces, 80, False)
    assert hidden > 100
    assert len(lines) <= MOST_LINES + 10
    assert any("[++word150]" in line for line in lines)
    assert lines[0].strip() == "word0"
    assert "..." in [line.strip() for line in lines]


def test_a_line_of_a_long_text_is_shown_as_a_whole():
    long = " ".join(f"some{i}" for i in range(20))
    pieces = [piece for i in range(60) for piece in ((f"word{i}", 5.0 if i == 30 else 0.01), (f" {long}\n", 0.0))]
    lines, hidden = text_lines(pieces, 80, False)
    place = next(place for place, line in enumerate(lines) if "[++word30]" in line)
    assert " ".join(" ".join(lines[place : place + 2]).split()) == f"[++word30] {long}"
    assert hidden + sum(line.strip() != "..." for line in lines) == 120


def test_blank_lines_are_kept_one_at_a_time():
    assert text_lines([("a\n\n\n\nb\r\nc\n\n", 0.0)], 60, False)[0] == ["  a", "", "  b", "  c"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0.000"), (1.0, "1.000"), (0.9999, "> 0.999"), (0.5, "0.500"), (1e-7, "1.0e-07"), (0.0005, "0.001")],
)
def test_probabilities_are_never_rounded_to_certainty(share, text):
    assert format_probability(share) == text


def test_a_document_on_a_page_is_escaped_and_whole():
    made = document_html([("<script>", 1.0), (" \x1b\u202e&\r\n\t", 0.0), ("b", -1.0)])
    assert made == (
        '<mark class="s4" title="+1.000">&lt;script&gt;</mark> \ufffd&amp;\n\t'
        '<mark class="a s4" title="-1.000">b</mark>'
    )
    assert document_html([]) == ""


def page(tmp_path):
    model = summing()
    table = messages(
        [NASTY, "qwertz", None, "", "prize\n\n" * 300],
        [10, np.nan, np.nan, np.nan, 3],
        ["ham", "spam", None, None, "news"],
    )
    loan = hedgerow.examples.loan()
    found = hedgerow.explanations(model, table)
    for learner in (hedgerow.C45(), hedgerow.Ripper(), hedgerow.RandomForest(n_estimators=30), hedgerow.CBA()):
        found += hedgerow.explanations(learner.train(loan), loan, [0, 7])
    path = tmp_path / "why.html"
    path.write_text(hedgerow.to_html(explanations_report(model, found, 7)), "utf-8")
    return path


def test_every_part_of_a_page_is_closed(tmp_path):
    text = page(tmp_path).read_text("utf-8")
    for name in (
        "article",
        "div",
        "mark",
        "table",
        "tr",
        "td",
        "th",
        "ol",
        "ul",
        "li",
        "p",
        "span",
        "section",
        "details",
    ):
        assert len(re.findall(rf"<{name}[ >]", text)) == text.count(f"</{name}>"), name
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "<script" not in text


@pytest.mark.skipif(not (BROWSER and DRIVER), reason=MISSING)
def test_the_page_in_a_browser(tmp_path):
    overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    mark = "return getComputedStyle(document.querySelector('mark.s4')).backgroundColor"
    path = page(tmp_path)
    with Browser() as browser:
        assert browser.open(path) == []
        assert browser.run(overflow) == 0
        light = browser.run(mark)
        assert browser.run("return document.querySelectorAll('article.explained').length") == 13
        assert browser.open(path, dark=True) == []
        assert browser.run(mark) != light
        assert browser.open(path, width=360) == []
        assert browser.run(overflow) == 0
        assert browser.pdf().startswith(b"%PDF")


def test_a_notebook_gets_a_piece_that_stands_for_itself():
    found = hedgerow.explanations(summing(), messages(["free <b> money"]))[0]
    made = found._repr_html_()
    assert made.startswith("<div><style>")
    assert "<b>" not in made.split("</style>")[1]
    assert repr(found).startswith("<Explanation: row 1, Class = ")


LONG = "a_class_whose_name_is_rather_long_and_has_中文_in_it"


def wide_models():
    """Yield explanations of every way to decide, with long names everywhere."""
    classes = (f"{LONG}_1", f"{LONG}_2", f"{LONG} 3")
    texts = [f"{LONG}{i} word{i}" for i in range(3)]
    yield hedgerow.explanations(summing(texts=texts, classes=classes), messages(texts, [1, 2, 3], classes, classes))
    rows = {f"{LONG}_x": [1.5, 2.5, 3.5, 4.5] * 5, f"{LONG}_y": [f"{LONG}_a", f"{LONG}_b"] * 10}
    labels = [classes[0], classes[1], classes[2], classes[2]] * 5
    table = hedgerow.Table.of({**rows, "target": labels}, "target")
    for learner in (
        hedgerow.C45(min_leaf=1),
        hedgerow.Ripper(),
        hedgerow.CBA(),
        hedgerow.Prism(),
        hedgerow.RandomForest(n_estimators=12),
        hedgerow.NaiveBayes(),
    ):
        model = learner.train(table)
        missing = table.with_column(table.schema[f"{LONG}_x"], np.full(20, np.nan))
        yield hedgerow.explanations(model, table, range(4)) + hedgerow.explanations(model, missing, [0])


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_nothing_is_wider_than_asked_for(columns):
    for found in wide_models():
        for one in found:
            for in_color in (True, False):
                lines = article_lines(decision_article(one.to_dict()), Terminal(columns, in_color=in_color))
                assert max(count_cells(ANSI.sub("", line)) for line in lines) <= columns, "\n".join(lines)
