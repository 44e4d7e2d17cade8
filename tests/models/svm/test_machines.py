"""Machines: values, decisions, probabilities, golden machines made by hand, and rows of all kinds."""

import pickle

import numpy as np
import pytest

from hedgerow import DataError, ModelError, Table
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import SparseNumbers
from hedgerow.models.linear.calibrator import IsotonicSteps, Sigmoid, Temperature
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.coupling import couple_probabilities
from hedgerow.models.svm.functions import LinearFunctions
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.machines import Machines
from hedgerow.models.svm.multiclass import class_scores, detect_multiclass_form
from tests.models.svm.machine_models import ALL, PYTHON, TWO, by_hand, given_values, own_kernel, points, rows, some

each = pytest.mark.parametrize("name", list(ALL))


def table_of(name):
    if name == "given":
        return given_values()[0]
    return rows(texts=True) if "texts" in name else TWO if name.startswith("one") else rows()


def plain_values(model, table):
    """The reference implementation: everything from the coefficients as they are kept, in plain NumPy."""
    functions, table = model.functions, model.align(table)
    matrix = model.design.matrix(table)
    matrix = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    if isinstance(functions, LinearFunctions):
        return functions.slopes @ matrix.T + functions.intercepts[:, None]
    out = np.tile(functions.intercepts[:, None], (1, len(matrix))).astype(float)
    for m in range(len(functions)):
        places, coefs = functions.machine(m)
        if functions.vectors is None:
            values = matrix[:, places]
        else:
            vectors = functions.vectors if isinstance(functions.vectors, np.ndarray) else functions.vectors.toarray()
            centers, factors = functions.frame.centers, functions.frame.factors
            values = functions.kernel.matrix((matrix - centers) * factors, (vectors[places] - centers) * factors)
        out[m] += values @ coefs
    return out


# -- worked examples ----------------------------------------------------------------------------------------

THREE = points([(1, 0), (0, 1), (0, 0)], [1, 1, -1])


def test_hard_margin_by_hand():
    """G93: alpha = (2, 2, 4) makes w = (2, 2), b = -1; (1, 1) has alpha 0 and is no support vector."""
    model = by_hand(THREE, [2, 2, 4], -1)
    assert model.values(THREE).tolist() == [[1.0, 1.0, -1.0]]
    assert model.predict(THREE).tolist() == ["+", "+", "-"]
    linear = Machines(THREE.schema, model.design, model.codes, LinearFunctions(np.array([-1.0]), np.array([[2.0, 2.0]])), model.rows)  # fmt: skip # noqa: E501
    more = points([(1, 1), (0.25, 0.25), (0.2, 0.2), (3, -7)], [1, 1, 1, 1])
    assert np.allclose(linear.values(more), model.values(more))
    assert model.predict(more).tolist() == ["+", "+", "-", "-"]  # f = 0 is of the positive class (M205)
    four = by_hand(points([(1, 0), (0, 1), (0, 0), (1, 1)], [1, 1, -1, 1]), [2, 2, 4, 0], -1)
    assert four.size == model.size == 3


def test_two_points_by_hand():
    """G93: (1, 1)+ and (0, 0)- with alpha = (1, 1) make w = (1, 1), b = -1."""
    model = by_hand(points([(1, 1), (0, 0)], [1, -1]), [1, 1], -1)
    assert model.values(points([(1, 1), (0, 0), (2, 3)], [1, -1, 1])).tolist() == [[1.0, -1.0, 4.0]]


def test_soft_margin_by_hand():
    """G94: C = 1, alpha = (0.5, 0.5, 1), w = (0.5, 0.5), b = 0.5; (0, 0) has slack 1.5."""
    model = by_hand(THREE, [0.5, 0.5, 1], 0.5)
    values = model.values(THREE)[0]
    assert values.tolist() == [1.0, 1.0, 0.5]
    assert 1 + values[2] == 1.5
    assert model.predict(THREE).tolist() == ["+", "+", "+"]


def test_exclusive_or_by_hand():
    """G94: XOR with (<x.z> + 1)^2 and alphas of 1/8 decides by -x1 x2."""
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    table = points(corners, [-1, 1, 1, -1])
    model = by_hand(table, [1 / 8] * 4, 0, KernelFunction("poly", theta=1.0, degree=2))
    assert np.allclose(model.values(table), [[-1, 1, 1, -1]])
    assert model.predict(table).tolist() == ["-", "+", "+", "-"]
    more = points([(0.5, -3), (2, 2)], [1, -1])
    assert np.allclose(model.values(more), [[1.5, -4]])


# -- values -------------------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("n", [0, 1, 60])
def test_values_are_those_of_the_coefficients(name, n):
    model, table = ALL[name], table_of(name)
    table = table.slice(0, min(n, table.n_rows))
    found = model.values(table)
    assert found.shape == (len(model), table.n_rows)
    assert np.allclose(found, plain_values(model, table), atol=1e-10)
    assert np.allclose(model.distribution(table).sum(axis=1), 1)
    assert len(model.decide(table)) == table.n_rows


@each
def test_many_rows_are_the_same_as_each_for_itself(name):
    model, table = ALL[name], table_of(name)
    whole = model.values(table)
    alone = np.concatenate([model.values(table.slice(i, i + 1)) for i in range(table.n_rows)], axis=1)
    assert np.allclose(whole, alone, atol=1e-11)


def test_blocks_do_not_matter(monkeypatch):
    before = {name: ALL[name].values(table_of(name)) for name in ALL}
    monkeypatch.setattr("hedgerow.models.svm.functions.CELLS", 1)
    for name, values in before.items():
        assert np.allclose(ALL[name].values(table_of(name)), values, atol=1e-12)
    monkeypatch.setattr("hedgerow.models.svm.functions.MOST_COEFS", 0)
    for name, values in before.items():
        assert np.allclose(ALL[name].values(table_of(name)), values, atol=1e-11)


def test_a_python_function_may_be_the_kernel():
    poly = some("rest", KernelFunction("poly", theta=1.0, degree=2), TWO)
    assert np.allclose(PYTHON.values(TWO), poly.values(TWO), atol=1e-10)
    assert some("rest", PYTHON.functions.kernel, TWO) == PYTHON
    assert poly != PYTHON
    assert PYTHON.functions.kernel.function is own_kernel


def test_given_kernel_values_are_taken_by_column():
    table, k, alphas, model = given_values()
    assert np.allclose(model.values(table)[0], k @ alphas + 0.25)
    shuffled = Table.of({f"r{i}": k[:, i] for i in reversed(range(12))}, None)
    assert np.allclose(model.values(shuffled)[0], k @ alphas + 0.25)
    assert model.columns_used() == tuple(f"r{i}" for i in range(12) if i % 3)
    gap = {f"r{i}": [1.0, np.nan if i == 4 else 0.5] for i in range(12)}
    with pytest.raises(DataError, match="row 2 has no kernel value in column 'r4'"):
        model.values(Table.of(gap, None))


def test_sparse_numbers_count_as_dense_ones():
    stored = np.array([1.0, np.nan, -2.0, 3.0])
    sparse = SparseNumbers(np.array([0, 3, 4, 7]), stored, 8)
    columns = Column("x", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("a", "b"))
    schema = type(TWO.schema)(columns, "c")
    codes = np.array([0, 1, 0, 0, 1, 1, 0, 1], dtype=np.int32)
    dense, thin = Table(schema, (sparse.dense(), codes), 8), Table(schema, (sparse, codes), 8)
    model = some("rest", KernelFunction("rbf", gamma=0.4), dense)
    assert np.allclose(model.values(thin), model.values(dense))
    assert model.score_rows(thin).is_unknown.tolist() == model.score_rows(dense).is_unknown.tolist()


# -- decisions ----------------------------------------------------------------------------------------------


def test_forms_are_told_by_their_codes():
    assert [detect_multiclass_form(CodeMatrix.one_vs_rest(k)) for k in (1, 2, 3, 5)] == ["none", "one", "rest", "rest"]
    assert [detect_multiclass_form(CodeMatrix.pairs(k)) for k in (1, 2, 3, 5)] == ["none", "one", "pairs", "pairs"]
    with pytest.raises(ModelError, match="one machine for two classes"):
        detect_multiclass_form(CodeMatrix.exhaustive(4))


def test_the_largest_value_decides_against_the_rest():
    model, table = ALL["rest"], rows()
    values = model.values(table)
    assert (model.decide(table) == values.argmax(axis=0)).all()
    assert np.array_equal(model.decision_values(table), values.T)


def test_votes_decide_between_pairs():
    model, table = ALL["pairs rbf"], rows()
    won = np.zeros((60, 3))
    for line, f in zip(model.codes.entries, model.values(table), strict=True):
        won[f >= 0, line.argmax()] += 1
        won[f < 0, line.argmin()] += 1
    scores = model.decision_values(table)
    assert (np.abs(scores - won) < 1 / 3).all()
    assert (model.decide(table) == scores.argmax(axis=1)).all()


@each
def test_probabilities_that_are_known_do_not_change_decisions(name):
    model, table = ALL[name], table_of(name)
    aligned = model.align(table)
    shares = model.scores(aligned)
    assert (model.decide_rows(aligned, shares) == model.decide_rows(aligned)).all()
    if not isinstance(model.chances, tuple):
        assert (shares.argmax(axis=1) == model.decide_rows(aligned)).all()


def one_number(b, slopes, chances=None, k=2, used=None, form="rest"):
    labels = tuple("abcdef"[:k])
    schema = type(TWO.schema)((Column("x", Kind.NUMERIC), Column("c", Kind.NOMINAL, labels)), "c")
    codes = CodeMatrix.one_vs_rest(k, used) if form == "rest" else CodeMatrix.pairs(k, used)
    from hedgerow.data.design.blocks import NumberBlock
    from hedgerow.data.design.design import Design

    counts = np.zeros(k, dtype=np.int64)
    counts[codes.used] = 5
    functions = LinearFunctions(np.array(b, dtype=float), np.array(slopes, dtype=float)[:, None])
    return Machines(schema, Design(schema, (NumberBlock(0.0, 1.0), None)), codes, functions, counts, chances)


def numbers(values):
    return Table.of({"x": np.array(values, dtype=float)}, None)


def test_zero_is_of_the_positive_class():
    model = one_number([0.0], [1.0])
    table = numbers([1.0, 0.0, -1.0, -1e-9])
    assert model.predict(table).tolist() == ["b", "b", "a", "a"]
    aligned = model.align(table)
    assert model.decide_rows(aligned, model.scores(aligned)).tolist() == [1, 1, 0, 0]


def test_two_classes_have_margins():
    model = ALL["one rbf"]
    assert np.array_equal(model.margins(model.align(TWO)), model.values(TWO)[0])
    assert ALL["rest"].margins(ALL["rest"].align(rows())) is None
    assert one_number([0.0], [1.0], k=3, used=[0, 1]).margins(numbers([1.0])) is None


def test_a_tie_against_the_rest_goes_to_the_first():
    model = one_number([0, 0, 0], [1, 1, -1], k=3)
    assert model.predict(numbers([1.0, 0.0, -1.0])).tolist() == ["a", "a", "c"]


def test_pairs_in_a_circle_go_by_what_they_say():
    """Each class wins once: c by 3 over a, a by 1 over b, b by 1 over c; a has the largest sum of all."""
    model = one_number([-1, 3, -1], [0, 0, 0], k=3, form="pairs")
    assert class_scores(model.codes, model.values(numbers([0.0])))[0] == pytest.approx(
        [1 - 2 / 9, 1, 1 + 2 / 9]
    )  # s = -2, 0 and 2
    assert model.predict(numbers([0.0])).tolist() == ["c"]


def test_classes_without_rows_are_out_of_reach():
    for form, chances in (("rest", None), ("pairs", None), ("rest", (Sigmoid(-1.0, 0.0),) * 3)):
        model = one_number([-5, -6, -7], [1, -1, 0.5], chances, 5, [0, 2, 3], form)
        found = model.distribution(numbers([0.0, 3.0, -50.0, None]))
        assert (found[:, [1, 4]] == 0).all()
        assert np.allclose(found.sum(axis=1), 1)
        assert set(model.predict(numbers(np.linspace(-9, 9, 40)))) <= {"a", "c", "d"}


def test_one_class_is_a_constant():
    model = one_number([1.0], [0.0], k=3, used=[1])
    assert model.distribution(numbers([1.0, None])).tolist() == [[0, 1, 0], [0, 1, 0]]
    assert model.predict(numbers([1.0, None])).tolist() == ["b", "b"]
    assert str(model) == "c is b; there is no other class"
    assert model.columns_used() == ()
    with pytest.raises(ModelError, match="only one class"):
        model.contributions(model.align(numbers([1.0])))


@pytest.mark.parametrize("name", ["one", "rest", "pairs", "rest rbf", "pairs rbf", "rest poly", "texts rbf"])
def test_huge_and_infinite_numbers_still_give_probabilities(name):
    model = ALL[name]
    huge = np.array([1e300, -1e300, np.inf, -np.inf, 1e308, 5.0])
    table = {"age": huge, "größe 茶": huge[::-1].copy(), "sky": ["sun"] * 6, "note": ["good"] * 6}
    found = model.distribution(Table.of(table, None))
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)


# -- probabilities ------------------------------------------------------------------------------------------


def test_a_temperature_divides_the_scores():
    model, table = ALL["one"], TWO
    f = model.values(table)[0]
    assert np.allclose(model.distribution(table)[:, 1], 1 / (1 + np.exp(-2 * f / 1.5)))
    model, table = ALL["rest"], rows()
    scores = np.exp(model.values(table).T / 0.7)
    assert np.allclose(model.distribution(table), scores / scores.sum(axis=1, keepdims=True))


def test_calibrators_give_probabilities_and_the_margins_decide():
    model, table = ALL["one rbf"], TWO
    f = model.values(table)[0]
    assert np.allclose(model.distribution(table)[:, 1], 1 / (1 + np.exp(-1.5 * f + 0.25)))
    model, table = ALL["rest rbf"], rows()
    f = model.values(table)
    own = np.stack([one(line) for one, line in zip(model.chances, f, strict=True)]).T
    assert np.allclose(model.distribution(table), own / own.sum(axis=1, keepdims=True))
    assert (model.decide(table) == f.argmax(axis=0)).all()


def test_pairs_are_coupled():
    model, table = ALL["pairs platt"], rows()
    f = model.values(table)
    assert np.allclose(model.distribution(table), couple_probabilities(1 / (1 + np.exp(-1.5 * f + 0.25)), 3))


def test_where_all_rule_their_class_out_the_margins_tell():
    never = IsotonicSteps(np.array([0.0]), np.array([0.0]))
    model = one_number([0, 1, 2], [0, 0, 0], (never,) * 3, 3)
    found = model.distribution(numbers([0.0]))[0]
    assert found == pytest.approx(np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum())


def test_without_a_fitted_temperature_the_scores_are_taken_as_they_are():
    plain = one_number([0.5], [1.0])
    fitted = one_number([0.5], [1.0], Temperature(1.0))
    assert plain.distribution(numbers([2.0])).tolist() == fitted.distribution(numbers([2.0])).tolist()
    assert plain != fitted


# -- what is known of rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["texts", "texts rbf"])
def test_rows_of_nothing_known_are_silent(name):
    table = Table.of(
        {
            "age": [None, None, 3.0, None],
            "sky": [None, "hail", None, "sun"],
            "größe 茶": [None] * 4,
            "note": ["qq", None, None, None],
        },
        None,
    )
    model = ALL[name]
    assert model.score_rows(model.align(table)).is_unknown.tolist() == [True, True, False, False]
    assert model.score_rows(model.align(rows(texts=True))).is_unknown is None
    assert np.isfinite(model.distribution(table)).all()
    nothing = {name: [None, None] for name in ("age", "sky", "größe 茶")}
    words = Table.of({**nothing, "note": ["good", "qq"]}, None)
    assert model.score_rows(model.align(words)).is_unknown.tolist() == [False, True]


@pytest.mark.parametrize("name", ["rest", "rest rbf"])
def test_missing_numbers_are_means_and_have_a_place_of_their_own(name):
    model = ALL[name]
    missing = Table.of({"age": [None], "sky": ["sun"], "größe 茶": [0.5]}, None)
    matrix = model.design.matrix(model.align(missing))[0]
    places = dict(zip(model.design.names, matrix.tolist(), strict=True))
    assert places["age missing"] == 1
    assert places["age"] == model.design.centers[0]
    assert np.allclose(model.values(missing), plain_values(model, missing))


@pytest.mark.parametrize("name", ["rest", "rest rbf"])
def test_levels_never_seen_count_as_missing(name):
    model = ALL[name]
    odd, none = (Table.of({"age": [4.0], "sky": [sky], "größe 茶": [0.5]}, None) for sky in ("hail", None))
    assert np.array_equal(model.values(odd), model.values(none))


def test_size_and_columns():
    assert ALL["rest"].size == np.count_nonzero(ALL["rest"].functions.slopes)
    assert ALL["rest rbf"].size == len(ALL["rest rbf"].functions.labels)
    assert ALL["texts rbf"].columns_used() == ("age", "sky", "größe 茶", "note")
    assert list(ALL["texts"].term_spaces) == ["note"]
    assert one_number([1.0], [0.0]).columns_used() == ()


@each
def test_machines_are_pickled_without_what_can_be_made_anew(name):
    model, table = ALL[name], table_of(name)
    before = model.values(table)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert np.array_equal(again.values(table), before)


def test_vectors_are_kept_once_for_all_machines():
    functions = ALL["pairs rbf"].functions
    assert (np.diff(functions.rows) > 0).all()
    assert len(np.unique(functions.places)) == functions.size
    labels = rows().codes(3)[functions.rows]
    assert np.array_equal(labels, functions.labels)
