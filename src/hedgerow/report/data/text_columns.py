"""The part of a report on a text column: lengths, empty texts, and repeated texts."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.delimited import encode_text
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Rows, Table, Text
from hedgerow.data.text.terms import terms_of
from hedgerow.data.text.tokens import Tokens
from hedgerow.layout.numbers import format_count
from hedgerow.report.schema import ColumnReport, KindReport


def text_report(text: Text) -> KindReport:
    """Return the statistics of a text column; missing texts are counted only as missing."""
    present = ~text.missing
    sizes, words = np.diff(text.offsets)[present], count_words(text)[present]
    codes = encode_text(text, 0).codes
    distinct = int(codes.max(initial=-1)) + 1
    return {
        "distinct": distinct,
        "repeated": int(np.count_nonzero(present)) - distinct,
        "empty": int(np.count_nonzero(words == 0)),
        "mean_words": float(words.mean()) if len(words) else float("nan"),
        "median_words": float(np.median(words)) if len(words) else float("nan"),
        "max_words": int(words.max(initial=0)),
        "mean_bytes": float(sizes.mean()) if len(sizes) else float("nan"),
        "max_bytes": int(sizes.max(initial=0)),
    }


def count_words(text: Text) -> Rows:
    """Return the number of words of every text, including words of one letter."""
    terms = terms_of(text, Tokens(min_length=1))
    ends = np.concatenate([[0], np.cumsum(terms.counts, dtype=np.int64)])
    return np.diff(ends[terms.row_starts])


def text_notes(table: Table, columns: list[ColumnReport]) -> list[str]:
    """Return notes on empty and repeated texts; `columns` are reports."""
    notes = []
    for position, column in enumerate(columns):
        if column["kind"] != str(Kind.TEXT) or column["role"] != "predictor":
            continue
        name = column["name"]
        if column["empty"]:
            texts = "1 text has" if column["empty"] == 1 else f"{format_count(column['empty'])} texts have"
            notes.append(f"column {name!r}: {texts} no words")
        if column["repeated"]:
            notes.append(f"column {name!r}: {_repeats(table, position, column['repeated'])}")
    return notes


def _repeats(table: Table, position: int, repeated: int) -> str:
    rows = "1 row repeats" if repeated == 1 else f"{format_count(repeated)} rows repeat"
    told = f"{rows} the text of an earlier row, so test texts may also occur in the training data"
    text, schema = table.values(position), table.schema
    if schema.target is None or schema.target_column.kind is not Kind.NOMINAL or not isinstance(text, Text):
        return told
    several = _count_in_several_classes(encode_text(text, 0).codes, table.codes(schema.index(schema.target)))
    texts = "1 text is" if several == 1 else f"{format_count(several)} texts are"
    return f"{told}; {texts} in several classes" if several else told


def _count_in_several_classes(codes: Codes, classes: Codes) -> int:
    """Return the number of distinct texts that occur in more than one class."""
    known = (codes >= 0) & (classes >= 0)
    pairs = np.unique(np.column_stack([codes[known], classes[known]]), axis=0)
    return int(np.count_nonzero(np.bincount(pairs[:, 0]) > 1)) if len(pairs) else 0
