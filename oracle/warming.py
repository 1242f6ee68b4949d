"""Questions that a server asks itself, so that later ones are fast.

Compiling a kernel takes seconds. Loading it from a cache, or importing a rarely used module, takes
hundredths of a second. The cost of a question includes neither. So each kind of work is done once,
on the smallest positions that need it: before the server is ready if kernels may have to be
compiled, and otherwise while it answers its first questions.
"""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import families
from position_oracle.engine.machine import processor_name
from position_oracle.engine.solvers.compile_cache import use_compile_cache
from position_oracle.schema.errors import NotationError, PositionOracleError

if TYPE_CHECKING:
    from position_oracle.oracle.core import Oracle

BATCHES: Final = (
    ("chomp3", (1, 1, 1)),
    ("chomp3{passes=1}", (1, 1, 1)),
    ("chomp3{passes=1}", (300, 1, 1)),
    ("chomp3{declared=[1,6,7]}", (2, 1, 1)),
    ("chomp3{noise=normal(8),seed=7}", (2, 1, 1)),
    ("chomp", (4, 4, 4, 3)),
    ("nim{passes=1}", (2, 3, 7)),
    ("nim{passes=1}", (2, 3, 4, 7)),
    ("nim{misere,passes=1}", (2, 3, 7)),
    ("nim{declared=[1,6,7]}", (2, 3, 7)),
    ("nim{noise=normal(8),seed=7}", (2, 3, 7)),
    ("wythoff{rule=pairs}", (2, 3, 7)),
    ("wythoff{rule=both}", (2, 3, 7)),
    ("wythoff{rule=pairs,misere}", (30, 31, 32)),
)
"""Games with a position each, to ask for outcomes and moves."""

ANALYZED: Final = (
    "chomp3:[2,1,0]",
    "chomp3:[30,30,30]",
    "chomp:4/4/4/3",
    "chomp:7/7/7/7/7/7/6",
    "nim:[3,5]",
    "nim{misere}:[3,5,7]",
    "nim:[2,3,7;1]",
    "wythoff:[3,5]",
    "wythoff{rule=pairs}:[2,3,7]",
    "wythoff{misere}:[3,5;1]",
    "divisors:2^2*3*5",
    "transfinite:2x2x2",
    "octal{code=0.77}:[5,7]",
    "toads:T.F",
    "chomp3:[2,1,0] + nim:[3,5]",
)
"""Positions to ask all questions about."""

BEYOND: Final = (
    "chomp3:[200000,1,0]",
    "chomp3:[1000000,1,0]",
    "chomp:1000/1000/1000/999/2",
    "nim:[5000,6000,7000;1]",
    "wythoff{rule=pairs}:[5000,6000,7000]",
)
"""Positions beyond all tables, whose answers name a build."""

MISTYPED: Final = "chomp3:[1,2,x]"
"""A text that is not a position, for which suggestions are searched."""

MODELS: Final = ("random", "perfect-vs-random", "perfect-vs-sloppy(0.1)")
AGAINST_CHANCE: Final = ("chomp3:[4,2,1]", "chomp:4/3/2/1", "nim:[3,5]")
LARGE: Final = "nim:[12,11,10,9;1]"
"""A position with more moves than are folded as plain Python, and no theorem on its length."""

WINDOWS: Final = ("chomp3", "nim{passes=1,heaps=3}", "wythoff{rule=pairs}")


def warm_up(oracle: "Oracle") -> None:
    """Do each kind of work once; errors are left for later callers."""
    oracle.games()  # the first question of the page, which needs no compiled code
    for name in families():
        current().check()
        oracle.prober(name).warm_up()
    for text, numbers in BATCHES:
        _ask_many(oracle, text, numbers)
    for text in ANALYZED:
        current().check()
        oracle.analyze(text)
    for text in BEYOND:
        oracle.outcome(text)
    with suppress(NotationError):
        parse(MISTYPED)
    _simulate()
    for text in AGAINST_CHANCE:
        for model in MODELS:
            current().check()
            oracle.win_probability(text, model)
    _fold(oracle)
    oracle.turns(LARGE)
    for text in WINDOWS:
        with suppress(PositionOracleError):
            oracle.instant_winners(parse_game(text), 2, 2, 2)
    if mark := _mark(oracle):
        with suppress(OSError):
            mark.touch()


def _ask_many(oracle: "Oracle", text: str, numbers: tuple[int, ...]) -> None:
    game, rows = parse_game(text), np.array([numbers], np.int32)
    current().check()
    oracle.winning_move_batch(game, rows)
    oracle.outcomes(game, rows)


def is_compiled(oracle: "Oracle") -> bool:
    """Return whether an earlier process has compiled all kernels for the tables of an oracle.

    Then each is loaded in hundredths of a second, and single questions need none.
    """
    mark = _mark(oracle)
    return mark is not None and mark.exists()


def _mark(oracle: "Oracle") -> Path | None:
    """Return a file whose existence means that all kernels for such tables are compiled.

    The result is None without a cache. The file holds for this processor only. Tables of other
    kinds, or of wider numbers, need other kernels.
    """
    use_compile_cache()
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder is None:
        return None
    facts = version("numba"), processor_name(), *oracle.layouts
    return Path(folder) / f"warm-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"


def _fold(oracle: "Oracle") -> None:
    """Fold a graph by each compiled kernel."""
    from position_oracle.engine.solvers import folds

    position = parse(LARGE)
    searched = oracle.prober(position.game).graph.searched(position, few_passes=False)
    if searched is not None:
        for fold in (folds.wins, folds.grundy, folds.remoteness, folds.random_chance):
            fold(searched.graph)
        folds.perfect_chances(searched.graph, 1.0)
        folds.error_bound(searched.graph)
        folds.expected_turns(searched.graph)


def _simulate() -> None:
    """Simulate a few games; a question simulates a hundred thousand."""
    from position_oracle.engine.solvers.random_play.simulate import simulate_chomp

    simulate_chomp((4, 2, 1), seed=0, games=10)
