"""Texts to trained models and to predictions, compared with scikit-learn's pipelines of vectorizer and classifier."""

from __future__ import annotations

from benchmarks.speed.text_corpora import Lines, Task, corpora

# Every second text is used for training, the others are predicted.
HALVES = "old, new, known = texts[::2], texts[1::2], classes[::2]\ndel texts, classes\n"
OURS = """
import numpy as np
from hedgerow import NaiveBayes, Rocchio
"""
THEIRS = """
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
"""
# NearestCentroid, which corresponds to Rocchio, makes all texts dense (10 GB for half of the Zipf corpus), so
# Rocchio is compared with naive Bayes on the same weights.
MODELS = (
    ("multinomial", "NaiveBayes()", "make_pipeline(CountVectorizer(), MultinomialNB())"),
    (
        "complement, binary",
        "NaiveBayes(text_model='complement', tf='binary')",
        "make_pipeline(CountVectorizer(binary=True), ComplementNB())",
    ),
    (
        "complement, tf-idf",
        "NaiveBayes(text_model='complement', idf='smooth', norm='l2')",
        "make_pipeline(TfidfVectorizer(), ComplementNB())",
    ),
    (
        "Rocchio",
        "Rocchio()",
        "make_pipeline(TfidfVectorizer(sublinear_tf=True, smooth_idf=False), MultinomialNB())",
    ),
)


def tasks(name: str, ours: str, theirs: str) -> list[Task]:
    """Return the tasks of training and predicting with one model."""
    before = [HALVES + imports for imports in (OURS, THEIRS)]
    fitted = [
        f"{prepared}model = {model}.fit(old, known)\n" for prepared, model in zip(before, (ours, theirs), strict=True)
    ]
    return [
        Task(f"{name}: train", f"return {ours}.fit(old, known)", f"return {theirs}.fit(old, known)", *before),
        Task(f"{name}: predict", "return model.predict(new)", "return model.predict(new)", *fitted),
    ]


def main() -> None:
    """Print times, memory and speedups."""
    for corpus, made in corpora().items():
        lines = Lines(f"{corpus}, half of them learned from and half predicted, Python strings")
        for name, ours, theirs in MODELS:
            for task in tasks(name, ours, theirs):
                lines.add(made, task)


if __name__ == "__main__":
    main()
