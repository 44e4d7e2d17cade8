"""Write your own learner and model, which can be trained, tested, saved, loaded and explained like hedgerow's."""

import tempfile
from dataclasses import dataclass

import numpy as np

import hedgerow


@hedgerow.register_model  # so that model files can contain it
@dataclass(frozen=True, eq=False)
class ClassMeans(hedgerow.ClassModel):
    """The mean of one column for each class; a class is more probable if its mean is nearer."""

    column: str
    means: np.ndarray
    kind = "class_means"

    def __str__(self):
        return "\n".join(f"{c}: {self.column} near {m:g}" for c, m in zip(self.classes, self.means, strict=True))

    def nearness(self, table):  # for every class (columns); a missing value is equally near to all
        return np.nan_to_num(-np.abs(table[self.column][:, None] - self.means) / (np.ptp(self.means) or 1))

    def scores(self, table):
        odds = np.exp(self.nearness(table))
        return odds / odds.sum(axis=1, keepdims=True)

    def contributions(self, table):  # shown by `hedgerow explain`
        part = hedgerow.Contribution(f"{self.column} = {table[self.column][0]:g}", self.nearness(table)[0], self.column)
        return hedgerow.Contributions("nearness", (part,))

    def to_dict(self):
        return {"column": self.column, "means": self.means}

    @classmethod
    def from_dict(cls, parts, schema, about):
        return cls(schema, schema[parts["column"]].name, parts["means"], about=about)


class NearestMean(hedgerow.Classifier):
    """Predicts the class with the nearest mean, in the numeric column with the largest likelihood of the classes."""

    def learn(self, table):
        models = [self.by(table, c.name) for c in table.schema.columns if c.kind is hedgerow.Kind.NUMERIC]
        return max(models, key=lambda one: table.row_weights @ one.scores(table)[range(len(table)), table.target_codes])

    def by(self, table, name):
        values, weights = np.nan_to_num(table[name]), table.row_weights * ~np.isnan(table[name])
        every = [weights * (table.target_codes == code) for code in range(len(table.schema.target_column.levels))]
        means = [np.average(values, weights=own if own.any() else table.row_weights) for own in every]
        return ClassMeans(table.schema, name, np.array([float(f"{mean:.6g}") for mean in means]))


hedgerow.checks.check_learner(NearestMean())
table = hedgerow.examples.weather()
NearestMean().train(table).save(path := f"{tempfile.mkdtemp()}/own.hedge")
print(hedgerow.cross_validate(NearestMean(), table), hedgerow.explanations(hedgerow.load(path), table, [0])[0])
