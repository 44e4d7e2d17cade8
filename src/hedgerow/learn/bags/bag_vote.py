"""BagVote: learn from all instances, weighted inversely to the size of their bag, and let those of a bag vote."""

from __future__ import annotations

import numpy as np

from hedgerow.data.bags.instances import Instances
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError
from hedgerow.learn.bags.bag_learner import BagLearner, base_notes, weigh_instances
from hedgerow.learn.ensembles.members import Base, train_base
from hedgerow.learn.params import choice
from hedgerow.models.bags.bag_votes import AVERAGE, RULES, BagVotes
from hedgerow.models.base.model import About


class BagVote(BagLearner):
    """Aggregating the output: instances are trained with the class of their bag, and their predictions are combined.

    Each instance gets its bag's class and a weight of 1 divided by the size of the bag, so all bags have equal weight.
    A new bag is classified by the mean of its instances' probabilities, or by their votes. All instances are treated
    equally: unlike in the standard assumption of multi-instance learning, no single instance makes a bag positive. A
    bag without instances is not used in training, and is predicted by the class frequencies.

    References
    ----------
    E. Frank and X. Xu, Applying propositional learning algorithms to multi-instance data. University of Waikato
    (2003).

    Examples
    --------
    >>> import hedgerow
    >>> rows = Table.of({"bag": [1, 1, 2, 3, 3], "x": [1, 2, 3, 8, 9], "c": ["no", "no", "no", "yes", "yes"]}, "c")
    >>> print(BagVote(base="one_r").set_params(base__min_bucket=1).train(hedgerow.bags(rows, by="bag")))
    Each instance of a bag is classified by the model below; P(c) of the bag is the mean over its instances
    A bag without instances: P(no) = 0.666667, P(yes) = 0.333333
    <BLANKLINE>
    if x <= 5.5 then c = no (2/0)  # support 66.7 %, confidence 100 %
    if x > 5.5 then c = yes (1/0)  # support 33.3 %, confidence 100 %
    otherwise c = no
    """

    combine: str = choice(
        AVERAGE,
        "how the predictions for the instances are combined: by the mean of their probabilities, or by votes",
        *RULES,
    )
    total: str = choice(
        "bags", "total weight of all instances: the number of bags or of instances", "bags", "instances"
    )

    def make_model(self, base: Base, table: Table) -> BagVotes:
        """Return the model: the base's model of all instances."""
        instances = Instances.of(table)
        empty = int(np.count_nonzero(instances.sizes == 0))
        if empty == table.n_rows:
            raise DataError("no bag holds an instance, so there is nothing to learn from")
        rows = weigh_instances(instances, table.row_weights, self.total)
        member = train_base(base, rows)
        notes = base_notes(base, member, rows, "instances")
        if empty:
            are = (
                "1 bag holds no instances and contributes"
                if empty == 1
                else f"{empty} bags hold no instances and contribute"
            )
            notes = (f"{are} nothing", *notes)
        shares = class_shares(table)
        return BagVotes(table.schema, (member.replace_about(About()),), self.combine, shares, about=About(notes=notes))


def class_shares(table: Table) -> Numbers:
    """Return the share of every class in the weight of the bags."""
    n = len(table.schema.target_column.levels)
    shares: Numbers = np.bincount(table.target_codes, table.row_weights, minlength=n) / table.total_weight
    return shares
