"""The default learners `simplest` and `simplest_regressor` compared with their candidates, on public data sets.

python -m benchmarks default_choice --sets iris sonar

Each of five folds is held out in turn. The whole choice is made on the other rows, and all candidates and a random
forest are trained on them, so that the losses of all are of the same rows, which none of them has seen. The excess is
the mean difference between the loss of the default and that of the candidate which turns out to be the best on these
rows, also in units of its standard error, and as a share of the loss of the majority class (or of the mean). The sets
in `TUNED` were used to decide on the candidates and the rule; in `RARE`, most rows of the second class were removed.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.speed.workloads import shared
from hedgerow import Simplest, SimplestRegressor, Table, read
from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.metrics.measures import CLIP
from hedgerow.learn.choosing.losses import Predictions, losses
from hedgerow.learn.choosing.selection import mean_and_error
from hedgerow.learn.choosing.selector import ModelSelector, make_candidates
from hedgerow.learn.prepare import set_target_kind
from hedgerow.learn.sampling import select_weighted_rows, split_by_value_hash
from hedgerow.models.base.model import ClassModel, Model

FOLDS = 5
LARGEST = 4000  # rows; of larger sets as many are drawn
DEFAULT = "the default"
MATERIAL = 0.01  # share of the loss of the majority class
CODED = {f"column{place}": "nominal" for place in range(1, 8)}
UCI = (
    "anneal audiology autos breast-w colic credit-a credit-g diabetes glass heart-c heart-h hepatitis iris labor lymph "
    "phoneme sonar soybean vehicle vote"
)
PACKED = "hypothyroid kr-vs-kp letter segment sick splice waveform-5000"
TEXTBOOK = "balance-scale segment-challenge tic-tac-toe zoo"
CLASSES = {
    **{name: f"uci/{name}.arff" for name in UCI.split()},
    **{name: f"uci/{name}.arff.gz" for name in PACKED.split()},
    **{name: f"textbook/{name}.arff" for name in TEXTBOOK.split()},
    **{f"monks-{number}": f"textbook/monks-{number}.test" for number in (1, 2, 3)},
    "titanic": "textbook/titanic.tab",
    "mushroom": "textbook/mushroom.arff.gz",
    "adult": "textbook/adult.data.gz",
    "phoneme-elena": "uci/phoneme-elena.csv",
    "elec2": "large/elec2.csv.gz",
    "kddcup": "large/kddcup.data_10_percent.gz",
    "poker": "large/poker-hand-training-true.csv.gz",
    "higgs": "large/higgs-7000.train.tsv.gz",
    "sms": "text/sms_spam.tsv.gz",
}
RARE = {"sick": 0.02, "adult": 0.02, "kr-vs-kp": 0.02, "credit-g": 0.05, "sms": 0.02}
NUMBERS = {
    **{name: f"regression/{name}.arff" for name in ("abalone", "autoMpg", "housing", "servo")},
    "cal_housing": "regression/cal_housing.arff.gz",
    "cpu": "textbook/cpu.arff",
    "cpu.with.vendor": "textbook/cpu.with.vendor.arff",
}
NAMES = (*CLASSES, *(f"{name}, rare" for name in RARE), *NUMBERS)
QUICK = ("labor", "hepatitis", "iris", "glass", "monks-1", "cpu")
EVERY_SECOND = (
    "adult anneal autos breast-w credit-a elec2 heart-c hepatitis hypothyroid kddcup letter monks-1 monks-3 "
    "phoneme-elena poker segment soybean tic-tac-toe vehicle waveform-5000"
)
TUNED = {*EVERY_SECOND.split(), *(f"{name}, rare" for name in ("credit-g", "kr-vs-kp", "sick", "sms"))}


@dataclass(frozen=True)
class Line:
    """What became of one set: the losses and areas of the default, of the best candidate and of the forest."""

    name: str
    rows: int
    loss: float
    best: str
    lowest: float
    error: float  # standard error of the difference
    largest: float  # loss of the first candidate, which uses no column
    areas: tuple[float, float]  # of the default, and the largest of the candidates
    forest: tuple[float, float]  # loss and area
    chosen: tuple[str, ...]
    relative: dict[str, float]  # losses of the default, the candidates and the forest as shares of the largest
    seconds: float

    @property
    def errors(self) -> float:
        """The excess in standard errors."""
        return (self.loss - self.lowest) / self.error if self.error > 0 else 0.0

    @property
    def share(self) -> float:
        """The excess as a share of the largest loss."""
        return (self.loss - self.lowest) / self.largest if self.largest > 0 else 0.0

    def __str__(self) -> str:
        areas = "".join(_cell(area, "6.3f") for area in (*self.areas, self.forest[1]))
        often = ", ".join(f"{name} {n}" for name, n in Counter(self.chosen).most_common())
        return (
            f"{self.name:16} {self.rows:5} {self.errors:+6.1f} {100 * self.share:+6.1f} % {self.loss:9.4g} "
            f"{self.lowest:9.4g}{_cell(self.forest[0], '9.4g')} {areas} {self.seconds:6.1f}  {self.best}; "
            f"chosen: {often}"
        )


def _cell(value: float, form: str) -> str:
    width = int(form.partition(".")[0])
    return " " + (f"{'-':>{width}}" if np.isnan(value) else f"{value:{form}}")


HEAD = (
    f"{'set':16} {'rows':>5} {'excess':>6} {'share':>8} {'default':>9} {'best':>9} {'forest':>9} "
    f"{'AUC':>7} {'best':>6} {'forest':>6} {'s':>6}  the best; chosen in the folds"
)


def parser() -> argparse.ArgumentParser:
    """Parse the command-line options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks default_choice", description=__doc__.split("\n")[0])
    options.add_argument("--quick", action="store_true", help=f"only small sets: {', '.join(QUICK)}")
    options.add_argument("--sets", nargs="+", choices=NAMES, metavar="SET", help=", ".join(NAMES))
    options.add_argument("--rows", type=int, default=LARGEST, help="number of rows drawn from larger sets")
    options.add_argument("--within", type=float, default=1.0, help="as of the learner")
    options.add_argument("--margin", type=float, default=0.01, help="as of the learner")
    return options


def main(arguments: Sequence[str] = ()) -> None:
    """Print a line per set, then all lines, the worst first, and the means."""
    chosen = parser().parse_args(arguments)
    if not (shared() / "README.md").is_file():
        print("skipped: data sets not found (set HEDGEROW_SHARED to their folder)")
        return
    names = chosen.sets or (QUICK if chosen.quick else NAMES)
    print(HEAD)
    lines = []
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines.append(measure(name, load(name, chosen.rows), {"within": chosen.within, "margin": chosen.margin}))
        print(lines[-1], flush=True)
    for title, kept in (
        ("classes, sets used for tuning", [line for line in lines if line.name in TUNED]),
        ("classes, other sets", [line for line in lines if line.name not in TUNED and line.name not in NUMBERS]),
        ("numbers", [line for line in lines if line.name in NUMBERS]),
    ):
        summarize(title, kept)


def summarize(title: str, lines: Sequence[Line]) -> None:
    """Print the worst lines and the means."""
    if not lines:
        return
    worse = [line for line in lines if line.errors > 1]
    material = [line for line in worse if line.share > MATERIAL]
    print(f"\n{title}: {len(lines)} sets; default worse than the best candidate by more than one standard error: "
          f"{len(worse)}, of these by more than {100 * MATERIAL:g} % of the largest loss: {len(material)}")  # fmt: skip
    below = np.mean([line.areas[1] - line.areas[0] for line in lines])
    area = "" if np.isnan(below) else f", mean area below the largest {below:.4f}"
    print(f"mean share {100 * np.mean([line.share for line in lines]):.2f} %{area}")
    for line in sorted(lines, key=lambda line: -line.errors):
        print(line)
    print(f"{'candidate':52} {'sets':>4} {'mean loss':>9} {'default':>8}   as shares of the largest, on the same sets")
    for name in dict.fromkeys(name for line in lines for name in line.relative if name != DEFAULT):
        same = [line for line in lines if name in line.relative]
        own, default = ([line.relative[one] for line in same] for one in (name, DEFAULT))
        print(f"{name:52} {len(same):4} {np.mean(own):9.4f} {np.mean(default):8.4f}")


def measure(name: str, table: Table, settings: dict[str, Any]) -> Line:
    """Return what becomes of a set if each fold is held out in turn."""
    start = perf_counter()
    selector: ModelSelector = (SimplestRegressor if name in NUMBERS else Simplest)(**settings)
    forest = make_candidates([("random_forest", {})]) if name not in NUMBERS and name.partition(",")[0] != "sms" else []
    learners = dict([*selector.candidates(table.schema), *forest])
    made: dict[str, list[Predictions]] = {one: [] for one in (DEFAULT, *learners)}
    chosen = []
    for part in split_by_value_hash(table, FOLDS, 7, None):
        train, test = select_weighted_rows(table, table.row_weights - part), select_weighted_rows(table, part)
        for one, learner in learners.items():
            made[one].append(predictions(learner.train(train), test))
        chosen.append(selector.select(train, with_yardstick=False).chosen.name)
        made[DEFAULT].append(made[chosen[-1]][-1])
    joined = {one: Predictions.joined(parts) for one, parts in made.items()}
    weight = joined[DEFAULT].weight
    criterion = "squared" if name in NUMBERS else "log_loss"
    rows = {one: losses(criterion, predicted) for one, predicted in joined.items()}
    means = {one: mean_and_error(values, weight)[0] for one, values in rows.items()}
    areas = {one: area(predicted, weight) for one, predicted in joined.items()}
    candidates = [one for one in learners if one != "random_forest"]
    best = min(candidates, key=lambda one: means[one])
    largest = means[candidates[0]]
    return Line(
        name,
        table.n_rows,
        means[DEFAULT],
        best,
        means[best],
        mean_and_error(rows[DEFAULT] - rows[best], weight)[1],
        largest,
        (areas[DEFAULT], max(areas[one] for one in candidates)),
        (means.get("random_forest", np.nan), areas.get("random_forest", np.nan)),
        tuple(chosen),
        {one: mean / largest for one, mean in means.items()} if largest > 0 else {},
        perf_counter() - start,
    )


def predictions(model: Model, test: Table) -> Predictions:
    """Return the predictions of a model as it makes them, with probabilities clipped as in `evaluate`."""
    if not isinstance(model, ClassModel):
        return Predictions.of(model, test, 0.0)
    shares = np.clip(model.distribution(test), CLIP, 1.0)
    return Predictions(np.asarray(test.target), test.row_weights, shares, model.decide(test))


def area(made: Predictions, weight: Numbers) -> float:
    """Return the area under the ROC curve; of more than two classes the mean of each against the rest."""
    return np.nan if made.decided is None else 1 - mean_and_error(losses("auc", made), weight)[0]


def load(name: str, most: int = LARGEST) -> Table:
    """Return the rows of a set that have a target, at most so many, and of a rare class the share in `RARE`."""
    plain = name.partition(",")[0]
    path = shared() / (CLASSES.get(plain) or NUMBERS[plain])
    if plain.startswith("monks"):
        table = read(path, format="csv", header=False, delimiter=" ", kinds=CODED, target="column1", ignore=["column8"])
    else:
        table = read(path)
    names = table.schema.names
    if plain == "titanic":
        table = table.take(np.arange(2, table.n_rows))  # two more lines of its header
    if plain in NUMBERS or plain in ("adult", "kddcup", "elec2", "poker"):
        table = table.with_target(names[-1])
    elif plain in ("sms", "higgs"):
        table = table.with_target(names[0])
    table = set_target_kind(table, plain not in NUMBERS)[0]
    target = np.asarray(table.target)
    table = table.take(np.flatnonzero(~np.isnan(target) if plain in NUMBERS else target >= 0))
    random = np.random.default_rng(0)
    if name != plain:
        table = thin(table, RARE[plain], most, random)
    if table.n_rows > most:
        table = table.take(np.sort(random.choice(table.n_rows, most, replace=False)))
    return table


def thin(table: Table, share: float, most: int, random: np.random.Generator) -> Table:
    """Return the table with so few rows of its second most frequent class."""
    target = np.asarray(table.target)
    rare = np.argsort(np.bincount(target))[-2]
    few, many = np.flatnonzero(target == rare), np.flatnonzero(target != rare)
    if len(many) > most:
        many = random.choice(many, most, replace=False)
    kept = random.choice(few, min(max(10, int(share * len(many))), len(few)), replace=False)
    return table.take(np.sort(np.concatenate([kept, many])))
