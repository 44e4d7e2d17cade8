"""Error-correcting output codes: a model for each of many ways to part the classes, so that some may err."""

from __future__ import annotations

from typing import Any

from hedgerow.data.table.table import Codes
from hedgerow.errors import UsageError
from hedgerow.learn.many.base import ManyClasses
from hedgerow.learn.params import choice, integer, seed
from hedgerow.learn.sampling import seed_number
from hedgerow.models.many.class_codes import MOST_EXHAUSTIVE, CodeMatrix
from hedgerow.models.many.output_code import HAMMING

FEW = 7  # classes, up to which the exhaustive code is taken: 63 models
RANDOM = ("dense", "sparse")


class OutputCodes(ManyClasses):
    """Error-correcting output codes: models of many ways to part the classes; the nearest code decides.

    Each class has a code, a sign a model: on which of its two sides the class is. A row gets the class whose code is
    nearest to what the models say. Codes that are d signs apart put (d - 1) / 2 wrong models right. "exhaustive" codes
    have every way to part the classes, 2^(k - 1) - 1; "bch" takes words of BCH codes, which are far apart; "dense" and
    "sparse" are random, the best of many draws, and in sparse ones a model does not see half of the classes. "auto" is
    exhaustive for up to 7 classes, bch for more.

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
    3 rule lists, each tells some classes from others; the class whose code has the least hinge loss is decided
    Every rule list has 2 rules
    <BLANKLINE>
    member  rules  tells            from
         0      2  Sunny            the others
         1      2  Sunny, Rainy     Overcast
         2      2  Sunny, Overcast  Rainy
    <BLANKLINE>
    class     code, a sign a member
    Sunny     +++
    Overcast  --+
    Rainy     -+-
    <BLANKLINE>
    Every two codes are 2 members apart;
    so many members may err, and the nearest code is still the right one: 0
    <BLANKLINE>
    Columns, by the number of members that use them:
      Temperature 1, Humidity 1, Play 1
    <BLANKLINE>
    Members are numbered 0 to 2; to read one: print(model.member(0)), or hedgerow show FILE --member 0
    """

    name = "output_codes"

    codes: str = choice("auto", "which codes the classes have", "auto", "exhaustive", "bch", *RANDOM)
    columns: int | None = integer(
        None, "length of random codes, and so number of models; by default 10 or 15 log2 of the classes",
        low=1, high=10_000, none=True,
    )  # fmt: skip
    by: str = choice("hinge", "the loss, or distance, by which a code is near", "hinge", "exp", "logistic", HAMMING)
    random_state: Any = seed()

    def check_params(self) -> None:
        """Raise a sentence if a parameter is out of its range, or a length is given to codes that have their own."""
        super().check_params()
        if self.columns is not None and self.codes not in RANDOM:
            raise UsageError(f"columns={self.columns} is the length of random codes: give codes='dense' or 'sparse'")

    def code(self, n: int, used: Codes) -> CodeMatrix:
        """Return the code that is asked for."""
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
        """How the members' answers become a class."""
        return self.by
