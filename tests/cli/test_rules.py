"""hedgerow rules: printing, filtering, sorting, CSV, JSON, cards, and sentences where there is nothing to show."""

import csv
import io
import json

import pytest

import hedgerow
from hedgerow.layout.cell_width import count_cells
from hedgerow.report.draw.markup import escape_words
from hedgerow.report.whole.text import render
from tests.cli.run import run

RULE = "if Own_House = false and Has_Job = false then Class = No"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    learners = {"list": hedgerow.C45Rules(), "tree": hedgerow.C45(), "one": hedgerow.OneR()}
    for name, learner in learners.items():
        learner.train(hedgerow.examples.loan()).save(f"{name}.hedge")
    return tmp_path


def done(*arguments):
    ran = run("rules", *arguments)
    assert ran.status == 0, ran.err
    return ran.out


def test_rules_print_with_their_figures():
    out = done("list.hedge")
    assert out.startswith("c45_rules for Class: 1 rule and a default, trained on 15 rows\n")
    assert "Rules are tried in order" in out
    assert f"1  6       0    40.0%      100.0%  2.50       2  {RULE}\n" in out
    assert "*  9       0    60.0%      100.0%  1.67       0  otherwise Class = Yes\n* default\n" in out
    assert "no longer a model" not in out


def test_paths_of_a_tree():
    out = done("tree.hedge", "--sort", "length")
    assert "3 paths, trained on 15 rows" in out
    assert "Each rule is a path" in out
    assert out.index("if Own_House = true then") < out.index(RULE)
    assert "no longer a model" not in out
    assert "a tree without some of its paths is no longer a model" in done("tree.hedge", "--class", "No")


def test_filters_say_how_many_are_left_and_that_it_is_no_model():
    out = " ".join(done("list.hedge", "--class", "No", "--min-confidence", "0.9", "--min-support", "0.4").split())
    assert "c45_rules for Class: 1 of 1 rule, trained" in out
    assert "a rule list that is filtered is no longer a model" in out
    assert "otherwise" not in out
    out = done("one.hedge", "--max-length", "0", "--sort", "n")
    assert "0 of 2 rules and the default" in out
    assert "otherwise Class = Yes" in out
    assert "Own_House" not in out.split("Note")[0]
    assert "No rule passes these filters." in done("list.hedge", "--min-support", "0.99")


def test_csv_has_a_line_a_rule(folder):
    done("list.hedge", "--csv", "rules.csv")
    rows = list(csv.DictReader(io.StringIO((folder / "rules.csv").read_text())))
    assert [row["class"] for row in rows] == ["No", "Yes"]
    assert rows[0]["conditions"] == "Own_House = false and Has_Job = false"
    assert (rows[0]["support"], rows[0]["default"], rows[1]["default"]) == ("0.4", "false", "true")
    rows = list(csv.DictReader(io.StringIO(done("tree.hedge", "--class", "Yes", "--csv", "-"))))
    assert [row["number"] for row in rows] == ["2", "3"]
    header = done("list.hedge", "--min-support", "0.99", "--csv", "-")
    assert header.startswith("number,conditions,class,")
    assert header.count("\n") == 1
    rows = list(csv.DictReader(io.StringIO(done("list.hedge", "loan.csv", "--folds", "5", "--csv", "-"))))
    assert {"unseen_precision_low", "folds_same"} <= set(rows[0])


def test_json_has_everything():
    report = json.loads(done("list.hedge", "loan.csv", "--folds", "5", "--sort", "n", "--json"))
    assert (report["report"], report["order"], report["sort"], report["n_rules"]) == ("rules", "list", "n", 1)
    first = report["rules"][0]
    assert (first["rule"], first["n"], first["errors"], first["lift"], first["length"]) == (RULE, 6.0, 0.0, 2.5, 2)
    assert first["found"]["of"] == 5
    assert set(first["unseen"]) == {"covered", "errors", "of", "coverage", "precision"}
    assert report["cards"]["way"] == "folds"
    assert report["source"] == "loan.csv"


def test_cards_of_training_rows():
    out = done("list.hedge", "loan.csv")
    assert f"1  {RULE}\n   training  6 of 15     40.0%  19.8-64.3     100.0%  61.0-100.0\n" in out
    assert "   given     6 of 15     40.0%" in out
    assert "About 100 % of these rows were trained on: these figures are not evidence." in out


def test_cards_of_a_holdout_say_whose_rules_they_are():
    out = done("list.hedge", "loan.csv", "--holdout", "0.3")
    assert "rules trained on 11 rows, metrics on unseen rows from the 4 others, seed 1" in " ".join(out.split())
    assert "These are not the model's own rules" in out
    assert "in the model" in out


def test_cards_of_folds_say_what_is_pooled():
    out = " ".join(done("list.hedge", "loan.csv", "--folds", "5").split())
    assert "5-fold cross-validation, seed 1" in out
    assert "unseen estimates are those of the same rule, or a similar one" in out
    assert "of 5" in out
    assert done("list.hedge", "loan.csv", "--folds", "5") == done("list.hedge", "loan.csv", "--folds", "5")


def test_a_saved_report_of_rules_renders_in_every_form(folder):
    (folder / "rules.json").write_text(done("list.hedge", "loan.csv", "--folds", "5", "--json"))
    text = run("report", "rules.json", "--as", "text").out
    assert text == done("list.hedge", "loan.csv", "--folds", "5")
    page = run("report", "rules.json", "--as", "html").out
    assert page.count("<tr>") == 5  # the head, and two lines a rule
    assert escape_words("found in folds") in page
    assert "| 1 | if Own\\_House = false and" in run("report", "rules.json", "--as", "md").out


def test_a_page_of_a_model_with_folds_has_cards(folder):
    for name in ("list", "tree"):
        assert run("report", f"{name}.hedge", "loan.csv", "--folds", "5", "-o", "page.html").status == 0
        page = (folder / "page.html").read_text()
        assert "found in folds" in page
        assert "Paths of the tree as rules" in page or name == "list"
    assert run("report", "list.hedge", "loan.csv", "-o", "page.html").status == 0
    assert "unseen" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["list.hedge", "--class", "yes"], 2, "there is no class 'yes'; did you mean 'Yes'?"),
        (["list.hedge", "loan.csv", "--class", "N"], 2, "there is no class 'N'; did you mean 'No'?"),
        (["list.hedge", "--min-confidence", "80"], 2, "min-confidence must be a share from 0 to 1"),
        (["list.hedge", "--min-support", "-1"], 2, "min-support must be a share from 0 to 1"),
        (["list.hedge", "--max-length", "-1"], 2, "max-length must be a number of conditions from 0 up"),
        (["list.hedge", "--sort", "size"], 2, "'size' is not one of"),
        (["list.hedge", "--folds", "5"], 2, "--holdout and --folds need the data"),
        (["list.hedge", "loan.csv", "--folds", "5", "--holdout", "0.3"], 2, "choose one of --holdout and --folds"),
        (["list.hedge", "loan.csv", "--folds", "1"], 2, "the number of folds must be at least 2, but is 1"),
        (["list.hedge", "loan.csv", "--holdout", "30"], 2, "must lie between 0 and 1, such as 0.3, but is 30"),
        (["list.hedge", "bare.csv"], 1, "the target 'Class' is missing in every row of the test data"),
        (["list.hedge", "short.csv"], 1, "lacks 1 column that the model needs: 'Own_House'"),
        (["list.hedge", "none.csv"], 1, "none.csv"),
        (["none.hedge"], 1, "none.hedge"),
        (["bayes.hedge"], 2, "naive Bayes has no rules"),
        (["bayes.hedge", "loan.csv", "--folds", "3"], 2, "naive Bayes has no rules"),
        (["many.hedge"], 2, "a committee of 2 members has no rules of its own"),
        (["list.hedge", "--csv", "-", "--json"], 2, "would both go to standard output"),
    ],
)
def test_bad_input_is_one_sentence(folder, arguments, status, sentence):
    (folder / "bare.csv").write_text("Age,Has_Job,Own_House,Credit_Rating\nold,true,true,fair\n")
    (folder / "short.csv").write_text("Age,Has_Job,Credit_Rating,Class\nold,true,fair,Yes\n")
    hedgerow.NaiveBayes().train(hedgerow.examples.loan()).save("bayes.hedge")
    hedgerow.Bagging(n_estimators=2).train(hedgerow.examples.loan()).save("many.hedge")
    ran = run("rules", *arguments)
    assert ran.status == status
    assert ran.out == ""
    assert sentence in ran.err.replace("\n", " ")


def test_rules_written_by_hand_have_cards_of_all_data(folder):
    (folder / "mine.txt").write_text("if Own_House = true then Class = Yes\notherwise Class = No\n")
    out = done("mine.txt", "loan.csv")
    assert "unseen    6 of 15     40.0%" in out
    ran = run("rules", "mine.txt", "loan.csv", "--folds", "5")
    assert ran.status == 2
    assert "all rows of the data are then treated as unseen" in ran.err.replace("\n", " ")


def test_names_of_any_kind(folder):
    (folder / "odd.csv").write_text("größe,<b>art</b>,klasse\n" + "1,x y,ja\n2,x y,ja\n8,z,nein\n9,z,nein\n" * 5)
    assert run("train", "odd.csv", "-l", "c45_rules", "--folds", "0", "-o", "odd.hedge", "-q").status == 0
    assert "klasse" in done("odd.hedge", "odd.csv", "--folds", "4", "-q")
    (folder / "odd.json").write_text(done("odd.hedge", "odd.csv", "--folds", "4", "--json"))
    assert "<b>art" not in run("report", "odd.json", "--as", "html").out


def test_groups_stay_together_in_cards(folder):
    rows = [f"p{row // 4},{row // 4 * 10 + row % 4},{'ab'[row // 8 % 2]}" for row in range(64)]
    (folder / "visits.csv").write_text("\n".join(["who,x,c", *rows]))
    assert run("train", "visits.csv", "-l", "ripper", "--group", "who", "--folds", 0, "-o", "v.hedge").status == 0
    for asked in (["--folds", 4], ["--holdout", 0.25], ["--folds", 4, "--group", "who"]):
        out = " ".join(done("v.hedge", "visits.csv", *asked).split())
        assert "by who" in out
        assert "rows with the same 'who' stay together: 16 groups of 4 to 4 rows" in out
    page = json.loads(run("report", "v.hedge", "visits.csv", "--folds", 4, "--json").out)
    assert page["model"]["cards"]["method"] == "4-fold cross-validation by who"
    assert page["evaluation"]["method"] == "stratified 4-fold cross-validation by who"
    wrong = run("rules", "v.hedge", "visits.csv", "--folds", 4, "--group", "whose")
    assert "there is no column 'whose' in visits.csv to group by; did you mean 'who'?" in wrong.err
    assert "--group keeps groups of rows together" in run("rules", "v.hedge", "visits.csv", "--group", "who").err


def test_long_rules_are_folded_on_a_terminal_only(folder):
    report = json.loads(done("list.hedge", "loan.csv", "--folds", 5, "--json"))
    plain = render(report, 70)
    assert any(count_cells(line) > 70 for line in plain.split("\n"))
    assert max(map(count_cells, render(report, 70, folded=True).split("\n"))) <= 70
    listed = render(json.loads(done("list.hedge", "--json")), 60, folded=True)
    assert "  length\n1  6       0    40.0%      100.0%  2.50       2\n   if Own_House = false and" in listed
    shown = render(json.loads(run("show", "list.hedge", "--json").out), 60, folded=True)
    assert max(map(count_cells, shown.split("\n"))) <= 60


def test_nothing_is_said_of_learning_when_rules_are_only_tested(folder):
    (folder / "my.txt").write_text("if Own_House = true then Class = Yes\notherwise Class = No\n")
    for verb in ("test", "predict", "rules"):
        ran = run(verb, "my.txt", "loan.csv")
        assert ran.status == 0
        assert "--keep" not in ran.err + ran.out
