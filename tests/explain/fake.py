"""A small model whose decisions are sums: the prior, a numeric column, and the terms of a text column."""

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Table, Text
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.tokens import Tokens
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.model import ClassModel, RowScores

CLASSES = ("ham", "spam", "news")
TEXTS = ["Free money, free prize", "lunch at noon, no money", "the election and the money of the parties"]


@dataclass(frozen=True, eq=False)
class Summing(ClassModel):
    """scores = prior + x @ evidence + number * slope, as log probabilities."""

    space: TermSpace
    prior: Numbers
    evidence: Numbers
    slope: Numbers

    kind = "summing"

    def __str__(self):
        return "a sum"

    def to_dict(self):
        return {}

    @classmethod
    def from_dict(cls, parts, schema, about):
        raise NotImplementedError

    @property
    def term_spaces(self):
        return {"message": self.space}

    def raw_scores(self, table):
        vectors = self.space.vectors(table["message"]).matrix()
        numbers = np.nan_to_num(table["length"])
        return self.prior + vectors @ self.evidence + numbers[:, None] * self.slope

    def scores(self, table):
        raw = self.raw_scores(table)
        shares = np.exp(raw - raw.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def score_rows(self, table):
        vectors = self.space.vectors(table["message"])
        silent = (np.diff(vectors.row_starts) == 0) & np.isnan(table["length"])
        return RowScores(self.scores(table), silent)

    def contributions(self, table):
        vectors, names = self.space.vectors(table["message"]), self.space.names
        parts = [Contribution("P(class)", self.prior)]
        number = float(table["length"][0])
        if not np.isnan(number):
            parts.append(Contribution(f"length = {number:g}", number * self.slope, "length"))
        for term, value in zip(vectors.ids.tolist(), vectors.values.tolist(), strict=True):
            parts.append(Contribution(names[term], value * self.evidence[term], "message", term))
        return Contributions("log probability", tuple(parts))


def schema(classes=CLASSES):
    columns = (
        Column("message", Kind.TEXT),
        Column("length", Kind.NUMERIC),
        Column("Class", Kind.NOMINAL, levels=classes),
    )
    return Schema(columns, "Class")


def summing(tokens=None, texts=TEXTS, classes=CLASSES, seed=1):
    """Return a model with random evidence on the terms of some texts."""
    space, _ = TermSpace.learn(Text.of(texts), tokens or Tokens())
    rng = np.random.default_rng(seed)
    shape = (len(space), len(classes))
    return Summing(
        schema(classes),
        space,
        np.log(np.full(len(classes), 1 / len(classes))),
        rng.normal(0, 2, shape),
        rng.normal(0, 0.01, len(classes)),
    )


def messages(texts, lengths=None, labels=None, classes=CLASSES):
    """Return a table of messages."""
    n = len(texts)
    numbers = np.full(n, np.nan) if lengths is None else np.array(lengths, dtype=np.float64)
    codes = [-1 if label is None else classes.index(label) for label in labels or [None] * n]
    text = texts if isinstance(texts, Text) else Text.of(texts)
    return Table(schema(classes), (text, numbers, np.array(codes, dtype=np.int32)), n)
