"""hedgerow predict on files as they come: absent columns, words among numbers, no rows, and what is written."""

import csv
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow
from hedgerow.errors import DataWarning
from tests.cli.run import run


def rows(n=120):
    draw = random.Random(1)
    for number in range(n):
        age, income, city = draw.randint(18, 80), draw.randint(10, 90), draw.choice(["Rome", "Oslo", "Paris"])
        buys = "yes" if (age > 50 and income > 40) or (city == "Oslo" and income > 60) else "no"
        yield f"c{number:04d},{age},{income},{city},{draw.random():.3f},{buys}"


@pytest.fixture
def shop(folder):
    text = "\n".join(["ID,age,income,city,junk,buys", *rows()]) + "\n"
    (folder / "shop.csv").write_text(text)
    for name, learner in (("tree", "c45"), ("logistic", "logistic"), ("forest", "random_forest")):
        assert run("train", "shop.csv", "-l", learner, "--folds", 0, "-q", "-o", f"{name}.hedge").status == 0
    return folder


def predict(*arguments, stdin=None):
    ran = run("predict", *arguments, stdin=stdin)
    assert ran.status == 0, ran.err
    return list(csv.DictReader(io.StringIO(ran.out))), ran.err


def test_unused_columns_may_be_absent_without_a_note(shop):
    found, notes = predict("tree.hedge", "-", stdin="age,income,city\n60,70,Rome\n20,20,Oslo\n")
    assert [row["predicted buys"] for row in found] == ["yes", "no"]
    assert notes == ""
    assert "junk" not in hedgerow.load("tree.hedge").columns_used()


def test_words_in_unused_columns_do_not_matter(shop):
    assert predict("tree.hedge", "-", "--strict", stdin="age,income,city,junk\n60,70,Rome,none of it\n")[1] == ""


def test_an_absent_column_is_named_with_its_importance(shop):
    assert (
        "there is no column 'age', which the model uses (its importance is "
        in predict("tree.hedge", "-", stdin="income,city\n70,Rome\n")[1]
    )
    linear = predict("logistic.hedge", "-", stdin="income,city,junk\n70,Rome,0\n")[1]
    assert "(1 of the 4 columns that it uses)" in linear
    strict = run("predict", "tree.hedge", "-", "--strict", stdin="income,city\n70,Rome\n")
    assert (strict.status, strict.out) == (1, "")
    assert "standard input lacks 1 column that the model needs: 'age'; it has 'income', 'city'" in strict.err


def test_data_without_any_column_of_the_model_are_an_error(shop):
    ran = run("predict", "tree.hedge", "-", stdin="x,z\n1,2\n")
    assert (ran.status, ran.out) == (1, "")
    assert "lacks all 3 columns that the model needs: 'age', 'income', 'city'; it has 'x', 'z'" in ran.err


def test_names_match_regardless_of_case_and_blanks(shop):
    found, notes = predict("tree.hedge", "-", stdin=" Age ,INCOME,city\n60,70,Rome\n")
    assert found[0]["predicted buys"] == "yes"
    assert "column 'Age' is used as the model's column 'age'" in notes
    assert "column 'INCOME' is used as the model's column 'income'" in notes
    assert "'age', which the model uses" in predict("tree.hedge", "-", stdin="Age,AGE,income,city\n60,6,70,Rome\n")[1]


def test_words_among_numbers_are_missing_values_with_their_lines(shop):
    lines = ["60,70,Rome"] * 60
    for line in (12, 40, 41, 50):
        lines[line - 2] = "old,70,Rome"
    text = "age,income,city\n" + "\n".join(lines) + "\n"
    (shop / "new.csv").write_text(text)
    found, notes = predict("tree.hedge", "new.csv")
    assert len(found) == 60
    assert "note: 4 cells of 'age' are no numbers (lines 12, 40, 41, ...): treated as missing\n" in notes
    one = predict("tree.hedge", "-", stdin="age,income,city\n60,inf,Rome\n")[1]
    assert "1 cell of 'income' is no number (line 2): treated as missing" in one
    strict = run("predict", "tree.hedge", "new.csv", "--strict")
    assert strict.status == 1
    assert "'old' (line 12)" in strict.err


def test_the_same_of_other_formats(shop):
    table = pa.table({"Age": ["60", "old"], "income": [70, 70], "city": ["Rome", "Rome"]})
    pq.write_table(table, "new.parquet")
    (shop / "new.jsonl").write_text('{"Age": 60, "income": 70, "city": "Rome"}\n{"Age": "old", "income": 70}\n')
    (shop / "new.arff").write_text(
        "@relation r\n@attribute Age {60,old}\n@attribute income numeric\n@attribute city {Rome}\n@data\n"
        "60,70,Rome\nold,70,Rome\n"
    )
    for name in ("new.parquet", "new.jsonl", "new.arff"):
        found, notes = predict("tree.hedge", name)
        assert found[0]["predicted buys"] == "yes", name
        assert "1 cell of 'age' is no number (row 2): treated as missing" in notes, name
        assert "column 'Age' is used as the model's column 'age'" in notes, name


def test_an_empty_batch_gives_the_header_and_status_0(shop):
    (shop / "empty.csv").write_text("age,income,city\n")
    (shop / "empty.jsonl").write_text("")
    pq.write_table(
        pa.table(
            {"age": pa.array([], pa.int64()), "income": pa.array([], pa.int64()), "city": pa.array([], pa.string())}
        ),
        "empty.parquet",
    )
    for model in ("tree", "logistic", "forest"):
        for name in ("empty.csv", "empty.jsonl", "empty.parquet"):
            ran = run("predict", f"{model}.hedge", name)
            assert (ran.status, ran.out) == (0, "predicted buys,P(no),P(yes)\n"), ran.err
            assert f"{name} has no rows" in ran.err
    assert run("predict", "tree.hedge", "empty.csv", "--json").out == "[]\n"


def test_json_and_json_lines_hold_the_rows_of_the_csv(shop):
    expected, _ = predict("tree.hedge", "shop.csv")
    values = json.loads(run("predict", "tree.hedge", "shop.csv", "--json").out)
    assert run("predict", "tree.hedge", "shop.csv", "-o", "out.jsonl").status == 0
    lines = [json.loads(line) for line in (shop / "out.jsonl").read_text().splitlines()]
    assert values == lines
    assert [row["predicted buys"] for row in values] == [row["predicted buys"] for row in expected]
    assert [row["P(yes)"] for row in values] == [float(row["P(yes)"]) for row in expected]
    failed = run("predict", "tree.hedge", "-", "--json", stdin="x\n1\n")
    assert (failed.status, failed.out) == (1, "")


def test_top_classes_are_sorted(shop):
    found, _ = predict("logistic.hedge", "shop.csv", "--top", 3)
    assert list(found[0]) == ["predicted buys", "class 1", "P(class 1)", "class 2", "P(class 2)"]
    assert all(float(row["P(class 1)"]) >= float(row["P(class 2)"]) for row in found)
    assert all(row["predicted buys"] == row["class 1"] for row in found)


def test_columns_are_kept_as_they_are_written(shop):
    text = "ID,age,income,city\n007,60,70,Bonn\n008,20,1e1,Oslo\n"
    found, notes = predict("tree.hedge", "-", "--keep-columns", "ID,city", stdin=text)
    assert [(row["ID"], row["city"]) for row in found] == [("007", "Bonn"), ("008", "Oslo")]
    assert "'ID'" not in notes
    unknown = run("predict", "tree.hedge", "-", "--keep-columns", "Ida", stdin=text)
    assert unknown.status == 1
    assert (
        "there is no column 'Ida' to keep; did you mean" in unknown.err or "'Ida' to keep; the columns" in unknown.err
    )


def test_reasons_are_rules_paths_contributions_or_votes(shop):
    text = "age,income,city\n60,70,Rome\n"
    tree, _ = predict("tree.hedge", "-", "--explain", stdin=text)
    assert "income > " in tree[0]["reason"]
    assert ": yes (" in tree[0]["reason"]
    linear, _ = predict("logistic.hedge", "-", "--explain", stdin=text)
    assert "income = 70: +" in linear[0]["reason"]
    forest, _ = predict("forest.hedge", "-", "--explain", stdin=text)
    assert "members: yes " in forest[0]["reason"]
    assert run("train", "shop.csv", "-l", "ripper", "--folds", 0, "-q", "-o", "rules.hedge").status == 0
    rule, _ = predict("rules.hedge", "-", "--explain", stdin=text)
    assert rule[0]["reason"].startswith(("if ", "otherwise "))


def test_rows_are_appended_to_a_file_with_the_same_columns(shop):
    for name in ("log.csv", "log.jsonl"):
        for _ in range(2):
            ran = run("predict", "tree.hedge", "shop.csv", "-o", name, "--append")
            assert ran.status == 0, ran.err
        once = run("predict", "tree.hedge", "shop.csv", "-o", f"once.{name}").status
        assert once == 0
        size = len((shop / f"once.{name}").read_text().splitlines())
        assert len((shop / name).read_text().splitlines()) == 2 * size - (name == "log.csv")
        assert hedgerow.read(name, target="predicted buys").n_rows == 240
    before = (shop / "log.csv").read_bytes()
    other = run("predict", "tree.hedge", "shop.csv", "-o", "log.csv", "--append", "--top", 1)
    assert other.status == 1
    assert "log.csv has the columns 'predicted buys', 'P(no)', 'P(yes)', but the rows to append have" in other.err
    assert (shop / "log.csv").read_bytes() == before
    assert run("predict", "tree.hedge", "shop.csv", "--append").status == 2
    assert run("predict", "tree.hedge", "shop.csv", "--append", "-o", "x.parquet").status == 2


def test_python_models_take_frames_with_absent_columns(shop):
    model = hedgerow.load("tree.hedge")
    assert list(model.predict(pa.table({"age": [60], "income": [70], "city": ["Rome"]}))) == ["yes"]
    with pytest.warns(DataWarning, match="there is no column 'age', which the model uses"):
        model.predict(pa.table({"income": [70], "city": ["Rome"]}))
    with pytest.warns(DataWarning, match="1 cell of 'age' is no number"):
        model.predict(pa.table({"age": ["60", "old"], "income": [70, 70], "city": ["Rome", "Rome"]}))
    assert list(model.predict({"age": [60], "income": [70], "city": ["Rome"]})) == ["yes"]
    assert list(model.predict([{"age": 60, "income": 70, "city": "Rome"}])) == ["yes"]


def test_rules_by_hand_need_no_header_lines(shop):
    (shop / "rules.txt").write_text(
        "if income <= 40 then buys = no\nif age > 50 then buys = yes\notherwise buys = no\n"
    )
    found, _ = predict("rules.txt", "-", stdin="age,income,city\n60,70,Rome\n20,70,Rome\n")
    assert [row["predicted buys"] for row in found] == ["yes", "no"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("if age > 50 or city = Oslo then buys = no", "instead of 'or' write two rules"),
        ("if (age > 50) and (income > 3) then buys = no", "conditions are not put in brackets"),
        ("if age > 50 && income > 3 then buys = no", "conditions are joined with 'and'"),
        ("if city == Oslo then buys = no", "equal is written with one ="),
        ("if not age > 50 then buys = no", "write the opposite test"),
        ("else buys = no", "write 'otherwise' for 'else'"),
    ],
)
def test_rules_in_another_notation_tell_how_to_write_them(shop, rule, words):
    (shop / "rules.txt").write_text(f"if income <= 40 then buys = no\n{rule}\n")
    ran = run("predict", "rules.txt", "shop.csv")
    assert ran.status == 1
    assert "rules.txt, line 2: " in ran.err
    assert words in ran.err
