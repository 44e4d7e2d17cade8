"""Association rules as text: `{bread, butter} => {milk} (3 of 4, 5 of 9)  # support 33.3 %, ...`, one a line.

The first pair says that 3 of the 4 rows with the antecedent satisfy the rule, the second that 5 of all 9 rows contain
the consequent. What follows is a comment. A line `# absent: no, never` at the top lists levels that are treated as
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.data.items.names import format_bare_item
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.models.associations.set_arrays import iterate_sets
from hedgerow.models.base.rule import percent_text

if TYPE_CHECKING:
    from hedgerow.models.associations.association_rules import AssociationRules


def rule_lines(rules: AssociationRules, most: int | None = None) -> list[str]:
    """Return the lines of the first rules, or of all."""
    stop = len(rules) if most is None else min(most, len(rules))
    sets = [rules.items.text(codes) for codes in iterate_sets(rules.offsets, rules.codes)]
    total = format_number(float(rules.total))
    columns = (rules.left, rules.right, rules.counts, rules.left_counts, rules.right_counts)
    measures = (rules.support, rules.confidence, rules.lift)
    absent = ", ".join(map(format_bare_item, rules.items.absent))
    lines = [f"# absent: {absent}"] if absent else []
    for left, right, count, n_left, n_right, support, confidence, lift in zip(
        *(column[:stop].tolist() for column in (*columns, *measures)), strict=True
    ):
        line = f"{sets[left]} => {sets[right]}"
        if count > 0:
            whole = format_number(float(count))
            line += f" ({whole} of {format_number(float(n_left))}, {format_number(float(n_right))} of {total})"
            line += f"  # support {percent_text(support)}, confidence {percent_text(confidence)}"
            line += f", lift {format_number(round_digits(lift, 3))}, count {whole}"
        lines.append(line)
    return lines
