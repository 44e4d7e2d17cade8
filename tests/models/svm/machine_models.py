"""Support vector machines made by hand: golden ones, and some of many kinds with coefficients drawn at random."""

import numpy as np

from hedgerow import Table
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.linear.calibrator import IsotonicSteps, Sigmoid, Temperature
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.svm.functions import KernelFunctions, LinearFunctions, support_positions
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.machines import Machines
from hedgerow.models.svm.solution_quality import MachineFigures

LINEAR = KernelFunction("linear")
RBF = KernelFunction("rbf", gamma=0.3)
CLASSES = ("no", "yes", "maybe")
STEPS = IsotonicSteps(np.array([-1.0, 0.5]), np.array([0.1, 0.8]))


def points(rows, signs):
    """Points of the plane with the classes - and +, the negative one first."""
    numbers = np.array(rows, dtype=float)
    columns = (Column("x1", Kind.NUMERIC), Column("x2", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("-", "+")))
    schema = type(Table.of({"c": ["-"]}, "c").schema)(columns, "c")
    codes = np.array([sign > 0 for sign in signs], dtype=np.int32)
    return Table(schema, (numbers[:, 0].copy(), numbers[:, 1].copy(), codes), len(numbers))


def figures(machines=1, cost=1.0, **told):
    """Solution quality of machines, equal except for the given values."""
    n = {
        name: np.full(machines, told.get(name, 3), dtype=np.int64) for name in ("rows", "free", "bounded", "iterations")
    }
    given = {"margin": 0.5, "primal": 1.75, "dual": 1.75, "violation": 1e-6}
    values = {name: np.full(machines, told.get(name, value)) for name, value in given.items()}
    settled = np.full(machines, told.get("settled", True))
    return MachineFigures(
        cost, told.get("power", 1), n["rows"], n["free"], n["bounded"], **values,
        iterations=n["iterations"], settled=settled, scale=told.get("scale", "none"),
    )  # fmt: skip


def by_hand(table, alphas, b, kernel=LINEAR, **told):
    """The machine of points with these alphas, as they are."""
    design = Design.learn(table)
    labels = table.codes(2)
    signs = np.where(labels > 0, 1.0, -1.0)
    pulls = [(np.arange(table.n_rows), np.array(alphas) * signs)]
    functions = KernelFunctions.of(
        kernel, DesignScaling.plain(design.width), design.matrix(table), labels, pulls, np.array([b], dtype=float)
    )
    rows = np.bincount(labels, minlength=2).astype(np.int64)
    return Machines(table.schema, design, CodeMatrix.one_vs_rest(2), functions, rows, None, told.get("figures"))


def rows(n=60, texts=False, classes=CLASSES):
    chance = np.random.default_rng(8)
    table = Table.of(
        {
            "age": [None if i % 9 == 0 else float(v) for i, v in enumerate(chance.normal(40, 9, n))],
            "sky": [None if i % 7 == 0 else ("sun", "rain", "fog")[i % 3] for i in range(n)],
            "größe 茶": chance.normal(size=n),
            "class": [classes[i % len(classes)] for i in range(n)],
        },
        "class",
    )
    if not texts:
        return table
    own = Text.of([("good day", "bad day", None, "sun", "zzz")[i % 5] for i in range(n)])
    return table.with_column(Column("note", Kind.TEXT), own)


def some(form, kernel=None, table=None, chances=None, told=True, centered=False):
    """Machines of a table, a few of whose rows are support vectors; coefficients are drawn."""
    table = rows() if table is None else table
    chance = np.random.default_rng(3)
    k = len(table.schema.target_column.levels)
    design = Design.learn(table, DesignOptions(levels=EVERY))
    codes = CodeMatrix.pairs(k) if form == "pairs" else CodeMatrix.one_vs_rest(k)
    m = len(codes)
    labels = table.codes(table.schema.names.index(table.schema.target))
    counts = np.bincount(labels, minlength=k).astype(np.int64)
    known = figures(m) if told else None
    b = chance.normal(size=m).round(3)
    if kernel is None:
        functions = LinearFunctions(b, chance.normal(size=(m, design.width)).round(3))
        return Machines(table.schema, design, codes, functions, counts, chances, known)
    matrix = design.matrix(table)
    scales = np.where(design.scales > 0, design.scales, 1.0)
    centers = design.centers if centered or isinstance(matrix, np.ndarray) else np.zeros(design.width)
    pulls = []
    for line in codes.entries:
        own = np.flatnonzero(line[labels])
        own = own[chance.random(len(own)) < 0.3]
        pulls.append((own, (chance.random(len(own)) * line[labels[own]]).round(4)))
    functions = KernelFunctions.of(kernel, DesignScaling(centers, 1 / scales), matrix, labels, pulls, b)
    return Machines(table.schema, design, codes, functions, counts, chances, known)


def given_values(n=12):
    """A table of kernel values, one column per row, and machines trained on it."""
    chance = np.random.default_rng(5)
    x = chance.normal(size=(n, 3))
    k = RBF.matrix(x, x)
    table = Table.of({**{f"r{i}": k[:, i] for i in range(n)}, "c": [("a", "b")[i % 2] for i in range(n)]}, "c")
    labels = table.codes(n)
    alphas = np.where(np.arange(n) % 3 == 0, 0.0, 0.5) * np.where(labels > 0, 1.0, -1.0)
    pulls = [(np.arange(n), alphas)]
    kept = set(support_positions(pulls).tolist())
    whole = Design.learn(table)
    design = Design(table.schema, tuple(part if i in kept else None for i, part in enumerate(whole.parts)))
    functions = KernelFunctions.of(Precomputed(), None, None, labels, pulls, np.array([0.25]))
    counts = np.bincount(labels).astype(np.int64)
    return (
        table,
        k,
        alphas,
        Machines(table.schema, design, CodeMatrix.one_vs_rest(2), functions, counts, Temperature(0.5)),
    )


def own_kernel(a, b):
    return (a @ b.T + 1) ** 2


TWO = rows(classes=("no", "yes"))
ALL = {
    "one": some("rest", table=TWO, chances=Temperature(1.5)),
    "rest": some("rest", chances=Temperature(0.7)),
    "pairs": some("pairs"),
    "one rbf": some("rest", RBF, TWO, (Sigmoid(-1.5, 0.25),)),
    "rest rbf": some("rest", RBF, chances=(Sigmoid(-1.5, 0.25), STEPS, Sigmoid(-2.0, 0.0))),
    "pairs rbf": some("pairs", RBF, chances=Temperature(0.31)),
    "pairs platt": some("pairs", RBF, chances=(Sigmoid(-1.5, 0.25),) * 3),
    "rest poly": some("rest", KernelFunction("poly", theta=1.0, degree=2), told=False),
    "pairs sigmoid": some("pairs", KernelFunction("sigmoid", slope=0.1, delta=1.0)),
    "texts": some("rest", table=rows(texts=True), chances=Temperature(2.0)),
    "texts rbf": some("pairs", RBF, rows(texts=True)),
    "texts poly": some("rest", KernelFunction("poly", theta=1.0, degree=2), rows(texts=True), centered=True),
    "given": given_values()[3],
}
PYTHON = some("rest", CallableKernel(own_kernel), TWO)
