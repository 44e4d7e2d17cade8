"""The reference implementation of kernels/read/sparse_pairs: sparse ARFF and svmlight rows, by regular expressions."""

from __future__ import annotations

import re

Pair = tuple[int, str]


def arff_pairs(text: str) -> list[tuple[list[Pair], float]]:
    """Return the pairs and the weight of every row; values as they are written, quotes undone."""
    rows = []
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        body, weight = re.fullmatch(r"\{(.*?)\}\s*(?:,\s*\{(.*?)\})?\s*(?:%.*)?", line).groups()
        pairs = re.findall(r"(\d+)\s+('[^']*'|[^,]+?)\s*(?:,|$)", body.strip())
        rows.append(([(int(i), v.strip("'")) for i, v in pairs], float(weight or 1)))
    return rows


def svmlight_pairs(text: str) -> list[tuple[str, list[Pair]]]:
    """Return the label and the pairs of every row; -1 is the index of a query."""
    rows = []
    for line in text.split("\n"):
        words = line.partition("#")[0].split()
        if words:
            pairs = [word.replace("qid:", "-1:").split(":") for word in words[1:]]
            rows.append((words[0], [(int(index), value) for index, value in pairs]))
    return rows
