"""Random perturbations: the generator as specified, the distributions, the text form."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.perturbation import Perturbation
from position_oracle.schema.errors import NotationError

WORD = 2**64
GOLDEN_STEP = 0x9E3779B97F4A7C15


def mix(state: int) -> int:
    state ^= state >> 30
    state = state * 0xBF58476D1CE4E5B9 % WORD
    state ^= state >> 27
    state = state * 0x94D049BB133111EB % WORD
    return state ^ state >> 31


def bits(seed: int, x: int, y: int, attempt: int = 0) -> int:
    """The generator, written again from its specification."""
    state = mix((seed + GOLDEN_STEP) % WORD)
    for counter in (x, y, attempt):
        state = mix((state + GOLDEN_STEP * (counter + 1)) % WORD)
    return state


seeds = st.integers(0, 2**63 - 1)
texts = st.one_of(
    st.integers(0, 10**6).map(lambda width: f"uniform({width})"),
    st.integers(20, 10**4).map(lambda p: f"geometric({Decimal(p).scaleb(-4).normalize():f})"),
    st.integers(1, 400).map(lambda s: f"normal({Decimal(s).scaleb(-1).normalize():f})"),
)


def test_splitmix64_matches_its_published_stream() -> None:
    # The first outputs of SplitMix64 with seed 1234567, as given with Vigna's reference code.
    stream = [mix((1234567 + GOLDEN_STEP * step) % WORD) for step in (1, 2, 3)]
    assert stream == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(seeds, st.integers(0, 2**62), st.integers(0, 40), st.integers(0, 10**6))
@settings(deadline=None)  # tables are made at the first call
def test_uniform_is_the_specified_integer_function(seed: int, x: int, y: int, width: int) -> None:
    z = Perturbation.parse(f"uniform({width})", seed).columns(x, y)
    assert z[y] == bits(seed, x, y) * (width + 1) // WORD


@given(seeds, st.integers(0, 10**6), st.integers(100, 10**4))
@settings(deadline=None)  # tables are made at the first call
def test_geometric_inverts_the_cumulative_probability(seed: int, x: int, p: int) -> None:
    probability = Fraction(p, 10**4)
    z = Perturbation.parse(f"geometric({p / 10**4:.4f})", seed).columns(x, 20)
    for y in range(21):
        tail = 1 - Fraction(bits(seed, x, y), WORD)
        k = int(z[y])
        # (1 - p)^(k + 1) < 1 - u <= (1 - p)^k, up to the resolution of the table.
        assert (1 - probability) ** (k + 1) - Fraction(2, WORD) <= tail
        assert k == 0 or tail <= (1 - probability) ** k + Fraction(2, WORD)


@given(seeds, st.integers(0, 10**6), st.integers(2, 200))
@settings(deadline=None)  # tables are made at the first call
def test_normal_inverts_the_cumulative_probability(seed: int, x: int, tenths: int) -> None:
    sigma = tenths / 10
    reach = math.ceil(10 * sigma)
    weights = {k: math.exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    z = Perturbation.parse(f"normal({sigma})", seed).columns(x, reach + 10)
    for y in range(reach, reach + 11):  # so far from 0 that no draw has to be repeated
        below = math.fsum(w for k, w in weights.items() if k < z[y] - y) / total
        u = bits(seed, x, y) / WORD
        assert below - 1e-12 <= u <= below + weights[int(z[y]) - y] / total + 1e-12


def test_normal_repeats_draws_below_the_board() -> None:
    perturbation = Perturbation.parse("normal(8)", 3)
    far = 10**4
    repeated = 0
    for x in range(200):
        z = perturbation.columns(x, 0)[0]
        attempt = 0
        while bits(3, x, 0, attempt) < WORD // 2 * 0.95:  # a draw below 0, which is repeated
            attempt += 1
        repeated += attempt > 0
        assert z >= 0
    assert 60 < repeated < 140
    assert (perturbation.columns(0, far) >= 0).all()


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("uniform(20)", 10, math.sqrt((21**2 - 1) / 12)),
        ("geometric(0.5)", 1, math.sqrt(2)),
        ("geometric(0.01)", 99, math.sqrt(0.99) / 0.01),
        ("normal(8)", 0, 8),
        ("normal(120.5)", 0, 120.5),
    ],
)
def test_mean_and_deviation(text: str, mean: float, deviation: float) -> None:
    first, count = 2000, 40_000
    z = Perturbation.parse(text, 11).columns(7, first + count - 1)[first:]
    if text.startswith("normal"):
        z = z - np.arange(first, first + count)
    assert abs(z.mean() - mean) < 4 * deviation / math.sqrt(count)
    assert abs(z.std() - deviation) < 0.02 * deviation


@given(texts, seeds, st.integers(0, 1000))
@settings(deadline=None)  # tables are made at the first call
def test_columns_do_not_depend_on_how_many_are_asked(text: str, seed: int, x: int) -> None:
    perturbation = Perturbation.parse(text, seed)
    many = perturbation.columns(x, 90)
    assert many.dtype == np.int64
    assert many.shape == (91,)
    assert (many >= 0).all()
    assert (perturbation.columns(x, 30) == many[:31]).all()


def test_draws_depend_on_sheet_column_and_seed() -> None:
    drawn = [
        tuple(Perturbation.parse("uniform(1000000)", seed).columns(x, 3))
        for seed in range(4)
        for x in range(4)
    ]
    assert len({z for row in drawn for z in row}) == 64


@given(texts, seeds)
@settings(deadline=None)  # tables are made at the first call
def test_text_round_trips(text: str, seed: int) -> None:
    perturbation = Perturbation.parse(text, seed)
    assert str(perturbation) == text
    assert Perturbation.parse(str(perturbation), seed) == perturbation


def test_text_is_canonical() -> None:
    assert str(Perturbation.parse("normal(8.50)", 0)) == "normal(8.5)"
    assert str(Perturbation.parse("uniform(020.0)", 0)) == "uniform(20)"
    assert Perturbation.parse("normal(8.0)", 0) == Perturbation.parse("normal(8)", 0)


@pytest.mark.parametrize(
    "text",
    [
        "normal", "normal()", "normal(-1)", "normal(0)", "normal(1e3)", "normal(nan)", "cauchy(1)",
        "normal(8) ", "normal(1.2.3)", "uniform(2.5)", "uniform(2147483648)", "geometric(0)",
        "geometric(1.5)", "geometric(0.00001)", "normal(10001)", "normal(8,2)", "normal(.)",
    ],
)  # fmt: skip
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        Perturbation.parse(text, 0)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(NotationError, match="seed"):
        Perturbation("normal", Decimal(8), -1)
    with pytest.raises(NotationError, match="cauchy"):
        Perturbation("cauchy", Decimal(8), 0)


@given(seeds, texts, st.integers(0, 2**62), st.integers(0, 300))
@settings(deadline=None)  # tables are made at the first call
def test_one_column_is_that_of_the_whole_sheet(seed: int, text: str, x: int, y: int) -> None:
    noise = Perturbation.parse(text, seed)
    assert noise.column(x, y) == noise.columns(x, y)[y]
