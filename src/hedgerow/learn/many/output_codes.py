"""Error-correcting output codes: one model for each of many splits of the classes, so that some may err."""

from __future__ import annotations

from typing import Any

from hedgerow.data.table.table import Codes
from hedgerow.errors import UsageError
from hedgerow.learn.many.base import ManyClasses
from hedgerow.learn.params import choice, integer, seed
from hedgerow.learn.sampling import seed_number
from hedgerow.models.many.class_codes import MOST_EXHAUSTIVE, CodeMatrix
from hedgerow.models.many.output_code import HAMMING

FEW = 7  # number of classes up to which the code is exhaustive: 63 models
RANDOM = ("dense", "sparse")


class OutputCodes(ManyClasses):
    """Error-correcting output codes: models of many splits of the classes in two; the nearest code decides.

    Each class has a code with one sign per model, its side in that model. A row gets the class whose code is nearest to
    the predictions of the models. Codes with distance d correct (d - 1) / 2 errors of models. "exhaustive" codes have
    all 2^(k - 1) - 1 splits of the classes; "bch" uses words of BCH codes, which are far from each other; "dense" and
    "sparse" are random, the best of many draws, and in sparse ones a model is trained without half of the classes.
    "auto" is exhaustive for up to 7 classes, bch for more.

    References
    ----------
    T. G. Dietterich and G. Bakiri, Solving multiclass learning problems via error-correcting output codes. Journal of
    Artificial Intelligence Research 2 (1995).

    E. L. Allwein, R. E. Schapire and Y. Singer, Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1 (2000).

    Examples
    --------
    >>> from hedgerow.examples import weather
    >>> table = weather().with_target("Outlook")
    >>> print(OutputCodes(base="one_r").train(table))
    3 rule lists, each separates some classes from others; the class with the smallest hinge loss is predicted
    Every rule list has 2 rules
    <BLANKLINE>
    member  rules  separates        from
         0      2  Sunny            the others
         1      2  Sunny, Rainy     Overcast
         2      2  Sunny, Overcast  Rainy
    <BLANKLINE>
    class     code, one sign per member
    Sunny     +++
    Overcast  --+
    Rainy     -+-
    <BLANKLINE>
    The distance between any two codes is 2 members;
    number of member errors that still leave the correct code nearest: 0
    <BLANKLINE>
    Columns, by the number of members that use them:
      Temperature 1, Humidity 1, Play 1
    <BLANKLINE>
    Members are numbered 0 to 2; to print one: print(model.member(0)), or hedgerow show FILE --member 0
    """

    name = "output_codes"

    codes: str = choice("auto", "kind of the codes of the classes", "auto", "exhaustive", "bch", *RANDOM)
    columns: int | None = integer(
        None,
        "length of random codes, which is the number of models; by default 10 or 15 log2 of the number of classes",
        low=1,
        high=10_000,
        none=True,
    )
    by: str = choice(
        "hinge", "the loss, or distance, by which the nearest code is found", "hinge", "exp", "logistic", HAMMING
    )
    random_state: Any = seed()

    def check_params(self) -> None:
        """Raise an error if a parameter is out of its range, or a length is given to codes that have their own."""
        super().check_params()
        if self.columns is not None and self.codes not in RANDOM:
            raise UsageError(f"columns={self.columns} is the length of random codes: give codes='dense' or 'sparse'")

    def code(self, n: int, used: Codes) -> CodeMatrix:
        """Return the code that is requested."""
        kind = self.codes
        if kind == "auto":
            kind = "exhaustive" if len(used) <= FEW else "bch"
        if kind == "exhaustive":
            if len(used) > MOST_EXHAUSTIVE:
                raise UsageError(
                    f"codes='exhaustive' would need {2 ** (len(used) - 1) - 1:,} models for {len(used)} classes; use "
                    f"codes='bch' for more than {MOST_EXHAUSTIVE} classes"
                )
            return CodeMatrix.exhaustive(n, used)
        chance = seed_number(self.random_state)
        if kind == "bch":
            return CodeMatrix.bch(n, chance, used)
        return CodeMatrix.random(n, self.columns, kind, chance, used)

    @property
    def decoding(self) -> str:
        """How the members' predictions are combined into a class."""
        return self.by
