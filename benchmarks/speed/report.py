"""The report of 100,000 rows: time and size of the complete command (the goal is a few seconds and under 3 MB)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = 100_000
NAMES = (*(f"x{place}" for place in range(12)), *(f"c{place}" for place in range(4)), "target")


def table(folder: Path) -> Path:
    """Write twelve numbers, four columns of levels and a target of two classes."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(ROWS, 12)).round(4)
    levels = [rng.integers(0, k, ROWS) for k in (2, 5, 12, 40)]
    yes = numbers[:, 0] + numbers[:, 1] ** 2 + rng.normal(0, 0.8, ROWS) > 1
    columns = [
        *numbers.astype(str).T,
        *(np.char.add("v", one.astype(str)) for one in levels),
        np.where(yes, "yes", "no"),
    ]
    path = folder / "rows.csv"
    path.write_text("\n".join([",".join(NAMES), *map(",".join, zip(*columns, strict=True))]) + "\n")
    return path


def main() -> None:
    """Print the best of three runs for models of several kinds."""
    tool = str(Path(sys.executable).parent / "hedgerow")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = table(folder)
        for learner in ("naive_bayes", "c45", "one_r", "random_forest"):
            model, page = folder / f"{learner}.hedge", folder / f"{learner}.html"
            words = ["train", str(data), "-l", learner, "--folds", "0", "-q", "-o", str(model)]
            subprocess.run([tool, *words], check=True, capture_output=True)
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                subprocess.run([tool, "report", str(model), str(data), "-q", "-o", str(page)], check=True)
                seconds.append(time.perf_counter() - start)
            size = page.stat().st_size
            print(f"{learner:14} {min(seconds):5.2f} s   {size / 1e3:6.0f} kB", flush=True)
