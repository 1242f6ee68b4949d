"""Section 12: the stratification conjecture, and the limits of computation."""

from collections.abc import Iterable
from itertools import combinations_with_replacement, product

from position_oracle.engine.jobs.transfinite.grids import Grid
from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, Ordinal, natural
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.oracle.reproduce.papers.transfinite.certificates import verdict
from position_oracle.oracle.reproduce.registry import (
    Chapter,
    Paper,
    Quantity,
    at_least,
    equal,
    every,
    undecided,
)
from position_oracle.oracle.reproduce.tables import ReportTables

chapter = Chapter(Paper.TRANSFINITE)


def cut(value: Ordinal, least: Ordinal) -> Ordinal:
    """Return the terms with exponents of at least a given one."""
    return Ordinal(tuple(term for term in value.terms if term[0] >= least))


@chapter.entry(
    "Conjecture 12.1",
    "Positions whose sizes agree past some power of w have Grundy values that agree past it;"
    " precisely: positions of one stratification have values of one stratification.",
    correction="Sizes alone do not suffice: 2 x w and 1 x (w*2) both have size w*2, and values 1"
    " and w*2. The formal statement compares stratifications, which are positions.",
)
def _stratification(tables: ReportTables) -> Iterable[Quantity]:
    exponents = (natural(0), natural(1), natural(2), OMEGA)
    heights = Grid(exponents, tables.size(2, 1)).ordinals()
    pairs = [(h, k) for k, h in combinations_with_replacement(heights, 2)]
    values = {pair: two_wide.grundy(*pair) for pair in pairs}
    broken = tried = 0
    for least in exponents[1:]:
        strata: dict[tuple[Ordinal, Ordinal], set[Ordinal]] = {}
        for h, k in pairs:
            strata.setdefault((cut(h, least), cut(k, least)), set()).add(cut(values[h, k], least))
        tried += len(strata)
        broken += sum(len(found) > 1 for found in strata.values())
    yield equal(
        f"{len(pairs):,} two-wide positions: of {tried:,} strata, those with several values",
        0,
        broken,
    )
    same_size = size(OrdinalPosition.box(2, OMEGA)) == size(OrdinalPosition.box(1, OMEGA * 2))
    same_value = verdict("2xw").grundy == verdict("1x(w*2)").grundy
    yield equal(
        "positions of one size, 2 x w and 1 x (w*2): have they one value",
        same_size,
        same_value,
        corrected=False,
    )
    yield undecided("all positions", "conjecture", "no finite set of positions proves it")


@chapter.entry(
    "The set L; Section 12",
    "L is the set of all g that are G(4 x a) or G((4 x a) + (2 x w)) for finite a. It contains all"
    " g < 46; 46 is not known to be in L, and if it is, then by some a > 480.",
)
def _set_l(tables: ReportTables) -> Iterable[Quantity]:
    from position_oracle.engine.solvers.frontier import solve

    limit, tops = tables.size((560, 280), (120, 60))
    found = tables.once(("frontier", limit), lambda: solve(limit, tops))
    inside = found.found()
    first = next(g for g in range(1, 128) if not inside[g])
    least = tables.size(46, 19)
    yield at_least(
        f"a < {limit}, beside w: a < {tops}: least g not found", least, first, printed=True
    )
    boxes = [a for a in range(limit) if found.boxes[a] == 46]
    yield equal("G(4 x a) = 46 for a below that", (), tuple(boxes))
    sides = [a for a in range(tops) if found.side_tops[a] == 46]
    if sides or boxes:
        yield equal("46 is in L", "not known", f"by a = {(sides or boxes)[0]}")
    else:
        yield undecided(
            "whether 46 is in L",
            "not known",
            f"not found below a = {limit}, beside w below a = {tops}; once, to a < 1,000 and a <"
            f" 500:"
            " not found either, so that 46, if it is in L, needs a beyond those",
        )
    small = [g for g in range(1, 100) if not inside[g]]
    yield at_least("how many of g = 1 .. 99 are found", tables.size(70, 30), 99 - len(small))


@chapter.entry(
    "G(4 x w)",
    "The value G(4 x w) = mex(L) is not known, perhaps not computable; if L has no finite mex, it"
    " is believed to be w*2.",
)
def _four_wide(tables: ReportTables) -> Iterable[Quantity]:
    found = [str(verdict(f"{n}xw").grundy) for n in (1, 2)]
    yield equal("G(1 x w), G(2 x w)", ("w", "1"), tuple(found))
    yield equal(
        "outcome of 4 x w: not P, as its Grundy value is no less than 19",
        "N",
        str(verdict("4xw").outcome),
    )
    yield undecided("G(4 x w)", "open", "a scan shows that a value occurs, never that it does not")


@chapter.entry(
    "Recursive sets; Section 12",
    "P-positions with a finite part and one or two thin transfinite stalks form a recursive set;"
    " so, it is believed, do those within 3 x Omega and (1 x 3 x Omega) + (Omega x 1 x 1).",
)
def _recursive(tables: ReportTables) -> Iterable[Quantity]:
    texts = [f"3x{a}+2x{b}+1x{h}" for a, b, h in product((1, 2), (2, 3), ("w", "(w+3)", "(w*2)"))]
    decided = sum(str(verdict(text).outcome) != "UNKNOWN" for text in texts)
    yield every("positions with a finite part and one stalk that are decided", len(texts), decided)
    wide = [
        f"3x{x}+2x{v}+1x{u}"
        for u, v, x in (
            ("w^2", "w", "5"),
            ("w*2", "w*2", "14"),
            ("w^w", "w^w", "w^3"),
            ("(w+4)", "(w+4)", "7"),
        )
    ]
    decided = sum(str(verdict(text).outcome) != "UNKNOWN" for text in wide)
    yield every("positions within 3 x Omega that are decided", len(wide), decided)
    yield undecided(
        "that the sets are recursive",
        "believed",
        "three-wide positions are decided up to the finite sheets that a table holds",
    )
