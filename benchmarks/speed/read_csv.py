"""Reading the mixed table T1 from CSV: hedgerow compared with pyarrow, polars and pandas.

Run it with ``python -m benchmarks.speed.read_csv [rows]``. Every time is the best of several runs in one
process; hedgerow's includes inferring the kinds and encoding the levels, which the others do not do.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.speed.workloads import write_t1_csv

REPEATS = 5
STREAM = """
import sys
from pathlib import Path
from hedgerow.data.read import open_source
assert sum(table.n_rows for table in open_source(sys.argv[1]).batches()) > 0
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


def readers(path: Path) -> dict[str, Callable[[], object]]:
    """Return a function for every reader, by name; the others are compared with the first."""
    import pandas as pd
    import polars as pl
    from pyarrow import csv

    from hedgerow.data.formats.csv import CsvSource
    from hedgerow.data.table.source import ReadOptions

    return {
        "pyarrow": lambda: csv.read_csv(path),
        "pyarrow, 1 thread": lambda: csv.read_csv(path, csv.ReadOptions(use_threads=False)),
        "polars": lambda: pl.read_csv(path),
        "pandas": lambda: pd.read_csv(path),
        "hedgerow": lambda: CsvSource(path, ReadOptions()).read(),
        "hedgerow, 1 thread": lambda: CsvSource(path, ReadOptions(), threads=1).read(),
    }


def best(run: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Return the shortest elapsed time and CPU time of several runs."""
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus)


def streaming_peak(path: Path) -> int:
    """Return the peak memory, in MB, of a process that streams the file for its schema and for its rows."""
    done = subprocess.run([sys.executable, "-c", STREAM, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout)


def main(rows: int = 2_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t1.csv"
        write_t1_csv(path, rows)
        print(f"T1, {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB; best of {REPEATS}")
        print(f"{'reader':20}{'wall s':>9}{'CPU s':>9}{'wall ratio':>12}{'CPU ratio':>11}")
        base: tuple[float, float] | None = None
        for name, run in readers(path).items():
            wall, cpu = best(run)
            base = base or (wall, cpu)
            print(f"{name:20}{wall:9.3f}{cpu:9.3f}{wall / base[0]:12.2f}{cpu / base[1]:11.2f}")
        print(f"peak memory of streaming the file twice: {streaming_peak(path)} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
