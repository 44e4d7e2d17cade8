"""One against the rest: one model per class, which separates it from all others."""

from __future__ import annotations

from hedgerow.data.table.table import Codes
from hedgerow.learn.many.base import ManyClasses
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.output_code import LARGEST


class OneVsRest(ManyClasses):
    """One against the rest: one model per class, which separates it from all others; the largest value decides.

    Each of k models is trained on all rows. The class whose model gives the largest margin wins, or the largest
    probability if the base has no margins. Probabilities are normalized to sum to 1. Two classes need one model.

    References
    ----------
    R. Rifkin and A. Klautau, In defense of one-vs-all classification. Journal of Machine Learning Research 5 (2004).

    Examples
    --------
    >>> from hedgerow.examples import weather
    >>> table = weather().with_target("Outlook")
    >>> print(OneVsRest(base="one_r").train(table))
    3 rule lists, each separates one class from the others; the class with the largest value is predicted
    Every rule list has 2 rules
    <BLANKLINE>
    member  rules  separates  from
         0      2  Sunny      the others
         1      2  Overcast   the others
         2      2  Rainy      the others
    <BLANKLINE>
    Columns, by the number of members that use them:
      Temperature 1, Humidity 1, Play 1
    <BLANKLINE>
    Members are numbered 0 to 2; to print one: print(model.member(0)), or hedgerow show FILE --member 0
    """

    name = "one_vs_rest"

    def code(self, n: int, used: Codes) -> CodeMatrix:
        """Return one row per class."""
        return CodeMatrix.one_vs_rest(n, used)

    @property
    def decoding(self) -> str:
        """How the members' predictions are combined into a class."""
        return LARGEST
