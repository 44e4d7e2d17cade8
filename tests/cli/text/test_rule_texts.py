"""Rules in text files on the command line."""

import pytest

import hedgerow
from tests.cli.run import run

RULES = """\
# edited by Ann
if Own_House = true then Class = Yes (6/0)
if Has_Job = false then Class = No
otherwise no decision  # ask a person
"""


@pytest.fixture
def folder(folder):
    (folder / "my_rules.txt").write_text(RULES)
    return folder


def test_rules_by_hand_are_tested(folder):
    ran = run("test", "my_rules.txt", "loan.csv")
    assert ran.status == 0
    assert "15 rows tested: 12 of 15 predicted" in ran.out
    assert "12 of 12 correct" in " ".join(ran.out.split())


def test_rules_by_hand_predict_and_leave_cells_empty(folder):
    ran = run("predict", "my_rules.txt", "loan.csv", "-q")
    assert ran.status == 0
    said = [line.split(",")[0] for line in ran.out.splitlines()[1:]]
    assert (said.count(""), said.count("Yes"), said.count("No")) == (3, 6, 6)


def test_new_applicants_need_no_class(folder):
    (folder / "new.csv").write_text("Own_House,Has_Job\ntrue,false\nfalse,false\n")
    ran = run("predict", "my_rules.txt", "new.csv", "-q")
    assert (ran.status, ran.out.splitlines()[1].split(",")[0]) == (0, "Yes")


def test_standard_input_will_do(folder):
    ran = run("test", "my_rules.txt", "-", stdin=hedgerow.examples.loan_csv())
    assert "12 of 15 predicted" in ran.out


def test_show_and_report_take_rules_and_data(folder):
    shown = run("show", "my_rules.txt", "loan.csv")
    assert "rules for Class: size 2" in shown.out
    assert "otherwise no decision" in shown.out
    assert run("report", "my_rules.txt", "loan.csv", "-o", "page.html").status == 0
    assert "no prediction" in (folder / "page.html").read_text()


def test_a_learned_model_becomes_a_text_that_is_edited_and_run(folder):
    assert run("train", "loan.csv", "-l", "c45", "--folds", 0, "-o", "tree.hedge").status == 0
    assert run("show", "tree.hedge", "--rules-out", "rules.txt").status == 0
    text = (folder / "rules.txt").read_text()
    assert text.startswith("# column Has_Job: {false, true}\n")
    assert run("show", "tree.hedge", "--rules-out", "-").out == text
    (folder / "rules.txt").write_text(text.replace("Has_Job = true then Class = Yes", "Has_Job = true then Class = No"))
    assert "12 of 15 correct" in run("test", "rules.txt", "loan.csv").out
    assert run("show", "rules.txt").status == 0
    (folder / "shown.txt").write_text(run("show", "tree.hedge", "--rules").out)
    assert "15 of 15 correct" in run("test", "shown.txt", "loan.csv").out


def test_errors_name_the_file_and_the_line(folder):
    (folder / "bad.txt").write_text(RULES.replace("Has_Job", "HasJob"))
    ran = run("test", "bad.txt", "loan.csv")
    assert ran.status == 1
    assert "bad.txt, line 3: there is no column 'HasJob'; did you mean 'Has_Job'?" in ran.err
    ran = run("show", "my_rules.txt")
    assert ran.status == 1
    assert "my_rules.txt holds rules as text" in ran.err
    ran = run("test", "loan.csv", "loan.csv")
    assert "loan.csv is not a hedgerow model file, and contains no rules" in ran.err


def test_what_has_no_rules_cannot_be_written_as_rules(folder):
    assert run("train", "loan.csv", "-l", "naive_bayes", "--folds", 0, "-o", "bayes.hedge").status == 0
    ran = run("show", "bayes.hedge", "--rules-out", "rules.txt")
    assert "only rules and trees of classes become rules" in ran.err
