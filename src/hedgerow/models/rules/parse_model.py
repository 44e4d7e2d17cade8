"""Rules as text to the model that they are: a list, a set, or rules that vote."""

from __future__ import annotations

from hedgerow.data.table.schema import Schema
from hedgerow.models.base.model import About
from hedgerow.models.base.parse import TokenLine, rule_lines
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.parse import OVERLAP
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.rules.rule_set import RuleSet
from hedgerow.models.rules.rule_vote import RuleVote


def parse_model(text: str, schema: Schema, about: About | None = None) -> RuleModel:
    """Parse printed or hand-written rules: a RuleList, or the kind that lines beginning with `where` specify."""
    where = [TokenLine(raw, number) for number, raw in rule_lines(text) if raw.split(None, 1)[0].lower() == "where"]
    if any(line.skip_words(*OVERLAP, "the", "first") for line in where):
        return RuleVote.parse(text, schema, about)
    return (RuleSet if where else RuleList).parse(text, schema, about)
