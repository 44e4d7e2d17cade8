"""The command line on texts: folders, mails, plain quotes."""

import json

import pytest

from tests.cli.run import run


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Return a folder with training and test texts, whose classes are only identified by their headers."""
    monkeypatch.chdir(tmp_path)
    for part in ("train", "test"):
        for number in range(24):
            label, word = ("spam", "prize") if number % 2 else ("ham", "lunch")
            path = tmp_path / part / label / f"{number:02} ü"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"From: {label}@x.org\nSubject: hi\n\nThe {word} is waiting {number}\n\n--\n{label}\n")
    return tmp_path


def trained(*options):
    ran = run("train", "train", "--learner", "ripper", "--folds", "0", "-o", "m.hedge", *options)
    assert ran.status == 0, ran.err
    return ran.out


def test_a_folder_is_trained_on_tested_on_and_predicted(corpus):
    out = trained("--strip", "headers,signatures")
    assert 'text contains "lunch"' in out or 'text contains "prize"' in out
    assert (
        "column 'text': the model was trained without headers and signatures; new texts are stripped in the same way"
    ) in " ".join(out.split())
    ran = run("test", "m.hedge", "test")
    assert "24 of 24 correct" in ran.out
    assert "column 'text' is read without headers and signatures, as when the model was trained" in ran.err
    ran = run("predict", "m.hedge", "test/spam")
    head, *lines = ran.out.splitlines()
    assert head == "file,predicted class,P(ham),P(spam)"
    assert [line.split(",")[:2] for line in lines] == [[f"{number:02} ü", "spam"] for number in range(1, 24, 2)]
    assert "texts without a class" in ran.err


def test_predictions_of_a_folder_name_the_files(corpus):
    trained()
    ran = run("predict", "m.hedge", "test", "--with-data", "--strip", "headers")
    head, *lines = ran.out.splitlines()
    assert head == "file,text,class,predicted class,P(ham),P(spam)"
    assert lines[0].startswith('ham/00 ü,"The lunch')
    assert "column 'file'" not in ran.err
    (corpus / "lines.txt").write_text("The prize is waiting\nThe lunch has been waiting for you all\n")
    assert run("predict", "m.hedge", "lines.txt").out.startswith("predicted class,")


def test_a_model_that_has_a_column_called_file_is_not_given_names(corpus):
    rows = [f"a{n % 2},the {('lunch', 'prize')[n % 2]} is here {n},{('ham', 'spam')[n % 2]}" for n in range(30)]
    (corpus / "t.csv").write_text("\n".join(["file,text,class", *rows]))
    assert run("train", "t.csv", "-l", "ripper", "--folds", "0", "-o", "f.hedge").status == 0
    ran = run("predict", "f.hedge", "test")
    assert (ran.status, "'file'" in ran.err) == (1, True)


def test_without_stripping_a_learner_learns_addresses(corpus):
    assert 'contains "ham"' in trained() or 'contains "spam"' in trained()


@pytest.mark.parametrize("verb", ["test", "predict", "rules", "report"])
def test_every_verb_that_reads_data_strips(corpus, verb):
    trained()
    ran = run(verb, "m.hedge", "test", "--strip", "all")
    assert ran.status == 0, ran.err
    told = " ".join((ran.out + ran.err).split())
    assert "without headers, signatures and quotes, but the model was trained on texts as they are" in told


@pytest.mark.parametrize("verb", [("describe",), ("crossval", "-l", "majority"), ("convert",)])
def test_every_verb_that_learns_strips(corpus, verb):
    output = ["out.csv"] if verb == ("convert",) else []
    assert run(verb[0], "train", *output, *verb[1:], "--strip", "all").status == 0
    if output:
        assert "From:" not in (corpus / "out.csv").read_text()


def test_unknown_parts_and_quotes_are_the_callers_fault(corpus):
    ran = run("describe", "train", "--strip", "footers")
    assert (ran.status, "a mail has no part 'footers' to strip" in ran.err) == (2, True)
    (corpus / "t.tsv").write_text("a\tb\n1\t2\n")
    ran = run("describe", "t.tsv", "--quote", "quote")
    assert (ran.status, "the quote must be one character" in ran.err) == (2, True)


def test_folders_of_folders_are_told_apart(corpus):
    ran = run("describe", ".")
    assert ran.status == 1
    assert "name the one whose folders are the classes" in " ".join(ran.err.split())


def test_describe_tells_of_empty_and_repeated_texts(corpus):
    (corpus / "train" / "ham" / "empty").write_text("")
    (corpus / "train" / "ham" / "again").write_bytes((corpus / "train" / "spam" / "01 ü").read_bytes())
    report = json.loads(run("describe", "train", "--json").out)
    text = report["columns"][0]
    assert (text["kind"], text["empty"], text["repeated"], text["distinct"]) == ("text", 1, 1, 25)
    assert text["max_words"] == 12
    notes = " ".join(report["notes"])
    assert "column 'text': 1 text has no words" in notes
    assert "1 row repeats the text of an earlier row" in notes
    assert "1 text is in several classes" in notes
    assert "most words" in run("describe", "train").out


def test_quotes_can_be_plain_characters(corpus):
    rows = ['ham\t"Yes, he said\n', "spam\twin a 5'' screen\n", 'ham\tsay "no" to "that" twice\n'] * 10
    (corpus / "t.csv").write_text("".join(rows))
    ran = run(
        "describe", "t.csv", "--delimiter", "tab", "--quote", "none", "--no-header", "--text", "column2", "--json"
    )
    column = json.loads(ran.out)["columns"][1]
    assert (column["kind"], column["distinct"], column["missing"]) == ("text", 3, 0)
    ran = run("describe", "t.csv", "--delimiter", ",", "--no-header")
    assert ran.status == 1


def test_an_unclosed_quote_names_the_option(corpus):
    (corpus / "t.csv").write_text('a,b\n1,"x\n2,3\n')
    ran = run("describe", "t.csv")
    assert "--quote none" in " ".join(ran.err.split())
    assert run("describe", "t.csv", "--quote", "none").status == 0


def test_sentences_that_repeat_are_nominal_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ("the team won the game", "a goal in the game", "a trip to the moon", "the rocket flew to mars")
    lines = [f"{said[i % 4]},{i % 7},{'ice' if i % 4 < 2 else 'sky'}" for i in range(40)]
    (tmp_path / "said.csv").write_text("\n".join(["what,n,about", *lines]))
    note = (
        "column 'what' is treated as nominal, since its sentences are few or repeated; use --text what (in Python, "
        "kinds="
    )
    options = ("--learner", "naive_bayes", "--folds", "0", "-o", "m.hedge")
    assert note in " ".join(run("train", "said.csv", *options).out.split())
    assert "few or repeat" not in (ran := run("predict", "m.hedge", "said.csv")).out + ran.err
    for kind in ("--text", "--nominal"):
        assert "few or repeat" not in run("train", "said.csv", kind, "what", *options).out


def test_names_that_all_differ_may_be_meant_as_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"Ann{i} Smith{i},k{i},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "who.csv").write_text("\n".join(["who,key,y", *lines]))
    out = " ".join(run("train", "who.csv", "--learner", "majority", "--folds", "0").out.split())
    assert (
        "(identifier: all 20 values differ); use --text who to treat it as text, --keep who to use it as it is"
    ) in out
    assert "(identifier: all 20 values differ); use --keep key to include it" in out
