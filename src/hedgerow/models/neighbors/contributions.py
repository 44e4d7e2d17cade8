"""What a decision by nearest neighbors rests on: words that they share, or the neighbors themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.neighbors.stored_rows import NewRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors.base import NeighborModel
    from hedgerow.models.neighbors.neighbor_numbers import NeighborNumbers
    from hedgerow.models.neighbors.neighbors import Neighbors

SINGLE = 20  # equally distant rows that are listed one by one; more are combined


def neighbor_contributions(model: Neighbors, table: Table) -> Contributions:
    """Return the votes of the neighbors of the only row of a table."""
    queries = model.kept.prepare_queries(table)
    rows, scores, votes = _voters(model, queries)
    by_words = model.kept.has_only_texts
    parts = (
        _term_contributions(model, queries, rows, scores, votes)
        if by_words
        else _row_contributions(model, rows, scores, votes)
    )
    return Contributions("votes", tuple(parts))


def number_contributions(model: NeighborNumbers, table: Table) -> Contributions:
    """Return the contributions of the neighbors to their mean, or to that of all rows if none is known."""
    queries = model.kept.prepare_queries(table)
    name = str(model.schema.target)
    rows, scores, votes = _voters(model, queries)
    if not queries.is_known[0] or not votes.sum() > 0:
        return Contributions(name, (Contribution("mean of all rows", np.array([model.mean]), starts=True),))
    distances, shares = model.kept.distances(scores), votes / votes.sum()
    together = _together(scores)
    parts = [
        Contribution(
            (
                f"training row {model.training_row_numbers(row) + 1}, {model.format_row_target(row)}, at distance "
                f"{distance:.4g}, share {share:.4g}"
            ),
            np.array([share * model.targets[row]]),
        )
        for row, distance, share in zip(
            rows[~together].tolist(), distances[~together].tolist(), shares[~together].tolist(), strict=True
        )
    ]
    if together.any():
        name_all = f"{np.count_nonzero(together)} training rows at distance {distances[-1]:.4g}"
        parts.append(Contribution(name_all, np.array([shares[together] @ model.targets[rows[together]]])))
    return Contributions(name, tuple(parts))


def _together(scores: Numbers) -> NDArray[np.bool_]:
    """Return which rows are combined: those at the distance of the last, if there are many."""
    group: NDArray[np.bool_] = scores == scores[-1]
    return group if np.count_nonzero(group) > SINGLE else np.zeros_like(group)


def _voters(model: NeighborModel, queries: NewRows) -> tuple[Rows, Numbers, Numbers]:
    """Return the voting rows, their scores and the weights of their votes, as added up by the kernel."""
    k, width = float(model.k), min(model.n_rows, 2 * model.k)
    while True:
        found = model.kept.nearest(queries, width)
        rows, scores = found[0][0].astype(np.int64), found[1][0]
        own = np.ones(len(rows)) if model.weights is None else model.weights[rows]
        before = np.cumsum(own) - own
        last = scores[before < k][-1]  # the score of the last neighbor
        if width == model.n_rows or scores[-1] < last:
            break
        width = min(model.n_rows, 4 * width)
    near = scores >= last
    rows, scores, own = rows[near], scores[near], own[near]
    group = scores == last
    left = min(1.0, (k - own[~group].sum()) / own[group].sum())
    return rows, scores, own * np.where(group, left, 1.0) * _closeness_weights(model, scores)


def _closeness_weights(model: NeighborModel, scores: Numbers) -> Numbers:
    distances = model.kept.distances(scores)
    if model.asking.votes == "plain":
        return np.ones(len(distances))
    if model.asking.votes == "similarity":
        return model.kept.similarities(distances)
    return np.where(distances == 0, 1.0, 0.0) if (distances == 0).any() else 1 / distances


def _to_class_scores(model: Neighbors, rows: Rows, votes: Numbers) -> Numbers:
    counts = np.bincount(model.labels[rows], weights=votes, minlength=len(model.classes))
    return counts.astype(np.float64)


def _row_contributions(model: Neighbors, rows: Rows, scores: Numbers, votes: Numbers) -> Iterator[Contribution]:
    """Yield every neighbor; many that are as far as the last together."""
    distances = model.kept.distances(scores)
    together = _together(scores)
    for place in np.flatnonzero(~together).tolist():
        row = int(rows[place])
        number = model.training_row_numbers(row) + 1
        name = f"training row {number}, {model.format_row_target(row)}, at distance {distances[place]:.4g}"
        yield Contribution(name, _to_class_scores(model, rows[place : place + 1], votes[place : place + 1]))
    if together.any():
        name = f"{np.count_nonzero(together)} training rows at distance {distances[-1]:.4g}"
        yield Contribution(name, _to_class_scores(model, rows[together], votes[together]))


def _term_contributions(
    model: Neighbors, queries: NewRows, rows: Rows, scores: Numbers, votes: Numbers
) -> Iterator[Contribution]:
    """Yield the terms that are shared: a vote is distributed over them by their contributions to the score."""
    ids, values = queries.ids, queries.values
    sharing = scores > 0
    near, scales = rows[sharing], votes[sharing] / scores[sharing]
    terms, voters, added = _term_products(model.kept.texts, near, ids, values)
    places = [(model.schema.names[at], one) for at, one in model.kept.text_columns.items()]
    ends = np.cumsum([len(one.space) for _, one in places])
    for first, last in pairwise([*np.flatnonzero(np.diff(terms, prepend=-1)).tolist(), len(terms)]):
        known = int(ids[terms[first]])
        which = int(np.searchsorted(ends, known, side="right"))
        column, one = places[which]
        term = int(known - (ends[which] - len(one.space)))
        own = voters[first:last]
        yield Contribution(
            one.space.name_of(term), _to_class_scores(model, near[own], scales[own] * added[first:last]), column, term
        )
    if not sharing.all():
        n = np.count_nonzero(~sharing)
        name = f"{n} training rows without a common word" if n > 1 else "a training row without a common word"
        yield Contribution(name, _to_class_scores(model, rows[~sharing], votes[~sharing]))


def _term_products(texts: TermVectors, rows: Rows, ids: Codes, values: Numbers) -> tuple[Rows, Rows, Numbers]:
    """Return the contributions of a text's terms to its product with some rows, as far as these have them.

    Places in `ids`, ascending, and in `rows`, each with what is added. So many rows may be equally near that no room
    is for one number per row and term.
    """
    sizes = np.diff(texts.row_starts)[rows]
    ends = np.cumsum(sizes)
    inside = np.repeat(texts.row_starts[rows] - (ends - sizes), sizes) + np.arange(sizes.sum(), dtype=np.int64)
    terms = np.searchsorted(ids, texts.ids[inside])
    voters = np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
    terms[terms == len(ids)] = 0
    shared = np.flatnonzero(ids[terms] == texts.ids[inside]) if len(ids) else np.zeros(0, np.int64)
    added = values[terms[shared]] * texts.values[inside[shared]]
    shared, added = shared[added != 0], added[added != 0]
    order = np.argsort(terms[shared], kind="stable")
    return terms[shared][order], voters[shared][order], added[order]
