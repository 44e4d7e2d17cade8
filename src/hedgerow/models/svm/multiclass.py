"""The division of the classes among support vector machines, and the scores computed from their values."""

from __future__ import annotations

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.decoding import evidence, largest, votes

NONE, ONE, REST, PAIRS = FORMS = ("none", "one", "rest", "pairs")


def detect_multiclass_form(codes: CodeMatrix) -> str:
    """Return how machines share out the classes, one of FORMS; other codes raise."""
    if codes.n_used <= 2:
        return NONE if codes.n_used == 1 else ONE
    if codes.is_pairs or codes.is_one_vs_rest:
        return PAIRS if codes.is_pairs else REST
    raise ModelError(
        "there must be one machine for two classes, one per class against the rest, or one per pair of classes"
    )


def class_scores(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the score of every class (columns), the largest of which decides, from f of every machine (lines).

    Two classes have -f and f; classes against the rest their own f; pairs their votes and, to break ties, the sum of
    what the machines say, squeezed into (-1/3, 1/3). A class that no row had has -inf.
    """
    return votes(codes, values) if detect_multiclass_form(codes) == PAIRS else largest(codes, values)


def chance_scores(codes: CodeMatrix, values: Numbers) -> Numbers:
    """Return the input of temperature scaling: the scores, or for pairs the evidence for each class.

    Votes are whole numbers, which say little about the certainty of a decision.
    """
    return evidence(codes, values) if detect_multiclass_form(codes) == PAIRS else largest(codes, values)
