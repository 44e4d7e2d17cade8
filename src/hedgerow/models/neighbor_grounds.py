"""The grounds of a decision by nearest neighbors: words that they share, or the neighbors themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.data.term_vectors import TermVectors
from hedgerow.models.grounds import Ground, Grounds
from hedgerow.models.kept_rows import Asked
from hedgerow.models.neighbor_columns import TextRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors import Neighbors

SINGLE = 20  # rows that are equally far and told one by one; more are told together


def neighbor_grounds(model: Neighbors, table: Table) -> Grounds:
    """Return the votes of the neighbors of the only row of a table."""
    asked = model.kept.asked(table)
    rows, scores, votes = _voters(model, asked)
    by_words = model.kept.texts_only
    parts = _by_words(model, asked, rows, scores, votes) if by_words else _by_rows(model, rows, scores, votes)
    return Grounds("votes", tuple(parts))


def _voters(model: Neighbors, asked: Asked) -> tuple[Rows, Numbers, Numbers]:
    """Return the rows that vote, their scores, and what their votes count: what the kernel adds up by class."""
    k, width = float(model.k), min(model.n_rows, 2 * model.k)
    while True:
        found = model.kept.nearest(asked, width)
        rows, scores = found[0][0].astype(np.int64), found[1][0]
        own = np.ones(len(rows)) if model.weights is None else model.weights[rows]
        before = np.cumsum(own) - own
        last = scores[before < k][-1]  # the score of the last place
        if width == model.n_rows or scores[-1] < last:
            break
        width = min(model.n_rows, 4 * width)
    near = scores >= last
    rows, scores, own = rows[near], scores[near], own[near]
    group = scores == last
    left = min(1.0, (k - own[~group].sum()) / own[group].sum())
    return rows, scores, own * np.where(group, left, 1.0) * _closeness(model, scores)


def _closeness(model: Neighbors, scores: Numbers) -> Numbers:
    distances = model.kept.distances(scores)
    if model.votes == "plain":
        return np.ones(len(distances))
    if model.votes == "similarity":
        return model.kept.similarities(distances)
    return np.where(distances == 0, 1.0, 0.0) if (distances == 0).any() else 1 / distances


def _to_classes(model: Neighbors, rows: Rows, votes: Numbers) -> Numbers:
    counts = np.bincount(model.labels[rows], weights=votes, minlength=len(model.classes))
    return counts.astype(np.float64)


def _by_rows(model: Neighbors, rows: Rows, scores: Numbers, votes: Numbers) -> Iterator[Ground]:
    """Yield every neighbor; many that are as far as the last together."""
    distances = model.kept.distances(scores)
    group = scores == scores[-1]
    together = group if np.count_nonzero(group) > SINGLE else np.zeros_like(group)
    for place in np.flatnonzero(~together).tolist():
        row = int(rows[place])
        name = f"row {row}, {model.classes[model.labels[row]]}, at distance {distances[place]:.6g}"
        yield Ground(name, _to_classes(model, rows[place : place + 1], votes[place : place + 1]))
    if together.any():
        name = f"{np.count_nonzero(together)} rows at distance {distances[-1]:.6g}"
        yield Ground(name, _to_classes(model, rows[together], votes[together]))


def _by_words(model: Neighbors, asked: Asked, rows: Rows, scores: Numbers, votes: Numbers) -> Iterator[Ground]:
    """Yield the terms that are shared: a vote is shared out over them by what they add to the score."""
    _, ids, values, *_ = asked
    sharing = scores > 0
    near, scales = rows[sharing], votes[sharing] / scores[sharing]
    added = _added(model.kept.texts, near, ids, values)
    places = [(model.schema.names[at], one) for at, one in model.kept.columns.items() if isinstance(one, TextRows)]
    ends = np.cumsum([len(one.space) for _, one in places])
    for at in np.flatnonzero((added != 0).any(axis=0)).tolist():
        which = int(np.searchsorted(ends, ids[at], side="right"))
        column, one = places[which]
        term = int(ids[at] - (ends[which] - len(one.space)))
        yield Ground(one.space.names[term], _to_classes(model, near, scales * added[:, at]), column, term)
    if not sharing.all():
        name = f"{np.count_nonzero(~sharing)} rows that share no word"
        yield Ground(name, _to_classes(model, rows[~sharing], votes[~sharing]))


def _added(texts: TermVectors, rows: Rows, ids: Codes, values: Numbers) -> Numbers:
    """Return what each term (columns) of a text adds to its product with some rows."""
    added = np.zeros((len(rows), len(ids)))
    for place, row in enumerate(rows.tolist()):
        first, last = texts.row_starts[row], texts.row_starts[row + 1]
        _, mine, theirs = np.intersect1d(ids, texts.ids[first:last], assume_unique=True, return_indices=True)
        added[place, mine] = values[mine] * texts.values[first:last][theirs]
    return added
