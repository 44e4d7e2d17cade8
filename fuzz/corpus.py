"""The corpus: inputs that once failed, one small JSON file each, which `tests/test_corpus.py` checks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[1] / "tests" / "corpus"


def cases(folder: Path = CORPUS) -> Iterator[tuple[str, str, str, Any]]:
    """Yield the file name, the group, the target name and the input of every case."""
    for path in sorted(folder.glob("*/*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        yield path.stem, path.parent.name, kept["target"], kept["input"]


def keep(group: str, target: str, case: Any, failure: str, folder: Path = CORPUS) -> Path:
    """Write an input to the corpus, named after its target and content, with the failure as a comment."""
    parts = {"target": target, "failed": failure[:300], "input": case}
    text = "{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in parts.items()) + "}"
    digest = hashlib.sha256(json.dumps(case).encode()).hexdigest()[:8]
    path = folder / group / f"{target}-{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path
