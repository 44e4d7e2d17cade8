"""Online learning on texts of public corpora."""

import gzip
import json

import numpy as np

from hedgerow import OnlineLinear
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text


def test_20_newsgroups_by_date(shared_data):
    """The rows stand in the order of their class, so that this also tests the order in which they are learned."""
    with gzip.open(shared_data("text/20newsgroups.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    groups = tuple(sorted({row["label"] for row in rows}))
    code = {group: number for number, group in enumerate(groups)}
    schema = Schema((Column("text", Kind.TEXT), Column("group", Kind.NOMINAL, groups)), "group")

    def part(split):
        own = [row for row in rows if row["split"] == split]
        codes = np.array([code[row["label"]] for row in own], dtype=np.int32)
        return Table(schema, (Text.of([row["text"] for row in own]), codes), len(own))

    model, test = OnlineLinear(normalised=False).train(part("train")), part("test")
    right = float((model.decide(test) == test.codes(1)).mean())
    assert right >= 0.85
    assert "hockey" in str(model)
