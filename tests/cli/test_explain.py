"""hedgerow explain: rows, classes to set against, colors, pages, and sentences for what cannot be."""

import io
import json
import re

import pytest

import hedgerow
from hedgerow.cli import explain, output
from hedgerow.cli.explain import parse_row_numbers, select_rows, uses_color
from hedgerow.errors import UsageError
from tests.cli.run import run

MESSAGES = """label,message
ham,are we still on for lunch at noon
ham,the meeting is moved to monday morning
ham,can you call me after the meeting please
ham,lunch was great thank you for the cake
spam,free prize call now to claim your free cash
spam,win cash now call this free number
spam,claim your prize today free entry
spam,urgent you have won a free phone call now
ham,see you at the meeting on monday
ham,happy birthday and have a great day
spam,free ringtone for your phone text now
spam,you have won cash claim it today
"""


@pytest.fixture
def spam(tmp_path, monkeypatch):
    """Return a folder with messages, new ones, and a naive Bayes model of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "messages.csv").write_text(MESSAGES)
    (tmp_path / "new.csv").write_text(
        'label,message\nspam,"FREE lunch, call now!"\nham,Zzz\nham,"meeting <b>& cake\x1b[31m"\nspam,free\nham,lunch\n'
    )
    done = run(
        "train", "messages.csv", "--target", "label", "--learner", "naive_bayes", "--folds", "0", "-o", "m.hedge"
    )
    assert done.status == 0, done.err
    return tmp_path


@pytest.fixture
def loans(folder):
    for learner in ("c45", "ripper", "random_forest", "majority", "naive_bayes"):
        done = run("train", "loan.csv", "--learner", learner, "--folds", "0", "-o", f"{learner}.hedge")
        assert done.status == 0, done.err
    return folder


def test_the_first_rows_are_explained_and_the_others_counted(spam):
    ran = run("explain", "m.hedge", "new.csv")
    assert ran.status == 0, ran.err
    assert re.findall(r"^Row (\d)", ran.out, re.MULTILINE) == ["1", "2", "3"]
    assert "2 more rows are not explained; --rows 4 explains the next one, --rows 1-5 all of them." in ran.out
    assert "Row 1: label = spam rather than ham; correct" in ran.out
    assert re.search(r"\[\+\+?FREE\] \[-+lunch\]", ran.out)
    assert "the text holds no word that the model knows: the prior decides" in ran.out
    assert "\x1b" not in ran.out


def test_the_numbers_are_those_of_the_model(spam):
    ran = run("explain", "m.hedge", "new.csv", "--json", "--rows", "1-5")
    report = json.loads(ran.out)
    model, table = hedgerow.load("m.hedge"), hedgerow.read("new.csv", target="label")
    shares = model.distribution(table)
    assert report["report"] == "explanations"
    assert report["more"] == 0
    for told, row in zip(report["decisions"], shares, strict=True):
        assert list(told["probabilities"].values()) == pytest.approx(row.tolist())
        parts = [*told["why"]["grounds"], *told["why"]["prior"]]
        assert sum(part["adds"] for part in parts) == pytest.approx(told["why"]["total"], abs=1e-9)


def test_rows_may_be_chosen(spam):
    ran = run("explain", "m.hedge", "new.csv", "--rows", "4-5,1, 4")
    assert re.findall(r"^Row (\d)", ran.out, re.MULTILINE) == ["1", "4", "5"]
    assert "more rows" not in ran.out


@pytest.mark.parametrize("rows", ["0", "x", "", "3-1", "1--2", "-1", "1,,2", "1-99999999"])
def test_rows_that_cannot_be(spam, rows):
    ran = run("explain", "m.hedge", "new.csv", f"--rows={rows}")
    assert ran.status == 2
    assert ran.err.startswith(f"hedgerow: --rows {rows}: ")


def test_rows_beyond_the_end(spam):
    ran = run("explain", "m.hedge", "new.csv", "--rows", "2,6-7")
    assert (ran.status, ran.err.splitlines()[-1]) == (2, "hedgerow: there is no row 6: new.csv has 5 rows")


class Batches:
    """Data in batches of seven rows, of which the requested number is returned."""

    name = "batches"

    def __init__(self, table):
        self.table, self.read = table, 0

    def batches(self):
        for batch in self.table.batches(7):
            self.read += batch.n_rows
            yield batch


def test_rows_are_picked_from_batches(monkeypatch):
    table = hedgerow.Table.of({"x": list(range(30))})
    source = Batches(table)
    some, numbers, more = select_rows(source, [2, 8, 15])
    assert (some["x"].tolist(), numbers, more, source.read) == ([1, 7, 14], [2, 8, 15], 0, 21)
    some, numbers, more = select_rows(Batches(table), None)
    assert (some["x"].tolist(), numbers, more) == ([0, 1, 2], [1, 2, 3], 27)
    monkeypatch.setattr(explain, "COUNTED", 10)
    assert select_rows(Batches(table), None)[2] == -1
    with pytest.raises(UsageError, match="there is no row 31: batches has 30 rows"):
        select_rows(Batches(table), [3, 31, 40])
    with pytest.raises(UsageError, match="no rows to explain"):
        select_rows(Batches(table.slice(0, 0)), None)


def test_very_many_rows_are_not_counted(spam, monkeypatch):
    monkeypatch.setattr(explain, "COUNTED", 3)
    assert (
        "Many more rows are not explained; --rows 4 explains the next one." in run("explain", "m.hedge", "new.csv").out
    )


def test_another_class_may_be_set_against(spam):
    assert "rather than spam" in run("explain", "m.hedge", "new.csv", "--rows", "5", "--against", "spam").out
    told = run("explain", "m.hedge", "new.csv", "--rows", "1", "--against", "spam").out
    assert "spam is the predicted class itself" in told
    ran = run("explain", "m.hedge", "new.csv", "--against", "sapm")
    assert (ran.status, ran.err) == (
        2,
        "hedgerow: there is no class 'sapm' to compare with; did you mean 'spam'?\n",
    )


def test_a_sentence_may_be_given(spam):
    ran = run("explain", "m.hedge", "--sentence", "free cash")
    assert "The text: label = spam rather than ham" in ran.out
    assert json.loads(run("explain", "m.hedge", "--sentence", "free cash", "--json").out)["decisions"][0]["row"] is None
    assert run("explain", "m.hedge", "--sentence", "").status == 0
    assert run("explain", "m.hedge", "--sentence", "bad \udcff byte").status == 0


def test_data_or_a_sentence_but_not_both(spam, loans):
    for arguments in ((), ("messages.csv", "--sentence", "free")):
        ran = run("explain", "m.hedge", *arguments)
        assert ran.status == 2
        assert "name the data after the model, or give --sentence" in ran.err
    ran = run("explain", "c45.hedge", "--sentence", "free")
    assert (ran.status, ran.err) == (2, "hedgerow: the model does not use texts; give it a table with its columns\n")


def test_data_need_not_tell_the_class(spam):
    (spam / "bare.csv").write_text("message\nfree cash now\n")
    ran = run("explain", "m.hedge", "bare.csv")
    assert "Row 1: label = spam rather than ham\n" in ran.out


def test_classes_that_the_model_does_not_know(spam):
    (spam / "other.csv").write_text("label,message\nnews,free cash now\n")
    assert "rather than ham; incorrect, the actual class is news" in run("explain", "m.hedge", "other.csv").out


def test_data_without_rows(spam):
    (spam / "none.csv").write_text("label,message\n")
    ran = run("explain", "m.hedge", "none.csv")
    assert ran.status in (1, 2)
    assert "rows" in ran.err


def test_every_kind_of_model_tells_why(loans):
    assert "Leaf: Class = Yes" in run("explain", "c45.hedge", "loan.csv", "--rows", "3").out
    assert "rule" in run("explain", "ripper.hedge", "loan.csv").out
    assert "share of the votes" in run("explain", "random_forest.hedge", "loan.csv").out
    assert "it predicts the same for every row" in run("explain", "majority.hedge", "loan.csv").out
    assert "Own_House = false" in run("explain", "naive_bayes.hedge", "loan.csv").out


def test_models_that_predict_numbers(folder):
    (folder / "numbers.csv").write_text("x,y\n" + "".join(f"{i},{i * 1.5}\n" for i in range(30)))
    assert run("train", "numbers.csv", "--learner", "cart_regressor", "--folds", "0", "-o", "n.hedge").status == 0
    ran = run("explain", "n.hedge", "numbers.csv", "--rows", "2")
    assert ran.status == 0
    assert "1 prediction of y by cart_regressor" in ran.out
    assert "Row 2: y = " in ran.out
    ran = run("explain", "n.hedge", "numbers.csv", "--against", "yes")
    assert ran.status == 2
    assert "predicts numbers: there is no class 'yes' to compare with" in ran.err


def test_rules_in_a_text_file(folder):
    (folder / "rules.txt").write_text("if Own_House = true then Class = Yes\notherwise Class = No\n")
    ran = run("explain", "rules.txt", "loan.csv", "--rows", "4")
    assert "Rule 1 of 1 is the first that covers the row" in ran.out


def test_a_page(spam):
    ran = run("explain", "m.hedge", "new.csv", "--html", "why.html")
    assert (ran.status, ran.out) == (0, "")
    assert "note: the page is in why.html" in ran.err
    page = (spam / "why.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<b>&" not in page.split("<body>")[1]
    assert "&lt;b&gt;&amp;" in page
    assert "\x1b" not in page
    assert 'class="s' in page
    assert "2 more rows are not explained" in page
    assert json.loads(run("explain", "m.hedge", "new.csv", "--html", "why.html", "--json").out)
    ran = run("explain", "m.hedge", "new.csv", "--html", "nowhere/why.html")
    assert ran.status == 1
    assert "cannot be written" in ran.err


def test_saved_explanations_become_pages_and_text(spam):
    (spam / "why.json").write_text(run("explain", "m.hedge", "new.csv", "--json").out)
    for name in ("why.html", "why.md", "why.txt"):
        ran = run("report", "why.json", "-o", name)
        assert ran.status == 0, ran.err
        assert "rather than" in (spam / name).read_text("utf-8")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colors_are_for_terminals_unless_unwanted(monkeypatch, terminal, environment, expected):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert uses_color(Terminal() if terminal else io.StringIO()) == expected


def test_words_in_color(spam, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = run("explain", "m.hedge", "new.csv", "--rows", "1,3")
    assert re.search("\x1b\\[[0-9;]*32mFREE\x1b\\[0m", ran.out)
    assert re.search("\x1b\\[[0-9;]*35mlunch\x1b\\[0m", ran.out)
    assert "[+" not in ran.out
    assert "\x1b[31m" not in ran.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("explain", "m.hedge", "new.csv", "--rows", "1").out


def test_lines_are_as_wide_as_the_terminal(spam, monkeypatch):
    monkeypatch.setattr(output, "terminal_width", lambda _: 60)
    (spam / "wide.csv").write_text("label,message\nspam," + "free 中文 cash lunch " * 40 + "x" * 300 + "\n")
    from hedgerow.layout.cell_width import count_cells

    lines = run("explain", "m.hedge", "wide.csv").out.split("\n")
    assert max(map(count_cells, lines)) <= 60


def test_rows_parsed():
    assert parse_row_numbers("1-3,9,2") == [1, 2, 3, 9]
    assert parse_row_numbers(None) is None
    with pytest.raises(UsageError):
        parse_row_numbers("1-2-3")


def test_documents_without_a_class_are_explained(spam):
    (spam / "new.txt").write_text("free cash for you now and today\nthe meeting is on monday morning\n")
    (spam / "mails").mkdir()
    (spam / "mails" / "a.txt").write_text("free cash for you now\n")
    (spam / "box.mbox").write_text("From a@b Mon Jan  1 00:00:00 2024\nSubject: cash\n\nclaim your free cash now\n")
    ran = run("explain", "m.hedge", "new.txt")
    assert ran.status == 0, ran.err
    assert "Row 1: label = spam rather than ham\n" in ran.out
    assert "Row 2: label = ham rather than spam\n" in ran.out
    ran = run("explain", "m.hedge", "mails")
    assert "Row 1, a.txt: label = spam rather than ham\n" in ran.out, ran.err
    assert "Row 1: label = spam rather than ham\n" in run("explain", "m.hedge", "box.mbox").out


def test_of_a_folder_the_file_is_told(spam):
    for place in ("ham/first<b>", "ham/second", "spam/third"):
        (spam / "news" / place).parent.mkdir(parents=True, exist_ok=True)
        (spam / "news" / place).write_text("call me after the meeting, for free\n")
    ran = run("explain", "m.hedge", "news", "--rows", "1,3")
    assert re.findall(r"^Row .*?:", ran.out, re.MULTILINE) == ["Row 1, ham/first<b>:", "Row 3, spam/third:"], ran.err
    told = json.loads(run("explain", "m.hedge", "news", "--rows", "3", "--json").out)["decisions"][0]
    assert (told["row"], told["file"], told["actual"]) == (3, "spam/third", "spam")
    assert "file" not in json.loads(run("explain", "m.hedge", "new.csv", "--json").out)["decisions"][0]
    assert run("explain", "m.hedge", "news", "--html", "why.html").status == 0
    page = (spam / "why.html").read_text("utf-8")
    assert "Row 1, ham/first&lt;b&gt;:" in page
    assert "<b>:" not in page


def test_the_neighbors_are_counted_as_rows_are(folder):
    done = run("train", "loan.csv", "--learner", "knn", "--n-neighbors", "1", "--folds", "0", "-o", "knn.hedge")
    assert done.status == 0, done.err
    out = run("explain", "knn.hedge", "loan.csv", "--rows", "1").out
    assert re.search(r"training row 1, No, at distance 0 ", out), out


def test_hashed_terms_are_called_by_the_words_of_the_text(spam):
    options = ("--target", "label", "--learner", "naive_bayes", "--bits", "4", "--folds", "0", "-o", "hashed.hedge")
    assert run("train", "messages.csv", *options).status == 0
    told = json.loads(run("explain", "hashed.hedge", "--sentence", "free unheard lunch", "--json").out)["decisions"][0]
    words = [word for ground in told["why"]["grounds"] for word in ground["name"].split()[1:]]
    assert sorted(words) == ["free", "lunch", "unheard"]
