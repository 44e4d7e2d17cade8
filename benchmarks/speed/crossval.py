"""Ten 10-fold cross-validations of naive Bayes on letter (20,000 rows), compared with scikit-learn's cross_val_predict.

Also the memory of a cross-validation compared with a single fit: the folds share one table.
"""

from __future__ import annotations

from benchmarks.speed.timing import Beside, Timed, timed
from benchmarks.speed.workloads import shared

DATA = shared() / "uci" / "letter.arff.gz"
RUNS, FOLDS = 10, 10

SETUP = f"""
import hedgerow
table = hedgerow.read({str(DATA)!r})
learner = hedgerow.NaiveBayes()
"""
# One cross-validation after the other, as the loop around cross_val_predict does; and all of them in one Results.
LOOP = f"""
results = None
for run in range({RUNS}):
    del results  # as in cross_val_predict, they are used and discarded
    results = hedgerow.cross_validate(learner, table, {FOLDS}, seed=run, threads=THREADS)
return results
"""
AT_ONCE = f"return hedgerow.cross_validate(learner, table, folds={FOLDS}, runs={RUNS}, threads=THREADS)"
FACTS = "dict(accuracy=float((result.decided == result.actual).mean()))"

PEER_SETUP = f"""
import numpy as np
import hedgerow
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import CategoricalNB, GaussianNB
table = hedgerow.read({str(DATA)!r})
X = np.column_stack([table.numbers(i) for i in table.schema.predictors])
y = np.asarray(table.target)
"""
PEER = """
result = None
for run in range({runs}):
    del result
    folds = StratifiedKFold({folds}, shuffle=True, random_state=run)
    result = cross_val_predict({learner}, X, y, cv=folds, method={method!r})
return result
"""
PEERS = {"GaussianNB": "GaussianNB()", "CategoricalNB": "CategoricalNB(min_categories=16)"}
PEER_FACTS = {
    "predict_proba": "dict(accuracy=float((result.argmax(axis=1) == y).mean()))",
    "predict": "dict(accuracy=float((result == y).mean()))",
}


def main() -> None:
    """Print times, then memory."""
    if not DATA.exists():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    beside = Beside(facts=("accuracy",))
    for threads in (1, 2):
        how = {"setup": SETUP, "facts": FACTS, "repeats": 5}
        beside.measure("hedgerow, ten times 10 folds", threads, ours=True, body=LOOP, **how)
    beside.measure("hedgerow, 10 runs at once", 1, body=AT_ONCE, **how)
    for name, learner in PEERS.items():
        for method, facts in PEER_FACTS.items():
            body = PEER.format(runs=RUNS, folds=FOLDS, learner=learner, method=method)
            beside.measure(f"{name}, {method}", 1, module="sklearn", setup=PEER_SETUP, body=body, facts=facts)
    beside.finish()
    memory()


def memory() -> None:
    """Print peak memory of a fit, of a fit with its predictions, and of cross-validations."""
    works = {
        "fit": "return learner.train(table)",
        "fit and predict all rows": "return learner.train(table).distribution(table)",
        "ten times 10 folds": LOOP,
        "10 runs at once": AT_ONCE,
    }
    found: dict[str, Timed] = {name: timed(SETUP, body, repeats=1, threads=1) for name, body in works.items()}
    fit = found["fit"].peak
    print("peak memory including imports and data, relative to that of a single fit")
    for name, one in found.items():
        print(f"{name:40} {one.peak:8.1f} MB {one.peak / fit:6.2f} x")
    kept = RUNS * 20_000 * 26 * 8 / 2**20
    without = (found["10 runs at once"].peak - kept) / fit
    print(f"10 runs together return {kept:.0f} MB of probabilities, one for each row, run and class;")
    print(f"without these they need {without:.2f} x the memory of a single fit")
