"""Bad input: an error message with the position, the value and a remedy; status 1; no incomplete files."""

import gzip

import numpy as np
import pytest

import hedgerow
from hedgerow.errors import HedgerowError
from tests.cli.run import run

GOOD = "a,b,class\n" + "\n".join(f"{i},{'xy'[i % 2]},{'pq'[i % 2]}" for i in range(40)) + "\n"


def changed(line, text):
    lines = GOOD.split("\n")
    lines[line - 1] = text
    return "\n".join(lines).encode()


CASES = {
    "ragged.csv": (changed(7, "5,x,p,extra"), ["line 7", "4"]),
    "short.csv": (changed(7, "5,x"), ["line 7", "2"]),
    "twice.csv": (changed(1, "a,a,class"), ["'a'"]),
    "latin.csv": (changed(7, "5,é,p").decode().encode("latin-1"), ["line 7", "--encoding"]),
    "empty.csv": (b"", ["empty"]),
    "blank.csv": (b"\n\n \n", ["empty"]),
    "header.csv": (b"a,b,class\n", ["no data rows"]),
    "words.csv": (changed(7, "five,x,p"), ["'a'", "line 7", "'five'", "--missing"]),
    "infinite.csv": (changed(7, "inf,x,p"), ["'a'", "line 7", "inf"]),
    "open.csv": (changed(7, '"5,x,p'), ["line 7", "quote"]),
    "lost.csv": (None, ["lost.csv"]),
    "no.arff": (b"@relation r\n@attribute a numeric\n", ["@data"]),
    "level.arff": (b"@relation r\n@attribute c {p,q}\n@data\np\nr\n", ["line 5", "'r'"]),
    "type.arff": (b"@relation r\n@attribute c numbr\n@data\n1\n", ["line 2", "numbr"]),
    "brace.arff": (b"@relation r\n@attribute c {p,q\n@data\np\n", ["line 2"]),
    "count.arff": (b"@relation r\n@attribute c {p,q}\n@data\np,q\n", ["line 4"]),
    "cut.parquet": (b"PAR1 nothing", ["cut.parquet"]),
    "bad.gz.csv.gz": (b"not gzip at all", ["bad.gz.csv.gz"]),
    "cut.csv.gz": (gzip.compress(GOOD.encode())[:-20], ["cut.csv.gz"]),
    "bad.jsonl": (b'{"a": 1}\n{"a": \n', ["bad.jsonl"]),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_files_are_one_sentence(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    content, words = CASES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    ran = run("train", name, "-o", "model.hedge")
    assert ran.status == 1, ran.err
    assert ran.err.startswith("hedgerow: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for word in [name, *words]:
        assert word in ran.err, ran.err
    assert ran.out == ""
    assert sorted(tmp_path.iterdir()) == before
    stream = run("train", name, "--stream", "-o", "model.hedge")
    assert stream.status == 1
    assert sorted(tmp_path.iterdir()) == before


def write(folder, text, name="t.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_an_absent_target_is_named_with_the_nearest(tmp_path):
    ran = run("train", write(tmp_path, GOOD), "--target", "clas")
    assert ran.status == 1
    assert "did you mean 'class'" in ran.err


def test_a_target_that_is_always_missing_cannot_be_learned(tmp_path):
    path = write(tmp_path, "a,class\n" + "1,?\n" * 5)
    for options in (["naive_bayes", "--nominal", "class"], ["c45"], ["cart_regressor"], ["mean"]):
        for stream in ([], ["--stream"]):
            ran = run("train", path, "-l", *options, *stream)
            assert ran.status == 1
            assert "'class' is missing in every row" in ran.err


def test_a_single_class_gives_a_constant_model_with_a_note(tmp_path):
    ran = run("train", write(tmp_path, "a,class\n" + "1,yes\n2,yes\n" * 9), "-l", "naive_bayes")
    assert ran.status == 0
    assert "all rows have the same class, 'yes'" in ran.out


def test_stray_words_can_be_declared_missing_or_nominal(tmp_path):
    path = write(tmp_path, changed(7, "five,x,p").decode())
    assert run("train", path, "--missing", "five", "--folds", 0).status == 0
    assert run("train", path, "--nominal", "a", "--folds", 0).status == 0
    assert run("train", path, "--numeric", "b").status == 1


def test_another_encoding_can_be_named(tmp_path):
    (tmp_path / "t.csv").write_bytes(changed(7, "5,é,p").decode().encode("latin-1"))
    assert run("train", tmp_path / "t.csv", "--encoding", "latin-1", "--folds", 0).status == 0


def test_ten_thousand_columns_simply_work(tmp_path):
    random = np.random.default_rng(0)
    names = [f"c{i}" for i in range(10_000)]
    rows = [",".join([*map(str, random.integers(0, 9, 10_000)), "pq"[i % 2]]) for i in range(20)]
    path = write(tmp_path, ",".join([*names, "class"]) + "\n" + "\n".join(rows) + "\n")
    ran = run("train", path, "-l", "naive_bayes", "--folds", 2, "-o", tmp_path / "m.hedge")
    assert ran.status == 0
    assert run("predict", tmp_path / "m.hedge", path).out.count("\n") == 21


def test_a_model_file_that_is_none_is_a_sentence(tmp_path):
    ran = run("show", write(tmp_path, GOOD))
    assert ran.status == 1
    assert "is not a hedgerow model file" in ran.err


def test_one_row_and_constant_columns_work(tmp_path):
    ran = run("train", write(tmp_path, "a,b,class\n1,x,p\n"), "-l", "naive_bayes", "--folds", 0)
    assert ran.status == 0
    assert ran.out.startswith(
        "t.csv: 1 row, 2 columns to predict class: 100.0% p.\n\nnaive_bayes for class: trained on 1 row\n"
    )
    same = "a,b,class\n" + "".join(f"1,x,{'pq'[i % 2]}\n" for i in range(20))
    assert run("train", write(tmp_path, same), "-l", "naive_bayes").status == 0
    assert run("train", write(tmp_path, same), "-l", "one_r").status == 0


def test_unwritable_output_is_a_sentence(tmp_path):
    path = write(tmp_path, GOOD)
    ran = run("train", path, "--folds", 0, "-o", tmp_path / "no" / "such" / "m.hedge")
    assert ran.status == 1
    assert "Traceback" not in ran.err


def test_weights_must_be_positive_numbers():
    table = hedgerow.examples.loan()
    for weights, words in (([-1.0] + [1.0] * 14, "row 0"), ([0.0] * 15, "all row weights are zero")):
        with pytest.raises(HedgerowError, match=words):
            hedgerow.NaiveBayes().train(table.with_weights(np.array(weights)))
    with pytest.raises(HedgerowError, match="inconsistent"):
        hedgerow.NaiveBayes().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1.0])
