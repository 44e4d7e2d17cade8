"""Kinds of models: hedgerow's own are found by name, those of other packages once they are registered."""

import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module

import pytest

import hedgerow
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.constant import Constant
from hedgerow.models.base.kinds import KINDS, model_class, register_model, saved_kinds
from hedgerow.models.base.model import ClassModel


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_the_kind_of_its_class(kind):
    found = model_class(kind)
    assert (found.kind, f"{found.__module__}:{found.__name__}") == (kind, KINDS[kind])


def own(kind="test_own", name="Own"):
    """Return a model that says the same number for every row."""

    class Own(Constant):
        def __str__(self):
            return "own"

    Own.kind, Own.__qualname__ = kind, name
    return Own


def test_models_of_a_registered_kind_are_saved_and_loaded(tmp_path):
    made = register_model(own("test_saved", "Saved"))
    assert "test_saved" in saved_kinds()
    model = made(hedgerow.Schema((), None), 4.0)
    model.save(tmp_path / "own.hedge")
    again = hedgerow.load(tmp_path / "own.hedge")
    assert type(again) is made
    assert again == model


def test_a_class_may_be_defined_once_more():
    first, second = own("test_twice", "Twice"), own("test_twice", "Twice")
    register_model(first)
    register_model(second)
    assert model_class("test_twice") is second


def test_a_kind_is_that_of_one_class():
    register_model(own("test_taken", "Taken"))
    with pytest.raises(UsageError, match="the kind 'test_taken' is already that of tests"):
        register_model(own("test_taken", "Other"))
    with pytest.raises(UsageError, match="the kind 'tree' is already hedgerow's own"):
        register_model(own("tree"))


def test_what_is_no_complete_model_is_refused():
    @dataclass(frozen=True, eq=False)
    class Half(ClassModel):
        kind = "half"

        def __str__(self):
            return "half"

    with pytest.raises(UsageError, match="it does not define 'from_dict', 'scores', 'to_dict'"):
        register_model(Half)
    for thing in (int, "tree", None):
        with pytest.raises(UsageError, match="not a subclass of"):
            register_model(thing)
    for kind in ("", 3, None):
        with pytest.raises(UsageError, match="give it a class attribute kind"):
            register_model(own(kind))


def test_the_model_of_a_package_that_is_not_imported_says_so(tmp_path, monkeypatch):
    module = import_module("hedgerow.models.base.kinds")
    made = register_model(own("test_absent", "Absent"))
    model = made(hedgerow.Schema((), None), 4.0)
    model.save(tmp_path / "m.hedge")
    monkeypatch.delitem(module._registered, "test_absent")
    with pytest.raises(ModelError, match=r"unknown kind 'test_absent'.* import the package first"):
        hedgerow.load(tmp_path / "m.hedge")
    with pytest.raises(ModelError, match=r"a Own cannot be saved: its class is not registered"):
        model.save(tmp_path / "other.hedge")


@pytest.mark.parametrize("kind", ["os:system", "hedgerow.cli:main", "hedgerow.models.trees.tree:Tree", ["tree"], None])
def test_a_file_imports_nothing_outside_the_table(kind):
    before = set(sys.modules)
    assert model_class(kind) is None
    assert set(sys.modules) == before


def test_a_kind_is_imported_when_it_is_needed():
    script = (
        "import sys\nfrom hedgerow.models.base.kinds import model_class\n"
        "assert 'hedgerow.models.trees.tree' not in sys.modules\nmodel_class('tree')\n"
        "assert 'hedgerow.models.trees.tree' in sys.modules\nassert 'hedgerow.models.svm.machines' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
