"""Texts to counted and weighed terms, beside scikit-learn's vectorizers with the same output."""

from __future__ import annotations

from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import shared

NEWS = shared() / "text" / "20newsgroups.jsonl.gz"

# All documents, as scikit-learn takes them and as a table holds them.
READ_NEWS = f"""
import gzip, json
with gzip.open({str(NEWS)!r}, "rt", encoding="utf-8") as file:
    texts = [json.loads(line)["text"] for line in file]
"""
READ_FEW = READ_NEWS + "texts = texts[::4]\n"
MAKE_ZIPF = """
import numpy as np
random = np.random.default_rng(7)
terms = ["".join(map(chr, random.integers(97, 123, random.integers(2, 12)))) for _ in range(50_000)]
picks = (random.zipf(1.1, (20_000, 250)) - 1) % len(terms)
texts = [" ".join(terms[k] for k in row) for row in picks]
"""
OURS = """
from hedgerow import TextTerms
from hedgerow.data.table import Text
from hedgerow.data.terms import terms_of
from hedgerow.data.tokens import Tokens
column = Text.of(texts)
"""
THEIRS = "from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer\n"

# What is done, here and there; the last says whether a part of the documents must do.
TASKS = (
    ("words", "terms_of(column)", "CountVectorizer()", False),
    ("words and pairs", "terms_of(column, Tokens(ngrams=(1, 2)))", "CountVectorizer(ngram_range=(1, 2))", False),
    ("tf-idf", "TextTerms(idf='smooth', norm='l2').fit_transform(column)", "TfidfVectorizer()", False),
    ("hashed words", "TextTerms(bits=20, norm='l2').fit_transform(column)", "HashingVectorizer()", False),
    (
        "3 to 5 characters",
        "terms_of(column, Tokens('char', (3, 5)))",
        "CountVectorizer(analyzer='char', ngram_range=(3, 5))",
        True,
    ),
    (
        "3 to 5 characters in words",
        "terms_of(column, Tokens('char_in_words', (3, 5)))",
        "CountVectorizer(analyzer='char_wb', ngram_range=(3, 5))",
        True,
    ),
)


def beside(name: str, texts: str, ours: str, theirs: str) -> None:
    """Print one task on one corpus."""
    print(f"\n{name}")
    lines = Beside(facts=())
    for threads in (1, 2):
        lines.measure("hedgerow, a text column", threads, ours=True, setup=texts + OURS, body=f"return {ours}")
    strings = ours.replace("column", "Text.of(texts)")
    lines.measure("hedgerow, Python strings", 1, setup=texts + OURS, body=f"return {strings}")
    body = f"return {theirs}.fit_transform(texts)"
    peer = theirs.split("(", maxsplit=1)[0]
    lines.measure(peer, 1, module="sklearn", setup=texts + THEIRS, body=body, budget=10.0)
    lines.finish()


def main() -> None:
    """Print times and ratios."""
    if NEWS.is_file():
        for name, ours, theirs, few in TASKS:
            documents = "4,712 documents" if few else "18,846 documents"
            beside(f"20 Newsgroups, {documents}: {name}", READ_FEW if few else READ_NEWS, ours, theirs)
    else:
        print(f"20 Newsgroups skipped: there is no {NEWS.name}")
    for name, ours, theirs, _ in TASKS[:2]:
        beside(f"Zipf, 20,000 x 250 words: {name}", MAKE_ZIPF, ours, theirs)


if __name__ == "__main__":
    main()
