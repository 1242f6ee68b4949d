"""Answers convert to messages of the contract and back, with positions as texts."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import families, rules_of
from position_oracle.schema.analyses import (
    Analysis,
    AnalyzedMove,
    Listing,
    Method,
    Turns,
    WinProbability,
)
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Origin,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.estimates import Calibration, Candidate, Estimates
from position_oracle.schema.games import QUANTITIES, Build, GameInfo, GameSource, Introduction
from position_oracle.schema.messages import forms, reading, writing
from position_oracle.schema.moves import Action, Bite, HeapChange, Move
from position_oracle.schema.proto.position_oracle.v1 import (
    answer_pb2,
    catalog_pb2,
    game_pb2,
    sheet_pb2,
)

TEXTS = {
    "chomp3:[4,3,2;1]": "three_row_chomp",
    "chomp:9/7/4": "chomp_board",
    "nim{misere}:[3,5]": "heaps",
    "wythoff{rule=all}:[1,2,3]": "heaps",
    "divisors:2^3*3^2": None,
    "transfinite:1xw": None,
    "nim:[3] + chomp:2/1": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_position_travels_in_the_form_of_its_family(text: str) -> None:
    position, message = parse(text), game_pb2.Position()
    forms.fill_position(message, position)
    form = message.WhichOneof("form")
    assert form == TEXTS[text]
    assert message.text == text
    assert (message.game.text, message.game.spec.family) == (position.game.text, position.game.name)
    if form is not None:
        assert forms.TYPED_FORMS[form].read(message) == position.coordinates


def test_every_form_is_one_of_the_contract() -> None:
    known = {field.name for field in game_pb2.Position.DESCRIPTOR.oneofs_by_name["form"].fields}
    assert set(forms.TYPED_FORMS) == known
    assert {rules_of(family).typed_form for family in families()} <= {*known, "text"}


def test_the_path_to_a_number() -> None:
    paths = [forms.TYPED_FORMS[form].path(2) for form in ("three_row_chomp", "heaps")]
    assert paths == [".z", ".sizes[2]"]
    assert forms.TYPED_FORMS["chomp_board"].path(0) == ".rows[0]"


@pytest.mark.parametrize("certificate", [None, "period 12 from 71, checked to 1000"])
@pytest.mark.parametrize(
    "facts", [None, TransfiniteFacts("w", "a rule", ("0", "w"), "1", "2"), TransfiniteFacts()]
)
def test_an_analysis_comes_back(facts: TransfiniteFacts | None, certificate: str | None) -> None:
    position = parse("chomp3:[0,1,1;1]")
    move = Move(position.passed(), is_pass=True)
    answer = Answer(
        position, Outcome.N, Certainty.EXACT_TABLE, "a table", (move,), facts, certificate
    )
    values = PositionValues(3, 4, None)
    moves = (AnalyzedMove(move, Outcome.P, PositionValues(0, 1, 2)),)
    analysis = Analysis(answer, values, moves, complete=True, listing=Listing.BEST_FIRST)
    message = writing.write_analysis(analysis, moves)
    read = reading.read_answer(message.answer, None)
    assert (read.outcome, read.transfinite, read.certificate) == (Outcome.N, facts, certificate)
    assert dict(reading.read_winning_places(message.moves)) == {
        0: Move("chomp3:[0,1,1]", is_pass=True)
    }
    assert reading.read_analyzed(message.moves[0]).values == moves[0].values
    assert reading.read_values(message.values) == values
    assert reading.read_listing(message) is Listing.BEST_FIRST
    assert message.winning_move_count == 1


@pytest.mark.parametrize("listing", Listing)
def test_every_listing_comes_back(listing: Listing) -> None:
    answer = Answer(parse("nim:[1]"), Outcome.N, Certainty.THEOREM, "a theorem")
    analysis = Analysis(answer, PositionValues(), listing=listing)
    assert reading.read_listing(writing.write_analysis(analysis, ())) is listing


@pytest.mark.parametrize("number", [0, 5, 77])
def test_the_outcome_decides_whether_an_answer_is_known(number: int) -> None:
    """An unknown certainty of a known outcome comes from a newer server."""
    message = answer_pb2.Answer(outcome=answer_pb2.OUTCOME_P)
    message.certainty = number  # type: ignore[assignment]
    assert reading.read_answer(message, None).certainty is Certainty.OTHER
    message.outcome = answer_pb2.OUTCOME_UNKNOWN
    assert reading.read_answer(message, None).certainty is Certainty.UNKNOWN
    message.certainty = answer_pb2.CERTAINTY_THEOREM
    assert reading.read_answer(message, None).certainty is Certainty.UNKNOWN


ACTIONS = [
    Action(is_pass=True, words="pass"),
    Action(is_pass=True, words="pass in component 2", component=1),
    Action(bite=Bite(2, 3), words="bite row 2, column 3"),
    Action(taking=(HeapChange(1, 4), HeapChange(3, 4)), words="take 4 each"),
    Action(taking=(HeapChange(2, 1, (3, 4)),), words="split"),
    Action(taking=(HeapChange(2, is_pass=True),), words="use the pass of heap 2"),
    Action(divisor=12, words="name 12", component=2),
    Action(power_product="2^70*3", words="name 2^70*3"),
    Action(cell=4, words="move the toad in cell 4", component=0),
    Action(ordinal_bite=("0", "w"), words="bite (0, w)"),
]


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_an_action_comes_back(action: Action) -> None:
    answer = Answer(parse("nim:[1]"), Outcome.N, Certainty.THEOREM, "a theorem")
    response = writing.write_winning_moves(answer, [Move(parse("nim:[1]"), action=action)])
    (kind,) = (name for name in action.as_json() if name not in {"words", "component"})
    assert response.moves[0].action.WhichOneof("kind") == kind
    (move,) = reading.read_moves(response.moves)
    assert move.action is not None
    assert move.action.as_json() == action.as_json()
    assert move.is_pass == (action.is_pass and action.component is None)


def test_no_moves_differ_from_unknown_moves() -> None:
    for moves in (None, ()):
        answer = Answer(parse("nim:[1]"), Outcome.N, Certainty.THEOREM, "a theorem", moves)
        response = writing.write_winning_moves(answer, moves or ())
        assert response.HasField("winning_move_count") == (moves is not None)


@pytest.mark.parametrize("known", [True, False])
def test_a_win_probability_comes_back(known: bool) -> None:
    position = parse("nim:[1,2]")
    probability = WinProbability(
        position=position,
        model="random",
        value=0.45 if known else None,
        exact=Fraction(9, 20) if known else None,
        error_bound=0.0 if known else None,
        certainty=Certainty.THEOREM if known else Certainty.UNKNOWN,
        method=Method.CLOSED_FORM if known else Method.UNKNOWN,
        reason="a theorem",
        best_moves=(Move(parse("nim:[1,1]")),) if known else None,
        tables=Tables("00000000000000ff", (1, 3)) if known else None,
    )
    response = writing.write_win_probability(probability, probability.best_moves or ())
    moves = reading.read_moves(response.best_moves)
    read = reading.read_win_probability(response.probability, moves)
    assert read.as_json() == probability.as_json()
    assert (read.position, read.tables) == ("nim:[1,2]", probability.tables)


@pytest.mark.parametrize("known", [True, False])
def test_turns_come_back(known: bool) -> None:
    turns = Turns(
        position=parse("nim:[2]"),
        mean=1.5 if known else None,
        mean_exact=Fraction(3, 2) if known else None,
        distribution=(0.0, 0.5, 0.5) if known else None,
        certainty=Certainty.THEOREM if known else Certainty.UNKNOWN,
        method=Method.CLOSED_FORM if known else Method.UNKNOWN,
        reason="a theorem",
        tables=Tables("00000000000000ff", (1, 3)) if known else None,
    )
    response = writing.write_turns(turns, turns.distribution or ())
    read = reading.read_turns(response.turns, tuple(response.distribution))
    assert read.as_json() == turns.as_json()
    assert (read.position, read.tables) == ("nim:[2]", turns.tables)


@pytest.mark.parametrize("known", [True, False])
def test_estimates_come_back(known: bool) -> None:
    estimates = Estimates(
        candidates=(Candidate(0.75, "chomp3:[1,2,3]"), Candidate(0.125, None)),
        rest=0.125,
        reason="frequencies",
        calibration=Calibration("sheets", "other sheets", 7, 1.5, 2.5, 0.25),
        is_known=known,
        tables=Tables("00000000000000ff", (1, 3)) if known else None,
    )
    response = writing.write_estimates(estimates, estimates.candidates)
    assert reading.read_estimates(response) == estimates


def test_what_is_served_comes_back() -> None:
    start = datetime(2026, 1, 2, tzinfo=UTC)
    environment = '{"python": "3.11.2", "platform": "Linux"}'
    build = Build(
        2, "wythoff{rule=all}", "sheets", "10x10", start, 0.5, 7, "ab", "oracle", environment
    )
    limits = {"heaps": 3, "other_heaps": 10}
    source = GameSource("x <= 10", Certainty.EXACT_TABLE, ("outcome", "batches"), limits, build)
    words = Introduction("Wythoff", "wythoff{rule=all}:[3,5,7]", "Take tokens.", "none is left")
    info = GameInfo(parse("wythoff{rule=all}:[0,0,0]").game, (source,), words)
    message = writing.write_game_info(info)
    assert dict(message.game.spec.options) == {"rule": "all"}
    assert message.sources[0].build.duration.nanos == 500_000_000
    (read,) = reading.read_games(catalog_pb2.ListGamesResponse(games=[message]))
    assert read == GameInfo("wythoff{rule=all}", (source,), words)


def test_a_build_may_say_nothing_of_its_environment() -> None:
    build = Build(1, "nim", "sheets", "9x9", datetime(2026, 1, 2, tzinfo=UTC), 0, 7, "", "", "")
    source = GameSource("all", Certainty.EXACT_TABLE, (), {}, build)
    info = GameInfo(parse("nim:[1]").game, (source,), Introduction("Nim", "", "", ""))
    message = writing.write_game_info(info).sources[0].build
    assert (message.environment.platform, dict(message.environment.versions)) == ("", {})


def test_origins_have_the_numbers_of_the_contract() -> None:
    numbers = dict(sheet_pb2.InstantWinnerOrigin.items())
    assert numbers.pop("INSTANT_WINNER_ORIGIN_UNSPECIFIED") == 0
    assert numbers == {f"INSTANT_WINNER_ORIGIN_{each.name}": each.value for each in Origin}


def test_every_quantity_has_words() -> None:
    limits = dict.fromkeys(QUANTITIES, 1)
    source = GameSource("some", Certainty.THEOREM, (), limits)
    info = GameInfo(parse("nim:[1]").game, (source,), Introduction("Nim", "", "", ""))
    (written,) = writing.write_game_info(info).sources
    assert {each.quantity: each.meaning for each in written.limits.limits} == QUANTITIES
