"""Run the fuzzers: `python -m fuzz --minutes 5 --only readers --seed 7`.

Every target gets an equal share of the time. The seed is printed. With the seed, the name of a target and the number
of an input, this input can be generated again: `python -m fuzz --seed 7 --only readers/csv --number 1234`. A failing
input is minimized and stored in tests/corpus, where the tests check it in every run.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzz.all_targets import all_targets
from fuzz.corpus import CORPUS, keep
from fuzz.run import Tally, run
from fuzz.target import ANSWER, SENTENCE, Target


def main() -> int:
    """Run the targets selected on the command line; return 1 if an input failed."""
    options = _options()
    seed = time.time_ns() % 2**32 if options.seed is None else options.seed
    chosen = [target for target in all_targets() if _is_asked_for(target, options.only)]
    if not chosen:
        sys.exit(f"there is no fuzz target {', '.join(options.only)!r}; {_names()}")
    print(f"seed {seed}: {len(chosen)} targets, {options.minutes:g} minutes", flush=True)
    start, most = (options.number, 1) if options.number is not None else (0, None)
    failed, total = 0, Tally()
    for target in chosen:
        tally = run(target, seed, 60 * options.minutes / len(chosen), start, most)
        _show(target, tally, seed, options.keep)
        total.counts += tally.counts
        failed += len(tally.findings)
    print(_line("all", total))
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--minutes", type=float, default=5.0, help="total duration (default: 5)")
    parser.add_argument("--only", action="append", default=[], help="a group or group/target, such as readers/csv")
    parser.add_argument("--seed", type=int, help="the seed of an earlier run (default: a new one, which is printed)")
    parser.add_argument("--number", type=int, help="run only this input of each target")
    parser.add_argument("--keep", type=Path, default=CORPUS, help="folder for failing inputs (default: tests/corpus)")
    return parser.parse_args()


def _is_asked_for(target: Target, only: list[str]) -> bool:
    return not only or target.group in only or f"{target.group}/{target.name}" in only


def _names() -> str:
    return "the targets are " + ", ".join(f"{target.group}/{target.name}" for target in all_targets())


def _show(target: Target, tally: Tally, seed: int, folder: Path) -> None:
    print(_line(f"{target.group}/{target.name}", tally), flush=True)
    for finding in tally.findings:
        path = keep(target.group, target.name, finding.case, finding.failure, folder)
        print(f"  input {finding.number}: {finding.failure[:200]} ({finding.where})")
        print(f"    rerun: python -m fuzz --seed {seed} --only {target.group}/{target.name} --number {finding.number}")
        print(f"    saved: {path}", flush=True)


def _line(name: str, tally: Tally) -> str:
    counts = tally.counts
    inputs = sum(counts.values())
    return (
        f"{name:40} {inputs:8,} inputs {counts[SENTENCE]:8,} errors {counts[ANSWER]:8,} results "
        f"{counts['failure']:6,} failures"
    )


if __name__ == "__main__":
    sys.exit(main())
