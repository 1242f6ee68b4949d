"""Answers go into messages of the contract and come back as they were, positions as texts."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import families, rules_of
from position_oracle.schema.analyses import Analysis, AnalyzedMove, Method, Turns, WinProbability
from position_oracle.schema.answers import (
    Answer,
    Certainty,
    Outcome,
    PositionValues,
    Tables,
    TransfiniteFacts,
)
from position_oracle.schema.games import Build, GameInfo, Limits
from position_oracle.schema.messages import forms, reading, writing
from position_oracle.schema.moves import Action, Bite, HeapChange, Move
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

TEXTS = {
    "chomp3:[4,3,2;1]": "three_row_chomp",
    "chomp:9/7/4": "chomp_board",
    "nim{misere}:[3,5]": "heaps",
    "wythoff{rule=all}:[1,2,3]": "heaps",
    "divisors:2^3*3^2": "text",
    "transfinite:1xw": "text",
    "nim:[3] + chomp:2/1": "text",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_position_travels_in_the_form_of_its_family(text: str) -> None:
    position, message = parse(text), game_pb2.Position()
    forms.fill_position(message, position)
    form = message.WhichOneof("form")
    assert form == TEXTS[text]
    if form == "text":
        assert message.text == text
        assert not message.HasField("game")
    else:
        assert forms.TYPED_FORMS[form].read(message) == position.coordinates
        assert message.game.family == position.game.family


def test_every_form_is_one_of_the_contract() -> None:
    known = {field.name for field in game_pb2.Position.DESCRIPTOR.oneofs_by_name["form"].fields}
    assert {*forms.TYPED_FORMS, "text"} == known
    assert {rules_of(family).typed_form for family in families()} <= known


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
    moves = (AnalyzedMove(move, Outcome.P, PositionValues(0, 1, 2), component=0),)
    analysis = Analysis(answer, values, moves, complete=True)
    read = reading.read_analysis(writing.write_analysis(analysis), moves=True)
    assert read.as_json(5) == analysis.as_json(5)
    assert (read.answer.transfinite, read.answer.certificate) == (facts, certificate)
    assert read.answer.winning_moves == (Move("chomp3:[0,1,1]", is_pass=True),)
    assert read.moves is not None
    assert (read.complete, read.values, read.moves[0].component) == (True, values, 0)
    assert reading.read_analysis(writing.write_analysis(analysis), moves=False).moves is None


ACTIONS = [
    Action(is_pass=True, words="pass"),
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
    message = answer_pb2.WinningMoves()
    writing.fill_moves(message, [Move(parse("nim:[1]"), action=action)])
    (kind,) = (name for name in action.as_json() if name not in {"words", "component"})
    assert message.moves[0].action.WhichOneof("kind") == kind
    response = pb.ListWinningMovesResponse(winning_moves=message)
    (move,) = reading.read_winning_moves(response).winning_moves or ()
    assert move.action is not None
    assert move.action.as_json() == action.as_json()


def test_no_moves_and_moves_that_are_not_known_are_told_apart() -> None:
    for moves in (None, ()):
        answer = Answer(parse("nim:[1]"), Outcome.N, Certainty.THEOREM, "a theorem", moves)
        response = pb.ListWinningMovesResponse()
        writing.fill_answer(response.answer, answer)
        if moves is not None:
            writing.fill_moves(response.winning_moves, moves)
        assert reading.read_winning_moves(response).winning_moves == moves


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
    read = reading.read_win_probability(writing.write_win_probability(probability))
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
    read = reading.read_turns(writing.write_turns(turns))
    assert read.as_json() == turns.as_json()
    assert (read.position, read.tables) == ("nim:[2]", turns.tables)


def test_what_is_served_comes_back() -> None:
    start = datetime(2026, 1, 2, tzinfo=UTC)
    build = Build(2, "wythoff{rule=all}", "sheets", "10x10", start, 0.5, 7, "ab", "oracle", "{}")
    info = GameInfo(
        parse("wythoff{rule=all}:[0,0,0]").game,
        ("outcome",),
        "x <= 10",
        10,
        Certainty.EXACT_TABLE,
        build,
        Limits(heaps=3, other_heaps=10),
    )
    message = writing.write_game_info(info)
    assert message.game.rule == "all"
    assert not message.game.options
    (read,) = reading.read_games(pb.ListGamesResponse(games=[message]))
    assert read == GameInfo(
        "wythoff{rule=all}",
        ("outcome",),
        "x <= 10",
        10,
        Certainty.EXACT_TABLE,
        build,
        Limits(heaps=3, other_heaps=10),
    )
