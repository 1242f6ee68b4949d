"""Texts of the models of chance."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.random_play.model import FORMS, MAX_DENOMINATOR, Model, Perfect
from position_oracle.schema.errors import NotationError

models = st.builds(
    lambda perfect, p, q: Model(perfect, Fraction(min(p, q), q)) if perfect else Model(),
    st.sampled_from([None, Perfect.MOVER, Perfect.OTHER]),
    st.integers(1, MAX_DENOMINATOR),
    st.integers(1, MAX_DENOMINATOR),
)


@pytest.mark.parametrize("text", FORMS)
def test_documented_forms_are_canonical(text: str) -> None:
    assert Model.parse(text).text == text


@given(models)
def test_every_model_has_one_text(model: Model) -> None:
    assert Model.parse(model.text) == model


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" random ", "random"),
        ("perfect-vs-sloppy(0.10)", "perfect-vs-sloppy(0.1)"),
        ("perfect-vs-sloppy(1/10)", "perfect-vs-sloppy(0.1)"),
        ("perfect-vs-sloppy(2 / 6)", "perfect-vs-sloppy(1/3)"),
        ("perfect-vs-sloppy(1)", "perfect-vs-random"),
        ("sloppy(1.0)-vs-perfect", "random-vs-perfect"),
        ("sloppy(0.000001)-vs-perfect", "sloppy(0.000001)-vs-perfect"),
    ],
)
def test_other_texts_are_normalised(text: str, canonical: str) -> None:
    assert Model.parse(text).text == canonical


def test_who_is_perfect() -> None:
    assert Model.parse("random") == Model(Perfect.NOBODY, Fraction(1))
    assert Model.parse("perfect-vs-sloppy(0.1)") == Model(Perfect.MOVER, Fraction(1, 10))
    assert Model.parse("random-vs-perfect") == Model(Perfect.OTHER, Fraction(1))
    choosing = [Model.parse(text).mover_chooses for text in FORMS]
    assert choosing == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a model"),
        ("perfect", "models are random, perfect-vs-random"),
        ("perfect-vs-perfect", "not a model"),
        ("Random", "not a model"),
        ("sloppy(0.1)", "not a model"),
        ("perfect-vs-sloppy()", "not a model"),
        ("perfect-vs-sloppy(-0.1)", "not a model"),
        ("perfect-vs-sloppy(nan)", "not a model"),
        ("perfect-vs-sloppy(.1)", r"write .* as 0\.1 or 1/10"),
        ("perfect-vs-sloppy(1/2/3)", r"write .* as 0\.1 or 1/10"),
        ("perfect-vs-sloppy(1/0)", "denominator is 0"),
        ("perfect-vs-sloppy(0)", "above 0"),
        ("perfect-vs-sloppy(1.5)", "at most 1"),
        ("perfect-vs-sloppy(0.0000001)", "six decimals"),
        ("x" * 10_000_000, "not a model"),
    ],
)
def test_invalid_models_are_quoted(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        Model.parse(text)
    assert len(str(caught.value)) < 300


def test_two_random_players_do_not_err_by_halves() -> None:
    with pytest.raises(NotationError, match="nobody is perfect"):
        Model(Perfect.NOBODY, Fraction(1, 2))
