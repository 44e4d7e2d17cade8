"""BagSummaries: a model of bags that represents each as one row of summary statistics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from hedgerow.data.bags.instances import Instances, bag_position, make_names_unique
from hedgerow.data.bags.summary import LEVELS, NUMBERS, Summary
from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.models.bags.bag_model import BagModel
from hedgerow.models.bags.regions import VALUES, WHICH, InstanceRegions, region_schema
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.trees.tree import Tree


def summary_schema(schema: Schema, summary: Summary, regions: InstanceRegions | None = None) -> Schema:
    """Return the columns of the row that each bag becomes."""
    plain = summary.schema(schema)
    if regions is None:
        return plain
    place = bag_position(schema)
    before = "bag." if place is None else f"{schema.columns[place].name}."
    apart = make_names_unique((column.name for column in regions.columns), plain.names, before)
    inside = tuple(type(column)(apart[column.name], column.kind) for column in regions.columns)
    return Schema((*plain.columns, *inside), plain.target)


def summary_table(table: Table, summary: Summary, regions: InstanceRegions | None, schema: Schema) -> Table:
    """Return the rows that the bags of a table become, under the schema of these."""
    if regions is None:
        return summary.table(table, schema)
    plain = summary.table(table)
    figures = regions.figures(Instances.of(table))
    return replace(table, schema=schema, data=(*plain.data, *figures.T.copy()))


@dataclass(frozen=True, eq=False)
class BagSummaries(BagModel):
    """A model of bags: any classifier on summary statistics of the instances of each bag.

    Parameters
    ----------
    members
        The model of the statistics, followed by the tree of the regions if there is one.
    summary
        The statistics that are used.
    regions
        Whether the regions are the "leaves" of the tree or all its "nodes"; None without regions.
    values
        Whether a bag has the "count" of its instances in a region, or their "share".
    """

    summary: Summary
    regions: str | None = None
    values: str = "count"

    kind: ClassVar[str] = "bag_summary"
    display_name: ClassVar[str] = "a model of bags"
    own_fields: ClassVar[tuple[str, ...]] = ("levels", "members", "numbers", "regions", "size", "values")

    def __post_init__(self) -> None:
        self.check_members(2)
        self.check_bags()
        check_figures(self.summary, self.regions, self.values)
        if len(self.members) != 1 + (self.regions is not None):
            raise ModelError("a model of bags has one member, and a tree if it has regions")
        if self.regions is not None:
            tree = self.share_schema(1, region_schema(self.schema))
            object.__setattr__(self, "members", (self.members[0], regions_tree(tree)))
        base = self.share_schema(0, summary_schema(self.schema, self.summary, self.regions_or_none))
        object.__setattr__(self, "members", (base, *self.members[1:]))

    @cached_property
    def regions_or_none(self) -> InstanceRegions | None:
        """The regions, if there are any."""
        tree = self.members[-1]
        return InstanceRegions(tree, self.regions, self.values) if self.regions and isinstance(tree, Tree) else None

    def summarize(self, table: Any) -> Table:
        """Return the row of summary statistics of each bag of a table or frame, the input of the inner model."""
        return self.figures(self.align(table))

    def figures(self, table: Table) -> Table:
        """Return the same for a table that is aligned already."""
        return summary_table(table, self.summary, self.regions_or_none, self.base.schema)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:
        """Return the reason of the model of the statistics."""
        return self.base.reason(self.figures(table), classes, contrast=contrast)

    def scores(self, table: Table) -> Numbers:
        """Return the prediction of the model of the statistics for every bag."""
        return self.base.scores(self.figures(table))

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which bags contain nothing known, if the model reports it."""
        return self.base.score_rows(self.figures(table))

    def margins(self, table: Table) -> Numbers | None:
        """Return its margins of two classes, if it has any."""
        return self.base.margins(self.figures(table))

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return its decision on every bag."""
        if scores is not None and self.base.says_most_probable:  # which uses nothing else
            return decisions(scores)
        return self.base.decide_rows(self.figures(table), scores)

    def describe_member(self, number: int) -> str:
        """Return the purpose of a member."""
        return "the model of the summary columns" if number == 0 else "the tree whose leaves are the regions"

    def __str__(self) -> str:
        from hedgerow.models.bags.text import summaries_text

        return summaries_text(self)

    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong."""
        return {
            "members": self.member_parts(),
            "numbers": list(self.summary.numbers),
            "levels": list(self.summary.levels),
            "size": self.summary.size,
            "regions": self.regions,
            "values": self.values,
        }

    @classmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the model from its parts, checking every one of them."""
        listed = cls.check_member_list(parts, 2)
        numbers, levels, which, values = (parts[name] for name in ("numbers", "levels", "regions", "values"))
        for value in (numbers, levels):
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise ModelError("the summary statistics of a model of bags must be a list of words")
        if type(parts["size"]) is not bool or not (which is None or isinstance(which, str)) or type(values) is not str:
            raise ModelError("the sizes and regions of a model of bags have the wrong type")
        summary = Summary(tuple(numbers), tuple(levels), parts["size"])
        check_figures(summary, which, values)
        if len(listed) != 1 + (which is not None):
            raise ModelError("a model of bags has one member, and a tree if it has regions")
        inside = [regions_tree(cls.build_member(one, region_schema(schema))) for one in listed[1:]]
        regions = InstanceRegions(inside[0], which, values) if which is not None else None
        base = cls.build_member(listed[0], summary_schema(schema, summary, regions))
        return cls(schema, (base, *inside), summary, which, values, about=about)


def check_figures(summary: Summary, which: str | None, values: str) -> None:
    """Raise an error unless all statistics and regions are known."""
    for names, known in ((summary.numbers, NUMBERS), (summary.levels, LEVELS)):
        if len(set(names)) < len(names) or not set(names) <= set(known):
            raise ModelError(f"the summary statistics of bags must be among {listing(known, len(known))}, each once")
    if which not in (None, *WHICH) or values not in VALUES:
        raise ModelError(f"the regions of bags must be {listing(WHICH)} or none, and their values {listing(VALUES)}")


def regions_tree(model: ClassModel) -> Tree:
    """Return a model that must be a tree, for its leaves are regions."""
    if not isinstance(model, Tree):
        raise ModelError(f"the regions of bags must come from a tree, not from a {type(model).__name__}")
    return model
