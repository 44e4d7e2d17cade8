"""Association mining as functions: `mine` finds the frequent item sets, `association_rules` derives rules from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from hedgerow.errors import UsageError
from hedgerow.learn.associations.apriori import Apriori
from hedgerow.learn.associations.mining import load_rows, set_limits
from hedgerow.learn.associations.rules import MOST_LOOKS, RuleLimits, make_rules
from hedgerow.learn.associations.to_item_sets import find_sets
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.item_sets import WHICH, ItemSets
from hedgerow.models.base.model import About


def mine(
    data: Any,
    min_support: float | None = None,
    *,
    min_count: int | None = None,
    sets: str = "all",
    max_length: int | None = None,
    min_supports: Mapping[str, float] | None = None,
    max_spread: float | None = None,
    top: int | None = None,
    memory: float | str | None = None,
    time: float | str | None = None,
    id: str | None = None,  # noqa: A002
    item: str | None = None,
    absent: Sequence[str] | str = (),
    discretize: str = "frequency",
    bins: int = 3,
    look_ahead: bool = False,
    to: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Any:
    """Return the sets of items that occur together in enough rows, with their counts.

    Parameters
    ----------
    data
        A table, a frame, an array, a sparse matrix, a path, or the words of each row, in lists or sets; or a source,
        which is read once for each size of sets. All columns are used, including the target.
    min_support, min_count
        Minimum share of the rows (0.1 if neither is given), or minimum number of rows, that contain a set.
    sets
        `all`, only the `closed` ones (no larger set has the same count), or the `maximal` (no larger set is frequent).
    max_length
        Maximum number of items of a set.
    min_supports
        Individual minimum supports of items or columns; a set needs the lowest of those of its items.
    max_spread
        Maximum difference between the supports of two items of a set.
    top
        Maximum number of sets, those with the highest counts; sets with equal counts are either all included or all
        excluded.
    memory, time
        Limits, such as `2G` (default: half of the free memory) and `60s`. If a limit is reached, the result is complete
        down to the count `bound`, and `ended` gives the reason. The default time for maximal sets is one minute. The
        memory limit covers the sets and the search, but not the table and its encoded rows.
    id, item
        Columns of a table with one item per row: the id of the basket, and the item.
    absent
        Values that mean the absence of an item, such as `no`.
    discretize, bins
        How numeric columns are discretized, unless they hold only 0 and 1: `frequency` or `width`, and the number of
        intervals.
    look_ahead
        For a source: count candidates of two sizes per pass; there are more candidates, but fewer passes.
    to
        A file for the sets, .arrow, .parquet or .csv, written piece by piece; then only a `Written` is returned.

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(mine(examples.loan(), 0.5))
    {Has_Job=false}  # support 66.7 %, count 10
    {Own_House=false}  # support 60 %, count 9
    {Class=Yes}  # support 60 %, count 9
    """
    if sets not in WHICH:
        raise UsageError(f"sets={sets!r} is not allowed: it must be one of {', '.join(WHICH)}")
    given = {name: value for name, value in locals().items() if name in Apriori.params}
    for name, value in given.items():
        Apriori.params[name].check(value)
    entered = load_rows(data, given, threads)
    wanted = set_limits(entered.rows, given, sets, None if top is None else int(top))
    notes = (*entered.notes, *entered.rows.items.notes)
    if to is not None:
        from hedgerow.learn.associations.sets_to_file import write_sets

        return write_sets(entered.rows, wanted, to, notes)
    found = find_sets(entered.rows, wanted)
    parameters = {name: value for name, value in given.items() if value is not None and value != ()}
    if found.ended:
        notes = (*notes, found.ended)
    rows, weight = entered.row_totals()
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
    return found.replace_about(About("mine", plain, rows, weight, notes))


def association_rules(
    sets: ItemSets,
    min_confidence: float = 0.8,
    *,
    min_lift: float | None = None,
    min_leverage: float | None = None,
    min_conviction: float | None = None,
    antecedent: Sequence[str] | str | None = None,
    consequent: Sequence[str] | str | None = None,
    min_antecedent: int = 1,
    max_antecedent: int | None = None,
    max_consequent: int | None = None,
    fold: bool = False,
    top: int | None = None,
    by: str = "confidence",
    max_rules: int | None = MOST_LOOKS,
    memory: float | str | None = None,
    time: float | str | None = None,
) -> AssociationRules:
    """Return the rules derived from item sets, strongest first; ties are sorted by count, then by their sets.

    Parameters
    ----------
    sets
        All frequent sets, as `mine` finds them.
    min_confidence, min_lift, min_leverage, min_conviction
        Minimum values of these measures.
    antecedent, consequent
        Items, or columns for all of their items, that are allowed on a side; others are not.
    min_antecedent, max_antecedent, max_consequent
        Lengths of the sides; `min_antecedent=0` also gives rules without a condition.
    fold
        Leave out a rule if a more general one, with fewer conditions and the same consequent, has at least its
        confidence.
    top, by
        Number of rules to keep, and the measure by which they are ranked and sorted.
    max_rules
        Maximum number of rules to consider, those of the most frequent sets first (with `fold`, a comparison with a
        more general rule also counts). None is no limit; long sets have an enormous number of rules.
    memory, time
        Limits, such as `2G` and `60s`. `about.notes` lists what was left out.

    Examples
    --------
    >>> from hedgerow import examples, mine
    >>> print(association_rules(mine(examples.loan(), 0.3), 0.9, consequent="Class=Yes"))
    {Own_House=true} => {Class=Yes} (6 of 6, 9 of 15)  # support 40 %, confidence 100 %, lift 1.67, count 6
    {Has_Job=true} => {Class=Yes} (5 of 5, 9 of 15)  # support 33.3 %, confidence 100 %, lift 1.67, count 5
    """
    given = {name: value for name, value in locals().items() if name in Apriori.params}
    for name, value in given.items():
        Apriori.params[name].check(value)
    made = make_rules(sets, RuleLimits.of(sets.items, given))
    return made.replace_about(
        About("apriori", sets.about.parameters, sets.about.rows, sets.about.weight, made.about.notes)
    )
