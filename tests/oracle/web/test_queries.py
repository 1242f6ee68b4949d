"""GET: questions as addresses; answers in JSON that people can read and caches can keep."""

import base64
import gzip
import json
from urllib.parse import quote, urlencode

import pytest
from google.protobuf import json_format

from position_oracle.oracle.web.app import CachingCodec
from position_oracle.oracle.web.json_codec import READABLE
from position_oracle.oracle.web.protocols import Connect
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, chance_pb2
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Position
from position_oracle.schema.proto.position_oracle.v1.service_pb2 import (
    GetOutcomeRequest,
    GetOutcomeResponse,
)
from tests.oracle.web.http import PROTO, SERVICE, Reply, ask, get, post_json


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("outcome", "GetOutcome"),
        ("moves", "ListWinningMoves"),
        ("analyze", "AnalyzePosition"),
        ("line", "GetBestLine"),
        ("best-move", "GetBestMove"),
        ("turns", "GetTurns"),
    ],
)
@pytest.mark.parametrize("text", ["chomp:7/7/7", "nim:[3,5,7]", "nim:[3,5] + wythoff:[1,2]"])
def test_the_same_json_as_by_post(port: int, path: str, call: str, text: str) -> None:
    reply = get(port, f"/v1/{path}?position={quote(text)}")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert reply.json == post_json(port, call, {"position": {"text": text}}).json


def test_answers_are_lines_that_people_can_read(port: int) -> None:
    lines = get(port, "/v1/analyze?position=chomp:7/7/7").text.splitlines()
    assert lines[0] == "{"
    assert any(line.strip() == '"outcome": "OUTCOME_N",' for line in lines)
    assert max(map(len, lines)) <= 120


def test_probability_and_games(port: int) -> None:
    found = get(port, "/v1/probability?position=chomp3:%5B1,1,1%5D&model=random").json
    assert found["probability"]["value"] == 0.45
    games = get(port, "/v1/games").json["games"]
    assert "chomp3" in {info["game"]["text"] for info in games}


def test_turns(port: int) -> None:
    found = get(port, "/v1/turns?position=nim:[2]").json
    assert found["turns"]["mean"] == 1.5
    assert found["turns"]["exact"] == {"numerator": "3", "denominator": "2"}
    assert found["distribution"] == [0, 0.5, 0.5]


def test_line(port: int) -> None:
    found = get(port, "/v1/line?position=chomp:7/7/7").json
    assert found == post_json(port, "GetBestLine", {"position": {"text": "chomp:7/7/7"}}).json


def test_geometry(port: int) -> None:
    found = get(port, "/v1/geometry?game=chomp3").json
    assert found == post_json(port, "GetGeometry", {"game": {"text": "chomp3"}}).json


def test_openings(port: int) -> None:
    found = get(port, "/v1/openings?rows=3&columns=100").json
    assert (
        found
        == post_json(port, "ListWinningMoves", {"position": {"text": "chomp:100/100/100"}}).json
    )
    assert len(found["moves"]) == 1


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/v1/outcome", "position: is missing"),
        ("/v1/outcome?position=", "position: "),
        ("/v1/outcome?position=chomp:2/3", "position: "),
        ("/v1/outcome?position=%ff", "not UTF-8"),
        ("/v1/outcome?position=nim:[3]&position=nim:[4]", "position: is given twice"),
        ("/v1/outcome?positon=nim:[3]", "positon: is not a parameter; there are: position"),
        ("/v1/outcome?" + "&".join(f"p{i}=1" for i in range(17)), "more than 16 parameters"),
        (
            "/v1/analyze?position=nim:[3]&view=some",
            "view: is 'some'; allowed are basic",
        ),
        ("/v1/losers?game=chomp3&x=1_0&size_y=3", "x: is '1_0'; allowed are whole numbers from"),
        (
            "/v1/moves?position=chomp:1&page_size=2147483648",
            "page_size: is '2147483648'; allowed are whole numbers from .* to 2147483647",
        ),
        ("/v1/losers?game=chomp3&x=one&size_y=3", "x: is 'one'; allowed are whole numbers from"),
        ("/v1/losers?game=chomp3&x=%D9%A1&size_y=3", "x: is '.*'; allowed are whole numbers from"),
        ("/v1/losers?game=chomp3&x=99999999999999999999&size_y=3", "x: "),
        ("/v1/openings?rows=0&columns=4", "rows: is '0'"),
        ("/v1/openings?rows=3", "columns: is ''"),
        (
            "/v1/openings?rows=1001&columns=4",
            "rows: is '1001'; allowed are whole numbers",
        ),
        ("/v1/openings?rows=2&columns=9223372036854775808", "columns: is '9223372036854775808'"),
        ("/v1/openings?rows=3&columns=4&x=1", "x: is not a parameter"),
        ("/v1/games?x=1", "x: is not a parameter"),
    ],
)
def test_errors_are_one_line(port: int, target: str, says: str) -> None:
    reply = get(port, target)
    assert reply.status == 400
    assert reply.text.count("\n") == 1
    assert says.split(".*", maxsplit=1)[0] in reply.json["message"]


def test_games_that_do_not_exist(port: int) -> None:
    reply = get(port, "/v1/outcome?position=go:3")
    assert reply.status == 404
    assert reply.json["code"] == "not_found"


@pytest.mark.parametrize("certainty", answer_pb2.Certainty.values())
def test_caches_keep_only_what_is_certain(certainty: "answer_pb2.Certainty.ValueType") -> None:
    turns = chance_pb2.GameLength(certainty=certainty, mean=1.5)
    codec = CachingCodec(READABLE, Connect(READABLE, "application/json"))
    response = chance_pb2.GetTurnsResponse(turns=turns)
    codec.response(type(response), response.SerializeToString())
    unsure = {answer_pb2.CERTAINTY_UNKNOWN, answer_pb2.CERTAINTY_ESTIMATE}
    assert codec.is_known == (certainty not in unsure)


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


def test_a_tag_is_of_one_question(port: int) -> None:
    """The server checks a question before its tag. A 304 has the id of the request."""
    tag = get(port, "/v1/outcome?position=nim:%5B3%5D").headers["etag"]
    for target, status in (
        ("/v1/outcome?position=nim:%5B4%5D", 200),
        ("/v1/moves?position=nim:%5B3%5D", 200),
        ("/v1/outcome?position=nim:%5B-4%5D", 400),
        ("/v1/outcome?position=nim:%5B3%5D&x=1", 400),
        ("/v1/outcome", 400),
    ):
        assert get(port, target, if_none_match=tag).status == status
    again = get(port, "/v1/outcome?position=nim:%5B3%5D", if_none_match=tag, x_request_id="mine")
    assert (again.status, again.headers["x-request-id"]) == (304, "mine")


def connect_get(port: int, call: str, query: dict[str, str], **headers: str) -> Reply:
    """Make a call by GET, as clients of Connect do."""
    return get(port, f"/{SERVICE}/{call}?{urlencode(query)}", **headers)


def test_a_call_by_get(port: int) -> None:
    request = GetOutcomeRequest(position=Position(text="nim:[3,5,7]"))
    text = json_format.MessageToJson(request)
    packed = base64.urlsafe_b64encode(request.SerializeToString()).decode().rstrip("=")
    query = {"connect": "v1", "encoding": "json", "message": text}
    found = connect_get(port, "GetOutcome", query)
    assert found.json == post_json(port, "GetOutcome", json.loads(text)).json
    binary = {"encoding": "proto", "base64": "1", "message": packed}
    reply = connect_get(port, "GetOutcome", binary)
    assert reply.headers["content-type"] == PROTO
    assert GetOutcomeResponse.FromString(reply.body).answer.outcome == 2
    tags = [found.headers["etag"], reply.headers["etag"]]
    assert tags[0] != tags[1]
    assert connect_get(port, "GetOutcome", binary, if_none_match=tags[1]).status == 304
    assert connect_get(port, "GetOutcome", query, if_none_match=tags[1]).status == 200


def test_a_compressed_call_by_get(port: int) -> None:
    message = gzip.compress(b'{"position": {"text": "nim:[3]"}}')
    query = {"encoding": "json", "base64": "1", "compression": "gzip"}
    query["message"] = base64.urlsafe_b64encode(message).decode()
    assert connect_get(port, "GetOutcome", query).json["answer"]["outcome"] == "OUTCOME_N"


WRONG = [
    ({}, 400, "message: is missing"),
    ({"message": "{}"}, 400, "encoding: is ''; there are: json, proto"),
    ({"message": "{}", "encoding": "json"}, 400, "position.text: is missing"),
    ({"message": "{", "encoding": "json"}, 400, "is not a GetOutcomeRequest in JSON"),
    ({"message": "?", "encoding": "proto", "base64": "1"}, 400, "base64"),
    ({"message": "{}", "encoding": "json", "compression": "br"}, 501, "gzip"),
    ({"message": "{}", "encoding": "json", "connect": "v2"}, 400, "connect: is 'v2'"),
    ({"message": "{}", "encoding": "json", "x": "1"}, 400, "x: is not a parameter"),
]


@pytest.mark.parametrize(("query", "status", "says"), WRONG)
def test_invalid_calls_by_get_are_refused(
    port: int, query: dict[str, str], status: int, says: str
) -> None:
    reply = connect_get(port, "GetOutcome", query)
    assert (reply.status, says in reply.json["message"]) == (status, True)
    assert connect_get(port, "Solve", query).status == 501


def test_unknown_answers_are_cached_for_seconds_only(port: int) -> None:
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
