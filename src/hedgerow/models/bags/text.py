"""Models of bags as text: the treatment of a bag, then the inner model."""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.data.bags.instances import bag_position
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.layout.names import format_level, format_name
from hedgerow.layout.numbers import format_number
from hedgerow.models.bags.bag_summaries import BagSummaries
from hedgerow.models.bags.bag_votes import BagVotes
from hedgerow.models.bags.regions import InstanceRegions

MOST_REGIONS = 50
RULES = {
    "average": "the mean over its instances",
    "geometric": "the geometric mean over its instances, normalized to sum to 1",
    "vote": "the share of its instances that are predicted as each class",
}
SINGLE = "No column holds bags: each row is a bag with a single instance"


def summaries_text(model: BagSummaries) -> str:
    """Return the statistics that replace a bag, the regions, and the model of the statistics."""
    place = bag_position(model.schema)
    if place is None and model.regions is None:
        return f"{SINGLE}\n\n{model.base}"
    figures = list(_figures(model, model.schema, place))
    head = [f"Each bag is replaced by one row of summary statistics: {'; '.join(figures) or 'none'}"]
    if model.regions_or_none is not None:
        head += ["", *_regions(model.regions_or_none)]
    return "\n".join([*head, "", str(model.base)])


def _figures(model: BagSummaries, schema: Schema, place: int | None) -> Iterator[str]:
    """Yield the statistics of the columns of each kind as text."""
    summary, inner = model.summary, None if place is None else schema.columns[place].inner
    if inner is not None:
        if summary.size:
            yield "size"
        kinds = [column.kind for column in inner.columns]
        given = ((Kind.NUMERIC, summary.numbers), (Kind.NOMINAL, summary.levels), (Kind.TEXT, ("texts",)))
        for kind, names in given:
            n = kinds.count(kind)
            if n and names:
                yield f"{', '.join(names)} of {n} {kind} column{'' if n == 1 else 's'}"
    if model.regions_or_none is not None:
        n = len(model.regions_or_none)
        yield f"{model.values} of instances in {n} region{'' if n == 1 else 's'}"


def _regions(regions: InstanceRegions) -> Iterator[str]:
    """Yield one line per region."""
    yield "Regions of the instances:" if len(regions) else "There are no regions: the tree of the instances is a leaf"
    for number, conditions in enumerate(regions.conditions()[:MOST_REGIONS], start=1):
        tests = " and ".join(map(str, conditions)) or "all instances"
        yield f"  region {number}: {tests}"
    if len(regions) > MOST_REGIONS:
        yield f"  and {len(regions) - MOST_REGIONS} more; print(model.member(1)) shows the tree"


def votes_text(model: BagVotes) -> str:
    """Return how predictions of instances are combined, the rule for empty bags, and the model of the instances."""
    if bag_position(model.schema) is None:
        return f"{SINGLE}\n\n{model.base}"
    shares = model.prior / model.prior.sum()
    prior = ", ".join(
        f"P({format_level(label)}) = {format_number(round(float(share), 6))}"
        for label, share in zip(model.classes, shares, strict=True)
    )
    target = format_name(str(model.schema.target))
    head = [
        f"Each instance of a bag is classified by the model below; P({target}) of the bag is {RULES[model.rule]}",
        f"A bag without instances: {prior}",
    ]
    return "\n".join([*head, "", str(model.base)])
