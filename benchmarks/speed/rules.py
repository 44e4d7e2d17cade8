"""RIPPER compared with Weka's JRip and wittgenstein: time, accuracy, and size of the rules.

python -m benchmarks rules --only t1-50k --threads 1
JRip is measured if HEDGEROW_WEKA names weka.jar; its time is the elapsed time it reports for building the model. It
reports neither CPU time nor memory. Compare elapsed times on an idle machine only.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.contenders import TABLE, at, thread_counts
from benchmarks.speed.timing import Beside, Timed, absent
from benchmarks.speed.workloads import WORKLOADS, load_table

# The programs compared on each workload.
CONTESTS = {
    "t1-5k": ("jrip", "wittgenstein"),
    "t1-50k": ("jrip",),
    "t1-500k": (),
    "wide": (),
}
OUR_FACTS = '{"accuracy": accuracy(result), "rules": len(result)}'
# It accepts data frames and one class against the rest, and discretizes numbers to ten bins first.
WITTGENSTEIN = """
import numpy as np, pandas, wittgenstein
from benchmarks.speed.workloads import load_table
def frame(part):
    table = load_table(FOLDER, part)
    columns = {}
    for column, values in zip(table.schema.columns, table.data):
        columns[column.name] = np.array(column.levels)[values] if column.levels else values
    return pandas.DataFrame(columns)
train, test = frame("train"), frame("test").head(5000)
target = train.columns[-1]
rare = train[target].value_counts().index[-1]
def accuracy(model): return float((np.array(model.predict(test)) == (test[target] == rare)).mean())
"""
WITTGENSTEIN_BODY = """
learner = wittgenstein.RIPPER(random_state=1)
learner.fit(train, class_feat=target, pos_class=rare)
return learner
"""
WITTGENSTEIN_FACTS = '{"accuracy": accuracy(result), "rules": len(result.ruleset_.rules)}'


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks rules", description=__doc__.split("\n")[0])
    options.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="tables to run")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=3, help="number of runs, of which the best counts")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every workload, and the growth of the time with the rows."""
    chosen = parser().parse_args(arguments)
    best: dict[str, tuple[float, float]] = {}
    for name in chosen.only:
        print(f"\n{name}: {WORKLOADS[name].train:,} rows")
        with tempfile.TemporaryDirectory() as folder:
            WORKLOADS[name].prepare(Path(folder))
            best[name] = _compare(folder, name, chosen)
    if {"t1-50k", "t1-500k"} <= set(best):
        wall, cpu = (large / small for large, small in zip(best["t1-500k"], best["t1-50k"], strict=True))
        print(f"\nten times the rows of t1-50k take {wall:.1f} times as long, {cpu:.1f} times in CPU time")


def _compare(folder: str, name: str, chosen: argparse.Namespace) -> tuple[float, float]:
    """Return the best elapsed and CPU seconds of hedgerow."""
    lines = Beside(["accuracy", "rules"])
    how = {"repeats": chosen.repeats, "budget": 30, "setup": at(folder) + TABLE, "facts": OUR_FACTS}
    for threads in chosen.threads:
        lines.measure("hedgerow Ripper", threads, ours=True, body="return hedgerow.Ripper().train(train)", **how)
    peers = () if chosen.no_peers else CONTESTS[name]
    if "jrip" in peers:
        _add_jrip(lines, folder)
    if "wittgenstein" in peers:
        run = {"setup": at(folder) + WITTGENSTEIN, "body": WITTGENSTEIN_BODY, "facts": WITTGENSTEIN_FACTS}
        reason = absent("wittgenstein")
        if reason:
            lines.skip("wittgenstein RIPPER", reason)
        else:
            lines.measure("wittgenstein RIPPER", 1, module="wittgenstein", repeats=1, **run)
    lines.finish()
    ours = list(lines.ours.values())
    return min((one.wall for one in ours), default=float("nan")), min((one.cpu for one in ours), default=float("nan"))


def _add_jrip(lines: Beside, folder: str) -> None:
    if "HEDGEROW_WEKA" not in os.environ:
        lines.skip("Weka JRip", "set HEDGEROW_WEKA to the path of weka.jar")
        return
    for part in ("train", "test"):
        write_arff(folder, part)
    command = ["java", "-Xmx4g", "-cp", os.environ["HEDGEROW_WEKA"], "weka.classifiers.rules.JRip"]
    command += ["-t", f"{folder}/train.arff", "-T", f"{folder}/test.arff"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds = float(_found(r"Time taken to build model: ([\d.]+) seconds", text))
    right = float(_found(r"Error on test data ===.*?Correctly Classified Instances\s+\d+\s+([\d.]+)\s*%", text)) / 100
    rules = int(_found(r"Number of Rules : (\d+)", text)) - 1
    lines.add("Weka JRip", Timed(seconds, float("nan"), float("nan"), "", facts={"accuracy": right, "rules": rules}), 1)


def write_arff(folder: str, part: str) -> None:
    """Write a part of a prepared workload in Weka's format."""
    from hedgerow.data.write import write

    write(load_table(folder, part), Path(folder) / f"{part}.arff")


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.DOTALL)
    if match is None:
        raise RuntimeError(f"Weka's print has no {pattern!r}")
    return match[1]
