"""Timing side by side: best of several, wall and CPU, peak memory; each contender in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

# Runs in a fresh process: times `work()` several times, reports the best wall and CPU time and the peak memory
# of the whole process, imports and data included.
_CHILD = """
import json, os, sys, time
if {threads}:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "HEDGEROW_THREADS"):
        os.environ[name] = "{threads}"
{setup}
def work():
{body}
wall, cpu = [], []
for _ in range({repeats}):
    w, c = time.perf_counter(), time.process_time()
    result = work()
    wall.append(time.perf_counter() - w)
    cpu.append(time.process_time() - c)
# Not ru_maxrss: a child inherits its parent's mark there.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps(dict(wall=min(wall), cpu=min(cpu), peak=peak, result=repr(result)[:200])))
"""


@dataclass(frozen=True)
class Timed:
    """What one contender took: best wall and CPU seconds, peak memory in MB, and what it returned."""

    wall: float
    cpu: float
    peak: float
    result: str


def timed(setup: str, body: str, repeats: int = 3, threads: int = 0) -> Timed:
    """Time `body` after `setup` in a fresh process; 0 threads leaves the choice to the contender."""
    indented = "\n".join("    " + line for line in body.strip().split("\n"))
    script = _CHILD.format(setup=setup, body=indented, repeats=repeats, threads=threads)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return Timed(**json.loads(done.stdout.strip().split("\n")[-1]))


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
