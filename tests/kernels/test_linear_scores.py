"""Values of linear functions: the kernel against a reference implementation, for all kinds of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hedgerow import _kernels
from hedgerow.data.design.blocks import LevelBlock, NumberBlock
from hedgerow.data.design.cut_block import CutBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.score_buffer import FINITE, SOFTMAX, ScoreBuffer
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import SparseNumbers, Table

NUMBERS = st.one_of(
    st.floats(-100, 100), st.sampled_from([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-320, 0.0, 2.0, 2.5])
)
SLOPES = st.one_of(st.floats(-10, 10), st.sampled_from([0.0, 1e-3, 1e200]))


def twin(table, design, intercepts, slopes):
    """Every function of every row, added up value by value, and whether a row holds something known."""
    out = np.tile(intercepts[:, None], (1, table.n_rows))
    known = np.zeros(table.n_rows, dtype=bool)
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        own = slopes[:, start : start + part.width]
        if not own.any():
            continue
        for row in range(table.n_rows):
            value = table.values(position)[row]
            if isinstance(part, LevelBlock):
                seen = value >= 0 and (value in part.coded or value == part.base)
                place = np.flatnonzero(part.coded == value)
                adds = own[:, place[0]] if len(place) else np.zeros(len(own))
                if not seen and part.gaps:
                    adds = own[:, -1]
            elif isinstance(part, CutBlock):
                seen = not np.isnan(value)
                holds = [own[:, 2 * i + (value > cut)] for i, cut in enumerate(part.cuts)] if seen else []
                adds = sum(holds, np.zeros(len(own)))
                if not seen and part.gaps:
                    adds = adds + own[:, -1]
            else:
                seen = not np.isnan(value)
                number = value if seen else part.mean
                adds = np.array([0.0 if slope == 0 else slope * number for slope in own[:, 0]])
                if not seen and part.gaps:
                    adds = adds + own[:, 1]
            out[:, row] += adds
            known[row] |= seen
    return out, known


@st.composite
def problems(draw):
    """A table of columns of all dense kinds, its design, and functions."""
    rows = draw(st.sampled_from([0, 1, 3, 8, 9, 70, 600]))
    functions = draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 9999)))
    columns, data, parts = [], [], []
    for i in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["number", "level", "cut"]))
        gaps = draw(st.booleans())
        few = np.array(draw(st.lists(NUMBERS, min_size=1, max_size=6)))
        if kind == "level":
            levels = draw(st.integers(1, 5))
            coded = np.flatnonzero(random.random(levels) < 0.6).astype(np.int32)
            rest = np.setdiff1d(np.arange(levels), coded)
            base = int(rest[0]) if len(rest) and draw(st.booleans()) else -1
            columns.append(Column(f"c{i}", Kind.NOMINAL, tuple(f"l{j}" for j in range(levels))))
            data.append(random.integers(-1, levels, rows).astype(np.int32))
            parts.append(LevelBlock(coded, base, levels, gaps))
        else:
            columns.append(Column(f"c{i}", Kind.NUMERIC))
            data.append(few[random.integers(0, len(few), rows)])
            cuts = np.unique(random.integers(-3, 4, draw(st.integers(1, 5))).astype(float))
            parts.append(NumberBlock(float(random.normal()), 1.0, gaps) if kind == "number" else CutBlock(cuts, gaps))
    columns.append(Column("y", Kind.NUMERIC))
    data.append(np.zeros(rows))
    schema = Schema(tuple(columns), "y")
    design = Design(schema, (*parts, None))
    slopes = draw(arrays.arrays(np.float64, (functions, design.width), elements=SLOPES, fill=st.just(0.5)))
    return Table(schema, tuple(data), rows), design, random.normal(size=functions), slopes


def same(found, expected):
    """Equal but for the last digits of the largest thing that was added."""
    with np.errstate(invalid="ignore"):
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        close = np.isclose(found, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
        huge = np.abs(np.nan_to_num(expected, nan=0.0, posinf=0.0, neginf=0.0)) < 1e190  # others may have cancelled
    assert (close | ~huge | np.isinf(expected)).all()


@given(problems())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_equals_its_plain_twin(problem):
    table, design, intercepts, slopes = problem
    moderate = np.where(np.abs(slopes) > 1e100, 1.0, slopes)
    small = tuple(np.where(np.abs(c) > 1e100, np.sign(c) * 1e3, c) if c.dtype == np.float64 else c for c in table.data)
    table = Table(table.schema, small, table.n_rows)  # nothing cancels: all digits count
    expected, known = twin(table, design, intercepts, moderate)
    found, seen = design.evaluate_functions(table, intercepts, moderate)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert np.array_equal(known, np.ones(table.n_rows, dtype=bool) if seen is None else seen)
    assert np.allclose(design.values(table, intercepts[0], moderate[0]), expected[0], rtol=1e-9, atol=1e-9)


@given(problems())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinite_and_huge_numbers(problem):
    table, design, intercepts, slopes = problem
    expected, _ = twin(table, design, intercepts, slopes)
    plain = np.isfinite(expected) & (np.abs(expected) < 1e100)
    found, _ = design.evaluate_functions(table, intercepts, slopes)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(found - expected) <= 1e-9 * (1 + np.abs(expected))
        # sums of huge numbers may cancel in another order; what is infinite alone is infinite in both
        largest = max([1.0, *(np.nanmax(np.abs(np.nan_to_num(c, posinf=0, neginf=0)), initial=0) for c in table.data)])
        assert (close | ~plain | (largest * max(np.abs(slopes).max(initial=0), 1) > 1e100)).all()
    told = np.arange(len(intercepts), dtype=np.int32)
    out = np.empty((table.n_rows, len(intercepts) + 1))
    design.score(table, intercepts, slopes, ScoreBuffer(out, told, len(intercepts), FINITE))
    assert np.isfinite(out).all()
    assert np.abs(out).max(initial=0) <= 1e300
    assert not out[:, -1].any()
    design.score(table, intercepts, slopes, ScoreBuffer(out, told, len(intercepts), SOFTMAX, 0.5))
    assert np.allclose(out.sum(axis=1), 1)
    assert (out >= 0).all()


@given(problems(), st.booleans(), st.sampled_from([1.0, 0.3, 7.0]))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_softmax_equals_numpy(problem, based, temperature):
    table, design, intercepts, slopes = problem
    slopes = np.where(np.abs(slopes) > 1e100, 1.0, slopes)
    told = np.arange(based, len(intercepts) + based, dtype=np.int32)
    values = np.empty((table.n_rows, len(intercepts) + based))
    place = ScoreBuffer(values, told, 0 if based else -1, FINITE)
    design.score(table, intercepts, slopes, place)
    found = np.full_like(values, np.nan)
    design.score(table, intercepts, slopes, ScoreBuffer(found, told, 0 if based else -1, SOFTMAX, temperature))
    expected = np.exp((values - values.max(axis=1, keepdims=True, initial=-np.inf)) / temperature)
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-300)


@given(problems())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_row_is_the_same_whatever_is_beside_it(problem):
    table, design, intercepts, slopes = problem
    whole = design.evaluate_functions(table, intercepts, slopes)[0]
    for row in range(0, table.n_rows, 97):
        alone = design.evaluate_functions(table.slice(row, row + 1), intercepts, slopes)[0]
        assert np.array_equal(alone[:, 0], whole[:, row], equal_nan=True)
    view = table.view(np.arange(table.n_rows)[::-1])
    assert np.array_equal(design.evaluate_functions(view, intercepts, slopes)[0], whole[:, ::-1], equal_nan=True)


def test_any_number_of_threads(monkeypatch):
    random = np.random.default_rng(1)
    rows = 70_001
    columns = (*(Column(f"c{i}", Kind.NUMERIC) for i in range(7)), Column("y", Kind.NUMERIC))
    data = [random.normal(size=rows) for _ in range(8)]
    data[2][random.random(rows) < 0.1] = np.nan
    table = Table(Schema(columns, "y"), tuple(data), rows)
    design, answers = Design.learn(table), []
    slopes = random.normal(size=(6, design.width))
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        answers.append(design.evaluate_functions(table, np.zeros(6), slopes)[0])
    assert all(np.array_equal(answers[0], one) for one in answers[1:])
    assert np.allclose(answers[0], slopes @ design.matrix(table).T)
    view = table.view(np.arange(rows))  # gathered block by block
    assert np.array_equal(design.evaluate_functions(view, np.zeros(6), slopes)[0], answers[0])
    out = np.empty((rows, 6))
    design.score(view, np.zeros(6), slopes, ScoreBuffer(out, np.arange(6, dtype=np.int32)))
    assert np.array_equal(out.T, answers[0])


def test_sparse_columns_are_added_where_they_are_stored():
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC), Column("y", Kind.NUMERIC)), "y")
    stored = SparseNumbers(np.array([1, 3]), np.array([2.0, np.nan]), 4)
    table = Table(schema, (stored, np.array([1.0, np.nan, 3.0, np.nan]), np.zeros(4)), 4)
    design = Design(schema, (NumberBlock(0.5, 1.0, True), NumberBlock(10.0, 1.0), None))
    found, known = design.evaluate_functions(table, np.array([1.0, 0.0]), np.array([[2.0, 7.0, 1.0], [0.0, 0.0, 1.0]]))
    assert found.tolist() == [[2.0, 15.0, 4.0, 19.0], [1.0, 10.0, 3.0, 10.0]]
    assert known.tolist() == [True, True, True, False]


def test_what_does_not_fit_is_refused():
    def call(arrays=(), tables=(), more=(), means=None, out=None, places=(0,), base=-1, link=0, heat=1.0, rows=2):
        means = np.zeros(len(arrays)) if means is None else means
        out = np.zeros((1, 2)) if out is None else out
        at = np.array(places, dtype=np.int64)
        _kernels.compute_linear_scores(
            list(arrays), list(tables), list(more), means, np.zeros(1), None, out, False, at, base, link, heat, None,
            rows, 1,
        )  # fmt: skip

    call()
    numbers, slopes = np.zeros(2), np.zeros((1, 1))
    call([numbers], [slopes], [None])
    for wrong in (
        {"arrays": [np.zeros(3)], "tables": [slopes], "more": [None]},
        {"arrays": [numbers], "tables": [np.zeros((3, 1))], "more": [None]},
        {"arrays": [numbers], "tables": [np.zeros((1, 2))], "more": [None]},
        {"arrays": [numbers], "tables": [np.zeros((1, 2))], "more": [np.zeros(1)]},
        {"arrays": [np.zeros(2, np.int32)], "tables": [np.zeros((1, 2))], "more": [np.zeros(2, bool)]},
        {"arrays": [numbers], "tables": [slopes], "more": []},
        {"places": (1,)},
        {"places": (-1,)},
        {"base": 0},
        {"link": 3},
        {"heat": 0.0},
        {"rows": 3},
        {"out": np.zeros((1, 3))},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            call(**wrong)
    codes = np.array([7, -5], dtype=np.int32)  # beyond the levels: as missing
    out = np.zeros((1, 2))
    call([codes], [np.array([[1.0, 2.0, 5.0]])], [np.ones(2, bool)], out=out)
    assert out.tolist() == [[5.0, 5.0]]
