import io
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import ModelError
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.base.model import About
from hedgerow.models.files.archive import MOST_RATIO
from hedgerow.models.files.model_file import dumps, load, loads, save
from hedgerow.models.rules.rule_list import Rule, RuleList
from tests.models.rules.rule_lists import MANY, WEATHER, rule_lists, weather_rules


@MANY
@given(rule_lists())
def test_what_is_saved_loads_equal_and_prints_the_same(model):
    content = dumps(model)
    again = loads(content)
    assert again == model
    assert str(again) == str(model)
    assert dumps(again) == content


def test_a_file_round_trip_keeps_everything(tmp_path):
    model = weather_rules()
    model.save(tmp_path / "weather.hedge")
    again = load(tmp_path / "weather.hedge")
    assert (again, again.about) == (model, model.about)
    assert np.array_equal(again.distribution(WEATHER), model.distribution(WEATHER))
    assert os.listdir(tmp_path) == ["weather.hedge"]


def test_saving_twice_gives_the_same_bytes(tmp_path):
    save(weather_rules(), tmp_path / "one")
    save(weather_rules(), str(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_other_tools_can_read_the_file():
    with zipfile.ZipFile(io.BytesIO(dumps(weather_rules()))) as archive:
        assert archive.testzip() is None
        weights = np.load(io.BytesIO(archive.read("arrays/a7.npy")))
    assert weights.tolist() == weather_rules().to_dict()["weights"].tolist()


def test_odd_numbers_and_numpy_scalars_among_the_parameters_survive():
    about = About("X", {"low": -np.inf, "n": np.int64(3), "x": np.float64(0.5), "on": np.bool_(True)})
    again = loads(dumps(RuleList(WEATHER.schema, (), Rule((), (1, 2, 3)), about=about)))
    assert again.about.parameters == {"low": -np.inf, "n": 3, "x": 0.5, "on": True}


def test_a_parameter_that_is_no_plain_value_is_refused():
    about = About("X", {"base": object})
    with pytest.raises(ModelError, match="cannot store <class 'object'>"):
        dumps(RuleList(WEATHER.schema, (), Rule((), (1, 2, 3)), about=about))


def test_a_model_that_packs_like_a_bomb_still_loads():
    levels = tuple(f"l{i}" for i in range(50_000))
    schema = Schema((Column("x", Kind.NOMINAL, levels), Column("y", Kind.NOMINAL, ("a", "b"))), "y")
    rules = [Rule((Condition("x", Operator.MISSING),), (0, 0))] * 50_000
    model = RuleList(schema, tuple(rules), Rule((), (1, 0)))
    content = dumps(model)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        kinds = {info.compress_type for info in archive.infolist()}
        assert all(i.file_size <= MOST_RATIO * i.compress_size for i in archive.infolist())
    assert kinds == {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    assert loads(content) == model


def test_a_model_of_no_known_kind_cannot_be_saved():
    class Odd(RuleList):
        kind = "odd"

    class Sly(RuleList):
        pass

    for sort in (Odd, Sly):
        with pytest.raises(ModelError, match=f"a {sort.__name__} cannot be saved"):
            dumps(sort(WEATHER.schema, (), Rule((), (1, 2, 3))))


class FullDiskError(OSError):
    """What a full disk says."""

    def __init__(self):
        super().__init__(28, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    def fail(*_):
        raise FullDiskError

    path = tmp_path / "m.hedge"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(ModelError, match=r"m\.hedge cannot be written: No space left on device"):
        save(weather_rules(), path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.hedge"]
    assert path.read_bytes() == b"old"


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(weather_rules(), tmp_path / "m.hedge")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_device_is_neither_replaced_nor_read():
    with pytest.raises(ModelError, match="/dev/full cannot be written: it is not a file"):
        save(weather_rules(), "/dev/full")
    with pytest.raises(ModelError, match="/dev/full is not a file"):
        load("/dev/full")


def test_saving_into_no_folder_or_onto_a_folder_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="cannot be written: No such file or directory"):
        save(weather_rules(), tmp_path / "absent" / "m.hedge")
    with pytest.raises(ModelError, match="cannot be written: it is not a file"):
        save(weather_rules(), tmp_path)
    with pytest.raises(ModelError, match="cannot be written"):
        save(weather_rules(), "a\0b")


def test_saving_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save(weather_rules(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "real") == weather_rules()


def test_files_that_cannot_be_opened_are_named(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"absent\.hedge does not exist"):
        load(tmp_path / "absent.hedge")
    with pytest.raises(ModelError, match="is not a file"):
        load(tmp_path)
    with pytest.raises(ModelError, match="cannot be read"):
        load("a\0b")
    save(weather_rules(), tmp_path / "m.hedge")

    def forbid(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbid)
    with pytest.raises(ModelError, match=r"m\.hedge cannot be read: Permission denied"):
        load(tmp_path / "m.hedge")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="is not a file"):
        load(tmp_path / "pipe")
