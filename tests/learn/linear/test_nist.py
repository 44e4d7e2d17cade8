"""Linear least squares on NIST's Statistical Reference Datasets, with their certified values.

The data and the values are those of https://www.itl.nist.gov/div898/strd/lls/lls.shtml. Digits are those of the log
relative error, -log10(|found - certified| / |certified|), the least over all coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import hedgerow
from hedgerow import LinearRegression, Table


@dataclass
class Certified:
    """A data set: columns and target, the certified coefficients (the intercept first) and their standard errors."""

    columns: dict[str, np.ndarray]
    target: np.ndarray
    coefficients: list[float]
    errors: list[float]
    deviation: float
    r_squared: float
    intercept: bool = True

    @property
    def table(self) -> Table:
        return Table.of({**self.columns, "y": self.target}, "y")

    def fitted(self, **given):
        return LinearRegression(fit_intercept=self.intercept, **given).train(self.table)


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def powers(x: np.ndarray, degree: int) -> dict[str, np.ndarray]:
    return {f"x{power}": x**power for power in range(1, degree + 1)}


def wampler(coefficients: list[float], noise: float) -> np.ndarray:
    """NIST's Wampler sets: a polynomial of degree 5, plus the errors of Wampler3 times some number."""
    x = np.arange(21.0)
    errors = numbers(
        "759 -2048 2048 -2048 2523 -2048 2048 -2048 1838 -2048 2048 -2048 1838 -2048 2048 "
        "-2048 2523 -2048 2048 -2048 759"
    )
    return sum(one * x**power for power, one in enumerate(coefficients)) + noise * errors


X20 = np.arange(21.0)
WAMPLER_ERRORS = [
    2152.32624678170,
    2363.55173469681,
    779.343524331583,
    101.475507550350,
    5.64566512170752,
    0.112324854679312,
]
PONTIUS = np.tile(np.arange(150_000.0, 3_000_001, 150_000), 2)
FILIP = numbers(
    "-6.860120914 -4.324130045 -4.358625055 -4.358426747 -6.955852379 -6.661145254 -6.355462942 -6.118102026 "
    "-7.115148017 -6.815308569 -6.519993057 -6.204119983 -5.853871964 -6.109523091 -5.79832982 -5.482672118 "
    "-5.171791386 -4.851705903 -4.517126416 -4.143573228 -3.709075441 -3.499489089 -6.300769497 -5.953504836 "
    "-5.642065153 -5.031376979 -4.680685696 -4.329846955 -3.928486195 -8.56735134 -8.363211311 -8.107682739 "
    "-7.823908741 -7.522878745 -7.218819279 -6.920818754 -6.628932138 -6.323946875 -5.991399828 -8.781464495 "
    "-8.663140179 -8.473531488 -8.247337057 -7.971428747 -7.676129393 -7.352812702 -7.072065318 -6.774174009 "
    "-6.478861916 -6.159517513 -6.835647144 -6.53165267 -6.224098421 -5.910094889 -5.598599459 -5.290645224 "
    "-4.974284616 -4.64454848 -4.290560426 -3.885055584 -3.408378962 -3.13200249 -8.726767166 -8.66695597 "
    "-8.511026475 -8.165388579 -7.886056648 -7.588043762 -7.283412422 -6.995678626 -6.691862621 -6.392544977 "
    "-6.067374056 -6.684029655 -6.378719832 -6.065855188 -5.752272167 -5.132414673 -4.811352704 -4.098269308 "
    "-3.66174277 -3.2644011"
)
SETS = {
    "norris": Certified(
        {
            "x": numbers(
                "0.2 337.4 118.2 884.6 10.1 226.5 666.3 996.3 448.6 777 558.2 0.4 0.6 775.5 666.9 338 447.5 11.6 556 "
                "228.1 995.8 887.6 120.2 0.3 0.3 556.8 339.1 887.2 999 779 11.1 118.3 229.2 669.1 448.9 0.5"
            )
        },
        numbers(
            "0.1 338.8 118.1 888 9.2 228.1 668.5 998.5 449.1 778.9 559.2 0.3 0.1 778.1 668.8 339.3 448.9 10.8 557.7 "
            "228.3 998 888.8 119.6 0.3 0.6 557.6 339.3 888 998.5 778.9 10.2 117.6 228.9 668.4 449.2 0.2"
        ),
        [-0.262323073774029, 1.00211681802045],
        [0.232818234301152, 0.429796848199937e-3],
        0.884796396144373,
        0.999993745883712,
    ),
    "pontius": Certified(
        powers(PONTIUS, 2),
        numbers(
            "0.11019 0.21956 0.32949 0.43899 0.54803 0.65694 0.76562 0.87487 0.98292 1.09146 1.20001 1.30822 1.41599 "
            "1.52399 1.63194 1.73947 1.84646 1.95392 2.06128 2.16844 0.11052 0.22018 0.32939 0.43886 0.54798 0.65739 "
            "0.76596 0.87474 0.983 1.0915 1.20004 1.30818 1.41613 1.52408 1.63159 1.73965 "
            "1.84696 1.95445 2.06177 2.16829"
        ),
        [0.673565789473684e-3, 0.732059160401003e-6, -0.316081871345029e-14],
        [0.107938612033077e-3, 0.157817399981659e-9, 0.486652849992036e-16],
        0.205177424076185e-3,
        0.999999900178537,
    ),
    "longley": Certified(
        {
            "x1": numbers("83 88.5 88.2 89.5 96.2 98.1 99 100 101.2 104.6 108.4 110.8 112.6 114.2 115.7 116.9"),
            "x2": numbers(
                "234289 259426 258054 284599 328975 346999 365385 363112 397469 419180 442769 "
                "444546 482704 502601 518173 "
                "554894"
            ),
            "x3": numbers("2356 2325 3682 3351 2099 1932 1870 3578 2904 2822 2936 4681 3813 3931 4806 4007"),
            "x4": numbers("1590 1456 1616 1650 3099 3594 3547 3350 3048 2857 2798 2637 2552 2514 2572 2827"),
            "x5": numbers(
                "107608 108632 109773 110929 112075 113270 115094 116219 117388 118734 120445 "
                "121950 123366 125368 127852 "
                "130081"
            ),
            "x6": np.arange(1947.0, 1963.0),
        },
        numbers("60323 61122 60171 61187 63221 63639 64989 63761 66019 67857 68169 66513 68655 69564 69331 70551"),
        [
            -3482258.63459582,
            15.0618722713733,
            -0.358191792925910e-1,
            -2.02022980381683,
            -1.03322686717359,
            -0.511041056535807e-1,
            1829.15146461355,
        ],
        [
            890420.383607373,
            84.9149257747669,
            0.334910077722432e-1,
            0.488399681651699,
            0.214274163161675,
            0.226073200069370,
            455.478499142212,
        ],
        304.854073561965,
        0.995479004577296,
    ),
    "filip": Certified(
        powers(FILIP, 10),
        numbers(
            "0.8116 0.9072 0.9052 0.9039 0.8053 0.8377 0.8667 0.8809 0.7975 0.8162 0.8515 "
            "0.8766 0.8885 0.8859 0.8959 "
            "0.8913 0.8959 0.8971 0.9021 0.909 0.9139 0.9199 0.8692 0.8872 0.89 0.891 0.8977 "
            "0.9035 0.9078 0.7675 0.7705 "
            "0.7713 0.7736 0.7775 0.7841 0.7971 0.8329 0.8641 0.8804 0.7668 0.7633 0.7678 0.7697 0.77 0.7749 0.7796 "
            "0.7897 0.8131 0.8498 0.8741 0.8061 0.846 0.8751 0.8856 0.8919 0.8934 0.894 0.8957 0.9047 0.9129 0.9209 "
            "0.9219 0.7739 0.7681 0.7665 0.7703 0.7702 0.7761 0.7809 0.7961 0.8253 0.8602 "
            "0.8809 0.8301 0.8664 0.8834 "
            "0.8898 0.8964 0.8963 0.9074 0.9119 0.9228"
        ),
        [
            -1467.48961422980,
            -2772.17959193342,
            -2316.37108160893,
            -1127.97394098372,
            -354.478233703349,
            -75.1242017393757,
            -10.8753180355343,
            -1.06221498588947,
            -0.670191154593408e-1,
            -0.246781078275479e-2,
            -0.402962525080404e-4,
        ],
        [
            298.084530995537,
            559.779865474950,
            466.477572127796,
            227.204274477751,
            71.6478660875927,
            15.2897178747400,
            2.23691159816033,
            0.221624321934227,
            0.142363763154724e-1,
            0.535617408889821e-3,
            0.896632837373868e-5,
        ],
        0.334801051324544e-2,
        0.996727416185620,
    ),
    "wampler1": Certified(powers(X20, 5), wampler([1] * 6, 0), [1] * 6, [0] * 6, 0, 1),
    "wampler2": Certified(
        powers(X20, 5), wampler([0.1**i for i in range(6)], 0), [0.1**i for i in range(6)], [0] * 6, 0, 1
    ),
    "wampler3": Certified(
        powers(X20, 5), wampler([1] * 6, 1), [1] * 6, WAMPLER_ERRORS, 2360.14502379268, 0.999995559025820
    ),
    "wampler4": Certified(
        powers(X20, 5),
        wampler([1] * 6, 100),
        [1] * 6,
        [100 * one for one in WAMPLER_ERRORS],
        236014.502379268,
        0.957478440825662,
    ),
    "wampler5": Certified(
        powers(X20, 5),
        wampler([1] * 6, 10_000),
        [1] * 6,
        [10_000 * one for one in WAMPLER_ERRORS],
        23601450.2379268,
        0.224668921574940e-2,
    ),
    "noint1": Certified(
        {"x": np.arange(60.0, 71.0)},
        np.arange(130.0, 141.0),
        [2.07438016528926],
        [0.165289256198347e-1],
        3.56753034006338,
        0.999365492298663,
        intercept=False,
    ),
    "noint2": Certified(
        {"x": np.array([4.0, 5.0, 6.0])},
        np.array([3.0, 4.0, 4.0]),
        [0.727272727272727],
        [0.420827318078432e-1],
        0.369274472937998,
        0.993348115299335,
        intercept=False,
    ),
}
# Digits of the coefficients with digits=15: the powers of Filip are rounded before we see them, at a condition of 1e10.
DIGITS = {"filip": 7, "wampler4": 10, "wampler5": 9} | dict.fromkeys(["longley", "pontius"], 10)


def coefficients(model) -> np.ndarray:
    return np.array([*([model.intercept] if model.has_intercept else []), *model.slopes])


def digits_of(found: np.ndarray, certified: list[float]) -> float:
    apart = np.abs(found - certified) / np.abs(certified)
    return float(-np.log10(max(apart.max(), 1e-16)))


@pytest.mark.parametrize("name", SETS)
def test_certified_coefficients(name):
    certified = SETS[name]
    assert digits_of(coefficients(certified.fitted(digits=15)), certified.coefficients) >= DIGITS.get(name, 11)


@pytest.mark.parametrize("name", SETS)
def test_printed_coefficients_are_certified_to_six_digits(name):
    """The default of 6 digits: each coefficient is within 1e-6 of itself, the intercept too."""
    certified = SETS[name]
    assert digits_of(coefficients(certified.fitted()), certified.coefficients) >= 6 - 1e-3


@pytest.mark.parametrize("name", SETS)
def test_predictions_are_those_of_the_exact_coefficients(name):
    certified = SETS[name]
    exact, short = certified.fitted(digits=15), certified.fitted()
    apart = exact.predict(certified.table) - short.predict(certified.table)
    about = certified.target.mean() if certified.intercept else 0.0
    assert np.square(apart).mean() <= 1e-12 * np.square(certified.target - about).mean()


@pytest.mark.parametrize("name", SETS)
def test_certified_errors_and_fit(name):
    certified = SETS[name]
    model = certified.fitted()
    assert model.about.notes == ()
    assert model.figures.r_squared == pytest.approx(certified.r_squared, rel=1e-8)
    if certified.deviation:
        own = model.figures.errors[0 if certified.intercept else 1 :]
        assert model.figures.deviation == pytest.approx(certified.deviation, rel=1e-5)
        assert own == pytest.approx(np.array(certified.errors), rel=1e-5)
    else:
        assert model.figures.deviation <= 1e-7 * certified.target.std()


def streamed(certified, tmp_path):
    """The rows as a source; numbers that all differ are no identifiers."""
    hedgerow.write(certified.table, tmp_path / "rows.csv")
    return hedgerow.open_source(tmp_path / "rows.csv", target="y", keep=list(certified.columns))


@pytest.mark.parametrize("name", ["norris", "noint1", "longley"])
def test_streams_are_certified_too(name, tmp_path):
    certified = SETS[name]
    source = streamed(certified, tmp_path)
    model = LinearRegression(fit_intercept=certified.intercept).train(source)
    assert digits_of(coefficients(model), certified.coefficients) >= 5.9


def test_a_stream_says_that_digits_may_be_lost(tmp_path):
    model = LinearRegression().train(streamed(SETS["wampler1"], tmp_path))
    assert "solved by QR" in model.about.notes[0]
