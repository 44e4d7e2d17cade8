"""Terms of texts in reports: as text, as JSON, on a page."""

import json

import numpy as np
import pytest

from hedgerow import C45, NaiveBayes, Rocchio, examples, model_report
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.layout.json_values import to_json
from hedgerow.report.linear.telling_terms import require_terms, terms_part
from hedgerow.report.whole.full_report import full_report
from hedgerow.report.whole.html import to_html
from hedgerow.report.whole.text import render

TEXTS = [
    "free money free",
    "free <b>prize</b> & fun",
    "lunch at noon",
    None,
    "noon, or later: lunch",
    "money for lunch",
]
LABELS = ["spam", "spam", "ham", "ham", "ham", "ham"]


def mails(texts=TEXTS, labels=LABELS, more=()):
    table = Table.of({"label": labels}, "label").with_column(Column("message", Kind.TEXT), Text.of(texts))
    for name, values in more:
        table = table.with_column(Column(name, Kind.TEXT), Text.of(values))
    return table


def test_the_terms_of_naive_bayes_are_those_that_it_tells():
    model = NaiveBayes().train(mails())
    part = terms_part(model, 2)["terms"]
    assert part["columns"] == [{"column": "message", "terms": 10, "texts": 5, "event": "multinomial"}]
    spam, ham = part["groups"]
    assert (ham["label"], ham["rows"], spam["label"], spam["rows"]) == ("ham", 4.0, "spam", 2.0)
    assert [one["term"] for one in ham["terms"]] == ["lunch", "noon"]
    assert spam["terms"][0]["amount"] == 3.0
    assert spam["terms"][0]["value"] == pytest.approx(model.telling(1)["message"]["spam"][0].log_odds)
    everything = terms_part(model, None)["terms"]["groups"]
    assert [len(group["terms"]) for group in everything] == [len(g) for g in model.telling(None)["message"].values()]
    assert json.loads(to_json(model_report(model)))["terms"]["groups"][0]["terms"][0]["term"] == "free"


def test_the_terms_of_prototypes_have_weights():
    part = terms_part(Rocchio().train(mails()), 1)["terms"]
    assert part["measure"] == "weight"
    assert [set(group["terms"][0]) for group in part["groups"]] == [{"term", "value"}] * 2
    text = render({**model_report(Rocchio().train(mails())), **require_terms(Rocchio().train(mails()), 1, "m")})
    assert "rocchio for label: trained on 6 rows" in text


def printed(model, columns):
    """Return the print of a model as a terminal shows it."""
    return render({**model_report(model), "notes": []}, columns, folded=True).split("\n\n", 1)[1].removesuffix("\n")


def test_terms_as_text_fit_whatever_the_terminal():
    rng = np.random.default_rng(1)
    words = [" ".join(f"word{rng.zipf(1.3) % 50}" for _ in range(30)) for _ in range(60)]
    model = NaiveBayes().train(mails(words, [f"a long name {n % 3}" for n in range(60)]))
    for columns in (60, 80, 100, 160):
        report = {**model_report(model), **require_terms(model, 20, "m"), "only_terms": True}
        lines = render(report, columns).splitlines()
        assert max(map(len, lines)) <= columns
        own = printed(model, columns)
        assert max(map(len, own.splitlines())) <= columns
        assert own.replace(" ", "").replace("\n", "") == str(model).replace(" ", "").replace("\n", "")
    assert printed(model, 100) == str(model)


def test_all_terms_are_a_line_each():
    model = NaiveBayes().train(mails())
    text = render({**model_report(model), **require_terms(model, None, "m"), "only_terms": True})
    head, *lines = text.split("\n\n", 1)[1].splitlines()
    assert head.split() == ["class", "term", "log-odds", "amount"]
    assert lines[0].split()[:2] == ["spam", "free"]
    assert len(lines) == sum(len(terms) for terms in model.telling(None)["message"].values())


def test_several_columns_of_texts_are_told_apart():
    model = NaiveBayes().train(mails(more=[("title", ["win", "win", "hi", "hi", None, "hi"])]))
    report = {**model_report(model), **require_terms(model, 3, "m"), "only_terms": True}
    assert "spam in title" in render(report)
    assert "spam in title" in to_html(full_report(model))


def test_the_page_has_a_card_a_class_and_nothing_breaks_out():
    labels = ["<script>", "<script>", *["ham"] * 4]
    page = to_html(full_report(NaiveBayes(unit="char", ngram_max=3).train(mails(labels=labels))))
    assert page.count('class="card"') == 2
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;" in page.replace("&lt;script", "")
    assert "log-odds" in page


def test_a_class_without_telling_terms_is_said():
    page = to_html(full_report(NaiveBayes().train(mails(["lunch", "lunch"], ["a", "b"]))))
    assert "no term distinguishes it from the others" in page
    empty = NaiveBayes().train(mails(["", ""], ["a", "b"]))
    assert "has a term that is used" in to_html(full_report(empty))


def test_other_models_have_no_terms():
    model = C45().train(examples.loan())
    assert terms_part(model) == {}
    assert "terms" not in model_report(NaiveBayes().train(examples.loan()))
    with pytest.raises(ModelError, match=r"m\.hedge holds a model of kind 'tree', which has no text terms to show"):
        require_terms(model, 3, "m.hedge")
