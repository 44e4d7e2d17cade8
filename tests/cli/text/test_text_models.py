"""The command line on models of texts: every verb, from a folder to a shipped model."""

import json
import re

import pytest

from tests.cli.run import run

WORDS = {
    "autos": "car engine road wheel dealer drive",
    "hockey": "game team goal ice season play",
    "space": "orbit moon rocket launch nasa shuttle",
}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Return a folder with texts of three classes to train on and to test on."""
    monkeypatch.chdir(tmp_path)
    for part, shift in (("train", 0), ("test", 1)):
        for label, known in WORDS.items():
            words = known.split()
            for number in range(12):
                path = tmp_path / part / label / f"{number:02}"
                path.parent.mkdir(parents=True, exist_ok=True)
                first, second = words[(number + shift) % 6], words[(number * 5 + 2) % 6]
                path.write_text(f"the {first} and the {second} of number{number}\n")
    return tmp_path


def done(*words):
    ran = run(*words)
    assert ran.status == 0, ran.err
    return ran.out


def trained(*options, learner="naive_bayes"):
    return done("train", "train", "-l", learner, "--folds", "0", "-o", "m.hedge", *options)


def test_from_a_folder_to_counts_shares_and_a_lettered_matrix(corpus):
    """M316: train on a folder of folders, test on another; right and wrong with shares, the total, the matrix."""
    out = trained()
    assert "naive_bayes for class: trained on 36 rows" in out
    assert re.search(r"^  hockey +game \+", out, re.MULTILINE)
    out = done("test", "m.hedge", "test")
    assert "36 rows tested: 36 of 36 correct (100.0 %), 0 incorrect (0.0 %)" in out
    assert " a  b  c <- predicted\n12  .  . | a = autos\n . 12  . | b = hockey\n .  . 12 | c = space\n" in out
    assert "no word that the model knows" not in out


@pytest.mark.parametrize("learner", ["naive_bayes", "rocchio", "simplest", "ripper"])
def test_texts_are_learned_from_tested_and_predicted_by(corpus, learner):
    trained(learner=learner)
    assert re.search(r"36 rows tested: \d+ of 36 correct", done("test", "m.hedge", "test"))
    lines = done("predict", "m.hedge", "test").splitlines()
    assert lines[0] == "file,predicted class,P(autos),P(hockey),P(space)"
    assert lines[1].startswith("autos/00,")
    assert "class" in done("show", "m.hedge")
    assert done("report", "m.hedge", "test", "--as", "html").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("learner", ["naive_bayes", "rocchio"])
def test_texts_without_a_known_word_are_said(corpus, learner):
    """The prior decides, and every command that predicts gives the number of these texts."""
    trained(learner=learner)
    (corpus / "test" / "autos" / "00").write_text("zzz")
    (corpus / "test" / "space" / "00").write_text("")
    told = "2 of 36 texts hold no word that the model knows; the prior decides for them"
    assert told in " ".join(done("test", "m.hedge", "test").split())
    assert json.loads(done("test", "m.hedge", "test", "--json"))["silent"] == 2
    ran = run("predict", "m.hedge", "test")
    assert told in ran.err
    assert "autos/00,autos,0.333333,0.333333,0.333333" in ran.out
    assert told in " ".join(done("report", "m.hedge", "test").split())
    assert "no word" not in run("predict", "m.hedge", "test", "--quiet").err
    out = " ".join(done("crossval", "test", "-l", learner, "--folds", "3", "--runs", "2").split())
    assert re.search(
        r"\d+ of 72 texts hold no word that the model knows; the prior decides for them \(in all 2 runs\)", out
    )


def test_terms_are_shown_as_many_as_asked_for(corpus):
    trained()
    out = done("show", "m.hedge", "--terms", "2")
    assert [len(re.findall(r"[+-]\d\.\d\d \(", line)) for line in out.splitlines()[-3:]] == [2, 2, 2]
    lines = done("show", "m.hedge", "--terms", "all").splitlines()
    assert lines[2].split() == ["class", "term", "log-odds", "amount"]
    groups = json.loads(done("show", "m.hedge", "--terms", "3", "--json"))["terms"]["groups"]
    assert [(group["label"], len(group["terms"])) for group in groups] == [("autos", 3), ("hockey", 3), ("space", 3)]
    for wrong in ("0", "-1", "some", "1.5"):
        ran = run("show", "m.hedge", "--terms", wrong)
        assert (ran.status, "give a number of at least 1, or all" in ran.err) == (2, True)
    trained(learner="ripper")
    ran = run("show", "m.hedge", "--terms", "3")
    assert (ran.status, "has no text terms to show" in ran.err) == (1, True)


def test_how_texts_are_modeled_is_an_option_beside_the_one_that_names_columns(corpus):
    assert "text_model=complement, tf=binary" in trained("--text-model", "complement", "--tf", "binary")
    (corpus / "t.csv").write_text("m,k\n" + "free money,spam\nat noon,ham\n" * 9)
    out = done("train", "t.csv", "-l", "naive_bayes", "--text", "m", "--text-model", "bernoulli", "--folds", "0")
    assert "m: 4 terms of 18 texts, bernoulli" in out
    assert "at" in done(
        "crossval", "t.csv", "-l", "bagging", "--base", "naive_bayes", "--base-text-model", "complement"
    )


def test_a_text_cannot_be_the_target_and_another_column_is_named(corpus):
    (corpus / "t.tsv").write_text("ham\tsee you at noon then\nspam\twin a free prize today now\n" * 9)
    ran = run("train", "t.tsv", "--text", "column2")
    assert "the target 'column2' is text; name the column to predict with --target, as in --target column1" in ran.err


def test_parameters_are_tuned_and_curves_drawn(corpus):
    out = trained("--tune", "alpha=0.1,1", "--tune", "text_model=multinomial,complement")
    assert "was chosen: best among 4" in " ".join(out.split())
    out = done("curve", "train", "-l", "naive_bayes", "--over", "alpha=0.1,1", "--folds", "3")
    assert "curve over alpha" in out
    out = done("curve", "train", "-l", "naive_bayes", "--folds", "3", "--sizes", "0.5,1", "--plot", "c.svg")
    assert (corpus / "c.svg").exists()
    out = done(
        "compare", "train", "--learners", "naive_bayes,naive_bayes(text_model=complement),rocchio", "--folds", "3"
    )
    assert "naive_bayes(text_model='complement')" in out


def test_by_default_the_learners_that_can_use_texts_are_tried(corpus):
    out = done("train", "train", "--folds", "2", "--full", "-o", "m.hedge")
    candidates = out.split("Chosen:")[0]
    assert "naive_bayes(text_model=complement, tf=binary)" in candidates
    assert "rocchio" in candidates
    assert "c45" not in candidates
    assert "one_r" not in candidates


def test_converted_texts_are_the_same_texts(corpus):
    trained()
    for name in ("t.csv", "t.arff", "t.parquet"):
        done("convert", "test", name)
        assert "36 of 36 correct" in done("test", "m.hedge", name)


def test_a_folder_streams(corpus):
    out = done("train", "train", "--stream", "-o", "s.hedge")
    assert "naive_bayes for class: trained on 36 rows" in out
    trained()
    assert done("show", "s.hedge").split("\n\n", 1)[1] == done("show", "m.hedge").split("\n\n", 1)[1]


@pytest.mark.parametrize(("name", "right", "telling"), [("Corn", 584, "maize"), ("Grain", 572, "wheat")])
def test_reuters_is_read_trained_and_tested_as_it_is(shared_data, tmp_path, name, right, telling):
    """Reuters corn and grain, ARFF with a string attribute: 1554 texts to learn from, 604 to test on."""
    train, test = (shared_data(f"textbook/Reuters{name}-{part}.arff.gz") for part in ("train", "test"))
    out = done("train", train, "-l", "naive_bayes", "--folds", "0", "-o", tmp_path / "m.hedge")
    assert "trained on 1554 rows" in out
    assert "Text: 12068 terms of 1554 texts, multinomial" in out
    assert telling in out
    assert f"604 rows tested: {right} of 604 correct" in done("test", tmp_path / "m.hedge", test)


def test_sms_spam_is_learned_with_plain_quotes(shared_data, tmp_path):
    path = shared_data("text/sms_spam.tsv.gz")
    how = ("--quote", "none", "--no-header", "--target", "column1")
    out = done("crossval", path, *how, "-l", "naive_bayes", "--folds", "5")
    right = int(re.search(r"5574 rows tested: (\d+) of 5574 correct", out)[1])
    assert right / 5574 > 0.98


@pytest.mark.parametrize("verb", [("train",), ("train", "--stream"), ("crossval",), ("curve",)])
def test_texts_without_a_class_cannot_be_learned_from(corpus, verb):
    (corpus / "lines.txt").write_text("one line of words is here\nand another line is there\n")
    ran = run(verb[0], "lines.txt", *verb[1:], "--learner", "naive_bayes")
    assert ran.status == 1
    assert "lines.txt holds texts without a class, so there is nothing to learn; name a folder" in ran.err


def test_stop_words_are_given_with_commas(corpus):
    assert "33 terms" in trained(), "18 words of the classes, 12 with numbers, and 3 others"
    assert "30 terms" in trained("--stop-words", "The, of,and")


def test_runs_of_characters_are_told_from_their_blanks_and_wide_names_line_up(corpus):
    for name in ("hockey", "日本語"):
        (corpus / "wide" / name).mkdir(parents=True)
    (corpus / "wide" / "hockey" / "1").write_text("goal game goal")
    (corpus / "wide" / "日本語" / "1").write_text("東京 大阪")
    options = ("--unit", "char_in_words", "--ngram-min", "2", "--ngram-max", "2", "--folds", "0", "-o", "wide.hedge")
    ran = run("train", "wide", "--learner", "naive_bayes", *options)
    assert ran.status == 0, ran.err
    lines = ran.out.split("\n")
    first, second = (next(line for line in lines if line.startswith(f"  {name}")) for name in ("hockey", "日本語"))
    assert '" g" +' in first
    assert '" 東" +' in second
    assert first.index('" g"') == len("  hockey  ")
    assert second.index('" ') == len("  日本語  ")
    assert '" 東" +' in run("show", "wide.hedge", "--terms", "3").out
