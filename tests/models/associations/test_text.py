import numpy as np
import pytest
from hypothesis import given

from hedgerow.data.formats.basket import basket_schema
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table
from hedgerow.errors import ModelError
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.files.model_file import load
from tests.models.associations.associations import association_rules, weather_rules, weather_table
from tests.models.rules.rule_lists import MANY

RULES = weather_rules(
    (["Outlook=Overcast"], ["Play=Yes"]), (["Humidity=Normal", "Windy=False"], ["Play=Yes"]), ([], ["Play=Yes"])
)
PRINTED = """\
{Outlook=Overcast} => {Play=Yes} (4 of 4, 9 of 14)  # support 28.6 %, confidence 100 %, lift 1.56, count 4
{Humidity=Normal, Windy=False} => {Play=Yes} (4 of 4, 9 of 14)  # support 28.6 %, confidence 100 %, lift 1.56, count 4
{} => {Play=Yes} (9 of 14, 9 of 14)  # support 64.3 %, confidence 64.3 %, lift 1, count 9"""


def parse(text, schema=None):
    return AssociationRules.parse(text, schema)


def test_rules_print_one_a_line_with_their_figures():
    assert str(RULES) == PRINTED
    assert RULES.text(1) == PRINTED.splitlines()[0] + "\n… and 2 more"
    assert str(RULES.take(np.zeros(3, dtype=bool))) == "no rules"


@pytest.mark.parametrize("schema", [None, weather_table().schema])
def test_what_is_printed_reads_back_with_all_its_figures(schema):
    again = parse(PRINTED, schema)
    assert str(again) == PRINTED
    assert again.confidence.tolist() == RULES.confidence.tolist()
    assert again.total == 14
    table = weather_table()
    assert again.recommend(table).items == RULES.recommend(table).items
    assert len(parse("no rules")) == 0
    assert str(parse("")) == "no rules"


def test_hand_written_rules_need_no_figures():
    rules = parse("# mine\n\n{ b,a }=>{ whole   milk }  # always\r\n{} => {a}\n")
    assert str(rules) == "{b, a} => {whole milk}\n{} => {a}"
    assert np.isnan([rules.support, rules.confidence, rules.lift, rules.leverage, rules.conviction]).all()
    assert rules.count.tolist() == [0, 0]


def test_intervals_tell_their_cuts():
    rules = parse("{Humidity<=77.5} => {Play=yes}\n{77.5<Humidity<=82.5, Windy} => {Play=no}")
    assert rules.items.names[:3] == ("Humidity<=77.5", "77.5<Humidity<=82.5", "Humidity>82.5")
    table = Table.of({"Humidity": [77.5, 77.6, 90.0], "Windy": [0, 1, 1]})
    assert rules.recommend(table).items == [["Play=yes"], ["Play=no"], []]


def test_items_keep_the_order_of_the_print():
    text = "{b} => {c}\n{a, b} => {c}\n{d} => {a, c}"
    assert str(parse(text)) == text
    cycle = "{a, b} => {c}\n{b, a} => {d}"
    assert str(parse(cycle)) == "{a, b} => {c}\n{a, b} => {d}"


def test_what_is_absent_is_told_on_top():
    text = '# absent: no, "a, b", é\n{milk=yes} => {beer=yes}'
    rules = parse(text)
    assert (str(rules), rules.items.absent) == (text, ("no", "a, b", "é"))
    table = Table.of({"milk": ["yes"] * 4, "beer": ["no", "perhaps", None, "yes"]})
    assert rules.recommend(table).items == [["beer=yes"], [], ["beer=yes"], []]
    column = parse("# absent: no, never\n{no} => {tea}")
    assert str(column) == "# absent: no, never\n{no} => {tea}"
    assert column.recommend(Table.of({"no": [1.0, 0.0], "tea": [0.0, 0.0]})).items == [["tea"], []]
    assert len(parse("# absent: no\nno rules")) == 0
    with pytest.raises(ModelError, match="line 1: a=b is not a word"):
        parse("# absent: a=b\n{a} => {b}")
    with pytest.raises(ModelError, match="line 2: there is no item a=no"):
        parse("# absent: no\n{a=no} => {b=yes}")


def test_bags_beside_other_columns():
    text = "{got:tea, got:rum, who=me} => {glad}"
    rules = parse(text)
    assert str(rules) == text
    schema = Schema(
        (
            Column("got", Kind.BAG, inner=Schema((Column("item", Kind.NOMINAL, ("ale", "tea", "rum")),))),
            Column("who", Kind.NOMINAL, ("you", "me")),
            Column("glad", Kind.NOMINAL, ("false", "true")),
        )
    )
    assert str(parse(text, schema)) == text


def test_bare_words_are_columns_or_words_of_the_bag():
    assert str(parse("{tea} => {rum}", basket_schema(["rum", "tea"]))) == "{tea} => {rum}"
    frame = Schema((Column("tea", Kind.NUMERIC), Column("rum", Kind.NUMERIC)))
    assert parse("{tea} => {rum}", frame).items.schema.names == ("tea", "rum")
    with pytest.raises(ModelError, match="line 1: there is no item ale; the items are"):
        parse("{tea} => {ale}", basket_schema(["rum", "tea"]))
    with pytest.raises(ModelError, match="there is no column 'ale'"):
        parse("{tea} => {ale}", frame)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{a", "line 1: '{a' is not a rule; write rules like"),
        ("if a then b", "is not a rule"),
        ("{a} => {}", "at least one item after '=>'"),
        ("\n{a} => {a}", "line 2: the item a occurs on both sides"),
        ("{a} => {b} maybe", "is not a rule"),
        ("{a,} => {b}", "expected a comma and another item, or '}', before ','"),
        ("{,a} => {b}", "',a' is not an item"),
        ("{a b=} => {c}", "before '='"),
        ("{a, a} => {b}", "the item a is listed twice"),
        ("{h<=3} => {h>4}", "two items belong to column 'h', but a row has only one value of it"),
        ("{a=1, a=2} => {b}", "two items belong to column 'a'"),
        ("{h<=3} => {b}\n{h<=4} => {b}", "line 2: h<=4 overlaps with another interval of column 'h'"),
        ("{2<h<=1} => {b}", "overlaps"),
        ("{a:b} => {c}\n{c} => {a=b}", "column 'a' is bag, which does not match a=b"),
        ("{a=1} => {c=2}\n{a} => {c=2}", "line 2: column 'a' is written in two ways"),
        ('{"a\\q"} => {b}', "the escape"),
        ("{h<=1e999} => {b}", "is too large"),
        ("{a} => {b} (3 of 2, 4 of 5)", "the counts are impossible: 3 of 2, 4 of 5"),
        ("{a} => {b} (0 of 2, 4 of 5)", "the counts are impossible"),
        ("{a} => {b} (1 of 2, 4 of 0)", "in 0 rows"),
        ("{} => {b} (1 of 2, 1 of 5)", "the counts are impossible"),
        ("{a} => {b} (1 of 2, 4 of 1e300)", "the count 1e300 is too large"),
        (
            "{a} => {b} (1 of 2, 4 of 5)\n{a} => {c} (1 of 3, 4 of 5)",
            r"line 2: {a} occurs in 3 rows here, but in 2 on an earlier line",
        ),
        (
            "{a} => {b} (1 of 2, 4 of 5)\n{a} => {c} (1 of 2, 4 of 6)",
            "line 2: this line counts 6 rows in total, but an earlier one 5",
        ),
        ("{a} => {b}\n… and 5 more", "line 2: the list is truncated"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text, problem):
    with pytest.raises(ModelError) as caught:
        parse(text)
    assert str(caught.value).startswith("line ")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{Outlok=Sunny} => {Play=No}", "there is no column 'Outlok'; did you mean 'Outlook'?"),
        ("{Outlook=Suny} => {Play=No}", "there is no item Outlook=Suny; did you mean 'Outlook=Sunny'?"),
        ("{Outlook<=3} => {Play=No}", "column 'Outlook' is nominal, which does not match Outlook<=3"),
        ("{Outlook:Sunny} => {Play=No}", "column 'Outlook' is nominal"),
        ("{Outlook} => {Play=No}", "there is no item Outlook"),
        ("{Sunny} => {Play=No}", "there is no column 'Sunny'"),
    ],
)
def test_a_schema_says_what_there_is(text, problem):
    with pytest.raises(ModelError) as caught:
        parse(text, weather_table().schema)
    assert problem in str(caught.value)


def test_a_file_of_rules_is_loaded(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_bytes(b"\xef\xbb\xbf# mine\r\n" + PRINTED.replace("\n", "\r\n").encode())
    rules = load(path)
    assert str(rules) == PRINTED
    assert rules.about.notes == (f"read from {path}",)
    assert str(load(path, weather_table())) == str(load(path, weather_table().schema)) == PRINTED
    data = tmp_path / "w.csv"
    data.write_text("Outlook,Play\nSunny,Yes\nOvercast,No\n")
    with pytest.raises(ModelError, match=r"rules\.txt, line 3: there is no column 'Humidity'"):
        load(path, data)
    path.write_text("{a} => {b}\n{c\n")
    with pytest.raises(ModelError, match=r"rules\.txt, line 2: '{c' is not a rule"):
        load(path)
    path.write_text("no rules\n")
    assert len(load(path)) == 0


def test_what_show_prints_is_loaded(tmp_path):
    path = tmp_path / "shown.txt"
    path.write_text(f"Apriori: trained on 14 rows, size 3\n  top=3\n\n{PRINTED}\n\nNote\n  - a note\n")
    assert str(load(path)) == PRINTED
    path.write_text(f"My rules\n\n{PRINTED}")
    with pytest.raises(ModelError, match="line 1: 'My rules' is not a rule"):
        load(path)


def test_rules_of_words_are_used_on_a_bag_beside_other_columns():
    got = Column("got", Kind.BAG, inner=Schema((Column("item", Kind.NOMINAL, ("tea", "rum")),)))
    words = Bags(Table(got.inner, (np.array([0, 1, 0], dtype=np.int32),), 3), np.array([0, 2, 3]))
    table = Table(Schema((got, Column("spent", Kind.NUMERIC))), (words, np.array([3.5, 0.0])), 2)
    assert parse("{tea} => {rum}").recommend(table).items == (
        parse("{tea} => {rum}", table.schema).recommend(table).items
    )
    assert parse("{spent} => {gin}").recommend(table).items == [["gin"], []]


def _is_ambiguous(schema):
    """Whether a word of a bag is also the name of a column, so that rules without a schema may mean either."""
    return any(word in schema for column in schema.columns if column.inner for word in column.inner.columns[0].levels)


@MANY
@given(association_rules())
def test_any_rules_print_and_read_back(made):
    rules, table = made
    text = str(rules)
    for schema in (None, rules.schema):
        again = parse(text, schema)
        assert str(again) == text
        for name in ("count", "lift", "leverage", "conviction"):
            assert np.array_equal(again.measure(name), rules.measure(name), equal_nan=True)
        if schema is not None or not _is_ambiguous(table.schema):
            assert again.recommend(table).items == rules.recommend(table).items
