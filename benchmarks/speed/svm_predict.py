"""Decision values of kernel SVMs for many rows, compared with scikit-learn's libsvm and Intel's oneDAL.

python -m benchmarks svm_predict
All programs have support vectors and coefficients of the same problem, trained by scikit-learn, or by oneDAL itself,
before the timing; those of hedgerow and scikit-learn are the same, and their values are compared. The time includes
everything from the rows to the predictions: the decision values of all pairs of classes, and their votes.
"""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.speed.timing import Timed, absent, table, timed
from benchmarks.speed.workloads import shared, t2

LOAD = """
import pickle
import numpy as np
machine, rows, labels = (pickle.load(open({folder!r} + name, "rb")) for name in ("/{peer}", "/rows", "/labels"))
"""
OURS = """
from itertools import combinations
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.kernel_sums import kernel_values
kernel, vectors, dual = KernelFunction("rbf", gamma=machine._gamma), machine.support_vectors_, machine.dual_coef_
dual = dual.toarray() if hasattr(dual, "toarray") else dual
ends = np.cumsum(machine.n_support_)
pairs = list(combinations(range(len(ends)), 2))
coefs = np.zeros((dual.shape[1], len(pairs)))
for at, (a, b) in enumerate(pairs):  # libsvm stores the coefficients of a vector by the other class of the pair
    for own, other in ((a, b), (b, a)):
        span = slice(ends[own] - machine.n_support_[own], ends[own])
        coefs[span, at] = dual[other - (other > own), span]
first, second = np.array(pairs).T
def decide(single):
    values = kernel_values(kernel, vectors, coefs, machine.intercept_, rows, single=single)
    winners = np.where(values > 0, first[:, None], second[:, None])
    votes = np.stack([(winners == c).sum(axis=0) for c in range(len(ends))])
    return values, votes.argmax(axis=0)
"""
FACTS = """{"right": float(np.mean(machine.classes_[result[1]] == labels)), "off": float(np.abs(
    result[0].T[:500] - machine.decision_function(rows[:500])).max())}"""


def main() -> None:
    """Print times and speedups."""
    if reason := absent("sklearn"):
        print(reason)
        return
    beside("20,000 rows x 50, 5 classes (T2)", *of_table())
    if (shared() / "large/mnist").is_dir():
        beside("MNIST, 10,000 rows x 784, 10 classes, trained on 5,000", *of_digits())
    beside("10,000 sparse rows x 20,000, 4 classes", *of_texts())


def beside(title: str, learned: tuple[object, object], rows: object, labels: object) -> None:
    """Train SVMs, then time their predictions."""
    print(f"\n{title}")
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("rows", rows), ("labels", labels), ("learned", learned)):
            (Path(folder) / name).write_bytes(pickle.dumps(value))
        for module in ("sklearn", "sklearnex"):
            if not absent(module):
                learn(module, folder)
        ours = LOAD.format(folder=folder, peer="sklearn") + OURS
        lines: list[tuple[str, Timed]] = []
        for threads in (0, 1):
            mark = ", one thread" if threads else ""
            for single in (False, True):
                name = f"hedgerow{', single precision' if single else ''}{mark}"
                lines.append((name, timed(ours, f"return decide({single})", threads=threads, facts=FACTS)))
        peers = [("scikit-learn SVC", "sklearn")] + ([] if absent("sklearnex") else [("oneDAL SVC", "sklearnex")])
        for name, peer in peers:
            load = LOAD.format(folder=folder, peer=peer)
            facts = '{"right": float(np.mean(result == labels))}'
            lines.append((name, timed(load, "return machine.predict(rows)", facts=facts)))
        table(lines, against=[name for name, _ in peers], ours="hedgerow")
        for name, one in lines:
            off = f", values off by at most {one.facts['off']:.1e}" if "off" in one.facts else ""
            print(f"{name}: {one.facts['right']:.2%} right{off}")


def learn(module: str, folder: str) -> None:
    """Train an SVM in a separate process, and save it to a file."""
    setup = f"""
import pickle
from {module}.svm import SVC
X, y = pickle.load(open({folder + "/learned"!r}, "rb"))
"""
    body = f"""machine = SVC(decision_function_shape="ovo", cache_size=1000).fit(X, y)
pickle.dump(machine, open({folder + "/" + module!r}, "wb"))
return machine.support_vectors_.shape[0]"""
    print(f"{module}: {timed(setup, body, repeats=1).result} support vectors", flush=True)


def of_table() -> tuple[tuple[object, object], object, object]:
    """Return 20,000 training rows of T2, and 20,000 others."""
    *columns, y = t2().values()
    X = np.column_stack(columns)
    return (X[:20_000], y[:20_000]), X[-20_000:], y[-20_000:]


def of_digits() -> tuple[tuple[object, object], object, object]:
    """Return 5,000 training digits, and the 10,000 test digits."""
    import gzip

    def images(name: str) -> object:
        raw = gzip.decompress((shared() / f"large/mnist/{name}-images-idx3-ubyte.gz").read_bytes())
        return np.frombuffer(raw, dtype=np.uint8, offset=16).reshape(-1, 784) / 255.0

    def labels(name: str) -> object:
        raw = gzip.decompress((shared() / f"large/mnist/{name}-labels-idx1-ubyte.gz").read_bytes())
        return np.frombuffer(raw, dtype=np.uint8, offset=8)

    return (images("train")[:5_000], labels("train")[:5_000]), images("t10k"), labels("t10k")


def of_texts(rows: int = 10_000, width: int = 20_000) -> tuple[tuple[object, object], object, object]:
    """Return rows with about 100 terms, some of them specific to a class; 3,000 for training."""
    from scipy.sparse import csr_array

    random = np.random.default_rng(1)
    y = random.integers(0, 4, rows + 3_000)
    terms = np.minimum(random.zipf(1.3, (len(y), 100)), width) - 1
    terms[:, :10] = width // 2 + 200 * y[:, None] + random.integers(0, 400, (len(y), 10))
    starts = np.arange(0, terms.size + 1, 100, dtype=np.int32)
    weights, places = np.log1p(random.random(terms.size)), terms.ravel().astype(np.int32)
    X = csr_array((weights, places, starts), shape=(len(y), width))
    X.sum_duplicates()
    return (X[:3_000], y[:3_000]), X[3_000:], y[3_000:]


if __name__ == "__main__":
    main()
