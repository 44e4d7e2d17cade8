"""Texts to counted terms, beside scikit-learn's CountVectorizer with the same output."""

from __future__ import annotations

from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import shared

NEWS = shared() / "text" / "20newsgroups.jsonl.gz"

# All documents, as CountVectorizer takes them and as a table holds them.
READ_NEWS = f"""
import gzip, json
with gzip.open({str(NEWS)!r}, "rt", encoding="utf-8") as file:
    texts = [json.loads(line)["text"] for line in file]
"""
MAKE_ZIPF = """
import numpy as np
random = np.random.default_rng(7)
terms = ["".join(map(chr, random.integers(97, 123, random.integers(2, 12)))) for _ in range(50_000)]
picks = (random.zipf(1.1, (20_000, 250)) - 1) % len(terms)
texts = [" ".join(terms[k] for k in row) for row in picks]
"""
OURS = """
from hedgerow.data.table import Text
from hedgerow.data.terms import terms_of
column = Text.of(texts)
"""
THEIRS = "from sklearn.feature_extraction.text import CountVectorizer"


def beside(name: str, texts: str) -> None:
    """Print one corpus."""
    print(f"\n{name}")
    lines = Beside(facts=())
    for threads in (1, 2):
        lines.measure("hedgerow, a text column", threads, ours=True, setup=texts + OURS, body="return terms_of(column)")
    lines.measure("hedgerow, Python strings", 1, setup=texts + OURS, body="return terms_of(Text.of(texts))")
    body = "return CountVectorizer().fit_transform(texts)"
    lines.measure("CountVectorizer", 1, module="sklearn", setup=texts + THEIRS, body=body)
    lines.finish()


def main() -> None:
    """Print times and ratios."""
    if NEWS.is_file():
        beside("20 Newsgroups, 18,846 documents", READ_NEWS)
    else:
        print(f"20 Newsgroups skipped: there is no {NEWS.name}")
    beside("Zipf, 20,000 x 250 words", MAKE_ZIPF)


if __name__ == "__main__":
    main()
