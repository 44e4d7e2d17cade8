"""Text in, model out."""

from contextlib import suppress

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.models.files.rule_file import load_rules, read_rule_text
from hedgerow.models.rules.parse_model import parse_model
from hedgerow.models.rules.text_header import with_columns
from hedgerow.report.render.rule_folding import fold_rule
from tests.models.rules.rule_lists import MANY, random_table, rule_lists, rule_sets, rule_votes
from tests.textbook import loan_a

RULES = """\
# by Ann, for new applicants
if Own_House = true then Class = Yes (6/0)
if Has_Job = false and Age in {young, old} then Class = No  # asked twice
otherwise Class = Yes
"""


@MANY
@given(st.one_of(rule_lists(), rule_sets(), rule_votes()), st.integers(0, 99))
def test_a_print_with_column_lines_is_a_model_of_its_own(model, seed):
    if model.abstains and not model.rules:
        return  # decides nothing at all, so that its text names no target
    again = load_rules(with_columns(model), "rules.txt")
    assert str(again) == str(model)
    table = random_table(model.schema, seed)
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert np.array_equal(again.decide(table), model.decide(table))
    assert load_rules(with_columns(again), "rules.txt") == again


def test_data_tell_kinds_and_levels_and_the_rules_the_target():
    model = load_rules(RULES, "rules.txt", loan_a().with_target("Age"))
    assert model.schema.names == ("Age", "Has_Job", "Own_House", "Class")
    assert model.schema.target == "Class"
    assert model.classes == loan_a().schema["Class"].levels


def test_any_form_of_data_will_do(tmp_path):
    (tmp_path / "loan.csv").write_text(hedgerow.examples.loan_csv())
    (tmp_path / "rules.txt").write_bytes(b"\xef\xbb\xbf" + RULES.replace("\n", "\r\n").encode())
    path = tmp_path / "rules.txt"
    table = hedgerow.read(tmp_path / "loan.csv", keep=["ID"])
    frame = pyarrow.csv.read_csv(tmp_path / "loan.csv")
    models = [hedgerow.load(path, data) for data in (table, table.schema, tmp_path / "loan.csv", frame)]
    assert all(np.array_equal(model.decide(table), models[0].decide(table)) for model in models)


def test_numbers_that_rules_compare_by_equality_are_levels():
    table = Table.of({"job": [0.0, 1.0, 1.0], "age": [30.0, 40.0, 50.0], "good": [0.0, 1.0, 0.0]}, target="good")
    model = load_rules("if job = 1 and age < 45 then good = 1\notherwise good = 0", "rules.txt", table)
    assert model.predict(table).tolist() == ["0", "1", "0"]


def test_data_without_the_target_leave_the_classes_to_the_rules():
    table = Table.of({"job": ["yes", "no"]})
    model = load_rules("if job = no then risk = high\notherwise risk = low (5/1: low 4, fair 1)", "rules.txt", table)
    assert model.classes == ("high", "low", "fair")
    assert model.predict(table).tolist() == ["low", "high"]


def test_levels_that_the_data_lack_can_be_told_on_top():
    text = 'if job = "self employed" then Class = No\notherwise Class = Yes'
    table = Table.of({"job": ["yes", "no"], "Class": ["No", "Yes"]}, target="Class")
    with pytest.raises(ModelError) as caught:
        load_rules(text, "rules.txt", table)
    assert str(caught.value) == (
        "rules.txt, line 1: column 'job' has no level 'self employed'; the levels are 'yes', 'no'. If it is only "
        "absent from these data, list all of them at the top of the text: '# column job: {..., \"self employed\"}'"
    )
    model = load_rules('# column job: {yes, no, "self employed"}\n' + text, "rules.txt", table)
    assert model.schema["job"].levels == ("yes", "no", "self employed")
    assert model.predict(table).tolist() == ["Yes", "Yes"]


@pytest.mark.parametrize("line", ["=> a (1/0 ", "x for : size ", "if ", "a: 1 (2", "# column a: "])
def test_a_long_line_is_refused_in_time_that_grows_no_faster_than_the_line(line):
    with pytest.raises(ModelError, match=r"^rules\.txt, line 1: "):
        load_rules(f"{line * 20_000}\n{RULES}", "rules.txt", loan_a())


def test_dates_keep_their_form(tmp_path):
    (tmp_path / "when.csv").write_text("when,y\n2020-01-01,a\n2021-01-01,b\n2022-01-01,b\n")
    text = "if when > 1600000000 then y = b\notherwise y = a"
    model = load_rules(text, "rules.txt", tmp_path / "when.csv")
    assert model.schema["when"].date is not None
    again = load_rules(with_columns(model), "rules.txt")
    assert again == model
    table = hedgerow.read(tmp_path / "when.csv")
    assert again.predict(table).tolist() == ["a", "b", "b"]


BAD = {
    RULES.replace("Own_House", "OwnHouse"): "rules.txt, line 2: there is no column 'OwnHouse'; did you mean 'Own",
    RULES.replace("young, old", "young, odl"): "line 3: column 'Age' has no level 'odl'; did you mean 'old'?",
    RULES.replace("Class = No ", "Class = Noo "): "rules.txt, line 3: there is no class 'Noo' of 'Class'; did you mean",
    RULES.replace("Own_House = true", "Own_House > 3"): "line 2: column 'Own_House' is nominal and cannot be tested "
    "with",
    RULES.replace("then Class = No ", "then Clas = No "): "line 3: the rule must predict 'Class', not 'Clas'",
    RULES.replace("Class", "Clas"): "rules.txt, line 2: the rules predict 'Clas', but there is no such column; did",
    RULES.replace("otherwise Class = Yes\n", ""): "rules.txt, line 3: the list must end with a line like 'otherwise",
    RULES + "# column Age: {young, young}\n": "line 5: the level 'young' is listed twice",
    RULES + "# column Age: nominal\n": "line 5: a column is numeric, text or has levels, as in {yes, no}; 'nominal' is",
    RULES + "# column Age: numeric\n# column Age: text\n": "line 6: the column 'Age' is declared twice",
    "otherwise no decision": "rules.txt: no rule decides for a class",
    'if "Age = old then Class = No': "rules.txt, line 1: ",
}


@pytest.mark.parametrize("text", BAD)
def test_errors_name_file_line_and_the_nearest_word(text):
    with pytest.raises(ModelError) as caught:
        load_rules(text, "rules.txt", loan_a())
    assert BAD[text] in str(caught.value)


def test_a_text_without_data_or_column_lines_says_what_it_needs():
    with pytest.raises(
        ModelError, match=r"rules.txt holds rules as text, but it has no lines such as '# column Own_House"
    ):
        load_rules(RULES, "rules.txt")


@pytest.mark.parametrize("content", [b"", b"name,age\nAnn,3\n", b"PK\x03\x04if", b"if \xff", b"if\0x", b"iffy\n"])
def test_other_files_are_not_taken_for_rules(content):
    assert read_rule_text(content) is None


def test_a_file_that_is_neither_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("name,age\nAnn,3\n")
    with pytest.raises(ModelError, match=r"a.csv is not a hedgerow model file, and contains no rules"):
        hedgerow.load(tmp_path / "a.csv")


PIECES = [
    *(
        "if",
        "then",
        "otherwise",
        "and",
        "where",
        "no decision",
        "no rule covers or rules disagree,",
        "Class = Yes",
        "Age = old",
    ),
    *(
        "Class=No",
        " => ",
        "(Age = old)",
        "(6.0/1.0)",
        "(6/1)",
        ": ",
        "Yes",
        " AND",
        "\n",
        "# column Age: {old}",
        "#",
        '"',
        "(3: Yes 3)",
    ),
    *(
        "JRIP rules:",
        "PART decision list\n---",
        "Number of Rules : 3",
        "Own_House = true",
        "in {",
        "}",
        "1E9",
        "= 3",
        "9" * 400,
    ),
    *("Where rules overlap, their counts are added", "Where no rule covers, Class = Yes", "x for y: size 3", "Note"),
]


@MANY
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=25), st.booleans())
def test_any_text_is_a_model_or_refused_in_a_sentence(pieces, with_data):
    with suppress(ModelError):
        model = load_rules(" ".join(pieces), "rules.txt", loan_a() if with_data else None)
        assert load_rules(with_columns(model), "rules.txt").to_dict().keys() == model.to_dict().keys()


LONG = """\
if Own_House = false
    and Has_Job = false  # asked twice
    # nothing else
    and Age in {young,
        old}

    then Class = No
    (5/1)
if Has_Job = true and
Own_House = true then
Class = Yes
otherwise Class = Yes
"""


def test_a_rule_may_go_on_over_several_lines():
    model = load_rules(LONG, "rules.txt", loan_a())
    first, *others = str(model).split("\n")
    assert first.startswith("if Own_House = false and Has_Job = false and Age in {young, old} then Class = No (5/1)  #")
    assert others == ["if Has_Job = true and Own_House = true then Class = Yes", "otherwise Class = Yes"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Has_Job = false", "HasJob = false", "line 2: there is no column 'HasJob'"),
        ("        old", "        odl", "line 5: column 'Age' has no level 'odl'"),
        ("then Class = No", "then Class = Noo", "line 7: there is no class 'Noo'"),
        ("(5/1)", "(5/9)", "line 8: 9 errors are more than the 5 rows"),
        ("Class = Yes\nother", "Class = Maybe\nother", "line 11: there is no class 'Maybe'"),
        ("and Has_Job", 'and "Has_Job', "line 2: "),
        ("and Has_Job", "or Has_Job", "line 1: expected 'then' after the conditions, not the end of the line"),
        (
            "Has_Job = true and",
            "Has_Job = true or Age = old and",
            "line 9: conditions can only be joined with 'and'; instead of 'or'",
        ),
    ],
)
def test_errors_in_rules_of_several_lines_name_the_very_line(old, new, told):
    assert LONG.count(old) == 1
    with pytest.raises(ModelError) as caught:
        load_rules(LONG.replace(old, new), "rules.txt", loan_a())
    assert str(caught.value).startswith(f"rules.txt, {told}")


@MANY
@given(st.one_of(rule_lists(), rule_sets(), rule_votes()), st.integers(30, 100))
def test_folded_rules_are_the_same_model(model, columns):
    printed = str(model).split("\n")
    text = "\n".join(line for rule in printed for line in fold_rule(rule, columns))
    assert str(parse_model(text, model.schema)) == str(model)


def test_what_rules_ask_for_words_is_text(tmp_path):
    (tmp_path / "mail.csv").write_text("message,label\nfree money,spam\nsee you,ham\nfree money,spam\n")
    text = "if message contains free then label = spam\notherwise label = ham"
    for data in (tmp_path / "mail.csv", hedgerow.read(tmp_path / "mail.csv", kinds={"message": "nominal"})):
        model = load_rules(text, "rules.txt", data)
        assert str(model.schema["message"].kind) == "text"
        assert model.predict(hedgerow.read(tmp_path / "mail.csv")).tolist() == ["spam", "ham", "spam"]


@pytest.mark.parametrize("name", ["it's", 'a "b"', "plain"])
def test_the_remedy_for_an_unknown_level_names_the_column_at_fault(name):
    table = Table.of({name: ["yes", "no"], "Class": ["No", "Yes"]}, target="Class")
    quoted = name if name == "plain" else '"' + name.replace('"', '\\"') + '"'
    with pytest.raises(ModelError) as caught:
        load_rules(f"if {quoted} = never then Class = No\notherwise Class = Yes", "rules.txt", table)
    assert f"'# column {quoted}: {{..., never}}'" in str(caught.value)
    with pytest.raises(ModelError) as caught:
        load_rules("otherwise Class = Yess", "rules.txt", table)
    assert str(caught.value).endswith(
        "did you mean 'Yes'? If it is only absent from these data, list all of them at the top of the text: '# column "
        "Class: {..., Yess}'"
    )
