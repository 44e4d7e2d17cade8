"""Bags on the command line: from flat files and relational ones, from learning to explanations."""

import json

import pytest

from tests.cli.run import run

ROWS = [
    (key, conformer, round(0.1 * conformer + (3 if kind == "yes" else 0), 1), ("red", "blue")[conformer % 2], kind)
    for number in range(12)
    for key, kind in [(f"ring {number}", ("yes", "no")[number % 2])]
    for conformer in range(number % 3 + 1)
]


@pytest.fixture
def rings(folder):
    lines = ["ring,length,color,musk", *(f"{key},{length},{color},{kind}" for key, _, length, color, kind in ROWS)]
    (folder / "rings.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_train_saves_a_model_that_knows_its_bags(rings):
    done = run("train", "rings.csv", "--bag", "ring", "-o", "rings.hedge")
    assert done.status == 0, done.err
    assert "bag_summary for musk: trained on 12 rows" in done.out
    assert "Each bag is replaced by one row of summary statistics: mean, min, max of 1 numeric column" in done.out
    assert f"{len(ROWS)} rows are grouped into 12 bags of 1 to 3 by 'ring'" in done.out
    predicted = run("predict", "rings.hedge", "rings.csv")
    assert predicted.out.splitlines()[:3] == ["ring,predicted musk,P(yes),P(no)", "ring 0,yes,1,0", "ring 1,no,0,1"]
    assert len(predicted.out.splitlines()) == 13
    tested = run("test", "rings.hedge", "rings.csv")
    assert "12 rows tested: 12 of 12 correct" in tested.out


def test_options_of_the_base_and_of_the_bags(rings):
    done = run("train", "rings.csv", "--bag", "ring", "-l", "bag_vote", "--base", "c45", "--base-min-leaf", "1",
               "--total", "instances", "--combine", "vote", "--folds", "0", "-o", "rings.hedge")  # fmt: skip
    assert done.status == 0, done.err
    assert "base=C45(min_leaf=1.0)" in done.out
    assert "combine=vote" in done.out
    shown = run("show", "rings.hedge")
    assert "the share of its instances that are predicted as each class" in shown.out
    figures = run("train", "rings.csv", "--bag", "ring", "-l", "bag_summary", "--numbers", "median,sum", "--size",
                  "--regions", "leaves", "--partition-min-leaf", "1", "--folds", "0")  # fmt: skip
    assert "size; median, sum of 1 numeric column; mode of 1 nominal column; count of instances in" in figures.out
    wrong = run("train", "rings.csv", "--bag", "ring", "-l", "bag_summary", "--numbers", "average")
    assert wrong.status == 2
    assert "numbers='average' is not allowed: it must be some of mean, min, max" in wrong.err


def test_explain_tells_the_bag_and_its_instances(rings):
    run("train", "rings.csv", "--bag", "ring", "-l", "bag_vote", "--folds", "0", "-o", "rings.hedge")
    done = run("explain", "rings.hedge", "rings.csv", "--rows", "3")
    assert "Bag ring 2 (row 3): musk = yes rather than no; correct" in done.out
    assert "3 instances; the probabilities of the bag are the means of theirs:" in done.out
    told = json.loads(run("explain", "rings.hedge", "rings.csv", "--rows", "3", "--json").out)["decisions"][0]
    assert (told["bag"], told["row"], told["why"]["way"]) == ("ring 2", 3, "instances")


@pytest.mark.parametrize("learner", ["bag_vote", "bag_summary"])
def test_crossval_compare_and_report_test_bags(rings, learner):
    done = run("crossval", "rings.csv", "--bag", "ring", "-l", learner, "--folds", "4")
    assert "12 rows tested" in done.out
    done = run(
        "compare", "rings.csv", "--bag", "ring", "-l", f"majority,{learner}(base=one_r)", "--folds", "3", "--runs", "2"
    )
    assert done.status == 0, done.err
    run("train", "rings.csv", "--bag", "ring", "-l", learner, "--folds", "0", "-o", "rings.hedge")
    for more in ([], ["--folds", "3"]):
        done = run("report", "rings.hedge", "rings.csv", *more, "-o", "rings.html")
        assert done.status == 0, done.err
        assert "12 rows" in (rings / "rings.html").read_text()


def test_relational_files_and_flat_ones_serve_each_others_models(rings):
    done = run("convert", "rings.csv", "rings.arff", "--bag", "ring")
    assert done.status == 0, done.err
    assert "relational" in (rings / "rings.arff").read_text()
    run("train", "rings.csv", "--bag", "ring", "--folds", "0", "-o", "flat.hedge")
    (rings / "other.arff").write_text((rings / "rings.arff").read_text().replace("instances", "bag"))
    run("train", "other.arff", "--folds", "0", "-o", "relational.hedge")
    wanted = [line.split(",", 1)[1] for line in run("predict", "flat.hedge", "rings.csv").out.splitlines()]
    assert run("predict", "flat.hedge", "rings.arff").out.splitlines() == wanted
    assert run("predict", "flat.hedge", "other.arff").out.splitlines() == wanted
    flat = run("predict", "relational.hedge", "rings.csv", "--bag", "ring").out.splitlines()
    assert [line.split(",", 1)[1] for line in flat] == wanted
    lacking = run("predict", "relational.hedge", "rings.csv")
    assert lacking.status == 1
    assert "lacks 1 column that the model needs: 'bag'" in lacking.err
    assert "--bag NAME" in lacking.err


def test_rows_that_disagree_are_a_sentence_and_one_may_be_enough(rings):
    text = (rings / "rings.csv").read_text().replace("ring 2,3.2,red,yes", "ring 2,3.2,red,no")
    (rings / "mixed.csv").write_text(text)
    done = run("train", "mixed.csv", "--bag", "ring", "--folds", "0")
    assert done.status == 1
    assert "the rows of bag 'ring 2' disagree on 'musk': 'yes' and 'no' (row 6), but a bag has one class" in done.err
    assert "--positive" in done.err
    done = run("train", "mixed.csv", "--bag", "ring", "--positive", "yes", "--folds", "0")
    assert done.status == 0, done.err
    done = run("train", "mixed.csv", "--positive", "yes")
    assert done.status == 2
    assert "also name bag= (--bag)" in done.err


def test_new_rows_without_a_class_or_an_identifier(rings):
    run("train", "rings.csv", "--bag", "ring", "--folds", "0", "-o", "rings.hedge")
    (rings / "new.csv").write_text("color,ring,length\nred,a,3.1\nviolet,b,0\nblue,a,3\n")
    done = run("predict", "rings.hedge", "new.csv")
    assert [line.split(",")[:2] for line in done.out.splitlines()[1:]] == [["a", "yes"], ["b", "no"]]
    assert "'violet' not seen in training" in done.err
    (rings / "bare.csv").write_text("color,length\nred,3.1\n")
    done = run("predict", "rings.hedge", "bare.csv")
    assert done.status == 1
    assert "'ring'" in done.err
    (rings / "gap.csv").write_text("color,ring,length\nred,a,3.1\nred,,0.1\n")
    done = run("predict", "rings.hedge", "gap.csv")
    assert done.status == 1
    assert "row 2: the value is missing; every row must name its bag" in done.err


def test_bags_alone_are_for_learners_of_bags(rings):
    done = run("train", "rings.csv", "--bag", "ring", "-l", "c45", "--folds", "0")
    assert done.status == 1
    assert "c45 cannot use bags, and there is nothing else to learn from (column 'instances')" in done.err
    assert "use a learner that can: bag_summary, bag_vote" in done.err


def test_plain_rows_for_a_learner_of_bags_are_told(rings):
    done = run("train", "rings.csv", "-l", "bag_vote", "--folds", "0")
    assert "every row is treated as a bag with a single instance; --bag NAME" in done.out.replace("\n    ", " ")
