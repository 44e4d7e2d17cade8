"""PRISM on the nominal table and sequential covering on the mixed table.

No other program was found that finishes either in reasonable time: users report that Orange's CN2 stalls on 50,000
rows, and Weka's Prism is no longer part of it. For orientation, Weka's PART, which also learns rule by rule, took 106 s
on the nominal table.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.speed.timing import timed
from benchmarks.speed.workloads import WORKLOADS

PART_SECONDS = 106.0
RUNS = (
    ("Prism, nominal table", "t3", "hedgerow.Prism()"),
    ("Covering, mixed table", "t1-50k", "hedgerow.Covering()"),
    ("Covering, unordered", "t1-50k", "hedgerow.Covering(ordered=False)"),
    ("Covering, entropy, 25 rows a rule", "t1-50k", 'hedgerow.Covering(evaluation="entropy", min_coverage=25)'),
)
SETUP = """
import hedgerow
from benchmarks.speed.workloads import load_table
train, test = (load_table({folder!r}, part) for part in ("train", "test"))
some = test.slice(0, 2000)
truth = some.codes(len(some.schema) - 1)
"""
FACTS = "{'rules': result.size, 'right': float((result.decide(some) == truth).mean())}"


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    out = argparse.ArgumentParser(prog="python -m benchmarks covering")
    out.add_argument("--threads", type=int, default=0, help="number of threads (default: all cores)")
    return out


def measure(name: str, workload: str, learner: str, folder: str, threads: int) -> None:
    """Print training times and results."""
    setup = SETUP.format(folder=folder)
    run = timed(setup, f"return {learner}.train(train)", repeats=1, threads=threads, facts=FACTS)
    facts = f"{run.facts['rules']} rules, {100 * run.facts['right']:.1f} % of 2,000 test rows right"
    print(f"{name:36} {workload:8} {run.wall:7.2f} s, CPU {run.cpu:7.2f} s {run.peak:6.0f} MB; {facts}", flush=True)


def main(words: list[str] | None = None) -> None:
    """Print times and memory."""
    options = parser().parse_args(words or [])
    with tempfile.TemporaryDirectory() as top:
        folders = {}
        for workload in dict.fromkeys(workload for _, workload, _ in RUNS):
            folder = Path(top) / workload
            folder.mkdir()
            WORKLOADS[workload].prepare(folder)
            folders[workload] = str(folder)
        for name, workload, learner in RUNS:
            measure(name, workload, learner, folders[workload], options.threads)
    print("Orange's CN2 is not measured; users report that it does not finish on 50,000 rows.")
    print(f"Weka's PART on the nominal table, for orientation: {PART_SECONDS:.0f} s (measured earlier).")
