"""Conversion of the numbers of enumerations in the contract."""

from collections.abc import Mapping
from typing import Final

from position_oracle.schema.analyses import Listing, Method
from position_oracle.schema.answers import Certainty, Outcome
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    answer_pb2,
    catalog_pb2,
    chance_pb2,
)

OUTCOME: Final = {each: answer_pb2.Outcome.Value(f"OUTCOME_{each.name}") for each in Outcome}
CERTAINTY: Final[Mapping[Certainty, "answer_pb2.Certainty.ValueType"]] = {
    each: answer_pb2.Certainty.Value(f"CERTAINTY_{each}")
    for each in Certainty
    if each is not Certainty.OTHER
}
METHOD: Final = {each: chance_pb2.ChanceMethod.Value(f"CHANCE_METHOD_{each}") for each in Method}
LISTING: Final = {each: analysis_pb2.MoveListing.Value(f"MOVE_LISTING_{each}") for each in Listing}
QUESTION: Final[Mapping[str, "catalog_pb2.Question.ValueType"]] = {
    name.removeprefix("QUESTION_").lower(): number
    for name, number in catalog_pb2.Question.items()
    if number
}
OUTCOMES: Final = {number: each for each, number in OUTCOME.items()}
CERTAINTIES: Final[Mapping[int, Certainty]] = {number: each for each, number in CERTAINTY.items()}
METHODS: Final = {number: each for each, number in METHOD.items()}
LISTINGS: Final = {number: each for each, number in LISTING.items()}
QUESTIONS: Final[Mapping[int, str]] = {number: name for name, number in QUESTION.items()}
