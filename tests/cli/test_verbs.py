"""The verbs as a new user would try them."""

import csv
import io
import json
import subprocess
import sys
from importlib import import_module

import pytest

import hedgerow
from tests.cli.run import run

LOAN = hedgerow.examples.loan_csv()


@pytest.fixture
def model(folder):
    assert run("train", "loan.csv", "-l", "naive_bayes", "--folds", 0, "-o", "loan.hedge").status == 0
    return folder / "loan.hedge"


def test_describe_tells_kinds_levels_and_identifiers(folder):
    ran = run("describe", "loan.csv")
    assert ran.status == 0
    assert "15 rows, 6 columns" in ran.out
    assert "young 5, middle 5, old 5" in ran.out
    assert "ID: identifier: all 15 values differ" in ran.out


def test_train_prints_the_model_the_figures_and_the_baseline_and_saves(folder):
    ran = run("train", "loan.csv", "--learner", "one_r", "-o", "loan.hedge", "--full")
    assert ran.status == 0
    assert "if Own_House = false then Class = No (9/3)" in ran.out
    assert "stratified 10-fold cross-validation" in ran.out
    assert "majority" in ran.out
    assert "saved in loan.hedge" in ran.out
    assert str(hedgerow.load("loan.hedge")) in run("show", "loan.hedge").out


def test_learner_options_come_from_the_declared_parameters(folder):
    ran = run("train", "loan.csv", "--learner", "naive_bayes", "--alpha", "0", "--folds", 0, "--json")
    assert json.loads(ran.out)["model"]["parameters"]["alpha"] == 0
    assert "--min-bucket" in run("train", "--learner", "one_r", "--help").out
    refused = run("train", "loan.csv", "--learner", "one_r", "--alpha", "0")
    assert refused.status == 2
    assert "--alpha" in refused.err


@pytest.mark.parametrize("verb", ["train", "crossval"])
def test_no_parameter_of_a_learner_hides_an_option_of_the_verb(verb):
    command = import_module(f"hedgerow.cli.{verb}").command
    own = {param.name for param in command.params}
    for info in hedgerow.learners().values():
        assert not own & set(info.params)


def test_keep_uses_an_identifier(folder):
    ran = run("train", "loan.csv", "-l", "naive_bayes", "--keep", "ID", "--folds", 0)
    assert "\nID " in ran.out


def test_kinds_can_be_overridden(folder):
    ran = run("describe", "loan.csv", "--nominal", "ID", "--keep", "ID", "--json")
    kinds = {column["name"]: column["kind"] for column in json.loads(ran.out)["columns"]}
    assert kinds["ID"] == "nominal"
    twice = run("describe", "loan.csv", "--nominal", "ID", "--numeric", "ID")
    assert twice.status == 2
    assert "cannot be both" in twice.err


def test_a_test_on_the_training_rows_counts_them_all(model):
    report = json.loads(run("test", "loan.hedge", "loan.csv", "--json").out)
    assert report["rows"] == 15
    assert report["right"] + report["wrong"] == 15


def test_a_class_that_the_model_does_not_know_is_an_error_of_the_model(model, folder):
    (folder / "new.csv").write_text(LOAN.replace("1,young,false,false,fair,No", "1,young,false,false,fair,Maybe"))
    ran = run("test", "loan.hedge", "new.csv")
    assert ran.status == 0
    assert "Maybe" in ran.out


def test_predict_writes_a_row_for_every_row_in_order(model, folder):
    ran = run("predict", "loan.hedge", "loan.csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    expected = hedgerow.load("loan.hedge").predict(hedgerow.examples.loan())
    assert [row["predicted Class"] for row in rows] == list(expected)
    assert float(rows[0]["P(No)"]) + float(rows[0]["P(Yes)"]) == pytest.approx(1, abs=1e-5)


def test_predict_reads_standard_input_and_matches_columns_by_name(model):
    shuffled = "Credit_Rating,Own_House,extra,Has_Job,Age\ngood,false,1,false,young\nexcellent,?,2,true,old\n"
    ran = run("predict", "loan.hedge", "-", stdin=shuffled)
    assert ran.status == 0
    assert [line.split(",")[0] for line in ran.out.split()[2:]] == ["No", "Yes"]
    assert "ignored columns that the model does not use: 'extra'" in ran.err


def test_predict_takes_unseen_levels_as_missing_and_says_so(model):
    ran = run("predict", "loan.hedge", "-", stdin="Age,Has_Job,Own_House,Credit_Rating\nancient,true,true,good\n")
    assert ran.status == 0
    assert "'ancient' not seen in training" in ran.err


def test_predict_with_data_puts_the_columns_in_front(model, folder):
    header = run("predict", "loan.hedge", "loan.csv", "--with-data", "-o", "out.csv")
    assert header.status == 0
    first = (folder / "out.csv").read_text().split("\n")[0]
    assert first == "Age,Has_Job,Own_House,Credit_Rating,Class,predicted Class,P(No),P(Yes)"


def test_a_missing_column_is_named_and_leaves_no_output(model, folder):
    (folder / "less.csv").write_text("Age,Has_Job,Own_House\nyoung,true,true\n")
    ran = run("predict", "loan.hedge", "less.csv", "-o", "out.csv")
    assert ran.status == 1
    assert "'Credit_Rating'" in ran.err
    assert not list(folder.glob("*out*"))


def test_learning_by_stream_gives_the_same_model(model, folder):
    assert run("train", "loan.csv", "-l", "naive_bayes", "--stream", "-o", "streamed.hedge").status == 0
    assert str(hedgerow.load("streamed.hedge")) == str(hedgerow.load("loan.hedge"))


def test_train_reads_standard_input(folder):
    ran = run("train", "-", "-l", "one_r", "--folds", 0, stdin=LOAN)
    assert ran.status == 0
    assert "Own_House" in ran.out


def test_crossval_leave_one_out_and_holdout(folder):
    assert "leave-one-out" in run("crossval", "loan.csv", "--leave-one-out").out
    held = run("crossval", "loan.csv", "--holdout", "0.2").out
    assert "holdout, 20% to test on" in held
    assert "3 rows tested" in held  # as of `rules --holdout 0.2`: the share that is held out
    assert "2 runs" in run("crossval", "loan.csv", "--folds", 3, "--runs", 2).out
    wrong = run("crossval", "loan.csv", "--folds", 1)
    assert wrong.status == 2


def test_a_numeric_target_is_predicted_by_a_simple_regressor_unless_told_otherwise(folder):
    rows = "\n".join(f"{i % 3},{i * 1.5}" for i in range(60))
    (folder / "n.csv").write_text("x,y\n" + rows + "\n")
    ran = run("train", "n.csv", "--full")
    assert ran.status == 0
    assert "simplest_regressor for y" in ran.out
    assert "chose=mean" in ran.out
    assert "mean for y: 10-fold cross-validation" in ran.out
    assert "mean abs. error" in ran.out
    refused = run("train", "n.csv", "-l", "naive_bayes")
    assert refused.status == 1
    assert "--nominal" in refused.err


def test_whole_numbers_that_nearly_all_differ_are_numbers(folder):
    (folder / "n.csv").write_text("x,y\n" + "\n".join(f"{i * 1.5},{10 * i + i % 3}" for i in range(12)) + "\n")
    ran = run("train", "n.csv", "--folds", "0", "--full")
    assert ran.status == 0
    assert "chose=linear_regression" in ran.out
    assert "treated as classes" not in ran.out


def test_few_whole_numbers_may_be_classes(folder):
    (folder / "c.csv").write_text("x,y\n" + "\n".join(f"{i},{i % 2}" for i in range(30)) + "\n")
    ran = run("train", "c.csv", "-l", "naive_bayes")
    assert ran.status == 0
    assert "treated as classes" in ran.out


def test_convert_and_back(folder):
    for name in ("loan.arff", "loan.parquet", "loan.feather", "loan.tsv", "loan.csv.gz"):
        assert run("convert", "loan.csv", name).status == 0
        assert run("describe", name, "--json").status == 0
        again = hedgerow.open_source(name).read()
        assert again.n_rows == 15
        assert again.schema.names == hedgerow.examples.loan().schema.names


def test_every_report_comes_as_json(folder, model):
    for words in (
        ["describe", "loan.csv"],
        ["train", "loan.csv"],
        ["crossval", "loan.csv"],
        ["show", "loan.hedge"],
        ["test", "loan.hedge", "loan.csv"],
        ["learners"],
    ):
        report = json.loads(run(*words, "--json").out)
        assert report["version"] == 1


def test_learners_lists_all_and_one(folder):
    assert "naive_bayes" in run("learners").out
    assert "min_bucket" in run("learners", "one_r").out
    wrong = run("learners", "one_rr")
    assert wrong.status == 2
    assert "did you mean 'one_r'" in wrong.err


def test_no_control_codes_when_not_a_terminal(folder):
    assert "\x1b" not in run("train", "loan.csv").out


def test_wrong_calls_have_status_2():
    assert run("train").status == 2
    assert run("trian", "x.csv").status == 2
    assert run("train", "x.csv", "--fold", "ten").status == 2


def test_a_tree_prints_as_rules_with_support_and_confidence(folder):
    run("train", "loan.csv", "--learner", "c45", "--folds", 0, "-o", "tree.hedge")
    shown = run("show", "tree.hedge", "--rules")
    assert "if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %\n" in shown.out
    assert "otherwise Class = Yes\n" in shown.out
    rules = json.loads(run("show", "tree.hedge", "--rules", "--json").out)["rules"]
    assert [(rule["n"], rule["errors"], rule["confidence"]) for rule in rules] == [
        (6, 0, 1), (3, 0, 1), (6, 0, 1), (0, 0, None)
    ]  # fmt: skip
    assert [rule["support"] for rule in rules] == pytest.approx([6 / 15, 3 / 15, 6 / 15, 0])


def test_members_of_a_committee_print_as_rules(folder):
    options = ("--learner", "bagging", "--base", "c45", "--n-estimators", 2, "--folds", 0)
    run("train", "loan.csv", *options, "-o", "trees.hedge")
    shown = run("show", "trees.hedge", "--member", 1, "--rules")
    assert ", confidence " in shown.out
    assert shown.status == 0
    assert run("show", "trees.hedge", "--member", 7, "--rules").status != 0
    whole = run("show", "trees.hedge", "--rules")
    assert whole.status == 2
    assert "only a tree of classes prints as rules" in whole.err


def test_what_is_no_tree_does_not_print_as_rules(folder):
    run("train", "loan.csv", "--learner", "c45_rules", "--folds", 0, "-o", "rules.hedge")
    shown = run("show", "rules.hedge", "--rules")
    assert shown.status == 2
    assert "already holds rules; leave out --rules" in shown.err
    run("train", "loan.csv", "--learner", "naive_bayes", "--folds", 0, "-o", "bayes.hedge")
    shown = run("show", "bayes.hedge", "--rules")
    assert shown.status == 2
    assert "only a tree of classes prints as rules" in shown.err


@pytest.mark.parametrize("raised", ["raise KeyboardInterrupt", "exec('raise KeyboardInterrupt')"])
def test_an_interrupt_has_its_sentence_and_status(tmp_path, raised):
    """Also one that comes while a module is imported, in code that Python executes from a string."""
    script = f"import hedgerow.cli as cli\ndef main(*_, **__): {raised}\ncli.hedgerow.main = main\ncli.main([])\n"
    (tmp_path / "stopping.py").write_text(script)
    call = [sys.executable, "-m", "stopping"]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == "hedgerow: stopped\n"
    assert done.returncode == 130
