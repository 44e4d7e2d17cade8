"""Timing side by side: best of several, wall and CPU, peak memory; each contender in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

# Runs in a fresh process: times `work()` several times, reports the best wall and CPU time, the peak memory of the
# whole process, imports and data included, and how far the work alone drove the memory up.
_CHILD = """
import ctypes, gc, json, os, sys, time
if {threads}:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "HEDGEROW_THREADS"):
        os.environ[name] = "{threads}"
THREADS = {threads} or len(os.sched_getaffinity(0))
def memory(key):
    # Not ru_maxrss: a child inherits its parent's mark there.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status[key].split()[0]) / 1024
{setup}
def work():
{body}
gc.collect()
try:
    ctypes.CDLL(None).malloc_trim(0)  # what the setup has freed must not pass for memory that the work needs
    before = memory("VmHWM")
    open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
except (AttributeError, OSError):
    before = 0.0
start = memory("VmRSS")
wall, cpu = [], []
for _ in range({repeats}):
    result = None  # what an earlier run returned must not count as memory that this one needs
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
    """What one contender took: best wall and CPU seconds, peak memory in MB, and what it returned.

    `grown` is how many MB the work alone added at its peak, `facts` what was asked about its result.
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
    """Time `body` after `setup` in a fresh process; 0 threads leaves the choice to the contender.

    `facts` is an expression for a dictionary that is evaluated afterwards, with `result` at hand; no further
    repeat is begun once the runs have taken `budget` seconds. `THREADS` tells the setup how many threads there are.
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
    """Return why a peer cannot be measured, or nothing when its module is installed."""
    return "" if find_spec(module) else f"the package {module} is not installed"


def table(rows: list[tuple[str, Timed]], against: list[str], ours: str) -> None:
    """Print contenders line by line, and how many times as fast `ours` is as each of `against`."""
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


# Title and form of the facts that `Beside` prints.
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
    """A table that grows line by line: contenders, with their times as multiples of ours, which come first.

    A contender is compared with our line of as many threads: 20 means that it took 20 times as long. Without ours
    the ratios stay empty. `finish` sets the best wall of all thread counts against ours.
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
        """Time one contender and print its line; `how` goes to `timed`. One that cannot run says why."""
        reason = absent(module)
        if not reason:
            try:
                self.add(name, timed(threads=threads, **how), threads, ours)
                return
            except RuntimeError as problem:
                reason = str(problem).strip().split("\n")[-1]
        self.skip(name, reason)

    def add(self, name: str, one: Timed, threads: int, ours: bool = False) -> None:
        """Print one contender; ours is what others with as many threads are compared with."""
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
        """Print why a contender is not there."""
        print(f"{name:40} skipped: {reason}", flush=True)

    def finish(self) -> None:
        """Print how many times as fast ours is as each contender, the best wall of each, whatever the threads."""
        if self.ours and self.walls:
            own = min(one.wall for one in self.ours.values())
            print("best wall against ours: " + ", ".join(f"{name} x {w / own:.1f}" for name, w in self.walls.items()))

    def _fact(self, one: Timed, fact: str) -> str:
        value = one.facts.get(fact)
        return "" if value is None else format(value, _FACTS[fact][1])
