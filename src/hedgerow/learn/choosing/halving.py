"""Successive halving: candidates are compared on few rows first, and those that are clearly worse leave early.

K. Jamieson and A. Talwalkar, Non-stochastic best arm identification and hyperparameter optimization. AISTATS (2016).
Here the resource is rows, and who leaves is decided by the paired differences on the held-out rows. The work is counted
in advance (`work.training_work`), so that the same table gives the same choice on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from hedgerow.data.table.table import Rows, Table
from hedgerow.learn.choosing.rounds import Candidates, Round, Settings, n_parts
from hedgerow.learn.choosing.selection import CandidateResult, Selection, choose, compare, without_result
from hedgerow.learn.choosing.work import TableShape, rows_in_memory, rows_within, training_work
from hedgerow.learn.supervised import Supervised

Progress = Callable[[int, int], None]
FIRST_ROWS = 1000  # of the first round
GROWTH = 4  # times as many rows in each round
CLEARLY = 4.0  # standard errors of the difference to the best beyond which a candidate is clearly worse
LEAST_ROWS = 200  # a candidate that cannot afford to learn from so many is left out
THOUSANDTHS = 1000  # progress counts thousandths of a second of work


def select(
    candidates: Candidates,
    table: Table,
    settings: Settings,
    groups: Rows | None = None,
    yardstick: tuple[str, Supervised] | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Return which of several candidates, the simplest first, to keep for a table that is ready.

    The yardstick takes part in the last round, but is not kept.
    """
    sizes = _round_sizes(table.n_rows)
    results: dict[str, CandidateResult] = {}
    losses: dict[str, float] = {}
    alive, left = candidates, settings.seconds
    bar = WorkBar(progress)
    for rows in sizes:
        final = rows == table.n_rows
        now = Round.of(table, rows, settings, groups)
        if final and yardstick is not None:
            alive = [*alive, yardstick]
        alive, caps = _affordable(alive, now, left if final else left / 2)
        work = [now.work(learner, cap) for (_, learner), cap in zip(alive, caps, strict=True)]
        later = _later_work(alive, yardstick, now.shape, sizes[sizes.index(rows) + 1 :], settings.folds)
        bar.begin(work, now.n_parts, min(later, left - sum(work)))
        n_readable = len(alive) - (final and yardstick in alive)
        compared = compare(alive, now.trials(alive, caps, settings, bar.tell), now.table.n_rows, n_readable)
        results |= {one.name: one for one in compared}
        left -= sum(work)
        if not final:
            alive = _survivors(alive, compared, losses, table.n_rows / now.table.n_rows)
            losses = {one.name: one.loss for one in compared}
    bar.end()
    found = _selection(candidates, results, now, settings, settings.seconds - left)
    if yardstick is None:
        return found
    return replace(found, yardstick=results.get(yardstick[0]), yardstick_work=sum(work[n_readable:]))


def expected_work(
    candidates: Candidates, yardstick: tuple[str, Supervised] | None, table: Table, folds: int, seconds: float
) -> float:
    """Return about how much work a selection is: that of all rounds if nobody left, at most the budget."""
    return min(_later_work(candidates, yardstick, TableShape.of(table), _round_sizes(table.n_rows), folds), seconds)


def _round_sizes(n_rows: int) -> list[int]:
    """Return how many rows the rounds have: the last all of them, each of the others a quarter of the next or less."""
    sizes = [n_rows]
    rows = FIRST_ROWS
    smaller = []
    while rows * 2 < n_rows:
        smaller.append(rows)
        rows *= GROWTH
    return smaller + sizes


def _later_work(
    alive: Candidates, yardstick: tuple[str, Supervised] | None, shape: TableShape, sizes: Sequence[int], folds: int
) -> float:
    """Return the work of rounds of some sizes if nobody left; the yardstick takes part in the last."""
    work = 0.0
    for rows in sizes:
        part = shape.with_rows(rows * (1 - 1 / folds))
        beside = [yardstick] if yardstick is not None and rows == sizes[-1] else []
        work += n_parts(rows, folds) * sum(training_work(learner, part) for _, learner in [*alive, *beside])
    return work


def _selection(
    candidates: Candidates, results: dict[str, CandidateResult], last: Round, settings: Settings, work: float
) -> Selection:
    """Return the selection among the candidates that came to the last round, which was on all rows."""
    listed = [results.get(name) or without_result(name, learner) for name, learner in candidates]
    rows = last.table.n_rows
    final = [one if one.rows == rows else replace(one, loss=math.nan, auc=math.nan) for one in listed]
    chosen, best = choose(final, settings.within, settings.margin)
    how = settings.folds, settings.within, settings.margin, settings.criterion
    return Selection(tuple(listed), chosen, best, *how, rows, last.tested_rows, work)


def _affordable(alive: Candidates, now: Round, seconds: float) -> tuple[Candidates, list[int]]:
    """Return the candidates that can learn from enough rows in so many seconds, and from how many each may.

    Those that need less than an equal share leave the rest to the others. The simplest always stays.
    """
    needs = [now.work(learner) for _, learner in alive]
    level, rest = math.inf, seconds
    for place, need in enumerate(sorted(needs)):
        share = rest / (len(needs) - place)
        if need > share:
            level = share
            break
        rest -= need
    shape = now.training_shape
    caps = [
        now.table.n_rows if need <= level else rows_within(learner, shape, level / max(now.n_parts, 1))
        for (_, learner), need in zip(alive, needs, strict=True)
    ]
    caps = [int(min(cap, rows_in_memory(learner, shape))) for (_, learner), cap in zip(alive, caps, strict=True)]
    least = min(LEAST_ROWS, int(shape.rows))
    stay = [place for place, cap in enumerate(caps) if cap >= least or place == 0]
    return [alive[place] for place in stay], [max(caps[place], 1) for place in stay]


def _survivors(
    alive: Candidates, compared: Sequence[CandidateResult], before: dict[str, float], growth: float
) -> Candidates:
    """Return the candidates that go on to rounds that bring `growth` times the rows.

    One that failed leaves, and one that is clearly worse, and would still be so if each further round lowered its loss
    as much as the last one did; learning curves become flatter. `before` has the losses of the last round; a candidate
    that has none stays. So does the first, as what the others are to beat.
    """
    steps, stay = math.log(growth, GROWTH), []
    lowest = min((one.loss for one in compared if not math.isnan(one.loss)), default=math.nan)
    for place, (one, found) in enumerate(zip(alive, compared, strict=True)):
        clearly = found.difference > CLEARLY * found.difference_error
        hoped = found.loss - steps * max(before.get(found.name, math.inf) - found.loss, 0.0)
        if place == 0 or not (math.isnan(found.loss) or (clearly and hoped > lowest)):
            stay.append(one)
    return stay


class WorkBar:
    """Progress in work: what is done of what there is to do, as known from round to round."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.done, self.total = progress, 0.0, 0.0
        self.steps: list[float] = []

    def begin(self, work: Sequence[float], parts: int, later: float) -> None:
        """Begin a round whose candidates take so much work, each in so many parts; rounds to come take `later`."""
        self.steps = [one / max(parts, 1) for one in work]
        self.total = self.done + sum(work) + later

    def tell(self, candidate: int) -> None:
        """Note that a candidate is done with a part."""
        self.done += self.steps[candidate]
        if self.progress is not None:
            self.progress(round(self.done * THOUSANDTHS), max(1, round(max(self.total, self.done) * THOUSANDTHS)))

    def end(self) -> None:
        """Note that all is done."""
        if self.progress is not None:
            work = max(1, round(self.done * THOUSANDTHS))
            self.progress(work, work)
