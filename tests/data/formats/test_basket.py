import pytest

from hedgerow.data.formats.basket import BasketSource, basket_schema
from hedgerow.data.read import read
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import concatenate
from hedgerow.errors import DataError
from tests.data.tables import assert_same, words


@pytest.fixture
def basket(tmp_path):
    def make(text, **options):
        (tmp_path / "t.dat").write_text(text)
        return BasketSource(tmp_path / "t.dat", ReadOptions(**options))

    return make


def test_items_may_be_parted_by_blanks(basket):
    bags = basket("25 52 164 \n\n39\t25\n").read()["items"]
    assert bags.offsets.tolist() == [0, 3, 3, 5]
    assert words(bags.table, "item") == ["25", "52", "164", "39", "25"]


def test_items_may_be_parted_by_commas(basket):
    bags = basket('whole milk,"rolls, buns", soda\r\nsoda,,\n').read()["items"]
    assert bags.offsets.tolist() == [0, 3, 4]
    assert words(bags.table, "item") == ["whole milk", "rolls, buns", "soda", "soda"]


@pytest.mark.usefixtures("small_blocks")
def test_streaming_gives_the_same_rows_and_schema(basket):
    text = "a b c\nc d\ne a\nf\n"
    source = basket(text)
    assert_same(concatenate(list(source.batches(1))), basket(text).read())


def test_a_declared_schema_keeps_its_items(basket):
    schema = basket_schema(["c", "a"])
    table = basket("a b c\nc d\n", schema=schema).read()
    assert table.schema is schema
    assert words(table["items"].table, "item") == ["a", None, "c", "c", None]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_told(basket, text):
    with pytest.raises(DataError, match="no transactions"):
        basket(text).read()


def test_an_unclosed_quote_is_told(basket):
    with pytest.raises(DataError, match=r"t\.dat.*line 2"):
        basket('a,b\n"c,d\n').read()


def baskets_of(table):
    """The items of every basket, as words."""
    bags = table["items"]
    return [words(bag, "item") for bag in bags]


def test_a_blank_line_is_an_empty_basket_but_not_behind_the_last(basket):
    """R's arules keeps a transaction for every line; blank lines at the end are what editors leave."""
    wanted = [[], ["a", "b"], [], [], ["b"]]
    assert baskets_of(basket("\na b\n \t\n\nb\n\n \n").read()) == wanted
    assert baskets_of(basket("\r\na,b\r\n\r\n \r\nb,\r\n\r\n").read()) == wanted
    assert baskets_of(basket("\na b\n \n\nb\n  ").read()) == wanted


def test_a_line_of_commas_is_an_empty_basket(basket):
    assert baskets_of(basket("a,b\n,,\nb\n").read()) == [["a", "b"], [], ["b"]]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_blank_lines_between_blocks_are_kept(basket, end):
    text = "\n\na b c d e f g h\n\n\n\ni j k\n\n\nl" + end
    source = basket(text)
    wanted = [[], [], list("abcdefgh"), [], [], [], list("ijk"), [], [], ["l"]]
    assert baskets_of(concatenate(list(source.batches(1)))) == wanted
    assert baskets_of(basket(text).read()) == wanted
    assert baskets_of(basket(text, schema=basket_schema("abcdefghijkl")).read()) == wanted


def test_a_last_line_needs_no_end(basket):
    assert baskets_of(basket("a b\nc").read()) == [["a", "b"], ["c"]]
    assert baskets_of(basket("a").read()) == [["a"]]


def test_items_hold_separators_quotes_and_line_ends_in_quotes(basket):
    text = 'a,"b, ""c"""\n"x\n\ny",z\n\n5" disk,it\'s\n'
    assert baskets_of(basket(text).read()) == [["a", 'b, "c"'], ["x\n\ny", "z"], [], ['5" disk', "it's"]]


def test_items_may_be_parted_by_semicolons_or_as_told(basket):
    assert baskets_of(basket("whole milk;tea\nrum\n").read()) == [["whole milk", "tea"], ["rum"]]
    assert baskets_of(basket("a, b|c\n", delimiter="|").read()) == [["a, b", "c"]]
    assert baskets_of(basket("whole milk\ttea, rum\n", delimiter="\t").read()) == [["whole milk", "tea, rum"]]


def test_one_line_of_5000_items(basket):
    items = [f"i{i}" for i in range(5000)]
    assert baskets_of(basket(" ".join(items) + "\n").read()) == [items]


def test_csv_of_items_by_request(tmp_path):
    (tmp_path / "t.csv").write_text("milk,bread\nbeer\n", encoding="utf-8")
    assert baskets_of(read(tmp_path / "t.csv", format="basket")) == [["milk", "bread"], ["beer"]]
