"""Cobweb compared with Weka's: six normal clusters in ten numeric columns, and the growth of its time to 100,000 rows.

Weka is measured if HEDGEROW_WEKA names weka.jar: in total, from the file to the output, and minus the time for ten
rows, which is the startup of Java. It has acuity 1 on unscaled numbers, as hedgerow has in the lines "as Weka"; the
trees are not compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import timed

SIZES = (2_000, 10_000, 50_000, 100_000)
SETUP = """
import numpy as np
import hedgerow
from benchmarks.speed.cobweb import rows
X = rows({n})
table = hedgerow.Table.of({{f"x{{j}}": X[:, j] for j in range(X.shape[1])}})
"""
MIXED = (
    SETUP
    + """
for name in ("x7", "x8", "x9"):
    levels = np.digitize(table[name], (-3, -1, 1, 3)).astype(np.int32)
    table = table.with_column(hedgerow.Column(name, hedgerow.Kind.NOMINAL, tuple("abcde")), levels)
"""
)
FACTS = "dict(clusters=len(result), concepts=len(result.nodes))"
WEKA_SECONDS = 0.65  # total elapsed time with 2,000 rows, measured earlier


def rows(n: int) -> NDArray[np.float64]:
    """Return n rows around six centers, which are the same for every n."""
    random = np.random.default_rng(1)
    centers = random.normal(scale=3, size=(6, 10))
    return np.round(centers[random.integers(0, 6, n)] + random.normal(size=(n, 10)), 4)


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks cobweb", description=__doc__)
    options.add_argument("--repeats", type=int, default=3, help="number of runs")
    return options


def main(words: Sequence[str] = ()) -> None:
    """Print the times."""
    given = parser().parse_args(words)
    ways = {"numbers": (SETUP, ""), "mixed": (MIXED, ""), "as Weka": (SETUP, 'scale="none", divisor="n-1"')}
    for name, (setup, params) in ways.items():
        for n in SIZES:
            one = timed(setup.format(n=n), f"return hedgerow.Cobweb({params}).train(table)", given.repeats, 1, FACTS)
            each = 1e6 * one.cpu / n
            print(f"hedgerow, {name:8} {n:7,} rows  {one.cpu:7.3f} s CPU  {each:5.1f} us per row  {one.facts}")
    jar = os.environ.get("HEDGEROW_WEKA", "")
    if not Path(jar).is_file() or shutil.which("java") is None:
        print(f"Weka not found (HEDGEROW_WEKA); an earlier measurement was {WEKA_SECONDS} s in total with 2,000 rows")
        return
    start = min(weka(jar, 10) for _ in range(given.repeats))
    for n in SIZES[:2]:
        seconds = min(weka(jar, n) for _ in range(given.repeats))
        print(f"Weka {n:7,} rows  {seconds:.3f} s CPU in total, {seconds - start:.3f} s without the startup of Java")


def weka(jar: str, n: int) -> float:
    """Return the total CPU seconds of Weka's Cobweb on this many rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.arff")
        head = "@relation rows\n" + "".join(f"@attribute x{j} numeric\n" for j in range(10)) + "@data\n"
        path.write_text(head + "".join(",".join(map(str, row)) + "\n" for row in rows(n).tolist()))
        command = ["java", "-XX:+UseSerialGC", "-Xmx4g", "-cp", jar, "weka.clusterers.Cobweb", "-t", str(path)]
        before = os.times()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
