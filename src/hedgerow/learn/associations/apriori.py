"""Apriori: association rules from all frequent item sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

from hedgerow.data.items.lists import parse_word_baskets
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import BATCH_ROWS, Source
from hedgerow.data.table.table import Table
from hedgerow.errors import UsageError
from hedgerow.learn import inputs
from hedgerow.learn.associations.apriori_work import AprioriWork
from hedgerow.learn.associations.falling_support import FallingSupport, falling_support_note, levels
from hedgerow.learn.associations.mining import (
    TAKEN,
    load_table,
    memory_rows,
    sets_for_rules,
    streamed_rows,
    to_baskets,
)
from hedgerow.learn.associations.rows import ItemRows
from hedgerow.learn.associations.rules import BY, MOST_LOOKS, RuleLimits
from hedgerow.learn.associations.search_limits import SetLimits
from hedgerow.learn.base import Learner
from hedgerow.learn.params import (
    choice,
    column_name,
    duration,
    fitted_attribute,
    flag,
    integer,
    item_names,
    mapping,
    real,
    size,
)
from hedgerow.learn.passes import Engine, Plan
from hedgerow.learn.prepare import ready
from hedgerow.models.associations.association_rules import AssociationRules
from hedgerow.models.associations.recommend import Recommendations
from hedgerow.models.base.model import About, Model


class Apriori(Learner):
    """Association rules: items that occur together with others, derived from all frequent item sets.

    An item is a column = value, an interval of a number, a column of zeros and ones, or a word of a basket; missing
    values are not items. First all item sets of minimum support are found, then the rules of minimum confidence from
    them, by growing consequents: a rule that holds with a large consequent holds with every subset of it. All columns
    are used, including the target. Constraints on items, lengths and columns narrow the search itself.

    Rules are sorted by the measure `by`, then by their count, then by their sets: smaller ones first, then by the order
    of their items in the schema.

    References
    ----------
    R. Agrawal and R. Srikant, Fast algorithms for mining association rules. VLDB 1994.
    B. Liu, W. Hsu and Y. Ma, Mining association rules with multiple minimum supports. KDD 1999.

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(Apriori(min_support=0.3, min_confidence=0.9, consequent="Class=Yes").train(examples.loan()))
    {Own_House=true} => {Class=Yes} (6 of 6, 9 of 15)  # support 40 %, confidence 100 %, lift 1.67, count 6
    {Has_Job=true} => {Class=Yes} (5 of 5, 9 of 15)  # support 33.3 %, confidence 100 %, lift 1.67, count 5
    """

    min_support: float | None = real(
        None,
        "minimum share of the rows that contain both sides of a rule; 0.1 unless min_count is given",
        above=0,
        high=1,
        none=True,
    )
    min_count: int | None = integer(None, "minimum number of rows, instead of a share", low=1, none=True)
    min_confidence: float = real(
        0.8, "minimum share of the rows with the antecedent that also contain the consequent", low=0, high=1
    )
    min_lift: float | None = real(None, "minimum lift", low=0, none=True)
    min_leverage: float | None = real(None, "minimum leverage", low=-1, high=1, none=True)
    min_conviction: float | None = real(None, "minimum conviction", low=0, none=True)
    max_length: int | None = integer(None, "maximum number of items of a rule, both sides together", low=1, none=True)
    antecedent: Any = item_names("items or columns allowed in antecedents")
    consequent: Any = item_names("items or columns allowed in consequents")
    min_antecedent: int = integer(
        1, "minimum number of items of an antecedent; 0 also gives rules without a condition", low=0
    )
    max_antecedent: int | None = integer(None, "maximum number of items of an antecedent", low=0, none=True)
    max_consequent: int | None = integer(None, "maximum number of items of a consequent", low=1, none=True)
    min_supports: Any = mapping("individual minimum supports of items or columns", example="caviar=0.001,Play=0.2")
    max_spread: float | None = real(
        None, "maximum difference between the supports of two items of a rule", low=0, high=1, none=True
    )
    fold: bool = flag(
        False, "leave out a rule if a more general one with the same consequent has at least its confidence"
    )
    top: int | None = integer(None, "maximum number of rules to keep, the best by the measure", low=1, none=True)
    by: str = choice("confidence", "the measure by which rules are sorted", *BY)
    enough: int | None = integer(
        None, "lower the support level by level until this many rules are found", low=1, none=True
    )
    start: float = real(1.0, "support of the first level", above=0, high=1)
    step: float = real(0.05, "decrease of the support per level", above=0, high=1)
    max_sets: int | None = integer(
        1_000_000,
        "maximum number of item sets to derive rules from; if there are more, the support is raised",
        low=1,
        none=True,
    )
    max_rules: int | None = integer(
        MOST_LOOKS,
        "maximum number of rules to consider; if there are more, those of the most frequent sets",
        low=1,
        none=True,
    )
    memory: Any = size(
        "memory for the sets and rules found, in addition to the table and its encoded rows; by default half of the "
        "free memory"
    )
    time: Any = duration("maximum duration of the search")
    id: str | None = column_name("column with the id of the basket, if each row holds one item")
    item: str | None = column_name("column with the item, if each row holds one item")
    absent: Any = item_names("values that mean the absence of an item, such as no,false")
    discretize: str = choice("frequency", "how numeric columns are discretized", "frequency", "width")
    bins: int = integer(3, "number of intervals of a numeric column", low=2)
    look_ahead: bool = flag(False, "on streams, count sets of two sizes per pass: more sets, fewer passes")
    trace: bool = flag(False, "print the work: the levels of item sets and the growing consequents", in_python=True)

    takes: ClassVar[frozenset[Kind]] = TAKEN
    shows_work: ClassVar[bool] = True

    model_: AssociationRules = fitted_attribute()
    rules_: AssociationRules = fitted_attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the rules of rows; `y` is not used."""
        self.check_params()
        entered = load_table(X)
        table = inputs.weighted(entered.table, sample_weight)
        model = self.train(table)
        assert isinstance(model, AssociationRules)
        self.model_ = self.rules_ = model
        self._remember(table.schema.with_target(None), entered.names)
        return self

    def recommend(self, X: Any, n: int | None = None) -> Recommendations:
        """Return for every row the missing items that the strongest of its matching rules recommend."""
        self._check_fitted()
        if parse_word_baskets(X) is not None:
            return self.model_.recommend(X, n)
        return self.model_.recommend(to_baskets(self._new_rows_to_table(X), self._search_parameters()), n)

    def train(self, data: Any, target: str | None = None) -> Model:
        """Return the rules of a table, a source, a frame or a file; all columns are used, including the target."""
        self.check_params()
        data = self._to_data(data, target)
        if isinstance(data, Source) and self.id is None:
            return super().train(UntargetedSource(data))
        table = data.read() if isinstance(data, Source) else data
        return super().train(to_baskets(table, self._search_parameters()))

    def show_work(self, table: Table) -> AprioriWork:
        """Return the steps of the search as text: levels of item sets, growing of consequents."""
        self.check_params()
        prepared = ready(to_baskets(table, self._search_parameters()), TAKEN, None)
        return self._work(prepared.table)

    def plan(self, schema: Schema) -> Plan:  # noqa: ARG002
        """Raise an error: each pass depends on the previous one; use `train`, which makes all passes."""
        raise UsageError(
            "Apriori reads a stream once per level of item sets; call train(source), since the number of passes is "
            "not known in advance"
        )

    def learn(self, table: Table) -> AssociationRules:
        """Return the rules of a prepared table."""
        if self.trace:
            print(self._work(table))  # set if `trace` is on
        return self._rules(memory_rows(table, self._search_parameters()))

    def _learn_by_passes(self, schema: Schema, engine: Engine) -> AssociationRules:
        return self._rules(streamed_rows(schema, engine, self._search_parameters()))

    def _work(self, table: Table) -> AprioriWork:
        rows = memory_rows(table, self._search_parameters())
        wish = self._rule_limits(rows)
        wanted = self._set_limits(rows, wish)
        fallen = list(levels(rows, wanted, wish, self._falling()))
        shown = tuple(fallen) if self.enough is not None else ()
        every = replace(wanted.with_bound(fallen[-1].bound), required=wanted.required[:0])
        return AprioriWork.of(rows, every, wish, len(fallen[-1].rules), shown)

    def _rules(self, rows: ItemRows) -> AssociationRules:
        wish, falling = self._rule_limits(rows), self._falling()
        *_, last = levels(rows, self._set_limits(rows, wish), wish, falling)
        notes = [
            *rows.items.notes,
            *([falling_support_note(rows, falling, last)] if falling else []),
            *last.rules.about.notes,
        ]
        return last.rules.replace_about(About(notes=tuple(notes)))

    def _search_parameters(self) -> dict[str, Any]:
        return self.get_params(deep=False)

    def _falling(self) -> FallingSupport | None:
        return None if self.enough is None else FallingSupport(int(self.enough), float(self.start), float(self.step))

    def _rule_limits(self, rows: ItemRows) -> RuleLimits:
        return RuleLimits.with_half_memory(rows.items, self._search_parameters())

    def _set_limits(self, rows: ItemRows, wish: RuleLimits) -> SetLimits:
        return sets_for_rules(rows, self._search_parameters(), wish.roles)


class UntargetedSource(Source):
    """A source whose target, if it has one, is treated as an ordinary column."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.name, source.options)
        self.source = source

    def find_schema(self) -> Schema:
        """Return the schema without a target."""
        return self.source.schema.with_target(None)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the rows under that schema."""
        return (batch.with_schema(self.schema) for batch in self.source.batches(rows))
