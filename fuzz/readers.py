"""Every reader on damaged files: an error message, or a valid table that is the same when read in batches."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzz.odd import changed_bytes, changed_text, shorter
from fuzz.target import Target
from hedgerow.data.read import open_source
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table, Text

CSV = "id,age,job,note\n1,20,yes,hello there\n2,31.5,no,\"a, b\"\n3,?,yes,\n4,1e5,no,'x'\n"
ARFF = (
    "% a comment\n@relation 'a b'\n@attribute x numeric\n@attribute 's t' {a, 'b c', \"d\"}\n"
    "@attribute d date yyyy-MM-dd\n@attribute w string\n@attribute bag relational\n"
    "@attribute u numeric\n@attribute v {p,q}\n@end bag\n@data\n"
    "1,a,2020-01-31,'some text','1,p\\n2,q'\n?, 'b c', ?, ?, '3,?', {2}\n"
)
SEEDS: dict[str, dict[str, str]] = {
    "csv": {"x.csv": CSV},
    "tsv": {"x.tsv": CSV.replace(",", "\t")},
    "arff": {"x.arff": ARFF},
    "c45": {
        "x.names": "yes, no. | classes\n\nage: continuous.\njob: a, b c, d.\nk: discrete 5.\nid: ignore.\n",
        "x.data": "20, a, q, 1, yes\n?, b c, r, 2, no.\n31.5, d, q, 3, yes\n",
    },
    "svmlight": {"x.svm": "1 qid:3 1:0.5 3:1e3 # note\n-1 2:1 7:-0.25\n+1 1:2\n"},
    "vw": {"x.vw": "1 2.0 'tag|a:2 red price:0.5 |b x y:-1\n-1 | red blue\n0.5 0.1|a green\n|a price:3\n"},
    "jsonl": {"x.jsonl": '{"a": 1, "b": "x", "c": null}\n{"a": 2.5, "b": "y", "d": [1, 2]}\n{"b": "x", "a": -1e300}\n'},
    "basket": {"x.basket": "bread milk\nbread butter beer\n\nmilk 'x y' butter\n"},
    "lines": {"x.txt": "spam\tbuy now\nham\tsee you\nspam\twin a prize\n"},
    "mbox": {
        "x.mbox": (
            "From a@b Mon Jan  1 00:00:00 2024\nFrom: A <a@b>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nContent-Type: "
            'multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/html\n\n<p>hi&nbsp;<b>you</b>\n--x\n'
            "Content-Transfer-Encoding: base64\n\nSGVsbG8=\n--x--\n\nFrom c@d Mon Jan  1 00:00:00 2024\n"
            "Subject: two\n\n> quoted\nbody\n-- \nsig\n"
        )
    },
    "folder": {"d/spam/1.txt": "Subject: x\n\nbuy", "d/spam/2.txt": "prize", "d/ham/1.txt": "hi", "d/ham/x": "you"},
}  # fmt: skip


def targets() -> Iterator[Target]:
    """Yield a target for every format."""
    for name, files in SEEDS.items():
        yield Target("readers", name, _maker(name, files), check, smaller)
    for name in ("parquet", "feather"):
        yield Target("readers", name, _maker(name, {f"x.{name}": _arrow_file(name).decode("latin-1")}), check, smaller)


def check(case: Any) -> None:
    """Raise unless a file gives a valid table, and batches of two rows give the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in case["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("latin-1"))
        first = next(iter(case["files"]))
        start = first.split(os.sep)[0] if os.sep in first else first
        options = {"format": case["format"]} if case["format"] else {}
        source = open_source(Path(folder, start), **options)
        table = source.read()
        check_table(table)
        batches = list(source.batches(rows=2))
        assert sum(map(len, batches)) == table.n_rows, "batches hold another number of rows"
        for batch in batches:
            check_table(batch)
            assert batch.schema.names == table.schema.names, "a batch has other columns"


def check_table(table: Table) -> None:
    """Raise unless codes are within the levels, no number is infinite, and all words can be written."""
    for position, column in enumerate(table.schema.columns):
        column.name.encode()
        "".join(column.levels).encode()
        values = table.values(position)
        assert len(values) == table.n_rows
        if column.kind is Kind.NUMERIC:
            assert not np.isinf(table.numbers(position)).any(), "a number is infinite"
        elif column.kind is Kind.NOMINAL:
            codes = table.codes(position)
            assert not len(codes) or (codes.min() >= -1 and codes.max() < len(column.levels)), "a code has no level"
            assert len(set(column.levels)) == len(column.levels), "a level occurs twice"
        elif isinstance(values, Text):
            for text in values:
                assert text is None or isinstance(text, str)


def smaller(case: Any) -> Iterator[Any]:
    """Yield the case with shorter files."""
    for name, content in case["files"].items():
        for short in shorter(content):
            yield {**case, "files": {**case["files"], name: short}}


def _maker(name: str, seed: dict[str, str]) -> Any:
    format_name = {"lines": "lines", "folder": "", "tsv": "csv"}.get(name, name)

    def make(random: Random) -> Any:
        files = {path: text.encode("utf-8") if name not in ("parquet", "feather") else text.encode("latin-1")
                 for path, text in seed.items()}  # fmt: skip
        for path in random.sample(list(files), random.randint(1, len(files))):
            data = files[path]
            if name not in ("parquet", "feather") and random.random() < 0.7:
                others = [piece for text in SEEDS.values() for one in text.values() for piece in one.split("\n")]
                data = changed_text(random, data.decode(), others).encode("utf-8", "replace")
            if random.random() < 0.5:
                data = changed_bytes(random, data)
            if random.random() < 0.05:
                data = data.decode("utf-8", "replace").encode("utf-16")
            files[path] = data
        told = format_name if random.random() < 0.8 else ""
        return {"format": told, "files": {path: data.decode("latin-1") for path, data in files.items()}}

    return make


def _arrow_file(name: str) -> bytes:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table({"a": [1.5, None, 3.0], "b": ["x", "y", None], "c": [[1], [], [2, 3]], "y": ["p", "q", "p"]})
    buffer = io.BytesIO()
    if name == "parquet":
        pyarrow.parquet.write_table(table, buffer)
    else:
        pyarrow.feather.write_feather(table, buffer)
    return buffer.getvalue()
