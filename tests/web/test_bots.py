"""The page's bots and judge, run by node, agree with those of Python."""

from collections.abc import Iterator, Sequence

import pytest

from position_oracle.clients import rules
from position_oracle.clients.annotate import annotate
from position_oracle.clients.bots import RandomBot, StubbornBot
from position_oracle.clients.play import GameRecord, play_game
from position_oracle.clients.record import format_record
from position_oracle.engine.games.registry import FAMILIES
from position_oracle.oracle.core import Oracle
from tests.clients.test_levels import GREEDY
from tests.engine.games.test_actions import STARTS
from tests.web.conftest import by_node, needs_node, served

pytestmark = needs_node

UNDECIDED = "chomp:40/38/38/37/36/35/34/33/32/31"
WON = "chomp:40/39/38/37/36/35/34/33/32/31"
WITHOUT_A_NAMED_MOVE = "chomp:" + "/".join(["30"] * 9)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(Oracle()) as address:
        yield address


def choices(address: str, level: str, *texts: str) -> list[str]:
    """Return the positions that a bot moves to."""
    return by_node("bots.mjs", [[level, text] for text in texts], address)


@pytest.mark.parametrize("text", [UNDECIDED, WITHOUT_A_NAMED_MOVE])
def test_no_known_loss_is_chosen(address: str, text: str) -> None:
    (made,) = choices(address, "perfect", text)
    moves = Oracle().analyze(text).moves or ()
    assert {str(each.move.child): each.outcome.name for each in moves}[made] == "UNKNOWN"


def test_a_proved_win_is_kept(address: str) -> None:
    assert choices(address, "perfect", WON) == ["chomp:40/39"]


def test_the_stubborn_player_leaves_the_fewest_good_replies(address: str) -> None:
    """Of several such moves it makes the one after which the game lasts longest, or the first."""
    longest = ("nim:[2,5,7]", "kayles:[5,5]", "nim{max=3}:[7,7]")
    first = ("nim:[1,2,3]", "nim:[3,5,6]", "chomp:5/5/3", "nim:[2,2;2]")
    texts = ("chomp:4/3/3", "nim:[3,5,7]", *longest, *first)
    bot = StubbornBot(Oracle())
    assert choices(address, "stubborn", *texts) == [bot.choose(text) for text in texts]


def test_of_moves_that_take_as_much_the_greedy_player_makes_the_first(address: str) -> None:
    assert choices(address, "greedy", *GREEDY) == list(GREEDY.values())


@pytest.mark.parametrize("level", ["perfect", "greedy"])
def test_no_move_loses_at_once_where_another_does_not(address: str, level: str) -> None:
    assert choices(address, level, "nim{misere}:[2]") == ["nim{misere}:[1]"]


def games(family: str, count: int) -> list[GameRecord]:
    """Return random games from the starts of a family, except those whose judgement takes long."""
    starts = (STARTS[family] * count)[:count]
    small = (start for start in starts if rules.read(start).family != "transfinite")
    return [play_game(RandomBot(at), RandomBot(at + 1), start) for at, start in enumerate(small)]


def check_records(address: str, families: Sequence[str], count: int) -> int:
    """Read records on the page, which writes them again."""
    starts = [start for family in families for start in STARTS[family][:count]]
    played = [play_game(RandomBot(at), RandomBot(at + 1), start) for at, start in enumerate(starts)]
    texts = [format_record(game) for game in played]
    assert by_node("records.mjs", texts, address) == texts
    return len(texts)


def test_records_are_read_and_written_alike(address: str) -> None:
    assert check_records(address, FAMILIES[::3], 1) > 5


def test_a_start_may_have_any_text_that_the_oracle_reads(address: str) -> None:
    moves = '"]\n[First "a"]\n[Second "b"]\n[Result "*"]\n\n1. nim{max=3,misere}:[2]\n*\n'
    record = f'[Start "nim{{misere,max=3}}:[5]{moves}'
    assert by_node("records.mjs", [record], address) == [record]


@pytest.mark.slow
def test_records_of_every_family_are_read_and_written_alike(address: str) -> None:
    assert check_records(address, FAMILIES, 6) > 70


def judged(address: str, played: list[GameRecord]) -> list[list[str]]:
    """Return the page's comments on each move."""
    asked = []
    for game in played:
        position, moves = game.start, []
        for move in game.moves:
            position = rules.play(position, move)
            moves.append({"child": position, "isPass": move == "pass"})
        asked.append({"start": game.start, "moves": moves})
    return by_node("judge.mjs", asked, address)


def check_verdicts(address: str, families: Sequence[str], count: int) -> int:
    oracle = Oracle()
    played = [game for family in families for game in games(family, count)]
    expected = [annotate(game, oracle) for game in played]
    for game, said, wanted in zip(played, judged(address, played), expected, strict=True):
        assert said == wanted, game
    return sum(map(len, expected))


def test_every_verdict_is_that_of_annotate(address: str) -> None:
    assert check_verdicts(address, FAMILIES[::4], 1) > 10


@pytest.mark.slow
def test_a_thousand_verdicts_are_those_of_annotate(address: str) -> None:
    assert check_verdicts(address, FAMILIES, 12) > 1000


@pytest.mark.parametrize("text", [UNDECIDED, WITHOUT_A_NAMED_MOVE])
def test_moves_of_open_positions_are_judged_alike(address: str, text: str) -> None:
    moves = list(rules.legal_moves(text))[::60]
    played = [GameRecord(text, ("a", "b"), (str(move),), None) for move in moves]
    expected = [annotate(game, Oracle()) for game in played]
    assert judged(address, played) == expected
