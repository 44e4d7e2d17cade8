"""Startup time: complete commands, compared with a script that imports scikit-learn and fits one tree on iris."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = """
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
X, y = load_iris(return_X_y=True)
print(DecisionTreeClassifier().fit(X, y).score(X, y))
"""


def best(command: list[str], folder: Path, repeats: int = 7) -> tuple[float, float]:
    """Return the best wall and CPU seconds of a command."""
    wall, cpu = [], []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(wall), min(cpu)


def main() -> None:
    """Print times and speedups."""
    from sklearn.datasets import load_iris

    tool = str(Path(sys.executable).parent / "hedgerow")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        iris = load_iris()
        lines = [",".join([*iris.feature_names, "species"])]
        lines += [",".join(map(str, [*x, iris.target_names[k]])) for x, k in zip(iris.data, iris.target, strict=True)]
        (folder / "iris.csv").write_text("\n".join(lines) + "\n")
        peer = best([sys.executable, "-c", SCRIPT], folder)
        print(f"{'script: scikit-learn, one tree':44} {peer[0]:6.3f} s wall {peer[1]:6.3f} s CPU")
        for text, goal in (
            ("hedgerow train iris.csv -l naive_bayes", "at most 1/2"),
            ("hedgerow train iris.csv -o iris.hedge", "below 1, though it tries six learners"),
            ("hedgerow train iris.csv -l one_r", "at most 1/2"),
            ("hedgerow --help", "at most 1/5"),
        ):
            wall, cpu = best([tool, *text.split()[1:]], folder)
            print(f"{text:44} {wall:6.3f} s wall {cpu:6.3f} s CPU   {wall / peer[0]:.2f} of its elapsed time ({goal})")


if os.name != "posix":
    raise SystemExit("this benchmark counts the CPU time of child processes, which needs a POSIX system")
