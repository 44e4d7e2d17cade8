"""Explanations: predictions with their reasons, and the report on several of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, cast

from hedgerow.explain.decision import Decision, explain_rows
from hedgerow.models.base.model import Model
from hedgerow.report.blocks import Article
from hedgerow.report.explanations.decision_article import decision_article
from hedgerow.report.render.html import fragment
from hedgerow.report.render.terminal import Terminal
from hedgerow.report.render.text import article_lines
from hedgerow.report.schema import DecisionReport, ExplanationsReport

MOST_IN_LINES = 1 << 17  # bytes of a text of which lines are chosen; of a longer one, parts of it
MOST_ON_PAGE = 1 << 21


class Explanation(Decision):
    """The explanation of a prediction; `str` returns it as text, and a notebook shows it as HTML.

    Attributes are those of `Decision`: number, target, classes, probabilities, decision, against, actual, why, texts,
    silent, notes, value (of numbers). `to_dict` gives plain JSON values.
    """

    def __str__(self) -> str:
        return "\n".join(article_lines(self._article(MOST_IN_LINES), Terminal()))

    def __repr__(self) -> str:
        return f"<Explanation: row {self.number}, {self.target} = {self.decision}>"

    def _repr_html_(self) -> str:
        return fragment([self._article(MOST_ON_PAGE)])

    def _article(self, most_bytes: int) -> Article:
        return decision_article(cast("DecisionReport", self.to_dict(most_bytes)))


def explanations(
    model: Any, data: Any, rows: Iterable[int] | None = None, *, against: str | None = None
) -> list[Explanation]:
    """Return explanations of the predictions of a model, one per row.

    Parameters
    ----------
    model
        A model that predicts a class or a number, or a fitted learner of one.
    data
        A Table, a frame, or a list of texts for a model of one text column.
    rows
        Positions of rows, from 0; all by default. Explanations number rows from 1, as the command line does.
    against
        The class that the prediction is compared with; by default the second best class of each row.

    Examples
    --------
    >>> import hedgerow
    >>> table = hedgerow.examples.loan()
    >>> print(explanations(hedgerow.OneR().train(table), table, [2])[0])
    Row 3: Class = No rather than Yes; incorrect, the actual class is Yes
      P(No) = 0.636, P(Yes) = 0.364
    <BLANKLINE>
      Rule 1 of 2 is the first that covers the row.
    <BLANKLINE>
        rule 1: if Own_House = false then Class = No (9/3)
    <BLANKLINE>
      The nearest rule for Yes, rule 2 (6/0), requires Own_House = true, but the row has Own_House
      false.
    """
    return [_readable(decision) for decision in explain_rows(model, data, rows, against)]


def explanations_report(
    model: Model, decisions: Sequence[Decision], more: int = 0, most_bytes: int | None = None
) -> ExplanationsReport:
    """Return the report on some predictions of a model; `more` rows are not explained.

    Texts with more bytes than `most_bytes` are shortened to the lines around the strongest marks.
    """
    return {
        "report": "explanations",
        "version": 1,
        "kind": model.kind,
        "target": model.schema.target,
        "labels": list(getattr(model, "classes", ())),
        "learner": model.about.learner,
        "parameters": dict(model.about.parameters),
        "rows": model.about.rows,
        "more": more,
        "decisions": [cast("DecisionReport", decision.to_dict(most_bytes)) for decision in decisions],
        "notes": [],
    }


def _readable(decision: Decision) -> Explanation:
    return Explanation(**{one.name: getattr(decision, one.name) for one in fields(decision)})
