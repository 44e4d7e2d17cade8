"""Thousands of damaged ARFF files: each gives a table or an error message, never a crash or a hang."""

import random

import pytest

from hedgerow.data.formats.arff import ArffSource
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError
from tests.data.formats.test_arff import BAGS, SPARSE, WEATHER

PIECES = [
    *(bytes([byte]) for byte in b"'\"\\{},%?\n \t-\x00\xff]"),
    *(b"@data\n", b"@end bag\n", b"@attribute a ", b"relational", b"date", b"numeric"),
    *(b"1e999", b"nan", b"\\u12", b"\r\n"),
    *(b"9" * 40, b"{0 1}", b"{99999999999 1}", b"\xc3\xa9", b"['"),
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 6])):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(5):
            case 0:
                out[at:at] = chance.choice(PIECES)
            case 1:
                del out[at : at + chance.randint(1, 20)]
            case 2:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                end = at + chance.randint(1, 60)
                out[at:at] = out[at:end]
            case 4:
                del out[at:]
    return bytes(out)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_give_a_table_or_a_sentence(tmp_path, seed):
    chance = random.Random(seed)
    path = tmp_path / "fuzz.arff"
    tables = 0
    for number in range(1000):
        path.write_bytes(mutated(chance.choice([WEATHER, BAGS, SPARSE]).encode(), chance))
        source = ArffSource(path, ReadOptions())
        sentence = ""
        try:
            table = source.read() if number % 2 else next(source.batches(2))
            assert isinstance(table, Table)
            tables += 1
        except DataError as error:
            sentence = str(error)
        assert "\n" not in sentence
    assert 50 < tables < 1000
