"""BagSummary: replace every bag by one row of summary statistics, and train on these rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.bags.instances import Instances
from hedgerow.data.bags.summary import LEVELS, NUMBERS, Summary
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn.adapt import adapt
from hedgerow.learn.bags.bag_learner import BagLearner, base_notes, weigh_instances
from hedgerow.learn.ensembles.members import Base, train_base
from hedgerow.learn.params import choice, choices, flag, learner, parse_names
from hedgerow.learn.registry import resolve_learner
from hedgerow.models.bags.bag_summaries import BagSummaries, summary_schema, summary_table
from hedgerow.models.bags.regions import VALUES, WHICH, InstanceRegions, region_schema
from hedgerow.models.base.model import About, ClassModel
from hedgerow.models.trees.tree import Tree

PARTLY_EMPTY = "{n} of {all} bags hold no instances: their summary statistics are missing"


class BagSummary(BagLearner):
    """Aggregating the input: each bag becomes one row of summary statistics, on which any classifier is trained.

    The statistics of a numeric column are its mean, minimum and maximum in the bag, that of a nominal one its most
    frequent level; others are optional. Missing values are ignored; a statistic is missing if all values are. Texts are
    joined. Columns beside the bags are unchanged.

    With `regions`, a tree is first trained on the instances, each with its bag's class and a weight of 1 divided by
    the bag's size, and the numbers of a bag's instances in each region of the tree become additional columns.

    References
    ----------
    L. Dong, A comparison of multi-instance learning algorithms. Master's thesis, University of Waikato (2006).
    N. Weidmann, E. Frank, B. Pfahringer, A two-level learning method for generalized multi-instance problems. ECML
    (2003), for regions.

    Examples
    --------
    >>> import hedgerow
    >>> rows = Table.of({"bag": [1, 1, 2, 3, 3], "x": [1, 5, 3, 2, 9], "c": ["no", "no", "no", "yes", "yes"]}, "c")
    >>> print(BagSummary(base="one_r").set_params(base__min_bucket=1).train(hedgerow.bags(rows, by="bag")))
    Each bag is replaced by one row of summary statistics: mean, min, max of 1 numeric column
    <BLANKLINE>
    if "mean(x)" <= 4.25 then c = no (2/0)  # support 66.7 %, confidence 100 %
    if "mean(x)" > 4.25 then c = yes (1/0)  # support 33.3 %, confidence 100 %
    otherwise c = no
    """

    numbers: Any = choices("mean,min,max", "summary statistics of numeric columns", *NUMBERS)
    levels: Any = choices("mode", "summary statistics of nominal columns", *LEVELS)
    size: bool = flag(False, "add the number of instances as a column")
    regions: str | None = choice(
        None, "count the instances in the leaves, or in all nodes, of a tree trained on them", *WHICH, none=True
    )
    region_values: str = choice(
        "count", "whether the instances in a region are counted, or their share is used", *VALUES
    )
    partition: Any = learner("c45", "the tree learner that finds the regions")

    def summary(self) -> Summary:
        """Return the requested summary statistics."""
        return Summary(tuple(parse_names(self.numbers)), tuple(parse_names(self.levels)), bool(self.size))

    def make_model(self, base: Base, table: Table) -> BagSummaries:
        """Return the model: the base's model of the summary statistics."""
        summary, instances = self.summary(), Instances.of(table)
        tree = None if self.regions is None else self._tree(instances, table)
        regions = None if tree is None else InstanceRegions(tree, str(self.regions), self.region_values)
        rows = summary_table(table, summary, regions, summary_schema(table.schema, summary, regions))
        member = train_base(base, rows)
        notes = base_notes(base, member, rows, "bags")
        empty = int(np.count_nonzero(instances.sizes == 0))
        if empty:
            notes = (PARTLY_EMPTY.format(n=empty, all=table.n_rows), *notes)
        members: tuple[ClassModel, ...] = (member.replace_about(About()), *(() if tree is None else (tree,)))
        return BagSummaries(table.schema, members, summary, self.regions, self.region_values, about=About(notes=notes))

    def _tree(self, instances: Instances, table: Table) -> Tree:
        """Return the tree of the instances, whose leaves are the regions."""
        partition = adapt(resolve_learner(self.partition))
        if not instances.table.n_rows:
            raise UsageError("no bag holds an instance, so there are no regions; leave out regions=")
        rows = weigh_instances(instances, table.row_weights, "instances").select(region_schema(table.schema).names)
        tree = train_base(partition, rows)
        if not isinstance(tree, Tree):
            raise UsageError(
                f"partition={partition!r} does not build a tree, whose leaves could be regions; use c45 or cart"
            )
        return tree.replace_about(About())
