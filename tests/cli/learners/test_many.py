"""Many classes by two sides on the command line."""

import json

from sklearn.datasets import load_iris

from tests.cli.run import run


def written(folder):
    data = load_iris()
    lines = [
        "a,b,c,d,class",
        *(",".join([*map(str, x), str(data.target_names[t])]) for x, t in zip(data.data, data.target, strict=True)),
    ]
    (folder / "iris.csv").write_text("\n".join(lines) + "\n")
    return folder / "iris.csv"


def test_train_show_explain_and_predict(tmp_path):
    data, file = written(tmp_path), tmp_path / "m.hedge"
    ran = run(
        "train", data, "--learner", "pairwise", "--base", "c45", "--base-min-leaf", "5", "--folds", "2", "-o", file
    )
    assert ran.status == 0, ran.err
    assert "base=C45(min_leaf=5.0)" in ran.out
    assert "3 trees, one per pair of classes; each votes for one of its two classes" in ran.out
    shown = run("show", file, "--member", "2")
    assert "Member 2 of 3, which separates versicolor from virginica\n" in shown.out
    assert run("predict", file, data).out.count("\n") == 151
    why = run("explain", file, data, "--rows", "71")
    assert "3 members; each votes for one of two classes:" in why.out
    told = json.loads(run("explain", file, data, "--rows", "71", "--json").out)["decisions"][0]["why"]
    assert [one["says"] for one in told["members"]] == ["versicolor", "virginica", "virginica"]
    page = tmp_path / "why.html"
    assert run("explain", file, data, "--rows", "1", "--html", page).status == 0
    assert "each votes for one of two classes" in page.read_text()
    assert run("show", file, "--member", "3").err == "hedgerow: there is no member 3; the members are numbered 0 to 2\n"
    assert "has no rules of its own" in run("rules", file).err


def test_codes_on_the_command_line(tmp_path):
    options = ("-l", "output_codes", "--codes", "sparse", "--base", "naive_bayes", "--columns", "5", "--folds", "0")
    ran = run("train", written(tmp_path), *options, "-o", tmp_path / "m.hedge")
    assert ran.status == 0, ran.err
    assert "5 tables of distributions, each separates some classes from others" in ran.out
