import numpy as np
import pyarrow as pa
import pytest

from hedgerow.data.items.items import Items
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, ModelError
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.associations.set_arrays import pack_sets
from hedgerow.models.files.model_file import dumps, load, loads
from tests.models.associations.associations import sets_by_hand, weather_table
from tests.models.files.hostile import with_array, with_manifest

WEATHER = sets_by_hand(weather_table())


def test_sets_of_the_weather():
    """G46: 12 items, 47 pairs, 39 triples and 6 fours at support 2 make 104 sets."""
    assert len(WEATHER) == WEATHER.size == 104
    assert np.bincount(WEATHER.sizes).tolist() == [0, 12, 47, 39, 6]
    assert repr(WEATHER) == "<ItemSets: 104 sets of 12 items>"
    assert WEATHER.columns_used() == weather_table().schema.names


def test_sets_print_with_support_and_count():
    lines = WEATHER.text(None).splitlines()
    assert lines[0] == "{Outlook=Sunny}  # support 35.7 %, count 5"
    assert "{Humidity=High, Play=No}  # support 28.6 %, count 4" in lines
    assert len(lines) == 104
    assert str(WEATHER).splitlines()[-1] == "… and 4 more"
    assert WEATHER.text(0) == "… and 104 more"
    assert str(WEATHER.take(np.zeros(104, dtype=bool))) == "no item sets"


def test_sets_are_found_by_the_names_of_their_items():
    place = WEATHER.find([["Play=No", "Humidity=High"], ["Outlook=Sunny"], ["Play=No", "Play=Yes"], [], [11, 10]])
    assert place.tolist()[1:] == [0, -1, -1, -1]
    assert WEATHER.counts[place[0]] == WEATHER.count("Humidity=High", "Play=No") == 4
    assert WEATHER.count("Outlook=Overcast", "Play=No") is None
    assert WEATHER.positions(WEATHER.offsets, WEATHER.codes).tolist() == list(range(104))
    for bad in (["Play=Maybe"], [12], [-1]):
        with pytest.raises(DataError, match="there is no item"):
            WEATHER.find([bad])


def test_iteration_yields_names_and_counts():
    assert list(WEATHER)[0] == (("Outlook=Sunny",), 5)  # noqa: RUF015
    assert sum(count for _, count in WEATHER) == WEATHER.counts.sum()


def test_some_sets_can_be_taken():
    some = WEATHER.take(WEATHER.counts >= 8)
    assert list(some) == [(("Windy=False",), 8), (("Play=Yes",), 9)]
    assert some.total == 14
    assert np.isclose(some.support, [8 / 14, 9 / 14]).all()


def test_arrow_shares_the_arrays():
    table = WEATHER.to_arrow()
    assert table.column_names == ["items", "size", "count", "support"]
    assert table["items"].type == pa.large_list(pa.dictionary(pa.int32(), pa.string()))
    assert table["items"].to_pylist() == [list(names) for names, _ in WEATHER]
    assert table["count"].chunk(0).buffers()[1].address == WEATHER.counts.ctypes.data
    assert table["count"].to_pylist() == WEATHER.counts.tolist()


def test_weights_make_fractions():
    table = Table.of({"a": ["x", "x"], "b": ["y", "z"]}, weights=[0.5, 2])
    assert list(sets_by_hand(table, 2)) == [(("a=x",), 2.5), (("b=z",), 2.0), (("a=x", "b=z"), 2.0)]
    assert str(sets_by_hand(table, 2.5)) == "{a=x}  # support 100 %, count 2.5"


@pytest.mark.parametrize("name", ["s.hedge", "s.json"])
def test_sets_are_saved_and_loaded(tmp_path, name):
    told = ItemSets.of(
        WEATHER.items, WEATHER.offsets, WEATHER.codes, WEATHER.counts, 14, which="closed", bound=2, ended="time is over"
    )
    empty = WEATHER.take(np.zeros(104, dtype=bool))
    weighted = sets_by_hand(weather_table().with_weights(np.linspace(0, 2, 14)), 1.5)
    for sets in (WEATHER, told, empty, weighted):
        sets.save(tmp_path / name)
        again = load(tmp_path / name)
        assert (again, str(again), again.about) == (sets, str(sets), sets.about)
    assert told != WEATHER


def test_bad_sets_are_refused_at_once():
    parts = (WEATHER.items, WEATHER.offsets, WEATHER.codes)
    with pytest.raises(ModelError, match="103 counts do not match 104 sets"):
        ItemSets.of(*parts, WEATHER.counts[1:], 14)
    with pytest.raises(ModelError, match="all, closed or maximal"):
        ItemSets.of(*parts, WEATHER.counts, 14, which="open")


def refused(data, match):
    with pytest.raises(ModelError, match=match) as caught:
        loads(data, "m.hedge")
    assert str(caught.value).startswith("m.hedge is ")
    assert "\n" not in str(caught.value)


def test_files_that_lie_are_refused():
    offsets, codes, counts = WEATHER.offsets, WEATHER.codes, WEATHER.counts
    refused(with_array(WEATHER, "offsets", offsets + 1), "does not ascend from 0 to")
    refused(with_array(WEATHER, "offsets", offsets[::-1].copy()), "does not ascend from 0 to")
    refused(with_array(WEATHER, "offsets", offsets[:0]), "does not ascend from 0 to")
    refused(with_array(WEATHER, "offsets", offsets.astype(np.int32)), "int32 instead of int64")
    refused(with_array(WEATHER, "codes", codes + 1), "outside 0 to 11")
    refused(with_array(WEATHER, "codes", codes - 1), "outside 0 to 11")
    refused(with_array(WEATHER, "codes", np.sort(codes)), "are not in ascending order")
    refused(
        with_array(WEATHER, "codes", np.concatenate([codes[1:2], codes[:1], codes[2:]])), "not sorted by their items"
    )
    refused(with_array(WEATHER, "counts", -counts), "negative or not finite")
    refused(with_array(WEATHER, "counts", counts.astype(float) * np.nan), "negative or not finite")
    refused(with_array(WEATHER, "counts", counts + 9), "more rows than there are")
    refused(with_array(WEATHER, "counts", counts[1:]), "does not match the others")
    refused(with_array(WEATHER, "counts", counts.astype(np.uint8)), "uint8 instead of int64")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("total", -1),
        ("total", True),
        ("total", "14"),
        ("total", None),
        ("bound", []),
        ("which", "none"),
        ("which", 1),
        ("ended", None),
        ("ways", []),
        ("ways", None),
        ("ways", ["levels"] * 4 + ["often"]),
        ("ways", ["levels"] * 4 + [3]),
        ("ways", ["levels"] * 4 + ["cuts"]),
        ("cuts", [None] * 4),
        ("cuts", [3] * 5),
        ("absent", "no"),
        ("absent", [3]),
        ("absent", ["No"]),
        ("more", 1),
    ],
)
def test_parts_that_lie_are_refused(part, value):
    refused(with_manifest(WEATHER, lambda manifest: manifest["parts"].update({part: value})), "not a valid hedgerow")


def test_sets_in_the_wrong_order_of_sizes_are_refused():
    items = Items.of(Table.of({"a": ["x"], "b": ["y"]}).schema)
    offsets, codes = pack_sets(items, [[0, 1], [0]])
    refused(dumps(ItemSets.of(items, offsets, codes, np.array([1, 1]), 1)), "not sorted by size")
    offsets, codes = pack_sets(items, [[0], [0]])
    refused(dumps(ItemSets.of(items, offsets, codes, np.array([1, 1]), 1)), "sorted by their items")
    offsets, codes = pack_sets(items, [[], [0]])
    refused(dumps(ItemSets.of(items, offsets, codes, np.array([1, 1]), 1)), "not sorted by size")
