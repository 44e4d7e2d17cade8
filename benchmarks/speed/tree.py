"""One tree: C4.5 from a Table including pruning, compared with scikit-learn, one tree of LightGBM and Weka's J48.

python -m benchmarks tree --only t1-50k t3 --threads 1

"grown MB" is the memory added by fitting. Weka is measured if HEDGEROW_WEKA names its jar; it reports
only the elapsed time of building, so its CPU time is this time multiplied by the CPU share of the whole process.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from benchmarks.speed.contenders import (
    ARRAYS,
    LIGHTGBM,
    LIGHTGBM_FACTS,
    OUR_FACTS,
    SKLEARN_FACTS,
    TABLE,
    at,
    thread_counts,
)
from benchmarks.speed.timing import Beside, Timed
from benchmarks.speed.workloads import WORKLOADS, load_table

SKLEARN = """
from sklearn.tree import DecisionTreeClassifier
"""


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks tree", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), help="tables to run")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=5, help="number of runs, of which the best counts")
    options.add_argument("--budget", type=float, default=10, help="start no further run after this many seconds")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every workload."""
    chosen = parser().parse_args(arguments)
    for name in chosen.only:
        with tempfile.TemporaryDirectory() as folder:
            WORKLOADS[name].prepare(Path(folder))
            size = sum(values.nbytes for values in load_table(folder, "train").data) / 1e6
            print(f"\n{name}: {WORKLOADS[name].train:,} rows, a Table of {size:.0f} MB")
            _compare(folder, chosen)


def _compare(folder: str, chosen: argparse.Namespace) -> None:
    how = {"repeats": chosen.repeats, "budget": chosen.budget}
    lines = Beside()
    for threads in chosen.threads:
        ours = {"setup": at(folder) + TABLE, "body": "return hedgerow.C45().train(train)", "facts": OUR_FACTS}
        lines.measure("hedgerow C45", threads, ours=True, **ours, **how)
    if chosen.no_peers:
        return
    fit = "return DecisionTreeClassifier(min_samples_leaf=20, random_state=1).fit(X, y)"
    peer = {"setup": at(folder) + ARRAYS + SKLEARN, "body": fit, "facts": SKLEARN_FACTS}
    lines.measure("scikit-learn, 20 rows per leaf", 1, module="sklearn", **peer, **how)  # it has no threads
    fit = "return lightgbm.train(settings, lightgbm.Dataset(X, y, categorical_feature=nominal), 1)"
    peer = {"setup": at(folder) + ARRAYS + LIGHTGBM, "body": fit, "facts": LIGHTGBM_FACTS}
    for threads in chosen.threads:
        lines.measure("LightGBM, one round, 255 leaves", threads, module="lightgbm", **peer, **how)
    jar = os.environ.get("HEDGEROW_WEKA", "")
    if not Path(jar).is_file():
        lines.skip("Weka J48", "HEDGEROW_WEKA does not name its jar")
    elif not which("java"):
        lines.skip("Weka J48", "there is no java on the path")
    else:
        lines.add("Weka J48", weka_j48(folder, jar), 1)
    lines.finish()


def weka_j48(folder: str, jar: str) -> Timed:
    """Return the time of J48 in a separate Java process, as it reports it."""
    from hedgerow import write

    parts = {part: Path(folder) / f"{part}.arff" for part in ("train", "test")}
    for part, path in parts.items():
        write(load_table(folder, part), path)
    command = ["java", "-XX:+UseSerialGC", "-Xmx8g", "-cp", jar, "weka.classifiers.trees.J48"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = _output([*command, "-t", str(parts["train"]), "-T", str(parts["test"])])
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    built = float(_found(r"Time taken to build model: ([\d.]+)", said))
    facts = {
        "accuracy": float(_found(r"Correctly Classified Instances\s+\d+\s+([\d.]+)", said)) / 100,
        "leaves": int(_found(r"Number of Leaves\s*:\s*(\d+)", said)),
    }
    return Timed(built, built * cpu / wall, float("nan"), "", float("nan"), 1, facts)


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _found(pattern: str, text: str) -> str:
    """Return the last match of a pattern: errors on the test data come after those on the training data."""
    return re.findall(pattern, text)[-1]
