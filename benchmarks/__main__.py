"""Run benchmarks: `python -m benchmarks` runs all, `python -m benchmarks read_csv cold_start` runs some.

Options after a single name are passed to it: `python -m benchmarks tree --help` lists them.
"""

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
SKIP = {"__init__", "baskets", "contenders", "text_corpora", "timing", "workloads"}
KNOWN = {
    file.stem: f"benchmarks.{room}.{file.stem}"
    for room in ("speed", "accuracy")
    for file in sorted((HERE / room).glob("*.py"))
    if file.stem not in SKIP
}


def main(words: list[str]) -> None:
    """Run the named benchmarks, or all."""
    first = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    names, options = words[:first], words[first:]
    unknown = [name for name in names if name not in KNOWN]
    if unknown or (options and len(names) != 1):
        problem = f"there is no benchmark {unknown[0]!r}" if unknown else "options need the name of one benchmark"
        sys.exit(f"{problem}; there are {', '.join(KNOWN)}")
    for name in names or KNOWN:
        module = import_module(KNOWN[name])
        if options and not hasattr(module, "parser"):
            sys.exit(f"the benchmark {name!r} has no options")
        print(f"\n== {name} ==", flush=True)
        module.main(*([options] if options else []))


if __name__ == "__main__":
    main(sys.argv[1:])
