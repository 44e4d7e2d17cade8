"""The command line of testing: --tune, --group, --bootstrap, and the verb curve."""

import json
from importlib import import_module

import numpy as np
import pytest

import hedgerow
from hedgerow import Table, write
from tests.cli.run import run


@pytest.fixture
def visits(tmp_path):
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(20), 6)
    x = rng.normal(0, 1, 20)[who] + rng.normal(0, 0.3, 120)
    ill = (x + rng.normal(0, 0.8, 120) > 0).astype(int)
    columns = {
        "x": x,
        "y": rng.normal(0, 1, 120),
        "who": [f"p{i}" for i in who],
        "ill": [("no", "yes")[i] for i in ill],
    }
    path = tmp_path / "visits.csv"
    write(Table.of(columns, target="ill"), path)
    return path


def test_crossval_tunes_inside_every_fold(visits):
    ran = run("crossval", visits, "-l", "c45", "--tune", "min_leaf=2,5,20", "--rule", "1se", "--json", "--folds", 4)
    report = json.loads(ran.out)
    assert ran.status == 0
    assert report["changed"]["min_leaf"] == "tuned: 2, 5, 20"
    assert report["notes"][-1].startswith("chosen within each of 4 folds, without its test rows: min_leaf=")
    assert report["baseline"] == "majority"


def test_train_tunes_by_all_rows_and_tests_the_choice(visits, tmp_path):
    ran = run(
        "train", visits, "-l", "c45", "--tune", "min-leaf=2,20", "--tune", "confidence=0.1,0.25", "-o", tmp_path / "m"
    )
    assert ran.status == 0
    assert "was chosen: best among 4 by stratified 5-fold cross-validation" in " ".join(ran.out.split())
    assert "chosen within each of 10 folds" in " ".join(ran.out.split())
    assert "c45 for ill" in run("show", tmp_path / "m").out


def test_parameters_inside_others_are_tuned(visits):
    options = ["--n-estimators", 2, "--tune", "base-min-leaf=2,20", "--tune-folds", 2, "--folds", 2]
    ran = run("crossval", visits, "-l", "adaboost", *options)
    assert "base__min_leaf=" in ran.out


def test_groups_stay_together_and_their_column_is_left_out(visits, tmp_path):
    ran = run("crossval", visits, "-l", "c45", "--group", "who", "--folds", 5)
    assert "stratified 5-fold cross-validation by who" in ran.out
    assert "rows with the same 'who' stay together: 20 groups of 6 to 6 rows" in ran.out
    trained = run("train", visits, "-l", "c45", "--group", "who", "--json")
    model = json.loads(trained.out)["model"]
    assert "who" not in model["text"]
    assert "column 'who' is not used in training (it groups the rows)" in model["notes"]
    left = run("crossval", visits, "-l", "c45", "--group", "who", "--leave-one-out", "--tune", "min_leaf=2,9")
    assert "leave-one-who-out" in left.out
    assert "by who, 33% to test on" in run("crossval", visits, "--group", "who", "--holdout", 0.33).out


def test_simplest_keeps_groups_together_in_its_folds(visits):
    alone, grouped = (
        json.loads(run("train", visits, "--folds", 0, "--json", *more).out)["selection"]["candidates"]
        for more in ([], ["--group", "who"])
    )
    assert [one["error"] for one in alone] != [one["error"] for one in grouped]
    assert grouped[0]["error"] == pytest.approx(alone[0]["error"], abs=0.1)  # majority


@pytest.mark.parametrize("learner", ["simplest", "c45"])
def test_a_report_by_folds_keeps_the_groups_of_training_together(visits, tmp_path, learner):
    model, other = tmp_path / "visits.hedge", tmp_path / "other.csv"
    run("train", visits, "-l", learner, "--group", "who", "--folds", 0, "-o", model)
    ran = run("report", model, visits, "--folds", 5)
    assert "5-fold cross-validation by who" in ran.out
    assert "rows with the same 'who' stay together: 20 groups of 6 to 6 rows" in " ".join(ran.out.split())
    lines = [line.split(",") for line in visits.read_text().splitlines()]
    at = lines[0].index("who")
    other.write_text("\n".join(",".join(line[:at] + line[at + 1 :]) for line in lines) + "\n")
    lacking = run("report", model, other, "--folds", 5)
    assert (lacking.status, "there is no column 'who' in" in lacking.err) == (2, True)
    assert run("report", model, other).status == 0
    plain = tmp_path / "plain.hedge"
    run("train", visits, "-l", learner, "--ignore", "who", "--folds", 0, "-o", plain)
    assert "by who" in run("report", plain, visits, "--folds", 5, "--group", "who").out
    assert "also give the number of folds" in run("report", plain, visits, "--group", "who").err


def test_the_bootstrap_says_its_632_estimate(visits):
    ran = run("crossval", visits, "-l", "c45", "--bootstrap", 10)
    assert "bootstrap, 10 samples, tested on the rows left out" in ran.out
    assert "the .632 estimate of the error rate is" in ran.out
    assert "bootstrap by who" in run("crossval", visits, "--bootstrap", 5, "--group", "who").out


def test_a_learning_curve_as_a_table_and_as_json(visits):
    ran = run("curve", visits, "--learner", "c45", "--sizes", "0.1,50%,40,1", "--folds", 3)
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()[3:7]] == ["8", "40", "40", "80"]
    report = json.loads(run("curve", visits, "--json", "--measure", "auc", "--folds", 3).out)
    assert (report["report"], report["over"], report["measure"], len(report["points"])) == ("curve", "rows", "auc", 10)
    assert {"at", "label", "rows", "test", "training", "size", "seconds"} == set(report["points"][0])


def test_a_curve_over_a_parameter(visits):
    ran = run("curve", visits, "--learner", "c45", "--over", "min_leaf=1,5,30", "--folds", 3, "--group", "who")
    assert [line.split()[0] for line in ran.out.splitlines()[3:6]] == ["1", "5", "30"]
    assert run("curve", visits, "-l", "naive_bayes", "--over", "density=normal,bins", "--folds", 2).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crossval", "--tune", "alhpa=1,2"], "no parameter 'alhpa'; did you mean 'alpha'?"),
        (["crossval", "--tune", "alpha=1,two"], "alpha cannot be 'two': it must be a number of at least 0"),
        (["crossval", "--tune", "alpha=1,-2"], "alpha=-2.0 is not allowed"),
        (["crossval", "--tune", "alpha"], "give a parameter and its values, as in --tune min_leaf=2,5,10"),
        (["crossval", "--tune", "m=1", "--tune", "m=2"], "--tune m is given twice"),
        (["crossval", "--tune", "m=1,2", "--rule", "3se"], "--rule 3se: there is no such rule"),
        (["crossval", "--tune", "m=1,2", "--tune-by", "rmse"], "no measure 'rmse' for the predictions of naive_bayes"),
        (["crossval", "--rule", "1se"], "also give the parameter, as in --tune min_leaf=2,5,10"),
        (["crossval", "--group", "whom"], "no column 'whom' to group by"),
        (["crossval", "--group", "ill"], "is the target, so it cannot also group"),
        (
            ["crossval", "--tune-folds", "5"],
            "--tune-folds specifies how to choose; also give the parameter, as in --tune min_leaf",
        ),
        (["train", "--tune-rule", "best"], "--tune-rule specifies how to choose; also give the parameter"),
        (["train", "--ignore", "ill"], "column 'ill' is the target, so it cannot also be excluded from training"),
        (["crossval", "--ignore", "who", "--keep", "who"], "column 'who' cannot be both kept and excluded"),
        (["crossval", "--bootstrap", "0"], "at least 1, but is 0"),
        (
            ["crossval", "--bootstrap", "5", "--holdout", "0.5"],
            "choose one of --leave-one-out, --holdout and --bootstrap",
        ),
        (["train", "--stream", "--tune", "m=1,2"], "need all rows at once; leave out --stream"),
        (["curve", "--sizes", "0.1,many"], "--sizes many: give shares such as 0.1"),
        (["curve", "--sizes", "0.1", "--over", "m=1"], "choose either --sizes or --over"),
        (["curve", "--over", "k=1"], "naive_bayes has no parameter 'k'"),
        (["curve", "--measure", "luck"], "no measure 'luck'"),
    ],
)
def test_mistakes_are_told_in_a_sentence(visits, arguments, words):
    ran = run(arguments[0], visits, "--learner", "naive_bayes", *arguments[1:])
    assert ran.status == 2
    assert words in ran.err
    assert not ran.out


@pytest.mark.parametrize("verb", ["train", "crossval", "curve"])
def test_no_parameter_of_a_learner_is_taken_for_an_option_of_the_verb(verb):
    own = {param.name for param in import_module(f"hedgerow.cli.{verb}").command.params}
    for info in hedgerow.learners().values():
        assert not own & set(info.params), f"{verb} has an option of its own for a parameter of {info.name}"


def test_a_learner_that_has_a_rule_of_its_own_is_tuned_by_tune_rule(visits):
    words = [
        "-l",
        "bagging",
        "--base",
        "one_r",
        "--rule",
        "average",
        "--tune",
        "n_estimators=2,3",
        "--tune-rule",
        "1se",
    ]
    report = json.loads(run("crossval", visits, *words, "--folds", 2, "--json").out)
    assert report["parameters"]["rule"] == "average"
    assert report["parameters"]["tuned_by"] == "1se"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"yes": {"perhaps": 5}}', "the costs name 'perhaps', which is not a class; the classes are"),
        ('{"yes": ', "costs.json cannot be read as JSON"),
        (None, "costs.json cannot be read: No such file or directory"),
        ("7", "costs=7 is not allowed"),
    ],
)
def test_a_file_of_costs_at_fault_is_a_sentence(visits, tmp_path, monkeypatch, text, sentence):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "costs.json").write_text(text)
    ran = run("crossval", visits, "-l", "c45", "--costs", "costs.json", "--folds", 2)
    assert ran.status in (1, 2)
    assert sentence in ran.err


def test_costs_may_come_from_a_file(visits, tmp_path):
    (tmp_path / "costs.json").write_text('{"yes": {"no": 5}}')
    ways = [tmp_path / "costs.json", "yes:no=5", '{"yes": {"no": 5}}']
    made = [json.loads(run("crossval", visits, "-l", "c45", "--costs", way, "--json").out) for way in ways]
    assert made[0]["confusion"] == made[1]["confusion"] == made[2]["confusion"]


def test_a_rule_of_tuning_given_to_a_learner_with_its_own_is_pointed_to_its_place(visits):
    ran = run("crossval", visits, "-l", "bagging", "--tune", "n_estimators=2,3", "--rule", "1se")
    assert ran.status == 2
    assert "rule='1se' is not allowed: it must be one of vote, average" in ran.err
    assert "for the option of the command, write --tune-rule" in ran.err


def test_a_short_option_with_its_value_attached_names_the_learner(folder):
    ran = run("train", "loan.csv", "-lbagging", "--rule", "vote", "--folds", 0, "-q")
    assert ran.status == 0, ran.err
    assert "each member has one vote" in ran.out


def test_one_row_with_a_target_is_learned_from_but_not_tested(folder):
    (folder / "one.csv").write_text("a,b,y\n1,2,p\n2,3,?\n")
    ran = run("train", "one.csv", "-l", "c45")
    assert ran.status == 0, ran.err
    assert "not tested, since that needs at least two rows with a target" in ran.out


def test_an_endless_size_is_a_sentence(folder):
    ran = run("curve", "loan.csv", "-l", "one_r", "--sizes", "inf")
    assert ran.status == 2
    assert "not inf" in ran.err


def test_help_names_an_option_once_and_the_learner_has_the_first_right_to_it(folder):
    assert "--tune-rule, --rule best|1se" in run("train", "loan.csv", "-l", "c45", "--help").out
    text = run("train", "loan.csv", "-l", "bagging", "--help").out
    assert "--tune-rule best|1se" in text
    assert text.count(" --rule ") == 1


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (["--leave-one-out", "--runs", 5], ["--runs has no meaning with --leave-one-out"]),
        (["--bootstrap", 3, "--folds", 5, "--runs", 2], ["--folds has no", "--runs has no meaning with --bootstrap"]),
        (["--holdout", 0.6, "--folds", 5], ["--folds has no meaning with --holdout"]),
        (["--holdout", 0.6, "--runs", 2], []),
    ],
)
def test_options_that_a_method_does_not_use_are_named(folder, words, idle):
    ran = run("crossval", "loan.csv", "-l", "one_r", *words)
    assert ran.status == 0, ran.err
    assert all(sentence in ran.out for sentence in idle)
    assert ran.out.count("has no meaning") == len(idle)


def test_rows_of_a_weight_are_not_mixed_up_with_their_weight(folder):
    """Bags in ARFF weigh as much as they have instances: 40 rows are not 100."""
    rows = "".join(f"{i % 4},{'yes' if i % 4 > 1 else 'no'},{{{1 + i % 4}}}\n" for i in range(40))
    header = "@relation t\n@attribute x numeric\n@attribute y {yes,no}\n@data\n"
    (folder / "t.arff").write_text(header + rows)
    assert run("train", "t.arff", "-l", "majority", "--folds", 0, "-q", "-o", "m.hedge").status == 0
    out = run("test", "m.hedge", "t.arff", "-q").out
    assert "40 rows tested, total weight 100: weight 70 of 100 correct (70.0 %), 30 incorrect (30.0 %)" in out
    assert "class          weight" in out
    for words in (("crossval", "t.arff", "-l", "majority"), ("train", "t.arff", "-l", "majority", "--full")):
        assert "40 rows tested, total weight 100: weight 70 of 100 correct" in run(*words, "-q").out
    for page in ("r.html", "r.md"):
        assert run("report", "m.hedge", "t.arff", "-q", "-o", page).status == 0
        assert "40 rows tested, total weight 100" in (folder / page).read_text()
    (folder / "t.arff").write_text(header + "".join(line.rsplit(",", 1)[0] + "\n" for line in rows.splitlines()))
    out = run("test", "m.hedge", "t.arff", "-q").out
    assert "40 rows tested: 20 of 40 correct (50.0 %)" in out
    assert "class          rows" in out
