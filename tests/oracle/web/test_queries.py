"""GET: questions as addresses, in JSON that people can read and caches can keep."""

import json
from urllib.parse import quote

import pytest

from tests.oracle.web.http import ask, get, post_json


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("outcome", "GetOutcome"),
        ("moves", "ListWinningMoves"),
        ("analyze", "AnalyzePosition"),
        ("line", "GetBestLine"),
        ("turns", "GetTurns"),
    ],
)
@pytest.mark.parametrize("text", ["chomp:7/7/7", "nim:[3,5,7]", "nim:[3,5] + wythoff:[1,2]"])
def test_the_same_json_as_by_post(port: int, path: str, call: str, text: str) -> None:
    reply = get(port, f"/v1/{path}?position={quote(text)}")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert reply.json == post_json(port, call, {"position": {"text": text}}).json


def test_readable(port: int) -> None:
    lines = get(port, "/v1/analyze?position=chomp:7/7/7").text.splitlines()
    assert lines[0] == "{"
    assert any(line.strip() == '"outcome": "OUTCOME_N",' for line in lines)
    assert max(map(len, lines)) <= 120


def test_probability_and_games(port: int) -> None:
    found = get(port, "/v1/probability?position=chomp3:%5B1,1,1%5D&model=random").json
    assert found["probability"]["value"] == 0.45
    games = get(port, "/v1/games").json["games"]
    assert "chomp3" in {game["gameText"] for game in games}


def test_turns(port: int) -> None:
    found = get(port, "/v1/turns?position=nim:[2]").json["turns"]
    assert (found["mean"], found["meanNumerator"], found["meanDenominator"]) == (1.5, "3", "2")
    assert found["distribution"] == [0, 0.5, 0.5]


def test_line(port: int) -> None:
    found = get(port, "/v1/line?position=chomp:7/7/7").json
    assert found == post_json(port, "GetBestLine", {"position": {"text": "chomp:7/7/7"}}).json


def test_geometry(port: int) -> None:
    found = get(port, "/v1/geometry?game=chomp3").json
    assert found == post_json(port, "GetGeometry", {"gameText": "chomp3"}).json


def test_openings(port: int) -> None:
    found = get(port, "/v1/openings?rows=3&columns=100").json
    assert (
        found
        == post_json(port, "ListWinningMoves", {"position": {"text": "chomp:100/100/100"}}).json
    )
    assert len(found["winningMoves"]["moves"]) == 1


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/v1/outcome", "position: is missing"),
        ("/v1/outcome?position=", "position: "),
        ("/v1/outcome?position=chomp:2/3", "position: "),
        ("/v1/outcome?position=%ff", "no UTF-8"),
        ("/v1/outcome?position=nim:[3]&position=nim:[4]", "position: is given twice"),
        ("/v1/outcome?positon=nim:[3]", "positon: is not a parameter; there are: position"),
        ("/v1/outcome?" + "&".join(f"p{i}=1" for i in range(17)), "more than 16 parameters"),
        ("/v1/analyze?position=nim:[3]&omit_moves=maybe", "omit_moves: is 'maybe'"),
        ("/v1/losers?game=chomp3&x=one&size_y=3", "x: is 'one', no whole number"),
        ("/v1/losers?game=chomp3&x=%D9%A1&size_y=3", "x: is '.*', no whole number"),
        ("/v1/losers?game=chomp3&x=99999999999999999999&size_y=3", "x: "),
        ("/v1/openings?rows=0&columns=4", "rows: is '0'"),
        ("/v1/openings?rows=3", "columns: is ''"),
        ("/v1/openings?rows=1001&columns=4", "rows: is 1001"),
        ("/v1/openings?rows=3&columns=4&x=1", "x: is not a parameter"),
        ("/v1/games?x=1", "x: is not a parameter"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(port: int, target: str, says: str) -> None:
    reply = get(port, target)
    assert reply.status == 400
    assert reply.text.count("\n") == 1
    assert says.split(".*", maxsplit=1)[0] in reply.json["message"]


def test_games_that_do_not_exist(port: int) -> None:
    reply = get(port, "/v1/outcome?position=go:3")
    assert reply.status == 404
    assert reply.json["code"] == "not_found"


def test_paths_that_do_not_exist(port: int) -> None:
    for target in ("/v1/luck", "/v1/outcome/x", "/v2/outcome", "/x", "/v1/"):
        reply = get(port, target)
        assert reply.status == 404
        assert reply.text.count("\n") == 1


def test_an_answer_can_be_kept_as_long_as_the_tables_stay(port: int) -> None:
    target = "/v1/moves?position=chomp3:%5B40,0,0%5D"
    reply = get(port, target)
    tag = reply.headers["etag"]
    assert reply.json["answer"]["tables"]["version"] in tag
    assert reply.headers["cache-control"] == "public, max-age=60"
    for header in (tag, f"W/{tag}", f'"x", {tag}'):
        again = get(port, target, if_none_match=header)
        assert again.status == 304
        assert again.body == b""
        assert again.headers["etag"] == tag
    for header in ('"x"', "*", tag[:-1], ""):
        assert get(port, target, if_none_match=header).status == 200


def test_what_is_not_known_is_not_kept_long(port: int) -> None:
    reply = get(port, "/v1/outcome?position=chomp3:%5B100000,3,4%5D")
    assert reply.json["answer"]["certainty"] == "CERTAINTY_UNKNOWN"
    assert "etag" not in reply.headers
    assert reply.headers["cache-control"] == "public, max-age=5"


def test_head_is_get_without_the_body(port: int) -> None:
    target = "/v1/outcome?position=nim:%5B3%5D"
    head, whole = ask(port, target, method="HEAD"), get(port, target)
    assert head.status == 200
    assert head.body == b""
    assert head.headers["content-length"] == str(len(whole.body))
    assert head.headers["etag"] == whole.headers["etag"]


def test_the_last_line_ends(port: int) -> None:
    body = get(port, "/v1/outcome?position=nim:%5B3%5D").text
    assert body.endswith("}\n")
    assert json.loads(body)
