"""Reading a mixed ARFF file of 100,000 rows: hedgerow compared with SciPy and liac-arff, in one run.

python benchmarks/speed/read_arff.py [ROWS] [REPEATS]
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hedgerow.data.formats.arff import ArffSource
from hedgerow.data.table.source import ReadOptions


def generate(path: Path, rows: int) -> None:
    random = np.random.default_rng(7)
    colors = np.array(["red", "green", "blue", "violet"])
    lines = ["@relation mixed"]
    lines += [f"@attribute x{i} numeric" for i in range(6)]
    lines += ["@attribute color {red,green,blue,violet}", "@attribute size {small,large}"]
    lines += [f"@attribute count{i} integer" for i in range(2)]
    lines += ["@attribute class {yes,no}", "@data"]
    columns = [random.normal(size=rows).round(4).astype(str) for _ in range(6)]
    columns += [random.choice(colors, rows), random.choice(["small", "large"], rows)]
    columns += [random.integers(0, 1000, rows).astype(str) for _ in range(2)]
    columns += [random.choice(["yes", "no"], rows)]
    for column in columns[:6]:
        column[random.random(rows) < 0.02] = "?"
    path.write_text("\n".join([*lines, *map(",".join, zip(*columns, strict=True)), ""]))


def ours(path: Path) -> None:
    ArffSource(str(path), ReadOptions()).read()


def scipy(path: Path) -> None:
    from scipy.io import arff

    arff.loadarff(path)


def liac(path: Path) -> None:
    import arff

    with path.open() as file:
        arff.load(file)


def best(read: Callable[[Path], None], path: Path, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        read(path)
        times.append(time.perf_counter() - start)
    return min(times)


def main(rows: int = 100_000, repeats: int = 5) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.arff"
        generate(path, rows)
        print(f"{rows:,} rows, 11 columns, {path.stat().st_size / 1e6:.1f} MB, best of {repeats}")
        base = best(ours, path, repeats)
        print(f"{'hedgerow':10s} {base * 1000:9.1f} ms")
        for name, read in (("scipy", scipy), ("liac-arff", liac)):
            took = best(read, path, max(1, repeats // 2))
            print(f"{name:10s} {took * 1000:9.1f} ms   {took / base:6.1f} times as long")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
