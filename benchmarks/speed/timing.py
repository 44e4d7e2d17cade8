"""Timing: the best elapsed and CPU times of several runs and peak memory, with each program in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

# Runs in a new process: times `work()` several times, reports the best elapsed and CPU time, the peak memory of the
# whole process, including imports and data, and the memory added by the work.
_CHILD = """
import ctypes, gc, json, os, sys, time
if {threads}:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "HEDGEROW_THREADS"):
        os.environ[name] = "{threads}"
THREADS = {threads} or len(os.sched_getaffinity(0))
def memory(key):
    # Not ru_maxrss, which a child process inherits from its parent.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status[key].split()[0]) / 1024
{setup}
def work():
{body}
gc.collect()
try:
    ctypes.CDLL(None).malloc_trim(0)  # memory freed by the setup must not be attributed to the work
    before = memory("VmHWM")
    open("/proc/self/clear_refs", "w").write("5")  # reset the peak
except (AttributeError, OSError):
    before = 0.0
start = memory("VmRSS")
wall, cpu = [], []
for _ in range({repeats}):
    result = None  # the result of an earlier run must not be attributed to this one
    w, c = time.perf_counter(), time.process_time()
    result = work()
    wall.append(time.perf_counter() - w)
    cpu.append(time.process_time() - c)
    if sum(wall) > {budget}:
        break
peak = memory("VmHWM")
facts = {facts}
print(json.dumps(dict(wall=min(wall), cpu=min(cpu), peak=max(before, peak), grown=peak - start, repeats=len(wall),
                      result=repr(result)[:200], facts=facts)))
"""


@dataclass(frozen=True)
class Timed:
    """The result for one program: best elapsed and CPU seconds, peak memory in MB, and what it returned.

    `grown` is the number of MB that the work added at its peak, `facts` is the requested information about its result.
    """

    wall: float
    cpu: float
    peak: float
    result: str
    grown: float = 0.0
    repeats: int = 1
    facts: dict[str, Any] = field(default_factory=dict)


def timed(
    setup: str, body: str, repeats: int = 3, threads: int = 0, facts: str = "{}", budget: float = float("inf")
) -> Timed:
    """Time `body` after `setup` in a new process; 0 threads leaves the choice to the program.

    `facts` is an expression for a dictionary that is evaluated afterwards, and may use `result`; no further
    run is started once the runs have taken `budget` seconds. `THREADS` is the number of threads, for the setup.
    """
    indented = "\n".join("    " + line for line in body.strip().split("\n"))
    limit = budget if budget < float("inf") else 1e9
    script = _CHILD.format(
        setup=setup, body=indented, repeats=repeats, threads=threads, facts=facts.strip(), budget=limit
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return Timed(**json.loads(done.stdout.strip().split("\n")[-1]))


def absent(module: str) -> str:
    """Return why a program cannot be measured, or nothing if its module is installed."""
    return "" if find_spec(module) else f"the package {module} is not installed"


def table(rows: list[tuple[str, Timed]], against: list[str], ours: str) -> None:
    """Print programs line by line, and how many times as fast `ours` is as each of `against`."""
    found = dict(rows)
    print(f"{'':34} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}")
    for name, one in rows:
        print(f"{name:34} {one.wall:8.3f} {one.cpu:8.3f} {one.peak:8.0f}")
    own = found[ours]
    for name in against:
        peer = found[name]
        print(
            f"{ours} against {name}: {peer.wall / own.wall:.1f} x as fast by wall, "
            f"{peer.cpu / own.cpu:.1f} x by CPU, {own.peak / peer.peak:.2f} of its memory"
        )


# Title and format of the facts that `Beside` prints.
_FACTS = {
    "accuracy": ("accuracy", ".4f"),
    "leaves": ("leaves", ",.0f"),
    "rules": ("rules", ",.0f"),
    "sets": ("sets", ",.0f"),
    "vectors": ("vectors", ",.0f"),
    "bound": ("bound", ",.0f"),
    "same": ("same", ".4f"),
    "squares": ("squares", ".2f"),
    "passes": ("passes", ",.0f"),
}


class Beside:
    """A table printed line by line: programs, with their times as multiples of hedgerow's, which come first.

    A program is compared with hedgerow's line with the same number of threads: 20 means that it took 20 times as long.
    Without it the ratios are empty. `finish` compares the best elapsed times over all thread counts.
    """

    def __init__(self, facts: Sequence[str] = ("accuracy", "leaves")) -> None:
        self.facts = facts
        self.ours: dict[int, Timed] = {}
        self.walls: dict[str, float] = {}
        titles = "".join(f" {_FACTS[name][0]:>9}" for name in facts)
        print(
            f"{'':40} {'threads':>7} {'wall s':>8} {'CPU s':>8} {'x wall':>7} {'x CPU':>7}{titles} "
            f"{'peak MB':>8} {'grown MB':>8}",
            flush=True,
        )

    def measure(self, name: str, threads: int, *, module: str = "hedgerow", ours: bool = False, **how: Any) -> None:
        """Time one program and print its line, or why it cannot run; `how` is passed to `timed`."""
        reason = absent(module)
        if not reason:
            try:
                self.add(name, timed(threads=threads, **how), threads, ours)
                return
            except RuntimeError as problem:
                reason = str(problem).strip().split("\n")[-1]
        self.skip(name, reason)

    def add(self, name: str, one: Timed, threads: int, ours: bool = False) -> None:
        """Print one program; others are compared with hedgerow's line with the same number of threads."""
        if ours:
            self.ours[threads] = one
        else:
            self.walls[name] = min(one.wall, self.walls.get(name, one.wall))
        own = self.ours.get(threads)
        ratios = f"{one.wall / own.wall:7.1f} {one.cpu / own.cpu:7.1f}" if own else f"{'':7} {'':7}"
        stated = "".join(f" {self._fact(one, fact):>9}" for fact in self.facts)
        print(
            f"{name:40} {threads:7} {one.wall:8.3f} {one.cpu:8.3f} {ratios}{stated} {one.peak:8.0f} {one.grown:8.0f}",
            flush=True,
        )

    def skip(self, name: str, reason: str) -> None:
        """Print why a program is not measured."""
        print(f"{name:40} skipped: {reason}", flush=True)

    def finish(self) -> None:
        """Print how many times as fast hedgerow is as each program, by the best elapsed time over all thread counts."""
        if self.ours and self.walls:
            own = min(one.wall for one in self.ours.values())
            print(
                "elapsed time relative to hedgerow's: "
                + ", ".join(f"{name} x {w / own:.1f}" for name, w in self.walls.items())
            )

    def _fact(self, one: Timed, fact: str) -> str:
        value = one.facts.get(fact)
        return "" if value is None else format(value, _FACTS[fact][1])
