"""Constant memory: generated rows are piped into `hedgerow online`, whose memory is measured meanwhile.

    python -m benchmarks.speed.online_stream [GIGABYTES]

Prints a line for every half gigabyte: bytes so far, megabytes per second, and the peak memory of the learner.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

STEP = 1 << 29  # bytes between two lines
TERMS = 50_000
WORDS = 60  # per row
BLOCK_ROWS = 20_000


def blocks(seed: int = 7) -> bytes:
    """Return one block of rows in VW's format: words by Zipf's law that depend on the class of their row."""
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    terms = np.array(["".join(random.choice(letters, random.integers(2, 12))) for _ in range(TERMS)])
    picks = (random.zipf(1.1, (BLOCK_ROWS, WORDS)) - 1) % TERMS
    classes = np.where(np.median(picks, axis=1) % 2 == 0, 1, -1)
    return b"".join(
        f"{label} |text {' '.join(terms[row])}\n".encode() for label, row in zip(classes, picks, strict=True)
    )


def peak(pid: int) -> float:
    """Return the peak memory of a process in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def main(gigabytes: float) -> None:
    """Pipe this many rows, and print the memory used."""
    block = blocks()
    process = subprocess.Popen(
        [sys.executable, "-c", "from hedgerow.cli import main; main()", "online", "--format", "vw", "-q"],
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    sent, due, begun = 0, STEP, time.monotonic()
    print(f"{'GB':>6} {'MB/s':>8} {'peak MB':>8}")
    while sent < gigabytes * (1 << 30):
        process.stdin.write(block)
        sent += len(block)
        if sent >= due:
            rate = sent / (1 << 20) / (time.monotonic() - begun)
            print(f"{sent / (1 << 30):6.1f} {rate:8.1f} {peak(process.pid):8.1f}", flush=True)
            due += STEP
    last = peak(process.pid)
    process.stdin.close()
    assert process.wait() == 0
    print(f"{sent / (1 << 30):6.1f} {sent / (1 << 20) / (time.monotonic() - begun):8.1f} {last:8.1f}  done")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
