"""Online steps against their reference implementation, which does everything at once in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.learn.linear.online.update_rule import LOSSES, OnlineRule
from tests.reference.online import learned

WIDTH = 6


@st.composite
def problems(draw):
    loss = draw(st.sampled_from(LOSSES))
    n = draw(st.integers(1, 14))
    size = st.sampled_from([-3.0, -1.0, -0.25, 0.5, 1.0, 2.0, 10.0])
    row = st.dictionaries(st.integers(1, WIDTH - 1), size, max_size=4)
    rows = [[(0, 1.0), *sorted(found.items())] for found in draw(st.lists(row, min_size=n, max_size=n))]
    signs = loss in ("logistic", "hinge")
    y = st.sampled_from([-1.0, 1.0]) if signs else st.sampled_from([-4.0, -1.0, 0.5, 2.0, 7.0])
    targets = draw(st.lists(y, min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.5]), min_size=n, max_size=n))
    rule = OnlineRule(
        loss,
        tau=draw(st.sampled_from([0.2, 0.5, 0.9])),
        rate=draw(st.sampled_from([0.01, 0.1, 0.5])),
        power=draw(st.sampled_from([0.0, 0.25, 0.5])),
        adaptive=draw(st.booleans()),
        normalised=draw(st.booleans()),
        invariant=draw(st.booleans()),
        l1=draw(st.sampled_from([0.0, 0.0, 0.01, 0.3])),
        l2=draw(st.sampled_from([0.0, 0.0, 0.01, 0.5])),
        delay=draw(st.sampled_from([0, 0, 1, 3])),
    )
    return rule, rows, targets, weights


def run(rule, rows, targets, weights, classes=None):
    """Return predictions, coefficients and sums of the kernel."""
    entries = [entry for row in rows for entry in row[1:]]
    starts = np.cumsum([0, *(len(row) - 1 for row in rows)]).astype(np.int64)
    ids = np.array([slot - 1 for slot, _ in entries], dtype=np.int32)
    values = np.array([x for _, x in entries], dtype=np.float64)
    k = 1 if classes is None else len(classes)
    cells = np.zeros((WIDTH, _kernels.online_stride(k)), dtype=np.float32)
    seen = np.zeros(WIDTH if rule.regular else 0)
    sums, said = np.zeros(4), np.empty((len(rows), k))
    codes = None if classes is None else np.array(targets, dtype=np.int32)
    numbers = np.array(targets, dtype=np.float64) if classes is None else None
    told = np.array([0] if classes is None else classes, dtype=np.int32)
    order, all_weights = np.arange(len(rows)), np.array(weights, dtype=np.float64)
    columns = ([], [], [(starts, ids, values, 0, 2**32 - 1)], len(rows))
    done = _kernels.learn_online(
        rule.kernel, *columns, order, numbers, codes, told, all_weights, cells, seen, sums, said
    )
    assert done == len(rows)
    again = np.empty_like(said)
    _kernels.predict_online(rule.kernel, *columns, cells, seen, sums, again)
    _kernels.finish_online(rule.kernel, cells, seen, sums, k)
    return said, cells[:, :k], again


@settings(max_examples=300, deadline=None)
@given(problems())
def test_kernel_equals_its_twin(problem):
    rule, rows, targets, weights = problem
    twin, expected = learned(rule, rows, targets, weights)
    size = max([1.0, *map(abs, expected), *map(abs, twin.w.values())])
    if not size < 1e6:  # it diverges: rounding grows with it
        return
    said, cells, again = run(rule, rows, targets, weights)
    close = (
        {"rtol": 2e-3, "atol": 2e-3 * size}
        if rule.loss in ("hinge", "quantile")
        else {"rtol": 1e-3, "atol": 1e-4 * size}
    )
    kinks = rule.loss in ("hinge", "quantile")  # rounding may tip a row over the edge
    wrong = np.abs(said[:, 0] - expected) > close["atol"] + close["rtol"] * np.abs(expected)
    if kinks and wrong.any():
        first = int(np.argmax(wrong))
        edge = [
            abs(1 - targets[i] * p) if rule.loss == "hinge" else abs(targets[i] - p)
            for i, p in enumerate(expected[: first + 1])
        ]
        assert min(edge) < 1e-3
        return
    assert not wrong.any()
    if not kinks:
        assert np.allclose(cells[:, 0], [twin.w.get(slot, 0.0) for slot in range(WIDTH)], **close)
        assert np.allclose(again[:, 0], [twin.predict(row) for row in rows], rtol=1e-3, atol=3e-3 * size)


@settings(max_examples=60, deadline=None)
@given(problems(), st.data())
def test_classes_are_learned_as_each_for_itself(problem, data):
    rule, rows, _, weights = problem
    rule = OnlineRule(**{**vars(rule), "loss": "logistic"})
    codes = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    together, cells, _ = run(rule, rows, codes, weights, [0, 1, 2, 3, 4])
    for code in range(5):
        alone, own, _ = run(rule, rows, codes, weights, [code])
        assert np.array_equal(together[:, code], alone[:, 0])
        assert np.array_equal(cells[:, code], own[:, 0])


@pytest.mark.parametrize(("loss", "y"), [("squared", 3.0), ("logistic", 1.0), ("hinge", -1.0), ("quantile", 2.0)])
def test_a_weight_of_two_is_the_row_twice(loss, y):
    rule = OnlineRule(loss, rate=0.05, power=0.0, adaptive=False, normalised=False)
    row = [(0, 1.0), (1, 2.0), (3, -0.5)]
    _, twice, _ = run(rule, [row, row], [y, y], [1.0, 1.0])
    _, heavy, _ = run(rule, [row], [y], [2.0])
    assert np.allclose(twice, heavy, rtol=1e-5, atol=1e-7)


def test_a_huge_weight_goes_no_further_than_the_target():
    row = [(0, 1.0), (1, 2.0)]
    for loss, y in (("squared", 3.0), ("quantile", -2.0)):
        _, _, again = run(OnlineRule(loss), [row], [y], [1e9])
        assert np.allclose(again, y, rtol=1e-5)
    _, _, again = run(OnlineRule("hinge"), [row], [1.0], [1e9])
    assert np.allclose(again, 1.0)


def test_scale_does_not_matter_when_normalised():
    random = np.random.default_rng(3)
    values, y = random.normal(size=(60, 3)), random.normal(size=60)

    def said(scale):
        rows = [[(0, 1.0), *((j + 1, float(v)) for j, v in enumerate(row * scale))] for row in values]
        return run(OnlineRule("squared"), rows, y.tolist(), [1.0] * 60)[0]

    assert np.allclose(said([1.0, 1.0, 1.0]), said([1024.0, 1 / 256, 1.0]), rtol=1e-4, atol=1e-5)


def test_shrinking_is_that_of_many_small_parts():
    """The closed form against ten thousand small steps of d|w| = -r (l1 + l2 |w|) dE."""
    rule = OnlineRule("squared", rate=0.2, power=0.0, adaptive=False, normalised=False, l1=0.1, l2=0.7)
    rows = [[(0, 1.0), (1, 1.0)], [(0, 1.0)], [(0, 1.0)]]
    plain = OnlineRule("squared", rate=0.2, power=0.0, adaptive=False, normalised=False)
    before = float(run(plain, rows[:1], [3.0], [1.0])[1][1, 0])
    after = float(run(rule, rows, [3.0, 0.0, 0.0], [1.0, 1.0, 4.0])[1][1, 0])
    size, parts = before, 10_000
    for _ in range(parts):
        size = max(0.0, size - (0.1 + 0.7 * size) * 0.2 * 6 / parts)
    assert np.isclose(after, size, rtol=1e-3)


def test_divergence_is_told_by_the_row():
    rule = OnlineRule("squared", rate=10.0, power=0.0, adaptive=False, normalised=False, invariant=False)
    rows = [[(0, 1.0), (1, 30.0)]] * 60
    starts, ids = np.arange(61), np.zeros(60, dtype=np.int32)
    cells, said = np.zeros((2, 4), dtype=np.float32), np.empty((60, 1))
    done = _kernels.learn_online(
        rule.kernel, [], [], [(starts, ids, np.full(60, 30.0), 0, 2**32 - 1)], 60, np.arange(60), np.ones(60), None,
        np.zeros(1, dtype=np.int32), None, cells, np.empty(0), np.zeros(4), said,
    )  # fmt: skip
    assert 0 < done < len(rows)


def test_bad_arrays():
    rule, good = OnlineRule("squared").kernel, np.zeros((3, 4), dtype=np.float32)
    sums, said, order = np.zeros(4), np.empty((1, 1)), np.zeros(1, dtype=np.int64)
    told, seen, y = np.zeros(1, dtype=np.int32), np.empty(0), np.ones(1)

    def learn(numbers=(), levels=(), entries=(), cells=good, order=order):
        columns = (list(numbers), list(levels), list(entries), 1)
        _kernels.learn_online(rule, *columns, order, y, None, told, None, cells, seen, sums, said)

    with pytest.raises(ValueError, match="slot is out of range"):
        learn(numbers=[(np.ones(1), 0.0, 3, -1)])
    with pytest.raises(ValueError, match="slot is out of range"):
        learn(entries=[(np.array([0, 1]), np.array([7], dtype=np.int32), np.ones(1), 0, 2**32 - 1)])
    with pytest.raises(ValueError, match="not below its number"):
        learn(levels=[(np.array([2], dtype=np.int32), np.array([1, 2], dtype=np.int32))])
    with pytest.raises(ValueError, match="another width"):
        learn(cells=np.zeros((3, 8), dtype=np.float32))
    with pytest.raises(ValueError, match="row is out of range"):
        learn(order=np.array([1]))
