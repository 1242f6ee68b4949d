"""Long tables of octal games equal the definition, have the published periods, and can stop."""

import random

import numpy as np
import pytest

from position_oracle.engine.solvers.octal import extend_long
from position_oracle.engine.theory import octal
from position_oracle.oracle.reproduce.octal_tables import solve_long_sequence
from tests.clock import ends_soon

NONE = np.zeros(0, dtype=np.int64)


def test_the_compiled_table_is_that_of_the_definition() -> None:
    random.seed(31)
    for _ in range(60):
        digits = [random.choice((0, 4))] + [random.randrange(8) for _ in range(4)]
        if random.random() < 0.5:
            digits = [digit | octal.UNEQUAL * random.randrange(2) for digit in digits]
        rules = octal.OctalCode(tuple(digits))
        values = octal.extend_values(rules, NONE, 700)
        for known in (20, 300):
            assert (extend_long(rules, values[:known], 700) == values).all(), rules


@pytest.mark.parametrize(
    ("code", "period", "last_exception"),
    [
        ("0.127", 4, 46_577),  # OEIS A071464
        ("0.16", 149_459, 105_350),  # OEIS A071430
        # Gangolli and Plambeck 1989 give 144 with 326,640 values before the first period. The
        # comment of OEIS A071436 has 326,637, two less than the last exception computed here.
        ("0.56", 144, 326_639),
    ],
)
def test_long_periods(code: str, period: int, last_exception: int) -> None:
    found = solve_long_sequence(octal.parse_code(code), 2**20)
    assert found.certificate is not None
    assert (found.certificate.period, found.certificate.last_exception) == (period, last_exception)
    assert found.at(last_exception) != found.at(last_exception + period)
    assert found.at(10**40) == found.at(last_exception + 1 + (10**40 - last_exception - 1) % period)


def test_short_questions_take_the_short_way() -> None:
    kayles = solve_long_sequence(octal.parse_code("0.77"), 10**6)
    assert len(kayles.values) == 256
    officers = solve_long_sequence(octal.parse_code("0.6"), 20_000)
    assert officers.certificate is None
    assert len(officers.values) == 20_001


@pytest.mark.parametrize("code", ["0.376", "0.142", "4.6"])
def test_work_stops_soon_after_the_flag(code: str) -> None:
    rules = octal.parse_code(code)
    solve_long_sequence(octal.parse_code("0.6"), 10_000)  # to compile the kernel
    values = octal.extend_values(rules, NONE, 4096)

    def search() -> object:
        return extend_long(rules, values, 2**23)

    assert ends_soon(0.05, search)
