"""Uses every public name, with types that mypy and pyright check strictly; asks a server.

python every_name.py HOST:PORT [PICTURE]
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import position_oracle as po
from position_oracle import annotate, bots, errors, play, plot, record, rules


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


def known(game: po.GameInfo[Any]) -> str:
    words: po.Introduction = game.introduction
    sources: tuple[po.GameSource, ...] = game.sources
    limits: list[po.Limits | None] = [source.limits for source in sources]
    builds: list[po.Build | None] = [source.build for source in sources]
    return f"{game.game} {words} {limits} {builds}"


def analyzed(analysis: po.Analysis[Any]) -> int:
    values: po.PositionValues = analysis.values
    moves: tuple[po.AnalyzedMove[Any], ...] = analysis.moves or ()
    return len(moves) + (values.grundy or 0)


def asked(oracle: po.Answerer) -> list[object]:
    move: po.Move[Any] | None = oracle.best_move("nim:[3,5,7]")
    line: po.BestLine[Any] = oracle.best_line("nim:[3,5,7]")
    graph: po.SolvedGraph = oracle.solve_graph([[0, 1]])
    answers = oracle.answers(["nim:[3]"])
    chance: po.WinProbability[Any] = oracle.win_probability("nim:[3,5]", "random")
    turns: po.Turns[Any] = oracle.turns("nim:[3,5]")
    number = analyzed(oracle.analyze("nim:[3,5,7]"))
    shape = measured(oracle.geometry("nim{heaps=3,passes=1}"))
    exact = chance.method is po.Method.EXACT
    return [move, line.remoteness, exact, turns.mean, number, shape, graph, answers]


def played(oracle: po.Answerer) -> str:
    bot: po.Bot = bots.PerfectBot(oracle)
    game: po.GameRecord = play.play_game(bot, bots.RandomBot(seed=1), "nim:[3,5,7]")
    by_hand = po.Game("nim:[3,5,7]", players=("you", "it"))
    return record.format_record(game, annotate.annotate(game, oracle)) + str(by_hand)


async def ask_later(oracle: po.AsyncAnswerer) -> po.Outcome:
    return (await oracle.outcome("nim:[3,5,7]")).outcome


async def ask_later_at(address: str) -> po.Outcome:
    async with po.AsyncOracleClient(address) as oracle:
        return await ask_later(oracle)


def refused(oracle: po.Answerer, position: str) -> type[po.PositionOracleError]:
    try:
        oracle.outcome(position)
    except (po.NotationError, po.InvalidPositionError, po.IllegalMoveError) as error:
        return type(error)
    except (po.UnknownGameError, po.UnknownAnswerError, po.ArrayTypeError) as error:
        return type(error)
    except (po.InvalidQuestionError, po.UnsupportedQuestionError, po.AccessDeniedError) as error:
        return type(error)
    except (po.ServerUnavailableError, po.ServerLimitError, po.DeadlineError) as error:
        return type(error)
    except (po.ClientClosedError, po.TablesChangedError, po.ServerError) as error:
        return type(error)
    except (po.InvalidRowError, po.CredentialsFileError, po.InvalidArgumentError) as error:
        return type(error)
    except (po.ResourceLimitError, po.StoppedError) as error:
        return type(error)
    except errors.OracleClientError as error:
        return type(error)
    raise AssertionError(position)


def by_hand(position: str) -> str:
    state: po.State = rules.read(position)
    action = po.Action(taking=(po.HeapChange(1, 2),))
    bite = po.Action(bite=po.Bite(2, 2))
    try:
        return f"{state} {rules.play(position, action)} {rules.play('chomp:3/3', bite)}"
    except po.PositionOracleError as error:
        return str(error)


def typed(position: po.TypedPosition) -> str:
    return rules.canonical(position)


def game_of(answer: po.Answer[po.Position]) -> po.GameSpec:
    return answer.position.game


def stored(place: Path) -> str:
    try:
        return str(po.Snapshot.open(place))
    except (po.MissingExtraError, po.MissingTableError, po.TableFileError) as error:
        return str(error)


def main(address: str) -> None:
    with po.OracleClient(address) as oracle:
        print(asked(oracle), played(oracle), refused(oracle, "nin:[3]"))
        print([known(game) for game in oracle.games()], chances(oracle.estimate_opening(10)))
    here = po.Oracle()
    print(asked(here), told(here.outcome("nim:[3,5,7]")), by_hand("nim:[3,5,7]"))
    print(typed(here.outcome("nim:[3,5,7]").position))
    print(
        asyncio.run(ask_later_at(address)).name,
        game_of(here.outcome("nim:[3,5,7]")),
        stored(Path("nowhere")),
    )
    print(po.OracleClientError.__name__, po.tls(), po.Origin.LOWER.name, po.__version__)
    if sys.argv[2:]:  # needs the extra `plot`
        plot.save(plot.board_figure([3, 2]), Path(sys.argv[2]))


if __name__ == "__main__":
    main(sys.argv[1])
