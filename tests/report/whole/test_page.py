"""The page in a real browser: nothing goes wrong, nothing is cut off, light and dark, wide, narrow and in print."""

from itertools import pairwise

import pytest

import hedgerow
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table, Text
from hedgerow.report.draw.svg import DARK
from hedgerow.report.whole.full_report import full_report
from hedgerow.report.whole.html import to_html
from tests.evaluate.toys import blobs, straight
from tests.report.browser import BROWSER, DRIVER, MISSING, Browser

pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason=MISSING)

LEARNING = {
    "x": [10, 20, 40, 80],
    "series": [
        {"name": "test", "y": [0.3, 0.2, 0.15, 0.1], "low": [0.2, 0.1, 0.1, 0.05], "high": [0.4, 0.3, 0.2, 0.15]},
        {"name": "training", "y": [0.0, 0.02, 0.03, 0.04]},
    ],
}
COMPARISON = {
    "base": "c45",
    "learners": [
        {"name": "c45", "value": 0.1, "low": 0.05, "high": 0.15},
        {"name": "one_r", "value": 0.2, "low": 0.15, "high": 0.25, "mark": "worse"},
    ],
}


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


def texts():
    """Return texts of three classes, one of whose words is longer than a card is wide."""
    words = [("free", "prize"), ("lunch", "noon"), ("w" * 90, "<b>")]
    said = [f"{words[n % 3][0]} {words[n % 3][1]} and {n}" for n in range(30)]
    table = Table.of({"label": [("spam", "ham", "a class with a long name")[n % 3] for n in range(30)]}, "label")
    return table.with_column(Column("message", Kind.TEXT), Text.of(said))


def pages():
    """Yield pages that hold all there is: a tree, rules, a print, many classes, numbers, odd names."""
    for name, learner, table in (
        ("tree", hedgerow.C45(), blobs(3, 60)),
        ("rules", hedgerow.C45Rules(), blobs(2, 60)),
        ("print", hedgerow.NaiveBayes(), blobs(12, 20)),
        ("numbers", hedgerow.CARTRegressor(), straight(200)),
        ("terms", hedgerow.NaiveBayes(), texts()),
    ):
        model = learner.train(table)
        results = hedgerow.test(model, table)
        report = full_report(model, table, results, picture=True, learning=LEARNING, comparison=COMPARISON)
        yield name, to_html({**report, "source": "<i>/a&b.csv", "file": "m.hedge"})
    for name, learner, table in (
        ("clusters", hedgerow.Agglomerative(n_clusters=4), blobs(12, 20)),
        ("clusters of texts", hedgerow.KMeans(n_clusters=9), texts()),
    ):
        yield name, to_html({**hedgerow.clusters_page(learner.train(table), table, "rules"), "source": "<i>/a&b.csv"})


@pytest.fixture(scope="module", params=["tree", "rules", "print", "numbers", "terms", "clusters", "clusters of texts"])
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    path.write_text(dict(pages())[request.param], "utf-8")
    return path


OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
FOREIGN = "return performance.getEntriesByType('resource').map(one => one.name)"
FLAT = "return [...document.querySelectorAll('main svg')].filter(one => !one.getBoundingClientRect().height).length"
UNNAMED = """const told = ['aria-label', 'aria-labelledby', 'aria-hidden']
return [...document.querySelectorAll('svg')].filter(one => !told.some(name => one.getAttribute(name))).length"""


def test_the_console_stays_silent_and_nothing_is_fetched(browser, page):
    assert browser.open(page) == []
    assert [name for name in browser.run(FOREIGN) if not name.startswith("data:")] == []


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_the_page_never_scrolls_sideways(browser, page, width):
    browser.open(page, width)
    assert browser.run(OVERFLOW) <= 0
    assert browser.run("return innerWidth") == width


def test_it_follows_a_dark_screen(browser, page):
    browser.open(page)
    assert browser.run(BACKGROUND) == "rgb(255, 255, 255)"
    browser.open(page, dark=True)
    assert browser.run(BACKGROUND) == "rgb(22, 25, 29)"
    ink = "return getComputedStyle(document.querySelector('svg .ink')).fill"
    assert browser.run(ink) == "rgb(232, 234, 237)"
    assert "#e8eaed" in DARK["ink"]


def test_every_picture_is_seen_and_named(browser, page):
    browser.open(page)
    assert browser.run("return document.querySelectorAll('svg').length") > 5
    assert browser.run(UNNAMED) == 0
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    assert browser.run(FLAT) == 0


def test_headings_ids_and_links_are_in_order(browser, page):
    browser.open(page)
    levels = browser.run("return [...document.querySelectorAll('h1,h2,h3,h4')].map(one => +one.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = browser.run("return [...document.querySelectorAll('a')].map(one => one.getAttribute('href').slice(1))")
    assert set(links) <= set(ids)
    assert browser.run("return [...document.querySelectorAll('table')].every(one => one.caption)")


def test_it_prints(browser, page):
    browser.open(page, dark=True)
    assert browser.pdf().startswith(b"%PDF")


def test_a_broken_page_would_be_noticed(browser, tmp_path):
    path = tmp_path / "broken.html"
    path.write_text("<!DOCTYPE html><title>x</title><script>nothing.here()</script>")
    assert any("nothing is not defined" in line for line in browser.open(path))
