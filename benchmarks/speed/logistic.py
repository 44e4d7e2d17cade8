"""Logistic regression compared with scikit-learn: two classes, five classes, and 20 Newsgroups.

Every program runs with all threads of the machine and with one; the final cost of each is printed.
"""

from __future__ import annotations

from benchmarks.speed.timing import Timed, table, timed
from benchmarks.speed.workloads import shared

DATA = """
import numpy as np
random = np.random.default_rng(1)
X = random.normal(size=({rows}, 50))
scores = X @ random.normal(0, 0.3, size=(50, {classes}))
y = np.argmax(scores + random.gumbel(size=scores.shape), axis=1).astype(np.int32)
del scores
def objective(slopes, intercepts):
    # minus the log-likelihood of coefficients, one row per class
    functions = X @ slopes.T + intercepts
    top = functions.max(axis=1)
    norm = np.log(np.exp(functions - top[:, None]).sum(axis=1)) + top
    return float((norm - functions[np.arange(len(y)), y]).sum())
"""
# scikit-learn gets a matrix, hedgerow a Table of the same columns.
TABLE = """
import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
target = Column("y", Kind.NOMINAL, tuple("abcde"[:y.max() + 1]))
columns = tuple(Column(f"c{i}", Kind.NUMERIC) for i in range(50)) + (target,)
data = hedgerow.Table(Schema(columns, "y"), tuple(np.ascontiguousarray(c) for c in X.T) + (y,), len(y))
"""
PEER = """
from sklearn.linear_model import LogisticRegression
def full(model):
    if len(model.classes_) > 2:
        return model.coef_, model.intercept_
    return np.vstack([0 * model.coef_, model.coef_]), np.append(0.0, model.intercept_)
"""
OWN = "np.vstack([0 * result.slopes[:1], result.slopes]), np.append(0.0, result.intercepts)"


# 20 Newsgroups by date: both start from the strings. The cost of each is that of its own tf-idf.
NEWS = """
import numpy as np
from benchmarks.accuracy.texts import news_by_date
(part,) = news_by_date()
texts, groups = list(part.train), part.classes
def right(predicted):
    return float((predicted == part.actual).mean())
"""
NEWS_PEER = """
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
def cost(vectors, model):
    chances = model.predict_log_proba(vectors.transform(texts))
    own = np.searchsorted(model.classes_, groups)
    return float(-chances[np.arange(len(own)), own].sum() + np.square(model.coef_).sum() / 2)
def outcome(result):
    vectors, model = result
    coupled = isinstance(model, LogisticRegression)
    share = right(model.predict(vectors.transform(part.test)))
    return dict(objective=cost(vectors, model) if coupled else None, right=share)
"""


def contenders(rows: int, classes: int, repeats: int = 3) -> list[tuple[str, Timed]]:
    """Return the times and objectives."""
    data = DATA.replace("{rows}", str(rows)).replace("{classes}", str(classes))
    fit = "return LogisticRegression(C=np.inf, max_iter=1000, tol={tol}).fit(X, y)"
    facts = "dict(objective=objective(*full(result)))"
    own = "dict(objective=objective(" + OWN + "))"
    train = "return hedgerow.Logistic().train(data)"
    found = []
    for threads, name in ((0, ""), (1, ", one thread")):
        for tol in (1e-4, 1e-6):
            peer = timed(data + PEER, fit.format(tol=tol), repeats, threads, facts)
            found.append((f"scikit-learn lbfgs, tol {tol:.0e}{name}", peer))
        found.append((f"hedgerow{name}", timed(data + TABLE, train, repeats, threads, own)))
    return found


def readers(repeats: int = 1) -> list[tuple[str, Timed]]:
    """Return the times to train on 20 Newsgroups from strings, the objectives and the accuracies."""
    fit = "vectors = TfidfVectorizer()\nreturn vectors, {model}.fit(vectors.fit_transform(texts), groups)"
    lbfgs, saga = "LogisticRegression(max_iter=1000{more})", "LogisticRegression(solver='saga', max_iter=100)"
    models = {
        "tf-idf + lbfgs, tol 1e-4": lbfgs.format(more=""),
        "tf-idf + lbfgs, tol 1e-6": lbfgs.format(more=", tol=1e-6"),
        "tf-idf + saga": saga,
        "tf-idf + liblinear, one a class": "OneVsRestClassifier(LogisticRegression(solver='liblinear'))",
    }
    found = [
        (name, timed(NEWS + NEWS_PEER, fit.format(model=model), repeats, 1, "outcome(result)"))
        for name, model in models.items()
    ]
    own = (
        "dict(objective=float(np.square(result.model_.slopes).sum() / 2) - result.model_.figures.log_likelihood, "
        "right=right(result.predict(list(part.test))))"
    )
    train = "return hedgerow.Logistic(tf='count', strength=1).fit(texts, groups)"
    for threads, name in ((0, ""), (1, ", one thread")):
        found.append((f"hedgerow{name}", timed(NEWS + "import hedgerow\n", train, repeats, threads, own)))
    return found


def main() -> None:
    """Print times, objectives and speedups."""
    for rows, classes, goal in ((1_000_000, 2, 2), (100_000, 5, 3)):
        print(f"\n{rows:,} rows, 50 columns, {classes} classes (goal: {goal} x as fast)")
        found = contenders(rows, classes)
        for name in ("", ", one thread"):
            own = [one for one in found if one[0].endswith("one thread") == bool(name)]
            table(own, against=[title for title, _ in own[:2]], ours=f"hedgerow{name}")
        for name, one in found:
            print(f"{name:42} minus log-likelihood {one.facts['objective']:.6f}")
        print(f"memory beyond the data: {dict(found)['hedgerow'].grown:.0f} MB; standard errors included")
    if not (shared() / "text").is_dir():
        print("20 Newsgroups: skipped, data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    print("\n20 Newsgroups by date, 11,314 texts, 20 classes, from strings to model; peers with one thread")
    found = readers()
    table(found, against=[name for name, _ in found[:-2]], ours="hedgerow, one thread")
    for name, one in found:
        cost = one.facts["objective"]
        print(f"{name:34} right {one.facts['right']:.4f}" + ("" if cost is None else f", cost {cost:.4f}"))
