"""Naive Bayes from a CSV file of 2 million rows to a model, compared with the fastest ways in scikit-learn."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.speed.timing import table, timed
from benchmarks.speed.workloads import write_t1_csv

ROWS = 2_000_000

# Two ways in scikit-learn: bins and ordinal codes with CategoricalNB, or one-hot codes with GaussianNB. Both start
# with the fastest reader (pandas or polars; both are timed).
READ = {
    "pandas": "import pandas as pd\nread = lambda: pd.read_csv(PATH)",
    "polars": "import polars as pl\nread = lambda: pl.read_csv(PATH).to_pandas()",
}
BINNED = """
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder
def fit(frame):
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    words = [c for c in X if X[c].dtype.kind not in 'iuf']
    numbers = [c for c in X if X[c].dtype.kind in 'iuf']
    how = dict(encode='ordinal', strategy='quantile', quantile_method='averaged_inverted_cdf')
    cut = KBinsDiscretizer(10, subsample=200_000, **how)
    code = ColumnTransformer([('words', OrdinalEncoder(dtype=np.int32), words), ('numbers', cut, numbers)])
    return make_pipeline(code, CategoricalNB()).fit(X, y)
"""
GAUSSIAN = """
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
def fit(frame):
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    words = [c for c in X if X[c].dtype.kind not in 'iuf']
    hot = ColumnTransformer([('words', OneHotEncoder(sparse_output=False), words)], remainder='passthrough')
    return make_pipeline(hot, GaussianNB()).fit(X, y)
"""
# Not a classifier, but the fastest way to the same counts: GaussianNB on the numbers and CategoricalNB on
# the codes, two models whose predictions are not combined.
TWO = """
import numpy as np
from sklearn.naive_bayes import CategoricalNB, GaussianNB
def fit(frame):
    y = frame.iloc[:, -1].astype('category').cat.codes.to_numpy()
    X = frame.iloc[:, :-1]
    words = [c for c in X if X[c].dtype.kind not in 'iuf']
    codes = np.column_stack([X[c].astype('category').cat.codes.to_numpy() for c in words])
    numbers = X.drop(columns=words).to_numpy(dtype=np.float64)
    return GaussianNB().fit(numbers, y), CategoricalNB().fit(codes, y)
"""
OURS = "import hedgerow"


def main() -> None:
    """Print times and speedups."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t1.csv"
        write_t1_csv(path, ROWS)
        where = f"PATH = {str(path)!r}\n"
        rows = []
        for reader, how in READ.items():
            for name, route in (("binned", BINNED), ("one-hot", GAUSSIAN), ("two models", TWO)):
                setup = where + how + route
                rows.append((f"{reader}, scikit-learn {name}", timed(setup, "return fit(read())", repeats=2)))
        rows.sort(key=lambda row: row[1].wall)
        rows.append(("hedgerow", timed(where + OURS, "return hedgerow.NaiveBayes().train(hedgerow.read(PATH))")))
        train = "return hedgerow.NaiveBayes().train(hedgerow.open_source(PATH))"
        rows.append(("hedgerow, streamed", timed(where + OURS, train)))
        rows.append(
            (
                "hedgerow, one thread",
                timed(where + OURS, "return hedgerow.NaiveBayes().train(hedgerow.read(PATH))", threads=1),
            )
        )
        classifiers = [name for name, _ in rows if "scikit-learn" in name and "two models" not in name]
        table(rows, against=[classifiers[0], rows[0][0]], ours="hedgerow")
        print(f"streamed peak: {dict(rows)['hedgerow, streamed'].peak:.0f} MB (goal: under 300)")
