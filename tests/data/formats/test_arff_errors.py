import pytest

from hedgerow.data.formats.arff import ArffSource
from hedgerow.data.table.source import ReadOptions
from hedgerow.errors import DataError

HEAD = "@relation r\n@attribute color {red,green}\n@attribute x numeric\n@attribute d date yyyy-MM-dd\n@data\n"
SPARSE = "@relation r\n@attribute a numeric\n@attribute b {no,yes}\n@data\n"
BAG = "@relation r\n@attribute b relational\n@attribute x numeric\n@attribute y numeric\n@end b\n@data\n"
CASES = {
    "level not declared": (HEAD + "red,1,?\ngren,2,?\n", ["line 7", "'gren'", "'color'", "mean 'green'"]),
    "no near level": (HEAD + "zzz,1,?\n", ["line 6", "'zzz'", "'red', 'green'"]),
    "too few values": (HEAD + "red,1\n", ["line 6", "2 values instead of 3"]),
    "too many values": (HEAD + "red,1,?,4\n", ["line 6", "4 values instead of 3"]),
    "word among numbers": (HEAD + "red,one,?\n", ["'x'", "'one'", "line 6"]),
    "infinite number": (HEAD + "red,inf,?\n", ["'x'", "infinite", "line 6"]),
    "bad date": (HEAD + "red,1,1970-13-01\n", ["line 6", "'1970-13-01'", "yyyy-MM-dd"]),
    "unclosed quote": (HEAD + "% c\n'red,1,?\n", ["line 7", "quote"]),
    "text behind a quote": (HEAD + "'red'x,1,?\n", ["line 6", "closing quote"]),
    "bad weight": (HEAD + "red,1,?,{x}\n", ["line 6", "weight"]),
    "negative weight": (HEAD + "red,1,?,{-1}\n", ["line 6", "weight", "negative"]),
    "no rows": (HEAD, ["no rows"]),
    "no data": ("@relation r\n@attribute a numeric\n", ["no @data"]),
    "empty file": ("", ["no @data"]),
    "no attributes": ("@relation r\n@data\n1\n", ["line 2", "no attribute"]),
    "not ARFF": ("a,b\n1,2\n", ["line 1", "'a,b'", "@relation"]),
    "unknown keyword": ("@relation r\n@atribute a numeric\n", ["line 2", "@attribute"]),
    "unknown type": ("@relation r\n@attribute a number\n@data\n", ["line 2", "'a'", "'number'", "numeric"]),
    "no type": ("@relation r\n@attribute a\n@data\n", ["line 2", "'a'", "unknown type"]),
    "no name": ("@relation r\n@attribute {a,b}\n@data\n", ["line 2", "name"]),
    "unclosed brace": ("@relation r\n@attribute a {x,y\n@data\n", ["line 2", "'a'", "}"]),
    "unclosed name": ("@relation r\n@attribute 'a {x,y}\n@data\n", ["line 2", "quote"]),
    "unclosed level": ("@relation r\n@attribute a {x,'y}\n@data\n", ["line 2", "quote"]),
    "text behind a type": ("@relation r\n@attribute a numeric yes\n@data\n", ["line 2", "'yes'"]),
    "attribute twice": (
        "@relation r\n@attribute a numeric\n@attribute a string\n@data\n",
        ["line 3", "'a'", "twice"],
    ),
    "level twice": ("@relation r\n@attribute a {x,y,x}\n@data\n", ["line 2", "'x'", "twice"]),
    "bad date format": ("@relation r\n@attribute a date yyyy-QQ\n@data\n", ["line 2", "'Q'"]),
    "bag not closed": (
        "@relation r\n@attribute b relational\n@attribute x numeric\n@data\n",
        ["line 4", "@end b"],
    ),
    "end of nothing": ("@relation r\n@end b\n@data\n", ["line 2", "@end b"]),
    "empty bag": ("@relation r\n@attribute b relational\n@end b\n@data\n", ["line 3", "no columns"]),
    "bad row in a bag": (
        BAG + "'1,2'\n'1,2\\n3'\n",
        ["line 8", "1 value instead of 2"],
    ),
    "dense after sparse": (SPARSE + "{0 1}\n1,no\n", ["line 6", "mixed"]),
    "sparse after dense": (SPARSE + "1,no\n{0 1}\n", ["line 6", "1 value instead of 2"]),
    "index too large": (SPARSE + "{0 1,2 3}\n", ["line 5", "number 2", "2 columns"]),
    "index not ascending": (SPARSE + "{}\n{1 yes,0 1}\n", ["line 6", "0 follows 1", "ascending"]),
    "index twice": (SPARSE + "{1 yes,1 no}\n", ["line 5", "1 follows 1"]),
    "index not a number": (SPARSE + "{a 1}\n", ["line 5", "column number"]),
    "index without value": (SPARSE + "{0 1,1}\n", ["line 5"]),
    "sparse brace": (SPARSE + "{0 1\n{0 2}\n", ["line 5", "not closed"]),
    "sparse quote": (SPARSE + "{1 'yes}\n", ["line 5", "quote"]),
    "sparse level": (SPARSE + "{}\n{1 yess}\n", ["line 6", "'yess'", "mean 'yes'"]),
    "sparse word": (SPARSE + "{0 one}\n", ["line 5", "'one'", "not a number"]),
    "sparse infinite": (SPARSE + "{0 inf}\n", ["line 5", "'inf'"]),
    "sparse weight": (SPARSE + "{0 1},{x}\n", ["line 5", "weight"]),
    "sparse trailing": (SPARSE + "{0 1} x\n", ["line 5", "unexpected"]),
    "not UTF-8": (HEAD.encode() + b"red,1,?\nr\xe9d,1,?\n", ["line 7", "UTF-8", "encoding"]),
    "header not UTF-8": (b"@relation r\n@attribute caf\xe9 numeric\n@data\n1\n", ["line 2", "0xe9", "UTF-8"]),
}


@pytest.mark.parametrize("case", CASES)
def test_malformed_files_are_told_in_one_sentence(tmp_path, case):
    text, parts = CASES[case]
    path = tmp_path / "bad.arff"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for read in (lambda source: source.read(), lambda source: list(source.batches())):
        with pytest.raises(DataError) as error:
            read(ArffSource(path, ReadOptions()))
        sentence = str(error.value)
        assert "bad.arff" in sentence
        assert "\n" not in sentence
        assert all(part in sentence for part in parts), sentence


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.arff"):
        ArffSource(tmp_path / "nowhere.arff", ReadOptions()).read()
