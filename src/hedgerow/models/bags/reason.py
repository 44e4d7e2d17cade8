"""BagReason: the contributions of a bag's instances to the predicted class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.bags.instances import Instances
from hedgerow.data.rows.row_values import value_text
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.reason import ComparedClasses, Reason

if TYPE_CHECKING:
    from hedgerow.models.bags.bag_votes import BagVotes

MOST_COLUMNS = 4  # columns used by the model: of more, no values are shown for each instance
MOST_TOLD = 1000  # instances: the strongest on both sides


@dataclass(frozen=True, eq=False)
class BagReason(Reason):
    """The instances of a bag, with their contributions to the predicted class minus those to the other.

    Parameters
    ----------
    found
        The instances of the only bag.
    said
        The class that each is decided for; -1 is none.
    shares
        The probabilities of each, or its vote.
    adds
        What each adds to the difference of the two classes; all of them sum to it.
    whole
        The probability of every class for the bag.
    strongest
        The position of the instance with the largest contribution, and its reason; None for an empty bag.
    """

    model: BagVotes
    instances: Instances
    instance_classes: Codes
    shares: Numbers
    adds: Numbers
    bag_scores: Numbers
    strongest: tuple[int, dict[str, Any]] | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the instances that speak most for the decision first."""
        classes, names = self.model.classes, self.shown_columns
        tally = [
            {
                "class": label,
                "instances": int((self.instance_classes == code).sum()),
                "share": float(self.bag_scores[code]),
            }
            for code, label in enumerate(classes)
        ]
        instances = [
            {
                "instance": place + 1,
                "says": classes[self.instance_classes[place]] if self.instance_classes[place] >= 0 else None,
                "adds": float(self.adds[place]),
                "probabilities": dict(zip(classes, self.shares[place].tolist(), strict=True)),
                "values": [value_text(self.instances.table.slice(place, place + 1), name) for name in names],
            }
            for place in self._shown_instances()
        ]
        entries: dict[str, Any] = {
            "way": "instances",
            "rule": self.model.rule,
            "size": len(self.instance_classes),
            "tally": tally,
        }
        entries |= {"columns": list(names), "instances": instances, "total": float(self.adds.sum())}
        return entries | {"strongest": None if self.strongest is None else self.strongest[1]}

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """The columns whose values are shown: those that the model uses, if they are few."""
        used = self.model.base.columns_used() or ()
        return tuple(used) if len(used) <= MOST_COLUMNS else ()

    def _shown_instances(self) -> Sequence[int]:
        order = np.argsort(-self.adds, kind="stable")
        if len(order) > MOST_TOLD:
            order = np.concatenate([order[: MOST_TOLD // 2], order[-MOST_TOLD // 2 :]])
        return [int(place) for place in order]


def instance_contributions(model: BagVotes, shares: Numbers, decided: int, against: int) -> Numbers:
    """Return each instance's contribution to the difference of two classes, a part of the bag's own difference."""
    shares = model.combine_shares(shares)
    if decided < 0:
        return np.zeros(len(shares))
    other = shares[:, against] if against >= 0 else 0.0
    return np.asarray((shares[:, decided] - other) / max(len(shares), 1))


def decide_instances(model: BagVotes, table: Table) -> Codes:
    """Return the class that each instance is decided for."""
    return model.base.decide_rows(table) if table.n_rows else np.zeros(0, dtype=np.int32)


def bag_reason(model: BagVotes, table: Table, sides: ComparedClasses) -> BagReason:
    """Return the predictions of the instances of a bag, and the reason of the strongest one."""
    instances = model.instances(table)
    codes, shares = decide_instances(model, instances.table), model.score_instances(instances)[0]
    adds, whole = instance_contributions(model, shares, sides.winner, sides.against), model.scores(table)[0]
    if not len(adds):
        return BagReason(model, instances, codes, shares, adds, whole, None)
    place = int(adds.argmax())
    row, code = instances.table.slice(place, place + 1), int(codes[place])
    other = sides.against if code == sides.winner else sides.winner
    reason = model.base.reason(row, ComparedClasses(code, other))
    entries = {
        "instance": place + 1,
        "target": model.schema.target,
        "decision": model.classes[code] if code >= 0 else None,
        "against": model.classes[other] if other >= 0 else None,
        "probabilities": dict(zip(model.classes, model.base.scores(row)[0].tolist(), strict=True)),
        "why": reason.to_dict(),
    }
    return BagReason(model, instances, codes, shares, adds, whole, (place, entries))
