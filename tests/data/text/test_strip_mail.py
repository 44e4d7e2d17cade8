"""Texts stripped of parts of mails, in every format, and remembered by models."""

import json

import pandas as pd
import pytest

import hedgerow
from hedgerow.data.bags.align import align
from hedgerow.data.read import open_source, read
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.schema_notes import difference
from hedgerow.data.table.table import Table, Text, concatenate
from hedgerow.data.text.strip_mail import strip_table
from hedgerow.data.write import write
from hedgerow.errors import DataError, UsageError
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.rules.text_header import column_lines, read_columns
from tests.data.tables import assert_same

BODIES = [f"Shall we plant some trees in garden {number}?" for number in range(20)]
MAILS = [f"From: a@x.org\nSubject: trees\n\nBob wrote:\n> no\n{body}\n\n--\nAnn\n" for body in BODIES]
LEFT = [f"{body}\n" for body in BODIES]


def mails(texts=MAILS):
    schema = Schema((Column("mail", Kind.TEXT), Column("class", Kind.NOMINAL, ("a", "b"))), "class")
    codes = Table.of({"class": ["a", "b"] * 10})["class"]
    return Table(schema, (Text.of(texts), codes), len(texts))


@pytest.fixture(params=["csv", "tsv", "arff", "parquet", "feather", "jsonl"])
def path(request, tmp_path):
    """Return the mails as a file, in one format after the other."""
    path = tmp_path / f"mails.{request.param}"
    if request.param == "jsonl":
        rows = [json.dumps({"mail": mail, "class": "ab"[i % 2]}) for i, mail in enumerate(MAILS)]
        path.write_text("\n".join(rows))
    else:
        write(mails(), path)
    return path


def test_texts_of_every_format_are_stripped(path):
    table = read(path, strip=("quotes", "headers", "signatures"))
    assert list(table["mail"]) == LEFT
    assert table.schema["mail"].stripped == ("headers", "signatures", "quotes")
    source = open_source(path, strip="all")
    assert source.schema == table.schema
    assert_same(concatenate(list(source.batches(7))), table)


def test_a_declared_schema_has_its_texts_stripped(path):
    schema = read(path, strip="all").schema
    for source in (open_source(path, schema=schema), open_source(path).reopen(schema=schema)):
        assert list(source.read()["mail"]) == LEFT
        assert [text for batch in source.batches(7) for text in batch["mail"]] == LEFT
        assert source.read().schema == schema
    assert "column 'mail' is read without headers, signatures and quotes, as when the model was trained" in source.notes


def test_what_people_ask_for_goes_before_what_the_model_was_learned_from(path):
    schema = read(path, strip="all").schema
    source = open_source(path, strip="none").reopen(schema=schema)
    assert list(source.read()["mail"]) == MAILS
    assert [text for batch in source.batches(7) for text in batch["mail"]] == MAILS
    assert difference("mail", (), ("headers", "signatures", "quotes")) in source.notes
    assert list(open_source(path, strip="none", schema=schema).read()["mail"]) == MAILS


def test_frames_and_tables_are_stripped_too():
    frame = pd.DataFrame({"mail": MAILS, "class": ["a", "b"] * 10})
    assert list(read(frame, strip="all")["mail"]) == LEFT
    assert list(read(mails(), strip="all")["mail"]) == LEFT
    assert list(read(mails())["mail"]) == MAILS


def test_nothing_is_stripped_twice(tmp_path):
    once = read(mails(), strip="headers")
    again = strip_table(once, ("headers", "quotes"))
    assert again.schema["mail"].stripped == ("headers", "quotes")
    twice = ["Archive: x\n\nbody", "From: a\n\nArchive: x\n\nbody"]
    table = strip_table(Table(Schema((Column("t", Kind.TEXT),)), (Text.of(twice[1:]),), 1), ["headers"])
    assert list(strip_table(table, ["headers"])["t"]) == twice[:1]
    write(table, tmp_path / "t.parquet")
    kept = read(tmp_path / "t.parquet", target="")
    assert kept.schema["t"].stripped == ("headers",)
    assert list(align(kept, table.schema).table["t"]) == twice[:1]
    declared = open_source(tmp_path / "t.parquet", schema=table.schema)
    assert list(declared.read()["t"]) == twice[:1]


def test_missing_texts_stay_missing_and_emptied_ones_are_told(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"t": "A: b\\n\\n", "y": 1}\n{"t": null, "y": 1}\n{"t": "x", "y": 2}\n')
    source = open_source(tmp_path / "t.jsonl", strip=["headers"], kinds={"t": "text"})
    assert list(source.read()["t"]) == ["", None, "x"]
    assert "1 text is empty without headers" in source.notes


def test_only_texts_that_are_not_the_target_are_stripped():
    table = Table.of({"word": ["A: b", "c"], "n": [1, 2]})
    assert strip_table(table, ["headers"]).schema == table.schema
    assert read(mails(), strip="all", target="mail").schema["mail"].stripped == ()


@pytest.mark.parametrize("strip", ["footers", ("headers", "none")])
def test_other_parts_are_refused(strip):
    with pytest.raises(UsageError):
        read(mails(), strip=strip)


def learned(tmp_path):
    texts = [f"From: {'spam' * (i % 2)}@x.org\n\n{'free money' if i % 2 else 'see you'} {i}" for i in range(20)]
    table = read(mails(texts), strip="headers")
    return texts, hedgerow.Ripper().fit(table)


def test_a_model_strips_what_it_predicts_and_remembers_that_in_its_file(tmp_path):
    texts, learner = learned(tmp_path)
    model = loads(dumps(learner.model_))
    assert model.schema["mail"].stripped == ("headers",)
    assert model == learner.model_
    assert "spam" not in str(model)
    stranger = "free: x\nmoney: see you\n\nsee you"
    frame = pd.DataFrame({"mail": [texts[0], texts[1], stranger]})
    assert learner.predict(frame).tolist() == ["a", "b", "a"]
    assert model.predict(frame).tolist() == ["a", "b", "a"]


def test_a_model_tells_of_data_that_lack_more_than_it_learned_without(tmp_path):
    _, learner = learned(tmp_path)
    data = read(mails(), strip="all")
    notes = align(data, learner.model_.schema).notes
    assert notes == (difference("mail", ("headers", "signatures", "quotes"), ("headers",)),)


def test_rules_as_text_tell_what_is_stripped():
    column = Column("mail", Kind.TEXT, stripped=("headers", "quotes"))
    (line,) = column_lines([column])
    assert line == "# column mail: text without headers, quotes"
    assert read_columns(line) == {"mail": column}
    with pytest.raises(hedgerow.errors.ModelError, match="line 1: a mail has no part 'footers'"):
        read_columns("# column mail: text without footers")


@pytest.mark.parametrize("stripped", ["headers", ["quotes", "headers"], ["x"], [1], {}])
def test_a_schema_with_strange_parts_is_refused(stripped):
    column = {"name": "t", "kind": "text", "stripped": stripped}
    if stripped == {}:
        column = {"name": "t", "kind": "nominal", "levels": [], "stripped": ["headers"]}
    with pytest.raises(DataError, match="stripped"):
        Column.from_dict(column)
