"""RuleFeatures: the conditions of rules as columns of zeros and ones, for other learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.align import align
from hedgerow.data.design.discretize import METHODS, Discretizer
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError
from hedgerow.learn.associations.class_rule_options import ClassRuleOptions
from hedgerow.learn.associations.class_rule_params import (
    class_rule_notes,
    dropped_rules_note,
    max_candidates,
    min_confidence,
    min_support,
    min_supports,
    most_rules,
    support_base_param,
)
from hedgerow.learn.associations.class_rules import mine_class_rules
from hedgerow.learn.associations.coded_rows import EncodedRows
from hedgerow.learn.params import choice, flag, integer, kept_rules_param
from hedgerow.learn.rules.user_constraints import align_rules, class_weights, count_rule
from hedgerow.learn.transformer import Transformer
from hedgerow.models.base.model import About
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.condition_columns import column_names, distinct, rule_array, rule_matrix, with_rule_columns
from hedgerow.models.rules.rule_vote import RuleVote


class RuleFeatures(Transformer):
    """Rules as 0/1 columns: the column of a rule is 1 for the rows that the rule covers.

    The rules are class association rules as mined by `CBA`, the best by precedence, without rules that follow a more
    general one of the same class; or any given rules. The new columns are returned alone, or after those of the table.

    Examples
    --------
    >>> from hedgerow import examples
    >>> table = examples.loan().select(["Age", "Has_Job", "Own_House", "Credit_Rating", "Class"])
    >>> learner = RuleFeatures(max_rules=2).fit(table)
    >>> learner.get_feature_names_out().tolist()
    ['Own_House = true', 'Has_Job = false and Own_House = false']
    >>> learner.transform(table).schema.names
    ('Own_House = true', 'Has_Job = false and Own_House = false', 'Class')
    """

    rules: Any = kept_rules_param("rules to use instead of mining them")
    min_support: float | None = min_support()
    min_supports: Mapping[str, Any] | None = min_supports()
    of_class: bool = support_base_param()
    min_confidence: float = min_confidence()
    max_length: int | None = integer(3, "maximum number of conditions of a rule", low=1, none=True)
    max_rules: int | None = integer(100, "maximum number of rules, the best first", low=0, none=True)
    keep_columns: bool = flag(False, "append the new columns to those of the table, instead of returning them alone")
    sparse: bool = flag(False, "return a sparse matrix if X is not a table")
    discretize: str = choice("mdl", "how numeric columns are discretized", *METHODS)
    bins: int = integer(5, "number of intervals of a numeric column, for equal frequency or width", low=2)
    max_candidates: int | None = max_candidates()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the rules; `y` are the classes or the name of their column, weights count in support and confidence."""
        return self._fit(X, y, sample_weight)

    def learn(self, table: Table) -> RuleVote:
        """Return the rules of a prepared table."""
        target = table.schema.target
        if target is None or table.schema[target].kind is not Kind.NOMINAL:
            raise DataError(
                "RuleFeatures requires y to be passed, but the target y is None; give classes, which rules predict"
            )
        keep = table.codes(table.schema.index(target)) >= 0
        if not keep.any():
            raise DataError(f"the target {target!r} is missing in every row: nothing to learn from")
        table = table if keep.all() else table.take(keep)
        default = Rule((), tuple(class_weights(table).tolist()))
        rules, notes = self._mine_rules(table) if self.rules is None else (self._count_given_rules(table), ())
        return RuleVote(table.schema, tuple(rules), default, about=About(notes=notes))

    def _count_given_rules(self, table: Table) -> list[Rule]:
        """Return the given rules, with the rows of a table that each covers."""
        every = np.arange(table.n_rows)
        rules = align_rules(self.rules, table.schema)[: self.max_rules]
        return [count_rule(rule, table, rule.rows(table, every)) for rule in rules]

    def _mine_rules(self, table: Table) -> tuple[list[Rule], tuple[str, ...]]:
        """Return the best class association rules of a table, and notes on them."""
        coded = EncodedRows.of(table, table.schema.predictors, Discretizer(self.discretize, int(self.bins)))
        options = ClassRuleOptions.of(self, general=True)
        cars = mine_class_rules(coded, options)
        order = cars.order_by_generality(same_class=True)
        rules = cars.take(order[: most_rules(cars, self.max_rules)]).as_rules()
        return rules, (*class_rule_notes(cars, options), *dropped_rules_note(cars, len(order), self.max_rules))

    def transform(self, X: Any) -> Any:
        """Return a Table with the new columns for a Table; for anything else an array, or a sparse matrix."""
        table, model = self._new_rows_to_table(X), self.model_
        assert isinstance(model, RuleVote)
        rules, aligned = distinct(model), align(table, model.schema).table
        if isinstance(X, Table):
            names = self._new_column_names(table.schema)
            stored_table = (
                table if self.keep_columns else table.select([n for n in table.schema.names if n == self._target])
            )
            result_table = with_rule_columns(stored_table, names, rule_array(rules, model, aligned))
            return result_table.select(
                [
                    *(n for n in result_table.schema.names if n != self._target),
                    *_column_of(result_table.schema, self._target),
                ]
            )
        if not self.sparse:
            new = rule_array(rules, model, aligned)
            return np.column_stack([*self._learned_columns(table), new]) if self.keep_columns else new
        from scipy.sparse import csr_matrix, hstack

        new = rule_matrix(rules, model, aligned)
        own = self._learned_columns(table)
        return hstack([csr_matrix(np.column_stack(own)), new], format="csr") if own and self.keep_columns else new

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the transformed columns: the conditions as they print."""
        own = super().get_feature_names_out(input_features).tolist()
        names = self._new_column_names(self._fit_schema)
        return np.array([*own, *names] if self.keep_columns else names, dtype=object)

    def _new_column_names(self, schema: Schema) -> list[str]:
        """Return the names of the new columns; none is a name in the schema."""
        assert isinstance(self.model_, RuleVote)
        return column_names(distinct(self.model_), (*schema.names, *([self._target] if self._target else [])))

    def _learned_columns(self, table: Table) -> list[Numbers]:
        """Return the columns seen in `fit` as numbers."""
        table = align(table, self._fit_schema).table
        return [self._as_numbers(table, position) for position in range(len(table.schema))]


def _column_of(schema: Schema, name: str | None) -> list[str]:
    return [name] if name is not None and name in schema else []
