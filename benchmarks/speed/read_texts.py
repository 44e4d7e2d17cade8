"""A folder of folders with 18,846 small files, and mails without headers, compared with scikit-learn."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from benchmarks.speed.timing import Beside
from benchmarks.speed.workloads import shared

NEWS = shared() / "text" / "20newsgroups.jsonl.gz"
STRIP = "from sklearn.datasets import _twenty_newsgroups as news"
ONE_BY_ONE = """
for name in ("header", "footer", "quoting"):
    texts = [getattr(news, f"strip_newsgroup_{name}")(text) for text in texts]
return texts
"""


def main() -> None:
    """Print times and speedups; the files are read from the cache of the system."""
    if not NEWS.is_file():
        print(f"skipped: there is no {NEWS.name}")
        return
    with tempfile.TemporaryDirectory() as folder:
        _unpack(Path(folder))
        _beside(folder)


def _unpack(folder: Path) -> None:
    with gzip.open(NEWS, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            path = folder / row["label"] / f"{row['split']}-{row['id']}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(row["text"], encoding="utf-8")


def _beside(folder: str) -> None:
    opened = "from hedgerow.data.read import open_source"
    print("reading 20 Newsgroups with one file per document")
    lines = Beside(facts=())
    for threads in (1, 2):
        body = f"return open_source({folder!r}).read()"
        lines.measure("hedgerow", threads, ours=True, setup=opened, body=body)
    body = f'return load_files({folder!r}, encoding="utf-8", shuffle=False)'
    lines.measure("load_files", 1, module="sklearn", setup="from sklearn.datasets import load_files", body=body)
    lines.finish()
    print("\nremoving headers, signatures and quotes")
    lines = Beside(facts=())
    ours = f"{opened}\nfrom hedgerow.data.text.strip_mail import stripped_table\ntable = open_source({folder!r}).read()"
    lines.measure(
        "hedgerow", 1, ours=True, setup=ours, body='return stripped_table(table, ("headers", "signatures", "quotes"))'
    )
    theirs = f'{STRIP}\nfrom sklearn.datasets import load_files\nread = load_files({folder!r}, encoding="utf-8").data'
    lines.measure("strip_newsgroup_*", 1, module="sklearn", setup=theirs, body="texts = read" + ONE_BY_ONE)
    lines.finish()


if __name__ == "__main__":
    main()
