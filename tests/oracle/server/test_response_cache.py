"""Responses are cached for one oracle, within a bound; a cached response admits no other call."""

import gc
import weakref
from unittest.mock import Mock

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.admission import Admission, ResponseCache
from position_oracle.oracle.server.contract import CALLS, Planned, Request
from position_oracle.oracle.server.errors import BusyError
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.telemetry import CallRecord
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


def test_a_cache_that_is_cleared_refers_to_no_oracle() -> None:
    kept, oracle = ResponseCache(), Oracle()
    left = weakref.ref(oracle)
    kept.put(oracle, ("GetOutcome", b"x"), b"one")
    kept.clear()
    assert kept.get(oracle, ("GetOutcome", b"x")) is None
    del oracle
    gc.collect()
    assert left() is None


def test_no_more_are_kept_than_fit() -> None:
    kept = ResponseCache(max_bytes=100_000)
    keys = [("GetOutcome", number.to_bytes(4, "little")) for number in range(1000)]
    for key in keys:
        kept.put(ONE, key, bytes(600))
        assert kept.get(ONE, key) == bytes(600)
        assert 1000 * sum(kept.get(ONE, each) is not None for each in keys) < 100_000


def test_a_server_says_the_same_again_and_not_of_other_tables() -> None:
    served = [ONE]
    admission = Admission(lambda: served[0], ServerSettings(address="127.0.0.1:0"))
    request = pb.GetOutcomeRequest()
    request.position.text = "nim:[3,5,7]"
    asked = Request(CALLS["GetOutcome"], request.SerializeToString())
    first = admission.answer_at_once(asked)
    assert isinstance(first, bytes)
    assert admission.answer_at_once(asked) is first
    served[0] = OTHER
    again = admission.answer_at_once(asked)
    assert again == first
    assert again is not first
    admission.close()


def test_a_question_that_is_too_expensive_is_not_answered_from_a_cached_search() -> None:
    text, oracle = "octal{code=0.45}:[900]", Oracle()
    oracle.outcome(text)
    cost = oracle.plan("outcome", parse(text)).cost
    assert cost.seconds_now < 0.0001 < cost.seconds / 2
    settings = ServerSettings(address="127.0.0.1:0", call_seconds=cost.seconds / 2)
    admission = Admission(lambda: oracle, settings)
    request = pb.GetOutcomeRequest()
    request.position.text = text
    asked = Request(CALLS["GetOutcome"], request.SerializeToString())
    assert isinstance(admission.answer_at_once(asked), Planned)
    admission.close()


@pytest.mark.parametrize("is_leaving", [False, True])
def test_a_server_that_is_not_ready_admits_no_call(is_leaving: bool) -> None:
    admission = Admission(lambda: ONE, ServerSettings(address="127.0.0.1:0"))
    call = CallRecord("GetOutcome", Mock(invocation_metadata=lambda: ()), ())
    admission.gate.is_leaving = is_leaving
    admission.admit(call)
    assert admission.is_ready is not is_leaving
    admission.is_open = False
    with pytest.raises(BusyError, match="starting"):
        admission.admit(call)
    admission.close()
