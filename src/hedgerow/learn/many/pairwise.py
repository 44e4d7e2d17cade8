"""Pairwise classification: a model for every two classes, learned from their rows only."""

from __future__ import annotations

from hedgerow.data.table.table import Codes
from hedgerow.learn.many.base import ManyClasses
from hedgerow.learn.params import choice
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.output_code import COUPLED, VOTES


class Pairwise(ManyClasses):
    """Pairwise classification: one model per pair of classes, trained on their rows; the models vote.

    k classes have k (k - 1) / 2 models; with n rows and equally frequent classes, every model is trained on 2 n / k of
    them, so a base with linear cost takes time proportional to (k - 1) n in total. Each model votes for one of its two
    classes; ties in votes go to the class with the largest sum of values. Probabilities are coupled from those of all
    pairs.

    References
    ----------
    T. Hastie and R. Tibshirani, Classification by pairwise coupling. Annals of Statistics 26 (1998).

    J. Fürnkranz, Round robin classification. Journal of Machine Learning Research 2 (2002).

    T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise coupling.
    Journal of Machine Learning Research 5 (2004).

    Examples
    --------
    >>> from hedgerow.examples import weather
    >>> table = weather().with_target("Outlook")
    >>> print(Pairwise(base="one_r").train(table))
    3 rule lists, one per pair of classes; each votes for one of its two classes
    Every rule list has 2 rules
    <BLANKLINE>
    member  rules  separates  from
         0      2  Sunny      Overcast
         1      2  Sunny      Rainy
         2      2  Overcast   Rainy
    <BLANKLINE>
    Columns, by the number of members that use them:
      Play 3
    <BLANKLINE>
    Members are numbered 0 to 2; to print one: print(model.member(0)), or hedgerow show FILE --member 0
    """

    name = "pairwise"

    by: str = choice(
        VOTES, "whether the class with the most votes is predicted, or the most probable one", VOTES, COUPLED
    )

    def code(self, n: int, used: Codes) -> CodeMatrix:
        """Return one row per pair."""
        return CodeMatrix.pairs(n, used)

    @property
    def decoding(self) -> str:
        """How the members' predictions are combined into a class."""
        return self.by
