"""Simplest: of several readable learners, the simplest that is about as good as the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedgerow.data.rows.row_sketch import RowSketch
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Numbers
from hedgerow.learn.choosing.losses import CLASS_CRITERIA
from hedgerow.learn.choosing.selection import Selection
from hedgerow.learn.choosing.selector import Declared, ModelSelector
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import choice, costs
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.costs import cost_matrix
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.base.unknown_rows import has_only_texts

BY_INTERVALS: Declared = ("naive_bayes", {"density": "bins"})
STRONG_PENALTY: Declared = ("logistic", {"penalty": "l2", "strength": 10.0})
WEAK_PENALTY: Declared = ("logistic", {"penalty": "l2", "strength": 0.1})
# Learners and settings, the simplest first: no column, one column, trees of two to six conditions, one table per
# column, one coefficient per column; then what grows with the data, a short list of rules before a whole tree. Leaves
# have smoothed probabilities, without which a pure leaf of two rows is as certain as one of thousands. The weaker the
# penalty, the larger the coefficients: few rows need a strong one, and classes that are nearly separated a weak one.
CANDIDATES: tuple[Declared, ...] = (
    ("majority", {}),
    ("one_r", {}),
    *(("c45", {"max_depth": depth, "leaves": "m"}) for depth in (2, 3, 4, 6)),
    ("naive_bayes", {}),
    BY_INTERVALS,
    STRONG_PENALTY,
    ("logistic", {}),
    WEAK_PENALTY,
    ("ripper", {}),
    ("c45", {"leaves": "m"}),
)
# Also compared on texts, after naive Bayes as it is: like it they have one number per term and class.
ON_TEXTS: tuple[Declared, ...] = (
    ("naive_bayes", {"text_model": "complement", "tf": "binary"}),
    ("rocchio", {}),
)
IDLE_ON_TEXTS = frozenset({"one_r", "c45"})  # learners that cannot use texts: alone with them, they are the majority


class Simplest(ModelSelector, Classifier):
    """Simplicity first: the simplest of several readable learners that is about as good as the best.

    The candidates are compared by cross-validation on the same folds, within the training rows, by their log loss
    unless `by` names another criterion. In the order of simplicity they are: the majority class (no column), 1R (one
    column), C4.5 trees of two, three, four and six levels, naive Bayes with normal curves and with intervals (each
    column by itself), logistic regression with a strong, the usual and a weak penalty (one coefficient per column),
    RIPPER (a rule list) and the pruned C4.5 tree. The first whose loss exceeds the lowest by at most `within` standard
    errors of the difference on the same rows, and by at most `margin` times the loss of the majority class, is trained
    on all rows, and its model is the result. On large tables the candidates are compared on few rows first, and those
    that are clearly worse are dropped early (successive halving), within the `budget`.

    With `costs`, the model predicts the class of least expected cost; `by="cost"` also compares the candidates by what
    such decisions cost.

    On tables with texts, complement naive Bayes on the presence of terms and Rocchio's prototypes are compared after
    naive Bayes. If there are only texts, 1R and C4.5, which cannot use them, are left out.

    A random forest is compared too, but only chosen with `best`: it shows what readability costs.

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
    log-odds of Yes against No = the sum of coefficient times value
    <BLANKLINE>
                             coefficient  odds ratio
    (intercept)                -4.027878
    Age=middle                 -0.304214      0.7377
    Age=old                     1.163874       3.202
    Has_Job=true                5.101316       164.2
    Own_House=true              4.568153       96.37
    Credit_Rating=good          1.385237       3.996
    Credit_Rating=excellent      3.33163       27.98
    <BLANKLINE>
    Levels are compared with Age=young, Has_Job=false, Own_House=false, Credit_Rating=fair
    log-likelihood -0.447428 (constant model -10.0952), McFadden's R² 0.9557, 15 rows, converged in 8 passes
    """

    by: str = choice("log_loss", "criterion by which the candidates are compared", *CLASS_CRITERIA)
    costs: Any = costs("misclassification costs, as in Yes:No=5 where predicting a Yes as No costs 5; others cost 1")

    declared = CANDIDATES
    yardstick = ("random_forest", {})

    @property
    def criterion(self) -> str:
        """What candidates are compared by."""
        return self.by

    def cost_matrix(self, schema: Schema) -> Numbers | None:
        """Return what wrong decisions cost, by actual and predicted class."""
        return cost_matrix(self.costs, schema.target_column.levels)

    def chosen_learner(self, selection: Selection) -> Supervised:
        """Return the learner that a selection chose, whose models decide by the costs if there are any."""
        learner = selection.chosen.learner
        return learner.with_costs(self.costs) if self.costs is not None and isinstance(learner, Classifier) else learner

    def add_about(
        self,
        model: Model,
        rows: int,
        weight: float,
        notes: tuple[str, ...] = (),
        sketch: RowSketch | None = None,
    ) -> Model:
        """Return the model with a record of how it was trained, which decides by the costs if there are any."""
        model = super().add_about(model, rows, weight, notes, sketch)
        return model.with_costs(self.costs) if self.costs is not None and isinstance(model, ClassModel) else model

    def candidates_for(self, schema: Schema | None) -> Sequence[Declared]:
        """Return the candidates that a table of a schema calls for; on texts also those for texts."""
        if schema is None:
            return (*CANDIDATES, *ON_TEXTS)
        kinds = {schema.columns[position].kind for position in schema.predictors}
        used = [one for one in CANDIDATES if not (one == BY_INTERVALS and Kind.NUMERIC not in kinds)]
        if Kind.TEXT not in kinds:
            return used
        used = [one for one in used if one not in (STRONG_PENALTY, WEAK_PENALTY)]  # texts have a penalty anyway
        if has_only_texts(schema):
            used = [one for one in used if one[0] not in IDLE_ON_TEXTS]
        place = used.index(("naive_bayes", {})) + 1
        return [*used[:place], *ON_TEXTS, *used[place:]]
