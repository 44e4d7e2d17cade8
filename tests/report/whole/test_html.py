"""Pages and Markdown: complete, well-formed, the same each time, and safe whatever the names are."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import hedgerow
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.layout.json_values import to_json
from hedgerow.models.trees.first_levels import first_levels
from hedgerow.report.about.learners import learners_report
from hedgerow.report.about.model_report import model_report
from hedgerow.report.data.data import describe_report
from hedgerow.report.evaluation.build import evaluation_report
from hedgerow.report.render.markdown import code_block, plain
from hedgerow.report.whole.forms import form_from_name, write_form
from hedgerow.report.whole.full_report import full_report
from hedgerow.report.whole.html import to_html
from hedgerow.report.whole.markdown import to_markdown
from hedgerow.report.whole.text import render
from tests.evaluate.toys import NearestMean, blobs, straight

ODD = "<b>&\"'>]]> </script> \u202e\x00 語 é |`*_[x](y)"
EMPTY = {"meta", "link", "br"}


class Checked(HTMLParser):
    """Raises where elements do not close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):  # noqa: ARG002
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def checked(page):
    parser = Checked()
    parser.feed(page)
    assert parser.open == []
    return parser


def odd_table():
    rows = 80
    rng = np.random.default_rng(2)
    classes = rng.choice([ODD, "b"], rows).tolist()
    return Table.of(
        {ODD + "1": rng.choice([ODD, "y", None], rows).tolist(), ODD + "2": rng.normal(size=rows), ODD + "3": classes},
        target=ODD + "3",
    )


def large_tree():
    """A tree that learned noise by heart."""
    rng = np.random.default_rng(8)
    columns = {name: rng.random(2000) for name in "abcd"}
    return hedgerow.C45(min_leaf=1, prune="none", collapse=False, mdl=False).train(
        Table.of({**columns, "y": rng.choice(["p", "q"], 2000).tolist()}, "y")
    )


def full(learner, table, **more):
    model = learner.train(table)
    return full_report(model, table, hedgerow.test(model, table), picture=True, **more)


TABLES = {"classes": blobs(3, 40), "two": blobs(2, 40), "many": blobs(26, 12), "odd": odd_table()}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", [hedgerow.C45(), hedgerow.C45Rules(), hedgerow.OneR(), hedgerow.NaiveBayes()])
def test_pages_are_whole_and_safe(name, learner):
    report = {**full(learner, TABLES[name]), "source": f"/home/me/{ODD}.csv", "file": "model.hedge"}
    page = to_html(report)
    found = checked(page)
    assert "script" not in found.tags
    assert "http" not in re.sub(r'http-equiv|"http://www.w3.org/2000/svg"', "", page)
    assert "/home/me" not in page
    assert "\u202e" not in page
    assert page == to_html(report)
    for section in ("summary", "data", "model", "test"):
        assert f'id="{section}"' in page
    markdown = to_markdown(report)
    assert "\n## Test\n" in markdown
    assert "<b>" not in re.sub(r"(?s)```.*?```", "", markdown).replace("\\<b\\>", "")


def test_numbers_have_a_page_too():
    page = to_html(full(hedgerow.CARTRegressor(), straight()))
    checked(page)
    assert "Predicted and actual" in page
    assert "Confusion" not in page
    assert "mean abs. error" in to_markdown(full(hedgerow.CARTRegressor(), straight()))


def test_every_kind_of_report_has_every_form():
    table = blobs(3, 20)
    model = hedgerow.OneR().train(table)
    evaluation = evaluation_report(hedgerow.cross_validate(hedgerow.OneR(), table))
    training = {"report": "training", "version": 1, "source": "a.csv", "data_notes": ["a note"]}
    reports = [
        describe_report(table),
        model_report(model),
        evaluation,
        {**training, "model": model_report(model), "evaluation": evaluation},
        learners_report(hedgerow.learners().values(), details=False),
        full_report(model),
        full_report(model, table),
        full(hedgerow.OneR(), table),
    ]
    for report in reports:
        checked(to_html(report))
        for form in ("html", "md", "json", "text"):
            assert write_form(report, form).endswith("\n")
    with pytest.raises(UsageError, match="no form 'pdf'"):
        write_form(reports[0], "pdf")
    assert [form_from_name(name) for name in ("a.HTML", "b.md", "c.json", "d.txt")] == ["html", "md", "json", "text"]
    with pytest.raises(UsageError, match=r"must end in \.html, \.md, \.json or \.txt"):
        form_from_name("report.pdf")


def test_the_same_rows_again_are_warned_of():
    table = blobs(2, 20)
    model = hedgerow.OneR().train(table)
    unknown = model.replace_about(replace(model.about, sketch=None))
    same = full_report(unknown, table, hedgerow.test(unknown, table))
    assert "exactly as many rows as the model was trained on (40)" in same["warnings"][0]
    same = full_report(model, table, hedgerow.test(model, table))
    assert not any("exactly" in note for note in same["warnings"])
    said = "About 100 % of these rows were trained on: these figures are not evidence."
    assert same["evaluation"]["trained_on"]["headline"] == said
    for text in (render(same), to_html(same), to_markdown(same)):
        assert said in text
    other = table.take(np.arange(30))
    assert not any("exactly" in note for note in full_report(model, other, hedgerow.test(model, other))["warnings"])
    crossed = full_report(model, table, hedgerow.cross_validate(hedgerow.OneR(), table))
    assert not any("exactly" in note for note in crossed["warnings"])


def test_warnings_of_data_test_and_model_come_once():
    rows = [[str(row), "a" if row < 95 else "b", "a" if row < 95 else "b"] for row in range(100)]
    table = Table.of({name: [row[place] for row in rows] for place, name in enumerate(("who", "leak", "y"))}, "y")
    notes = full(hedgerow.OneR(), table)["warnings"]
    assert len(notes) == len(set(notes))
    text = " ".join(notes)
    for words in (
        "alone determines the class of 100.0%",
        "95.0% of the rows are 'a'",
        "class 'b' has fewer than 10 rows",
        "identifier",
    ):
        assert words in text


def test_rules_tell_how_they_fare_in_the_test():
    table = blobs(3, 40)
    model = hedgerow.C45Rules().train(table)
    results = hedgerow.test(model, table)
    rules = full_report(model, table, results)["model"]["rules"]
    assert sum(rule["unseen"]["covered"] for rule in rules) == len(table)
    assert sum(rule["unseen"]["errors"] for rule in rules) == pytest.approx(
        float((results.decided != results.actual).sum())
    )
    crossed = full_report(model, table, hedgerow.cross_validate(hedgerow.C45Rules(), table))
    assert "unseen" not in crossed["model"]["rules"][0]
    assert rules[0]["conditions"] == [str(one) for one in model.rules[0].conditions]


def test_a_tree_longer_than_a_page_is_text_on_paper():
    tables = blobs(3, 4), blobs(26, 12, spread=3.0)
    small, large = (hedgerow.C45(min_leaf=1, prune="none").train(table) for table in tables)
    short, long = (to_html(hedgerow.full_report(model, picture=True)) for model in (small, large))
    assert "wide tall" not in short
    assert 'class="printout"' not in short
    assert '<figure class="wide tall">' in long
    assert long.count("<pre>") == 2  # folded, and for paper
    assert ".tall{display:none}.printout{display:block}" in long.split("@media print")[1]


def test_curves_of_some_classes_say_so():
    page = to_html(full(hedgerow.NaiveBayes(), blobs(9, 12)))
    assert "<h3>Curves of the 7 largest of 9 classes</h3>" in page
    assert "<h3>Curves</h3>" in to_html(full(hedgerow.NaiveBayes(), blobs(3, 12)))


def test_rules_of_weighted_rows_add_up():
    table = blobs(2, 30).with_weights(np.linspace(0.5, 2, 60))
    model = hedgerow.OneR().train(table)
    rules = full_report(model, table, hedgerow.test(model, table))["model"]["rules"]
    assert sum(rule["unseen"]["covered"] for rule in rules) == pytest.approx(60)  # scaled


def test_classes_that_the_model_does_not_know_are_described():
    table = blobs(3, 30)
    model = hedgerow.OneR().train(blobs(2, 30))
    report = full_report(model, table, hedgerow.test(model, table))
    assert [one["rows"] for one in report["data"]["classes"]] == [30, 30, 30]
    checked(to_html(report))


def test_a_class_may_be_chosen():
    table = blobs(3, 30)
    curves = full(hedgerow.OneR(), table, label="virginica")["curves"]
    assert [one["label"] for one in curves["classes"]] == ["virginica"]


def test_learning_and_comparison_are_drawn():
    learning = {"x": [10, 20], "series": [{"name": "test", "y": [0.2, 0.1], "low": [0.1, 0.0], "high": [0.3, 0.2]}]}
    comparison = {"base": "one_r", "learners": [{"name": "one_r", "value": 0.2}, {"name": ODD, "value": float("nan")}]}
    report = full(hedgerow.OneR(), blobs(2, 30), learning=learning, comparison=comparison)
    page = to_html(report)
    checked(page)
    assert 'id="learning"' in page
    assert 'id="comparison"' in page
    markdown = to_markdown(report)
    assert "| 10 | 0.2000 (0.100 to 0.300) |" in markdown
    assert "| all rows | 0.2000 | ? |" in markdown


def test_large_trees_show_their_first_levels_and_long_prints_their_first_lines():
    tree = large_tree()
    report = full_report(tree, picture=True)
    assert report["model"]["picture_note"].startswith("The first ")
    assert f"{tree.size:,} leaves" in report["model"]["picture_note"]
    page = to_html(report)
    assert "more lines; `hedgerow show` prints the whole model" in page
    assert len(page) < 200_000


def test_the_top_of_a_tree_predicts_what_the_tree_thinks_there():
    tree = large_tree()
    top = first_levels(tree, 20)
    assert 10 < top.size <= 20
    assert np.array_equal(top.weights, tree.weights[: len(top.nodes)])
    inner = ~top.nodes.is_leaf
    assert np.array_equal(top.nodes.columns[inner], tree.nodes.columns[: len(top.nodes)][inner])
    assert first_levels(tree, 10_000) == tree
    assert first_levels(tree, 1).size == 1
    numbers = hedgerow.CARTRegressor(min_samples_leaf=2).train(straight(200))
    assert first_levels(numbers, 4).size <= 4
    assert first_levels(numbers, 10_000).size == numbers.size


def test_a_tiny_table_has_a_page():
    table = Table.of({"x": [1.0, 2.0], "y": ["a", "b"]}, "y")
    checked(to_html(full(hedgerow.Majority(), table)))
    checked(to_html(full_report(hedgerow.Majority().train(table), table)))


def test_undefined_figures_are_question_marks_and_json_has_null():
    results = hedgerow.test(NearestMean().train(blobs(2, 5)), blobs(2, 5).take(np.arange(5)))
    report = evaluation_report(results)
    assert "nan" not in to_html(report).lower().replace("finance", "")
    assert "nan" not in to_markdown(report)
    assert "NaN" not in to_json(report)


def test_markdown_words_cannot_break_out():
    assert plain("a|b\n# c `d` <e>") == "a\\|b \\# c \\`d\\` \\<e\\>"
    assert code_block("a\n````\nb")[0] == "`````text"


def test_the_text_form_has_all_parts():
    text = render(full(hedgerow.OneR(), blobs(2, 30)))
    for words in ("60 rows, 3 columns", "one_r for species: trained", "Confusion matrix", "were trained on"):
        assert words in text
