"""Wythoff's game with two heaps, and with three in its three definitions."""

from collections.abc import Sequence
from functools import lru_cache

from engine.games.position import Position
from engine.games.spec import GameSpec
from engine.games.wythoff import RULES, WYTHOFF_RULES
from oracle.answers import Certainty, GameInfo
from oracle.probers.heap_kernels import LINES
from oracle.probers.heap_on_demand import SIDES, side_for
from oracle.probers.heap_sources import AllThree, EmptyHeap, GoldenRatio, Source
from oracle.probers.heap_tables import Solved, Stored
from oracle.probers.heaps import QUESTIONS, HeapProber, build_advice

_TWO_HEAPS = GameSpec("wythoff", heaps=2)


class WythoffProber(HeapProber):
    """Answers Wythoff's game: by theorems, tables of three heaps, and searches."""

    family = "wythoff"
    rules = RULES
    three_heaps = "wythoff{rule=pairs}"

    def games(self) -> tuple[GameInfo, ...]:
        """What theorems and searches tell, and one entry a table."""
        any_size = "heaps of any size"
        searched = f"three heaps of which two are at most {SIDES[-1]}; with an empty heap, any size"
        infos = [GameInfo(_TWO_HEAPS, QUESTIONS, any_size, None, Certainty.THEOREM, None)]
        for rule in WYTHOFF_RULES:
            game = GameSpec("wythoff", options=(("rule", rule),))
            if rule == "all":
                infos.append(GameInfo(game, QUESTIONS, any_size, None, Certainty.THEOREM, None))
            elif game not in self._tables:
                known = Certainty.EXACT_SEARCH
                infos.append(GameInfo(game, QUESTIONS, searched, None, known, None))
        tables = (info for info in self._table_infos() if info.game.rule != "all")
        return (*infos, *tables)

    def _sources(self, game: GameSpec) -> Sequence[Source]:
        if game.heaps == 2:
            return (GoldenRatio(),)
        if game.rule == "all":
            return (AllThree(),)
        lines = tuple(LINES.index(line) for line in RULES.lines(game, 3))
        table = self._tables.get(game)
        stored = () if table is None else (Stored(game, lines, table),)
        return (EmptyHeap(lines), *stored, Solved(game, lines, self._solved))

    def _what_would_decide(self, position: Position) -> str:
        return _what_would_decide(position)


@lru_cache(maxsize=1024)
def _what_would_decide(position: Position) -> str:
    game = position.game
    return (
        f"no table of {game.text} goes so far, and tables solved when asked for end at"
        f" {side_for(game)}; {build_advice(game, position.coordinates)}"
    )
