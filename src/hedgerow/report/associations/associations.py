"""Reports on item sets, association rules and recommendations: the search and its results, the best first."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.items.items import Items
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.learn.associations.first_look import FirstLook
from hedgerow.models.associations.association_rules import MEASURES, AssociationRules
from hedgerow.models.associations.item_sets import ItemSets
from hedgerow.models.associations.set_arrays import iterate_sets
from hedgerow.report.about.learners import changed_parameters
from hedgerow.report.schema import (
    AssociationReport,
    AssociationsReport,
    BasketReport,
    FoundSet,
    LookPart,
    RecommendationsReport,
    SearchedPart,
    SetsPart,
)

TOLD = ("by", "min_confidence", "min_lift", "antecedent", "consequent")  # parameters that sentences tell


def item_sets_report(sets: ItemSets, most: int | None = None) -> AssociationsReport:
    """Return a report on item sets: all of them in order, or about `most` of them, the most frequent of each size."""
    rows = np.arange(len(sets)) if most is None or len(sets) <= most else _most_frequent(sets, most)
    chosen = sets.take(rows) if len(rows) < len(sets) else sets
    order = np.lexsort((-chosen.counts, chosen.sizes)) if most is not None else np.arange(len(rows))
    codes = list(iterate_sets(chosen.offsets, chosen.codes))
    counts, support = chosen.counts.tolist(), chosen.support.tolist()
    listed: list[FoundSet] = [
        {
            "set": sets.items.text(codes[place]),
            "items": [sets.items.labels[code] for code in codes[place]],
            "size": len(codes[place]),
            "count": counts[place],
            "support": support[place],
        }
        for place in order.tolist()
    ]
    found = {**_search_section(sets), **sets_part(sets), "sets": listed, "hidden": len(sets) - len(rows)}
    return cast("AssociationsReport", found)


def _most_frequent(sets: ItemSets, most: int) -> NDArray[np.int64]:
    """Return the positions of the most frequent sets of each size, about `most` in total, at least three per size."""
    sizes = sets.sizes
    lengths = np.unique(sizes).tolist()
    each = max(most // len(lengths), 3)
    found = []
    for size in lengths:
        start, stop = np.searchsorted(sizes, [size, size + 1]).tolist()
        best = np.argsort(-sets.counts[start:stop], kind="stable")[:each] + start
        found.append(np.sort(best))
    return np.concatenate(found)


def associations_report(
    rules: AssociationRules, sets: ItemSets | None = None, most: int | None = None
) -> AssociationsReport:
    """Return a report on association rules, with information about the item sets that they were derived from.

    Examples
    --------
    >>> import hedgerow
    >>> sets = hedgerow.mine(hedgerow.examples.groceries(), min_count=3)
    >>> report = hedgerow.associations_report(hedgerow.association_rules(sets, 0.9), sets)
    >>> report["n_sets"], report["n_rules"], report["rules"][0]["rule"]
    (21, 4, '{crisps} => {beer}')
    """
    shown = len(rules) if most is None else min(most, len(rules))
    found = {
        **_search_section(rules),
        **(sets_part(sets) if sets is not None else {"n_sets": None}),
        **{name: rules.about.parameters.get(name) for name in TOLD},
        "n_rules": len(rules),
        "rules": _list_rules(rules, shown),
        "hidden": len(rules) - shown,
    }
    return cast("AssociationsReport", found)


def look_report(found: FirstLook, most: int | None = None) -> AssociationsReport:
    """Return a report on the results of a search and how the search was done."""
    told: LookPart = {
        "levels": [{"support": support, "found": n} for support, n in found.support_steps],
        "enough": found.enough,
        "first": found.first,
    }
    report = (
        item_sets_report(found.sets, most)
        if found.rules is None
        else associations_report(found.rules, found.sets, most)
    )
    return cast("AssociationsReport", {**report, **told})


def sets_part(sets: ItemSets) -> SetsPart:
    """Return the part of a report on the item sets found: their number, by size, and the minimum count."""
    sizes, counts = np.unique(sets.sizes, return_counts=True)
    return {
        "which": sets.which,
        "bound": sets.bound,
        "n_sets": len(sets),
        "sizes": [{"size": size, "sets": n} for size, n in zip(sizes.tolist(), counts.tolist(), strict=True)],
        "ended": sets.ended,
    }


def recommendations_report(
    rules: AssociationRules, table: Table, offers: int, most: int | None = None
) -> RecommendationsReport:
    """Return the items that rules recommend for rows, at most `n` per row; for the first `most` rows, or for all."""
    found = rules.recommend(table, offers)
    shown = len(found) if most is None else min(most, len(found))
    items = Items.of(table.schema) if any(column.kind is Kind.BAG for column in table.schema.columns) else rules.items
    held = items.baskets(table)
    baskets: list[BasketReport] = [
        {
            "number": row + 1,
            "items": ", ".join(items.names[code] for code in held[row].tolist()),
            "offers": [
                {"item": one.item, "rule": one.text, "confidence": one.confidence, "lift": one.lift}
                for one in found[row]
            ],
        }
        for row in range(shown)
    ]
    return {
        "report": "recommendations",
        "version": 1,
        "unit": row_noun(rules),
        "n_rules": len(rules),
        "n_baskets": len(found),
        "served": int((found.sizes > 0).sum()),
        "baskets": baskets,
        "hidden": len(found) - shown,
        "notes": [],
    }


def _search_section(model: ItemSets | AssociationRules) -> SearchedPart:
    about = model.about
    return {
        "report": "associations",
        "version": 1,
        "kind": model.kind,
        "learner": about.learner,
        "parameters": dict(about.parameters),
        "changed": changed_parameters(about.learner, about.parameters),
        "unit": row_noun(model),
        "rows": about.rows or int(model.total),
        "weight": model.total,
        "n_items": len(model.items),
        "notes": list(about.notes),
    }


def row_noun(model: ItemSets | AssociationRules) -> str:
    """Return the name of a row: basket if the items do not belong to columns."""
    return "row" if any(model.items.columns) else "basket"


def _list_rules(rules: AssociationRules, shown: int) -> list[AssociationReport]:
    measures = {name: rules.measure(name)[:shown].tolist() for name in MEASURES}
    names = rules.items.labels
    listed = [
        {
            "number": number + 1,
            "rule": f"{rules.items.text(left)} => {rules.items.text(right)}",
            "antecedent": [names[code] for code in left],
            "consequent": [names[code] for code in right],
            **{name: values[number] for name, values in measures.items()},
        }
        for number, (left, right) in enumerate(rules.iterate_sides(0, shown))
    ]
    return cast("list[AssociationReport]", listed)
