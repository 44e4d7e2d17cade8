"""BagVotes: a model of bags that combines the predictions of another model for each instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.figures import runs
from hedgerow.data.bags.instances import Instances, instance_schema
from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import ModelError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.bags.bag_model import BagModel
from hedgerow.models.bags.reason import bag_reason
from hedgerow.models.base.checked_parts import weights_part
from hedgerow.models.base.decisions import decisions, reduce_rows
from hedgerow.models.base.model import About, RowScores
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.many.committee import add_votes

AVERAGE, VOTE, GEOMETRIC = "average", "vote", "geometric"
RULES = (AVERAGE, VOTE, GEOMETRIC)
LEAST = 1e-300  # probability: that of a bag is then a number above 0


@dataclass(frozen=True, eq=False)
class BagVotes(BagModel):
    """A model of bags: any classifier, applied to every instance.

    Parameters
    ----------
    members
        The model of the instances.
    rule
        "average": a bag has the mean of its instances' probabilities; "vote": the share of the instances that are
        decided for a class; "geometric": the geometric mean of the probabilities, divided by the sum over the classes.
    prior
        The probability of each class for a bag without instances, kept to six digits and divided by their sum.

    A bag of a single instance is decided as that instance is.
    """

    rule: str
    prior: Numbers

    kind: ClassVar[str] = "bag_vote"
    display_name: ClassVar[str] = "a model of instances"
    own_fields: ClassVar[tuple[str, ...]] = ("members", "prior", "rule")
    decider: ClassVar[str] = "prior"

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "prior", np.array([round_digits(float(share)) for share in self.prior]))
        self.check_members(1)
        self.check_bags()
        if self.rule not in RULES:
            raise ModelError(
                f"the rule that combines the instances of a bag must be {listing(RULES)}, not {self.rule!r}"
            )
        sound = np.isfinite(self.prior) & (self.prior >= 0)
        if self.prior.shape != (len(self.classes),) or not sound.all() or not 0 < self.prior.sum() < np.inf:
            raise ModelError("a model of bags needs the probability of every class for bags without instances")
        object.__setattr__(self, "members", (self.share_schema(0, instance_schema(self.schema)),))

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the predictions of the instances of the bag, and the reason of the strongest one."""
        return bag_reason(self, table, classes)

    def combine_shares(self, shares: Numbers) -> Numbers:
        """Return the terms of the rule's sum: each instance's value for every class, or its logarithm."""
        return np.log(np.maximum(shares, LEAST)) if self.rule == GEOMETRIC else shares

    def instances(self, table: Table) -> Instances:
        """Return the instances of an aligned table, as the model of the instances sees them."""
        return Instances.of(table, self.base.schema)

    def score_instances(self, instances: Instances) -> tuple[Numbers, NDArray[np.bool_] | None]:
        """Return each instance's probabilities or vote, and which contain nothing known, if the model reports it."""
        sums = np.zeros((instances.table.n_rows, len(self.classes)))
        if not instances.table.n_rows:
            return sums, None
        silent = add_votes(sums, self.base, 1.0, VOTE if self.rule == VOTE else AVERAGE, instances.table)
        return sums, silent

    def scores(self, table: Table) -> Numbers:
        """Return the probability of every class (columns) for every bag."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and which bags contain nothing known, if the model reports it."""
        instances = self.instances(table)
        values, mute = self.score_instances(instances)
        added = np.log(np.maximum(values, LEAST)) if self.rule == GEOMETRIC else values
        means = runs(np.add, added, instances.offsets, 0.0) / np.maximum(instances.sizes, 1)[:, None]
        if self.rule == GEOMETRIC:
            means = np.exp(means - reduce_rows(np.maximum, means)[:, None])
            means /= reduce_rows(np.add, means)[:, None]
        means[instances.sizes == 0] = self.prior / self.prior.sum()
        if mute is None:
            return RowScores(means)
        return RowScores(means, runs(np.minimum, mute.astype(np.float64), instances.offsets, 1.0) > 0)

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class of every bag: the most probable one; a bag of one instance as that is decided."""
        codes = decisions(self.scores(table) if scores is None else scores)
        instances = self.instances(table)
        single = np.flatnonzero(instances.sizes == 1)
        if len(single):
            rows = instances.offsets[:-1][single]
            alone = instances.table if len(rows) == instances.table.n_rows else instances.table.take(rows)
            codes[single] = self.base.decide_rows(alone)
        return codes

    def margins(self, table: Table) -> Numbers | None:
        """Return the margins of two classes where every bag has one instance, as those of the instances."""
        instances = self.instances(table)
        return self.base.margins(instances.table) if (instances.sizes == 1).all() else None

    def describe_member(self, number: int) -> str:  # noqa: ARG002
        """Return the purpose of the member."""
        return "the model of the instances"

    def __str__(self) -> str:
        from hedgerow.models.bags.text import votes_text

        return votes_text(self)

    def own_parts(self) -> dict[str, Any]:
        """Return the parts with arrays where they belong."""
        return {"members": self.member_parts(), "rule": self.rule, "prior": self.prior}

    @classmethod
    def from_own_parts(cls, parts: Any, schema: Schema, about: About) -> Self:
        """Build the model from its parts, checking every one of them."""
        listed = cls.check_member_list(parts, 1)
        if not isinstance(parts["rule"], str):
            raise ModelError("the rule that combines the instances of a bag must be a word")
        inner = instance_schema(schema)
        prior = weights_part(parts, "prior", len(schema.target_column.levels))
        return cls(schema, tuple(cls.build_member(one, inner) for one in listed), parts["rule"], prior, about=about)
