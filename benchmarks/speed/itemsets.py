"""Frequent item sets compared with pyfim (Borgelt's C programs) and mlxtend: time, memory, and the number of sets.

python -m benchmarks itemsets --only chess@50 t10i4@0.05
The public data sets need HEDGEROW_SHARED. pyfim and mlxtend start from their input formats, Python rows and a Boolean
data frame; hedgerow starts from a Table. All deliver every set to Python: pyfim tuples, mlxtend frozen sets, hedgerow
arrays. If an item is in every row (mushroom), pyfim leaves out the set of this item: hedgerow has one more. On the
generated baskets at the end, other programs run out of memory or time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed.baskets import Made, save_baskets, sparse_baskets, with_huge_baskets, with_one_basket_of_all
from benchmarks.speed.contenders import thread_counts
from benchmarks.speed.timing import Beside, Timed, absent, timed
from benchmarks.speed.workloads import shared


class Contest(NamedTuple):
    """A public data set of baskets, the minimum count, and whether mlxtend can process it."""

    file: str
    rows: int
    omitted: int  # sets that pyfim leaves out
    mlxtend: bool


CONTESTS = {
    "mushroom@10": Contest("mushroom", 813, 1, True),
    "mushroom@5": Contest("mushroom", 407, 1, False),
    "chess@60": Contest("chess", 1918, 0, True),
    "chess@50": Contest("chess", 1598, 0, False),
    "t10i4@0.5": Contest("T10I4D100K", 500, 0, True),
    "t10i4@0.1": Contest("T10I4D100K", 100, 0, False),
    "t10i4@0.05": Contest("T10I4D100K", 50, 0, False),
}
OURS = """
import hedgerow
table = hedgerow.read(PATH)
"""
OUR_BODY = "return hedgerow.mine(table, min_count=ROWS, threads=THREADS)"
PYFIM = """
import fim
from pathlib import Path
from benchmarks.speed.baskets import rows_of
rows = rows_of(Path(PATH))
"""
MLXTEND = """
import pandas as pd
from pathlib import Path
from mlxtend.frequent_patterns import fpgrowth
from mlxtend.preprocessing import TransactionEncoder
from benchmarks.speed.baskets import rows_of
rows = rows_of(Path(PATH))
encoder = TransactionEncoder()
frame = pd.DataFrame(encoder.fit(rows).transform(rows), columns=encoder.columns_)
"""
COUNTED = '{"sets": len(result)}'
MINERS = ("apriori", "eclat", "fpgrowth")


class Shape(NamedTuple):
    """Generated baskets, and the minimum supports used for mining."""

    title: str
    items: int
    make: Callable[[], Made]
    bounds: dict[str, str]


SHAPES = {
    "sparse": Shape(
        "1,800,000 baskets of 11,000 items",
        11_000,
        sparse_baskets,
        {
            "1 %": "min_support=0.01",
            "0.1 %": "min_support=0.001",
            "0.01 %": "min_support=0.0001",
            "0.01 %, closed": "min_support=0.0001, sets='closed'",
        },
    ),
    "huge": Shape(
        "100,000 baskets, thirty of them huge",
        1_000,
        with_huge_baskets,
        {
            "25 rows": "min_count=25",
            "10 rows": "min_count=10",
            "10 rows, maximal, 30 s": "min_count=10, sets='maximal', time='30s'",
        },
    ),
    "all": Shape(
        "10,000 baskets and one of 5,000 items",
        5_000,
        with_one_basket_of_all,
        {
            "2 rows": "min_count=2",
            "1 row": "min_count=1",
            "1 row, maximal, 30 s": "min_count=1, sets='maximal', time='30s'",
        },
    ),
}
SHAPED = """
import hedgerow
from benchmarks.speed.baskets import load_baskets
rows = load_baskets(FOLDER, NAME)
"""
SHAPED_FACTS = '{"sets": len(result), "bound": float(result.bound), "ended": result.ended}'
BUDGET = 2048  # MB, in total


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks itemsets", description=__doc__.split("\n")[0])
    names = [*CONTESTS, *SHAPES]
    options.add_argument("--only", nargs="+", choices=names, default=names, help="rows of the table to run")
    options.add_argument("--threads", nargs="+", type=int, default=thread_counts(), help="thread counts to measure")
    options.add_argument("--repeats", type=int, default=5, help="number of runs, of which the best counts")
    options.add_argument("--no-peers", action="store_true", help="run hedgerow only")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table for every public data set, then for the generated baskets."""
    chosen = parser().parse_args(arguments)
    for name in chosen.only:
        if name in CONTESTS:
            _contest(name, CONTESTS[name], chosen)
        else:
            _shape(name, SHAPES[name], chosen)


def _contest(name: str, contest: Contest, chosen: argparse.Namespace) -> None:
    path = shared() / "basket" / f"{contest.file}.dat.gz"
    if not path.is_file():
        print(f"\n{name}: skipped, {path.name} not found (set HEDGEROW_SHARED to the folder of the data sets)")
        return
    print(f"\n{name}: sets in {contest.rows:,} rows or more")
    where = f"PATH, ROWS = {str(path)!r}, {contest.rows}\n"
    how = {"facts": COUNTED, "repeats": chosen.repeats, "budget": 20.0}
    lines = Beside(["sets"])
    for threads in chosen.threads:
        lines.measure("hedgerow mine", threads, ours=True, setup=where + OURS, body=OUR_BODY, **how)
    if not chosen.no_peers:
        found = [_pyfim(lines, miner, where, how) for miner in MINERS]
        _verdict(lines, [one for one in found if one is not None], contest)
    if contest.mlxtend and not chosen.no_peers:
        body = f"return fpgrowth(frame, min_support={contest.rows} / len(frame), use_colnames=True)"
        lines.measure(
            "mlxtend fpgrowth", 1, module="mlxtend", setup=where + MLXTEND, body=body, **{**how, "repeats": 1}
        )


def _pyfim(lines: Beside, miner: str, where: str, how: dict[str, object]) -> Timed | None:
    """Time one of Borgelt's programs; None if it is not installed."""
    if reason := absent("fim"):
        lines.skip(f"pyfim {miner}", reason)
        return None
    body = f"return fim.{miner}(rows, target='s', supp=-ROWS, report='a')"
    one = timed(where + PYFIM, body, threads=1, **how)  # type: ignore[arg-type]
    lines.add(f"pyfim {miner}", one, 1)
    return one


def _verdict(lines: Beside, peers: list[Timed], contest: Contest) -> None:
    """Print hedgerow compared with the fastest of pyfim: time, memory, and whether the counts agree."""
    if not peers or not lines.ours:
        return
    best = min(peers, key=lambda one: one.wall)
    least = min(one.grown for one in peers)
    told = [f"{best.wall / ours.wall:.2f} x on {threads} thread(s)" for threads, ours in lines.ours.items()]
    ours = next(iter(lines.ours.values()))
    memory = f"{ours.grown:.0f} MB grown to pyfim's {least:.0f} at least"
    more = ours.facts["sets"] - best.facts["sets"]
    agreed = "counts agree" if more == contest.omitted else f"COUNTS DIFFER by {more}, expected {contest.omitted}"
    print(f"compared with the fastest of pyfim: {', '.join(told)}; {memory}; {agreed}", flush=True)


def _shape(name: str, shape: Shape, chosen: argparse.Namespace) -> None:
    print(f"\n{name}: {shape.title}, memory limit {BUDGET} MB")
    with tempfile.TemporaryDirectory() as folder:
        save_baskets(Path(folder), name, shape.make(), shape.items)
        setup = f"FOLDER, NAME = {folder!r}, {name!r}\n" + SHAPED
        lines = Beside(["sets", "bound"])
        for title, bounds in shape.bounds.items():
            for threads in chosen.threads:
                body = f"return hedgerow.mine(rows, {bounds}, memory='1200M', threads=THREADS)"
                one = timed(setup, body, repeats=1, threads=threads, facts=SHAPED_FACTS)
                lines.add(f"hedgerow mine, {title}", one, threads)
            if one.facts["ended"]:
                print(f"  {one.facts['ended']}")
            if one.peak > BUDGET:
                print(f"  OVER THE LIMIT: {one.peak:.0f} MB")
