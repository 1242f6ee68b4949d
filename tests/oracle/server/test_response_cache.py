"""Responses are kept for one oracle, within a bound, and those asked for stay longest."""

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.contract import CALLS, Request
from position_oracle.oracle.server.response_cache import ResponseCache
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

ONE, OTHER = Oracle(), Oracle()


def test_kept_for_one_oracle_only() -> None:
    kept = ResponseCache()
    kept.put(ONE, ("GetOutcome", b"x"), b"one")
    assert kept.get(ONE, ("GetOutcome", b"x")) == b"one"
    assert kept.get(ONE, ("ListWinningMoves", b"x")) is None
    assert kept.get(OTHER, ("GetOutcome", b"x")) is None
    kept.put(OTHER, ("GetOutcome", b"y"), b"other")
    assert kept.get(ONE, ("GetOutcome", b"x")) is None
    assert kept.get(OTHER, ("GetOutcome", b"x")) is None


def test_bounded_and_what_is_asked_for_stays() -> None:
    kept = ResponseCache(max_bytes=100_000)
    usual = ("GetOutcome", b"usual")
    kept.put(ONE, usual, b"answer")
    for number in range(1000):
        kept.put(ONE, ("GetOutcome", number.to_bytes(4, "little")), bytes(600))
        assert kept.get(ONE, usual) == b"answer"
    found = [kept.get(ONE, ("GetOutcome", number.to_bytes(4, "little"))) for number in range(1000)]
    assert 20 < 1000 - found.count(None) <= 100


def test_a_server_says_the_same_again_and_not_of_other_tables() -> None:
    served = [ONE]
    admission = Admission(lambda: served[0], ServerSettings(address="127.0.0.1:0"))
    call = next(call for call in CALLS if call.name == "GetOutcome")
    request = pb.GetOutcomeRequest()
    request.position.text = "nim:[3,5,7]"
    asked = Request(call, request.SerializeToString())
    first = admission.answer_at_once(asked)
    assert isinstance(first, bytes)
    assert admission.answer_at_once(asked) is first
    served[0] = OTHER
    again = admission.answer_at_once(asked)
    assert again == first
    assert again is not first
    admission.close()
