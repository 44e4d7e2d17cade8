"""Coded models: their print, their files, and what they refuse."""

import random

import numpy as np
import pytest

from hedgerow import C45, Bagging, MembershipRegression, NaiveBayes, OneVsRest, OutputCodes, Pairwise
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.explain.decision import explain_class_rows
from hedgerow.models.base.decisions import decisions
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.decoding import put_winner_first
from hedgerow.models.many.output_code import OutputCodeModel
from hedgerow.models.many.two_sides import classes_to_sides, side_names, side_schema
from tests.models.files.hostile import survivors_of_odd_parts, with_manifest


def table(classes=4, rows=48):
    chance = np.random.default_rng(3)
    labels = np.arange(rows) % classes
    names = ["red", "dark blue", "grün", "茶", "x", "y", "z", "u", "v"][:classes]
    return Table.of(
        {
            "a": labels + chance.normal(0, 0.3, rows),
            "b": [None if i % 7 == 0 else ("p", "q")[i % 2] for i in range(rows)],
            "c": [names[i] for i in labels],
        },
        "c",
        {"c": names},
    )


DATA = table()
REST, PAIRS, CODES = (kind(base="naive_bayes").train(DATA) for kind in (OneVsRest, Pairwise, OutputCodes))
MODELS = [REST, PAIRS, CODES]


def test_prints_tell_what_each_member_parts():
    how = "the class with the largest value is predicted"
    assert str(OneVsRest().train(DATA)).split("\n")[:7] == [
        f"4 trees, each separates one class from the others; {how}",
        "A tree has 2 to 3 leaves (mean 2.5)",
        "",
        "member  leaves  separates    from",
        "     0       2  red          the others",
        '     1       3  "dark blue"  the others',
        "     2       3  grün         the others",
    ]
    lines = str(PAIRS).split("\n")
    assert lines[0] == "6 tables of distributions, one per pair of classes; each votes for one of its two classes"
    assert lines[3] == '     0  red          "dark blue"'
    assert str(PAIRS).endswith("to print one: print(model.member(0)), or hedgerow show FILE --member 0")
    assert PAIRS.member(5).startswith("Member 5 of 6, which separates grün from 茶\n\n")
    assert str(PAIRS.members[5]) in PAIRS.member(5)
    with pytest.raises(ModelError, match="no member 6; the members are numbered 0 to 5"):
        PAIRS.member(6)


def test_output_codes_print_their_code_and_how_far_it_is():
    text = str(CODES)
    assert ("7 tables of distributions, each separates some classes from others; the class with the smallest") in text
    assert "red          +++++++\n" in text
    assert '"dark blue"  ---++++' not in text.split("code, a sign", maxsplit=1)[0]
    assert (
        "The distance between any two codes is 4 members;\nnumber of member errors that still leave "
        "the correct code nearest" in text
    )
    sparse = str(OutputCodes(base="majority", codes="sparse", columns=6).train(DATA))
    assert "0" in sparse.split("code, one sign per member\n")[1].split("\n", maxsplit=1)[0]
    assert "The smallest distance between two codes is " in sparse
    assert "distance     red" in sparse
    assert max(map(len, text.split("\n"))) <= 120


def test_the_printed_code_is_the_one_that_decides():
    rows = str(CODES).split("code, one sign per member\n")[1].split("\n")[:4]
    signs = {"+": 1, "-": -1, "0": 0}
    entries = np.array([[signs[sign] for sign in row.split()[-1]] for row in rows], dtype=np.int8).T
    assert CodeMatrix(entries) == CODES.codes
    assert (
        OutputCodeModel(DATA.schema, CODES.members, CodeMatrix(entries), "hinge").decide(DATA) == CODES.decide(DATA)
    ).all()


def test_many_classes_are_cut_short():
    names = [f"class number {i}" for i in range(40)]
    wide = Table.of({"x": np.arange(80.0), "c": [names[i % 40] for i in range(80)]}, "c")
    for learner in (OneVsRest, Pairwise, OutputCodes):
        text = str(learner(base="majority").train(wide))
        assert len(text.split("\n")) < 75
        assert max(map(len, text.split("\n"))) <= 130
        assert "more" in text


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.decoding)
def test_files_bring_back_the_same_model(model):
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.distribution(DATA), model.distribution(DATA))
    assert again.columns_used() == model.columns_used() == ("a", "b")
    assert again.size == len(model.members)
    assert list(again) == list(model.members)


def test_a_coded_model_in_a_committee_and_a_committee_in_it():
    inner = Bagging(base=Pairwise(), n_estimators=2).train(DATA)
    outer = Pairwise(base=Bagging(n_estimators=2)).train(DATA)
    numbers = Pairwise(base=MembershipRegression(base="cart_regressor")).train(DATA)
    assert loads(dumps(numbers)) == numbers
    for model in (inner, outer):
        assert loads(dumps(model)) == model
        assert model.nesting == 2


ODD = [None, -1, 3, 1e300, "x", "committee", "coded", True, [], {}, [[]], {"entries": 1}, "votes", "largest", "hinge"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.decoding)
def test_odd_parts_are_refused_or_make_a_model_that_works(model):
    for changed in survivors_of_odd_parts(model, ODD, rounds=150):
        if changed.schema.names == DATA.schema.names:
            changed.scores(changed.align(DATA.slice(0, 2)))


def test_random_bytes_of_the_code_are_refused_or_work():
    chance = random.Random(1)
    for _ in range(60):
        parts = REST.to_dict()
        entries = parts["codes"]["entries"].copy()
        entries[chance.randrange(4), chance.randrange(4)] = chance.randrange(5)
        try:
            made = OutputCodeModel.from_dict({**parts, "codes": {"entries": entries}}, REST.schema, REST.about)
        except ModelError:
            continue
        assert made == REST


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"decoding": "mean"}, "must be"),
        ({"decoding": ["votes"]}, "must be"),
        ({"decoding": "votes"}, "one member per pair"),
        ({"members": []}, "needs as many members, not 0"),
        ({"members": 3}, "must be a list"),
        ({"codes": None}, "named values"),
        ({"codes": {"entries": np.zeros((4, 3), dtype=np.uint8)}}, "does not match"),
        ({"codes": {"entries": np.zeros((4, 4))}}, "float64 instead of uint8"),
        ({"more": 1}, "its parts are"),
    ],
)
def test_wrong_parts_are_sentences(changes, told):
    parts = {**REST.to_dict(), **changes}
    if "members" in changes:
        parts["pools"] = {}
    with pytest.raises(ModelError, match=told):
        OutputCodeModel.from_dict(parts, REST.schema, REST.about)


def test_wrong_models_are_sentences():
    schema = DATA.schema
    with pytest.raises(ModelError, match="other columns"):
        OutputCodeModel(schema, PAIRS.members[::-1], PAIRS.codes)
    with pytest.raises(ModelError, match="needs as many members, not 5"):
        OutputCodeModel(schema, PAIRS.members[:5], PAIRS.codes)
    with pytest.raises(ModelError, match="4 classes needs a code"):
        OutputCodeModel(schema, PAIRS.members[:3], CodeMatrix.pairs(3))
    with pytest.raises(ModelError, match="one member per class"):
        OutputCodeModel(schema, PAIRS.members, PAIRS.codes, "largest")
    with pytest.raises(ModelError, match="no classes"):
        OutputCodeModel(schema.with_target("a"), PAIRS.members, PAIRS.codes)
    with pytest.raises(ModelError, match="predicts no classes"):
        OutputCodeModel(schema, (*PAIRS.members[:5], 3), PAIRS.codes)
    assert loads(with_manifest(PAIRS, dict)) == PAIRS


def test_names_of_sides():
    classes = ("a", "b", "c", "d" * 50)
    assert side_names(CodeMatrix.exhaustive(4), 0, classes) == ("not a", "a")
    assert side_names(CodeMatrix.exhaustive(4), 1, classes) == ("b, c", "2 classes with a")
    assert side_names(CodeMatrix.exhaustive(3), 1, ("a", "a, c", "c")) == ("not a, c", "a, c")
    codes = CodeMatrix.pairs(3)
    assert classes_to_sides(codes, 1, np.array([0, 1, 2, -1])[:3].astype(np.int32)).tolist() == [0, -1, 1]
    assert side_schema(DATA.schema, CodeMatrix.one_vs_rest(4), 2).target_column.levels == ("not grün", "grün")


def test_the_winner_is_put_ahead():
    shares = np.array([[0.5, 0.3, 0.2], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.3, 0.5]])
    winners = np.array([2, 1, 2], dtype=np.int32)
    fixed = put_winner_first(shares, winners)
    assert (decisions(fixed) == winners).all()
    assert (fixed.argmax(axis=1) == winners).all()
    np.testing.assert_allclose(fixed.sum(axis=1), 1)
    np.testing.assert_allclose(fixed[0], [0.2, 0.3, 0.5])
    assert put_winner_first(shares[2:], winners[2:]) is not None
    np.testing.assert_allclose(fixed[1], 1 / 3, atol=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.decoding)
def test_explanations_tell_what_the_members_say(model):
    rows = DATA.slice(0, 3)
    for place, told in enumerate(explain_class_rows(model, rows, [1, 2, 3])):
        why = told.reason.to_dict()
        assert why["way"] == "votes"
        assert len(why["members"]) == len(model)
        values = model.values(rows)[:, place]
        levels = [one.schema.target_column.levels for one in model.members]
        assert [one["says"] for one in why["members"]] == [
            names[int(value >= 0)] for names, value in zip(levels, values, strict=True)
        ]
        assert sum(one["share"] for one in why["tally"]) == pytest.approx(1)


def test_empty_tables_have_empty_answers():
    for model in [*MODELS, Pairwise(base=C45()).train(DATA)]:
        assert model.distribution(DATA.slice(0, 0)).shape == (0, 4)
        assert model.decide(DATA.slice(0, 0)).shape == (0,)


def test_repeated_names_of_columns_do_not_matter_to_the_members():
    renamed = Table.of({"z": DATA["a"], "y": [None if c < 0 else ("p", "q")[c] for c in DATA["b"]],
                        "c": [DATA.schema["c"].levels[i] for i in DATA.target_codes]}, "c",
                       {"c": DATA.schema["c"].levels, "y": DATA.schema["b"].levels})  # fmt: skip
    other = Pairwise(base=NaiveBayes()).train(renamed)
    np.testing.assert_allclose(other.distribution(renamed), PAIRS.distribution(DATA))
