"""Text classifiers compared with scikit-learn's on the same texts: accuracy, and the number of different predictions.

python -m benchmarks texts --sets sms movies
20 Newsgroups (trained and tested on all; by date), SMS spam and movie reviews (10-fold cross-validation, the movies
with their authors' folds) and Reuters' corn and grain, without tuning.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import absent
from benchmarks.speed.workloads import shared
from hedgerow import KNN, SVM, Logistic, NaiveBayes, OnlineLinear, Rocchio, read
from hedgerow.evaluate import splits

Words = NDArray[np.object_]


@dataclass(frozen=True)
class Part:
    """Training texts and test texts."""

    train: Words
    classes: Words
    test: Words
    actual: Words


def ours() -> dict[str, Any]:
    """Return the learners by name."""
    tf_idf = {"tf": "log", "idf": "smooth", "norm": "l2"}
    return {
        "naive Bayes, multinomial": NaiveBayes(),
        "naive Bayes, Bernoulli": NaiveBayes(text_model="bernoulli"),
        "naive Bayes, complement": NaiveBayes(text_model="complement"),
        "complement, binary": NaiveBayes(text_model="complement", tf="binary"),
        "complement, log tf-idf": NaiveBayes(text_model="complement", **tf_idf),
        "weight-normalised complement": NaiveBayes(text_model="weighted_complement"),
        "Rocchio": Rocchio(),
        "5 nearest neighbours": KNN(**tf_idf),
        "Logistic": Logistic(),
        "Logistic, strength 0.1": Logistic(strength=0.1, **tf_idf),
        "SVM": SVM(),
        "OnlineLinear": OnlineLinear(),
        "OnlineLinear, hinge": OnlineLinear(loss="hinge"),
    }


def theirs() -> dict[str, Any]:
    """Return the corresponding scikit-learn classifiers."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    log_tf_idf = TfidfVectorizer(sublinear_tf=True)
    return {
        "naive Bayes, multinomial": make_pipeline(CountVectorizer(), MultinomialNB()),
        "naive Bayes, Bernoulli": make_pipeline(CountVectorizer(), BernoulliNB()),
        "naive Bayes, complement": make_pipeline(CountVectorizer(), ComplementNB()),
        "complement, binary": make_pipeline(CountVectorizer(binary=True), ComplementNB()),
        "complement, log tf-idf": make_pipeline(log_tf_idf, ComplementNB()),
        "weight-normalised complement": make_pipeline(CountVectorizer(), ComplementNB(norm=True)),
        "5 nearest neighbours": make_pipeline(log_tf_idf, KNeighborsClassifier(metric="cosine", algorithm="brute")),
        "Logistic, strength 0.1": make_pipeline(log_tf_idf, LogisticRegression(C=10, max_iter=1000)),
        "OnlineLinear": make_pipeline(log_tf_idf, SGDClassifier(loss="log_loss", alpha=1e-5, random_state=1)),
        "OnlineLinear, hinge": make_pipeline(log_tf_idf, SGDClassifier(random_state=1)),
    }


def news() -> tuple[Words, Words, NDArray[np.bool_]]:
    """Return the articles of 20 Newsgroups, their groups, and which are for training by date."""
    rows = json_lines("20newsgroups.jsonl.gz")
    return column(rows, "text"), column(rows, "label"), np.array([row["split"] == "train" for row in rows])


def news_all() -> Iterable[Part]:
    """Yield all articles for both training and test."""
    texts, groups, _ = news()
    yield Part(texts, groups, texts, groups)


def news_by_date() -> Iterable[Part]:
    """Yield the older articles for training and the newer ones for the test."""
    texts, groups, early = news()
    yield Part(texts[early], groups[early], texts[~early], groups[~early])


def sms() -> Iterable[Part]:
    """Yield the folds of the messages."""
    with gzip.open(shared() / "text" / "sms_spam.tsv.gz", "rt", encoding="utf-8") as file:
        label, text = zip(*(line.rstrip("\n").split("\t", 1) for line in file), strict=True)
    classes, texts = np.array(label, dtype=object), np.array(text, dtype=object)
    codes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
    for split in splits.folds(codes, 10, 1):
        yield Part(texts[split.train], classes[split.train], texts[split.test], classes[split.test])


def movies() -> Iterable[Part]:
    """Yield the folds of the reviews, as their authors drew them."""
    rows = json_lines("movie_reviews.jsonl.gz")
    texts, classes, folds = column(rows, "text"), column(rows, "label"), np.array([row["fold"] for row in rows])
    for fold in np.unique(folds):
        test = folds == fold
        yield Part(texts[~test], classes[~test], texts[test], classes[test])


def reuters(topic: str) -> Callable[[], Iterable[Part]]:
    """Return the path of the articles with and without a topic."""

    def parts() -> Iterable[Part]:
        both = [read(shared() / "textbook" / f"Reuters{topic}-{part}.arff.gz") for part in ("train", "test")]
        found = []
        for table in both:
            target = table.schema.target_column
            codes = table.codes(table.schema.index(target.name))
            texts = table[next(name for name in table.schema.names if name != target.name)]
            found += [np.array([str(text) for text in texts], dtype=object), np.array(target.levels, object)[codes]]
        yield Part(*found)

    return parts


SETS: dict[str, Callable[[], Iterable[Part]]] = {
    "news-all": news_all,
    "news-by-date": news_by_date,
    "sms": sms,
    "movies": movies,
    "corn": reuters("Corn"),
    "grain": reuters("Grain"),
}


def json_lines(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    with gzip.open(shared() / "text" / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def column(rows: Sequence[dict[str, Any]], name: str) -> Words:
    """Return one field of all rows."""
    return np.array([row[name] for row in rows], dtype=object)


def said(learner: Any, parts: Iterable[Part]) -> tuple[Words, float]:
    """Return the predictions for all parts, and the seconds for training and prediction."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [learner.fit(list(part.train), part.classes).predict(list(part.test)) for part in parts]
    return np.concatenate(found).astype(object), time.perf_counter() - start


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks texts", description=__doc__.split("\n")[0])
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS), help="data sets to run")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print the accuracy for each learner and data set."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "text").is_dir():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    peers = {} if chosen.no_peers or absent("sklearn") else theirs()
    for name in chosen.sets:
        parts = list(SETS[name]())
        actual = np.concatenate([part.actual for part in parts])
        print(f"\n{name}: {len(actual)} texts tested\n{'':30} {'right':>8} {'sklearn':>8} {'differ':>7} {'s':>6}")
        for learner, made in ours().items():
            mine, seconds = said(made, parts)
            line = f"{learner:30} {(mine == actual).mean():8.2%}"
            if learner in peers:
                their, _ = said(peers[learner], parts)
                line += f" {(their == actual).mean():8.2%} {(mine != their).sum():7}"
            else:
                line += f" {'-':>8} {'-':>7}"
            print(f"{line} {seconds:6.1f}", flush=True)
