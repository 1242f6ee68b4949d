"""The numbers of enumerations in the contract, and back."""

from typing import Final

from position_oracle.schema.analyses import Method
from position_oracle.schema.answers import Certainty, Outcome
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, chance_pb2

OUTCOME: Final = {each: answer_pb2.Outcome.Value(f"OUTCOME_{each.name}") for each in Outcome}
CERTAINTY: Final = {each: answer_pb2.Certainty.Value(f"CERTAINTY_{each}") for each in Certainty}
METHOD: Final = {each: chance_pb2.Method.Value(f"METHOD_{each}") for each in Method}
OUTCOMES: Final = {number: each for each, number in OUTCOME.items()}
CERTAINTIES: Final = {number: each for each, number in CERTAINTY.items()}
METHODS: Final = {number: each for each, number in METHOD.items()}
