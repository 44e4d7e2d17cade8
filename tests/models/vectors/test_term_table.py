"""Files of term tables: inconsistent content gives an error message."""

import numpy as np
import pytest

from hedgerow import TextTerms
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import ModelError
from hedgerow.models.base.model import About
from hedgerow.models.vectors.term_table import TermTable

TEXTS = Text.of(["Free money", "money", None])
TABLE = Table(Schema((Column("message", Kind.TEXT), Column("size", Kind.NUMERIC))), (TEXTS, np.zeros(3)), 3)


def parts_of(**settings):
    return TextTerms(**settings).train(TABLE).to_dict()


def rebuilt(parts, schema=TABLE.schema):
    return TermTable.from_dict(parts, schema, About())


@pytest.mark.parametrize("settings", [{}, {"bits": 3}, {"unit": "char", "ngram_max": 3, "idf": "plain"}], ids=str)
def test_parts_come_back(settings):
    model = TextTerms(**settings).train(TABLE)
    again = rebuilt(model.to_dict())
    assert again == model
    assert again.size == model.size
    assert again.transform(TABLE).schema == model.transform(TABLE).schema


@pytest.mark.parametrize(
    ("part", "wrong", "told"),
    [
        ("rows", np.array([1.0, 9.0]), "impossible number of texts"),
        ("rows", np.array([1.0, -1.0]), "'rows' holds a negative weight"),
        ("rows", np.array([1.0, np.nan]), "'rows' holds a number that is not finite"),
        ("rows", np.array([1.0, 1.0, 1.0]), "'rows'"),
        ("totals", np.array([1, 2]), "'totals'"),
        ("totals", np.array([-1.0, 2.0]), "'totals' holds a negative weight"),
        ("n_rows", 1.5, "impossible"),
        ("n_rows", np.inf, "impossible"),
        ("n_rows", 2, "impossible"),
        ("n_rows", True, "impossible"),
        ("ends", np.array([4, 99]), "'ends'"),
        ("ends", np.array([5, 4]), "'ends'"),
        ("letters", np.frombuffer(b"moneyfree"[:9], dtype=np.uint8), "ascend"),
        ("weighting", ["count", "none"], "three words"),
        ("weighting", ["count", "none", "l3"], "norm="),
        ("tokens", {}, "incomplete"),
        ("tokens", None, "incomplete"),
    ],
)
def test_wrong_parts_are_refused(part, wrong, told):
    parts = parts_of()
    assert part in parts["spaces"][0]
    if part == "letters":
        parts["spaces"][0]["ends"] = np.array([5, 9])
    parts["spaces"][0][part] = wrong
    with pytest.raises(ModelError, match=told):
        rebuilt(parts)


def test_spaces_must_fit_the_columns():
    parts = parts_of()
    for wrong in ({}, {"spaces": None}, {"spaces": parts["spaces"][:1]}, {"spaces": [None, parts["spaces"][0]]}):
        with pytest.raises(ModelError):
            rebuilt(wrong)


def test_a_hashed_space_has_a_count_for_every_column():
    parts = parts_of(bits=3)
    parts["spaces"][0]["tokens"]["bits"] = 4
    with pytest.raises(ModelError, match="'rows'"):
        rebuilt(parts)
