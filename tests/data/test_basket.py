import pytest

from hedgerow.data.formats.basket import BasketSource, basket_schema
from hedgerow.data.source import ReadOptions
from hedgerow.data.table import concatenate
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
