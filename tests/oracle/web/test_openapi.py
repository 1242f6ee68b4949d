"""The description of the service: valid, complete, true, and in the words of the contract."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from position_oracle.schema.proto.position_oracle.v1 import service_pb2
from tests.oracle.web.http import SERVICE, get, post_json

METHODS = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"].methods


@pytest.fixture(scope="module")
def described(port: int) -> Any:
    reply = get(port, "/openapi.json")
    assert reply.headers["content-type"] == "application/json"
    return reply.json


def schema_of(described: Any, schema: Any) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": described["components"]})


def test_the_description_is_valid(described: Any) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(described).validate()


def test_every_call_is_described_in_the_words_of_the_contract(described: Any) -> None:
    for method in METHODS:
        said = described["paths"][f"/{SERVICE}/{method.name}"]["post"]
        assert said["description"]
        assert said["responses"]["200"]["description"]
    answer = described["components"]["schemas"]["Answer"]
    assert answer["description"].startswith("The answer to a question about one position")
    assert answer["properties"]["reason"]["description"].startswith("The table, search or theorem")
    outcome = described["components"]["schemas"]["Outcome"]
    assert outcome["enum"] == ["OUTCOME_UNKNOWN", "OUTCOME_P", "OUTCOME_N"]
    assert "* `OUTCOME_P`: The previous player wins" in outcome["description"]


def test_no_message_or_field_is_without_words(described: Any) -> None:
    for name, schema in described["components"]["schemas"].items():
        assert schema["description"], name
        for field, entry in schema.get("properties", {}).items():
            if name not in {"Error", "Action"}:
                assert entry.get("description"), (name, field)


def test_every_query_is_described(port: int, described: Any) -> None:
    paths = [path for path in described["paths"] if path.startswith("/v1/")]
    listed = get(port, "/v1/none").text
    assert all(path in listed for path in paths)
    assert {"/v1/outcome", "/v1/analyze", "/v1/moves", "/v1/games", "/v1/openings"} <= set(paths)
    position, *_ = described["paths"]["/v1/analyze"]["get"]["parameters"]
    assert position["name"] == "position"
    assert position["required"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/outcome?position=chomp:7/7/7", "GetOutcomeResponse"),
        ("/v1/analyze?position=chomp:7/7/7", "AnalyzePositionResponse"),
        ("/v1/analyze?position=nim:[3,5,7]", "AnalyzePositionResponse"),
        ("/v1/moves?position=transfinite:3xw", "ListWinningMovesResponse"),
        ("/v1/probability?position=nim:[3]&model=random", "GetWinProbabilityResponse"),
        ("/v1/turns?position=nim:[3]", "GetTurnsResponse"),
        ("/v1/games", "ListGamesResponse"),
        ("/v1/losers?game=chomp3&x=5&size_y=4", "GetLosersResponse"),
        ("/v1/outcome?position=nim", "Error"),
    ],
)
def test_answers_are_as_described(port: int, described: Any, path: str, name: str) -> None:
    found = get(port, path).json
    validator = schema_of(described, _strict(described, name))
    assert list(validator.iter_errors(found)) == []
    assert list(validator.iter_errors({**found, "surprise": 1}))


def _strict(described: Any, name: str) -> Any:
    return {**described["components"]["schemas"][name], "additionalProperties": False}


def test_requests_are_as_described(port: int, described: Any) -> None:
    """The server refuses a request exactly if the schema refuses it."""
    schema = described["components"]["schemas"]["AnalyzePositionRequest"]
    validator = schema_of(described, schema)
    for request, is_right in (
        ({"position": {"text": "nim:[3]"}, "view": "ANALYSIS_VIEW_BASIC"}, True),
        ({"position": {"threeRowChomp": {"x": "4"}}}, True),
        ({"position": {"text": 3}}, False),
        ({"position": []}, False),
        ({"place": {}}, False),
        ({"position": {"text": "nim:[3]"}, "view": "ALL"}, False),
        ({}, False),
    ):
        assert validator.is_valid(request) == is_right, request
        assert (post_json(port, "AnalyzePosition", request).status == 200) == is_right, request


def test_the_description_may_be_cached(port: int) -> None:
    reply = get(port, "/openapi.json")
    assert reply.headers["cache-control"] == "public, max-age=60"
    assert json.loads(reply.body)["openapi"] == "3.1.0"
