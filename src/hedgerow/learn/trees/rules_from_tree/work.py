"""RulesWork: every step from a tree to its simplified rules as records, and as text as in a textbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hedgerow.data.table.schema import Schema
from hedgerow.layout.numbers import format_measure, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.learn.trees.rules_from_tree.generalize import (
    GeneralizationStep,
    RuleCandidate,
    RuleErrorEstimate,
    RulePath,
)
from hedgerow.learn.trees.rules_from_tree.order import DroppedRule, PlacedClass
from hedgerow.learn.trees.rules_from_tree.subset import MOST_EXACT, DescriptionLength, RuleSubset
from hedgerow.models.base.condition import Condition, conjunction
from hedgerow.models.base.rule import format_target_class
from hedgerow.models.trees.tree import Tree


@dataclass
class RulesWork:
    """The steps of simplifying the paths of a tree, in their order; its text shows them all.

    Parameters
    ----------
    tree
        The tree whose paths became rules.
    source
        Which tree that is: unpruned, collapsed or pruned.
    paths, steps
        Each path, and the rounds of generalizing it.
    candidates
        The different rules that this made; later records name rules by their position here.
    choices
        What was chosen of them for each class.
    placed
        The classes in their order.
    dropped
        The rules that went since the list makes no more errors without them.
    """

    schema: Schema
    tree: Tree | None = None
    source: str = ""
    paths: list[RulePath] = field(default_factory=list)
    steps: list[list[GeneralizationStep]] = field(default_factory=list)
    candidates: list[RuleCandidate] = field(default_factory=list)
    choices: list[RuleSubset] = field(default_factory=list)
    placed: list[PlacedClass] = field(default_factory=list)
    dropped: list[DroppedRule] = field(default_factory=list)
    share: float = 0.0

    def __str__(self) -> str:
        blocks = [f"The {self.source} tree\n{self.tree}"] if self.tree else []
        pairs = zip(self.paths, self.steps, strict=True)
        blocks += [self._path_text(number, path, steps) for number, (path, steps) in enumerate(pairs, start=1)]
        blocks += [self._choice_text(choice) for choice in self.choices]
        if self.placed:
            blocks.append(self._order_text())
        if self.dropped:
            blocks.append(self._removed_rules_text())
        return "\n\n".join(blocks)

    def _decision_text(self, decision: int) -> str:
        return format_target_class(self.schema.target_column, decision)

    def _rule(self, conditions: Sequence[Condition], decision: int) -> str:
        return f"if {conjunction(conditions) or 'anything'} then {self._decision_text(decision)}"

    def _path_text(self, number: int, path: RulePath, steps: Sequence[GeneralizationStep]) -> str:
        lines = [f"Path {number}: {self._rule(path.conditions, path.decision)}"]
        for step in steps:
            rows = [["", "rows", "errors", "expected error rate"], ["unchanged", *_figures(step.before)]]
            pairs = zip(step.conditions, step.without, strict=True)
            rows += [[f"without {condition}", *_figures(estimate)] for condition, estimate in pairs]
            lines += align_numbers(rows, left={0})
            if step.dropped_test is not None:
                lines.append(f"Dropped: {step.conditions[step.dropped_test]}")
        last = steps[-1].conditions
        kept = self._rule(last, path.decision) if last else "no conditions are left; the default covers this"
        return "\n".join([*lines, f"Generalized: {kept}"])

    def _choice_text(self, choice: RuleSubset) -> str:
        rows = [["", "bits", "rows", "errors", "expected error rate", "rule"]]
        for at, cost in zip(choice.candidates, choice.costs, strict=True):
            rule = self.candidates[at]
            mark = "*" if at in choice.chosen_rules else ""
            text = self._rule(rule.conditions, rule.decision)
            rows.append([mark, format_measure(cost), *_figures(rule.estimate), text])
        how = "all subsets compared" if choice.exact else f"more than {MOST_EXACT} rules: by hill climbing"
        lengths = [["no rules", choice.none], ["all rules", choice.all_rules_length], ["chosen (*)", choice.best]]
        bits = [["bits", "rules", "exceptions", f"{format_quantity(self.share)} rules + exceptions"]]
        bits += [[str(name), *_bits(length)] for name, length in lengths if isinstance(length, DescriptionLength)]
        lines = [f"Choosing rules for {self._decision_text(choice.decision)}: {how}"]
        return "\n".join([*lines, *align_numbers(rows, left={0, 5}), *align_numbers(bits, left={0})])

    def _order_text(self) -> str:
        rows = [["class", "rows covered", "false positives"]]
        rows += [
            [self._decision_text(p.decision), format_quantity(p.covered_weight), format_quantity(p.false_positives)]
            for p in self.placed
        ]
        return "\n".join(
            ["Order of the classes, not counting the rows of earlier ones", *align_numbers(rows, left={0})]
        )

    def _removed_rules_text(self) -> str:
        rows = [["errors before", "after", "rule"]]
        for one in self.dropped:
            rule = self.candidates[one.rule]
            rows.append(
                [format_quantity(one.before), format_quantity(one.after), self._rule(rule.conditions, rule.decision)]
            )
        return "\n".join(
            ["Dropped, since the list makes no more training errors without them", *align_numbers(rows, {2})]
        )


def _figures(estimate: RuleErrorEstimate) -> list[str]:
    return [format_quantity(estimate.n), format_quantity(estimate.errors), format_measure(estimate.rate)]


def _bits(length: DescriptionLength) -> list[str]:
    return [format_measure(length.rules), format_measure(length.exceptions), format_measure(length.total)]
