"""Simplest: of several readable learners, the simplest one whose error is close to the lowest."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.learn.choosing.judge import Candidate, Chooser
from hedgerow.learn.classifier import Classifier
from hedgerow.models.base.unknown_rows import has_only_texts

# Learners and settings, the simplest first. Bounded models come before unbounded ones: no column, one column,
# three conditions, one table per column; then models that grow with the data, a short rule list before a tree.
# Ripper represents the rule learners: on fifteen public data sets it is as good as C4.5rules in less time, with fewer
# rules (docs/learners/choosing/simplest.md). New learners are added here.
CANDIDATES: tuple[Candidate, ...] = (
    ("majority", {}),
    ("one_r", {}),
    ("c45", {"max_depth": 3}),
    ("naive_bayes", {}),
    ("ripper", {}),
    ("c45", {}),
)
# Additional candidates for tables with texts, after plain naive Bayes: one number per term and class, as there.
ON_TEXTS: tuple[Candidate, ...] = (
    ("naive_bayes", {"text_model": "complement", "tf": "binary"}),
    ("rocchio", {}),
)
IDLE_ON_TEXTS = frozenset({"one_r", "c45"})  # learners that cannot use texts: on texts only, they predict the majority


class Simplest(Chooser, Classifier):
    """Simplicity first: the simplest of several learners that is about as good as the best.

    The candidates are compared by cross-validation on the same folds, within the training rows. In the order of
    simplicity they are: the majority class (no column), 1R (one column), a small C4.5 tree (at most three conditions),
    naive Bayes (each column by itself), RIPPER (a rule list) and the full C4.5 tree. The last two grow with the data.
    The first whose error is at most the lowest plus `within` standard errors is trained on all rows, and its model is
    the result.

    On tables with texts, complement naive Bayes on the presence of terms and Rocchio's prototypes are compared after
    naive Bayes. If there are only texts, 1R and C4.5, which cannot use them, are left out.

    References
    ----------
    R. C. Holte, Very simple classification rules perform well on most commonly used datasets. Machine Learning 11
    (1993).
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, Classification and regression trees. Wadsworth (1984): the
    rule of one standard error.

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(Simplest().train(examples.loan()))
    Own_House = false
    |   Has_Job = false: No (6)
    |   Has_Job = true: Yes (3)
    Own_House = true: Yes (6)
    <BLANKLINE>
    Leaves: 3, size of the tree: 5
    """

    declared = CANDIDATES
    costly = frozenset({"ripper"})

    def candidates_for(self, schema: Schema | None) -> Sequence[Candidate]:
        """Return the candidates; on tables with texts also those for texts."""
        if schema is None or not any(c.kind is Kind.TEXT for c in schema.columns if c.name != schema.target):
            return CANDIDATES
        used = (
            [one for one in CANDIDATES if one[0] not in IDLE_ON_TEXTS] if has_only_texts(schema) else list(CANDIDATES)
        )
        place = used.index(("naive_bayes", {})) + 1
        return [*used[:place], *ON_TEXTS, *used[place:]]
