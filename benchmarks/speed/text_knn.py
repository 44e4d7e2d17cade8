"""Nearest neighbors of texts: 20 Newsgroups by date, k = 5, compared with scikit-learn's brute force by cosine.

Both get the same tf-idf vectors and must find the same neighbors: distances are compared, and rows wherever the fifth
and the sixth have clearly different distances. Terms are counted before the timing starts in both programs.
"""

from __future__ import annotations

from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import shared

NEWS = shared() / "text" / "20newsgroups.jsonl.gz"

# Training and test texts, and the model whose vectors both programs use.
SETUP = f"""
import gzip, json
import numpy as np
from hedgerow import KNN, Column, Kind, Schema, Table
from hedgerow.data.table.table import Text
with gzip.open({str(NEWS)!r}, "rt", encoding="utf-8") as file:
    news = [json.loads(line) for line in file]
train, new = ([one for one in news if one["split"] == part] for part in ("train", "test"))
labels = [one["label"] for one in train]
actual = np.array([one["label"] for one in new])
texts = Text.of([one["text"] for one in train])
table = Table.of({{"label": labels}}, "label").with_column(Column("text", Kind.TEXT), texts)
model = KNN(tf=TF, idf=IDF).train(table)
asked = Table(Schema((Column("text", Kind.TEXT),)), (Text.of([one["text"] for one in new]),), len(new))
aligned = model.aligned(asked)
queries = model.kept.asked(aligned)
"""
OURS = SETUP + "model.kept.nearest(queries, 6)\n"  # includes building the index, which scikit-learn does when fitting
THEIRS = (
    SETUP
    + """
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsClassifier
space = model.columns[model.schema.index("text")]
X = csr_matrix(space.vectors.matrix())
Z = csr_matrix(space.vectors_of(aligned, model.schema.index("text")).matrix())
peer = KNeighborsClassifier(5, algorithm="brute", metric="cosine", n_jobs=THREADS).fit(X, labels)
def same(found):
    # The proportion of texts with the same five rows, or with the fifth and the sixth at the same distance.
    near = model.neighbors(asked, 6)
    assert np.abs(near.distance[:, :5] - found[0]).max() < 1e-12
    tied = near.distance[:, 5] - near.distance[:, 4] < 1e-12
    return float(np.mean((np.sort(near.rows[:, :5]) == np.sort(found[1])).all(axis=1) | tied))
"""
)
WEIGHTS = (("log", "plain", "1 + ln(count), ln(N / df)"), ("count", "smooth", "as TfidfVectorizer has it"))


def main() -> None:
    """Print times and speedups."""
    if not NEWS.is_file():
        print(f"20 Newsgroups skipped: there is no {NEWS.name}")
        return
    for tf, idf, told in WEIGHTS:
        print(f"\n20 Newsgroups by date, 7,532 texts against 11,314, k = 5, tf-idf {told}: the neighbors")
        how = f"TF, IDF = {tf!r}, {idf!r}\n"
        lines = Beside(facts=("same",))
        for threads in (1, 2):
            lines.measure(
                "hedgerow", threads, ours=True, setup=how + OURS, body="return model.kept.nearest(queries, 5)"
            )
        for threads in (1, 2):
            lines.measure(
                "scikit-learn, brute",
                threads,
                module="sklearn",
                setup=how + THEIRS,
                body="return peer.kneighbors(Z)",
                facts="dict(same=same(result))",
                budget=10.0,
            )
        lines.finish()
    print("\n20 Newsgroups by date, k = 5: texts to classes, one thread")
    how = "TF, IDF = 'log', 'plain'\n"
    lines = Beside(facts=("accuracy",))
    score = "dict(accuracy=float(np.mean(result == actual)))"
    lines.measure("hedgerow", 1, ours=True, setup=how + OURS, body="return model.predict(asked)", facts=score)
    lines.measure(
        "scikit-learn, vectors given",
        1,
        module="sklearn",
        setup=how + THEIRS,
        body="return peer.predict(Z)",
        facts=score,
        budget=10.0,
    )
    lines.finish()


if __name__ == "__main__":
    main()
