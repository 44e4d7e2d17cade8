"""Run the benchmarks: `python -m benchmarks` runs all, `python -m benchmarks read_csv cold_start` some."""

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
SKIP = {"__init__", "timing", "workloads"}
KNOWN = {
    file.stem: f"benchmarks.{room}.{file.stem}"
    for room in ("speed", "accuracy")
    for file in sorted((HERE / room).glob("*.py"))
    if file.stem not in SKIP
}


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all."""
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(KNOWN)}")
    for name in names or KNOWN:
        print(f"\n== {name} ==", flush=True)
        import_module(KNOWN[name]).main()


main(sys.argv[1:])
