"""The text corpora of the benchmarks, and lines of tables that compare times and memory."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.speed.timing import Timed, absent, timed
from benchmarks.speed.workloads import shared

NEWS = shared() / "text" / "20newsgroups.jsonl.gz"

# Both give `texts` and `classes`, lists of strings. The words of the Zipf corpus depend on the class of their text.
READ_NEWS = f"""
import gzip, json
with gzip.open({str(NEWS)!r}, "rt", encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
texts, classes = [row["text"] for row in rows], [row["label"] for row in rows]
del rows
"""
MAKE_ZIPF = """
import numpy as np
random = np.random.default_rng(7)
terms = ["".join(map(chr, random.integers(97, 123, random.integers(2, 12)))) for _ in range(50_000)]
picks = (random.zipf(1.1, (20_000, 250)) - 1) % len(terms)
texts = [" ".join(terms[k] for k in row) for row in picks]
classes = [f"class {int(np.median(row)) % 10}" for row in picks]
del picks, terms
"""
CORPORA = {
    "20 Newsgroups, 18,846 documents": READ_NEWS,
    "Zipf, 20,000 x 250 words": MAKE_ZIPF,
}


def corpora() -> dict[str, str]:
    """Return the available corpora by name, as the code that reads or generates them."""
    if NEWS.is_file():
        return CORPORA
    print(f"20 Newsgroups skipped: there is no {NEWS.name}")
    return {name: made for name, made in CORPORA.items() if made is not READ_NEWS}


@dataclass(frozen=True)
class Task:
    """A task for both programs: the setup code and the timed code of each."""

    name: str
    ours: str
    theirs: str
    prepare_ours: str = ""
    prepare_theirs: str = ""


class Lines:
    """A table of tasks: CPU seconds on one thread, elapsed times on one and two, memory, and the speedups.

    `serial` is the share of the work that a second thread does not speed up, by Amdahl's law from the two elapsed
    times. Memory is what the work added to a separate process, and the peak of the whole process.
    """

    def __init__(self, title: str) -> None:
        print(f"\n{title}")
        print(
            f"{'':38} {'CPU s':>7} {'sklearn':>8} {'x':>5} | {'wall 1':>7} {'wall 2':>7} {'serial':>6} {'sklearn':>8} "
            f"{'x 1':>5} {'x 2':>5} | {'grown MB':>8} {'sklearn':>8} {'share':>5} | {'peak MB':>7} {'sklearn':>8} "
            f"{'share':>5}",
            flush=True,
        )

    def add(self, corpus: str, task: Task, repeats: int = 5) -> None:
        """Measure one task and print its line."""
        ours = [
            timed(corpus + task.prepare_ours, task.ours, repeats=repeats, threads=threads, budget=10.0)
            for threads in (1, 2)
        ]
        reason = absent("sklearn")
        if reason:
            print(f"{task.name:38} {ours[0].cpu:7.3f} scikit-learn skipped: {reason}", flush=True)
            return
        theirs = timed(corpus + task.prepare_theirs, task.theirs, repeats=repeats, threads=1, budget=15.0)
        print(line(task.name, ours[0], ours[1], theirs), flush=True)


def line(name: str, one: Timed, two: Timed, theirs: Timed) -> str:
    """Return a line of the table: hedgerow on one thread and on two, and scikit-learn."""
    serial = min(1.0, max(0.0, 2 * two.wall / one.wall - 1))
    return (
        f"{name:38} {one.cpu:7.3f} {theirs.cpu:8.3f} {theirs.cpu / one.cpu:5.1f} | {one.wall:7.3f} {two.wall:7.3f} "
        f"{serial:6.0%} {theirs.wall:8.3f} {theirs.wall / one.wall:5.1f} {theirs.wall / two.wall:5.1f} | "
        f"{one.grown:8.0f} {theirs.grown:8.0f} {one.grown / theirs.grown:5.2f} | {one.peak:7.0f} {theirs.peak:8.0f} "
        f"{one.peak / theirs.peak:5.2f}"
    )
