"""Uses every public name, with types that mypy and pyright check strictly; asks a server.

python every_name.py HOST:PORT [PICTURE]
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import position_oracle as po
from position_oracle import adapters, annotate, bots, errors, play, plot, record, rules


def measured(geometry: po.Geometry) -> list[float]:
    shapes: tuple[po.Shape, ...] = geometry.shapes
    measures: list[po.Measure] = [measure for shape in shapes for measure in shape.measures]
    return [measure.value for measure in measures]


def chances(estimates: po.Estimates) -> dict[str | None, float]:
    candidates: tuple[po.Candidate, ...] = estimates.candidates
    calibration: po.Calibration = estimates.calibration
    assert calibration.bits > 0
    return {candidate.position: candidate.chance for candidate in candidates}


def told(answer: po.Answer[Any]) -> str:
    estimate: po.Estimate | None = answer.estimate
    tables: po.Tables | None = answer.tables
    facts: po.TransfiniteFacts | None = answer.transfinite
    outcome: po.Outcome = answer.outcome
    certainty: po.Certainty = answer.certainty
    return f"{outcome.name} {certainty.name} {answer.reason} {estimate} {tables} {facts}"


def known(game: po.GameInfo) -> str:
    limits: po.Limits | None = game.limits
    build: po.Build | None = game.build
    return f"{game.game} {limits} {build}"


def analyzed(analysis: po.Analysis) -> int:
    values: po.PositionValues = analysis.values
    moves: tuple[po.AnalyzedMove, ...] = analysis.moves or ()
    return len(moves) + (values.grundy or 0)


async def ask_later(address: str) -> po.Outcome:
    async with po.AsyncOracleClient(address) as oracle:
        return (await oracle.outcome("nim:[3,5,7]")).outcome


def refused(oracle: po.OracleClient, position: str) -> type[errors.OracleClientError]:
    try:
        oracle.outcome(position)
    except (po.UnknownGameError, po.UnsupportedQuestionError, po.IllegalMoveError) as error:
        return type(error)
    except (po.InvalidQuestionError, po.ArrayTypeError, po.AccessDeniedError) as error:
        return type(error)
    except (po.ServerUnavailableError, po.ServerLimitError, po.DeadlineError) as error:
        return type(error)
    except (po.ClientClosedError, po.TablesChangedError, po.ServerError) as error:
        return type(error)
    except po.OracleClientError as error:
        return type(error)
    raise AssertionError(position)


def by_hand(position: str) -> str:
    action = po.Action(taking=(po.HeapChange(1, 2),))
    bite = po.Action(bite=po.Bite(2, 2))
    try:
        return rules.play(position, action) + rules.play("chomp:3/3", bite)
    except po.PositionOracleError as error:
        return str(error)


def main(address: str) -> None:
    with po.OracleClient(address) as oracle:
        move: po.Move | None = oracle.best_move("nim:[3,5,7]")
        line: po.BestLine = oracle.best_line("nim:[3,5,7]")
        chance: po.WinProbability = oracle.win_probability("nim:[3,5]", "random")
        game: play.GameRecord = play.play_game(
            bots.PerfectBot(oracle), bots.RandomBot(seed=1), "nim:[3,5,7]"
        )
        comments = annotate.annotate(game, oracle)
        print(record.format_record(game, comments), move, line.remoteness)
        print(chance.method is po.Method.EXACT)
        print(told(oracle.outcome("nim:[3,5,7]")), analyzed(oracle.analyze("nim:[3,5,7]")))
        print([known(each) for each in oracle.games()], refused(oracle, "nin:[3]"))
        print(measured(oracle.geometry("nim{heaps=3,passes=1}")), po.Origin.__name__)
        print(chances(oracle.estimate_opening(10)))
    print(told(po.Oracle().outcome("nim:[3,5,7]")), by_hand("nim:[3,5,7]"))
    print(asyncio.run(ask_later(address)).name, po.__version__, adapters.__name__)
    print(po.tls())
    if sys.argv[2:]:  # with the extra `plot`
        plot.save(plot.board_figure([3, 2]), Path(sys.argv[2]))


if __name__ == "__main__":
    main(sys.argv[1])
