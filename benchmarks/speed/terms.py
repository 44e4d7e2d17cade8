"""Texts to term counts and weights, compared with scikit-learn's vectorizers with the same output."""

from __future__ import annotations

from benchmarks.speed.text_corpora import Lines, Task, corpora

# Both return a SciPy matrix, so both import SciPy beforehand.
OURS = """
import scipy.sparse
from hedgerow import TextTerms
from hedgerow.data.table.table import Text
from hedgerow.data.text.terms import terms_of
from hedgerow.data.text.tokens import Tokens
column = Text.of(texts)
"""
COLUMN = OURS + "del texts\n"
THEIRS = "from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer\n"
TF_IDF = "TextTerms(idf='smooth', norm='l2').fit_transform"
HASHED = "TextTerms(bits=20, norm='l2').fit_transform"


def of_column(name: str, ours: str, theirs: str, few: str = "") -> Task:
    """Return a task on a text column of a table; `few` leaves some documents out."""
    return Task(name, f"return {ours}", f"return {theirs}.fit_transform(texts)", few + COLUMN, few + THEIRS)


def of_strings(name: str, ours: str, theirs: str) -> Task:
    """Return a task on Python strings."""
    return Task(name, f"return {ours}", f"return {theirs}.fit_transform(texts)", OURS + "del column\n", THEIRS)


TASKS = (
    of_column("words", "terms_of(column)", "CountVectorizer()"),
    of_column("words and pairs", "terms_of(column, Tokens(ngrams=(1, 2)))", "CountVectorizer(ngram_range=(1, 2))"),
    of_column("tf-idf", f"{TF_IDF}(column)", "TfidfVectorizer()"),
    of_column("hashed words, with names", f"{HASHED}(column)", "HashingVectorizer()"),
    of_strings("words of Python strings", "terms_of(Text.of(texts))", "CountVectorizer()"),
    of_strings("tf-idf of Python strings", f"{TF_IDF}(texts)", "TfidfVectorizer()"),
    of_strings("hashed words of Python strings", f"{HASHED}(texts)", "HashingVectorizer()"),
)
CHARACTERS = tuple(
    of_column(
        f"a quarter: 3 to 5 characters ({theirs})",
        f"terms_of(column, Tokens({ours!r}, (3, 5)))",
        f"CountVectorizer(analyzer={theirs!r}, ngram_range=(3, 5))",
        "texts = texts[::4]\n",
    )
    for ours, theirs in (("char", "char"), ("char_in_words", "char_wb"))
)


def main() -> None:
    """Print times, memory and speedups."""
    for name, made in corpora().items():
        lines = Lines(name)
        for task in TASKS:
            lines.add(made, task)
        for task in CHARACTERS if name.startswith("20") else ():
            lines.add(made, task, repeats=3)


if __name__ == "__main__":
    main()
