"""Decoding: how the predictions of binary machines are combined into one class.

Values are the machines' outputs: (machines, rows), 0 or more for the side +1, NaN where a machine makes no prediction.
Every method of decoding returns scores (rows, classes), the largest of a row its class (`best`); a class without a code
has -inf.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.decisions import TIE, decisions
from hedgerow.models.many.class_codes import CodeMatrix

BLOCK = 1 << 20  # numbers that are worked on at a time
LOSSES = ("hinge", "exp", "logistic")
AHEAD = 1e-9  # the share by which the decided class is more probable than another that was as probable
STEEPEST = 500.0  # of the exponential loss, so that sums of it stay finite


def best(scores: Numbers) -> Codes:
    """Return the class with the largest score of every row; ties up to rounding go to the first."""
    top = scores.max(axis=1, initial=-np.inf)
    least = top - TIE * np.maximum(np.abs(top), 1)
    codes: Codes = (scores >= least[:, None]).argmax(axis=1).astype(np.int32)
    return codes


def decode_classes(codes: CodeMatrix, values: Numbers, scores: Numbers) -> Codes:
    """Return the class of every row: that of the largest score, but of the one machine of two classes its side."""
    if len(codes) == 1 and codes.n_used == 2:
        first, second = codes.used.tolist()
        side: Codes = np.where(values[0] >= 0, second, first).astype(np.int32)  # no prediction: the first class
        return side
    return best(scores)


def votes(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the votes of every class, and between -1/3 and 1/3 the sum of the values for it, which parts ties.

    A machine votes for all classes on the side it answers, and not at all without a prediction. The sum s is squeezed
    to s / (3 (|s| + 1)), as scikit-learn does.
    """

    def count_row_votes(answers: Numbers) -> Numbers:
        silent = np.isnan(answers)
        won = np.where(silent, 0.0, np.where(answers >= 0, 1.0, -1.0))
        sums = _sums(codes, np.where(silent, 0.0, answers))
        # the votes of a class: machines that see and answer, (1 + entry * sign) / 2 each
        count = (_sums(codes, won) + _absolute_side_sums(codes, ~silent)) / 2
        return np.asarray(count + sums / (3 * (np.abs(sums) + 1)))

    return _score_in_blocks(codes, values, count_row_votes)


def evidence(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the sum of the values for every class, each clipped to [-1, 1]: beyond the margin a machine is certain.

    Unlike votes, it distinguishes rows near a boundary from rows far from all.
    """
    return _score_in_blocks(codes, values, lambda answers: _sums(codes, np.clip(np.nan_to_num(answers), -1.0, 1.0)))


def largest(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the value of each class's own machine, of the one machine of two classes -f and f."""
    if not codes.is_one_vs_rest:
        raise ModelError("deciding by the largest value requires one machine per class that separates it from the rest")

    def row_maxima(answers: Numbers) -> Numbers:
        if codes.n_used == 2:
            return np.concatenate([-answers, answers]).T
        return answers.T

    spoken = np.where(np.isnan(values), 0.0 if codes.n_used <= 2 else _low(values), values)
    return _score_in_blocks(codes, spoken, row_maxima)


def hamming(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the negative distance of each class's code to the predictions; 0 and no prediction are 1/2 away."""

    def row_distances(answers: Numbers) -> Numbers:
        signs = np.where(np.isnan(answers), 0.0, np.where(answers >= 0, 1.0, -1.0))
        return (_sums(codes, signs) - len(codes)) / 2

    return _score_in_blocks(codes, values, row_distances)


def loss_based(codes: CodeMatrix, values: Numbers, loss: str = "hinge") -> Numbers:
    """Return minus the loss of each class's code, summed over machines (Allwein, Schapire and Singer 2000).

    With z = entry * value it is max(0, 1 - z), exp(-z) or log(1 + exp(-z)); no answer counts as z = 0.
    """
    if loss not in LOSSES:
        raise UsageError(f"the loss is one of {', '.join(LOSSES)}, not {loss!r}")

    def row_losses(answers: Numbers) -> Numbers:
        known = np.where(np.isnan(answers), 0.0, answers)
        # of an entry of 1, of -1, and of 0; nothing is taken off, so that a small loss beside a large one stays
        plus, minus, zero = _loss(loss, known), _loss(loss, -known), float(_loss(loss, np.zeros(1))[0])
        unseen = np.full(codes.n_used, len(codes)) - np.abs(codes.entries[:, codes.used]).sum(axis=0, dtype=np.int64)
        return np.asarray(-(_side_sums(codes, plus, minus) + zero * unseen))

    return _score_in_blocks(codes, values, row_losses)


def _loss(name: str, z: Numbers) -> Numbers:
    if name == "hinge":
        return np.maximum(0.0, 1 - z)
    if name == "exp":
        return np.exp(np.minimum(-z, STEEPEST))
    return np.logaddexp(0.0, -z)


def _low(values: Numbers) -> Numbers:
    """Return for every row a value below those of all predictions: a machine without a prediction never wins."""
    known = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return np.where(np.isinf(known), 0.0, known - 1)


def put_winner_first(shares: Numbers, winners: Codes) -> Numbers:
    """Return a distribution in which the winner of every row is the most probable class.

    Where another is, the two exchange their probabilities; a winner that ties with an earlier class gets a trifle more.

    >>> put_winner_first(np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]), np.array([1, 2], dtype=np.int32)).tolist()
    [[0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]
    """
    rows = np.flatnonzero((decisions(shares) != winners) | (shares.argmax(axis=1) != winners))
    if not len(rows):
        return shares
    shares = shares.copy()
    won, most = winners[rows], shares[rows].argmax(axis=1)
    shares[rows, won], shares[rows, most] = shares[rows, most], shares[rows, won]
    tied = rows[(decisions(shares[rows]) != won) | (shares[rows].argmax(axis=1) != won)]
    shares[tied, winners[tied]] *= 1 + AHEAD
    shares[tied] /= shares[tied].sum(axis=1, keepdims=True)
    return shares


def _score_in_blocks(codes: CodeMatrix, values: Numbers, scored: Any) -> Numbers:
    """Return the scores of all classes, those of the used ones by `scored` of some rows at a time."""
    if values.ndim != 2 or len(values) != len(codes):
        raise ModelError(f"{len(codes)} machines need one row of values each, not values of the shape {values.shape}")
    out = np.full((values.shape[1], codes.n_classes), -np.inf)
    whole = codes.n_used == codes.n_classes
    for part in blocks(values.shape[1], len(codes)):
        if whole:
            out[part] = scored(values[:, part])
        else:
            out[part, codes.used] = scored(values[:, part])
    return out


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Return which rows to work on at a time, where each takes `width` numbers."""
    step = max(1, BLOCK // max(width, 1))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _sums(codes: CodeMatrix, numbers: Numbers) -> Numbers:
    """Return for every row and used class the sum of entry * number over the machines."""
    if codes.is_pairs:
        return _pair_sums(codes.n_used, numbers, -1.0)
    return np.asarray(numbers.T @ codes.entries[:, codes.used].astype(np.float64))


def _absolute_side_sums(codes: CodeMatrix, numbers: NDArray[Any]) -> Numbers:
    """Return the same with |entry|."""
    if codes.is_pairs:
        return _pair_sums(codes.n_used, numbers, 1.0)
    return np.asarray(numbers.T.astype(np.float64) @ np.abs(codes.entries[:, codes.used]).astype(np.float64))


def _side_sums(codes: CodeMatrix, plus: Numbers, minus: Numbers) -> Numbers:
    """Return for every row and used class the sum of `plus` of machines with it on the side of +1, else `minus`."""
    if codes.is_pairs:
        return _pair_sums(codes.n_used, plus, 1.0, minus)
    own = codes.entries[:, codes.used]
    return np.asarray(plus.T @ (own > 0).astype(np.float64) + minus.T @ (own < 0).astype(np.float64))


def _pair_sums(n: int, numbers: NDArray[Any], first: float, others: NDArray[Any] | None = None) -> Numbers:
    """Return the sums for machines of all pairs, which touch two classes each: for the first one times `first`.

    The first one has `others`, if they are given.
    """
    sums = np.zeros((n, numbers.shape[1]))
    start = 0
    for code in range(n - 1):
        mine = numbers[start : start + n - 1 - code]
        own = mine if others is None else others[start : start + n - 1 - code]
        sums[code] += first * own.sum(axis=0)
        sums[code + 1 :] += mine
        start += len(mine)
    return sums.T
