"""Learners of rules on the command line: rules to keep, columns to forbid, directions, the work."""

import pytest

import hedgerow
from tests.cli.run import run

KEPT = "if Has_Job = true then Class = Yes\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    (tmp_path / "kept.txt").write_text(KEPT)
    return tmp_path


def train(*options):
    return run("train", "loan.csv", "--folds", 0, *options)


def test_kept_rules_come_from_a_file():
    ran = train("-l", "covering", "--keep-rules", "kept.txt")
    assert ran.status == 0
    assert "if Has_Job = true then Class = Yes (5/0)" in ran.out
    ran = run("crossval", "loan.csv", "-l", "prism", "--keep-rules", "kept.txt", "--folds", 3)
    assert ran.status == 0


def test_a_printed_model_can_be_kept(folder):
    model = hedgerow.Covering(max_rules=1).train(hedgerow.examples.loan())
    (folder / "first.txt").write_text(str(model))
    ran = train("-l", "covering", "--keep-rules", "first.txt")
    assert "if Own_House = true then Class = Yes (6/0)" in ran.out
    assert "if Has_Job = false then Class = No (6/0)" in ran.out


def test_what_cannot_be_kept_is_told(folder):
    ran = train("-l", "covering", "--keep-rules", "none.txt")
    assert ran.status == 2
    assert "'none.txt' cannot be read: No such file" in ran.err
    (folder / "kept.txt").write_text("if Has_Jab = true then Class = Yes")
    ran = train("-l", "prism", "--keep-rules", "kept.txt")
    assert ran.status == 2
    assert "line 1: there is no column 'Has_Jab'; did you mean 'Has_Job'?" in ran.err


def test_forbidden_columns_and_directions():
    ran = train("-l", "covering", "--forbid", "Own_House, Has_Job")
    assert ran.status == 0
    assert "Own_House =" not in ran.out
    assert "did you mean 'Own_House'" in train("-l", "covering", "--forbid", "Own_Hose").err
    assert "is nominal and has no direction" in train("-l", "covering", "--direction", "Age=up").err


def test_columns_are_kept_by_the_full_name_of_the_option():
    ran = train("-l", "covering", "--keep", "ID", "--evaluation", "entropy")
    assert ran.status == 0
    assert "identifier" not in ran.out


@pytest.mark.parametrize(
    ("learner", "start"), [("prism", "Rule 1, condition 1: If ?"), ("covering", "Rule 1: 15 rows")]
)
def test_the_work_is_shown_before_the_model(learner, start):
    ran = train("-l", learner, "--show-work")
    assert ran.out.startswith(f"Work\n\n{start}")


def test_a_saved_set_loads_and_predicts_the_same(folder):
    for name in ("prism", "covering"):
        train("-l", name, "-o", "model.hedge")
        assert run("test", "model.hedge", "loan.csv").status == 0
        model = hedgerow.load("model.hedge")
        said = "".join(label[0] for label in model.predict(hedgerow.examples.loan()))
        assert said == "NNYYNNNYYYYYYYN"
